"""Virtual points given by number: what can be written, and what everybody gets by it."""

from __future__ import annotations

import pytest

from swiss.engine.virtual import Run, points_of_runs, run_of, runs_of_numbers, runs_of_rules
from tourney.kernel.errors import TourneyError
from tourney.kernel.ids import EntryId
from tourney.kernel.points import HALF, ONE, ZERO

NUMBERS = {EntryId(100 + number): number for number in range(1, 5)}


def test_runs_give_points_by_round_and_the_later_one_holds() -> None:
    runs = [Run(ONE, 1, 3, 1, 2), Run(HALF, 3, 9, 2, 3)]

    assert points_of_runs(runs, NUMBERS, 4) == {
        101: (ONE, ONE, ONE, ZERO),
        102: (ONE, ONE, HALF, HALF),
        103: (ZERO, ZERO, HALF, HALF),
    }


def test_what_a_report_gives_number_by_number_comes_back_from_the_rules() -> None:
    given = {1: (ONE, ONE, HALF), 2: (ONE, ONE, HALF), 4: (ZERO, HALF)}

    runs = runs_of_numbers(given)
    rules = {"virtual_points": [run.as_json() for run in runs]}

    assert runs_of_rules(rules) == runs
    assert points_of_runs(runs, {EntryId(number): number for number in range(1, 5)}, 3) == {
        1: (ONE, ONE, HALF),
        2: (ONE, ONE, HALF),
        4: (ZERO, HALF, ZERO),
    }


@pytest.mark.parametrize(
    ("points", "rounds", "numbers", "code"),
    [
        ("1000", (1, 2), (1, 2), "virtual.bad_points"),
        ("-1", (1, 2), (1, 2), "virtual.bad_points"),
        ("²", (1, 2), (1, 2), "virtual.bad_points"),
        ("1", (3, 2), (1, 2), "virtual.bad_rounds"),
        ("1", (1, 100), (1, 2), "virtual.bad_rounds"),
        ("1", (1, 2), (5, 2), "virtual.bad_numbers"),
    ],
)
def test_absurd_runs_are_refused(points: str, rounds: tuple[int, int], numbers: tuple[int, int], code: str) -> None:
    with pytest.raises(TourneyError) as refused:
        run_of(points, rounds, numbers)

    assert refused.value.code == code
