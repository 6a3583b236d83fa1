"""A tie-break value and what it is made of: numbers and codes, never a sentence."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from decimal import ROUND_HALF_UP, Decimal
from enum import StrEnum
from fractions import Fraction
from functools import lru_cache, partial

from tourney.kernel.ids import EntryId
from tourney.kernel.records import RoundKind

Value = int | Fraction

HALVES = 2  # the unit of scores
QUARTERS = 4  # the unit of scores times scores


class Source(StrEnum):
    """Where the number of one part comes from."""

    OPPONENT = "opponent"  # the opponent's (adjusted) score, rating or performance
    OWN_SCORE = "own_score"  # unplayed round: a dummy with the own score (16.4)
    CAPPED_BY_OPPONENT = "capped_by_opponent"  # forfeit: not above the scheduled opponent (16.4.1)
    CAPPED_BY_DRAWS = "capped_by_draws"  # other unplayed round: not above a draw in every round (16.4.2)
    VIRTUAL = "virtual"  # unplayed round before 2023: the virtual opponent
    RESULT = "result"  # the round's own result
    RUNNING = "running"  # the score after that round
    COUNT = "count"  # the round counts as one
    UNMET = "unmet"  # direct encounter: this pair has not met
    GIVEN = "given"  # a number that is simply known: rating, pairing number, lot


class Cut(StrEnum):
    """Why a part isn't counted."""

    LOWEST = "lowest"
    LOWEST_ABSENCE = "lowest_absence"  # a voluntary unplayed round is dropped first (16.5)
    HIGHEST = "highest"
    FIRST_ROUNDS = "first_rounds"
    BELOW_HALF = "below_half"  # Koya: the opponent has less than half of the maximum
    UNDEFINED = "undefined"  # the opponent has no such value


@dataclass(frozen=True, slots=True)
class Part:
    """One summand of a value: the round, the opponent, the number taken, and why it was or wasn't counted.

    `adjusted` is what the rule makes of the opponent (adjusted score, rating, performance) and `score` the opponent's
    points as they stand; both differ where byes at the end count as draws (16.3). `counted` is what entered the sum;
    it is the number before cutting, so that a page can strike it out. All scores are in points.
    """

    source: Source
    round: int | None = None
    opponent: EntryId | None = None
    kind: RoundKind | None = None
    result: Fraction | None = None
    score: Fraction | None = None
    adjusted: Value | None = None
    counted: Value | None = None
    cut: Cut | None = None


def _nothing() -> tuple[Part, ...]:
    return ()


@dataclass(frozen=True, slots=True)
class TieBreakValue:
    """The value of one tie-break for one entry; None means undefined and sorts last.

    Scores are exact `Fraction`s in points, counts and ratings are `int`s. `parts` is worked out when asked for.
    """

    code: str
    value: Value | None
    explain: Callable[[], tuple[Part, ...]] = field(default=_nothing, repr=False, compare=False)

    @property
    def parts(self) -> tuple[Part, ...]:
        return self.explain()

    def __str__(self) -> str:
        return format_value(self.value)


@dataclass(frozen=True, slots=True, eq=False)
class ValueColumn:
    """One tie-break of everybody, in the order of the table's players.

    `numbers` are what is compared: whole multiples of 1/`unit`, or exact fractions (unit 1). Values with their parts
    are made only for those somebody looks at; `explain` takes the place of a player.
    """

    code: str
    numbers: Sequence[Value | None]
    explain: Callable[[int], tuple[Part, ...]] = field(repr=False)
    unit: int = 1

    def __getitem__(self, index: int) -> TieBreakValue:
        return TieBreakValue(self.code, self._value(self.numbers[index]), partial(self.explain, index))

    def texts(self) -> list[str]:
        """Return everybody's value as `format_value` writes it; a large table has few different ones."""
        known = {number: format_value(self._value(number)) for number in set(self.numbers)}
        return [known[number] for number in self.numbers]

    def _value(self, number: Value | None) -> Value | None:
        if isinstance(number, int) and self.unit > 1:
            return halves(number) if self.unit == HALVES else quarters(number)
        return number

    def __len__(self) -> int:
        return len(self.numbers)

    def __iter__(self) -> Iterator[TieBreakValue]:
        return map(self.__getitem__, range(len(self.numbers)))


@lru_cache(maxsize=4096)
def halves(count: int) -> Fraction:
    """Return half-points as points."""
    return Fraction(count, 2)


@lru_cache(maxsize=8192)
def quarters(count: int) -> Fraction:
    """Return a product of two half-point numbers as points."""
    return Fraction(count, 4)


def format_value(value: Value | None, decimals: int = 2) -> str:
    """Return a value as plain digits: ``15``, ``15.5``, ``9.25``, ``12.33``; empty for an undefined one."""
    if value is None:
        return ""
    if isinstance(value, int):
        return str(value)
    exact = value
    if exact.denominator == 1:
        return str(exact.numerator)
    if exact.denominator == 2:
        return f"{exact.numerator // 2}.5" if exact > 0 else f"-{-exact.numerator // 2}.5"
    unit = Decimal(1).scaleb(-decimals)
    text = (Decimal(exact.numerator) / Decimal(exact.denominator)).quantize(unit, ROUND_HALF_UP)
    return str(text).rstrip("0").rstrip(".")
