"""The players of one round as bit sets: who may meet whom (C1, C3), who may get the bye (C2, C5), what still completes.

Player i is the i-th in order of score and pairing number; bit i stands for him. Questions about many players at once
are then a few operations on whole numbers, which is what makes pairing fast.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from copy import copy

from swiss.engine.dutch.bits import bits
from swiss.engine.dutch.cards import Card
from swiss.engine.matching import largest_matching
from swiss.engine.plan import NoValidPairing
from tourney.kernel.colors import Color
from tourney.kernel.ids import EntryId

ForbiddenPairs = Collection[frozenset[EntryId]]


class Field:
    """Everybody who is to be paired in the round."""

    def __init__(
        self,
        cards: Sequence[Card],
        *,
        rounds_done: int,
        is_last_round: bool,
        win: int,
        forbidden: ForbiddenPairs = (),
    ) -> None:
        self.cards = cards
        self.size = len(cards)
        self.everybody = (1 << self.size) - 1
        self.rounds_done = rounds_done
        # Art. 1.7: topscorers have more than half of what could be won so far; they exist in the last round only.
        self.topscorers = sum(
            1 << index for index, card in enumerate(cards) if is_last_round and 2 * card.score > rounds_done * win
        )
        self.groups = self._score_groups()
        position = {card.entry: index for index, card in enumerate(cards)}
        self.met = [sum(1 << position[entry] for entry in card.met if entry in position) for card in cards]
        self.forbidden = [0] * self.size
        for pair in forbidden:
            both = [position[entry] for entry in pair if entry in position]
            for index in both:
                self.forbidden[index] |= sum(1 << other for other in both if other != index)
        self.legal = self.legal_pairs()
        self.strictly_legal = self.legal_pairs(exempt=False) if self.topscorers else self.legal
        self._rests: dict[int, bool] = {}
        self.bye_candidates = 0
        self.bye_score: int | None = None

    def _score_groups(self) -> list[range]:
        groups = []
        start = 0
        for index in range(1, self.size + 1):
            if index == self.size or self.cards[index].score != self.cards[start].score:
                groups.append(range(start, index))
                start = index
        return groups

    def legal_pairs(
        self, *, met: bool = True, colors: bool = True, forbidden: bool = True, exempt: bool = True
    ) -> list[int]:
        """Return for each player who may be his opponent; rules can be left out to see which one is in the way.

        Topscorers are exempt from C3 unless `exempt` is False.
        """
        free = self.topscorers if exempt else 0
        absolute = {
            color: sum(
                1 << index for index, card in enumerate(self.cards) if card.is_absolute and card.preference is color
            )
            for color in Color
        }
        result = []
        for index, card in enumerate(self.cards):
            barred = 1 << index
            if met:
                barred |= self.met[index]
            if forbidden:
                barred |= self.forbidden[index]
            if colors and card.is_absolute and card.preference is not None and not free >> index & 1:
                barred |= absolute[card.preference] & ~free
            result.append(self.everybody & ~barred)
        return result

    def with_legal(self, legal: list[int]) -> Field:
        """Return the same field with other possibilities to meet (to ask what would happen if)."""
        other = copy(self)
        other.legal = legal
        other.strictly_legal = [now & strict for now, strict in zip(legal, self.strictly_legal, strict=True)]
        other._rests = {}  # what was found out about completing holds for the old possibilities only
        return other

    def choose_bye_score(self) -> None:
        """Find the lowest score the bye can go to with everybody else paired (C4, C5), or raise NoValidPairing."""
        if self.size < 2:
            raise NoValidPairing("pairing.too_few", players=self.size)
        if self.size % 2 == 0:
            if not self.completes(self.everybody, 0):
                raise self.no_valid_pairing()
            return
        for group in reversed(self.groups):
            candidates = sum(1 << index for index in group if self.cards[index].may_get_bye)
            if candidates and self.completes(self.everybody, candidates):
                self.bye_candidates = candidates
                self.bye_score = self.cards[group.start].score
                return
        raise self.no_valid_pairing()

    def completes(self, players: int, bye_candidates: int, legal: Sequence[int] | None = None) -> bool:
        """Return whether these players can all be paired with each other, one of an odd number getting the bye."""
        legal = self.legal if legal is None else legal
        if not players:
            return True
        if players.bit_count() % 2 == 0:
            return surely_completes(players, legal) or self._matched(players, 0, legal)
        bye_candidates &= players
        if not bye_candidates:
            return False
        # The candidate with the fewest possible opponents is the one best spared.
        spared = min(bits(bye_candidates), key=lambda index: (legal[index] & players).bit_count())
        if surely_completes(players & ~(1 << spared), legal):
            return True
        return self._matched(players, bye_candidates, legal)

    def rest_completes(self, players: int) -> bool:
        """Return whether these players, the last of the field, can all be paired, the bye going to one of its score."""
        if (known := self._rests.get(players)) is None:
            known = self._rests[players] = self.completes(players, self.bye_candidates)
        return known

    def least_degree(self, players: int) -> int:
        """Return the smallest number of possible opponents anybody has among these players."""
        return min((self.legal[index] & players).bit_count() for index in bits(players))

    def _matched(self, players: int, bye_candidates: int, legal: Sequence[int]) -> bool:
        return -1 not in self.complete_matching(players, bye_candidates, legal)[0]

    def complete_matching(self, players: int, bye_candidates: int, legal: Sequence[int]) -> tuple[list[int], list[int]]:
        """Return a largest matching of these players (positions in the second list; the bye is an extra vertex)."""
        members = list(bits(players))
        place = {index: vertex for vertex, index in enumerate(members)}
        neighbours = [sum(1 << place[other] for other in bits(legal[index] & players)) for index in members]
        if bye_candidates:
            bye_row = 0
            for index in bits(bye_candidates & players):
                bye_row |= 1 << place[index]
                neighbours[place[index]] |= 1 << len(members)
            neighbours.append(bye_row)
        return largest_matching(neighbours, len(neighbours)), members

    def no_valid_pairing(self) -> NoValidPairing:
        """Return the error that says who is left over, what bars his opponents, and what could be lifted."""
        may_get_bye = sum(1 << index for index, card in enumerate(self.cards) if card.may_get_bye)
        odd = self.size % 2 == 1
        mate, members = self.complete_matching(self.everybody, may_get_bye if odd else 0, self.legal)
        over = [members[vertex] for vertex, partner in enumerate(mate[: len(members)]) if partner < 0]
        lifted = {
            "C1": (self.legal_pairs(met=False), may_get_bye),
            "C2": (self.legal, self.everybody),
            "C3": (self.legal_pairs(colors=False), may_get_bye),
            "forbidden": (self.legal_pairs(forbidden=False), may_get_bye),
        }
        no_colors = self.legal_pairs(met=False, forbidden=False)
        return NoValidPairing(
            "pairing.no_valid_pairing",
            entries=[self.cards[index].entry for index in over],
            blocked=[
                [
                    self.cards[index].entry,
                    self.met[index].bit_count(),
                    self.forbidden[index].bit_count(),
                    self.size - 1 - no_colors[index].bit_count(),
                ]
                for index in over
            ],
            lifting=[
                rule
                for rule, (legal, candidates) in lifted.items()
                if self.completes(self.everybody, candidates if odd else 0, legal)
            ],
        )


def surely_completes(players: int, legal: Sequence[int]) -> bool:
    """Return True when counting possible opponents proves that an even number of players can all be paired.

    Chvátal's condition on the degrees gives a cycle through all of them, and every second edge of it is a pairing.
    """
    count = players.bit_count()
    if count == 2:
        low = (players & -players).bit_length() - 1
        return bool(legal[low] & players)
    degrees = sorted((legal[index] & players).bit_count() for index in bits(players))
    half = count // 2
    if not degrees or degrees[0] >= half:
        return True
    return all(degrees[rank - 1] > rank or degrees[count - rank - 1] >= count - rank for rank in range(1, half))
