"""The staff's pages: the draw, the day, the tablet of a match, corrections, departures; by role, with bad input."""

from __future__ import annotations

import uuid
from datetime import timedelta
from typing import Any

import pytest
from django.urls import reverse
from django.utils import timezone

from brackets.models import Bracket, Match, MatchEvent
from brackets.services import call_match, draw_lots
from brackets.tests.builders import closed, drawn, fresh, match, numbered, play, play_all, ready_for_game, sides, table
from brackets.tests.web.helpers import queries, reader, seen, signed_in, text_of, url
from tourney.kept_rows import loading
from tourney.models import Game, ResultRecord, Stage

pytestmark = pytest.mark.django_db


def post(stage: Stage, role: str, key: str, act: str, **values: Any) -> Any:
    values.setdefault("seen", seen(stage, key))
    return signed_in(stage, role).post(url("manage_match", stage, key), {"act": act, **values}, follow=True)


def pages(stage: Stage) -> list[tuple[str, str]]:
    return [
        ("enter_results", url("manage_bracket", stage)),
        ("enter_results", url("manage_bracket_undo", stage)),
        ("enter_results", url("manage_bracket_player", stage, numbered(stage)[1].pk)),
        ("enter_results", url("manage_match", stage, "U1.1")),
        ("enter_results", url("manage_match", stage, "U2.1")),
        ("enter_results", url("manage_match_correct", stage, "U1.1") + "?number=1&outcome=1/2"),
        ("arbitrate", url("manage_draw", stage)),
        ("arbitrate", url("manage_bracket_cut", stage)),
    ]


def test_who_reaches_which_page() -> None:
    stage = drawn()
    play(stage, "U1.1", "1 1")
    may = {
        "organizer": {"enter_results", "arbitrate"},
        "chief_arbiter": {"enter_results", "arbitrate"},
        "arbiter": {"enter_results"},
        "desk": set(),
    }
    for need, address in pages(stage):
        answer = reader().get(address)
        assert answer.status_code == 302
        assert "/sign-in/" in answer["Location"]
        assert signed_in(stage).get(address).status_code == 404
        for role, needs in may.items():
            assert signed_in(stage, role).get(address).status_code == (200 if need in needs else 403)


def test_foreign_and_unknown_objects_are_404() -> None:
    stage, other = drawn(), drawn()
    chief = signed_in(stage, "chief_arbiter")
    assert chief.get(url("manage_match", stage, "X1.1")).status_code == 404
    assert chief.get(url("manage_bracket_player", stage, numbered(other)[1].pk)).status_code == 404
    assert chief.get(url("manage_match", other, "U1.1")).status_code == 404
    assert chief.get(url("manage_bracket_undo", stage) + "?match=nonsense").status_code == 404
    assert chief.post(url("manage_match", stage, "U1.1"), {"act": "nonsense"}).status_code == 404
    assert chief.post(url("manage_bracket", stage), {"act": "nonsense"}).status_code == 404
    assert chief.post(url("manage_draw", stage), {"act": "nonsense"}).status_code == 404


# -- the draw --------------------------------------------------------------------------------------------------------


@pytest.mark.clause("K7.1")
@pytest.mark.clause("K5.6")
def test_the_draw_goes_from_the_proof_to_the_confirmed_bracket() -> None:
    stage = closed()
    chief = signed_in(stage, "chief_arbiter")
    address = url("manage_draw", stage)
    page = text_of(chief.get(address))
    for words in ("96", "5 to 10 matches", "at least 5 for everybody", "slot 6", "1–32, each decided once"):
        assert words in page
    chief.post(address, {"act": "commit"})
    assert "committed, waits for numbers" in text_of(chief.get(address))
    bad = chief.post(address, {"act": "reveal", "who1": "", "number1": "417", "who2": "Шевчук", "number2": ""})
    assert bad.status_code == 422
    assert 'value="417"' in bad.content.decode()
    assert "Say who gave this number." in text_of(bad)
    assert "A number is missing." in text_of(bad)
    assert chief.post(address, {"act": "reveal"}).status_code == 422
    chief.post(address, {"act": "reveal", "who1": "Коваль", "number1": "417", "who2": "Шевчук", "number2": "003"})
    assert "waits for confirmation" in text_of(chief.get(address))
    chief.post(address, {"act": "swap", "first": "1", "second": "2", "reason": "brothers"})
    assert "1 ↔ 2 brothers" in text_of(chief.get(address))
    refused = chief.post(address, {"act": "swap", "first": "1", "second": "99", "reason": "x"})
    assert refused.status_code == 422
    assert "There is no seed 99." in text_of(refused)
    chief.post(address, {"act": "confirm"})
    assert Bracket.objects.get().drawn_at is not None
    assert draw_lots(stage)[0].outcome.entropy == {"Коваль": "417", "Шевчук": "003"}
    assert "Drawn and public." in text_of(chief.get(address))


def test_seeds_change_places_until_one_of_them_has_played() -> None:
    stage = drawn()
    play(stage, "U1.1", "1 1")
    chief = signed_in(stage, "chief_arbiter")
    address = url("manage_draw", stage)
    assert "until one of the two has played" in text_of(chief.get(address))
    refused = chief.post(address, {"act": "swap", "first": "1", "second": "2", "reason": "brothers"})
    assert refused.status_code == 422
    assert "One of them has played already" in text_of(refused)
    assert sides(stage, "U1.9") == (2, 31)
    chief.post(address, {"act": "swap", "first": "2", "second": "3", "reason": "brothers"})
    assert (sides(stage, "U1.9"), sides(stage, "U1.13")) == ((3, 31), (2, 30))


def test_the_broken_promise_is_said_before_the_draw() -> None:
    page = text_of(signed_in(stage := closed(27), "organizer").get(url("manage_draw", stage)))
    assert "Not everybody is sure of 5 matches" in page
    assert "With 27 players" in page


def test_another_method_and_an_order_by_hand_need_a_reason() -> None:
    stage = closed(4, rules={"size": 4, "minimum_matches": 0})
    chief = signed_in(stage, "chief_arbiter")
    address = url("manage_draw", stage)
    bad = chief.post(address, {"act": "commit", "method": "fold", "reason": ""})
    assert bad.status_code == 422
    assert "Say why this draw differs." in text_of(bad)
    wrong = chief.post(address, {"act": "order", "order": "1 2 3 9", "reason": "table"})
    assert wrong.status_code == 422
    assert "No player has the start number 9." in text_of(wrong)
    assert "1 2 3 9" in wrong.content.decode()
    chief.post(address, {"act": "order", "order": "3, 1 4 2", "reason": "table"})
    chief.post(address, {"act": "confirm"})
    assert sides(stage, "U1.1") == (3, 2)
    chief.post(address, {"act": "drop", "reason": "wrong table"})
    assert not Bracket.objects.exists()


# -- the day ---------------------------------------------------------------------------------------------------------


def test_before_the_draw_the_day_leads_to_it() -> None:
    stage = closed(8, rules={"size": 8, "minimum_matches": 0})
    assert (
        url("manage_draw", stage)
        in signed_in(stage, "chief_arbiter").get(url("manage_bracket", stage)).content.decode()
    )
    assert "The chief arbiter confirms the draw" in text_of(
        signed_in(stage, "arbiter").get(url("manage_bracket", stage))
    )
    assert signed_in(stage, "arbiter").post(url("manage_bracket", stage), {"act": "call"}).status_code == 404


def test_the_day_calls_matches_to_free_boards_and_says_who_waits() -> None:
    stage = drawn(boards=3)
    arbiter = signed_in(stage, "arbiter")
    address = url("manage_bracket", stage)
    page = text_of(arbiter.get(address))
    assert "3 matches can start: boards 1, 2, 3" in page
    arbiter.post(address, {"act": "call"})
    assert [match(stage, key).board for key in ("U1.1", "U1.2", "U1.3")] == [1, 2, 3]
    refused = arbiter.post(address, {"act": "call", "match": "U1.4"}, follow=True)
    assert "No board is free." in text_of(refused)
    play(stage, "U1.1", "1 1")
    page = text_of(arbiter.get(address))
    assert "winner of U1.2" in page
    assert "1/ 96" in page.replace("1 /96", "1/ 96")


def test_play_is_stopped_and_goes_on() -> None:
    stage = drawn()
    chief = signed_in(stage, "chief_arbiter")
    address = url("manage_bracket", stage)
    stop = reverse("manage_stop", args=[stage.section.tournament.slug])
    assert "Stop play in all groups" in text_of(chief.get(address))
    answer = chief.post(stop, {"act": "stop", "reason": "air-raid alarm", "back": address}, follow=True)
    assert answer.redirect_chain == [(address, 302)]
    assert "Play is stopped" in text_of(answer)
    assert "no board is free" not in text_of(answer)
    assert "Play is stopped" in text_of(reader().get(url("bracket", stage)))
    assert "Play is stopped" in text_of(chief.post(address, {"act": "call", "match": "U1.1"}, follow=True))
    chief.post(stop, {"act": "resume", "back": "https://evil.example/"})
    assert Bracket.objects.get().paused_at is None


# -- the tablet ------------------------------------------------------------------------------------------------------


@pytest.mark.clause("K7.2")
@pytest.mark.clause("K6.1")
def test_a_match_is_played_tap_by_tap() -> None:
    stage = drawn()
    post(stage, "arbiter", "U1.1", "call", board="5")
    page = text_of(signed_in(stage, "arbiter").get(url("manage_match", stage, "U1.1")))
    assert f"{numbered(stage)[32].player.name} chooses the colour:" in page
    post(stage, "arbiter", "U1.1", "color", color="w")
    operation = str(uuid.uuid4())
    for _ in range(2):
        post(stage, "arbiter", "U1.1", "game", number="1", outcome="0-1", operation=operation)
    assert ResultRecord.objects.count() == 1
    done = post(stage, "arbiter", "U1.1", "game", number="2", outcome="1-0")
    assert "The match is over." in text_of(done)
    assert match(stage, "U1.1").winner_side == "a"


@pytest.mark.clause("K7.3")
def test_the_lot_of_the_armageddon_is_drawn_by_a_button_or_recorded() -> None:
    stage = drawn()
    play(stage, "U1.1", "1 0 = =")
    page = signed_in(stage, "arbiter").get(url("manage_match", stage, "U1.1"))
    assert "A lot gives White:" in text_of(page)
    bad = post(stage, "arbiter", "U1.1", "lot", winner="a", method="")
    assert "Say how the lot was drawn" in text_of(bad)
    answer = post(stage, "arbiter", "U1.1", "lot")
    assert "White by lot:" in text_of(answer)
    assert "/lot/" in answer.content.decode()
    play(stage, "U1.2", "1 0 = =")
    post(stage, "arbiter", "U1.2", "lot", winner="b", method="coin")
    assert match(stage, "U1.2").awaits["white"] == "b"


def test_what_is_refused_is_said_and_nothing_is_saved() -> None:
    stage = drawn()
    ready_for_game(stage, "U1.1")
    for values, words in (
        ({"number": "1", "outcome": "7-0"}, "There is no result"),
        ({"number": "x", "outcome": "1-0"}, "not the next one"),
        ({"number": "3", "outcome": "1-0"}, "Game 3 is not the next one."),
    ):
        answer = post(stage, "arbiter", "U1.1", "game", **values)
        assert answer.status_code == 422
        assert words in text_of(answer)
    assert "are not known yet" in text_of(post(stage, "arbiter", "U2.1", "game", number="1", outcome="1-0"))
    assert not Game.objects.exists()


def test_the_second_of_two_arbiters_sees_what_the_first_entered() -> None:
    stage = drawn()
    ready_for_game(stage, "U1.1")
    shown = seen(stage, "U1.1")
    post(stage, "arbiter", "U1.1", "game", number="1", outcome="1-0", seen=shown)
    answer = post(stage, "chief_arbiter", "U1.1", "game", number="1", outcome="0-1", seen=shown)
    assert answer.status_code == 422
    assert "arbiter was quicker" in text_of(answer)
    assert "1: 1–0" in text_of(answer)
    assert Game.objects.get().outcome == "1-0"


def test_a_no_show_keeps_what_was_typed_and_needs_the_time_or_a_reason() -> None:
    stage = drawn()
    call_match(stage.pk, "U1.1")
    early = post(stage, "arbiter", "U1.1", "walkover", absent="b", reason="")
    assert early.status_code == 422
    assert "the player may still come" in text_of(early)
    assert 'id="absent-b" value="b" checked' in early.content.decode()
    post(stage, "arbiter", "U1.1", "walkover", absent="b", early="1", reason="called: is ill")
    assert match(stage, "U1.1").how == "no_show"
    post(stage, "arbiter", "U1.2", "walkover", absent="both", early="1", reason="nobody")
    assert match(stage, "U1.2").how == "both_absent"


def test_only_the_chief_arbiter_awards_a_match_and_settles_a_claim() -> None:
    stage = drawn()
    play(stage, "U1.1", "1")
    post(stage, "arbiter", "U1.1", "dispute", reason="touched piece")
    assert match(stage, "U1.1").awaits["kind"] == "claim"
    for act, more in (("settle", {}), ("decide", {"winner": "b"})):
        assert post(stage, "arbiter", "U1.1", act, reason="x", **more).status_code == 403
    post(stage, "chief_arbiter", "U1.1", "settle", reason="play on")
    assert "Say why" in text_of(post(stage, "chief_arbiter", "U1.1", "decide", winner="b", reason=""))
    post(stage, "chief_arbiter", "U1.1", "decide", winner="b", reason="phone", sanction="1")
    assert (match(stage, "U1.1").how, numbered(stage)[1].sanctions.count()) == ("decision", 1)


def test_results_are_entered_from_the_day_in_one_tap() -> None:
    stage = drawn()
    call_match(stage.pk, "U1.1")
    answer = post(stage, "arbiter", "U1.1", "color", color="b", back="day")
    assert answer.redirect_chain[-1][0] == url("manage_bracket", stage)
    answer = post(stage, "arbiter", "U1.1", "game", number="5", outcome="1-0", back="day")
    assert answer.redirect_chain[-1][0] == url("manage_bracket", stage)
    assert "not the next one" in text_of(answer)


def test_the_broadcast_of_a_match_is_set_and_a_bad_address_refused() -> None:
    stage = drawn()
    assert "no address of a web page" in text_of(
        post(stage, "arbiter", "U1.1", "video", video_url="javascript:alert(1)")
    )
    post(stage, "arbiter", "U1.1", "video", video_url="https://youtu.be/abc")
    assert match(stage, "U1.1").video_url == "https://youtu.be/abc"


# -- corrections -----------------------------------------------------------------------------------------------------


def wrong(stage: Stage, key: str, number: int) -> dict[str, str]:
    outcome = Game.objects.get(stage=stage, match_key=key, game_number=number).outcome
    return {"number": str(number), "outcome": {"1-0": "0-1", "0-1": "1-0"}[outcome]}


def test_a_correction_is_shown_before_it_is_made() -> None:
    stage = drawn()
    for key in ("U1.1", "U1.2", "U2.1", "L1.1"):
        play(stage, key, "1 1")
    change = wrong(stage, "U1.1", 1)
    address = url("manage_match_correct", stage, "U1.1")
    before = MatchEvent.objects.count()
    page = signed_in(stage, "chief_arbiter").get(address, change)
    words = text_of(page)
    for line in ("U2.1", "L1.1", "Result taken back, is played again", "Play 2 matches again", "open again"):
        assert line in words
    assert MatchEvent.objects.count() == before
    assert "The chief arbiter decides" in text_of(signed_in(stage, "arbiter").get(address, change))
    form = {**change, "token": page.context["token"], "seen": seen(stage, "U1.1"), "choice": "cascade"}
    assert signed_in(stage, "arbiter").post(address, {**form, "reason": "x"}).status_code == 403
    no_reason = signed_in(stage, "chief_arbiter").post(address, {**form, "reason": ""})
    assert no_reason.status_code == 422
    other = signed_in(stage, "chief_arbiter").post(address, {**form, "reason": "x", "token": "other"})
    assert "something has changed" in text_of(other)
    signed_in(stage, "chief_arbiter").post(address, {**form, "reason": "swapped names"})
    assert (match(stage, "U1.1").state, match(stage, "U2.1").state) == ("playing", "locked")


def test_an_arbiter_corrects_a_game_and_takes_entries_back() -> None:
    stage = drawn()
    play(stage, "U1.1", "1")
    change = wrong(stage, "U1.1", 1)
    arbiter = signed_in(stage, "arbiter")
    address = url("manage_match_correct", stage, "U1.1")
    assert "only its own score changes" in text_of(arbiter.get(address, change))
    arbiter.post(address, {**change, "reason": "the sheet", "token": "open"})
    assert Game.objects.get().outcome == change["outcome"]
    back = url("manage_bracket_undo", stage)
    assert arbiter.post(back, {"match": "U1.1", "reason": ""}).status_code == 422
    arbiter.post(back, {"match": "U1.1", "reason": "it was right", "seen": seen(stage, "U1.1")})
    assert Game.objects.get().outcome != change["outcome"]
    nonsense = arbiter.get(address, {"number": "9", "outcome": "1-0"}, follow=True)
    assert "Game 9 has no result." in text_of(nonsense)


def test_a_player_leaves_and_comes_back_with_consequences_in_words() -> None:
    stage = drawn()
    play(stage, "U1.1", "1")
    entry = numbered(stage)[1]
    address = url("manage_bracket_player", stage, entry.pk)
    chief = signed_in(stage, "chief_arbiter")
    page = text_of(chief.get(address))
    assert "U1.1 is lost; its games stay in the records." in page
    assert "Matches already decided stand." in page
    assert chief.post(address, {"act": "withdraw", "reason": ""}).status_code == 422
    assert signed_in(stage, "arbiter").post(address, {"act": "withdraw", "reason": "x"}).status_code == 403
    assert chief.post(address, {"act": "nonsense", "reason": "x"}).status_code == 404
    chief.post(address, {"act": "withdraw", "reason": "ill"})
    entry.refresh_from_db()
    assert entry.state == "withdrawn"
    again = chief.post(address, {"act": "withdraw", "reason": "ill"})
    assert "has left already" in text_of(again)
    chief.post(address, {"act": "return", "reason": "well again"})
    entry.refresh_from_db()
    assert entry.state == "confirmed"


# -- all of it -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("language", ["uk", "ru"])
def test_every_staff_page_speaks_the_language(language: str) -> None:
    stage = drawn()
    play(stage, "U1.1", "1 1")
    call_match(stage.pk, "U1.2")
    for _need, address in pages(stage):
        answer = signed_in(stage, "chief_arbiter", language).get(address)
        assert answer.status_code == 200
        assert f'lang="{language}"' in answer.content.decode()


def test_the_day_says_when_each_slot_is_likely_over_and_which_match_takes_long() -> None:
    stage = drawn(boards=4)
    for number in range(1, 5):
        call_match(stage.pk, f"U1.{number}")
    play(stage, "U1.1", "1 1")
    Match.objects.filter(key="U1.2").update(called_at=timezone.now() - timedelta(minutes=55))
    page = signed_in(stage, "arbiter").get(url("manage_bracket", stage))
    slots = page.context["slots"]
    assert [(slot.number, slot.settled, slot.matches, slot.live) for slot in slots[:2]] == [
        (1, 1, 16, 3),
        (2, 0, 16, 0),
    ]
    assert [slot.number for slot in slots] == list(range(1, 11))
    times = [slot.ends for slot in slots]
    assert times[0] == min(times)
    assert abs(max(times) - page.context["ending"].end) <= timedelta(minutes=10)
    assert "55 minutes, longer than usual" in text_of(page)
    assert text_of(page).count("longer than usual") == 1


def test_the_day_says_how_far_it_is_behind_the_plan_of_its_first_call() -> None:
    stage = drawn(boards=4)
    assert not any(
        slot.planned for slot in signed_in(stage, "arbiter").get(url("manage_bracket", stage)).context["slots"]
    )
    call_match(stage.pk, "U1.1")
    play(stage, "U1.1", "1 1")
    planned = [slot.planned for slot in signed_in(stage, "arbiter").get(url("manage_bracket", stage)).context["slots"]]
    assert len(planned) == 10
    assert all(planned)
    with loading():
        MatchEvent.objects.filter(match__key="U1.1").update(at=timezone.now() - timedelta(minutes=90))
    page = signed_in(stage, "arbiter").get(url("manage_bracket", stage))
    behind = page.context["behind"]
    assert 75 <= behind <= 100
    assert f"{behind} minutes behind the plan" in text_of(page)
    first = page.context["slots"][0]
    assert (first.planned - planned[0]) == pytest.approx(timedelta(minutes=-90), abs=timedelta(minutes=1))
    assert f"+{first.behind}" in text_of(page)


def test_the_day_takes_the_same_queries_early_and_late() -> None:
    stage = drawn()
    call_match(stage.pk, "U1.1")
    chief = signed_in(stage, "chief_arbiter")
    early = queries(chief, url("manage_bracket", stage))
    for key in ("U1.2", "U1.3", "U1.4"):
        call_match(stage.pk, key)
    play_all(stage, most=12, skip=frozenset({"U1.1", "U1.2", "U1.3", "U1.4"}))
    assert queries(chief, url("manage_bracket", stage)) == early


def test_a_bracket_of_four_is_played_to_the_end_through_the_pages() -> None:
    stage = closed(4, rules={"size": 4, "minimum_matches": 0, "seeding": {"method": "fold"}})
    chief = signed_in(stage, "chief_arbiter")
    chief.post(url("manage_draw", stage), {"act": "commit"})
    chief.post(url("manage_draw", stage), {"act": "confirm"})
    played = 0
    while not table(stage).state.is_complete:
        chief.post(url("manage_bracket", stage), {"act": "call"})
        key = next(view.key for view in table(stage).state.open_matches)
        while table(stage).view(key).is_open:
            asked = match(stage, key).awaits
            match asked["kind"]:
                case "color":
                    post(stage, "arbiter", key, "color", color="w", back="day")
                case "lot":
                    post(stage, "arbiter", key, "lot", back="day")
                case "game":
                    outcome = "1-0" if asked["number"] % 2 else "0-1"
                    post(stage, "arbiter", key, "game", number=asked["number"], outcome=outcome, back="day")
        played += 1
    assert played == 6
    assert fresh(stage).state == "finished"
    assert "Every match is decided." in text_of(chief.get(url("manage_bracket", stage)))
    assert text_of(reader().get(url("bracket_places", stage))).count("still played for") == 0
