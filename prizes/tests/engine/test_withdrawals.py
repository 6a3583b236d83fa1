"""Leaving a round robin."""

from __future__ import annotations

from fractions import Fraction

from prizes.engine.ranking import rank
from prizes.engine.withdrawals import results_count, without_results_of
from prizes.tests.engine.builders import stage
from tourney.kernel.ids import EntryId

LEFT = EntryId(4)
CIRCLE = stage("1 4 0-1; 2 3 1/2", "4 3 -+; 1 2 1-0", "2 4 +-; 3 1 1-0")


def test_results_count_from_half_of_the_games_on() -> None:
    assert not results_count(games_played=1, games_planned=3)
    assert results_count(games_played=1, games_planned=2)
    assert results_count(games_played=3, games_planned=6)


def test_annulled_games_leave_the_standings() -> None:
    ranking = rank(without_results_of(CIRCLE, {LEFT}), ["PTS", "SB", "WIN", "BPG", "KS"], system="round_robin")

    assert [(line.entry, line.rank, line.points) for line in ranking] == [(3, 1, 3), (1, 2, 2), (2, 3, 1)]
    assert [value.value for value in ranking.entries[1].values] == [1, Fraction(1, 2), 1, 1, 0]


def test_nothing_changes_when_nobody_left() -> None:
    assert without_results_of(CIRCLE, ()) is CIRCLE
