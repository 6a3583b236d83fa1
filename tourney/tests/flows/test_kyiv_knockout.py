"""The knockout with a second chance from an empty installation to the last lottery, through the pages.

Thirty-five people enter, thirty-two play ninety-six matches for every place. What a person decides happens in a
browser; what is the same a hundred times is sent by the same forms without one.
"""

from __future__ import annotations

import datetime as dt
import re
from collections import Counter
from typing import Any

import pytest
from django.core import mail
from django.db.models import Sum
from django.urls import reverse
from django.utils import timezone

from brackets.models import Bracket, Match, MatchSlot
from prizes.models import Award, Draw
from registration.models import LedgerLine
from tourney.kernel.chance import Chance
from tourney.models import Entry, Game, Lot, PlacementList, Sanction, Tournament
from tourney.testing.pages import Cast, Clock, Form, Visitor, sign_in, stays_inside, unfold
from tourney.tests.flows.acts import PASSWORD, give_roles, make_event, send_entry, take_step

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.slow]

LANGUAGE = "uk"
SECTION = "main"
EARLY = 21  # so many pay by the day of the discount
_LIST = """
    Шевченко Бондаренко Коваленко Ткаченко Кравченко Олійник Шевчук Поліщук Лисенко Бойко Мельник Савченко
    Руденко Марченко Гавриленко Мороз Петренко Павленко Кравчук Клименко Левченко Харченко Пономаренко Гончарук
    Василенко Тимошенко Кузьменко Іваненко Сидоренко Романюк Гриценко Костенко Ющук Дяченко Вовк
"""
SURNAMES = _LIST.split()


def player(index: int) -> dict[str, Any]:
    """Return what the player so far down the rating list types."""
    level = "KMS" if index < 8 else "1" if index < 24 else "2"
    return {
        "surname": SURNAMES[index],
        "given_name": "Андрій" if index % 3 else "Оксана",
        "birth_date": f"{1975 + index}-03-{1 + index % 28:02}" if index < 25 else f"199{index % 10}-06-11",
        "level": level,
        "rating_fide_blitz": str(2150 - 18 * index) if index != 30 else "",
        "email": f"player{index}@example.org",
        "consent_regulation": "on",
        "consent_processing": "on",
        "consent_publication": "on",
    }


def at(event: Tournament, day: int, hour: str) -> dt.datetime:
    """Return an hour of a day, counted from the day of the event, by its own clock."""
    return dt.datetime.combine(event.starts_on + dt.timedelta(days=day), dt.time.fromisoformat(hour), event.zone)


def entry_of(event: Tournament, index: int) -> Entry:
    return event.entries.select_related("player").get(player__surname=SURNAMES[index])


def url(name: str, event: Tournament, *more: Any) -> str:
    return reverse(name, args=[event.slug, *more])


def game_result(white: str, black: str, chance: Chance) -> str:
    """Return how a game ends: mostly as the lists of ratings say, sometimes a draw, sometimes not."""
    if chance.below(6) == 0:
        return "1/2"
    better = SURNAMES.index(white) < SURNAMES.index(black)
    return "1-0" if better != (chance.below(10) == 0) else "0-1"


# -- before the day --------------------------------------------------------------------------------------------------


def first_account_and_event(cast: Cast) -> tuple[Any, Tournament]:
    """Make the first account of an empty installation and the event, with the usual answers to the open questions."""
    organizer = cast.page()
    organizer.goto("/")
    organizer.fill("[name=username]", "organizer")
    organizer.fill("[name=password]", PASSWORD)
    organizer.fill("[name=again]", PASSWORD)
    organizer.click("main form button")
    organizer.wait_for_url("**/manage/")
    event = make_event(
        organizer,
        "second-chance-32",
        timezone.localdate() + dt.timedelta(days=20),
        language="uk",
        title_uk="Кубок другого шансу",
        organizer_uk="Шаховий клуб",
        contact_email="club@example.org",
    )
    give_roles(organizer, event)
    assert Visitor("uk").open(url("event", event)).status == 404  # not public yet
    take_step(organizer, event, "publish")
    take_step(organizer, event, "open")
    return organizer, event


def event_is_announced(cast: Cast, event: Tournament) -> None:
    """What everybody reads before: when and where, the shelter, the fee, the places, the rules, a calendar file."""
    phone = cast.page(width=390, height=844)
    phone.goto(url("event", event))
    said = phone.inner_text("main")
    assert "Лобановського, 6Б" in phone.content()
    assert "генератора" in phone.content()
    assert "32" in said
    assert stays_inside(phone)
    phone.goto(url("regulation", event))
    assert stays_inside(phone)
    assert "армагедон" in phone.inner_text("main").lower()
    calendar = Visitor("uk").open(url("calendar", event)).html
    assert f"DTSTART;TZID=Europe/Kyiv:{event.starts_on:%Y%m%d}T110000" in calendar or "DTSTART" in calendar


def people_enter(cast: Cast, event: Tournament, clock: Clock) -> dict[int, str]:
    """Enter thirty-five people and take their deposits; return the personal pages."""
    phone = cast.page(width=390, height=844)
    phone.goto(url("event", event))
    phone.click(f"main a[href='{url('register', event)}']")
    for name, value in player(0).items():
        field = phone.locator(f"[name={name}]")
        if name == "level":
            field.select_option(value)
        elif value == "on":
            field.check()
        else:
            field.fill(value)
    phone.locator("#fee-box", has_text="500").wait_for()  # the early price
    phone.click("button[value=check]")
    phone.click("button[value=send]")
    phone.wait_for_url(re.compile(r"/e/[\w-]{22,}/"))
    pages = {0: phone.url.partition("//")[2].partition("/")[2]}
    pages[0] = "/" + pages[0]

    desk, entrant = Visitor("uk").sign_in("desk", PASSWORD), Visitor("uk")
    refused = entrant.open(url("register", event)).send({"step": "check"}, **player(1) | {"email": "nowhere"})
    assert refused.status == 422
    assert SURNAMES[1] in refused.html  # what was typed is kept
    for index in range(len(SURNAMES)):
        if index == EARLY - 1:
            clock.to(at(event, -5, "23:40"))  # the last day of the discount counts as a whole
            desk.sign_in("desk", PASSWORD)  # two weeks later one signs in again
        if index == EARLY:
            clock.to(at(event, -4, "00:10"))
        if index == 34:
            said = entrant.open(url("register", event)).send({"step": "check"}, **player(index)).text
            assert "600" in said
        if index:
            pages[index] = send_entry(entrant, event, **player(index))
        entry = entry_of(event, index)
        assert entry.state == "awaiting_deposit"
        desk.open(url("manage_entry", event, entry.pk))
        desk.post({"act": "payment"}, **{"payment-amount": "100", "payment-channel": "transfer"})
    assert Counter(event.entries.values_list("state", flat=True)) == {"confirmed": 32, "reserve": 3}
    late = [name for name, state in event.entries.values_list("player__surname", "state") if state == "reserve"]
    assert sorted(late) == sorted(SURNAMES[32:])
    # Somebody of another level waits for the organizer's word (K3.2), which is no.
    send_entry(entrant, event, **player(0) | {"surname": "Гросмейстеренко", "level": "other", "level_text": "FM"})
    return pages


def organizer_refuses(page: Any, event: Tournament) -> None:
    """Say no to an entry of another level, with a reason."""
    page.context.clear_cookies()
    sign_in(page, "organizer", PASSWORD)
    other = event.entries.get(player__surname="Гросмейстеренко")
    assert other.state == "applied"
    page.goto(url("manage_entry", event, other.pk))
    page.click("#act-reject > summary")
    page.fill("#act-reject [name=reject-reason]", "Рівень вище допустимого")
    page.click("#act-reject button")
    page.wait_for_selector("#act-reject", state="detached")
    other.refresh_from_db()
    assert other.state == "rejected"


def player_withdraws(cast: Cast, event: Tournament, link: str) -> None:
    """Withdraw by the personal link; the first of the reserve list gets the place and a letter."""
    mail.outbox.clear()
    phone = cast.page(width=390, height=844)
    phone.goto(link)
    phone.click(f"a[href='{link}withdraw/']")
    assert "100" in phone.inner_text("main")  # the deposit goes back
    phone.click("main form .btn-danger")
    phone.wait_for_url(f"**{link}")
    assert entry_of(event, 20).state == "withdrawn"
    assert entry_of(event, 32).state == "confirmed"
    assert [letter.to for letter in mail.outbox if "player32" in letter.to[0]] == [["player32@example.org"]]


# -- the morning -----------------------------------------------------------------------------------------------------


def desk_takes_the_rest(cast: Cast, event: Tournament, clock: Clock) -> None:
    """Show what each still owes, take it, mark who is here; one does not come and another reserve moves up."""
    clock.to(at(event, 0, "09:30"))
    tablet = cast.staff("desk", PASSWORD, width=820, height=1180)
    tablet.goto(url("manage_desk", event))
    early, late = entry_of(event, 0), entry_of(event, 25)
    assert "400" in tablet.inner_text(f"#entry-{early.pk} summary")
    assert "500" in tablet.inner_text(f"#entry-{late.pk} summary")
    tablet.fill("#desk-find", SURNAMES[0][:5])
    tablet.click(f"#entry-{early.pk} summary")
    tablet.click(f"#entry-{early.pk} button[value=cash]")
    tablet.wait_for_selector(f"#entry-{early.pk} .desk-last")
    tablet.click(f"#entry-{early.pk} .here-button")
    tablet.wait_for_selector(f"#entry-{early.pk}.is-here")
    tablet.context.close()

    absent = entry_of(event, 10)
    chief = Visitor("uk").sign_in("chief", PASSWORD).open(url("manage_entry", event, absent.pk))
    chief.post({"act": "no_show"}, **{"no_show-reason": ""})
    absent.refresh_from_db()
    assert absent.state == "no_show"
    assert entry_of(event, 33).state == "confirmed"
    assert entry_of(event, 34).state == "reserve"

    desk = Visitor("uk").sign_in("desk", PASSWORD).open(url("manage_desk", event))
    for entry in event.entries.filter(state="confirmed").exclude(pk=early.pk).order_by("pk"):
        desk.press(desk.form({"entry": entry.pk, "act": "pay"}), "channel", "cash")
        desk.press(desk.form({"entry": entry.pk, "act": "arrived"}), "act", "arrived")
    paid = {
        row["entry__player__surname"]: row["all"] // 100
        for row in LedgerLine.objects.values("entry__player__surname").annotate(all=Sum("minor"))
    }
    expected = {SURNAMES[index]: 500 if index < EARLY else 600 for index in range(34)}
    # The deposit of who withdrew in time waits to go back; of who did not come it is kept (K4.7); a reserve's waits.
    assert paid == expected | {SURNAMES[index]: 100 for index in (10, 20, 34)}
    kept = desk.open(url("manage_cash", event)).text
    assert SURNAMES[20] in kept
    desk.open(url("manage_entry", event, entry_of(event, 20).pk))
    desk.post({"act": "refund"}, **{"refund-amount": "100", "refund-channel": "transfer"})


def draw_in_the_open(cast: Cast, event: Tournament) -> Any:
    """Close the start list, commit to the draw, take public numbers, look, confirm; everybody can check it."""
    chief = cast.staff("chief", PASSWORD)
    chief.goto(url("manage_section", event, SECTION))
    chief.click("form:has([name=act][value=close]) button.btn-primary")
    chief.wait_for_selector("#stage-head")
    chief.goto(url("manage_draw", event, SECTION))
    assert "96" in chief.inner_text("main")
    chief.click("form:has([name=act][value=commit]) button.btn-primary")
    chief.wait_for_selector("[name=number1]")
    lot = Lot.objects.get(purpose="initial_draw")
    public = Visitor("uk").open(reverse("lot", args=[lot.pk]))
    assert lot.commitment in public.html
    assert lot.secret not in public.html
    for number, (who, said) in enumerate([("Глядач Іван", "417"), ("Бойко Оксана", "90210")], start=1):
        chief.fill(f"[name=who{number}]", who)
        chief.fill(f"[name=number{number}]", said)
    chief.click("form:has([name=act][value=reveal]) button.btn-primary")
    chief.wait_for_selector("form:has([name=act][value=confirm])")
    assert Visitor("uk").open(url("bracket", event, SECTION)).text.count(SURNAMES[0]) == 0  # not before the word
    chief.click("form:has([name=act][value=confirm]) button")
    chief.wait_for_selector("form:has([name=act][value=confirm])", state="detached")
    bracket = Bracket.objects.get()
    # Seeds 1–8 are candidate masters, 9–24 of the first category (K7.1).
    levels = [seed.entry.level for seed in bracket.seeds.select_related("entry").order_by("seed")]
    assert levels == sorted(levels, key=["KMS", "1", "2"].index)
    spectator = cast.page(width=390, height=844)
    spectator.goto(reverse("lot", args=[lot.pk]))
    spectator.wait_for_selector("[data-lot-check][data-state=honest]")
    spectator.context.close()
    return chief


# -- play ------------------------------------------------------------------------------------------------------------


def ask(page: Any) -> str:
    """Return what the tablet of a match asks for: color, game, lot, or nothing."""
    return str(page.evaluate("document.querySelector('.ask-box [name=act]:not([value=call])')?.value ?? ''"))


def first_matches(cast: Cast, event: Tournament, clock: Clock) -> None:
    """Play four matches on a tablet: by two games, to the Armageddon, without an opponent, and one put right."""
    clock.to(at(event, 0, "11:00"))
    chief = cast.staff("chief", PASSWORD)
    take_step(chief, event, "start")
    tablet = cast.staff("arbiter", PASSWORD, width=820, height=1180, has_touch=True)
    tablet.goto(url("manage_bracket", event, SECTION))
    tablet.tap("form:has([name=act][value=call]) button.btn-primary")
    tablet.wait_for_selector("ul.lines form [name=seen]", state="attached")
    assert tablet.locator("section[aria-labelledby=playing] li.line").count() == 16
    assert stays_inside(tablet)

    two_games(tablet, event, "U1.1")
    to_the_armageddon(tablet, event, "U1.2")
    clock.forward(minutes=11)
    tablet.goto(url("manage_match", event, SECTION, "U1.3"))
    tablet.check("[name=absent][value=b]")
    tablet.tap("form:has([name=act][value=walkover]) button")
    tablet.wait_for_selector(".ask-box", state="detached")
    missed = Match.objects.get(key="U1.3")
    assert (missed.state, missed.how, missed.winner_side) == ("walkover", "no_show", "a")
    put_right(tablet, event, "U1.1")
    tablet.context.close()

    # A sanction: the loss of a match, with its reason (K10.3); and a warning.
    chief.goto(url("manage_match", event, SECTION, "U1.4"))
    unfold(chief, "details:has(#win-b)")
    chief.check("#win-b")
    chief.check("[name=sanction]")
    chief.fill("#decide-reason", "Телефон під час партії")
    chief.click("form:has([name=act][value=decide]) button")
    chief.wait_for_selector(".ask-box", state="detached")
    assert Match.objects.get(key="U1.4").winner_side == "b"
    book = Visitor("uk").sign_in("chief", PASSWORD).open(url("manage_sanctions", event))
    book.send({"kind": None, "entry": None}, entry=entry_of(event, 1).pk, kind="warning", reason="Розмови в залі")
    assert book.status == 200
    assert set(Sanction.objects.values_list("kind", flat=True)) >= {"warning"}


def two_games(tablet: Any, event: Tournament, key: str) -> None:
    """The lower rated player chooses the colour (K7.2); then the colours alternate; one side wins both games."""
    tablet.goto(url("manage_match", event, SECTION, key))
    if ask(tablet) == "lot":
        tablet.tap(".ask-box .res")
        tablet.wait_for_selector(".ask-box [name=color]")
    tablet.tap(".ask-box [name=color][value=w]")
    tablet.wait_for_selector(".ask-box [value='1-0']")
    first_white = tablet.inner_text(".duel-side.is-white .duel-big")
    tablet.tap(".ask-box [value='1-0']")
    tablet.wait_for_function(
        "name => document.querySelector('.duel-side.is-white .duel-big')?.innerText !== name", arg=first_white
    )
    tablet.tap(".ask-box [value='0-1']")
    tablet.wait_for_selector(".ask-box", state="detached")
    match = Match.objects.get(key=key)
    assert match.state == "done"
    lower = lower_rated(match)
    games = list(Game.objects.filter(match_key=key).order_by("game_number"))
    assert games[0].white_id == lower
    assert games[1].black_id == lower
    assert [game.outcome for game in games] == ["1-0", "0-1"]


def lower_rated(match: Match) -> int:
    slots = {slot.side: slot.entry for slot in match.slots.select_related("entry")}
    return int(min(slots.values(), key=lambda entry: entry.rating or 0).pk)


def to_the_armageddon(tablet: Any, event: Tournament, key: str) -> None:
    """Two games 3+2, two games 2+1, all drawn; a lot gives White; a drawn Armageddon is won by Black (K6.1–6.5)."""
    tablet.goto(url("manage_match", event, SECTION, key))
    if ask(tablet) == "lot":
        tablet.tap(".ask-box .res")
        tablet.wait_for_selector(".ask-box [name=color]")
    tablet.tap(".ask-box [name=color][value=b]")
    for number, clock in enumerate(("3+2", "3+2", "2+1", "2+1"), start=1):
        tablet.wait_for_selector(f".ask-box [name=number][value='{number}']", state="attached")
        assert clock in tablet.inner_text(".ask-box .ask")
        tablet.tap(".ask-box [value='1/2']")
    tablet.wait_for_selector(".ask-box [name=act][value=lot]", state="attached")
    tablet.tap(".ask-box .res")
    tablet.wait_for_selector(".ask-box [name=number][value='5']", state="attached")
    tablet.tap(".ask-box [value='1/2']")
    tablet.wait_for_selector(".ask-box", state="detached")
    games = list(Game.objects.filter(match_key=key).order_by("game_number"))
    clocks = [game.time_control for game in games]
    assert clocks[:4] == ["3+2", "3+2", "2+1", "2+1"]
    assert len(games) == 5
    whites = [game.white_id for game in games]
    assert whites[0] == whites[2] != whites[1] == whites[3]
    match = Match.objects.get(key=key)
    winner = match.slots.get(side=match.winner_side).entry_id
    assert winner == games[4].black_id
    lot = Lot.objects.get(purpose="game_color", subject__contains=f":{key}:")
    assert Visitor("uk").open(reverse("lot", args=[lot.pk])).status == 200


def put_right(tablet: Any, event: Tournament, key: str) -> None:
    """Correct the second game: the page says first that the match is open again and who leaves the next ones."""
    corrected = Match.objects.get(key=key)
    winner = corrected.slots.get(side=corrected.winner_side).entry
    loser = corrected.slots.exclude(side=corrected.winner_side).get().entry
    onward = {  # the match each was to play next -> who, and who stands there instead
        MatchSlot.objects.exclude(match=corrected).get(entry=winner).match.key: (winner, f"переможець {key}"),
        MatchSlot.objects.exclude(match=corrected).get(entry=loser).match.key: (loser, f"переможений {key}"),
    }
    assert len(onward) == 2
    tablet.goto(url("manage_match", event, SECTION, key))
    second = tablet.locator("table.grid tbody tr").nth(1)
    second.locator("summary").click()
    second.locator("[name=outcome][value='1-0']").click()
    tablet.wait_for_selector("[name=token]", state="attached")
    assert "Матч знову відкрито" in tablet.inner_text("main .callout-need")
    planned = {item.locator(".change-key").inner_text(): item for item in tablet.locator("ol.changes > li").all()}
    assert set(planned) == {key, *onward}  # nothing else changes
    assert "Цей матч виправляється" in planned[key].inner_text()
    drawn = tablet.locator("#on-tree ~ .drawing .dr-match")
    assert drawn.filter(has_text=re.compile(rf"^\s*{re.escape(key)}\D")).get_attribute("class") == "dr-match dr-fix"
    for other, (who, instead) in onward.items():
        until_now, afterwards = planned[other].inner_text().split("після цього")
        assert who.name in until_now
        assert who.name not in afterwards
        assert instead in afterwards
        box = drawn.filter(has_text=re.compile(rf"^\s*{re.escape(other)}\D"))
        assert box.get_attribute("class") == "dr-match dr-move"
        assert box.locator(".dr-moved").count() == 1  # the player who came the other way stays
    assert tablet.locator("#on-tree ~ .drawing .dr-fix, #on-tree ~ .drawing .dr-move").count() == 3
    assert tablet.locator("#on-tree ~ .drawing .dr-again").count() == 0  # nothing was played after it
    assert stays_inside(tablet)
    tablet.click("form:has([name=token]) .btn-primary, form:has([name=token]) .btn-danger")  # not without a reason
    tablet.wait_for_selector(".invalid-feedback, #error_1_id_reason, [id^=error_]")
    assert Match.objects.get(key=key).state == "done"
    tablet.fill("form:has([name=token]) [name=reason]", "Бланк прочитано навпаки")
    tablet.click("form:has([name=token]) .btn-primary, form:has([name=token]) .btn-danger")
    tablet.wait_for_url(f"**{url('manage_match', event, SECTION, key)}")
    corrected.refresh_from_db()
    assert corrected.state != "done"
    assert corrected.winner_side == ""
    assert not MatchSlot.objects.filter(match__key__in=onward, entry__in=[winner, loser]).exists()


def rules_change_and_cameras_run(event: Tournament) -> None:
    """Change a rule of the running event, dated and with a reason for everybody (K1.4); show a match (K1.3)."""
    organizer = Visitor("uk").sign_in("organizer", PASSWORD)
    organizer.open(url("manage_regulation_edit", event, "lateness")).post({"minutes": None}, minutes="15")
    publish = organizer.open(url("manage_regulation_publish", event))
    assert publish.send({"seen": None, "reason": None}, reason="").status == 422
    publish.post({"seen": None, "reason": None}, reason="Затори на мосту")
    said = Visitor("uk").open(url("regulation", event)).text
    assert "Затори на мосту" in said
    assert "15" in said
    arbiter = Visitor("uk").sign_in("arbiter", PASSWORD).open(url("manage_match", event, SECTION, "U1.5"))
    arbiter.post({"act": "video"}, video_url="https://www.youtube.com/watch?v=demo", featured="on")
    assert "https://www.youtube.com/watch?v=demo" in Visitor("uk").open(url("match", event, SECTION, "U1.5")).html


def play_the_rest(event: Tournament, clock: Clock) -> None:
    """Call and play everything that is left from the page of the day, wave after wave."""
    arbiter = Visitor("uk").sign_in("arbiter", PASSWORD)
    day = url("manage_bracket", event, SECTION)
    chance = Chance.labelled("kyiv", "games of the flow")
    for _wave in range(400):
        arbiter.open(day)
        if any(form.has({"act": "call"}) and not form.has({"match": None}) for form in arbiter.forms()):
            form = next(f for f in arbiter.forms() if f.has({"act": "call"}) and not f.has({"match": None}))
            arbiter.submit(form)
        asked = [form for form in arbiter.forms() if form.has({"seen": None, "back": "day"})]
        if not asked:
            if not Match.objects.exclude(state__in=["done", "walkover"]).exists():
                return
            clock.forward(minutes=5)  # players rest between matches
        for form in asked:
            arbiter.answer(form, **press(form, chance))
    raise AssertionError("the bracket is never complete")


def press(form: Form, chance: Chance) -> dict[str, str]:
    """Return the button pressed on what a match asks."""
    if form.has({"act": "color"}):
        return {"color": "w" if chance.below(2) else "b"}
    if form.has({"act": "lot"}):
        return {}
    match = Match.objects.get(key=form.action.rstrip("/").rpartition("/")[2])
    names = {slot.side: slot.entry.player.surname for slot in match.slots.select_related("entry__player")}
    white = match.awaits.get("white", "a")
    return {"outcome": game_result(names[white], names["b" if white == "a" else "a"], chance)}


# -- the evening -----------------------------------------------------------------------------------------------------


def places_and_prizes(cast: Cast, event: Tournament) -> None:
    """Publish the places; the prizes follow the regulation; the desk hands them out; the fund balances."""
    chief = cast.staff("chief", PASSWORD)
    chief.goto(url("manage_placings_of", event, SECTION))
    chief.click("form:has([name=act][value=publish]) button.btn-primary")
    chief.wait_for_selector("ol.log")
    lines = PlacementList.objects.get().lines.order_by("place")
    assert list(lines.values_list("place", flat=True)) == list(range(1, 33))
    assert len(set(lines.values_list("entry", flat=True))) == 32
    played: Counter[int] = Counter()
    for match in Match.objects.prefetch_related("slots"):
        played.update(slot.entry_id for slot in match.slots.all() if slot.entry_id)
    assert Match.objects.count() == 96
    assert min(played.values()) >= 5
    amounts = dict(Award.objects.filter(source="place").values_list("place", "minor"))
    roubles = {1: 5000, 2: 2000, 3: 1000, 4: 700, 5: 600, 7: 500, 9: 400, 13: 300, 17: 200, 25: 150}
    assert amounts == {place: amount * 100 for place, amount in roubles.items()}

    desk = cast.staff("desk", PASSWORD, width=820)
    desk.goto(url("manage_prizes", event))
    first = Award.objects.get(place=1, source="place")
    desk.click(f"#award-{first.pk} [value=handed]")
    desk.wait_for_selector(f"#award-{first.pk}.is-over")
    fund = Visitor("uk").open(url("prizes", event)).text
    fees = LedgerLine.objects.aggregate(all=Sum("minor"))["all"] // 100
    assert f"{fees:,}".replace(",", " ") in fund
    assert "11 300" in fund  # the prizes of places and the three draws


def lotteries(cast: Cast, event: Tournament) -> None:
    """Three draws: announced, with numbers from the hall, decided, checked by everybody."""
    chief = cast.staff("chief", PASSWORD)
    for index, (places, amount) in enumerate([({11, 15}, 200), ({19, 21}, 150), ({23, 27, 29, 31}, 100)]):
        chief.goto(url("manage_draws", event))
        chief.click(f"form:has([name=lottery][value='{index}']) button.btn-primary")
        chief.wait_for_selector("form:has([name=act][value=decide])")
        draw = Draw.objects.get(index=index)
        assert set(draw.tickets.values_list("place", flat=True)) == places
        numbers = chief.locator("fieldset:first-of-type [name^=number_t]")
        for holder in range(numbers.count()):
            numbers.nth(holder).fill(str(7 * holder + 13))
        witness = chief.locator("[name^=who_]").first
        witness.fill("Глядач Петро")
        chief.locator(f"[name=number_{witness.get_attribute('name').removeprefix('who_')}]").fill("2026")
        chief.click("form:has([name=act][value=decide]) button.btn-primary")
        chief.wait_for_selector(".lot-result")
        draw.refresh_from_db()
        won = Award.objects.get(draw=draw)
        assert won.minor == amount * 100
        assert draw.tickets.get(won=True).entry_id == won.entry_id
    spectator = cast.page(width=390, height=844)
    spectator.goto(url("lots", event))
    assert stays_inside(spectator)
    for draw in Draw.objects.all():
        spectator.goto(reverse("lot", args=[draw.lot_id]))
        spectator.wait_for_selector("[data-lot-check][data-state=honest]")
        assert stays_inside(spectator)
    spectator.context.close()
    take_step(chief, event, "finish")
    chief.context.close()


def spectators_read_everything(cast: Cast, event: Tournament) -> None:
    """The final pages on a telephone: the event with its winners, the tree, a match, places, prizes, a player."""
    winner = PlacementList.objects.get().lines.get(place=1).entry
    phone = cast.page(width=390, height=844)
    pages = {
        url("event", event): winner.name,
        url("section", event, SECTION): winner.name,
        url("bracket", event, SECTION): winner.name,
        url("bracket_places", event, SECTION): winner.name,
        url("matches", event, SECTION): winner.name,
        url("match", event, SECTION, "U1.2"): "5",
        url("placings", event, SECTION): winner.name,
        url("prizes", event): winner.name,
        url("player", event, SECTION, winner.pk): winner.name,
        url("regulation", event): "32",
        url("games", event): "",
    }
    for address, words in pages.items():
        phone.goto(address)
        assert phone.get_attribute("html", "lang") == "uk"
        assert words in phone.inner_text("main"), address
        assert stays_inside(phone), address


@pytest.mark.clause(
    "K1.3", "K1.4", "K2.1", "K3.1", "K3.2", "K3.3", "K3.4", "K4.1", "K4.2", "K4.3", "K4.4", "K4.5", "K4.6"
)
@pytest.mark.clause("K4.7", "K5.1", "K5.2", "K5.3", "K5.4", "K5.5", "K5.6", "K6.1", "K6.2", "K6.3", "K6.4", "K6.5")
@pytest.mark.clause("K7.1", "K7.2", "K7.3", "K8.1", "K8.2", "K8.3", "K10.3", "K11.1")
def test_knockout_from_an_empty_installation_to_the_last_lottery(cast: Cast, clock: Clock) -> None:
    organizer, event = first_account_and_event(cast)
    event_is_announced(cast, event)
    pages = people_enter(cast, event, clock)
    organizer_refuses(organizer, event)
    player_withdraws(cast, event, pages[20])
    desk_takes_the_rest(cast, event, clock)
    organizer.context.clear_cookies()
    sign_in(organizer, "organizer", PASSWORD)
    take_step(organizer, event, "close")
    assert Visitor("uk").open(url("register", event)).html.count("consent_regulation") == 0
    draw_in_the_open(cast, event)
    first_matches(cast, event, clock)
    rules_change_and_cameras_run(event)
    play_the_rest(event, clock)
    places_and_prizes(cast, event)
    lotteries(cast, event)
    spectators_read_everything(cast, event)
