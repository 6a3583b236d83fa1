"""The youth championship from the wizard to the last diploma, through the pages, by the people who run it.

Ten groups; five are played: a Swiss of eight rounds and one of seven, a round robin, boys and girls of one age
together, and a system chosen against the head-count rule. What a person decides happens in a browser; what is the same
a hundred times is sent by the same forms without one.
"""

from __future__ import annotations

import datetime as dt
import re
from itertools import pairwise
from typing import Any

import pytest
from django.core import mail
from django.urls import reverse
from django.utils import timezone
from playwright.sync_api import expect

from prizes.models import Award, AwardEvent
from registration.models import LedgerLine
from swiss.models import Pairing
from tourney.kernel.chance import Chance
from tourney.models import ActionLog, Appeal, Entry, Game, PlacementList, Stage, StandingRow, Tournament
from tourney.testing.pages import Cast, Clock, Visitor, follow, sign_in, stays_inside, unfold
from tourney.tests.flows.acts import PASSWORD, enter_results, give_roles, make_event, send_entry, take_step

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.slow]

LANGUAGE = "ru"
SWISS_TIE_BREAKS = ["DE", "BH/C1", "BH", "WIN", "BPG", "ARO"]
TABLE_TIE_BREAKS = ["DE", "SB", "WIN"]

# Group -> the age of its players in the year of the event, sex, and how many enter by the usual form.
GROUPS = {
    "u11-boys": (9, "M", 12),
    "u11-girls": (9, "F", 11),
    "u13-boys": (11, "M", 5),
    "u15-boys": (13, "M", 3),
    "u15-girls": (13, "F", 2),
    "u17-boys": (15, "M", 6),
}
NAMES = ["Смирнов", "Иванов", "Кузнецов", "Соколов", "Попов", "Лебедев", "Козлов", "Новиков", "Морозов", "Петров"]
NAMES += ["Волков", "Соловьёв", "Васильев"]


def child(event: Tournament, group: str, index: int, **typed: Any) -> dict[str, Any]:
    """Return what a parent types for the player of a group who has so much of the rating (1 is the strongest)."""
    age, sex, _number = GROUPS[group]
    surname = NAMES[index - 1] + ("" if sex == "M" else "а")
    return {
        "surname": surname,
        "given_name": "Артём" if sex == "M" else "Алина",
        "birth_date": f"{event.starts_on.year - age}-04-{index:02}",
        "sex": sex,
        "rating_national": str(1700 - 30 * index),
        "city": "Йошкар-Ола",
        "lives_in_region": "on",
        "registered_in_region": "on",
        "email": f"{group}-{index}@example.org",
        "guardian_name": f"{surname} Ольга",
        "consent_regulation": "on",
        "consent_processing": "on",
        "consent_publication": "on",
    } | typed


def at(event: Tournament, day: int, hour: str) -> dt.datetime:
    """Return an hour of a day of the event (0 is the first), by its own clock."""
    return dt.datetime.combine(event.starts_on + dt.timedelta(days=day), dt.time.fromisoformat(hour), event.zone)


def stage_of(event: Tournament, group: str) -> Stage:
    return Stage.objects.exclude(kind="playoff").get(section__tournament=event, section__code=group)


def named(event: Tournament, surname: str, group: str = "") -> Entry:
    found = event.entries.filter(player__surname=surname)
    return found.get(section__code=group) if group else found.get()


# -- the acts of the championship ------------------------------------------------------------------------------------


def parents_enter(cast: Cast, event: Tournament, clock: Clock) -> None:
    """Enter everybody by the public form: one on a telephone, the others by the same form without a browser."""
    phone = cast.page(width=390, height=844)
    phone.goto(reverse("event", args=[event.slug]))
    assert stays_inside(phone)
    phone.click(f"main a[href='{reverse('register', args=[event.slug])}']")
    for name, value in child(event, "u11-boys", 1).items():
        field = phone.locator(f"[name={name}]")
        if name == "sex":
            phone.check(f"[name=sex][value={value}]")
        elif value == "on":
            field.check()
        else:
            field.fill(value)
    phone.locator("#fee-box", has_text="500").wait_for()
    phone.click("details.group-grounds > summary")
    phone.check("[name=claims][value=large_family]")
    phone.locator("#fee-box", has_text="250").wait_for()
    phone.click("button[value=check]")
    phone.click("button[value=send]")
    phone.wait_for_url(re.compile(r"/e/[\w-]{22,}/"))
    assert stays_inside(phone)

    parent, brother = Visitor("ru"), ""
    for group, (_age, _sex, number) in GROUPS.items():
        for index in range(2 if group == "u11-boys" else 1, number + 1):
            more: dict[str, Any] = {}
            if (group, index) == ("u11-girls", 1):
                more = {"claims": ["district_winner"]}
            if (group, index) == ("u13-boys", 1):
                more = {"claims": ["city_prizewinner", "team_member"]}
            family = brother if (group, index) == ("u17-boys", 5) else ""
            link = send_entry(parent, event, family=family, **child(event, group, index, **more))
            if (group, index) == ("u13-boys", 5):
                brother = link.split("/")[2]
    first = parent.open(reverse("register", args=[event.slug])).send({"step": "check"}, surname="Смирнов")
    assert first.status == 422  # nothing else was filled in
    # A girl with a personal right among the boys waits for the organizer's word (M7.8).
    girl = child(event, "u11-girls", 12, section="u11-boys", grounds=["national_right"])
    send_entry(parent, event, **girl)
    assert named(event, "Соловьёва").state == "applied"
    # Three days before the event is too late for the usual fee (M10.3.5); a sister pays the family's price (M10.3.3).
    clock.to(at(event, -3, "20:01"))
    late = child(event, "u15-girls", 13)
    send_entry(parent, event, **late)
    assert named(event, "Васильева").section.code == "u15-girls"


def organizer_decides(page: Any, event: Tournament) -> None:
    """Let the girl in with a reason."""
    page.goto(reverse("manage_event", args=[event.slug]))
    page.goto(reverse("manage_entry", args=[event.slug, named(event, "Соловьёва").pk]))
    page.click("#act-admit > summary")
    page.fill("#act-admit [name=admit-reason]", "Персональное право подтверждено")
    page.click("#act-admit button")
    page.wait_for_selector("#act-admit", state="detached")
    girl = named(event, "Соловьёва")
    assert (girl.state, girl.section.code) == ("confirmed", "u11-boys")


def desk_works(cast: Cast, event: Tournament, clock: Clock) -> dict[str, int]:
    """Look at papers, take fees and mark who is here; return what each of some people paid, in roubles."""
    clock.to(at(event, 0, "09:05"))
    desk = cast.staff("desk", PASSWORD, width=820, height=1180)
    desk.goto(reverse("manage_claims", args=[event.slug]))
    waiting = desk.locator(".claim", has=desk.locator("[name=evidence]"))
    for _number in range(waiting.count()):
        first = waiting.first
        first.locator("[name=evidence]").fill("удостоверение")
        with desk.expect_navigation():
            first.locator("button[value=verify]").click()
    desk.goto(reverse("manage_desk", args=[event.slug]))
    first = named(event, "Смирнов", "u11-boys")
    desk.click(f"#entry-{first.pk} summary")
    desk.click(f"#entry-{first.pk} button[value=cash]")
    desk.wait_for_selector(f"#entry-{first.pk} .desk-last")
    desk.click(f"#entry-{first.pk} .here-button")
    desk.wait_for_selector(f"#entry-{first.pk}.is-here")

    helper = Visitor("ru").sign_in("desk", PASSWORD)
    url = reverse("manage_desk", args=[event.slug])
    helper.open(url)
    for entry in event.entries.exclude(pk=first.pk).order_by("pk"):
        if entry == named(event, "Васильева"):
            clock.to(at(event, 0, "09:46"))  # the on-site registration ended at 9:45
            helper.open(url)  # what one owes follows the clock
        if any(form.has({"entry": entry.pk, "act": "pay"}) for form in helper.forms()):
            helper.press(helper.form({"entry": entry.pk, "act": "pay"}), "channel", "cash")
        helper.press(helper.form({"entry": entry.pk, "act": "arrived"}), "act", "arrived")
    paid: dict[str, int] = {}
    for line in LedgerLine.objects.select_related("entry__player", "entry__section"):
        paid[f"{line.entry.player.surname} {line.entry.section.code}"] = line.minor // 100
    assert not event.entries.filter(present=False).exists()
    return paid


def chief_closes_the_lists(cast: Cast, event: Tournament) -> Any:
    """Merge one age, choose another system for a group with a reason, close every start list."""
    chief = cast.staff("chief", PASSWORD)
    chief.goto(reverse("manage_section", args=[event.slug, "u15-girls"]))
    follow(chief, "button[name=host][value=u15-boys]")
    hosts = chief.locator("button[name=host]").evaluate_all("all => all.map(one => one.value)")
    assert hosts == []  # two ages may never be merged

    chief.goto(reverse("manage_section", args=[event.slug, "u17-boys"]))
    close = chief.locator("form", has=chief.locator("[name=act][value=close]"))
    close.locator("summary").click()
    close.locator("[name=system]").select_option("swiss")
    close.locator("[name=rounds]").fill("3")
    close.locator("button.btn-primary").click()
    chief.wait_for_selector(".invalid-feedback, .alert, [id^=error_]")
    assert not Stage.objects.filter(section__tournament=event).exists()  # not without a reason
    close.locator("[name=reason]").fill("Зал занят во второй день")
    close.locator("button.btn-primary").click()
    chief.wait_for_selector("#stage-head")

    for group in ("u11-boys", "u11-girls", "u13-boys", "u15-boys"):
        chief.goto(reverse("manage_section", args=[event.slug, group]))
        chief.click("form:has([name=act][value=close]) button.btn-primary")
        chief.wait_for_selector("#stage-head")
    return chief


def play_round(
    chief: Visitor, arbiter: Visitor, event: Tournament, group: str, number: int, outcomes: dict[tuple[str, str], str]
) -> None:
    """Pair, publish and play a round by the forms; `outcomes` decides, else mostly the higher rated player wins."""
    pair = reverse("manage_pair", args=[event.slug, group])
    chief.open(reverse("manage_rounds", args=[event.slug, group]))
    chief.submit(next(form for form in chief.forms() if form.action == pair))
    assert chief.url.endswith(f"/rounds/{number}/"), chief.text[:800]
    chief.post({"act": "publish"})
    enter_results(arbiter, event, group, number, outcomes_of(event, group, number, outcomes))


def outcomes_of(event: Tournament, group: str, number: int, decided: dict[tuple[str, str], str]) -> list[str]:
    """Return a result for every open board: a decided one by the two surnames, else by rating and a little chance."""
    games = stage_of(event, group).games.filter(round_number=number, outcome="").order_by("board")
    chance = Chance.labelled(f"{group} {number}", "results of the flow")
    found = []
    for game in games.select_related("white__player", "black__player"):
        pair = (game.white.player.surname, game.black.player.surname)
        if pair in decided or pair[::-1] in decided:
            found.append(decided.get(pair) or {"1-0": "0-1", "0-1": "1-0", "1/2": "1/2"}[decided[pair[::-1]]])
        elif group.startswith("u11") and chance.below(4) == 0:
            found.append("1/2")
        else:
            found.append("1-0" if (game.white.rating or 0) > (game.black.rating or 0) else "0-1")
    return found


def first_round_at_the_boards(chief: Any, cast: Cast, event: Tournament, clock: Clock) -> dict[int, str]:
    """Pair, publish and start the first round of the big group, enter it by keys; two boards end by the clock.

    Return the results by board.
    """
    args = [event.slug, "u11-boys"]
    clock.to(at(event, 0, "09:55"))
    chief.goto(reverse("manage_rounds", args=args))
    chief.click(f"form[action='{reverse('manage_pair', args=args)}'] button")
    chief.wait_for_url(f"**{reverse('manage_round', args=[*args, 1])}")
    assert chief.locator("ol.boards > li").count() == 7  # six boards, and one without an opponent
    spectator = Visitor("ru").open(reverse("pairings", args=args))
    assert "Соколов" not in spectator.text  # a draft is nobody's business
    chief.click("form:has([name=act][value=publish]) button")
    chief.wait_for_selector("form:has([name=act][value=start])")
    assert "Соколов" in spectator.open(reverse("pairings", args=args)).text
    clock.to(at(event, 0, "10:07"))  # the real start, not the announced one
    chief.click("form:has([name=act][value=start]) button")
    chief.wait_for_selector("form:has([name=act][value=start])", state="detached")

    arbiter = cast.staff("arbiter", PASSWORD, width=1024)
    arbiter.goto(reverse("manage_lateness", args=[*args, 1]))
    board = {b: arbiter.locator(f"#b{b}") for b in (5, 6)}
    board[5].locator("[value=white]").click()
    arbiter.wait_for_selector("#b5 [value=arrived]")
    board[6].locator("[value=black]").click()
    arbiter.wait_for_selector("#b6 [value=arrived]")
    follow(arbiter, "#b6 [value=both]")
    started = stage_of(event, "u11-boys").rounds.get(number=1).started_at
    clock.to(started + dt.timedelta(minutes=29))
    arbiter.reload()
    assert arbiter.locator("button[value=forfeit]").count() == 0  # from the real start, not from ten o'clock
    clock.to(at(event, 0, "10:38"))
    arbiter.reload()
    for number in (5, 6):
        arbiter.click(f"#b{number} button[value=forfeit]")
        arbiter.wait_for_selector(f"#b{number}", state="detached")

    arbiter.goto(reverse("manage_results", args=[*args, 1]))
    for number, key in enumerate("1051", start=1):
        arbiter.keyboard.press(key)
        arbiter.wait_for_selector(f"#b{number}.is-new")
    arbiter.context.close()
    games = stage_of(event, "u11-boys").games.filter(round_number=1)
    results = dict(games.values_list("board", "outcome"))
    assert results == {1: "1-0", 2: "0-1", 3: "1/2", 4: "1-0", 5: "-+", 6: "--"}
    return results


def settle(page: Any) -> None:
    """Wait until answers that came are in the page: a row that changes its height moves the rows below it."""
    expect(page.locator(".htmx-request, .htmx-swapping, .htmx-settling")).to_have_count(0)


def second_round_on_a_tablet(chief: Any, cast: Cast, event: Tournament, clock: Clock) -> None:
    """Begin the even round half an hour after the odd one; enter it by taps, note a short draw, correct a slip."""
    args = [event.slug, "u11-boys"]
    clock.to(at(event, 0, "11:00"))
    chief.goto(reverse("manage_rounds", args=args))
    chief.click(f"form[action='{reverse('manage_pair', args=args)}'] button")
    chief.wait_for_url(f"**{reverse('manage_round', args=[*args, 2])}")
    chief.click("form:has([name=act][value=publish]) button")
    chief.wait_for_selector("form:has([name=act][value=early])")
    chief.click("form:has([name=act][value=early]) button")
    chief.wait_for_selector("form:has([name=act][value=early])", state="detached")
    round_ = stage_of(event, "u11-boys").rounds.get(number=2)
    assert timezone.localtime(round_.scheduled_at, event.zone).time() == dt.time(11, 9)  # the last game ended 10:38+
    assert "11:09" in Visitor("ru").open(reverse("pairings", args=args)).text
    clock.to(at(event, 0, "11:10"))
    chief.click("form:has([name=act][value=start]) button")
    chief.wait_for_selector("form:has([name=act][value=start])", state="detached")

    tablet = cast.staff("arbiter", PASSWORD, width=820, height=1180, has_touch=True)
    tablet.goto(reverse("manage_results", args=[*args, 2]) + "?show=all")
    for number, outcome in enumerate(("1-0", "1/2", "0-1", "1-0", "1-0", "0-1"), start=1):
        tablet.tap(f"#b{number} .res[value='{outcome}']")
        tablet.wait_for_selector(f"#b{number}.is-new")
    settle(tablet)
    tablet.fill("#b2 [name=moves]", "38")
    with tablet.expect_response(lambda answer: answer.request.method == "POST"):
        tablet.tap("#b2 .moves button")
    settle(tablet)
    tablet.wait_for_selector("#b2 .board-more .state, #b2 .board-more .badge, #b2 [class*=need]")
    tablet.tap("#b3 .res[value='1-0']")
    tablet.wait_for_selector("#b3 .correction [name=reason]")
    settle(tablet)
    tablet.fill("#b3 .correction [name=reason]", "Бланк прочитан неверно")
    tablet.tap("#b3 .correction button")
    tablet.wait_for_selector("#b3.is-new[data-result='1-0']")
    assert stays_inside(tablet)
    tablet.context.close()
    second = Game.objects.get(stage=stage_of(event, "u11-boys"), round_number=2, board=3)
    assert list(second.results.order_by("pk").values_list("outcome", "reason")) == [
        ("0-1", ""),
        ("1-0", "Бланк прочитан неверно"),
    ]
    second.refresh_from_db()
    assert second.outcome == "1-0"


def points_by_hand(stage: Stage) -> dict[int, int]:
    """Return everybody's half-points, added up from games and byes without the product's rules."""
    worth = {"1-0": (2, 0), "0-1": (0, 2), "1/2": (1, 1), "+-": (2, 0), "-+": (0, 2), "--": (0, 0)}
    points: dict[int, int] = {}
    for game in stage.games.all():
        for player, halves in zip((game.white_id, game.black_id), worth[game.outcome], strict=True):
            points[player] = points.get(player, 0) + halves
    for player, kind in Pairing.objects.filter(round__stage=stage).exclude(bye="").values_list("white_id", "bye"):
        free = stage.kind == "round_robin"  # a table's free round brings nothing
        points[player] = points.get(player, 0) + (0 if free else {"U": 2, "F": 2, "H": 1}.get(kind, 0))
    return points


def assert_standings(event: Tournament, group: str, columns: list[str]) -> None:
    """The last standings: the columns of the regulation in their order, and nobody above who has less."""
    stage = stage_of(event, group)
    rows = list(StandingRow.objects.filter(stage=stage, after_round=stage.rounds_total).order_by("rank", "pk"))
    assert all([value["code"] for value in row.values] == columns for row in rows)
    by_hand = points_by_hand(stage)
    assert {row.entry_id: row.points for row in rows} == by_hand
    assert [row.points for row in rows] == sorted(by_hand.values(), reverse=True)
    later = columns[1:]  # the direct encounter is worked out anew among those still level
    for above, below in pairwise(rows):
        if above.points == below.points and above.values[0]["text"] == below.values[0]["text"] and not below.shared:
            assert [number(above, code) for code in later] >= [number(below, code) for code in later], (above, below)


def number(row: StandingRow, code: str) -> float:
    text = next(value["text"] for value in row.values if value["code"] == code)
    return float(text.replace("½", ".5").replace(",", ".") or 0)


LEVEL = {("Смирнов", "Иванов"): "1/2"}  # the two best of the table are level on everything


def play_all_rounds(event: Tournament, clock: Clock) -> None:
    """Play every round of every group that is still to come."""
    chief, arbiter = Visitor("ru").sign_in("chief", PASSWORD), Visitor("ru").sign_in("arbiter", PASSWORD)
    clock.to(at(event, 0, "14:00"))
    for number in range(1, 9):
        for group in ("u11-boys", "u11-girls", "u13-boys", "u15-boys", "u17-boys"):
            stage = stage_of(event, group)
            if number <= (stage.rounds_total or 0) and not stage.rounds.filter(number=number).exists():
                play_round(chief, arbiter, event, group, number, LEVEL if group == "u13-boys" else {})
        clock.forward(hours=4)
    for group in ("u11-boys", "u11-girls", "u17-boys"):
        assert_standings(event, group, SWISS_TIE_BREAKS)
    for group in ("u13-boys", "u15-boys"):
        assert_standings(event, group, TABLE_TIE_BREAKS)


def appeals_committee_judges(event: Tournament, clock: Clock) -> None:
    """Choose the committee, take one appeal in with its deposit, refuse one about the pairing and one too late."""
    chief = Visitor("ru").sign_in("chief", PASSWORD)
    committee = reverse("manage_committee", args=[event.slug])
    for name, reserve in (("Судья А", None), ("Судья Б", None), ("Судья В", None), ("Г", "on"), ("Д", "on")):
        chief.open(committee).send({"name": None, "reserve": None}, name=f"{name} Иванович", reserve=reserve)
    assert event.committee.count() == 5

    appeals = reverse("manage_appeals", args=[event.slug])
    last = stage_of(event, "u11-boys").games.order_by("-finished_at").first()
    assert last is not None
    assert last.finished_at is not None
    paper = {
        "entry": last.black_id,
        "place": str(last.round_number),
        "subject": "computer_pairing",
        "text": "Пара составлена неверно",
        "filed_by": "Иванова Ольга",
        "deposit_paid": "on",
    }
    form = {"subject": None, "filed_by": None}
    clock.to(last.finished_at + dt.timedelta(minutes=50))
    assert chief.open(appeals).send(form, **paper).status == 422  # never about the pairing
    paper |= {"subject": "result", "text": "Результат записан неверно"}
    assert chief.open(appeals).send(form, **paper | {"deposit_paid": None}).status == 422
    assert chief.open(appeals).send(form, **paper).status == 200
    clock.to(last.finished_at + dt.timedelta(minutes=61))
    assert chief.open(appeals).send(form, **paper).status == 422  # an hour after the round is too late
    deposit = LedgerLine.objects.latest("pk")
    assert deposit.minor == 100_000
    chief.open(reverse("manage_appeal", args=[event.slug, last_appeal(event)]))
    chief.send({"decision": None, "text": None}, decision="upheld", text="Удовлетворить")
    assert sum(LedgerLine.objects.filter(pk__gte=deposit.pk).values_list("minor", flat=True)) == 0  # it went back


def last_appeal(event: Tournament) -> int:
    return int(Appeal.objects.filter(entry__tournament=event).latest("pk").pk)


def places_are_published(cast: Cast, event: Tournament, clock: Clock) -> None:
    """Play off first place where two are level on everything, publish every group, finish the event."""
    chief = cast.staff("chief", PASSWORD)
    level = reverse("manage_placings_of", args=[event.slug, "u13-boys"])
    chief.goto(level)
    assert chief.locator("[name=act][value=publish]").count() == 0  # first place is not settled
    unfold(chief, "details:has([name=winner])")  # it opens by itself when the quarter of an hour is over
    winner = named(event, "Иванов", "u13-boys")
    chief.check(f"[name=winner][value='{winner.pk}']")
    chief.fill("[name=games]", "1–0, 0–1, армагеддон 1–0")
    follow(chief, "form:has([name=winner]) button.btn-primary")
    for group in ("u13-boys", "u11-boys", "u11-girls", "u15-boys", "u17-boys"):
        chief.goto(reverse("manage_placings_of", args=[event.slug, group]))
        chief.click("form:has([name=act][value=publish]) button.btn-primary")
        chief.wait_for_selector("ol.log")
    lists = PlacementList.objects.filter(section__tournament=event)
    assert sorted(lists.values_list("section__code", flat=True)) == sorted(GROUPS)
    top = lists.get(section__code="u13-boys").lines.order_by("place").values_list("entry__player__surname", "place")
    assert list(top)[:3] == [("Иванов", 1), ("Смирнов", 2), ("Кузнецов", 3)]
    # Girls and boys played together; each have their own places (M7.8).
    girls = lists.get(section__code="u15-girls").lines.order_by("place").values_list("place", flat=True)
    assert list(girls) == [1, 2, 3]
    take_step(chief, event, "finish")
    assert event.state == "finished"


def awards_are_handed_out(cast: Cast, event: Tournament, on_commit: Any) -> None:
    """Tell the winners, hand out, note who is absent and who signs for another; print the diplomas."""
    awards = Award.objects.filter(section__tournament=event)
    assert awards.count() == 3 * len(GROUPS)
    assert set(awards.filter(place=1).values_list("things", flat=True).distinct()[0]) == {"cup", "diploma", "medal"}
    chief = Visitor("ru").sign_in("chief", PASSWORD)
    mail.outbox.clear()
    chief.open(reverse("manage_prizes_tell", args=[event.slug])).send({"where": None}, when="воскресенье, 16:00")
    assert len(mail.outbox) == awards.count()
    assert all("16:00" in letter.body for letter in mail.outbox)

    desk = cast.staff("desk", PASSWORD, width=820)
    desk.goto(reverse("manage_prizes", args=[event.slug]))
    handed, absent, signed = awards.filter(section__code="u11-boys").order_by("place")
    desk.click(f"#award-{handed.pk} [value=handed]")
    desk.wait_for_selector(f"#award-{handed.pk}.is-over")
    desk.click(f"#award-{absent.pk} [value=absent]")
    desk.wait_for_selector(f"#award-{absent.pk}.is-over")
    desk.click(f"#award-{signed.pk} summary")
    desk.fill(f"#award-{signed.pk} [name=signed_by]", "Тренер Петров")
    desk.click(f"#award-{signed.pk} [value=representative]")
    desk.wait_for_selector(f"#award-{signed.pk}.is-over")
    events = AwardEvent.objects.filter(section__code="u11-boys").exclude(kind="notified").order_by("pk")
    assert list(events.values_list("kind", "entry_id", "signed_by")) == [
        ("handed", handed.entry_id, ""),
        ("absent", absent.entry_id, ""),
        ("representative", signed.entry_id, "Тренер Петров"),
    ]
    diplomas = chief.open(reverse("print_diplomas", args=[event.slug]))
    assert diplomas.html.count("Первенство республики") >= awards.count()


def winner_is_disqualified_afterwards(cast: Cast, event: Tournament, clock: Clock) -> None:
    """Remove the winner of a table two days after the end: the next list says so; four days after is too late."""
    old = PlacementList.objects.get(section__code="u15-boys").lines.order_by("place")
    winner, second = (line.entry for line in old[:2])
    chief = cast.staff("chief", PASSWORD)
    end = max(Game.objects.filter(stage__section__tournament=event).values_list("finished_at", flat=True))
    clock.to(end + dt.timedelta(days=2))
    form = {"kind": "removal", "reason": "Пользовался телефоном"}
    chief.context.clear_cookies()
    sign_in(chief, "chief", PASSWORD)
    chief.goto(reverse("manage_sanctions", args=[event.slug]))
    chief.select_option("[name=entry]", str(winner.pk))
    chief.check(f"[name=kind][value={form['kind']}]")
    chief.fill("[name=reason]", form["reason"])
    chief.click("form:has([name=kind]) button.btn-danger")
    chief.wait_for_selector("table.grid")
    chief.goto(reverse("manage_placings_of", args=[event.slug, "u15-boys"]))
    chief.fill("form:has([name=act][value=publish]) [name=reason]", form["reason"])
    chief.click("form:has([name=act][value=publish]) button.btn-primary")
    chief.wait_for_selector("ol.log li + li")
    newest = PlacementList.objects.filter(section__code="u15-boys").latest("number")
    assert newest.number == 2
    assert newest.lines.get(place=1).entry == second
    said = Visitor("ru").open(reverse("placings", args=[event.slug, "u15-boys"])).text
    assert form["reason"] in said

    clock.to(end + dt.timedelta(days=5))
    late = Visitor("ru").sign_in("chief", PASSWORD).open(reverse("manage_sanctions", args=[event.slug]))
    late.send({"kind": None, "entry": None}, entry=second.pk, **form)
    assert late.status == 422


def spectators_read_everything(cast: Cast, event: Tournament) -> None:
    """Every public page of every group, on a telephone; start lists, pairings, results, standings, places."""
    phone = cast.page(width=390, height=844)
    for name in ("section", "pairings", "standings", "crosstable", "placings"):
        phone.goto(reverse(name, args=[event.slug, "u11-boys"]))
        assert phone.get_attribute("html", "lang") == "ru"
        assert "Соколов" in phone.inner_text("main")
        assert stays_inside(phone), name
    assert "90" in Visitor("ru").open(reverse("pairings", args=[event.slug, "u11-boys"])).text
    reader = Visitor("ru")
    for section in event.sections.all():
        assert reader.open(reverse("section", args=[event.slug, section.code])).status == 200
    for group in GROUPS:
        for name in ("pairings", "standings", "crosstable", "placings"):
            reader.open(reverse(name, args=[event.slug, group]))
            assert reader.status == 200
            assert ("Смирнов" if group == "u11-boys" else "Иванов") in reader.text, (name, group)
    for name in ("event", "regulation", "prizes"):
        assert reader.open(reverse(name, args=[event.slug])).status == 200
    acts = set(ActionLog.objects.filter(tournament=event).values_list("action", flat=True))
    assert {"event.created", "section.merged", "swiss.round_paired", "conduct.sanction"} <= acts
    assert {"prizes.placings_published", "prizes.playoff_recorded", "prizes.placings_corrected"} <= acts


# -- the whole way ---------------------------------------------------------------------------------------------------


@pytest.mark.clause("M7.1", "M7.2", "M7.3", "M7.4", "M7.6", "M7.7", "M7.8", "M7.9", "M7.10")
@pytest.mark.clause("M8.1", "M8.2", "M9.1", "M9.2", "M9.3")
@pytest.mark.clause("M10.3.1", "M10.3.2", "M10.3.3", "M10.3.4", "M10.3.5", "K1.4")
def test_championship_from_the_wizard_to_the_last_diploma(
    cast: Cast, clock: Clock, django_user_model: Any, django_capture_on_commit_callbacks: Any
) -> None:
    django_user_model.objects.create_superuser("organizer", password=PASSWORD)
    organizer = cast.staff("organizer", PASSWORD)
    assert organizer.get_attribute("html", "lang") == "ru"
    starts_on = timezone.localdate() + dt.timedelta(days=12)
    event = make_event(
        organizer,
        "youth-championship",
        starts_on,
        language="ru",
        title_ru="Первенство республики",
        venue_ru="Дворец шахмат",
        address_ru="г. Йошкар-Ола, ул. Примерная, 1",
        organizer_ru="Федерация шахмат",
        contact_email="org@example.org",
    )
    assert event.sections.count() == 10
    give_roles(organizer, event)
    take_step(organizer, event, "publish")
    take_step(organizer, event, "open")
    parents_enter(cast, event, clock)
    organizer_decides(cast.staff("organizer", PASSWORD), event)
    paid = desk_works(cast, event, clock)
    assert paid == {
        **{f"{NAMES[i]} u11-boys": 500 for i in range(1, 12)},
        "Смирнов u11-boys": 250,
        "Соловьёва u11-boys": 500,
        **{f"{NAMES[i]}а u11-girls": 500 for i in range(1, 11)},
        **{f"{NAMES[i]} u13-boys": 500 for i in range(1, 4)},
        "Попов u13-boys": 300,
        **{f"{NAMES[i]} u15-boys": 500 for i in range(3)},
        **{f"{NAMES[i]}а u15-girls": 500 for i in range(2)},
        "Васильева u15-girls": 750,
        **{f"{NAMES[i]} u17-boys": 500 for i in (0, 1, 2, 3, 5)},
        "Попов u17-boys": 300,
    }
    take_step(cast.staff("organizer", PASSWORD), event, "close")
    chief_page = chief_closes_the_lists(cast, event)
    systems = {
        stage.section.code: (stage.kind, stage.rounds_total)
        for stage in Stage.objects.filter(section__tournament=event).exclude(kind="playoff")
    }
    assert systems == {
        "u11-boys": ("swiss", 8),
        "u11-girls": ("swiss", 7),
        "u13-boys": ("round_robin", 5),
        "u15-boys": ("round_robin", 5),
        "u17-boys": ("swiss", 3),
    }
    first_round_at_the_boards(chief_page, cast, event, clock)
    second_round_on_a_tablet(chief_page, cast, event, clock)
    play_all_rounds(event, clock)
    appeals_committee_judges(event, clock)
    places_are_published(cast, event, clock)
    awards_are_handed_out(cast, event, django_capture_on_commit_callbacks)
    winner_is_disqualified_afterwards(cast, event, clock)
    spectators_read_everything(cast, event)
