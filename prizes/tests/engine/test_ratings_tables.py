"""The rating tables and the performances read from them."""

from __future__ import annotations

import pytest

from prizes.engine.tiebreaks.fide_tables import (
    expected_percent,
    mean,
    perfect_performance_rating,
    performance_rating,
    rating_difference,
)


def test_tables_are_symmetric() -> None:
    assert [rating_difference(percent) for percent in (0, 25, 50, 75, 100)] == [-800, -193, 0, 193, 800]
    for difference in range(0, 1000, 7):
        assert expected_percent(2000 + difference, [2000]) + expected_percent(2000, [2000 + difference]) == 100


@pytest.mark.parametrize(
    ("difference", "percent"), [(0, 50), (3, 50), (4, 51), (91, 62), (92, 63), (735, 99), (736, 100), (5000, 100)]
)
def test_expectancy_changes_at_the_table_limits(difference: int, percent: int) -> None:
    assert expected_percent(1500 + difference, [1500]) == percent


def test_mean_rounds_one_half_up() -> None:
    assert [mean([1, 2]), mean([-1, -2]), mean([1, 1, 2]), mean([])] == [2, -1, 1, None]


def test_performance_rounds_the_percentage_half_up() -> None:
    # 5 of 8 is 62.5 percent: taken as 63, which is 95 points.
    assert performance_rating([1500] * 8, 10) == 1595


def test_perfect_performance_of_extreme_scores() -> None:
    assert perfect_performance_rating([1800, 2000], 4) == 2736
    assert perfect_performance_rating([1800, 2000], 0) == 1000
    assert perfect_performance_rating([], 0) is None


def test_perfect_performance_is_the_lowest_rating_that_suffices() -> None:
    opponents = [1425, 1710, 1888, 2100, 1999]
    for scored in range(1, 11):
        found = perfect_performance_rating(opponents, scored)
        assert found is not None
        assert expected_percent(found, opponents) >= 50 * scored > expected_percent(found - 1, opponents)
