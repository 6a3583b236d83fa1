"""The whole matrix of corrections: what changes, against how far the matches after it have gone; how far it reaches.

Rows: the winner stays; the winner changes; the match is level again; an earlier phase decides. Columns: nothing after
it is called; something is called; something has a result. The bracket's facts know winners alone: a phase that decides
earlier is the first or the second row, by its winner.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest

from brackets.engine.correction import Effect, plan_correction, reach
from brackets.engine.facts import Result
from brackets.engine.match_format import parse_format
from brackets.engine.match_play import bracket_result, replay
from brackets.engine.match_steps import ChooseColor, Correct, Game
from brackets.engine.resolve import MatchStatus
from brackets.engine.topology import BracketSpec
from brackets.tests.engine.conftest import Day
from tourney.kernel.colors import Color
from tourney.kernel.ids import EntryId, MatchKey
from tourney.kernel.outcomes import ResultCode

NewDay = Callable[..., Day]
U1, U2, L1 = MatchKey("U1.1"), MatchKey("U2.1"), MatchKey("L1.1")
SAME, OTHER = Result(U1, EntryId(1), EntryId(32)), Result(U1, EntryId(32), EntryId(1))


@pytest.mark.parametrize(
    ("new", "after_it", "effect", "touched"),
    [
        (SAME, "open", Effect.SCORE_ONLY, set()),
        (SAME, "called", Effect.SCORE_ONLY, set()),
        (SAME, "played", Effect.SCORE_ONLY, set()),
        (OTHER, "open", Effect.MOVES_PLAYERS, set()),
        (OTHER, "called", Effect.TAKE_BACK_CALLS, {U2}),
        (OTHER, "played", Effect.BLOCKED, {U2}),
        (None, "open", Effect.MOVES_PLAYERS, set()),
        (None, "called", Effect.TAKE_BACK_CALLS, {U2}),
        (None, "played", Effect.BLOCKED, {U2}),
    ],
)
def test_every_row_against_every_column(
    new_day: NewDay, new: Result | None, after_it: str, effect: Effect, touched: set[MatchKey]
) -> None:
    day = new_day()
    day.wins(1, "U1.1")
    day.wins(16, "U1.2")
    if after_it == "played":
        day.wins(1, "U2.1")
    before = day.state
    plan = plan_correction(
        day.spec, day.seeds, day.facts, U1, new, reason="misread", called={U2} if after_it == "called" else set()
    )

    assert plan.effect is effect
    assert {*plan.void, *plan.take_back} == touched
    assert plan.needs_choice is (effect is Effect.BLOCKED)
    assert bool(plan.on_paper) is (new is not None)
    day.record(*plan.cascade)
    if new is None:
        assert day.state.matches[U1].status is MatchStatus.READY
        assert {day.state.matches[key].status for key in (U2, L1)} == {MatchStatus.LOCKED}
    elif new is SAME:
        assert {k: (v.a, v.b, v.winner) for k, v in day.state.matches.items()} == {
            k: (v.a, v.b, v.winner) for k, v in before.matches.items()
        }
    else:
        # Never both in the next match, and never the old winner.
        assert day.state.matches[U2].players == (32, 16)
        assert day.state.matches[L1].players == (1, 17)


FORMAT = parse_format({"phases": [{"games": 2, "clock": "3+2"}, {"games": 2, "clock": "2+1"}]})
STEPS = [
    ChooseColor("b", Color.BLACK),
    Game(1, ResultCode.WHITE_WINS),
    Game(2, ResultCode.WHITE_WINS),
    Game(3, ResultCode.WHITE_WINS),
    Game(4, ResultCode.DRAW),
]


@pytest.mark.parametrize(
    ("corrected", "winner", "struck"),
    [
        ((2, ResultCode.DRAW), "a", [3, 4]),  # the first phase decides now; the winner stays
        ((1, ResultCode.DRAW), "b", [3, 4]),  # the first phase decides now; the other one wins
        ((3, ResultCode.DRAW), None, []),  # level again
        ((4, ResultCode.WHITE_WINS), None, []),
    ],
)
def test_earlier_phase_that_decides_strikes_later_games_out(
    corrected: tuple[int, ResultCode], winner: str | None, struck: list[int]
) -> None:
    before = replay(FORMAT, {"a": 1800, "b": 1700}, STEPS)
    after = replay(FORMAT, {"a": 1800, "b": 1700}, [*STEPS, Correct(*corrected, "misread")])

    assert before.winner == "a"
    assert (after.winner, [game.number for game in after.struck]) == (winner, struck)
    if winner is not None:
        found = bracket_result(after, U1, {"a": EntryId(1), "b": EntryId(32)})
        assert found.winner == (1 if winner == "a" else 32)


@pytest.mark.parametrize(
    ("match", "most"),
    [
        ("U1.1", 46),
        ("U2.1", 30),
        ("L1.1", 30),
        ("L2.1", 22),
        ("U3.1", 14),
        ("L3.1", 14),
        ("L4.1", 10),
        ("U4.1", 6),
        ("L5.1", 6),
        ("L6.1", 4),
        ("U5.1", 2),
        ("L7.1", 2),
        ("L8.1", 1),
        ("GF.1", 0),
        ("P25.1", 6),
        ("P13.1", 2),
    ],
)
def test_how_many_matches_a_change_can_reach(de32: BracketSpec, match: str, most: int) -> None:
    assert len(reach(de32, MatchKey(match))) == most


@pytest.mark.parametrize("depth", ["U1.1", "U2.1", "L1.1", "L2.1", "U3.1", "L4.1", "U5.1", "L8.1", "GF.1", "P25.1"])
def test_correction_at_every_depth_of_a_finished_day_leaves_the_rest_alone(new_day: NewDay, depth: str) -> None:
    day = new_day()
    day.play_out()
    view = day.state.matches[MatchKey(depth)]
    before = day.state
    plan = plan_correction(
        day.spec,
        day.seeds,
        day.facts,
        view.key,
        Result(view.key, view.loser, view.winner),  # type: ignore[arg-type]
        reason="misread",
    )

    assert set(plan.void) <= set(reach(day.spec, view.key))
    day.record(*plan.cascade)
    untouched = set(day.state.matches) - set(reach(day.spec, view.key)) - {view.key}
    assert all(day.state.matches[key] == before.matches[key] for key in untouched)
    day.play_out()
    assert day.state.is_complete
