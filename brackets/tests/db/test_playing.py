"""A match from the call to its last game, and what it does to the bracket."""

from __future__ import annotations

import threading
import uuid
from typing import Any

import pytest
from django.db import connection, connections
from django.utils.translation import override

from brackets.engine.match_fold import AwaitGame, AwaitLot
from brackets.models import Match, MatchEvent
from brackets.selectors import seen_token
from brackets.services import (
    call_match,
    choose_color,
    decide,
    dispute,
    draw_color_lot,
    enter_game_result,
    return_call,
    settle_dispute,
    show_match,
)
from brackets.tests.builders import (
    drawn,
    everything_shown,
    fresh,
    match,
    numbered,
    play,
    ready_for_game,
    sides,
    table,
)
from tourney.kernel.chance import verify
from tourney.kernel.errors import TourneyError
from tourney.models import ActionLog, Game, Lot, ResultRecord, Stage
from tourney.testing import builders

pytestmark = pytest.mark.django_db


def refused(code: str, call: Any, *args: Any, **options: Any) -> TourneyError:
    with pytest.raises(TourneyError) as error:
        call(*args, **options)
    assert error.value.code == code
    return error.value


@pytest.mark.clause("K6.1")
@pytest.mark.clause("K7.2")
def test_a_match_is_two_games_3_2_with_the_colour_chosen_by_the_lower_rated() -> None:
    stage = drawn()
    called = call_match(stage.pk, "U1.1")
    assert (called.state, called.board, called.awaits) == ("called", 1, {"kind": "color", "number": 1, "by": "b"})
    choose_color(stage.pk, "U1.1", color="b")
    assert match(stage, "U1.1").awaits == {
        "kind": "game",
        "number": 1,
        "white": "a",
        "black": "b",
        "clock": "3+2",
        "armageddon": False,
    }
    enter_game_result(stage.pk, "U1.1", number=1, outcome="1-0")
    after = enter_game_result(stage.pk, "U1.1", number=2, outcome="1/2")
    games = list(Game.objects.filter(stage=stage).order_by("game_number"))
    players = numbered(stage)
    assert [(g.match_key, g.game_number, g.white, g.black, g.outcome, g.time_control, g.board) for g in games] == [
        ("U1.1", 1, players[1], players[32], "1-0", "3+2", 1),
        ("U1.1", 2, players[32], players[1], "1/2", "3+2", 1),
    ]
    done = match(stage, "U1.1")
    assert (after.winner, done.state, done.winner_side, done.how, done.score) == (
        "a",
        "done",
        "a",
        "games",
        {"a": 3, "b": 1, "games": 2, "phases": [{"a": 3, "b": 1, "armageddon": ""}]},
    )
    assert sides(stage, "U2.1")[0] == 1
    assert 32 in sides(stage, "L1.1")


@pytest.mark.clause("K6.2")
@pytest.mark.clause("K6.3")
@pytest.mark.clause("K6.5")
def test_a_level_match_goes_to_2_1_and_armageddon_where_a_draw_wins_for_black() -> None:
    stage = drawn()
    play(stage, "U1.1", "1 0")
    assert table(stage).match_state("U1.1").awaiting == AwaitGame(
        3,
        "b",
        "a",
        *([table(stage).rules.match_format.phases[1].clock] * 2),  # type: ignore[union-attr]
    )
    play(stage, "U1.1", "= =")
    assert isinstance(table(stage).match_state("U1.1").awaiting, AwaitLot)
    state = draw_color_lot(stage.pk, "U1.1")
    assert isinstance(state.awaiting, AwaitGame)
    assert (state.awaiting.armageddon, str(state.awaiting.white_clock), str(state.awaiting.black_clock)) == (
        True,
        "5",
        "4",
    )
    after = enter_game_result(stage.pk, "U1.1", number=5, outcome="1/2")
    assert after.winner == state.awaiting.black
    done = match(stage, "U1.1")
    assert (done.how, done.score["phases"][-1]) == ("armageddon", {"a": 1, "b": 1, "armageddon": state.awaiting.white})
    assert Game.objects.get(stage=stage, game_number=5).time_control == "5/4"


@pytest.mark.clause("K6.4")
@pytest.mark.clause("K7.3")
def test_the_armageddon_colour_is_drawn_by_a_lot_anybody_can_check() -> None:
    stage = drawn()
    play(stage, "U1.1", "1 0 = =")
    draw_color_lot(stage.pk, "U1.1")
    lot = Lot.objects.select_related("outcome").get()
    players = numbered(stage)
    assert (lot.purpose, lot.manifest["kind"], lot.manifest["entrants"]) == (
        "game_color",
        "coin",
        [str(players[1].pk), str(players[32].pk)],
    )
    assert (
        verify(
            {
                "manifest": lot.manifest,
                "secret": lot.secret,
                "entropy": lot.outcome.entropy,
                "commitment": lot.commitment,
                "result": lot.outcome.result,
            }
        )
        is None
    )
    white = match(stage, "U1.1").awaits["white"]
    assert {"a": players[1].pk, "b": players[32].pk}[white] == int(lot.outcome.result)
    assert MatchEvent.objects.get(kind="lot").lot == lot


@pytest.mark.clause("K7.3")
def test_a_lot_drawn_by_hand_is_recorded_with_its_method() -> None:
    stage = drawn()
    play(stage, "U1.1", "1 0 = =")
    refused("match.lot_method_needed", draw_color_lot, stage.pk, "U1.1", winner="b")
    draw_color_lot(stage.pk, "U1.1", winner="b", method="coin")
    assert match(stage, "U1.1").awaits["white"] == "b"
    assert not Lot.objects.exists()
    assert MatchEvent.objects.get(kind="lot").data["step"] == {"do": "lot_color", "white": "b", "method": "coin"}


@pytest.mark.clause("K7.2")
def test_equal_ratings_draw_who_chooses() -> None:
    stage = drawn()
    players = numbered(stage)
    type(players[1]).objects.filter(pk=players[32].pk).update(rating=players[1].rating)
    call_match(stage.pk, "U1.1")
    assert match(stage, "U1.1").awaits == {"kind": "lot", "number": 1, "gives": "chooser"}
    refused("match.lot_first", choose_color, stage.pk, "U1.1", color="w")
    draw_color_lot(stage.pk, "U1.1", winner="a", method="pawns")
    assert match(stage, "U1.1").awaits == {"kind": "color", "number": 1, "by": "a"}


def test_refusals_change_nothing() -> None:
    stage = drawn()
    call_match(stage.pk, "U1.1")
    before = everything_shown(stage)
    refused("match.already_called", call_match, stage.pk, "U1.1")
    refused("match.board_busy", call_match, stage.pk, "U1.2", board=1)
    refused("match.unknown_board", call_match, stage.pk, "U1.2", board=99)
    refused("bracket.match_locked", call_match, stage.pk, "U2.1")
    refused("bracket.unknown_match", call_match, stage.pk, "X1.1")
    refused("match.color_first", enter_game_result, stage.pk, "U1.1", number=1, outcome="1-0")
    refused("match.unknown_result", enter_game_result, stage.pk, "U1.1", number=1, outcome="2-0")
    refused("match.not_chooser", choose_color, stage.pk, "U1.1", color="w", by="a")
    refused("match.unknown_color", choose_color, stage.pk, "U1.1", color="red")
    refused("match.lot_not_now", draw_color_lot, stage.pk, "U1.1")
    refused("bracket.match_locked", enter_game_result, stage.pk, "GF.1", number=1, outcome="1-0")
    choose_color(stage.pk, "U1.2", color="w")
    refused("match.out_of_order", enter_game_result, stage.pk, "U1.2", number=3, outcome="1-0")
    play(stage, "U1.3", "1 1")
    refused("bracket.match_settled", enter_game_result, stage.pk, "U1.3", number=3, outcome="1-0")
    assert everything_shown(stage)["matches"][0] == before["matches"][0]


def test_no_board_is_free_when_all_are_taken() -> None:
    stage = drawn(boards=2)
    call_match(stage.pk, "U1.1")
    call_match(stage.pk, "U1.2")
    refused("match.no_free_board", call_match, stage.pk, "U1.3")
    play(stage, "U1.1", "1 1")
    assert call_match(stage.pk, "U1.3").board == 1


def test_a_call_can_be_taken_back_until_a_game_is_played() -> None:
    stage = drawn()
    call_match(stage.pk, "U1.1", board=7)
    choose_color(stage.pk, "U1.1", color="w")
    return_call(stage.pk, "U1.1", reason="wrong board")
    taken_back = match(stage, "U1.1")
    assert (taken_back.state, taken_back.board, taken_back.awaits["kind"]) == ("ready", None, "color")
    refused("match.not_called", return_call, stage.pk, "U1.2")
    call_match(stage.pk, "U1.1", board=7)
    play(stage, "U1.1", "1")
    refused("match.already_begun", return_call, stage.pk, "U1.1")


def test_the_stage_runs_from_the_first_call_to_the_last_result() -> None:
    stage = drawn(players=4, rules={"size": 4, "minimum_matches": 0})
    assert stage.state == Stage.State.READY
    call_match(stage.pk, "U1.1")
    stage = fresh(stage)
    assert (stage.state, stage.section.tournament.state) == ("running", "running")


def test_a_disputed_match_waits_for_the_arbiter() -> None:
    stage = drawn()
    play(stage, "U1.1", "1")
    dispute(stage.pk, "U1.1", reason="touched piece")
    refused("match.disputed", enter_game_result, stage.pk, "U1.1", number=2, outcome="1-0")
    settle_dispute(stage.pk, "U1.1", reason="played on")
    play(stage, "U1.1", "1")
    assert match(stage, "U1.1").state == "done"


@pytest.mark.clause("K10.3")
def test_a_decision_ends_a_match_keeps_its_games_and_writes_the_sanction() -> None:
    stage = drawn()
    play(stage, "U1.1", "1")
    decide(stage.pk, "U1.1", winner="b", reason="phone in the pocket", sanction=True)
    done = match(stage, "U1.1")
    assert (done.state, done.winner_side, done.how, done.score["a"]) == ("done", "b", "decision", 2)
    sanction = numbered(stage)[1].sanctions.get()
    assert (sanction.kind, sanction.reason, sanction.stage) == ("match_loss", "phone in the pocket", stage)
    assert sides(stage, "U2.1")[0] == 32


@pytest.mark.clause("K1.3")
@pytest.mark.clause("K9.1")
def test_a_match_can_carry_the_link_of_its_broadcast() -> None:
    stage = drawn()
    show_match(stage.pk, "U1.1", video_url="https://www.youtube.com/watch?v=abc", featured=True)
    shown = match(stage, "U1.1")
    assert (shown.video_url, shown.featured) == ("https://www.youtube.com/watch?v=abc", True)


# -- twice, too late, at the same time -------------------------------------------------------------------------------


def test_the_same_tap_counts_once() -> None:
    stage = drawn()
    ready_for_game(stage, "U1.1")
    operation = uuid.uuid4()
    for _ in range(2):
        enter_game_result(stage.pk, "U1.1", number=1, outcome="1-0", operation=operation)
    assert Game.objects.count() == ResultRecord.objects.count() == 1
    refused("match.operation_reused", enter_game_result, stage.pk, "U1.1", number=2, outcome="0-1", operation=operation)
    # Without the operation the same result of the same game is no second entry either.
    enter_game_result(stage.pk, "U1.1", number=1, outcome="1-0")
    assert ResultRecord.objects.count() == 1


def test_an_entry_on_an_older_picture_is_refused_with_who_did_what() -> None:
    stage = drawn()
    anna = builders.user("anna", stage.section.tournament, "arbiter")
    ready_for_game(stage, "U1.1")
    shown = seen_token(match(stage, "U1.1"), table(stage).view("U1.1"))
    enter_game_result(stage.pk, "U1.1", number=1, outcome="1-0", actor=anna, seen=shown)
    with override("en"):
        error = refused(
            "match.changed_meanwhile", enter_game_result, stage.pk, "U1.1", number=1, outcome="0-1", seen=shown
        )
    assert (error.values["by"], error.values["what"]) == ("anna", "game 1: 1–0")
    # A second arbiter who saw the same agrees: nothing happens, nobody is bothered.
    enter_game_result(stage.pk, "U1.1", number=1, outcome="1-0", seen=shown)
    assert ResultRecord.objects.count() == 1


@pytest.mark.django_db(transaction=True)
def test_two_arbiters_at_once_one_wins_and_the_other_sees_it() -> None:
    stage = drawn(players=4, rules={"size": 4, "minimum_matches": 0})
    names = ["anna", "borys"]
    people = [builders.user(name, stage.section.tournament, "arbiter") for name in names]
    ready_for_game(stage, "U1.1")
    shown = seen_token(match(stage, "U1.1"), table(stage).view("U1.1"))
    barrier = threading.Barrier(2)
    outcomes: dict[str, str] = {}

    def enter(index: int) -> None:
        barrier.wait()
        try:
            enter_game_result(
                stage.pk, "U1.1", number=1, outcome=["1-0", "0-1"][index], actor=people[index], seen=shown
            )
            outcomes[names[index]] = "entered"
        except TourneyError as error:
            outcomes[names[index]] = f"{error.code} {error.values['by']}"
        finally:
            connections.close_all()

    threads = [threading.Thread(target=enter, args=(index,)) for index in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    winner = next(name for name, what in outcomes.items() if what == "entered")
    loser = next(name for name in names if name != winner)
    assert outcomes[loser] == f"match.changed_meanwhile {winner}"
    assert ResultRecord.objects.get().entered_by == people[names.index(winner)]


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("already_played", [0, 20])
def test_one_result_takes_at_most_15_queries(already_played: int, django_assert_max_num_queries: Any) -> None:
    stage = drawn()
    open_keys = [view.key for view in table(stage).state.open_matches]
    for key in open_keys[:already_played]:
        play(stage, key, "1 1")
    stage = fresh(stage)
    ready = table(stage).state.open_matches[0].key
    call_match(stage.pk, ready)
    ready_for_game(stage, ready)
    with django_assert_max_num_queries(15):
        enter_game_result(stage.pk, ready, number=1, outcome="1-0")
    with django_assert_max_num_queries(15):  # the one that ends the match and moves two players
        enter_game_result(stage.pk, ready, number=2, outcome="0-1")
    assert match(stage, ready).state == Match.State.DONE
    assert connection.in_atomic_block is False


def test_every_act_is_in_the_log() -> None:
    stage = drawn()
    anna = builders.user("anna", stage.section.tournament, "arbiter")
    call_match(stage.pk, "U1.1", actor=anna)
    choose_color(stage.pk, "U1.1", color="w", actor=anna)
    enter_game_result(stage.pk, "U1.1", number=1, outcome="1-0", actor=anna, device="tablet 2")
    lines = ActionLog.objects.filter(actor=anna).order_by("id")
    assert [(line.action, line.actor_label) for line in lines if line.action.startswith("brackets.")] == [
        ("brackets.called", ""),
        ("brackets.white_chosen", ""),
        ("brackets.game_entered", "tablet 2"),
    ]
