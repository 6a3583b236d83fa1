"""Matchings against plain enumeration on small graphs; the graphs come from a printed seed."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from swiss.engine.matching import best_perfect_matching, largest_matching
from tourney.kernel.chance import Chance

Weights = list[dict[int, int]]


def random_graph(chance: Chance, size: int, density: int, highest: int) -> Weights:
    weights: Weights = [{} for _ in range(size)]
    for first in range(size):
        for second in range(first):
            if chance.below(100) < density:
                weights[first][second] = weights[second][first] = chance.below(highest) * highest**4
    return weights


def perfect_matchings(weights: Weights, left: tuple[int, ...]) -> Iterator[int]:
    """Yield the weight of every perfect matching of the vertices that are left."""
    if not left:
        yield 0
        return
    first, *rest = left
    for other in rest:
        if other in weights[first]:
            remaining = tuple(vertex for vertex in rest if vertex != other)
            for weight in perfect_matchings(weights, remaining):
                yield weight + weights[first][other]


def most_pairs(weights: Weights, left: tuple[int, ...]) -> int:
    if len(left) < 2:
        return 0
    first, *rest = left
    best = most_pairs(weights, tuple(rest))
    for other in rest:
        if other in weights[first]:
            best = max(best, 1 + most_pairs(weights, tuple(vertex for vertex in rest if vertex != other)))
    return best


@pytest.mark.parametrize("density", [20, 40, 70, 100])
@pytest.mark.parametrize("highest", [2, 4, 50, 2**60])
def test_best_perfect_matching_equals_enumeration(density: int, highest: int) -> None:
    chance = Chance.labelled(density, f"matching/{highest}")
    for _ in range(60):
        size = 2 + 2 * chance.below(4)
        weights = random_graph(chance, size, density, highest)
        best = max(perfect_matchings(weights, tuple(range(size))), default=None)

        mate = best_perfect_matching(weights)

        if mate is None:
            assert best is None
        else:
            assert [mate[mate[vertex]] for vertex in range(size)] == list(range(size))
            assert sum(weights[vertex][mate[vertex]] for vertex in range(size)) == 2 * (best or 0)


@pytest.mark.parametrize("density", [10, 25, 50, 90])
def test_largest_matching_equals_enumeration(density: int) -> None:
    chance = Chance.labelled(density, "largest")
    for _ in range(80):
        size = 1 + chance.below(9)
        weights = random_graph(chance, size, density, 2)
        neighbours = [sum(1 << other for other in row) for row in weights]

        mate = largest_matching(neighbours, size)

        matched = [vertex for vertex in range(size) if mate[vertex] >= 0]
        assert [mate[mate[vertex]] for vertex in matched] == matched
        assert [vertex for vertex in matched if mate[vertex] not in weights[vertex]] == []
        assert len(matched) == 2 * most_pairs(weights, tuple(range(size)))


def test_odd_cycles_are_no_obstacle() -> None:
    # Two triangles joined by one edge: the only perfect matching uses it.
    edges = [(0, 1), (1, 2), (0, 2), (3, 4), (4, 5), (3, 5), (2, 3)]
    weights: Weights = [{} for _ in range(6)]
    for first, second in edges:
        weights[first][second] = weights[second][first] = 1

    assert best_perfect_matching(weights) == [1, 0, 3, 2, 5, 4]
