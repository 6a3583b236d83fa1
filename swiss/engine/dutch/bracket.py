"""Pairing one bracket exactly: the criteria as bit fields of one weight, then the order of generation.

A bracket holds moved-down players (MDPs) and residents. Its best pairing is a perfect matching of maximum weight in a
graph of the bracket, the next score group and a way out for those who float further (art. 3, C6–C21). Whatever ties is
decided by the order in which the rules generate candidates (art. 3.6–3.8, 4.2–4.4), also as fields of the weight:
first which MDPs are paired and with whom, then the exchanges of the remainder, then its transposition.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from swiss.engine.dutch.bits import bits
from swiss.engine.dutch.cards import Float
from swiss.engine.dutch.colors import cost
from swiss.engine.dutch.field import Field
from swiss.engine.dutch.order import Exchanges
from swiss.engine.matching import best_perfect_matching

Pair = tuple[int, int]


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


class Layout:
    """Fields packed into one whole number, the first the most important."""

    def __init__(self) -> None:
        self.widths: list[int] = []

    def add(self, highest_sum: int) -> int:
        """Reserve a field for values that sum up to at most this; return its number."""
        self.widths.append(max(1, highest_sum.bit_length()))
        return len(self.widths) - 1

    def shifts(self) -> list[int]:
        """Return where each field starts."""
        shifts = []
        position = sum(self.widths)
        for width in self.widths:
            position -= width
            shifts.append(position)
        return shifts


class Criteria:
    """The weights C6–C21 give to the pairs inside a bracket and to the ways out of it."""

    def __init__(self, field: Field, bracket: Bracket, *, count_unplayed: bool) -> None:
        self.field = field
        cards = field.cards
        self.moved = set(bracket.moved_down)
        most = len(bracket.members) + len(bracket.next_group) + 2
        layout = Layout()
        moved_scores = sorted({cards[index].score for index in bracket.moved_down}, reverse=True)
        bracket_scores = sorted({cards[index].score for index in bracket.members}, reverse=True)
        fields = {"C6": layout.add(most)}
        for score in moved_scores:
            fields[f"C7.{score}"] = layout.add(most)
        fields["C8"] = layout.add(most)
        for score in bracket_scores:
            fields[f"C8.{score}"] = layout.add(most)
        if count_unplayed:
            fields["C9"] = layout.add(field.rounds_done)
        names = ["C12", "C13", "C14", "C15", "C16", "C17"]
        if field.topscorers:
            names = ["C10", "C11", *names]
        for name in names:
            fields[name] = layout.add(most)
        for name in ("C18", "C19", "C20", "C21"):
            for score in moved_scores:
                fields[f"{name}.{score}"] = layout.add(most)
        self.bits = sum(layout.widths)
        shifts = layout.shifts()
        self.unit = {name: 1 << shifts[number] for name, number in fields.items()}
        self.count_unplayed = count_unplayed
        self._resident_gain = {index: self._resident(index) for index in bracket.residents}
        self._moved_gain = {index: self._moved_down(index) for index in bracket.moved_down}
        self._upfloat_loss = {
            index: {score: self._upfloat(index, score) for score in moved_scores} for index in bracket.residents
        }
        unit = self.unit
        self._pair_base = unit["C6"] + sum(unit[name] for name in ("C12", "C13", "C15", "C17"))
        if field.topscorers:
            self._pair_base += unit["C10"] + unit["C11"]

    def _resident(self, index: int) -> int:
        card = self.field.cards[index]
        gain = self.unit["C14"] if card.last_float is Float.DOWN else 0
        return gain + (self.unit["C16"] if card.float_before is Float.DOWN else 0)

    def _moved_down(self, index: int) -> int:
        card = self.field.cards[index]
        unit, score = self.unit, card.score
        gain = unit[f"C7.{score}"] + unit[f"C19.{score}"] + unit[f"C21.{score}"]
        if card.last_float is Float.DOWN:
            gain += unit[f"C18.{score}"]
        if card.float_before is Float.DOWN:
            gain += unit[f"C20.{score}"]
        return gain

    def _upfloat(self, index: int, score: int) -> int:
        card = self.field.cards[index]
        loss = 0
        if card.last_float is Float.UP:
            loss += self.unit["C15"] + self.unit[f"C19.{score}"]
        if card.float_before is Float.UP:
            loss += self.unit["C17"] + self.unit[f"C21.{score}"]
        return loss

    def pair(self, first: int, second: int) -> int:
        """Return the weight of a pair inside the bracket; `second` is a resident."""
        cards = self.field.cards
        unit = self.unit
        weight = self._pair_base + self._resident_gain[second]
        if first in self.moved:
            weight += self._moved_gain[first] - self._upfloat_loss[second][cards[first].score]
        else:
            weight += self._resident_gain[first]
        colors = cost(cards[first], cards[second])
        if colors.c12:
            weight -= unit["C12"]
            if colors.c13:
                weight -= unit["C13"]
            if colors.c10:
                weight -= unit["C10"]
            if colors.c11:
                weight -= unit["C11"]
        return weight

    def below(self, floater: int | None) -> int:
        """Return the weight of a pair in the next bracket: a floater with a player there, or two of those (None)."""
        weight = self.unit["C8"]
        return weight if floater is None else weight + self.unit[f"C8.{self.field.cards[floater].score}"]

    def bye(self, index: int) -> int:
        """Return the weight of giving the bye to a player of the bracket."""
        if not self.count_unplayed:
            return 0
        return self.unit["C9"] * self.field.cards[index].games


class _Graph:
    """The graph of a bracket, its next score group and the ways out.

    When `whole` is False, everybody behind the next score group is represented by a few free places: exact as long as
    those behind can be completed with whoever comes, which is checked afterwards.
    """

    def __init__(self, field: Field, bracket: Bracket, criteria: Criteria, *, whole: bool, places: int) -> None:
        self.field, self.bracket, self.criteria, self.whole = field, bracket, criteria, whole
        self.players = [*bracket.members, *bracket.next_group]
        if whole:
            self.players += bits(bracket.below)
        self.vertex = {index: number for number, index in enumerate(self.players)}
        size = len(self.players)
        bye_here = bracket.bye_candidates & sum(1 << index for index in self.players)
        self.bye = size if bye_here else -1
        size += self.bye >= 0
        self.places = [] if whole or not bracket.below else list(range(size, size + places + (size + places) % 2))
        self.size = size + len(self.places)
        self.bye_candidates = bye_here
        self.outer = self._outer_weights()

    def _outer_weights(self) -> list[tuple[int, int, int]]:
        """Return the edges that stay the same in every stage: outside the bracket and out of it."""
        bracket, criteria, legal, vertex = self.bracket, self.criteria, self.field.legal, self.vertex
        next_bits = sum(1 << index for index in bracket.next_group)
        members = sum(1 << index for index in bracket.members)
        edges = []
        in_next = criteria.below(None)
        for index in self.players:
            for other in bits(legal[index] & ~members):
                if other not in vertex:
                    continue
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

    def solve(self, inner: Sequence[tuple[int, int, int]], shift: int) -> dict[int, int] | None:
        """Return partners by player (−1: none known) in the best matching; `inner` are the pairs in the bracket."""
        weights: list[dict[int, int]] = [{} for _ in range(self.size)]
        for first, second, weight in self.outer:
            weights[first][second] = weights[second][first] = weight << shift
        for index, other, weight in inner:
            first, second = self.vertex[index], self.vertex[other]
            weights[first][second] = weights[second][first] = weight
        mate = best_perfect_matching(weights)
        if mate is None:
            return None
        count = len(self.players)
        return {
            index: self.players[mate[number]] if mate[number] < count else -1 - (mate[number] != self.bye)
            for number, index in enumerate(self.players)
        }


BYE, OUT = -1, -2


def pair_bracket(field: Field, bracket: Bracket) -> Paired:
    """Return the pairing of a bracket that the rules put first."""
    places = 2
    while bracket.below and places <= 2 * len(bracket.members) + 2:
        solver = _Solver(field, bracket, whole=False, places=places)
        paired = solver.solve()
        if paired is not None and not solver.crowded and solver.completes():
            return paired
        if paired is not None and not solver.crowded:
            break
        places *= 2
    paired = _Solver(field, bracket, whole=True, places=0).solve()
    if paired is None:
        raise AssertionError("a bracket can't be completed although the field can")
    return paired


def solve_whole(field: Field, bracket: Bracket) -> tuple[Paired, dict[int, int]] | None:
    """Return the best pairing of a bracket and everybody's partner in a completion of it; None when there is none.

    Slower than `pair_bracket`, with the same answer: for explanations, which also ask what would happen otherwise.
    """
    solver = _Solver(field, bracket, whole=True, places=0)
    paired = solver.solve()
    return None if paired is None else (paired, solver.partners())


class _Solver:
    def __init__(self, field: Field, bracket: Bracket, *, whole: bool, places: int) -> None:
        self.field, self.bracket = field, bracket
        members = sum(1 << index for index in bracket.members)
        self.count_unplayed = bool(bracket.bye_candidates & members)
        self.whole, self.places = whole, places
        self.graph = self._make_graph()
        self.last: dict[int, int] = {}

    def _make_graph(self) -> _Graph:
        criteria = Criteria(self.field, self.bracket, count_unplayed=self.count_unplayed)
        return _Graph(self.field, self.bracket, criteria, whole=self.whole, places=self.places)

    @property
    def crowded(self) -> bool:
        """All free places were taken, so more of them might give another answer."""
        return bool(self.graph.places) and list(self.last.values()).count(OUT) >= len(self.graph.places)

    def completes(self) -> bool:
        """Return whether those behind can be paired together with everybody who floats to them."""
        out = sum(1 << index for index, partner in self.last.items() if partner == OUT)
        candidates = 0 if self.graph.bye >= 0 else self.bracket.bye_candidates
        return self.field.completes(out | self.bracket.below, candidates)

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
        edges = self._edges(rest, ())
        base = {edge: criteria.pair(*edge) for edge in edges}
        exchanges = Exchanges(rest, pairs)

        def exchange(first: int, second: int) -> int:
            return (base[first, second] << exchanges.bits) + exchanges.weight(first)

        partners = self._solve_rest(edges, exchange, kept, exchanges.bits)
        if partners is None:
            return None
        higher = [index for index in rest if partners[index] in among and partners[index] > index]
        return self._transpose(rest, higher, base, kept)

    def _transpose(
        self, rest: Sequence[int], higher: Sequence[int], base: dict[Pair, int], kept: list[tuple[int, int, int]]
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

    def _fixed(self, taken: set[int]) -> list[tuple[int, int, int]]:
        """Return the pairs of the MDPs that are settled, as edges nobody can outbid."""
        moved = [index for index in self.bracket.moved_down if index in taken]
        return [(index, self.last[index], 0) for index in moved]

    def _solve_rest(
        self,
        edges: Sequence[Pair],
        weigh: Callable[[int, int], int],
        kept: list[tuple[int, int, int]],
        shift: int,
    ) -> dict[int, int] | None:
        inner = [(first, second, weigh(first, second)) for first, second in edges]
        sure = 1 << (self.graph.criteria.bits + shift + 2)
        inner.extend((first, second, sure) for first, second, _ in kept)
        return self.graph.solve(inner, shift)
