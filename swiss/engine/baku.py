"""Baku acceleration (C.04.7): virtual points for the upper half of the start list in the first half of the event."""

from __future__ import annotations

from collections.abc import Mapping

from tourney.kernel.ids import EntryId
from tourney.kernel.outcomes import Scoring
from tourney.kernel.points import Points


def group_size(players: int) -> int:
    """Return how many of the first pairing numbers are accelerated: half of the field, rounded up to an even number."""
    return 2 * -(-players // 4)


def baku_points(numbers: Mapping[EntryId, int], rounds: int, scoring: Scoring) -> Mapping[EntryId, tuple[Points, ...]]:
    """Return the virtual points, round by round, of everybody with a number in the accelerated group.

    Half of the rounds (rounded up) are accelerated; a win's worth in the first half of those (rounded up), a draw's in
    the others. `numbers` are the pairing numbers of the start list.
    """
    accelerated = -(-rounds // 2)
    full = -(-accelerated // 2)
    points = (scoring.win,) * full + (scoring.draw,) * (accelerated - full)
    last = sorted(numbers.values())[group_size(len(numbers)) - 1] if numbers else 0
    return {entry: points for entry, number in numbers.items() if number <= last}
