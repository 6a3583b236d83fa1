"""Who gets what for a final place: money that adds up to the smallest unit, and things (cup, diploma, medal).

A *prize list* pays places of one placing list (all of a section, or a category inside it). When players are tied, the
list says how its money is shared:

* ``place``: not at all, money goes by final place; only those who share a place share what these places pay;
* ``equal``: the players level on points pool the prizes of the places they hold and split them evenly;
* ``hort``: one half by place, the other half from the even split.

What a list pays for a place is an amount, or whole percents of a *pot* (the fees, all income, what is left), which
`prizes.engine.shares` turns into amounts once the pot is known.

Whoever could have prizes from several lists gets all of them, only the one from the earliest list, or only the most
valuable one: then the next player moves up for the others.

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


class Several(StrEnum):
    """What becomes of a player who is entitled to prizes from several lists."""

    ALL = "all"
    EARLIER = "earlier"  # who has a prize from an earlier list is passed over in this one
    BEST = "best"  # of all lists that say so, the most valuable prize


class Base(StrEnum):
    """What percentages are taken of."""

    FEES = "fees"  # what the fees bring
    INCOME = "income"  # all income
    LEFT = "left"  # income without expenses and without fixed prizes and draws


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
    several: Several = Several.ALL
    unit: int = 1  # smallest payable amount in minor units: 100 pays whole hryvnias
    sections: tuple[str, ...] = ()
    category: str = ""
    clause: str = ""
    percent: Mapping[int, int] = field(
        default_factory=dict
    )  # whole percents by place; `places` is empty until resolved
    base: Base = Base.FEES

    @property
    def total(self) -> Money:
        return total(self.places.values(), self.currency)

    @property
    def numbers(self) -> tuple[int, ...]:
        """The places that are paid, whether the amounts are known or not."""
        return tuple(sorted({*self.places, *self.percent}))

    def serves(self, section: str) -> bool:
        """Return whether a group has this list."""
        return not self.sections or section in self.sections


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
    """What one entry gets from one list. `place` is the place held in it; the prize may be that of a better place.

    `prize_place` is set when somebody was passed over and this prize moved down to the next (0: the own place's prize).
    """

    entry: EntryId
    place: int
    source: Source
    amount: Money | None = None
    things: tuple[str, ...] = ()
    category: str = ""
    clause: str = ""
    index: int = 0  # which of the regulation's prize lists, award rules or lotteries
    prize_place: int = 0


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
    lists = {index: prize for index, prize in enumerate(prizes) if prize.serves(section.section)}
    passed = _passed_over(section, {index: one for index, one in lists.items() if one.several is Several.BEST})
    awards: list[Award] = []
    for index, prize in lists.items():
        over = passed.get(index, set())
        if prize.several is Several.EARLIER:
            over = {award.entry for award in awards}
        awards.extend(replace(award, index=index) for award in _paid_without(section, prize, over))
    for index, rule in enumerate(things):
        if not rule.sections or section.section in rule.sections:
            awards.extend(replace(award, index=index) for award in _given(section.list_of(rule.category), rule))
    return tuple(awards)


def _passed_over(section: Field, lists: Mapping[int, PrizeList]) -> dict[int, set[EntryId]]:
    """Return who gets nothing from a list because another one of these gives him a more valuable prize.

    The most valuable claim is settled first, as everybody who then moves up may have a better choice after it; of equal
    prizes the earlier list counts, then the better place.
    """
    passed: dict[int, set[EntryId]] = {index: set() for index in lists}
    settled: set[EntryId] = set()
    while True:
        claims: dict[EntryId, list[tuple[int, int, int]]] = {}
        for index, prize in lists.items():
            for award in _paid_without(section, prize, passed[index]):
                amount = award.amount.minor if award.amount else 0
                claims.setdefault(award.entry, []).append((-amount, index, award.place))
        contested = {entry: min(held) for entry, held in claims.items() if len(held) > 1 and entry not in settled}
        if not contested:
            return passed
        entry = min(contested, key=contested.__getitem__)
        settled.add(entry)
        for index in lists:
            if index != contested[entry][1]:
                passed[index].add(entry)


def _paid_without(section: Field, prize: PrizeList, passed: Collection[EntryId]) -> list[Award]:
    """Return what a list pays when some are passed over and the next ones move up."""
    listed = section.list_of(prize.category)
    if not passed:
        return _paid(listed, prize)
    held = {placing.entry: placing.place for placing in listed}
    left = among(listed, [placing.entry for placing in listed if placing.entry not in passed])
    return [
        award if award.place == held[award.entry] else replace(award, place=held[award.entry], prize_place=award.place)
        for award in _paid(left, prize)
    ]


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
