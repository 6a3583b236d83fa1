"""The two conversion tables of the FIDE Rating Regulations (B.02, 8.1.1 and 8.1.2) and the performances read from them.

All numbers are whole: ratings, percentages, scores in half-points. There is no 400-point rule in tie-breaks.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from typing import Final

# 8.1.1: rating difference for a result of 50, 51, … 100 percent; below 50 percent the sign turns.
_DIFFERENCES: Final = (
    0, 7, 14, 21, 29, 36, 43, 50, 57, 65,
    72, 80, 87, 95, 102, 110, 117, 125, 133, 141,
    149, 158, 166, 175, 184, 193, 202, 211, 220, 230,
    240, 251, 262, 273, 284, 296, 309, 322, 336, 351,
    366, 383, 401, 422, 444, 470, 501, 538, 589, 677,
    800,
)  # fmt: skip

# 8.1.2: the largest rating difference at which the stronger player expects 50, 51, … 99 percent.
_LIMITS: Final = (
    3, 10, 17, 25, 32, 39, 46, 53, 61, 68,
    76, 83, 91, 98, 106, 113, 121, 129, 137, 145,
    153, 162, 170, 179, 188, 197, 206, 215, 225, 235,
    245, 256, 267, 278, 290, 302, 315, 328, 344, 357,
    374, 391, 411, 432, 456, 484, 517, 559, 619, 735,
)  # fmt: skip

PERFECT: Final = 800  # the distance of a full or an empty score in the first table
FULL_EXPECTANCY: Final = _LIMITS[-1] + 1  # from this difference on the stronger player expects everything

_WIDEST: Final = 12_000  # wider than any two ratings lie apart

# Expected percent for every difference from −_WIDEST to +_WIDEST, to be looked up without a test.
_EXPECTED: Final = tuple(
    100 - (50 + bisect_left(_LIMITS, -difference)) if difference < 0 else 50 + bisect_left(_LIMITS, difference)
    for difference in range(-_WIDEST, _WIDEST + 1)
)


def rating_difference(percent: int) -> int:
    """Return the rating difference that goes with a result in whole percent."""
    return _DIFFERENCES[percent - 50] if percent >= 50 else -_DIFFERENCES[50 - percent]


def expected_percent(rating: int, opponents: Sequence[int]) -> int:
    """Return the sum of the percentages a rating expects against these opponents."""
    top = rating + _WIDEST
    return sum([_EXPECTED[top - opponent] for opponent in opponents])


def mean(numbers: Sequence[int]) -> int | None:
    """Return the mean as a whole number, one half rounded up; None of nothing."""
    # ⌊(2·sum + n) / 2n⌋ rounds without leaving whole numbers, for negative ones too.
    return (2 * sum(numbers) + len(numbers)) // (2 * len(numbers)) if numbers else None


def performance_rating(opponents: Sequence[int], scored: int) -> int | None:
    """Return the rounded mean of the opponents plus the table's difference for the percentage scored (C.07, 10.2)."""
    average = mean(opponents)
    if average is None:
        return None
    games = len(opponents)
    percent = (2 * 50 * scored + games) // (2 * games)  # one half goes up
    return average + rating_difference(percent)


def perfect_performance_rating(opponents: Sequence[int], scored: int) -> int | None:
    """Return the lowest rating that is expected to score at least what was scored (C.07, 10.3)."""
    around = performance_rating(opponents, scored)
    if around is None:
        return None
    if scored == 0:
        return min(opponents) - PERFECT
    wanted = 50 * scored
    low, high = min(opponents) - FULL_EXPECTANCY, max(opponents) + FULL_EXPECTANCY
    # The answer lies near the performance: follow the slope of the table from there (a percent is worth about seven
    # points), then feel for the other side with growing steps, then halve.
    guesses, step = 2, 4
    while low < high:
        middle = around if low <= around < high else (low + high) // 2
        missing = wanted - expected_percent(middle, opponents)
        if missing <= 0:
            high = middle
        else:
            low = middle + 1
        if guesses and missing:
            guesses -= 1
            around = middle + 7 * missing // len(opponents)
        elif high - low < 4 * step:
            around = (low + high) // 2
        else:
            around = high - step if missing <= 0 else low + step
            step *= 2
    return low
