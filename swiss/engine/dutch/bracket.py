"""What a bracket is, and what comes out of pairing it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

Pair = tuple[int, int]

# Partners of players who are not paired within what was looked at.
BYE: Final = -1
OUT: Final = -2


@dataclass(frozen=True, slots=True)
class Bracket:
    """What is to be paired: players by their index in the field. `below` are all behind the next score group."""

    moved_down: tuple[int, ...]
    residents: tuple[int, ...]
    next_group: tuple[int, ...]
    below: int
    bye_candidates: int  # wherever they are; 0 when nobody gets the bye any more

    @property
    def members(self) -> tuple[int, ...]:
        return self.moved_down + self.residents


@dataclass(frozen=True, slots=True)
class Paired:
    """A paired bracket: pairs (higher ranked first) and those who float down, in order."""

    pairs: tuple[Pair, ...]
    floaters: tuple[int, ...]
