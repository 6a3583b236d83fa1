"""Pages of places, prizes, draws and the fund: by role, with good and bad forms, in Ukrainian."""

from __future__ import annotations

from datetime import timedelta
from typing import Any
from uuid import uuid4

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from prizes.models import Award, AwardEvent, Draw, FundLine, PlayoffMatch, PlayoffRecord
from prizes.selectors.playoffs import view_of
from prizes.services import playoffs
from prizes.services.draws import commit_draw, reveal_draw
from prizes.services.placings import publish_placings, record_playoff
from prizes.services.timed_draws import schedule_draw
from prizes.tests import played
from tourney import panels
from tourney.models import ActionLog, Category, Lot, PlacementList, Section, Tournament
from tourney.services.entries import record_entry_event
from tourney.testing import builders

pytestmark = pytest.mark.django_db

STAFF_PAGES = ("manage_placings", "manage_prizes", "manage_draws", "print_awards", "print_diplomas")


def visitor(language: str = "en") -> Client:
    return Client(headers={"accept-language": language})


def signed_in(event: Tournament | None, role: str = "", name: str = "") -> Client:
    client = visitor()
    client.force_login(builders.user(name or f"the-{role or 'stranger'}", event, role))
    return client


@pytest.fixture
def youth() -> Section:
    """A finished group of the youth championship; nothing is published yet."""
    section = played.group(builders.event("youth-championship", contact_email="info@example.org"), "u11-boys")
    played.finished(section, ended=timezone.now() - timedelta(hours=2))
    return section


@pytest.fixture
def cup(monkeypatch: pytest.MonkeyPatch) -> Section:
    """A finished knockout of 32 with its places published."""
    section = played.group(builders.event("second-chance-32"), players=32)
    played.finished_bracket(section, monkeypatch)
    publish_placings(section, actor=None)
    return section


def text_of(answer: Any) -> str:
    return answer.content.decode()


# -- public ----------------------------------------------------------------------------------------------------------


def test_places_page_says_what_is_missing_before_they_are_final(youth: Section) -> None:
    url = reverse("placings", args=[youth.tournament.slug, youth.code])
    answer = visitor().get(url)
    assert answer.status_code == 200
    assert "The places are not final yet" in text_of(answer)
    assert url not in text_of(visitor().get(reverse("event", args=[youth.tournament.slug])))


def test_places_page_shows_podium_medals_and_prizes(cup: Section) -> None:
    answer = visitor().get(reverse("placings", args=[cup.tournament.slug, cup.code]))
    rows = answer.context["rows"]
    assert [row.medal for row in rows][:4] == [1, 2, 3, 0]
    assert [row.entry.player.surname for row in answer.context["winners"]] == ["Антонюк", "Бондар", "Вдовенко"]
    assert rows[0].prizes == ("5,000\u00a0₴",)
    assert (rows[10].ticket, rows[11].ticket) == ("ticket in a draw", "")
    assert text_of(answer).count('<tr id="places-') == 32
    assert any(tab["key"] == "placings" and tab["active"] for tab in answer.context["tabs"])


@pytest.mark.clause("M7.9")
def test_places_page_says_what_a_disqualification_changed(youth: Section) -> None:
    publish_placings(youth, actor=None)
    first = youth.entries.order_by("start_number")[0]
    record_entry_event(first, "disqualified", state="disqualified")
    publish_placings(youth, actor=None, reason="A telephone in the playing hall")
    url = reverse("placings", args=[youth.tournament.slug, youth.code])
    text = text_of(visitor().get(url))
    assert "Corrected: list 2" in text
    assert "A telephone in the playing hall" in text
    assert "Антонюк: was 1, now without a place (disqualified)" in text
    earlier = text_of(visitor().get(url, {"list": "1"}))
    assert "This is an earlier list" in earlier
    assert "A telephone" not in earlier
    for bad in ("3", "x", "0", "99999999"):
        assert visitor().get(url, {"list": bad}).status_code == 404


@pytest.mark.clause("M8.2")
def test_places_page_counts_down_to_the_playoff() -> None:
    section = played.group(builders.event("youth-championship"), "u11-boys")
    played.finished(section, [1, 1, 3, 4], ended=timezone.now() - timedelta(minutes=5))
    answer = visitor().get(reverse("placings", args=[section.tournament.slug, section.code]))
    [row] = answer.context["playoffs"]
    assert [entry.player.surname for entry in row["players"]] == ["Антонюк", "Бондар"]
    assert 590 <= row["seconds_left"] <= 600
    assert "in 10 minutes" in text_of(answer)
    assert "Two blitz games 5+3" in text_of(answer)


@pytest.mark.clause("K8.1", "K8.2", "K8.3")
def test_prizes_page_shows_fund_winners_and_draws(cup: Section, monkeypatch: pytest.MonkeyPatch) -> None:
    from tourney.kernel.money import Money  # noqa: PLC0415 -- only this test counts money

    monkeypatch.setitem(
        panels._registered, "income", [lambda event: [("Fees", Money(1_700_000, "UAH"), Money(0, "UAH"))]]
    )
    draw = commit_draw(cup, 0, actor=None)
    reveal_draw(cup.tournament, draw.pk, numbers=[(t.entry.name, "7") for t in draw.tickets.all()], actor=None)
    answer = visitor().get(reverse("prizes", args=[cup.tournament.slug]))
    text = text_of(answer)
    assert str(answer.context["balance"]) == "5700.00 UAH"
    assert "17,000\u00a0₴" in text
    assert "−11,300\u00a0₴" in text
    assert [row["state"].state for row in answer.context["lotteries"]] == ["decided", "ready", "ready"]
    assert [row["places"] for row in answer.context["lotteries"]] == ["11, 15", "19, 21", "23, 27, 29, 31"]
    assert reverse("lot", args=[draw.lot_id]) in text
    [promise] = answer.context["promises"]
    assert [(row["place"], row["amount"].minor // 100) for row in promise["rows"]] == [
        (1, 5000),
        (2, 2000),
        (3, 1000),
        (4, 700),
        (5, 600),
        (7, 500),
        (9, 400),
        (13, 300),
        (17, 200),
        (25, 150),
    ]


def test_prizes_page_before_anything_is_played() -> None:
    event = builders.event("youth-championship")
    answer = visitor().get(reverse("prizes", args=[event.slug]))
    assert [row["things"] for row in answer.context["promises"][0]["rows"]] == [
        "cup, diploma, medal",
        "diploma, medal",
        "diploma, medal",
    ]
    empty = builders.event("empty")
    assert "The regulation names no prizes." in text_of(visitor().get(reverse("prizes", args=[empty.slug])))


def test_hidden_event_shows_nothing(youth: Section) -> None:
    Tournament.objects.update(public=False)
    slug = youth.tournament.slug
    for url in (reverse("placings", args=[slug, youth.code]), reverse("prizes", args=[slug]), f"/t/{slug}/x/places/"):
        assert visitor().get(url).status_code == 404


def test_public_pages_speak_ukrainian_and_hide_what_is_private(cup: Section) -> None:
    player = cup.entries.order_by("start_number")[0].player
    player.patronymic, player.birth_year = "Патронович", 1987
    player.save()
    for url in (
        reverse("placings", args=[cup.tournament.slug, cup.code]),
        reverse("prizes", args=[cup.tournament.slug]),
    ):
        answer = visitor("uk").get(url)
        assert answer.status_code == 200
        assert '<html lang="uk"' in text_of(answer)
        assert "Патронович" not in text_of(answer)
        assert "1987" not in text_of(answer)


def test_overview_takes_the_same_number_of_queries_for_one_group_and_for_six() -> None:
    counts = []
    for number in (1, 6):
        event = builders.event("youth-championship")
        codes = list(event.sections.values_list("code", flat=True))[:number]
        for code in codes:
            played.finished(played.group(event, code))
        client = signed_in(event, "organizer")
        with CaptureQueriesContext(connection) as queries:
            answer = client.get(reverse("manage_placings", args=[event.slug]))
        assert len(answer.context["rows"]) == number
        counts.append(len(queries))
    assert counts[0] == counts[1]


@pytest.mark.parametrize("page", ["placings", "prizes", "event"])
def test_public_pages_take_the_same_number_of_queries(page: str, monkeypatch: pytest.MonkeyPatch) -> None:
    counts = []
    for players in (3, 32):
        section = played.group(builders.event("second-chance-32"), players=players)
        played.finished_bracket(section, monkeypatch)
        publish_placings(section, actor=None)
        slug = section.tournament.slug
        url = reverse(page, args=[slug, section.code] if page == "placings" else [slug])
        visitor().get(url)
        with CaptureQueriesContext(
            connection,
        ) as queries:
            assert visitor().get(url).status_code == 200
        counts.append(len(queries))
    assert counts[0] == counts[1]


# -- who may see what ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("page", STAFF_PAGES)
def test_staff_pages_are_for_the_staff(youth: Section, page: str) -> None:
    event = youth.tournament
    url = reverse(page, args=[event.slug])
    for role in ("organizer", "chief_arbiter", "arbiter", "desk"):
        assert signed_in(event, role).get(url).status_code == 200
    assert signed_in(None).get(url).status_code == 404
    assert visitor().get(url).url.startswith("/manage/sign-in/")


def test_staff_pages_speak_ukrainian(cup: Section) -> None:
    draw = commit_draw(cup, 0, actor=None)
    slug = cup.tournament.slug
    client = Client(headers={"accept-language": "uk"})
    client.force_login(builders.user("olena", cup.tournament, "organizer"))
    urls = [reverse(page, args=[slug]) for page in (*STAFF_PAGES, "manage_fund", "manage_prizes_tell")]
    urls += [reverse("manage_draw", args=[slug, draw.pk]), reverse("manage_placings_of", args=[slug, cup.code])]
    for url in urls:
        answer = client.get(url)
        assert (answer.status_code, '<html lang="uk"' in text_of(answer)) == (200, True)


def test_fund_is_for_the_organizer_and_the_treasurer(youth: Section) -> None:
    url = reverse("manage_fund", args=[youth.tournament.slug])
    assert signed_in(youth.tournament, "organizer").get(url).status_code == 200
    assert signed_in(youth.tournament, "treasurer").get(url).status_code == 200
    for role in ("chief_arbiter", "arbiter", "desk"):
        assert signed_in(youth.tournament, role).get(url).status_code == 403
        assert signed_in(youth.tournament, role).post(url, {"act": "add"}).status_code == 403
    assert not FundLine.objects.exists()
    line = {"act": "add", "kind": "expense", "label": "Зала", "amount": "500", "operation": uuid4()}
    assert signed_in(youth.tournament, "treasurer").post(url, line).status_code == 302
    assert FundLine.objects.get().label == "Зала"


def test_places_and_draws_are_the_chief_arbiters(cup: Section) -> None:
    event = cup.tournament
    draw = commit_draw(cup, 0, actor=None)
    posts = [
        (reverse("manage_placings_of", args=[event.slug, cup.code]), {"act": "publish"}),
        (reverse("manage_draws", args=[event.slug]), {"group": cup.code, "lottery": "1"}),
        (reverse("manage_draw", args=[event.slug, draw.pk]), {"act": "drop", "reason": "x"}),
        (reverse("manage_prizes_tell", args=[event.slug]), {}),
    ]
    for url, data in posts:
        for role in ("arbiter", "desk"):
            assert signed_in(event, role).post(url, data).status_code == 403
    assert Lot.objects.filter(outcome=None).count() == 1
    note = {"act": "handed", "award": Award.objects.get(subject="1").pk}
    assert signed_in(event, "arbiter").post(reverse("manage_prizes", args=[event.slug]), note).status_code == 403
    assert signed_in(event, "desk").post(reverse("manage_prizes", args=[event.slug]), note).status_code == 302


# -- placings --------------------------------------------------------------------------------------------------------


def test_arbiter_publishes_places_and_corrects_them_with_a_reason(youth: Section) -> None:
    event, client = youth.tournament, signed_in(youth.tournament, "chief_arbiter")
    url = reverse("manage_placings_of", args=[event.slug, youth.code])
    assert "Close and publish" in text_of(client.get(url))
    assert client.post(url, {"act": "publish"}).url == url
    assert "Published, and nothing has changed since" in text_of(client.get(url))
    again = client.post(url, {"act": "publish", "reason": "for nothing"})
    assert (again.status_code, PlacementList.objects.count()) == (422, 1)
    assert "Nothing has changed since the last list." in text_of(again)

    record_entry_event(youth.entries.order_by("start_number")[0], "disqualified", state="disqualified")
    page = text_of(client.get(url))
    assert "Different from the published list" in page
    assert client.post(url, {"act": "publish", "reason": ""}).status_code == 422
    assert client.post(url, {"act": "publish", "reason": "telephone"}).status_code == 302
    assert [(one.number, one.reason) for one in PlacementList.objects.order_by("number")] == [(1, ""), (2, "telephone")]
    assert client.post(url, {"act": "explode"}).status_code == 404


def test_overview_says_what_blocks_each_group(youth: Section) -> None:
    event = youth.tournament
    tie = played.group(event, "u13-boys")
    played.finished(tie, [1, 1, 3, 4])
    text = text_of(signed_in(event, "arbiter").get(reverse("manage_placings", args=[event.slug])))
    assert "first place has to be played off between Антонюк, Бондар" in text
    assert "can be published" in text


@pytest.mark.parametrize("role", ["organizer", "chief_arbiter"])
@pytest.mark.clause("M8.2")
def test_arbiter_writes_down_the_playoff(role: str) -> None:
    event = builders.event("youth-championship")
    section = played.group(event, "u11-boys")
    ended = timezone.now() - timedelta(minutes=30)
    entries = played.finished(section, [1, 1, 3, 4], ended=ended)
    client = signed_in(event, role)
    url = reverse("manage_placings_of", args=[event.slug, section.code])
    early = timezone.localtime(ended + timedelta(minutes=3), event.zone)
    form = {
        "act": "playoff",
        "group": section.pk,
        "winner": entries[1].pk,
        "started_at": f"{early:%Y-%m-%dT%H:%M}",
        "games": "½–½, ½–½; Armageddon 0–1",
        "operation": str(uuid4()),
    }
    assert "First place has to be played off" in text_of(client.get(url))
    refused = client.post(url, form)
    assert refused.status_code == 422
    assert "at the earliest" in text_of(refused)
    assert "Armageddon 0–1" in text_of(refused)  # what was typed is kept
    for absurd in ("0001-01-01T00:00", "9999-12-31T23:59"):
        [row] = client.post(url, form | {"started_at": absurd}).context["playoffs"]
        assert list(row["form"].errors) == ["started_at"]
    late = timezone.localtime(ended + timedelta(minutes=20), event.zone)
    assert client.post(url, form | {"started_at": f"{late:%Y-%m-%dT%H:%M}"}).status_code == 302
    record = PlayoffRecord.objects.get()
    assert (record.winner, record.started_at) == (entries[1], late.replace(second=0, microsecond=0))
    assert client.post(url, {"act": "publish"}).status_code == 302
    assert client.post(url, form).status_code == 404  # nothing is to be played off any more


def test_merged_group_is_managed_with_its_host(youth: Section) -> None:
    event = youth.tournament
    Section.objects.filter(tournament=event, code="u11-girls").update(merged_into=youth)
    answer = signed_in(event, "organizer").get(reverse("manage_placings_of", args=[event.slug, "u11-girls"]))
    assert answer.url == reverse("manage_placings_of", args=[event.slug, "u11-boys"])


def test_category_stands_on_the_public_page(youth: Section) -> None:
    Category.objects.create(section=youth, code="young", title={"en": "Best of the town"}, rule={})
    publish_placings(youth, actor=None)
    text = text_of(visitor().get(reverse("placings", args=[youth.tournament.slug, youth.code])))
    assert "Best of the town" in text


# -- awards ----------------------------------------------------------------------------------------------------------


@pytest.mark.clause("M9.3")
def test_desk_hands_out_and_notes_absences(youth: Section) -> None:
    publish_placings(youth, actor=None)
    event, client = youth.tournament, signed_in(youth.tournament, "desk")
    url = reverse("manage_prizes", args=[event.slug])
    first, second, third = Award.objects.order_by("place")
    assert client.post(url, {"act": "handed", "award": first.pk}).url == f"{url}#award-{first.pk}"
    client.post(url, {"act": "representative", "award": second.pk})  # nobody has signed
    client.post(url, {"act": "absent", "award": third.pk})
    text = text_of(client.get(url))
    assert "Write the name of the representative who signed." in text
    assert "1 of 3 handed out." in text
    assert [(one.entry, one.kind) for one in AwardEvent.objects.order_by("id")] == [
        (first.entry, "handed"),
        (third.entry, "absent"),
    ]
    assert [row["award"].pk for g in client.get(url, {"state": "due"}).context["groups"] for row in g["rows"]] == [
        second.pk
    ]
    assert client.get(url, {"group": "nowhere"}).status_code == 404
    assert client.post(url, {"act": "handed", "award": "x"}).status_code == 404


@pytest.mark.clause("M9.1")
def test_diplomas_are_printed_in_the_events_language_with_the_full_name(youth: Section) -> None:
    publish_placings(youth, actor=None)
    first = Award.objects.get(subject="1")
    first.entry.player.given_name, first.entry.player.patronymic = "Андрій", "Петрович"
    first.entry.player.save()
    client = signed_in(youth.tournament, "arbiter")
    url = reverse("print_diplomas", args=[youth.tournament.slug])
    answer = client.get(url)
    assert [one["name"] for one in answer.context["diplomas"]] == ["Антонюк Андрій Петрович", "Бондар", "Вдовенко"]
    assert [one["place"] for one in answer.context["diplomas"]] == [1, 2, 3]
    assert '<html lang="ru"' in text_of(answer)
    assert youth.title["ru"] in text_of(answer)
    assert len(client.get(url, {"award": first.pk}).context["diplomas"]) == 1
    assert client.get(url, {"award": "999999"}).status_code == 404


def test_list_to_sign_has_money_and_a_line_to_sign(cup: Section) -> None:
    answer = signed_in(cup.tournament, "desk").get(reverse("print_awards", args=[cup.tournament.slug]))
    [group] = answer.context["groups"]
    assert str(group["total"]) == "10850.00 UAH"
    assert text_of(answer).count('<td class="write">') == 10


@pytest.mark.clause("M9.2")
def test_arbiter_tells_the_winners(youth: Section, monkeypatch: pytest.MonkeyPatch) -> None:
    publish_placings(youth, actor=None)
    first = Award.objects.get(subject="1")
    monkeypatch.setitem(panels._registered, "contacts", [lambda entries: {first.entry_id: "a@example.org"}])
    client = signed_in(youth.tournament, "chief_arbiter")
    url = reverse("manage_prizes_tell", args=[youth.tournament.slug])
    assert "no e-mail address: tell in person" in text_of(client.get(url))
    awards = [str(award.pk) for award in Award.objects.all()]
    bad = client.post(url, {"where": "Hall", "when": "", "awards": awards})
    assert (bad.status_code, AwardEvent.objects.count()) == (422, 0)
    assert 'value="Hall"' in text_of(bad)
    answer = client.post(url, {"where": "Hall", "when": "Sunday, 16:00", "awards": awards}, follow=True)
    text = text_of(answer)
    assert "1 letter is on its way." in text
    assert "Without an address, tell in person: Бондар, Вдовенко." in text
    assert AwardEvent.objects.get().note == "Hall, Sunday, 16:00"


# -- draws -----------------------------------------------------------------------------------------------------------


@pytest.mark.clause("K8.3")
def test_arbiter_announces_a_draw_takes_numbers_and_decides(cup: Section) -> None:
    event, client = cup.tournament, signed_in(cup.tournament, "chief_arbiter")
    answer = client.post(reverse("manage_draws", args=[event.slug]), {"group": cup.code, "lottery": "0"})
    draw = Draw.objects.get()
    url = reverse("manage_draw", args=[event.slug, draw.pk])
    assert answer.url == url
    page = client.get(url)
    assert draw.lot.commitment in text_of(page)
    assert draw.lot.secret not in text_of(page)
    keys = [row["key"] for row in page.context["rows"]]
    assert len(keys) == 5  # two tickets, three witnesses

    few = client.post(url, {"act": "decide", f"number_{keys[0]}": "12"})
    assert few.status_code == 422
    assert "Too few people gave a number" in text_of(few)
    assert 'value="12"' in text_of(few)
    wrong = client.post(url, {"act": "decide", f"number_{keys[0]}": "12", f"number_{keys[1]}": "many"})
    assert "is not a whole number" in text_of(wrong)
    assert client.post(url, {"act": "decide", f"number_{keys[0]}": "12", f"number_{keys[1]}": "7"}).status_code == 302

    assert "Won by" in text_of(client.get(url))
    again = client.post(url, {"act": "decide", f"number_{keys[0]}": "1", f"number_{keys[1]}": "2"})
    assert again.status_code == 422
    assert "has already been decided" in text_of(again)
    assert ActionLog.objects.filter(action="prizes.draw_decided").count() == 1


def test_announced_draw_is_dropped_with_a_reason(cup: Section) -> None:
    client = signed_in(cup.tournament, "organizer")
    draw = commit_draw(cup, 0, actor=None)
    url = reverse("manage_draw", args=[cup.tournament.slug, draw.pk])
    assert client.post(url, {"act": "drop", "reason": ""}).status_code == 422
    assert client.post(url, {"act": "drop", "reason": "power cut"}).status_code == 302
    assert "power cut" in text_of(client.get(url))
    other = builders.event("second-chance-32")
    assert (
        signed_in(other, "organizer", "elsewhere").get(reverse("manage_draw", args=[other.slug, draw.pk])).status_code
        == 404
    )


def test_draw_that_is_not_possible_says_why(youth: Section, cup: Section) -> None:
    client = signed_in(cup.tournament, "organizer")
    url = reverse("manage_draws", args=[cup.tournament.slug])
    commit_draw(cup, 0, actor=None)
    answer = client.post(url, {"group": cup.code, "lottery": "0"}, follow=True)
    assert "is announced. Decide or drop it first." in text_of(answer)
    assert client.post(url, {"group": cup.code, "lottery": "x"}).status_code == 404
    assert client.post(url, {"group": "nowhere", "lottery": "0"}).status_code == 404
    assert "There is no such prize draw." in text_of(client.post(url, {"group": cup.code, "lottery": "9"}, follow=True))


# -- fund ------------------------------------------------------------------------------------------------------------


@pytest.mark.clause("M10.7")
def test_organizer_keeps_the_fund(youth: Section) -> None:
    event, client = youth.tournament, signed_in(youth.tournament, "organizer")
    url = reverse("manage_fund", args=[event.slug])
    form = {"act": "add", "kind": "sponsor", "label": "Bakery", "amount": "1 500,50", "operation": str(uuid4())}
    for bad, words in (
        ({"amount": "much"}, "This is not an amount of money."),
        ({"amount": "-5"}, "The amount must be above zero."),
        ({"amount": "99999999999999"}, "too large to be true"),
        ({"label": ""}, "field is required"),
    ):
        answer = client.post(url, form | bad)
        assert answer.status_code == 422
        assert words in text_of(answer)
    assert not FundLine.objects.exists()
    assert client.post(url, form).status_code == 302
    assert client.post(url, form).status_code == 302  # the same form again
    line = FundLine.objects.get()
    assert (line.minor, line.currency) == (150_050, "RUB")
    assert "1,500.50\u00a0₽" in text_of(client.get(url))
    client.post(url, {"act": "reverse", "line": line.pk, "reason": ""})
    assert FundLine.objects.count() == 1
    client.post(url, {"act": "reverse", "line": line.pk, "reason": "not paid"})
    assert "taken back" in text_of(client.get(url))
    assert client.post(url, {"act": "reverse", "line": "x", "reason": "y"}).status_code == 404


# -- what stands on other pages --------------------------------------------------------------------------------------


def test_staff_home_leads_from_the_last_result_to_the_last_prize(cup: Section) -> None:
    event, client = cup.tournament, signed_in(cup.tournament, "organizer")
    url = reverse("manage_event", args=[event.slug])
    tasks = [str(task.text) for task in client.get(url).context["now"]]
    assert "3 prize draws can be held" in tasks
    assert "10 awards are not handed out" in tasks
    commit_draw(cup, 0, actor=None)
    tasks = [str(task.text) for task in client.get(url).context["now"]]
    assert "A prize draw is announced and waits for its numbers" in tasks
    steps = {step.key: (step.state, step.count) for step in client.get(url).context["stepper"]}
    assert (steps["placings"], steps["prizes"]) == (("done", ""), ("now", "0/10"))


def test_staff_home_asks_for_places_of_a_finished_group(youth: Section) -> None:
    answer = signed_in(youth.tournament, "chief_arbiter").get(reverse("manage_event", args=[youth.tournament.slug]))
    [task] = [task for task in answer.context["now"] if "publish the places" in str(task.text)]
    assert task.url == reverse("manage_placings_of", args=[youth.tournament.slug, youth.code])
    steps = {step.key: step.state for step in answer.context["stepper"]}
    assert (steps["placings"], steps["prizes"]) == ("now", "todo")


def test_player_page_shows_place_prize_and_ticket(cup: Section) -> None:
    entries = list(cup.entries.order_by("start_number"))
    first = text_of(visitor().get(reverse("player", args=[cup.tournament.slug, cup.code, entries[0].pk])))
    assert "Final place: 1" in first
    assert "5,000\u00a0₴" in first
    ticket = text_of(visitor().get(reverse("player", args=[cup.tournament.slug, cup.code, entries[10].pk])))
    assert "Ticket in prize draw 1" in ticket


def test_event_page_of_a_finished_event_opens_with_the_podium(cup: Section) -> None:
    text = text_of(visitor().get(reverse("event", args=[cup.tournament.slug])))
    assert "Winners" in text
    assert text.index("Антонюк") < text.index("Бондар") < text.index("Вдовенко")


def test_event_page_before_the_end_leads_to_the_prizes() -> None:
    event = builders.event("second-chance-32")
    text = text_of(visitor().get(reverse("event", args=[event.slug])))
    assert "Money prizes of 11,300\u00a0₴ together." in text
    assert "3 prizes are drawn by lot." in text
    assert reverse("prizes", args=[event.slug]) in text
    empty = builders.event("empty")
    assert reverse("prizes", args=[empty.slug]) not in text_of(visitor().get(reverse("event", args=[empty.slug])))


def test_report_holds_awards_and_for_the_organizer_the_fund(youth: Section) -> None:
    publish_placings(youth, actor=None)
    url = reverse("manage_report", args=[youth.tournament.slug])
    organizer = text_of(signed_in(youth.tournament, "organizer").get(url))
    arbiter = text_of(signed_in(youth.tournament, "arbiter").get(url))
    assert "not handed out" in arbiter
    assert "When all is paid" in organizer
    assert "When all is paid" not in arbiter


@pytest.mark.clause("M9.2")
def test_winner_is_told_in_person_by_one_button(youth: Section) -> None:
    publish_placings(youth, actor=None)
    award = Award.objects.order_by("place")[0]
    client = signed_in(youth.tournament, "desk")
    url = reverse("manage_prizes", args=[youth.tournament.slug])
    assert "Told in person" in text_of(client.get(url))
    client.post(url, {"award": award.pk, "act": "told"})
    event = AwardEvent.objects.get()
    assert (event.kind, event.entry, event.note) == ("notified", award.entry, "сообщено лично")


def test_playoff_pages_by_role_and_bad_forms() -> None:
    section = played.group(builders.event("youth-championship"), "u11-boys")
    played.finished(section, [1, 1, 3, 4], ended=timezone.now() - timedelta(hours=1))
    slug = section.tournament.slug
    begin = reverse("begin_playoff", args=[slug, section.code])
    public = reverse("playoff", args=[slug, section.code])
    assert visitor().get(public).status_code == 200  # the countdown
    live_url = reverse("playoff_live", args=[slug, section.code])
    waiting = visitor().get(live_url)
    assert "First place is played off" in text_of(waiting)
    etag = visitor().get(public).context["etag"]
    assert waiting["ETag"] == etag
    assert visitor().get(live_url, headers={"if-none-match": etag}).status_code == 304
    assert signed_in(section.tournament, "arbiter").post(begin).status_code == 403
    chief = signed_in(section.tournament, "chief_arbiter")
    address = chief.post(begin, {"operation": str(uuid4())}).headers["Location"]
    begun = visitor().get(live_url, headers={"if-none-match": etag})
    assert (begun.status_code, "being played" in text_of(begun)) == (200, True)
    assert visitor().get(address).status_code == 302
    assert signed_in(section.tournament, "desk").get(address).status_code == 403
    arbiter = signed_in(section.tournament, "arbiter")
    page = arbiter.get(address)
    assert "A lot gives White" in text_of(page)
    assert "Award first place" not in text_of(page)
    assert arbiter.post(address, {"act": "decide", "winner": "1", "reason": "x"}).status_code == 403
    assert arbiter.post(address, {"act": "nonsense"}).status_code == 404
    early = arbiter.post(address, {"act": "game", "white": "1", "black": "2", "outcome": "1-0"})
    assert early.status_code == 422
    assert arbiter.post(address, {"act": "lot", "seen": "0"}).status_code == 302
    late = arbiter.post(address, {"act": "lot", "seen": "0"})
    assert (late.status_code, "Somebody has entered something" in text_of(late)) == (422, True)
    live = visitor().get(reverse("playoff_live", args=[slug, section.code]))
    again = visitor().get(reverse("playoff_live", args=[slug, section.code]), headers={"if-none-match": live["ETag"]})
    assert (live.status_code, again.status_code) == (200, 304)
    assert signed_in(None).get(address).status_code == 404


@pytest.mark.clause("K8.3")
@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"at": "", "beacon": "numbers"}, "Say on which day"),
        ({"at": "0001-01-01T00:00", "beacon": "numbers"}, "Say on which day"),
        ({"at": "9999-12-31T23:59", "beacon": "numbers"}, "Say on which day"),
        ({"at": "2020-01-01T10:00", "beacon": "numbers"}, "Choose a moment at least"),
        ({"at": "2099-01-01T10:00", "beacon": "numbers"}, "Choose a moment within"),
    ],
)
def test_draw_at_a_moment_that_makes_no_sense_is_refused(cup: Section, given: dict[str, str], words: str) -> None:
    client = signed_in(cup.tournament, "chief_arbiter")
    url = reverse("manage_draws", args=[cup.tournament.slug])
    answer = client.post(url, {"group": cup.code, "lottery": "0", "how": "moment", **given}, follow=True)
    assert words in text_of(answer)
    assert not Draw.objects.exists()


@pytest.mark.clause("K8.3")
@pytest.mark.parametrize(
    ("beacon", "before", "after"),
    [("numbers", "Keep these numbers", "can't be decided any more"), ("drand", "", "waits")],
)
def test_page_of_a_draw_offers_nothing_that_could_steer_it(cup: Section, beacon: str, before: str, after: str) -> None:
    draw = schedule_draw(cup, 0, at=timezone.now() + timedelta(minutes=5), beacon=beacon, actor=None)
    client = signed_in(cup.tournament, "chief_arbiter")
    url = reverse("manage_draw", args=[cup.tournament.slug, draw.pk])
    early = client.get(url).content.decode()
    assert ('name="number_' in early) == (beacon == "numbers")
    assert "beacon_value" not in early
    assert before in early
    Draw.objects.update(scheduled_at=timezone.now() - timedelta(seconds=1))
    late = client.get(url)
    assert 'name="number_' not in late.content.decode()
    assert ("beacon_value" in late.content.decode()) == (beacon == "drand")
    assert after in text_of(late)
    if beacon == "drand":
        typed = {"act": "decide", "beacon_value": "ab" * 32, "source": "https://drand.example/1"}
        assert client.post(url, {**typed, "who_w1": "Nobody", "number_w1": "5"}).status_code == 302
        public = text_of(visitor().get(reverse("lot", args=[draw.lot_id])))
        assert "https://drand.example/1" in public
        assert "Nobody" not in public


def test_who_waits_for_a_playoff_sees_that_it_was_settled_otherwise() -> None:
    section = played.group(builders.event("youth-championship"), "u11-boys")
    entries = played.finished(section, [1, 1, 3, 4], ended=timezone.now() - timedelta(hours=1))
    live = reverse("playoff_live", args=[section.tournament.slug, section.code])
    before = visitor().get(live)
    record_playoff(section, winner=entries[0].pk, games="1–0", started_at=timezone.now(), actor=None)
    after = visitor().get(live, headers={"if-none-match": before["ETag"]})
    assert "First place is settled." in text_of(after)


def test_undo_of_a_playoff_is_the_chief_arbiters_once_places_are_published() -> None:
    section = played.group(builders.event("youth-championship"), "u11-boys")
    first, *_ = played.finished(section, [1, 1, 3, 4], ended=timezone.now() - timedelta(hours=1))
    event = section.tournament
    match = playoffs.begin_playoff(section, actor=None)
    playoffs.draw_lot(event, match.pk, winner=str(first.pk), method="a coin", actor=None)
    for _game in range(2):
        awaited = view_of(PlayoffMatch.objects.select_related("section__tournament").get()).state.awaiting
        result = "1-0" if awaited.white == str(first.pk) else "0-1"  # type: ignore[union-attr]
        pair = {"white": awaited.white, "black": awaited.black}  # type: ignore[union-attr]
        playoffs.enter_game(event, match.pk, outcome=result, actor=None, **pair)
    url = reverse("manage_playoff", args=[event.slug, match.pk])
    arbiter, chief = signed_in(event, "arbiter"), signed_in(event, "chief_arbiter")
    assert "Take the last entry back" in text_of(arbiter.get(url))
    publish_placings(section, actor=None)
    assert "Take the last entry back" not in text_of(arbiter.get(url))
    assert arbiter.post(url, {"act": "undo"}).status_code == 403
    assert PlayoffMatch.objects.get().winner_id == first.pk
    assert "Take the last entry back" in text_of(chief.get(url))
    assert chief.post(url, {"act": "undo"}).status_code == 302
    assert PlayoffMatch.objects.get().winner_id is None


@pytest.mark.clause("K8.1")
def test_desk_says_why_it_pays_what_the_fund_has_not_got(cup: Section) -> None:
    client = signed_in(cup.tournament, "desk")
    url = reverse("manage_prizes", args=[cup.tournament.slug])
    award = Award.objects.get(subject="1")
    page = client.get(url).content.decode()
    assert f'id="why-{award.pk}" name="note"' in page
    assert f'id="why-signed-{award.pk}" name="note"' in page
    refused = client.post(url, {"act": "handed", "award": award.pk}, follow=True)
    assert "The fund holds 0\u00a0₴, so 5,000\u00a0₴ can" in text_of(refused)
    assert not AwardEvent.objects.exists()
    client.post(url, {"act": "handed", "award": award.pk, "note": "the sponsor brings it tomorrow"})
    assert AwardEvent.objects.get().note == "the sponsor brings it tomorrow"
