"""Who gets White (C.04.3 art. 5.2), and what a pair costs in colours (C10–C13)."""

from __future__ import annotations

from enum import StrEnum
from typing import NamedTuple

from swiss.engine.dutch.cards import Card, Strength
from tourney.kernel.colors import Color


class ColorReason(StrEnum):
    """The article that decided the colours of a pair."""

    BOTH_PREFERENCES = "5.2.1"
    STRONGER_PREFERENCE = "5.2.2"
    LAST_DIFFERENCE = "5.2.3"
    HIGHER_RANKED = "5.2.4"
    NUMBER_PARITY = "5.2.5"


def allocate(higher: Card, lower: Card, first_color: Color) -> tuple[Color, ColorReason]:
    """Return the colour of the higher ranked player of a pair, and why."""
    mine, theirs = higher.preference, lower.preference
    if mine is not theirs or mine is None:
        if mine is not None:
            return mine, ColorReason.BOTH_PREFERENCES
        if theirs is not None:
            return theirs.other, ColorReason.BOTH_PREFERENCES
        return (first_color if higher.is_odd else first_color.other), ColorReason.NUMBER_PARITY
    if (winner := _stronger(higher, lower)) is not None:
        return (mine if winner is higher else mine.other), ColorReason.STRONGER_PREFERENCE
    for own, other in zip(reversed(higher.colors), reversed(lower.colors), strict=False):
        if own is not other:
            return other, ColorReason.LAST_DIFFERENCE
    return mine, ColorReason.HIGHER_RANKED


def _stronger(first: Card, second: Card) -> Card | None:
    """Return who has the stronger preference; of two absolute ones the wider difference counts."""
    if first.strength is not second.strength:
        return first if first.strength > second.strength else second
    if first.is_absolute and abs(first.difference) != abs(second.difference):
        return first if abs(first.difference) > abs(second.difference) else second
    return None


class ColorCost(NamedTuple):
    """What one pair adds to the criteria C10, C11, C12 and C13 (each 0 or 1)."""

    c10: int
    c11: int
    c12: int
    c13: int


_FREE = ColorCost(0, 0, 0, 0)


def cost(first: Card, second: Card) -> ColorCost:
    """Return the colour cost of pairing two players."""
    if first.preference is None or first.preference is not second.preference:
        return _FREE
    if first.is_absolute and second.is_absolute:
        # Only topscorers get here (C3): one of the two must take the colour he can't want.
        both_wide = abs(first.difference) > 1 and abs(second.difference) > 1
        return ColorCost(int(both_wide), int(_third_time(first, second)), 1, 0)
    both_firm = min(first.strength, second.strength) >= Strength.STRONG
    return ColorCost(0, 0, 1, int(both_firm))


def _third_time(first: Card, second: Card) -> bool:
    """Return whether one of two players with the same absolute preference gets one colour a third time running."""
    if abs(first.difference) == abs(second.difference):
        return first.repeated is not None and first.repeated is second.repeated
    yielding = second if abs(first.difference) > abs(second.difference) else first
    return yielding.repeated is not None and yielding.repeated is not yielding.preference
