"""The order in which the rules generate candidates: exchanges (art. 4.3) as weights, the first transposition (4.2)."""

from __future__ import annotations

from collections.abc import Sequence

from swiss.engine.dutch.bits import bits


class Exchanges:
    """Weights by which the best exchange of a homogeneous bracket or a remainder is the heaviest matching.

    Fewest exchanges, then the smallest difference of the exchanged numbers' sums, then the largest numbers leaving S1,
    then the smallest entering it. In every pair the higher player is the one who stands in S1 after the exchange, so
    all four are sums over pairs.
    """

    def __init__(self, players: Sequence[int], pairs: int) -> None:
        self.place = {player: number for number, player in enumerate(players)}
        self.size, self.pairs = len(players), pairs
        self.sum_bits = (self.size * self.size).bit_length()
        self.leave_bits = pairs + pairs.bit_length() + 1
        self.enter_bits = self.size + 1
        self.bits = pairs.bit_length() + 1 + self.sum_bits + self.leave_bits + self.enter_bits

    def weight(self, higher: int) -> int:
        """Return what a pair adds, by its higher player."""
        position = self.place[higher]
        stays = position < self.pairs
        weight = (int(stays) << self.sum_bits) + self.size - position
        weight = (weight << self.leave_bits) + (1 << self.pairs) - ((1 << position) if stays else 0)
        return (weight << self.enter_bits) + (0 if stays else 1 << (self.size - position))


def first_transposition(
    upper: Sequence[int], lower: int, allowed: Sequence[int], floaters: int | None = None
) -> list[int] | None:
    """Return the partners of S1 in the lexicographically first transposition of S2, or None when there is none.

    `upper` are the positions of S1 in order, `lower` is S2 as bits, `allowed[p]` who may play with p. With `floaters`
    one of those bits of S2 stays unpaired. No search goes back: from a complete matching, a set grown along alternating
    paths tells for every player which partners leave a complete matching.
    """
    return _Transposition(upper, lower, allowed, floaters).first()


class _Transposition:
    def __init__(self, upper: Sequence[int], lower: int, allowed: Sequence[int], floaters: int | None) -> None:
        self.choices = [allowed[position] & lower for position in upper]
        self.pairs = len(upper)
        if floaters is not None:
            self.choices.append(floaters & lower)  # the empty chair: whoever takes it floats
        self.free = lower
        self.partner = [-1] * len(self.choices)
        self.owner: dict[int, int] = {}

    def first(self) -> list[int] | None:
        for number, choices in enumerate(self.choices):
            if open_now := choices & self.free:
                self._match(number, (open_now & -open_now).bit_length() - 1)
        for number in range(len(self.choices)):
            if self.partner[number] < 0 and not self._augment(number):
                return None
        admirers = self._admirers()
        later = (1 << len(self.choices)) - 1
        fixed = 0
        for number in range(self.pairs):
            later &= ~(1 << number)
            current = self.partner[number]
            if better := self.choices[number] & ~fixed & ((1 << current) - 1):
                self._improve(number, better, later, admirers)
            fixed |= 1 << self.partner[number]
        return self.partner[: self.pairs]

    def _match(self, number: int, position: int) -> None:
        self.partner[number] = position
        self.owner[position] = number
        self.free &= ~(1 << position)

    def _augment(self, root: int) -> bool:
        """Make room for somebody of S1 by moving others along an alternating path."""
        seen = 0
        reached_by: dict[int, int] = {}
        queue = [root]
        for number in queue:
            new = self.choices[number] & ~seen
            seen |= new
            if ends := new & self.free:
                position = (ends & -ends).bit_length() - 1
                reached_by[position] = number
                while True:
                    number = reached_by[position]
                    position, before = self.partner[number], position
                    self._match(number, before)
                    if number == root:
                        return True
            for position in bits(new):
                reached_by[position] = number
                queue.append(self.owner[position])
        return False

    def _admirers(self) -> dict[int, int]:
        """Return for every position of S2 who of S1 may play with it, as bits."""
        admirers: dict[int, int] = dict.fromkeys(self.owner, 0)
        for number, choices in enumerate(self.choices):
            for position in bits(choices):
                if position in admirers:
                    admirers[position] |= 1 << number
        return admirers

    def _improve(self, number: int, better: int, later: int, admirers: dict[int, int]) -> None:
        """Give somebody the first better partner whose owner, directly or by moving others, can do without."""
        current = self.partner[number]
        moves_to: dict[int, int] = {}
        spare = 0
        stack = [current]
        while stack:
            position = stack.pop()
            who = admirers[position] & later
            later &= ~who
            for other in bits(who):
                moves_to[other] = position
                given_up = self.partner[other]
                spare |= 1 << given_up
                stack.append(given_up)
        if not (gain := better & spare):
            return
        position = (gain & -gain).bit_length() - 1
        other = self.owner[position]
        self.partner[number], self.owner[position] = position, number
        while True:
            target = moves_to[other]
            following = self.owner[target] if target != current else -1
            self.partner[other], self.owner[target] = target, other
            if following < 0:
                return
            other = following
