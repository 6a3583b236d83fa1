"""No-shows, departures, removals, returns, a stop of the whole day: the bracket always goes on."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from brackets.models import MatchEvent
from brackets.placings import placings_of
from brackets.services import (
    call_match,
    disqualify_player,
    double_no_show,
    enter_game_result,
    late_at,
    pause,
    rebuild,
    resume,
    return_player,
    walkover,
    withdraw_player,
)
from brackets.tests.builders import (
    drawn,
    everything_shown,
    fresh,
    match,
    numbered,
    play,
    play_all,
    ready_for_game,
    sides,
    table,
)
from tourney.kept_rows import loading
from tourney.kernel.errors import TourneyError
from tourney.models import Lot, Stage

pytestmark = pytest.mark.django_db
SMALL = {"size": 8, "minimum_matches": 0}


def refused(code: str, call: Any, *args: Any, **options: Any) -> TourneyError:
    with pytest.raises(TourneyError) as error:
        call(*args, **options)
    assert error.value.code == code
    return error.value


def called_long_ago(stage: Stage, key: str, minutes: int = 30) -> None:
    """Call a match and let the waiting time pass."""
    call_match(stage.pk, key)
    with loading():
        MatchEvent.objects.filter(match__key=key, kind="called").update(at=timezone.now() - timedelta(minutes=minutes))
    rebuild(stage.pk)


def test_a_no_show_loses_the_match_after_the_waiting_time_and_plays_on() -> None:
    stage = drawn()
    refused("match.not_called", walkover, stage.pk, "U1.1", absent="b", reason="did not come")
    call_match(stage.pk, "U1.1")
    error = refused("match.not_late_yet", walkover, stage.pk, "U1.1", absent="b", reason="did not come")
    deadline = match(stage, "U1.1").called_at + timedelta(minutes=10)
    assert error.values["until"] == f"{deadline.astimezone(stage.section.tournament.zone):%H:%M}"
    refused("match.reason_needed", walkover, stage.pk, "U1.1", absent="b", reason=" ", early=True)
    called_long_ago(stage, "U1.2")
    walkover(stage.pk, "U1.2", absent="a", reason="did not come")
    done = match(stage, "U1.2")
    assert (done.state, done.winner_side, done.how, done.score) == ("walkover", "b", "no_show", {})
    assert sides(stage, "U2.1")[1] == 17
    play(stage, "U1.1", "1 1")
    assert sides(stage, "L1.1") == (32, 16)
    assert match(stage, "L1.1").state == "ready"


def test_the_arbiter_may_decide_a_no_show_early_but_not_once_a_game_is_played() -> None:
    stage = drawn()
    walkover(stage.pk, "U1.1", absent="b", reason="called: is ill", early=True)
    assert match(stage, "U1.1").state == "walkover"
    play(stage, "U1.2", "1")
    refused("match.already_started", walkover, stage.pk, "U1.2", absent="b", reason="gone", early=True)


def test_when_neither_comes_a_lot_says_who_goes_on() -> None:
    stage = drawn()
    double_no_show(stage.pk, "U1.1", reason="neither came", early=True)
    lot = Lot.objects.select_related("outcome").get(purpose="walkover")
    players = numbered(stage)
    on = 1 if int(lot.outcome.result) == players[1].pk else 32
    assert (match(stage, "U1.1").how, sides(stage, "U2.1")[0]) == ("both_absent", on)
    assert MatchEvent.objects.get(kind="both_absent").lot == lot
    double_no_show(stage.pk, "U1.2", reason="neither came", winner="b", early=True)
    assert sides(stage, "U2.1")[1] == 17


def test_two_absentees_without_games_meet_and_the_bracket_goes_on() -> None:
    stage = drawn(8, SMALL)
    for key in ("U1.1", "U1.2"):
        walkover(stage.pk, key, absent="b", reason="did not come", early=True)
    assert sides(stage, "L1.1") == (8, 5)
    double_no_show(stage.pk, "L1.1", reason="still not here", winner="b", early=True)
    assert play_all(stage) == 16 - 3
    assert fresh(stage).state == Stage.State.FINISHED


@pytest.mark.clause("K10.3")
def test_who_leaves_in_a_match_loses_it_and_every_later_one_and_keeps_the_place_he_falls_to() -> None:
    stage = drawn(8, SMALL)
    players = numbered(stage)
    play(stage, "U1.1", "1")
    withdraw_player(stage.pk, players[1].pk, reason="is ill")
    done = match(stage, "U1.1")
    assert (done.state, done.winner_side, done.how) == ("done", "b", "left")
    players[1].refresh_from_db()
    assert players[1].state == "withdrawn"
    refused("bracket.already_left", withdraw_player, stage.pk, players[1].pk, reason="again")
    refused("bracket.reason_needed", withdraw_player, stage.pk, players[2].pk, reason="")
    refused("bracket.unknown_player", withdraw_player, stage.pk, 0, reason="x")
    play(stage, "U1.2", "1 1")
    assert (match(stage, "L1.1").state, match(stage, "L1.1").how) == ("walkover", "opponent_left")
    play_all(stage)
    places = placings_of(stage.section)
    assert places is not None
    assert sorted(place for _, place, _, _ in places) == list(range(1, 9))
    assert next(place for entry, place, _, _ in places if entry == players[1].pk) == 8


def test_who_leaves_before_his_match_frees_the_board_he_was_called_to() -> None:
    stage = drawn(boards=1)
    players = numbered(stage)
    call_match(stage.pk, "U1.1")
    withdraw_player(stage.pk, players[32].pk, reason="went home")
    done = match(stage, "U1.1")
    assert (done.state, done.how, done.winner_side) == ("walkover", "opponent_left", "a")
    assert call_match(stage.pk, "U1.2").board == 1


@pytest.mark.clause("K10.3")
def test_a_removed_player_has_no_place_and_those_below_move_up() -> None:
    stage = drawn(8, SMALL)
    players = numbered(stage)
    for key in ("U1.1", "U1.2"):
        play(stage, key, "1 1")
    disqualify_player(stage.pk, players[1].pk, reason="engine use")
    players[1].refresh_from_db()
    sanction = players[1].sanctions.get()
    assert (players[1].state, sanction.kind, sanction.reason) == ("disqualified", "removal", "engine use")
    assert match(stage, "U1.1").winner_side == "a"  # what was played stands
    assert match(stage, "U2.1").how == "opponent_left"
    play_all(stage)
    places = placings_of(stage.section)
    assert places is not None
    assert players[1].pk not in {entry for entry, *_ in places}
    assert sorted(place for _, place, _, _ in places) == list(range(1, 8))


def test_a_player_who_left_comes_back_until_somebody_has_built_on_it() -> None:
    stage = drawn()
    players = numbered(stage)
    before = everything_shown(stage)
    withdraw_player(stage.pk, players[1].pk, reason="late train")
    refused("bracket.reason_needed", return_player, stage.pk, players[1].pk, reason="")
    return_player(stage.pk, players[1].pk, reason="the train came")
    after = everything_shown(stage)
    assert (after["matches"], after["slots"], after["entries"]) == (
        before["matches"],
        before["slots"],
        before["entries"],
    )
    refused("bracket.not_left", return_player, stage.pk, players[1].pk, reason="again")
    withdraw_player(stage.pk, players[1].pk, reason="late train")
    play(stage, "U1.2", "1 1")
    ready_for_game(stage, "U2.1")  # 32 against 16: colours are settled, nothing is played
    play(stage, "U2.1", "1")
    refused("bracket.downstream_playing", return_player, stage.pk, players[1].pk, reason="the train came")
    play(stage, "U2.1", "1")
    refused("bracket.downstream_played", return_player, stage.pk, players[1].pk, reason="the train came")


def test_a_return_takes_the_call_of_the_stand_in_back() -> None:
    stage = drawn()
    players = numbered(stage)
    withdraw_player(stage.pk, players[1].pk, reason="late train")
    play(stage, "U1.2", "1 1")
    call_match(stage.pk, "U2.1")
    return_player(stage.pk, players[1].pk, reason="the train came")
    assert (match(stage, "U2.1").state, match(stage, "U2.1").board) == ("locked", None)
    assert match(stage, "U1.1").state == "ready"


def test_in_a_pause_nobody_is_called_and_no_waiting_time_runs() -> None:
    stage = drawn()
    refused("bracket.not_paused", resume, stage.pk)
    ready_for_game(stage, "U1.2")
    call_match(stage.pk, "U1.1")
    deadline = late_at(table(stage), "U1.1")  # type: ignore[arg-type]
    pause(stage.pk, reason="air-raid alarm")
    refused("bracket.paused", pause, stage.pk, reason="again")
    refused("bracket.paused", call_match, stage.pk, "U1.3")
    refused("bracket.paused", walkover, stage.pk, "U1.1", absent="a", reason="x", early=True)
    assert late_at(table(stage), "U1.1") is None  # type: ignore[arg-type]
    enter_game_result(stage.pk, "U1.2", number=1, outcome="1-0")  # a game that was ending may still be entered
    with loading():
        MatchEvent.objects.filter(kind="paused").update(at=timezone.now() - timedelta(minutes=40))
        MatchEvent.objects.filter(kind="called").update(at=timezone.now() - timedelta(minutes=45))
    rebuild(stage.pk)
    resume(stage.pk)
    later = late_at(table(stage), "U1.1")  # type: ignore[arg-type]
    assert deadline is not None
    assert later is not None
    # 45 minutes since the call less 40 of the pause: five of the ten minutes are left.
    assert timedelta(minutes=4) < later - timezone.now() <= timedelta(minutes=5)


@pytest.mark.clause("K5.2")
def test_with_27_players_byes_settle_themselves_and_end_in_the_last_places() -> None:
    stage = drawn(27)
    assert (match(stage, "U1.1").state, match(stage, "U1.1").how) == ("bye", "bye")
    assert sides(stage, "U2.1")[0] == 1
    assert play_all(stage) == 76
    places = placings_of(stage.section)
    assert places is not None
    assert sorted(place for _, place, _, _ in places) == list(range(1, 28))
