"""Stage blocks of a regulation, and the choice of the system by head-count."""

from __future__ import annotations

from typing import Any

import pytest

from swiss.engine.rules import (
    Acceleration,
    FirstColor,
    RoundRobinRules,
    SwissRules,
    parse_stage,
)
from tourney.kernel.errors import RuleError, TourneyError
from tourney.kernel.outcomes import Scoring
from tourney.kernel.points import HALF
from tourney.kernel.systems import choose_option

YOUTH: list[dict[str, Any]] = [
    {"kind": "round_robin", "when": {"players_at_most": 10}, "cycles": 1, "double_for": [2, 3]},
    {"kind": "swiss", "when": {"players_at_least": 11, "players_at_most": 12}, "rounds": 7},
    {"kind": "swiss", "when": {"players_at_least": 13}, "rounds": 8, "tie_breaks": ["DE", "BH/C1"]},
]


@pytest.mark.clause("M7.2")
@pytest.mark.parametrize(
    ("players", "kind", "rounds"),
    [
        (2, "RoundRobinRules", 2),
        (3, "RoundRobinRules", 6),
        (9, "RoundRobinRules", 9),
        (10, "RoundRobinRules", 9),
        (11, "SwissRules", 7),
        (12, "SwissRules", 7),
        (13, "SwissRules", 8),
        (40, "SwissRules", 8),
    ],
)
def test_system_and_rounds_follow_the_number_of_players(players: int, kind: str, rounds: int) -> None:
    index, option = choose_option(YOUTH, players)
    rules = parse_stage(option, f"options[{index}]", players)

    assert (type(rules).__name__, rules.rounds_for(players)) == (kind, rounds)


def test_swiss_block_is_read_whole() -> None:
    block = {"kind": "swiss", "rounds": 8, "first_color": "white", "acceleration": "baku", "bye_points": "0.5"}

    assert parse_stage(block) == SwissRules(
        rounds=8,
        first_color=FirstColor.WHITE,
        acceleration=Acceleration.BAKU,
        scoring=Scoring(pairing_bye=HALF),
    )


def test_round_robin_block_has_defaults() -> None:
    assert parse_stage({"kind": "round_robin"}) == RoundRobinRules(cycles=1)


@pytest.mark.parametrize(
    ("block", "path", "code"),
    [
        ({"kind": "swiss", "rounds": 8, "colour": "lot"}, "stage.colour", "rule.unknown_key"),
        ({"kind": "swiss"}, "stage.rounds", "rule.missing"),
        ({"kind": "swiss", "rounds": 0}, "stage.rounds", "rule.out_of_range"),
        ({"kind": "swiss", "rounds": "8"}, "stage.rounds", "rule.expected_number"),
        ({"kind": "danish"}, "stage.kind", "rule.not_an_option"),
        ({"kind": "swiss", "rounds": 8, "first_color": "red"}, "stage.first_color", "rule.not_an_option"),
        ({"kind": "swiss", "rounds": 8, "bye_points": "0.3"}, "stage.bye_points", "rule.not_points"),
        ({"kind": "swiss", "rounds": 8, "bye_points": 3}, "stage.bye_points", "rule.bye_above_win"),
        ({"kind": "swiss", "rounds": 8, "draw_points": 2}, "stage.win_points", "rule.points_order"),
        ({"kind": "swiss", "rounds": 8, "when": {"juniors": 1}}, "stage.when.juniors", "rule.unknown_key"),
        ({"kind": "round_robin", "cycles": 9}, "stage.cycles", "rule.out_of_range"),
    ],
)
def test_wrong_block_is_refused_with_its_path(block: dict[str, Any], path: str, code: str) -> None:
    with pytest.raises(RuleError) as refused:
        parse_stage(block)

    assert (refused.value.path, refused.value.code) == (path, code)


def test_no_option_for_a_number_of_players_is_refused() -> None:
    with pytest.raises(TourneyError) as refused:
        choose_option(YOUTH[1:2], 13)

    assert (refused.value.code, refused.value.values) == ("stage.no_system", {"players": 13})


def test_condition_that_can_never_hold_is_refused() -> None:
    with pytest.raises(RuleError) as refused:
        choose_option([{"when": {"players_at_least": 5, "players_at_most": 4}}], 5)

    assert (refused.value.path, refused.value.code) == ("options[0].when", "rule.empty_range")
