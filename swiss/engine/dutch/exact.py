"""Pairing one bracket exactly, whatever it is like: heaviest matchings, then the order of generation.

A bracket's best pairing is a perfect matching of maximum weight in a graph of the bracket and the ways out of it
(art. 3, C6–C21). Whatever ties is decided by the order in which the rules generate candidates (art. 3.6–3.8, 4.2–4.4),
as further fields of the weight: first which MDPs are paired and with whom, then the transposition of the remainder,
with exchanges only if nothing is as good without.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from enum import IntEnum

from swiss.engine.dutch.bits import bit_set, bits
from swiss.engine.dutch.bracket import BYE, OUT, Bracket, Pair, Paired
from swiss.engine.dutch.field import Field
from swiss.engine.dutch.lookahead import next_is_best
from swiss.engine.dutch.order import Exchanges
from swiss.engine.dutch.weights import Criteria
from swiss.engine.matching import best_perfect_matching

InnerEdge = tuple[int, int, int]  # two players and a weight


class Reach(IntEnum):
    """How much of the field the graph holds; free places stand for the rest, which is checked afterwards."""

    NEAR = 0  # the bracket: the next one is taken to be as good as its number allows
    NEXT = 1  # and the next score group: those behind are taken to complete with whoever comes
    WHOLE = 2  # everybody


class _Graph:
    """The graph of a bracket, its next score group and the ways out.

    Free places stand for whom the graph leaves out; there is one more vertex for the bye.
    """

    def __init__(self, field: Field, bracket: Bracket, criteria: Criteria, reach: Reach, places: int) -> None:
        self.field, self.bracket, self.criteria, self.reach = field, bracket, criteria, reach
        self.players = list(bracket.members)
        if reach >= Reach.NEXT:
            self.players += bracket.next_group
        if reach is Reach.WHOLE:
            self.players += bits(bracket.below)
        self.vertex = {index: number for number, index in enumerate(self.players)}
        size = len(self.players)
        self.bye_candidates = bracket.bye_candidates & bit_set(self.players)
        self.bye = size if self.bye_candidates else -1
        size += self.bye >= 0
        left_out = {Reach.NEAR: bool(bracket.next_group), Reach.NEXT: bool(bracket.below), Reach.WHOLE: False}[reach]
        self.places = list(range(size, size + places + (size + places) % 2)) if left_out else []
        self.size = size + len(self.places)
        self.outer = self._outer_weights()

    def _outer_weights(self) -> list[tuple[int, int, int]]:
        """Return the edges that stay the same in every stage: outside the bracket and out of it."""
        bracket, criteria, legal, vertex = self.bracket, self.criteria, self.field.legal, self.vertex
        next_bits = bit_set(bracket.next_group)
        members = bit_set(bracket.members)
        others = bit_set(self.players) & ~members
        edges = []
        in_next = criteria.below(None)
        for index in self.players:
            for other in bits(legal[index] & others):
                if members >> index & 1:
                    weight = criteria.below(index) if next_bits >> other & 1 else 0
                elif other > index:
                    weight = in_next if next_bits >> other & 1 and next_bits >> index & 1 else 0
                else:
                    continue
                edges.append((vertex[index], vertex[other], weight))
            if self.bye_candidates >> index & 1:
                edges.append((vertex[index], self.bye, criteria.bye(index) if members >> index & 1 else 0))
            edges.extend((vertex[index], place, 0) for place in self.places)
        for number, place in enumerate(self.places):
            edges.extend((place, other, 0) for other in self.places[number + 1 :])
        return edges

    def solve(self, inner: Sequence[InnerEdge], shift: int) -> dict[int, int] | None:
        """Return everybody's partner in the best matching; `inner` are the pairs in the bracket."""
        weights: list[dict[int, int]] = [{} for _ in range(self.size)]
        for first, second, weight in self.outer:
            weights[first][second] = weights[second][first] = weight << shift
        for index, other, weight in inner:
            first, second = self.vertex[index], self.vertex[other]
            weights[first][second] = weights[second][first] = weight
        mate = best_perfect_matching(weights)
        if mate is None:
            return None
        self.mate = mate
        count = len(self.players)
        return {
            index: self.players[mate[number]] if mate[number] < count else BYE if mate[number] == self.bye else OUT
            for number, index in enumerate(self.players)
        }

    def outer_value(self) -> int:
        """Return what the last matching is worth outside the bracket."""
        return sum(weight for first, second, weight in self.outer if self.mate[first] == second)


def pair_bracket(field: Field, bracket: Bracket) -> Paired:
    """Return the pairing of a bracket that the rules put first."""
    residents = bit_set(bracket.residents)
    moved = bit_set(bracket.moved_down)
    lonely = sum(
        not field.legal[index] & (residents if moved >> index & 1 else residents | moved) for index in bracket.members
    )
    if lonely == len(bracket.members):
        return Paired((), bracket.members)  # nobody may meet anybody: all float
    for reach in Reach:
        places = lonely + 2
        while places <= 2 * len(bracket.members) + 2:
            solver = _Solver(field, bracket, reach, places)
            paired = solver.solve()
            if paired is not None and not solver.crowded:
                if solver.is_confirmed():
                    return paired
                break
            if not solver.graph.places:
                break
            places *= 2
    raise AssertionError("a bracket can't be completed although the field can")


def solve_whole(field: Field, bracket: Bracket) -> tuple[Paired, dict[int, int]] | None:
    """Return the best pairing of a bracket and everybody's partner in a completion of it; None when there is none.

    Slower than `pair_bracket`, with the same answer: for explanations, which also ask what would happen otherwise.
    """
    solver = _Solver(field, bracket, Reach.WHOLE, 0)
    paired = solver.solve()
    return None if paired is None else (paired, solver.partners())


def solve_values(field: Field, bracket: Bracket) -> dict[int, int] | None:
    """Return everybody's partner in some completion that is best by C6 to C21, whatever its place in the order.

    One matching instead of three, and smaller weights: enough to compare values.
    """
    return _Solver(field, bracket, Reach.WHOLE, 0).solve_values()


def solve_values_near(field: Field, bracket: Bracket) -> Paired | None:
    """Return a pairing that is best by C6 to C21 if the next bracket takes its floaters well; None when in doubt."""
    legal, members = field.legal, bit_set(bracket.members)
    lonely = sum(not legal[index] & members for index in bracket.members)
    solver = _Solver(field, bracket, Reach.NEAR, lonely + 2)
    partners = solver.solve_values()
    if partners is None:
        return None
    solver.last = partners
    if solver.crowded or not solver.is_confirmed():
        return None
    pairs = [(index, partners[index]) for index in bracket.members if partners[index] > index]
    return Paired(tuple(pairs), tuple(index for index in bracket.members if partners[index] < 0))


class _Solver:
    def __init__(self, field: Field, bracket: Bracket, reach: Reach, places: int) -> None:
        self.field, self.bracket, self.reach, self.places = field, bracket, reach, places
        self.count_unplayed = bool(bracket.bye_candidates & bit_set(bracket.members))
        self.graph = self._make_graph()
        self.last: dict[int, int] = {}

    def _make_graph(self) -> _Graph:
        criteria = Criteria(self.field, self.bracket, count_unplayed=self.count_unplayed)
        return _Graph(self.field, self.bracket, criteria, self.reach, self.places)

    @property
    def crowded(self) -> bool:
        """All free places were taken, so more of them might give another answer."""
        return bool(self.graph.places) and list(self.last.values()).count(OUT) >= len(self.graph.places)

    def is_confirmed(self) -> bool:
        """Return whether what the graph took for granted about those left out holds for this answer."""
        out = bit_set(index for index, partner in self.last.items() if partner == OUT)
        if self.reach is Reach.NEAR:
            return next_is_best(self.field, self.bracket, out)
        candidates = 0 if self.graph.bye >= 0 else self.bracket.bye_candidates
        return self.reach is Reach.WHOLE or self.field.completes(out | self.bracket.below, candidates)

    def partners(self) -> dict[int, int]:
        """Return everybody's partner in the last matching."""
        return dict(self.last)

    def solve(self) -> Paired | None:
        moved_pairs = self._pair_moved_down()
        if moved_pairs is None:
            return None
        taken = {index for pair in moved_pairs for index in pair}
        rest_pairs = self._pair_remainder(taken)
        if rest_pairs is None:
            return None
        pairs = sorted([*moved_pairs, *rest_pairs])
        taken |= {index for pair in rest_pairs for index in pair}
        floaters = tuple(index for index in self.bracket.members if index not in taken)
        return Paired(tuple(pairs), floaters)

    def solve_values(self) -> dict[int, int] | None:
        """Return the partners in a heaviest matching of the criteria alone."""
        pair = self.graph.criteria.pair
        edges = self._edges(self.bracket.residents, self.bracket.moved_down)
        partners = self.graph.solve([(first, second, pair(first, second)) for first, second in edges], 0)
        if partners is not None and self.count_unplayed and not self._one_floater_gets_bye(partners):
            self.count_unplayed = False
            self.graph = self._make_graph()
            return self.solve_values()
        return partners

    def _edges(self, among: Sequence[int], moved: Sequence[int]) -> list[Pair]:
        legal = self.field.legal
        edges = [(first, second) for first in moved for second in among if legal[first] >> second & 1]
        for number, first in enumerate(among):
            edges.extend((first, second) for second in among[number + 1 :] if legal[first] >> second & 1)
        return edges

    def _pair_moved_down(self) -> list[Pair] | None:
        """Fix who of the MDPs is paired, and with whom (art. 3.8: the smallest such choices in lexicographic order)."""
        bracket = self.bracket
        residents, moved = bracket.residents, bracket.moved_down
        count, base = len(moved), (len(residents) + 1).bit_length()
        shift = count + base * count
        place = {index: number for number, index in enumerate(residents)}
        rank = {index: number for number, index in enumerate(moved)}
        inner = []
        for first, second in self._edges(residents, moved):
            weight = self.graph.criteria.pair(first, second) << shift
            if first in rank:
                behind = count - 1 - rank[first]
                weight += 1 << base * count + behind
                weight += (len(residents) - place[second]) << base * behind
            inner.append((first, second, weight))
        if (partners := self.graph.solve(inner, shift)) is None:
            return None
        self.last = partners
        if self.count_unplayed and not self._one_floater_gets_bye(partners):
            # C9 speaks of a bracket whose only downfloater is the one who gets the bye.
            self.count_unplayed = False
            self.graph = self._make_graph()
            return self._pair_moved_down()
        members = set(bracket.members)
        return [(index, partners[index]) for index in moved if partners[index] in members]

    def _one_floater_gets_bye(self, partners: dict[int, int]) -> bool:
        members = set(self.bracket.members)
        floaters = [index for index in self.bracket.members if partners[index] not in members]
        return len(floaters) == 1 and partners[floaters[0]] == BYE

    def _pair_remainder(self, taken: set[int]) -> list[Pair] | None:
        rest = [index for index in self.bracket.residents if index not in taken]
        among = set(rest)
        pairs = sum(1 for index in rest if self.last[index] in among) // 2
        if not pairs:
            return []
        criteria = self.graph.criteria
        kept = self._fixed(taken)
        base = {edge: criteria.pair(*edge) for edge in self._edges(rest, ())}
        best = self._value(rest, base)
        # Without an exchange first: when that is as good, no exchange comes before it (art. 4.3).
        plain = self._transpose(rest, rest[:pairs], base, kept)
        if plain is not None and self._value(rest, base) == best:
            return plain
        exchanges = Exchanges(rest, pairs)

        def weigh(first: int, second: int) -> int:
            return (base[first, second] << exchanges.bits) + exchanges.weight(first)

        partners = self._solve_rest(base, weigh, kept, exchanges.bits)
        if partners is None:
            return None
        higher = [index for index in rest if partners[index] in among and partners[index] > index]
        return self._transpose(rest, higher, base, kept)

    def _value(self, rest: Sequence[int], base: Mapping[Pair, int]) -> int:
        """Return what the last matching is worth, but for the pairs of the MDPs."""
        partners = self.last
        inside = sum(base.get((index, partners[index]), 0) for index in rest)
        return inside + self.graph.outer_value()

    def _transpose(
        self, rest: Sequence[int], higher: Sequence[int], base: Mapping[Pair, int], kept: list[InnerEdge]
    ) -> list[Pair] | None:
        """Give each player of S1, from the top, the first partner in S2 that loses nothing (art. 4.2)."""
        upper = set(higher)
        lower = [index for index in rest if index not in upper]
        digit = (len(lower) + 1).bit_length()
        rank = {index: number for number, index in enumerate(higher)}
        place = {index: number for number, index in enumerate(lower)}

        def weigh(first: int, second: int) -> int:
            top, bottom = (first, second) if first in upper else (second, first)
            behind = len(higher) - 1 - rank[top]
            weight = base[first, second] << digit * len(higher)
            return weight + ((len(lower) - place[bottom]) << digit * behind)

        edges = [(first, second) for first, second in base if (first in upper) != (second in upper)]
        partners = self._solve_rest(edges, weigh, kept, digit * len(higher))
        if partners is None:
            return None
        self.last = partners
        return [tuple(sorted((index, partners[index]))) for index in higher]  # type: ignore[misc]

    def _fixed(self, taken: set[int]) -> list[InnerEdge]:
        """Return the pairs of the MDPs that are settled, as edges nobody can outbid."""
        moved = [index for index in self.bracket.moved_down if index in taken]
        return [(index, self.last[index], 0) for index in moved]

    def _solve_rest(
        self,
        edges: Iterable[Pair],
        weigh: Callable[[int, int], int],
        kept: list[InnerEdge],
        shift: int,
    ) -> dict[int, int] | None:
        inner = [(first, second, weigh(first, second)) for first, second in edges]
        sure = 1 << (self.graph.criteria.bits + shift + 2)
        inner.extend((first, second, sure) for first, second, _ in kept)
        return self.graph.solve(inner, shift)
