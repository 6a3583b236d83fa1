"""Prizes that are a percentage of the fund, turned into amounts that add up exactly."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction

from prizes.engine.allocation import Base, PrizeList, split
from tourney.kernel.money import Money

WHOLE = 100

Pots = Mapping[Base, Money]


def resolved(prizes: Iterable[PrizeList], pots: Pots) -> tuple[PrizeList, ...]:
    """Return the lists with amounts for percentages whose pot is known; the others stay as they are."""
    return tuple(
        replace(prize, places=amounts(prize, pots[prize.base])) if prize.percent and prize.base in pots else prize
        for prize in prizes
    )


def amounts(prize: PrizeList, pot: Money) -> dict[int, Money]:
    """Return what each place gets of a pot, in multiples of the list's unit.

    The list as a whole pays its percentage of the pot, rounded down to the unit, and what rounding leaves inside it
    goes to the largest remainders, the better place first. A pot below nothing pays nothing.
    """
    whole = max(0, pot.minor)
    percents = dict(sorted(prize.percent.items()))
    promised = whole * sum(percents.values()) // WHOLE // prize.unit * prize.unit
    shares = [Fraction(promised * percent, sum(percents.values())) for percent in percents.values()]
    paid = split(promised, shares, prize.unit)
    return {place: Money(minor, prize.currency) for place, minor in zip(percents, paid, strict=True)}


def percent_promised(prizes: Iterable[PrizeList], sections: Sequence[str]) -> dict[Base, int]:
    """Return how many percent of each pot all groups together are promised."""
    found: dict[Base, int] = {}
    for prize in prizes:
        if prize.percent:
            groups = sum(1 for code in sections if prize.serves(code)) if sections else 1
            found[prize.base] = found.get(prize.base, 0) + groups * sum(prize.percent.values())
    return found
