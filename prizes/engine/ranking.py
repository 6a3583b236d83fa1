"""The standings of a stage: a list of criteria applied one after another to whoever is still level (C.07 article 4).

`rank` reads a `History` and an order such as ``["PTS", "DE", "BH/C1", "BH", "WIN"]`` and returns every entry with its
rank, the exact value of each criterion and, on demand, what that value is made of. Nothing breaks a tie that the list
doesn't break: such entries share a rank.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from fractions import Fraction
from functools import cached_property
from typing import Final, cast

from prizes.engine.tiebreaks import (
    EDITIONS,
    Crosstable,
    Edition,
    RankingOptions,
    System,
    TieBreak,
    TieBreakValue,
    ValueColumn,
    direct_encounter,
    parse_order,
    values_of,
)
from prizes.engine.tiebreaks.values import Value
from tourney.kernel.errors import RuleError
from tourney.kernel.ids import EntryId
from tourney.kernel.points import Points
from tourney.kernel.records import History

__all__ = ["Parting", "RankedEntry", "Ranking", "RankingOptions", "edition_of", "parted_by", "rank"]

NO_OPTIONS = RankingOptions()
RULES_OF_2026: Final = date(2026, 3, 1)


def edition_of(start: date) -> Edition:
    """Return the edition of the tie-break rules that was in force when an event began."""
    return "2026" if start >= RULES_OF_2026 else "2023"


@dataclass(frozen=True)
class RankedEntry:
    """One line of the standings."""

    entry: EntryId
    rank: int
    shared: bool  # somebody else has the same rank
    points: Points
    columns: Sequence[ValueColumn] = field(repr=False, compare=False)
    index: int = field(repr=False, compare=False)  # the entry's place in the columns

    @cached_property
    def values(self) -> tuple[TieBreakValue, ...]:
        """One value per criterion of `Ranking.order`."""
        return tuple([column[self.index] for column in self.columns])

    def value(self, code: str) -> TieBreakValue:
        """Return the first value with that code; KeyError when the order hasn't got it."""
        for value in self.values:
            if value.code == code:
                return value
        raise KeyError(code)


@dataclass(frozen=True, slots=True)
class Ranking:
    """The standings in order; equal ranks in the order of pairing numbers.

    `order` holds the criteria applied; `dropped` those that could not be: rating tie-breaks while somebody has no
    rating and the event names no substitute (C.07 article 10).
    """

    entries: tuple[RankedEntry, ...]
    order: tuple[str, ...]
    edition: Edition
    system: System
    dropped: tuple[str, ...] = ()
    by_entry: Mapping[EntryId, RankedEntry] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "by_entry", {ranked.entry: ranked for ranked in self.entries})

    def __iter__(self) -> Iterator[RankedEntry]:
        return iter(self.entries)

    def __len__(self) -> int:
        return len(self.entries)

    def among(self, entries: Collection[EntryId]) -> Ranking:
        """Return the placings of a category: the same games and values, places counted among these entries only."""
        return self._renumbered([ranked for ranked in self.entries if ranked.entry in entries])

    def without(self, entries: Collection[EntryId]) -> Ranking:
        """Return the standings after these were taken out and the others moved up."""
        return self._renumbered([ranked for ranked in self.entries if ranked.entry not in entries])

    @property
    def columns(self) -> Sequence[ValueColumn]:
        """One column for each criterion of `order`, in which an entry's value is at its `index`."""
        return self.entries[0].columns if self.entries else ()

    def tied_for_first(self) -> tuple[EntryId, ...]:
        """Return who is level on everything for first place; empty when somebody is alone there."""
        first = tuple(ranked.entry for ranked in self.entries if ranked.rank == 1)
        return first if len(first) > 1 else ()

    def _renumbered(self, kept: Sequence[RankedEntry]) -> Ranking:
        groups: dict[int, list[RankedEntry]] = {}
        for ranked in kept:
            groups.setdefault(ranked.rank, []).append(ranked)
        lines: list[RankedEntry] = []
        for group in groups.values():
            place = len(lines) + 1
            lines.extend(replace(ranked, rank=place, shared=len(group) > 1) for ranked in group)
        return Ranking(tuple(lines), self.order, self.edition, self.system, self.dropped)


def rank(
    history: History,
    order: Sequence[str],
    *,
    edition: Edition = "2026",
    system: System = "swiss",
    ratings: Mapping[EntryId, int | None] | None = None,
    unrated: int | None = None,
    options: RankingOptions = NO_OPTIONS,
) -> Ranking:
    """Return the standings of a stage.

    `ratings` are used for rating tie-breaks instead of the pairing ratings (a national list, say); `unrated` is the
    rating of those who have none. Raises RuleError as `parse_order` does, and ``rule.not_an_option`` for an unknown
    edition.
    """
    if edition not in EDITIONS:
        raise RuleError("edition", "rule.not_an_option", got=edition, options=list(EDITIONS))
    parsed = parse_order(order, system, "order")
    table = Crosstable.of(history, edition=edition, system=system, ratings=ratings, unrated=unrated)
    complete = all(table.ratings)
    applied = tuple(tiebreak for tiebreak in parsed if complete or not tiebreak.kind.needs_ratings)
    dropped = tuple(tiebreak.code for tiebreak in parsed if tiebreak.kind.needs_ratings and not complete)

    numbered = sorted(range(len(table.players)), key=lambda index: table.players[index].number)
    groups = [numbered] if numbered else []
    columns: list[ValueColumn] = []
    for tiebreak in applied:
        column = _column(table, tiebreak, groups, options)
        columns.append(column)
        parted: list[list[int]] = []
        for group in groups:
            if len(group) == 1:
                parted.append(group)
            else:
                parted += _parted(group, column.numbers, lowest_first=tiebreak.lowest_first)
        groups = parted

    lines: list[RankedEntry] = []
    for group in groups:
        place = len(lines) + 1
        lines += [
            RankedEntry(table.players[index].entry, place, len(group) > 1, Points(table.scores[index]), columns, index)
            for index in group
        ]
    return Ranking(tuple(lines), tuple(tiebreak.code for tiebreak in applied), edition, system, dropped)


def _column(
    table: Crosstable, tiebreak: TieBreak, groups: Sequence[Sequence[int]], options: RankingOptions
) -> ValueColumn:
    if tiebreak.kind.name != "DE":
        return values_of(table, tiebreak, options)
    found: dict[int, TieBreakValue] = {}
    for group in groups:
        if len(group) > 1:
            found.update(direct_encounter(table, tiebreak, group))
    numbers = [found[index].value if index in found else 1 for index in range(len(table.players))]
    return ValueColumn(tiebreak.code, numbers, lambda index: found[index].parts if index in found else ())


def _parted(group: Sequence[int], numbers: Sequence[Value | None], *, lowest_first: bool) -> list[list[int]]:
    """Return the group split by one criterion, best first; who has no value comes last."""
    parts: dict[Value | None, list[int]] = {}
    for index in group:
        parts.setdefault(numbers[index], []).append(index)
    undefined = parts.pop(None, None)
    # One criterion gives either whole numbers or fractions, and both compare exactly.
    ordered = sorted(cast(list[Fraction], list(parts)), reverse=not lowest_first)
    split = [parts[value] for value in ordered]
    return [*split, undefined] if undefined else split


@dataclass(frozen=True, slots=True)
class Parting:
    """The criterion that separates two entries: its place in the order (from 0) and both values, better one first."""

    code: str
    position: int
    better: TieBreakValue
    worse: TieBreakValue


def parted_by(ranking: Ranking, a: EntryId, b: EntryId) -> Parting | None:
    """Return what separates two entries, or None when they share a rank."""
    first, second = ranking.by_entry[a], ranking.by_entry[b]
    if first.rank > second.rank:
        first, second = second, first
    for position, (better, worse) in enumerate(zip(first.values, second.values, strict=True)):
        if better.value != worse.value:
            return Parting(better.code, position, better, worse)
    return None
