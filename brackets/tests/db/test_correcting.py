"""Corrections and undo: what is shown beforehand is what happens, and taking it back restores everything."""

from __future__ import annotations

from typing import Any

import pytest

from brackets.engine.correction import Effect
from brackets.models import MatchEvent, MatchSlot
from brackets.services import (
    ON_PAPER,
    Change,
    call_match,
    choose_color,
    correct_result,
    decide,
    disqualify_player,
    plan_change,
    undo,
    walkover,
    withdraw_player,
)
from brackets.tests.builders import (
    drawn,
    everything_shown,
    match,
    numbered,
    play,
    play_all,
    sides,
    table,
)
from tourney.kernel.errors import TourneyError
from tourney.models import Game, ResultRecord, Stage

pytestmark = pytest.mark.django_db


def refused(code: str, call: Any, *args: Any, **options: Any) -> TourneyError:
    with pytest.raises(TourneyError) as error:
        call(*args, **options)
    assert error.value.code == code
    return error.value


def wrong_game(stage: Stage, key: str, number: int) -> Change:
    """Return the change that turns a won game round."""
    outcome = Game.objects.get(stage=stage, match_key=key, game_number=number).outcome
    return Change(key, number, {"1-0": "0-1", "0-1": "1-0"}[outcome])


def lost_after_all(stage: Stage, key: str, **options: Any) -> None:
    """Correct both games of a 2-0 match, so that the other player has won."""
    correct_result(stage.pk, wrong_game(stage, key, 1), reason="swapped", **options)
    correct_result(stage.pk, wrong_game(stage, key, 2), reason="swapped", **options)


def test_a_game_of_a_running_match_is_corrected_in_place() -> None:
    stage = drawn()
    play(stage, "U1.1", "1")
    change = wrong_game(stage, "U1.1", 1)
    plan = plan_change(table(stage), change)
    assert (plan.plan, plan.token) == (None, "open")
    refused("bracket.reason_needed", correct_result, stage.pk, change, reason=" ")
    correct_result(stage.pk, change, reason="the sheet says so")
    game = Game.objects.get(stage=stage)
    records = list(ResultRecord.objects.order_by("pk").values_list("outcome", "reason"))
    assert (game.outcome, records) == (
        change.outcome,
        [({"1-0": "0-1", "0-1": "1-0"}[change.outcome], ""), (change.outcome, "the sheet says so")],
    )
    refused("match.same_result", plan_change, table(stage), change)
    refused("match.no_such_game", plan_change, table(stage), Change("U1.1", 2, "1-0"))
    refused("match.unknown_result", plan_change, table(stage), Change("U1.1", 1, "3-0"))
    play(stage, "U1.1", "1")  # 1:1 now
    assert match(stage, "U1.1").awaits["number"] == 3


def test_a_score_that_changes_no_winner_moves_nobody() -> None:
    stage = drawn()
    play(stage, "U1.1", "1 1")
    play(stage, "U1.2", "1 1")
    play(stage, "U2.1", "1 1")
    before = everything_shown(stage)
    plan = plan_change(table(stage), Change("U1.1", 2, "1/2"))
    assert plan.plan is not None
    assert (plan.plan.effect, plan.plan.void) == (Effect.SCORE_ONLY, ())
    correct_result(stage.pk, Change("U1.1", 2, "1/2"), reason="draw after all")
    after = everything_shown(stage)
    assert after["slots"] == before["slots"]
    assert match(stage, "U1.1").score["a"] == 3
    refused("bracket.no_paper", correct_result, stage.pk, Change("U1.1", 2, "1-0"), reason="x", choice=ON_PAPER)


def test_when_nothing_below_is_called_the_players_change_places() -> None:
    stage = drawn()
    play(stage, "U1.1", "1 1")
    lost_after_all(stage, "U1.1")
    assert (sides(stage, "U2.1")[0], sides(stage, "L1.1")[0]) == (32, 1)
    assert match(stage, "U1.1").winner_side == "b"


def test_a_level_match_opens_again_and_takes_its_players_out_of_the_next_ones() -> None:
    stage = drawn()
    play(stage, "U1.1", "1 1")
    correct_result(stage.pk, wrong_game(stage, "U1.1", 2), reason="swapped")
    opened = match(stage, "U1.1")
    assert (opened.state, opened.winner_side, opened.awaits["number"]) == ("playing", "", 3)
    assert (sides(stage, "U2.1")[0], sides(stage, "L1.1")[0]) == (None, None)


def test_calls_below_are_taken_back_with_the_correction() -> None:
    stage = drawn()
    play(stage, "U1.1", "1 1")
    play(stage, "U1.2", "1 1")
    call_match(stage.pk, "U2.1", board=5)
    choose_color(stage.pk, "U2.1", color="w")
    plan = plan_change(table(stage), wrong_game(stage, "U1.1", 1))
    assert plan.plan is not None
    assert (plan.plan.effect, plan.plan.take_back) == (Effect.TAKE_BACK_CALLS, ("U2.1",))
    correct_result(stage.pk, wrong_game(stage, "U1.1", 1), reason="swapped", token=plan.token)
    assert (match(stage, "U2.1").state, match(stage, "U2.1").board) == ("locked", None)


def played_on(stage: Stage) -> None:
    """Play U1.1, U1.2, U2.1 and L1.1, so that a correction of U1.1 has something to take back."""
    for key in ("U1.1", "U1.2", "U2.1", "L1.1"):
        play(stage, key, "1 1")


def test_the_plan_lists_what_the_cascade_takes_back_and_the_cascade_does_just_that() -> None:
    stage = drawn()
    played_on(stage)
    change = wrong_game(stage, "U1.1", 1)
    plan = plan_change(table(stage), change)
    assert plan.plan is not None
    assert (plan.plan.effect, plan.plan.void, plan.plan.needs_choice) == (Effect.BLOCKED, ("U2.1", "L1.1"), True)
    refused("bracket.plan_changed", correct_result, stage.pk, change, reason="swapped", token="another")
    correct_result(stage.pk, change, reason="swapped", token=plan.token)
    for key in ("U2.1", "L1.1"):
        assert (match(stage, key).state, match(stage, key).score, match(stage, key).winner_side) == ("locked", {}, "")
    assert match(stage, "U1.1").state == "playing"
    aside = Game.objects.filter(stage=stage, match_key__contains="~").order_by("match_key", "game_number")
    assert [(game.match_key, game.game_number, bool(game.outcome)) for game in aside] == [
        ("L1.1~1", 1, True),
        ("L1.1~1", 2, True),
        ("U2.1~1", 1, True),
        ("U2.1~1", 2, True),
    ]
    play(stage, "U1.1", "0 0")
    play(stage, "U2.1", "1 1")
    assert sides(stage, "U2.1") == (32, 16)
    assert Game.objects.filter(stage=stage, match_key="U2.1").count() == 2


def test_a_match_being_played_is_stopped_by_the_cascade() -> None:
    stage = drawn()
    play(stage, "U1.1", "1 1")
    play(stage, "U1.2", "1 1")
    play(stage, "U2.1", "1")
    plan = plan_change(table(stage), wrong_game(stage, "U1.1", 1))
    assert plan.plan is not None
    assert (plan.plan.effect, plan.plan.stop) == (Effect.BLOCKED, ("U2.1",))
    correct_result(stage.pk, wrong_game(stage, "U1.1", 1), reason="swapped")
    assert match(stage, "U2.1").state == "locked"
    assert Game.objects.filter(match_key="U2.1~1").count() == 1


def test_on_paper_the_true_winner_is_published_and_nobody_moves() -> None:
    stage = drawn()
    played_on(stage)
    correct_result(stage.pk, Change("U1.1", 1, "1/2"), reason="a draw")
    before = everything_shown(stage)["slots"]
    change = wrong_game(stage, "U1.1", 2)
    correct_result(stage.pk, change, reason="swapped", choice=ON_PAPER)
    view = table(stage).view("U1.1")
    assert (everything_shown(stage)["slots"], view.on_paper) == (before, numbered(stage)[32].pk)
    assert (match(stage, "U1.1").state, match(stage, "U1.1").winner_side, match(stage, "U1.1").score["b"]) == (
        "done",
        "a",
        3,
    )
    assert MatchEvent.objects.filter(kind="on_paper").count() == 1


@pytest.mark.parametrize("choice", ["cascade", "on_paper"])
def test_undo_of_a_correction_restores_everything_exactly(choice: str) -> None:
    stage = drawn()
    played_on(stage)
    call_match(stage.pk, "U2.2") if table(stage).view("U2.2").is_open else call_match(stage.pk, "U1.3")
    correct_result(stage.pk, Change("U1.1", 1, "1/2"), reason="a draw")
    before = everything_shown(stage)
    records = ResultRecord.objects.count()
    correct_result(stage.pk, wrong_game(stage, "U1.1", 2), reason="swapped", choice=choice)
    assert everything_shown(stage) != before
    undo(stage.pk, match="U1.1", reason="it was right")
    assert everything_shown(stage) == before
    # Nothing was deleted: the correction and its undoing are both there.
    assert ResultRecord.objects.count() == records + 2
    refused("bracket.reason_needed", undo, stage.pk, match="U1.1", reason="")


def test_undo_takes_a_match_back_act_by_act() -> None:
    stage = drawn()
    call_match(stage.pk, "U1.1")
    pictures = []
    for result in ["1", "0", "=", "1"]:
        pictures.append(everything_shown(stage)["matches"][0])
        play(stage, "U1.1", result)
    assert match(stage, "U1.1").state == "done"
    for _ in range(3):
        undo(stage.pk, match="U1.1", reason="typing error")
    assert everything_shown(stage)["matches"][0] == pictures[1]
    # The game that was taken back is entered anew on the same row.
    play(stage, "U1.1", "1")
    assert Game.objects.filter(stage=stage, match_key="U1.1").exclude(outcome="").count() == 2
    assert match(stage, "U1.1").winner_side == "a"
    for _ in range(4):
        undo(stage.pk, match="U1.1", reason="typing error")
    assert match(stage, "U1.1").state == "ready"
    refused("bracket.nothing_to_undo", undo, stage.pk, match="U1.1", reason="more")


def test_undo_of_the_last_result_gives_the_board_back_if_it_is_free() -> None:
    stage = drawn(boards=2)
    call_match(stage.pk, "U1.1")
    play(stage, "U1.1", "1 1")
    undo(stage.pk, match="U1.1", reason="typing error")
    assert (match(stage, "U1.1").state, match(stage, "U1.1").board) == ("playing", 1)
    play(stage, "U1.1", "1")
    call_match(stage.pk, "U1.2")
    undo(stage.pk, match="U1.1", reason="typing error")
    # Others sit there by now: the match is open and waits for a board.
    assert (match(stage, "U1.1").state, match(stage, "U1.1").board) == ("playing", None)
    assert call_match(stage.pk, "U1.1").board == 2


def test_undo_is_refused_when_something_was_built_on_it() -> None:
    stage = drawn()
    play(stage, "U1.1", "1 1")
    play(stage, "U1.2", "1 1")
    play(stage, "U2.1", "1 1")
    error = refused("bracket.downstream_played", undo, stage.pk, match="U1.1", reason="wrong")
    assert error.values["matches"] == ["U2.1"]
    undo(stage.pk, match="U2.1", reason="wrong")
    refused("bracket.downstream_playing", undo, stage.pk, match="U1.1", reason="wrong")


def test_undo_of_a_cascade_waits_until_nothing_was_played_since() -> None:
    stage = drawn()
    played_on(stage)
    correct_result(stage.pk, wrong_game(stage, "U1.1", 1), reason="swapped")
    play(stage, "U1.1", "1")
    refused("bracket.nothing_to_undo", undo, stage.pk, match="GF.1", reason="x")
    undo(stage.pk, match="U1.1", reason="one step")
    assert match(stage, "U2.1").state == "locked"
    undo(stage.pk, match="U1.1", reason="the correction")
    assert match(stage, "U2.1").state == "done"


def test_undo_of_a_departure_brings_the_player_and_his_match_back() -> None:
    stage = drawn()
    players = numbered(stage)
    call_match(stage.pk, "U1.1")
    play(stage, "U1.1", "1")
    before = everything_shown(stage)
    disqualify_player(stage.pk, players[1].pk, reason="wrong person")
    undo(stage.pk, reason="wrong person")
    assert everything_shown(stage) == before
    removal, revoked = players[1].sanctions.order_by("pk")
    assert (revoked.revokes, revoked.reason) == (removal, "wrong person")
    # Removed once more, it is another sanction.
    disqualify_player(stage.pk, players[1].pk, reason="the right one")
    assert players[1].sanctions.count() == 3


def test_a_walkover_given_by_mistake_is_opened_again_with_what_it_produced() -> None:
    stage = drawn()
    walkover(stage.pk, "U1.1", absent="b", reason="not seen", early=True)
    plan = plan_change(table(stage), Change("U1.1", reopen=True))
    assert plan.plan is not None
    assert (plan.plan.effect, plan.plan.winner) == (Effect.MOVES_PLAYERS, None)
    correct_result(stage.pk, Change("U1.1", reopen=True), reason="he sat in the next room")
    assert (match(stage, "U1.1").state, sides(stage, "U2.1")[0]) == ("playing", None)
    play(stage, "U1.1", "0 0")
    assert sides(stage, "U2.1")[0] == 32
    refused("match.nothing_to_reopen", plan_change, table(stage), Change("U1.1", reopen=True))


def test_an_automatic_walkover_is_not_corrected_but_the_departure_is_taken_back() -> None:
    stage = drawn()
    withdraw_player(stage.pk, numbered(stage)[1].pk, reason="ill")
    refused("match.nothing_to_reopen", plan_change, table(stage), Change("U1.1", reopen=True))
    refused("bracket.automatic_result", plan_change, table(stage), Change("U1.1", winner="a"))


@pytest.mark.clause("K10.3")
def test_a_finished_match_can_be_awarded_to_the_other_player() -> None:
    stage = drawn()
    play(stage, "U1.1", "1 1")
    refused("match.has_won", plan_change, table(stage), Change("U1.1", winner="a"))
    refused("match.unknown_player", plan_change, table(stage), Change("U1.1", winner="c"))
    correct_result(stage.pk, Change("U1.1", winner="b"), reason="engine found")
    done = match(stage, "U1.1")
    assert (done.winner_side, done.how, done.score["a"], sides(stage, "U2.1")[0]) == ("b", "decision", 4, 32)


def test_a_decision_can_be_undone() -> None:
    stage = drawn()
    play(stage, "U1.1", "1")
    before = everything_shown(stage)
    decide(stage.pk, "U1.1", winner="b", reason="phone")
    undo(stage.pk, match="U1.1", reason="not his phone")
    assert everything_shown(stage) == before


def test_a_correction_at_the_end_of_the_day_reaches_as_far_as_it_must() -> None:
    stage = drawn(players=8, rules={"size": 8, "minimum_matches": 0})
    play_all(stage)
    assert Stage.objects.get(pk=stage.pk).state == "finished"
    before = everything_shown(stage)
    plan = plan_change(table(stage), Change("U1.1", winner="b"))
    assert plan.plan is not None
    correct_result(stage.pk, Change("U1.1", winner="b"), reason="the winner had a phone", token=plan.token)
    assert Stage.objects.get(pk=stage.pk).state == "running"
    open_now = {view.key for view in table(stage).state.open_matches}
    assert open_now <= set(plan.plan.void)
    assert MatchSlot.objects.get(match__key="U2.1", side="a").entry == numbered(stage)[8]
    undo(stage.pk, match="U1.1", reason="the phone was off")
    assert everything_shown(stage) == before
