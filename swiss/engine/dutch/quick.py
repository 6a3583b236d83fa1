"""The quick way to pair a bracket: the first candidate that can't be beaten.

Most brackets have a pairing in which nothing is lost but what the numbers force: every moved-down player is paired, at
most one player floats (and well), no float is repeated, and no more colours are missed than the counts of preferences
demand. Those are lower bounds of C6–C21, and each is kept exactly by leaving out pairs. What is left is a question
without weights: the first candidate, in the order of generation, that uses only the pairs left. Nothing is better, and
nothing as good comes earlier. When there is none, or a bound can't be proved, the answer is None and the bracket is
solved in full by `bracket.pair_bracket`.
"""

from __future__ import annotations

from typing import Final

from swiss.engine.dutch.bits import bit_set, bits
from swiss.engine.dutch.bracket import Bracket, Paired
from swiss.engine.dutch.cards import Card, Float, Strength
from swiss.engine.dutch.field import Field
from swiss.engine.dutch.lookahead import takeable
from swiss.engine.dutch.order import Exchanges, first_transposition
from swiss.engine.matching import best_perfect_matching, largest_matching
from tourney.kernel.colors import Color

# What a player wants: nothing, White (mildly or firmly), Black (mildly or firmly).
_NOTHING, _WHITE, _WHITE_FIRM, _BLACK, _BLACK_FIRM = range(5)
_KINDS: Final = range(5)
_SIDE: Final = (0, 1, 1, 2, 2)
_FIRM: Final = (False, False, True, False, True)


def wish(card: Card) -> int:
    """Return the kind of a player's colour preference."""
    if card.preference is None:
        return _NOTHING
    firm = card.strength >= Strength.STRONG
    if card.preference is Color.WHITE:
        return _WHITE_FIRM if firm else _WHITE
    return _BLACK_FIRM if firm else _BLACK


def _forced(counts: list[int], floater: int) -> tuple[int, int]:
    """Return the least numbers of pairs that miss a preference (C12) and a firm one (C13).

    More than half of the players wanting one colour forces pairs among them; each such pair with a mild wish in it
    spares a firm one.
    """
    nothing, white, white_firm, black, black_firm = counts
    half = (nothing + white + white_firm + black + black_firm - (floater >= 0)) // 2
    over = white + white_firm - (floater in (_WHITE, _WHITE_FIRM)) - half
    if over > 0:
        firm = over - white + (floater == _WHITE)
        return over, max(firm, 0)
    over = black + black_firm - (floater in (_BLACK, _BLACK_FIRM)) - half
    if over > 0:
        firm = over - black + (floater == _BLACK)
        return over, max(firm, 0)
    return 0, 0


def quick_pairing(field: Field, bracket: Bracket) -> Paired | None:
    """Return the pairing of a bracket when one meets all lower bounds, else None."""
    if len(bracket.members) == 1:
        return Paired((), bracket.members)
    unbeaten = _unbeaten(field, bracket)
    return None if unbeaten is None else unbeaten.pairing()


def unbeaten_pairing(field: Field, bracket: Bracket) -> Paired | None:
    """Return some pairing of a bracket that meets all lower bounds, wherever it is in the order of generation.

    The values of the criteria are those of the best pairing, and one matching without weights finds it: in a first
    round of hundreds the exchange that comes first would take minutes.
    """
    if len(bracket.members) == 1:
        return Paired((), bracket.members)
    unbeaten = _unbeaten(field, bracket)
    return None if unbeaten is None else unbeaten.some_pairing()


def _unbeaten(field: Field, bracket: Bracket) -> _Unbeaten | None:
    if len(bracket.moved_down) > len(bracket.residents):
        return None
    floaters = 0
    if len(bracket.members) % 2:
        floaters = _good_floaters(field, bracket)
        if not floaters:
            return None
    elif not _rest_completes(field, bracket):
        return None
    return _Unbeaten(field, bracket, floaters)


def _rest_completes(field: Field, bracket: Bracket) -> bool:
    """Return whether everybody behind the bracket can be paired when nobody floats to them (C4)."""
    members = sum(1 << index for index in bracket.members)
    if bracket.bye_candidates & members:
        return False  # the bye goes to somebody here, so somebody must float
    return field.rest_completes(bracket.below | sum(1 << index for index in bracket.next_group))


def _good_floaters(field: Field, bracket: Bracket) -> int:
    """Return the residents whose float alone is best by C4 to C9, as bits; 0 when that can't be told simply."""
    residents = sum(1 << index for index in bracket.residents)
    following = sum(1 << index for index in bracket.next_group)
    if bye := bracket.bye_candidates & (residents | sum(1 << index for index in bracket.moved_down)):
        bye &= residents
        if not bye or not field.completes(following | bracket.below, 0):
            return 0
        most = max(field.cards[index].games for index in bits(bye))
        return sum(1 << index for index in bits(bye) if field.cards[index].games == most)
    if not following:
        return 0
    # C8: with the floater the next bracket is to be paired whole, or but for one resident of its own (`spare`: those
    # whom the players below, or the bye, can take).
    spare = 0
    if following.bit_count() % 2 == 0:
        spare = takeable(field, bracket, following)
        if not spare:
            return 0
    elif not field.rest_completes(bracket.below):
        return 0
    return _welcome(field, residents, following, spare)


def _welcome(field: Field, residents: int, following: int, spare: int) -> int:
    """Return the residents with whom the next group completes."""
    need = (following.bit_count() + 1) / 2
    # Dirac: with every degree at least half there is a cycle through all; one more or one less leaves that true.
    robust = field.least_degree(following) - 1 >= need
    good = 0
    for index in bits(residents):
        partners = (field.legal[index] & following).bit_count()
        if not partners:
            continue
        if (robust and partners - 1 >= need) or field.completes(following | 1 << index, spare):
            good |= 1 << index
    return good


class _Unbeaten:
    """A bracket with only those pairs left that keep every lower bound; players are positions in the bracket."""

    def __init__(self, field: Field, bracket: Bracket, floaters: int) -> None:
        self.bracket = bracket
        members = bracket.members
        cards = [field.cards[index] for index in members]
        self.moved = len(bracket.moved_down)
        self.residents = (1 << len(members)) - (1 << self.moved)
        first = bracket.residents[0]
        self.kinds = [wish(card) for card in cards]
        self.of_kind = [0] * 5
        for position, kind in enumerate(self.kinds):
            self.of_kind[kind] |= 1 << position
        self.counts = [group.bit_count() for group in self.of_kind]
        self.floats = len(members) % 2 == 1
        self.floaters = floaters >> first << self.moved
        self.bound = self._choose_bound(cards)
        # Two topscorers with the same absolute preference may meet, but never at the lower bound of C10 and C11.
        self.allowed = self._color_bounds(
            [field.strictly_legal[index] >> first << self.moved & self.residents for index in members]
        )
        if self.moved:
            self._keep_from_floating_up_again(cards)

    def _choose_bound(self, cards: list[Card]) -> tuple[int, int]:
        """Return the least C12 and C13, and keep only floaters who attain them without a repeated float (C14, C16)."""
        if not self.floats:
            return _forced(self.counts, -1)
        kinds = {kind: _forced(self.counts, kind) for kind in _KINDS if self.floaters & self.of_kind[kind]}
        bound = min(kinds.values())
        fitting = bit_set(
            position
            for position in bits(self.floaters)
            if kinds[self.kinds[position]] == bound
            and cards[position].last_float is not Float.DOWN
            and cards[position].float_before is not Float.DOWN
        )
        self.floaters = fitting
        return bound

    def _color_bounds(self, legal: list[int]) -> list[int]:
        """Leave only pairs by which the least numbers of missed colours are kept.

        Without forced misses, that is pairs with different wishes. When one colour is wanted by too many, every pair
        must hold one of them: the misses are then as many as the numbers force. A firm wish is missed only when there
        are not enough mild ones, and then every mild one must spare a firm one.
        """
        white = self.of_kind[_WHITE] | self.of_kind[_WHITE_FIRM]
        black = self.of_kind[_BLACK] | self.of_kind[_BLACK_FIRM]
        missed, firm_missed = self.bound
        if not missed:
            apart = (0, white, white, black, black)
            return [row & ~apart[kind] for row, kind in zip(legal, self.kinds, strict=True)]
        crowd = white if white.bit_count() > black.bit_count() else black
        mild = crowd & (self.of_kind[_WHITE] | self.of_kind[_BLACK])
        firm = crowd & ~mild
        kept = []
        for position, row in enumerate(legal):
            if not crowd >> position & 1:
                kept.append(row & (firm if firm_missed else crowd))
            elif firm_missed:
                kept.append(row & firm if mild >> position & 1 else row)
            else:
                kept.append(row & ~firm if firm >> position & 1 else row)
        return kept

    def _keep_from_floating_up_again(self, cards: list[Card]) -> None:
        tired = bit_set(
            position
            for position in range(self.moved, len(cards))
            if cards[position].last_float is Float.UP or cards[position].float_before is Float.UP
        )
        moved = (1 << self.moved) - 1
        for position in range(self.moved):
            self.allowed[position] &= ~tired
        for position in range(self.moved, len(cards)):
            self.allowed[position] |= (
                bit_set(other for other in range(self.moved) if self.allowed[other] >> position & 1) & moved
            )

    def pairing(self) -> Paired | None:
        if self.floats and not self.floaters:
            return None
        hopeful = self._hopeful_opponents()
        if hopeful is not None and (rest := self._first_rest(hopeful)) is not None:
            return self._paired([*enumerate(hopeful), *rest])
        sure = self._sure_opponents()
        if sure is None:
            return None
        if sure != hopeful and (rest := self._first_rest(sure)) is not None:
            return self._paired([*enumerate(sure), *rest])
        return self._paired([*enumerate(sure), *self._exchanged_rest(sure)])

    def some_pairing(self) -> Paired | None:
        """Return any pairing within the bounds, None when there is none."""
        if self.floats and not self.floaters:
            return None
        count = len(self.kinds)
        mate = self._matching((1 << count) - 1)
        if -1 in mate:
            return None
        return self._paired([(first, mate[first]) for first in range(count) if first < mate[first] < count])

    def _paired(self, pairs: list[tuple[int, int]]) -> Paired:
        members = self.bracket.members
        taken = bit_set(position for pair in pairs for position in pair)
        named = sorted((min(members[a], members[b]), max(members[a], members[b])) for a, b in pairs)
        return Paired(tuple(named), tuple(members[p] for p in range(len(members)) if not taken >> p & 1))

    # --- the MDPs ------------------------------------------------------------------------------------------------

    def _hopeful_opponents(self) -> list[int] | None:
        """Return the first opponents of the MDPs that the numbers of wishes allow; nothing more is looked at."""
        counts = list(self.counts)
        left, floaters = self.residents, self.floaters
        missed, firm_missed = self.bound
        chosen = []
        for number in range(self.moved):
            own = self.kinds[number]
            counts[own] -= 1
            for position in bits(self.allowed[number] & left):
                kind = self.kinds[position]
                same = _SIDE[own] == _SIDE[kind] != 0
                both_firm = same and _FIRM[own] and _FIRM[kind]
                counts[kind] -= 1
                still = floaters & ~(1 << position)
                if self._in_reach(counts, still, missed - same, firm_missed - both_firm):
                    break
                counts[kind] += 1
            else:
                return None
            missed -= same
            firm_missed -= both_firm
            floaters = still
            left &= ~(1 << position)
            chosen.append(position)
        return chosen

    def _in_reach(self, counts: list[int], floaters: int, missed: int, firm_missed: int) -> bool:
        if not self.floats:
            forced = _forced(counts, -1)
            return forced[0] <= missed and forced[1] <= firm_missed
        return any(
            (forced := _forced(counts, kind))[0] <= missed and forced[1] <= firm_missed
            for kind in _KINDS
            if floaters & self.of_kind[kind]
        )

    def _sure_opponents(self) -> list[int] | None:
        """Return the first opponents of the MDPs that leave a complete pairing; None when the bounds can't be met."""
        everybody = (1 << len(self.kinds)) - 1
        if not self._completes(everybody):
            return None
        left = everybody
        chosen = []
        for number in range(self.moved):
            left &= ~(1 << number)
            position = next(
                position for position in bits(self.allowed[number] & left) if self._completes(left & ~(1 << position))
            )
            left &= ~(1 << position)
            chosen.append(position)
        return chosen

    def _completes(self, players: int) -> bool:
        """Return whether these can be paired with each other within the bounds, one of the floaters staying over."""
        return -1 not in self._matching(players)

    def _matching(self, players: int) -> list[int]:
        """Return a largest matching of some players within the bounds; the chair of who floats comes after them."""
        members = list(bits(players))
        vertex = {position: number for number, position in enumerate(members)}
        neighbours = [
            bit_set(vertex[other] for other in bits(self.allowed[position] & players)) for position in members
        ]
        if self.floats:
            chair = bit_set(vertex[position] for position in bits(self.floaters & players))
            for number in bits(chair):
                neighbours[number] |= 1 << len(members)
            neighbours.append(chair)
        return largest_matching(neighbours, len(neighbours))

    # --- the remainder -------------------------------------------------------------------------------------------

    def _remainder(self, opponents: list[int]) -> list[int]:
        return list(bits(self.residents & ~bit_set(opponents)))

    def _first_rest(self, opponents: list[int]) -> list[tuple[int, int]] | None:
        rest = self._remainder(opponents)
        pairs = len(rest) // 2
        return self._transposed(rest[:pairs], rest[pairs:])

    def _transposed(self, upper: list[int], lower: list[int]) -> list[tuple[int, int]] | None:
        floaters = self.floaters if self.floats else None
        partners = first_transposition(upper, bit_set(lower), self.allowed, floaters)
        return None if partners is None else list(zip(upper, partners, strict=True))

    def _exchanged_rest(self, opponents: list[int]) -> list[tuple[int, int]]:
        """Return the remainder's pairs after the best exchange; there is one, since the remainder completes."""
        rest = self._remainder(opponents)
        vertex = {position: number for number, position in enumerate(rest)}
        exchanges = Exchanges(rest, len(rest) // 2)
        weights: list[dict[int, int]] = [{} for _ in range(len(rest) + self.floats)]
        players = bit_set(rest)
        for position in rest:
            weight = exchanges.weight(position)
            for other in bits(self.allowed[position] & players >> position << position):
                first, second = vertex[position], vertex[other]
                weights[first][second] = weights[second][first] = weight
        if self.floats:
            for position in bits(self.floaters & players):
                weights[vertex[position]][len(rest)] = weights[len(rest)][vertex[position]] = 0
        mate = best_perfect_matching(weights)
        if mate is None:
            raise AssertionError("a remainder that completes has a perfect matching")
        upper = [position for position in rest if vertex[position] < mate[vertex[position]] < len(rest)]
        pairs = self._transposed(upper, [position for position in rest if position not in upper])
        if pairs is None:
            raise AssertionError("the exchange chosen has a transposition")
        return pairs
