"""Virtual points that the rules of a stage give player by player, instead of a method that computes them (C.04.7).

A run is written as record 250 of a report file writes it: so many points, in these rounds, for these numbers.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from swiss.engine.dutch.cards import VirtualPoints
from tourney.kernel.errors import TourneyError
from tourney.kernel.ids import EntryId
from tourney.kernel.points import ZERO, Points, format_points, parse_points
from tourney.kernel.trf import virtual_runs

MOST_POINTS = 20
MAX_ROUND, MAX_NUMBER = 99, 9999


@dataclass(frozen=True, slots=True)
class Run:
    """The same virtual points for a range of numbers in a range of rounds, both with their ends."""

    points: Points
    first_round: int
    last_round: int
    first_number: int
    last_number: int

    def as_json(self) -> dict[str, Any]:
        """Return the run as the rules of a stage keep it."""
        return {
            "points": format_points(self.points),
            "rounds": [self.first_round, self.last_round],
            "numbers": [self.first_number, self.last_number],
        }


def run_of(points: str, rounds: tuple[int, int], numbers: tuple[int, int]) -> Run:
    """Return a run. TourneyError ``virtual.bad_points``, ``virtual.bad_rounds``, ``virtual.bad_numbers``."""
    try:
        value = parse_points(points)
    except ValueError:
        value = ZERO
    if not 0 < value <= 2 * MOST_POINTS:
        raise TourneyError("virtual.bad_points", found=points, most=MOST_POINTS)
    if not 1 <= rounds[0] <= rounds[1] <= MAX_ROUND:
        raise TourneyError("virtual.bad_rounds", first=rounds[0], last=rounds[1])
    if not 1 <= numbers[0] <= numbers[1] <= MAX_NUMBER:
        raise TourneyError("virtual.bad_numbers", first=numbers[0], last=numbers[1])
    return Run(value, rounds[0], rounds[1], numbers[0], numbers[1])


def runs_of_rules(rules: Mapping[str, Any]) -> tuple[Run, ...]:
    """Return the runs a stage's rules give; TourneyError as `run_of` for those that can't be."""
    return tuple(
        run_of(str(one["points"]), (one["rounds"][0], one["rounds"][1]), (one["numbers"][0], one["numbers"][1]))
        for one in rules.get("virtual_points") or ()
    )


def runs_of_numbers(accelerations: Mapping[int, tuple[Points, ...]]) -> tuple[Run, ...]:
    """Return virtual points given number by number as runs."""
    return tuple(Run(*run) for run in virtual_runs(accelerations))


def points_of_runs(runs: Iterable[Run], numbers: Mapping[EntryId, int], rounds: int) -> VirtualPoints:
    """Return everybody's virtual points by round; where runs overlap, the later one holds."""
    found: dict[EntryId, list[Points]] = {}
    for run in runs:
        for entry, number in numbers.items():
            if run.first_number <= number <= run.last_number:
                row = found.setdefault(entry, [ZERO] * rounds)
                for index in range(run.first_round - 1, min(run.last_round, rounds)):
                    row[index] = run.points
    return {entry: tuple(row) for entry, row in found.items()}
