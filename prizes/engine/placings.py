"""Final places, whatever produced them: standings of rounds, a bracket, a category, a play-off.

A shared place has the same number for all who share it; the next place is counted past them (1, 2, 2, 4).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace

from prizes.engine.ranking import Ranking
from tourney.kernel.errors import TourneyError
from tourney.kernel.ids import EntryId


@dataclass(frozen=True, slots=True)
class Placing:
    """One entry's final place. `level` is what counts as a tie when money is shared (the points); None: the place."""

    entry: EntryId
    place: int
    level: int | None = None


def placings_of(ranking: Ranking) -> tuple[Placing, ...]:
    """Return the final places of standings, tied on points for sharing money."""
    return tuple(Placing(ranked.entry, ranked.rank, ranked.points) for ranked in ranking)


def in_order(places: Iterable[tuple[EntryId, int]]) -> tuple[Placing, ...]:
    """Return placings from pairs of entry and place, best first.

    Raises TourneyError ``placing.entry_twice``, ``placing.gap`` (a place nobody holds and nobody shares).
    """
    placings = tuple(sorted((Placing(entry, place) for entry, place in places), key=lambda placing: placing.place))
    seen: set[EntryId] = set()
    for index, placing in enumerate(placings):
        if placing.entry in seen:
            raise TourneyError("placing.entry_twice", entry=placing.entry)
        seen.add(placing.entry)
        if placing.place != index + 1 and (index == 0 or placing.place != placings[index - 1].place):
            raise TourneyError("placing.gap", place=index + 1)
    return placings


def groups(placings: Sequence[Placing]) -> list[list[Placing]]:
    """Return the placings by place, best first; more than one in a group share that place."""
    found: dict[int, list[Placing]] = {}
    for placing in sorted(placings, key=lambda placing: placing.place):
        found.setdefault(placing.place, []).append(placing)
    return list(found.values())


def among(placings: Sequence[Placing], entries: Collection[EntryId]) -> tuple[Placing, ...]:
    """Return the placings of a category: places counted among these entries only."""
    return renumbered(placing for placing in placings if placing.entry in entries)


def moved_up(placings: Sequence[Placing], removed: Collection[EntryId]) -> tuple[Placing, ...]:
    """Return the placings after these were taken out and the others moved up (a disqualification)."""
    return renumbered(placing for placing in placings if placing.entry not in removed)


def renumbered(placings: Iterable[Placing]) -> tuple[Placing, ...]:
    """Return the placings with places counted anew from 1, shared places kept shared."""
    result: list[Placing] = []
    for group in groups(list(placings)):
        place = len(result) + 1
        result.extend(replace(placing, place=place) for placing in group)
    return tuple(result)


def settled(placings: Sequence[Placing], order: Sequence[Collection[EntryId]]) -> tuple[Placing, ...]:
    """Return the placings after a shared place was played or drawn out; `order` lists its holders, best first.

    Members of one collection still share. Raises TourneyError ``placing.not_one_group`` unless the order names exactly
    the holders of one shared place.
    """
    named = [entry for collection in order for entry in collection]
    for group in groups(placings):
        if sorted(placing.entry for placing in group) == sorted(named):
            place = group[0].place
            break
    else:
        raise TourneyError("placing.not_one_group", entries=named)
    moved: dict[EntryId, int] = {}
    for collection in order:
        moved.update(dict.fromkeys(collection, place))
        place += len(collection)
    changed = (replace(placing, place=moved.get(placing.entry, placing.place)) for placing in placings)
    return tuple(sorted(changed, key=lambda placing: placing.place))
