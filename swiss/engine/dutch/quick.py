"""The quick way to pair a bracket: the first candidate that can't be beaten.

Most brackets have a pairing in which nothing is lost but what the numbers force: every moved-down player is paired, at
most one player floats (and well), no float is repeated, and no more colours are missed than the counts of preferences
demand. Those are lower bounds of C6–C21. A depth-first search walks the candidates in the order of generation (first the
opponents of the MDPs, then transpositions of the remainder) and stops at the first that meets all bounds: nothing is
better, and nothing as good comes earlier. When the search ends otherwise, or a bound can't be proved, the answer is None and the
bracket is solved by `bracket.pair_bracket` in full.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, NamedTuple

from swiss.engine.dutch.bracket import Bracket, Paired
from swiss.engine.dutch.cards import Card, Float, Strength
from swiss.engine.dutch.field import Field, bits
from tourney.kernel.colors import Color

# What a player wants: nothing, White (mildly or firmly), Black (mildly or firmly).
_NOTHING, _WHITE, _WHITE_FIRM, _BLACK, _BLACK_FIRM = range(5)
_KINDS: Final = range(5)
_SIDE: Final = (0, 1, 1, 2, 2)
_FIRM: Final = (False, False, True, False, True)
_STEPS: Final = 400
_STEPS_A_PLAYER: Final = 20


def wish(card: Card) -> int:
    """Return the kind of a player's colour preference."""
    if card.preference is None:
        return _NOTHING
    firm = card.strength >= Strength.STRONG
    if card.preference is Color.WHITE:
        return _WHITE_FIRM if firm else _WHITE
    return _BLACK_FIRM if firm else _BLACK


class _Bounds:
    """How many missed colours the counts of preferences force on players who are still to be paired (C12, C13)."""

    def __init__(self, c12: int, c13: int) -> None:
        self.c12, self.c13 = c12, c13

    def hold(self, counts: list[int], floater_kinds: Iterable[int] | None, used12: int, used13: int) -> bool:
        """Return whether the players counted can still be paired within the bounds, one of these kinds floating."""
        if floater_kinds is None:
            x, y = _forced(counts, -1)
            return used12 + x <= self.c12 and used13 + y <= self.c13
        for kind in floater_kinds:
            x, y = _forced(counts, kind)
            if used12 + x <= self.c12 and used13 + y <= self.c13:
                return True
        return False


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
    """Return the pairing of a bracket when the search for an unbeatable candidate succeeds, else None."""
    if len(bracket.members) == 1:
        return Paired((), bracket.members)
    if not bracket.residents or len(bracket.moved_down) > len(bracket.residents):
        return None
    if field.topscorers and _absolutes_may_meet(field, bracket):
        return None
    odd = len(bracket.members) % 2
    floaters = _good_floaters(field, bracket) if odd else None
    if odd and not floaters:
        return None
    if not odd and not _rest_completes(field, bracket):
        return None
    return _Search(field, bracket, floaters).run()


def _absolutes_may_meet(field: Field, bracket: Bracket) -> bool:
    """Return whether two topscorers' absolute preferences could clash here: C10 and C11 have no simple bound."""
    members = sum(1 << index for index in bracket.members)
    for color in Color:
        absolute = sum(
            1 << index
            for index in bracket.members
            if field.cards[index].is_absolute and field.cards[index].preference is color
        )
        if absolute & field.topscorers and any(field.legal[index] & absolute for index in bits(absolute & members)):
            return True
    return False


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
        spare = _takeable(field, bracket, following)
        if not spare:
            return 0
    elif not field.rest_completes(bracket.below):
        return 0
    return _welcome(field, residents, following, spare)


def _takeable(field: Field, bracket: Bracket, following: int) -> int:
    """Return who of the next group may be left over by it: for those below, or for the bye."""
    if bye := bracket.bye_candidates & following:
        return bye if field.completes(bracket.below, 0) else 0
    need = (bracket.below.bit_count() + 1) / 2
    if bracket.below and field.least_degree(bracket.below) - 1 >= need:
        odd = bracket.below.bit_count() % 2 == 0
        if not odd or bracket.bye_candidates & bracket.below:
            easy = (index for index in bits(following) if (field.legal[index] & bracket.below).bit_count() - 1 >= need)
            return sum(1 << index for index in easy)
    return sum(1 << index for index in bits(following) if field.rest_completes(bracket.below | 1 << index))


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


class _Search:
    """The depth-first search; residents are bits counted from the first of them."""

    def __init__(self, field: Field, bracket: Bracket, floaters: int | None) -> None:
        self.bracket = bracket
        first, last = bracket.residents[0], bracket.residents[-1] + 1
        self.first = first
        width = (1 << last - first) - 1
        cards = field.cards
        self.cards = cards
        self.legal = {index: field.legal[index] >> first & width for index in bracket.members}
        self.residents = width
        self.kinds = [wish(cards[index]) for index in bracket.residents]
        self.of_kind = [0] * 5
        for position, kind in enumerate(self.kinds):
            self.of_kind[kind] |= 1 << position
        self.steps = _STEPS_A_PLAYER * len(bracket.members) + _STEPS
        self.counts = [group.bit_count() for group in self.of_kind]
        for index in bracket.moved_down:
            self.counts[wish(cards[index])] += 1
        self.floaters = 0
        self.floats = floaters is not None
        if floaters is not None:
            good = floaters >> first & width
            kinds = [kind for kind in _KINDS if good & self.of_kind[kind]]
            self.bounds = _Bounds(*min(_forced(self.counts, kind) for kind in kinds))
            rested = sum(
                1 << position
                for position, index in enumerate(bracket.residents)
                if cards[index].last_float is not Float.DOWN and cards[index].float_before is not Float.DOWN
            )
            self.floaters = good & rested
        else:
            self.bounds = _Bounds(*_forced(self.counts, -1))

    def run(self) -> Paired | None:
        if self.floats and not self.floaters:
            return None
        moved = self._moved_down()
        if moved is None:
            return None
        used12, used13, left = moved.used12, moved.used13, moved.left
        rest = self._transposition(left, moved.counts, used12, used13)
        if rest is None:
            return None
        pairs = [*moved.pairs, *rest]
        taken = {index for pair in pairs for index in pair}
        return Paired(tuple(sorted(pairs)), tuple(index for index in self.bracket.members if index not in taken))

    def _kinds_of(self, floaters: int) -> list[int] | None:
        return [kind for kind in _KINDS if floaters & self.of_kind[kind]] if self.floats else None

    def _moved_down(self) -> _Moved | None:
        """Give the MDPs their opponents: the first residents, in order, that keep all bounds within reach."""
        cards = self.cards
        rested = sum(
            1 << position
            for position, index in enumerate(self.bracket.residents)
            if cards[index].last_float is not Float.UP and cards[index].float_before is not Float.UP
        )
        return self._place(_Moved((), self.residents, self.counts, 0, 0), rested)

    def _place(self, so_far: _Moved, rested: int) -> _Moved | None:
        """Return the first completion of a partial placing of the MDPs, depth first."""
        number = len(so_far.pairs)
        if number == len(self.bracket.moved_down):
            return so_far
        index = self.bracket.moved_down[number]
        own = wish(self.cards[index])
        for position in bits(self.legal[index] & so_far.left & rested):
            self.steps -= 1
            if self.steps < 0:
                return None
            kind = self.kinds[position]
            counts = list(so_far.counts)
            counts[own] -= 1
            counts[kind] -= 1
            missed = _SIDE[own] == _SIDE[kind] != 0
            firm = missed and _FIRM[own] and _FIRM[kind]
            used12, used13 = so_far.used12 + missed, so_far.used13 + firm
            left = so_far.left & ~(1 << position)
            floaters = self.floaters & left
            if self.floats and not floaters:
                continue
            if not self.bounds.hold(counts, self._kinds_of(floaters), used12, used13):
                continue
            pairs = (*so_far.pairs, (index, self.first + position))
            if (done := self._place(_Moved(pairs, left, counts, used12, used13), rested)) is not None:
                return done
        return None

    def _transposition(self, left: int, counts: list[int], used12: int, used13: int) -> list[tuple[int, int]] | None:
        """Pair S1 with S2 of the remainder: the first transposition of S2 that keeps the bounds (art. 4.2)."""
        rest = list(bits(left))
        pairs = len(rest) // 2
        upper = rest[:pairs]
        available = sum(1 << position for position in rest[pairs:])
        if self.floats and not self.floaters & available:
            return None
        if not pairs:
            return []
        kinds, of_kind, bounds, legal, first = self.kinds, self.of_kind, self.bounds, self.legal, self.first
        counts = list(counts)
        chosen: list[int] = []
        open_choices = [self._choices(upper[0], available)]
        costs: list[tuple[int, int]] = []
        while True:
            depth = len(chosen)
            own = kinds[upper[depth]]
            choices = open_choices[depth]
            found = -1
            tried = 0
            while choices:
                low = choices & -choices
                position = low.bit_length() - 1
                kind = kinds[position]
                if tried >> kind & 1:
                    choices &= ~of_kind[kind]
                    continue
                self.steps -= 1
                if self.steps < 0:
                    return None
                floaters = self.floaters & available & ~low
                if self.floats and not floaters:
                    choices ^= low
                    continue
                missed = _SIDE[own] == _SIDE[kind] != 0
                firm = missed and _FIRM[own] and _FIRM[kind]
                counts[own] -= 1
                counts[kind] -= 1
                if bounds.hold(counts, self._kinds_of(floaters), used12 + missed, used13 + firm):
                    found = position
                    break
                counts[own] += 1
                counts[kind] += 1
                if self.floats and self.floaters >> position & 1:
                    choices ^= low  # the verdict may depend on this very floater
                else:
                    tried |= 1 << kind
                    choices &= ~of_kind[kind]
            if found < 0:
                if not chosen:
                    return None
                open_choices.pop()
                position = chosen.pop()
                missed_before, firm_before = costs.pop()
                used12 -= missed_before
                used13 -= firm_before
                counts[kinds[upper[depth - 1]]] += 1
                counts[kinds[position]] += 1
                available |= 1 << position
                continue
            open_choices[depth] = choices & ~(1 << found)
            chosen.append(found)
            costs.append((missed, firm))
            used12 += missed
            used13 += firm
            available &= ~(1 << found)
            if depth + 1 == pairs:
                return [(first + high, first + low) for high, low in zip(upper, chosen, strict=True)]
            open_choices.append(legal[first + upper[depth + 1]] & available)

    def _choices(self, position: int, available: int) -> int:
        return self.legal[self.first + position] & available


class _Moved(NamedTuple):
    """A placing of the first MDPs: pairs (player, opponent), residents left, wishes left, colours missed so far."""

    pairs: tuple[tuple[int, int], ...]
    left: int
    counts: list[int]
    used12: int
    used13: int
