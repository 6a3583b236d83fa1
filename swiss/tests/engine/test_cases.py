"""Whole tournaments of every kind, each round against a reference of the rules of February 2026."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from swiss.engine.cases import run_swiss
from swiss.engine.check import check, check_round
from swiss.engine.simulate import Habits, simulate
from tourney.kernel.colors import Color
from tourney.kernel.points import HALF
from tourney.kernel.trf import TrfCell, dump, parse

DATA = Path(__file__).parent / "data" / "swiss"


def test_every_round_of_the_reference_tournaments_is_paired_the_same() -> None:
    results = list(run_swiss(DATA))

    assert [(result.name, result.expected, result.got) for result in results if not result.agrees] == []
    assert len(results) == 125


@pytest.mark.parametrize(
    "habits",
    [
        Habits(),
        Habits(draw=600, forfeit=80, absent=100),
        Habits(late=200, withdraw=60, pairing_bye=HALF),
        Habits(forbidden_groups=3),
        Habits(baku=True),
    ],
    ids=["usual", "absences", "late", "forbidden", "baku"],
)
@pytest.mark.parametrize("players", [6, 11, 24])
def test_simulated_tournament_checks_without_a_difference(players: int, habits: Habits) -> None:
    trf = parse(dump(simulate(players, 5, seed=20, habits=habits)).encode())

    results = list(check(trf))

    assert [result for result in results if not result.agrees] == []
    assert len(results) == trf.rounds_done >= 3
    assert trf.remarks == ()


def test_simulation_is_named_by_its_seed() -> None:
    assert dump(simulate(12, 5, seed=3)) == dump(simulate(12, 5, seed=3))
    assert dump(simulate(12, 5, seed=3)) != dump(simulate(12, 5, seed=4))


def test_check_names_both_pairings_of_a_round_paired_by_hand() -> None:
    """Boards 1 and 2 of round 1 exchanged their Black players."""
    trf = simulate(8, 1, seed=1, habits=Habits(absent=0, late=0, half_bye=0, full_bye=0, forfeit=0))
    own = check_round(trf, 1)
    assert own.agrees
    (first, second), (third, fourth) = sorted(own.in_file)[:2]
    swapped = {
        first: TrfCell(fourth, Color.WHITE, "1"),
        fourth: TrfCell(first, Color.BLACK, "0"),
        third: TrfCell(second, Color.WHITE, "="),
        second: TrfCell(third, Color.BLACK, "="),
    }
    by_hand = replace(
        trf,
        players=tuple(replace(player, cells=(swapped.get(player.number, player.cells[0]),)) for player in trf.players),
    )

    result = check_round(by_hand, 1)

    assert result.only_in_file == ((first, fourth), (third, second))
    assert result.only_by_engine == ((first, second), (third, fourth))
