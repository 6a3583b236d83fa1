"""Sets of players as whole numbers: bit i stands for player i."""

from __future__ import annotations

from collections.abc import Iterable, Iterator


def bits(numbers: int) -> Iterator[int]:
    """Yield the positions of the set bits, lowest first."""
    while numbers:
        low = numbers & -numbers
        yield low.bit_length() - 1
        numbers ^= low


def bit_set(positions: Iterable[int]) -> int:
    """Return the set of these positions."""
    result = 0
    for position in positions:
        result |= 1 << position
    return result
