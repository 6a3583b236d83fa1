"""In which order players stand: the first round, the droppers of the lower bracket, the placement blocks.

The orders decide how soon two players can meet again. The orders named ``tourney`` were found by search: for the
droppers every order of the family "position XOR mask", for the placement blocks linear orders; the best is the one
whose earliest rematches come latest and are rarest. ``brazilian`` is the printed chart used in racket sports;
``natural`` drops everybody straight down.
"""

from __future__ import annotations

from typing import Final

NAMES: Final = ("tourney", "brazilian", "natural")

# size -> lower round -> mask: match i takes the loser of upper match (i XOR mask), both counted from 0
_TOURNEY_MASKS: Final[dict[int, dict[str, int]]] = {
    8: {"L2": 1},
    16: {"L2": 2, "L4": 0},
    32: {"L2": 3, "L4": 2, "L6": 0},
    64: {"L2": 8, "L4": 6, "L6": 1, "L8": 1},
    128: {"L2": 16, "L4": 12, "L6": 2, "L8": 0, "L10": 1},
}

# size -> placement block -> order of its players (neighbours meet first)
_TOURNEY_PLACEMENT: Final[dict[int, dict[str, tuple[int, ...]]]] = {
    32: {"P17": (1, 2, 7, 8, 3, 4, 5, 6), "P13": (1, 3, 2, 4)},
    64: {"P17": (1, 6, 2, 5, 4, 7, 3, 8), "P13": (1, 3, 2, 4)},
    128: {
        "P33": (1, 4, 14, 15, 12, 9, 7, 6, 11, 10, 8, 5, 2, 3, 13, 16),
        "P25": (1, 2, 6, 5, 4, 3, 7, 8),
        "P9": (1, 3, 2, 4),
    },
}

# (size, matches of the first round after the return) -> mask of the lower match that each upper winner meets
_RETURN_MASKS: Final[dict[tuple[int, int], int]] = {
    (16, 2): 1,
    (16, 4): 1,
    (32, 2): 1,
    (32, 4): 3,
    (32, 8): 4,
    (64, 8): 2,
    (64, 16): 4,
    (128, 4): 2,
    (128, 8): 1,
    (128, 16): 4,
    (128, 32): 8,
}


def first_round(size: int) -> list[int]:
    """Return the seeds from top to bottom: the first meets the last, the best two can meet only in the last round."""
    seeds = [1, 2]
    while len(seeds) < size:
        total = 2 * len(seeds) + 1
        seeds = [number for seed in seeds for number in (seed, total - seed)]
    return seeds


def by_mask(count: int, mask: int) -> tuple[int, ...]:
    """Return 1 to count, each exchanged with the position in which the bits of the mask are turned."""
    return tuple((index ^ mask) + 1 for index in range(count))


def drop_in(name: str, size: int, lower_round: str, count: int) -> tuple[int, ...]:
    """Return for each match of a lower round the upper match whose loser it takes."""
    if name == "tourney":
        return by_mask(count, _TOURNEY_MASKS.get(size, {}).get(lower_round, 0))
    if name == "brazilian":
        # The chart alternates: turned round, turned round inside halves, turned round …
        turned_inside_halves = int(lower_round[1:]) % 4 == 0
        return by_mask(count, max(count // 2 - 1, 0) if turned_inside_halves else count - 1)
    return by_mask(count, 0)


def placement(name: str, size: int, block: str, count: int) -> tuple[int, ...]:
    """Return the order in which the losers of a lower round stand in their placement block."""
    if name == "tourney" and block in _TOURNEY_PLACEMENT.get(size, {}):
        return _TOURNEY_PLACEMENT[size][block]
    return tuple(range(1, count + 1))


def return_order(size: int, count: int) -> tuple[int, ...]:
    """Return for each upper winner the lower match whose winner he meets after the return."""
    return by_mask(count, _RETURN_MASKS.get((size, count), 0))
