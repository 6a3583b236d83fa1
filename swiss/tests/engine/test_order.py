"""The order of generation: transpositions and exchanges against plain enumeration by the words of art. 4.2 and 4.3."""

from __future__ import annotations

from itertools import combinations, permutations

import pytest

from swiss.engine.dutch.order import Exchanges, first_transposition
from tourney.kernel.chance import Chance


def first_by_enumeration(pairs: int, size: int, allowed: list[int], floaters: int | None) -> list[int] | None:
    for order in permutations(range(pairs, size)):
        if all(allowed[high] >> low & 1 for high, low in zip(range(pairs), order, strict=False)):
            left = order[pairs:]
            if floaters is None or any(floaters >> low & 1 for low in left):
                return list(order[:pairs])
    return None


@pytest.mark.parametrize("seed", range(120))
def test_first_transposition_is_the_lexicographically_first(seed: int) -> None:
    chance = Chance.labelled(seed, "transposition")
    pairs = 1 + chance.below(4)
    odd = chance.below(2)
    size = 2 * pairs + odd
    allowed = [0] * size
    for high in range(pairs):
        for low in range(pairs, size):
            if chance.below(100) < 55:
                allowed[high] |= 1 << low
                allowed[low] |= 1 << high
    lower = (1 << size) - (1 << pairs)
    floaters = sum(1 << low for low in range(pairs, size) if chance.below(2)) if odd else None

    found = first_transposition(range(pairs), lower, allowed, floaters)

    assert found == first_by_enumeration(pairs, size, allowed, floaters)


def exchange_key(size: int, pairs: int, upper: tuple[int, ...]) -> tuple[int, int, list[int], list[int]]:
    """Art. 4.3: fewest, smallest difference, largest leaving S1 (compared from the largest), smallest entering."""
    leaving = sorted(set(range(pairs)) - set(upper), reverse=True)
    entering = sorted(set(upper) - set(range(pairs)))
    return len(leaving), sum(entering) - sum(leaving), [-number for number in leaving], entering


@pytest.mark.parametrize(("size", "pairs"), [(4, 2), (6, 3), (7, 3), (8, 4)])
def test_exchange_weights_follow_the_order_of_the_rules(size: int, pairs: int) -> None:
    exchanges = Exchanges(range(size), pairs)
    # Every set of S1 that can be the higher players of its pairs (each has a partner below him).
    uppers = [
        upper
        for upper in combinations(range(size), pairs)
        if all(
            sum(number >= limit for number in upper) <= size - limit - sum(number >= limit for number in upper)
            for limit in range(size)
        )
    ]

    by_weight = sorted(uppers, key=lambda upper: -sum(exchanges.weight(number) for number in upper))

    assert by_weight == sorted(uppers, key=lambda upper: exchange_key(size, pairs, upper))
    assert max(sum(exchanges.weight(number) for number in upper) for upper in uppers).bit_length() <= exchanges.bits
