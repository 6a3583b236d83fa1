"""Who gets what for a final place: money that adds up to the smallest unit, and things (cup, diploma, medal).

A *prize list* pays places of one placing list (all of a section, or a category inside it). When players are tied, the
list says how its money is shared:

* ``place``: not at all, money goes by final place; only those who share a place share what these places pay;
* ``equal``: the players level on points pool the prizes of the places they hold and split them evenly;
* ``hort``: one half by place, the other half from the even split.

Shares are exact fractions, paid in multiples of the list's `unit`; what rounding leaves goes to the largest remainders,
the better place first, so that a list always pays out exactly what it promised. Things can't be halved: everybody who
shares a place gets what that place gets.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from fractions import Fraction

from prizes.engine.placings import Placing, among, groups
from tourney.kernel.ids import EntryId
from tourney.kernel.money import Money, total


class Ties(StrEnum):
    """How a prize list treats players who are level."""

    PLACE = "place"
    EQUAL = "equal"
    HORT = "hort"


class Unplayed(StrEnum):
    """What becomes of the prize of a place that nobody holds because the field is too small."""

    KEPT = "kept"  # it stays in the fund
    MOVES = "moves"  # it goes to the nearest better place that has no prize of its own


class Source(StrEnum):
    """Where an award comes from."""

    PLACE = "place"
    CATEGORY = "category"
    LOTTERY = "lottery"


@dataclass(frozen=True, slots=True)
class PrizeList:
    """Money for places. `sections` empty: every section; `category`: places are counted inside that category."""

    places: Mapping[int, Money]
    currency: str
    ties: Ties = Ties.PLACE
    unplayed: Unplayed = Unplayed.KEPT
    cumulative: bool = True  # False: who has a prize from an earlier list is passed over, the next one moves up
    unit: int = 1  # smallest payable amount in minor units: 100 pays whole hryvnias
    sections: tuple[str, ...] = ()
    category: str = ""
    clause: str = ""

    @property
    def total(self) -> Money:
        return total(self.places.values(), self.currency)


@dataclass(frozen=True, slots=True)
class AwardRule:
    """Things for one place."""

    place: int
    things: tuple[str, ...]
    sections: tuple[str, ...] = ()
    category: str = ""
    clause: str = ""


@dataclass(frozen=True, slots=True)
class Award:
    """What one entry gets from one list. `place` is the place inside that list."""

    entry: EntryId
    place: int
    source: Source
    amount: Money | None = None
    things: tuple[str, ...] = ()
    category: str = ""
    clause: str = ""
    index: int = 0  # which of the regulation's prize lists, award rules or lotteries


@dataclass(frozen=True, slots=True)
class Field:
    """Who is placed in a section and which categories there are inside it."""

    placings: tuple[Placing, ...]
    section: str = ""
    categories: Mapping[str, Collection[EntryId]] = field(default_factory=dict)

    def list_of(self, category: str) -> tuple[Placing, ...]:
        """Return the placing list a prize refers to (nobody for a category the section hasn't got)."""
        return among(self.placings, self.categories.get(category, ())) if category else self.placings


def allocate(
    placings: Field | Sequence[Placing], prizes: Sequence[PrizeList] = (), things: Sequence[AwardRule] = ()
) -> tuple[Award, ...]:
    """Return all awards of a section: money list by list, then things, each by place."""
    section = placings if isinstance(placings, Field) else Field(tuple(placings))
    awards: list[Award] = []
    for index, prize in enumerate(prizes):
        if prize.sections and section.section not in prize.sections:
            continue
        listed = section.list_of(prize.category)
        if not prize.cumulative:
            served = {award.entry for award in awards}
            listed = among(listed, [placing.entry for placing in listed if placing.entry not in served])
        awards.extend(replace(award, index=index) for award in _paid(listed, prize))
    for index, rule in enumerate(things):
        if not rule.sections or section.section in rule.sections:
            awards.extend(replace(award, index=index) for award in _given(section.list_of(rule.category), rule))
    return tuple(awards)


def not_awarded(placings: Sequence[Placing], prize: PrizeList) -> dict[int, Money]:
    """Return the places of a list nobody holds, with the money that stays in the fund."""
    if prize.unplayed is Unplayed.MOVES:
        moved = _moved(prize, len(placings))
        left = prize.total - total(moved.values(), prize.currency)
        return {max(prize.places): left} if left else {}
    return {place: money for place, money in prize.places.items() if place > len(placings)}


def handed_out(
    awards: Iterable[Award], absent: Collection[EntryId], represented: Collection[EntryId] = ()
) -> tuple[Award, ...]:
    """Return the awards that are really handed over: not to the absent, unless a representative came for them."""
    return tuple(award for award in awards if award.entry not in absent or award.entry in represented)


def split(amount: int, shares: Sequence[Fraction], unit: int = 1) -> list[int]:
    """Return whole amounts as near to the shares as can be, multiples of `unit`, with exactly the given sum.

    What doesn't divide by the unit at all goes to the first.
    """
    paid = [int(share // unit) * unit for share in shares]
    left = amount - sum(paid)
    order = sorted(range(len(shares)), key=lambda index: (paid[index] - shares[index], index))
    for index in order:
        if left < unit:
            break
        paid[index] += unit
        left -= unit
    if left and paid:
        paid[0] += left
    return paid


def _moved(prize: PrizeList, size: int) -> dict[int, Money]:
    """Return the places that are held, after prizes of places beyond the field moved up."""
    places = {place: money for place, money in prize.places.items() if place <= size}
    if prize.unplayed is Unplayed.MOVES:
        free = [place for place in range(size, 0, -1) if place not in places]
        missing = [prize.places[place] for place in sorted(prize.places) if place > size]
        places.update(zip(free, missing, strict=False))
    return places


def _paid(listed: Sequence[Placing], prize: PrizeList) -> list[Award]:
    ordered = [placing for group in groups(listed) for placing in group]
    places = _moved(prize, len(ordered))
    worth = [places[number].minor if number in places else 0 for number in range(1, len(ordered) + 1)]
    by_place = _shares(worth, [placing.place for placing in ordered])
    match prize.ties:
        case Ties.PLACE:
            shares, levels = by_place, [placing.place for placing in ordered]
        case Ties.EQUAL:
            levels = _levels(ordered)
            shares = _shares(worth, levels)
        case Ties.HORT:
            levels = _levels(ordered)
            shares = [(a + b) / 2 for a, b in zip(by_place, _shares(worth, levels), strict=True)]
    source = Source.CATEGORY if prize.category else Source.PLACE
    awards = []
    for start, end in _runs(levels):
        amounts = split(sum(worth[start:end]), shares[start:end], prize.unit)
        awards += [
            Award(placing.entry, placing.place, source, Money(amount, prize.currency), (), prize.category, prize.clause)
            for placing, amount in zip(ordered[start:end], amounts, strict=True)
            if amount
        ]
    return awards


def _levels(ordered: Sequence[Placing]) -> list[int]:
    """Return a number per placing, equal for neighbours whose money is pooled: the same points, or the same place."""
    levels: list[int] = []
    for index, placing in enumerate(ordered):
        before = ordered[index - 1] if index else None
        together = before is not None and (
            placing.place == before.place or (placing.level is not None and placing.level == before.level)
        )
        levels.append(levels[-1] if together else index)
    return levels


def _runs(levels: Sequence[int]) -> list[tuple[int, int]]:
    """Return the stretches of equal neighbours as (start, end)."""
    changes = [index for index in range(1, len(levels)) if levels[index] != levels[index - 1]]
    return list(zip([0, *changes], [*changes, len(levels)], strict=True)) if levels else []


def _shares(worth: Sequence[int], levels: Sequence[int]) -> list[Fraction]:
    """Return everybody's exact even share of what his stretch of equal levels is worth."""
    shares: list[Fraction] = []
    for start, end in _runs(levels):
        shares += [Fraction(sum(worth[start:end]), end - start)] * (end - start)
    return shares


def _given(listed: Sequence[Placing], rule: AwardRule) -> list[Award]:
    source = Source.CATEGORY if rule.category else Source.PLACE
    return [
        Award(placing.entry, placing.place, source, None, rule.things, rule.category, rule.clause)
        for placing in listed
        if placing.place == rule.place
    ]
