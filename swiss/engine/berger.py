"""Berger tables for any number of players (C.05 annex 1), single and double.

The tables follow from one rule: in round 1 number i meets the number that mirrors it; in every next round all numbers
but the highest move half a table further, the highest stays on the first board and changes colour every round. With an
odd number of players the highest number is nobody, and whoever meets it is free.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from tourney.kernel.errors import TourneyError


@dataclass(frozen=True, slots=True)
class TableRound:
    """One round of a table: (white, black) numbers in board order, and the number that is free (None: nobody)."""

    number: int
    pairs: tuple[tuple[int, int], ...]
    free: int | None = None


def berger_table(players: int, cycles: int = 1) -> tuple[TableRound, ...]:
    """Return all rounds for a number of players.

    With two cycles (or more) the last two rounds of the first are exchanged, so that nobody has one colour three times
    in a row where the cycles meet; every second cycle has the colours turned.
    """
    if players < 2:
        raise TourneyError("roundrobin.too_few", players=players)
    if cycles < 1:
        raise TourneyError("roundrobin.no_cycle", cycles=cycles)
    single = _single(players)
    first = [*single[:-2], single[-1], single[-2]] if cycles > 1 and len(single) > 1 else single
    rounds = list(first)
    for cycle in range(1, cycles):
        rounds += [tuple((black, white) for white, black in pairs) for pairs in single] if cycle % 2 else single
    return tuple(_without_nobody(number, pairs, players) for number, pairs in enumerate(rounds, 1))


def _single(players: int) -> list[tuple[tuple[int, int], ...]]:
    size = players + players % 2
    last, half = size, size // 2
    rounds = []
    for index in range(size - 1):
        shift = index * half

        def moved(number: int, shift: int = shift) -> int:
            return (number - 1 + shift) % (size - 1) + 1

        top = moved(1)
        first = (top, last) if index % 2 == 0 else (last, top)
        rounds.append((first, *((moved(number), moved(size + 1 - number)) for number in range(2, half + 1))))
    return rounds


def _without_nobody(number: int, pairs: tuple[tuple[int, int], ...], players: int) -> TableRound:
    free = next((min(pair) for pair in pairs if max(pair) > players), None)
    return TableRound(number, tuple(pair for pair in pairs if max(pair) <= players), free)


# Varma's groups (C.05 annex 2): players of one federation or school draw their numbers from one group, so that they
# don't meet in the last three rounds. For 12 players numbers 6 and 12 of group C do meet in the last round; the
# published table is kept as it is.
VARMA_GROUPS: Final[dict[int, tuple[tuple[int, ...], ...]]] = {
    10: ((3, 4, 8), (5, 7, 9), (1, 6), (2, 10)),
    12: ((4, 5, 9, 10), (1, 2, 7), (6, 8, 12), (3, 11)),
    14: ((4, 5, 6, 11, 12), (1, 2, 8, 9), (7, 10, 13), (3, 14)),
    16: ((5, 6, 7, 12, 13, 14), (1, 2, 3, 9, 10), (8, 11, 15), (4, 16)),
    18: ((5, 6, 7, 8, 14, 15, 16), (1, 2, 3, 10, 11, 12), (9, 13, 17), (4, 18)),
    20: ((6, 7, 8, 9, 15, 16, 17, 18), (1, 2, 3, 11, 12, 13, 14), (5, 10, 19), (4, 20)),
    22: ((6, 7, 8, 9, 10, 17, 18, 19, 20), (1, 2, 3, 4, 12, 13, 14, 15), (11, 16, 21), (5, 22)),
    24: ((6, 7, 8, 9, 10, 11, 19, 20, 21, 22), (1, 2, 3, 4, 13, 14, 15, 16, 17), (12, 18, 23), (5, 24)),
}


def varma_groups(players: int) -> tuple[tuple[int, ...], ...]:
    """Return the four groups for 9 to 24 players; with an odd number the missing highest number is left out."""
    groups = VARMA_GROUPS.get(players + players % 2)
    if groups is None:
        raise TourneyError("roundrobin.no_varma_table", players=players, low=9, high=24)
    return tuple(tuple(number for number in group if number <= players) for group in groups)


def varma_numbers(origins: Sequence[str], drawn: Sequence[int]) -> tuple[int, ...]:
    """Return everybody's number by restricted drawing (C.05 annex 2), in the order of the players.

    `origins` say who belongs together ("": nobody), `drawn` is the order in which the numbers 1 to n leave the urn. The
    origin with most players comes first and takes the group that has numbers enough for it and is drawn first; without
    such a group the one with most numbers, and so on with the rest. Who is alone gets what is left, in drawn order.
    """
    place = {number: index for index, number in enumerate(drawn)}
    groups = [sorted(group, key=place.__getitem__) for group in varma_groups(len(origins))]
    together: dict[str, list[int]] = {}
    for player, origin in enumerate(origins):
        together.setdefault(origin, []).append(player)
    numbers: dict[int, int] = {}
    for members in sorted(
        (players for origin, players in together.items() if origin and len(players) > 1),
        key=lambda one: (-len(one), one),
    ):
        waiting = list(members)
        while waiting:
            enough = [group for group in groups if len(group) >= len(waiting)]
            if enough:
                chosen = min(enough, key=lambda group: place[group[0]])
            else:
                chosen = max(groups, key=lambda group: (len(group), -place[group[0]] if group else 0))
            while waiting and chosen:
                numbers[waiting.pop(0)] = chosen.pop(0)
    left = sorted((number for group in groups for number in group), key=place.__getitem__)
    alone = [player for player in range(len(origins)) if player not in numbers]
    numbers |= dict(zip(alone, left, strict=True))
    return tuple(numbers[player] for player in range(len(origins)))
