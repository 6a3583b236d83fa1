"""Rule data: places in it, values with their paths, clocks, and the system a head-count plays."""

from __future__ import annotations

from collections.abc import Callable
from datetime import time
from typing import Any

import pytest

from tourney.kernel import paths, systems
from tourney.kernel.clocks import Clock
from tourney.kernel.errors import RuleError, TourneyError
from tourney.kernel.node import Node

RULES: dict[str, Any] = {"stages": [{"options": [{"rounds": 7}, {"rounds": 8}]}], "clock": {"main": "90+30"}}


def refusal(read: Callable[[], object]) -> tuple[str, str]:
    with pytest.raises(RuleError) as refused:
        read()
    return refused.value.path, refused.value.code


# -- places ------------------------------------------------------------------------------------------------------------


def test_path_is_taken_apart() -> None:
    assert paths.steps("stages[0].options[12].rounds") == ["stages", 0, "options", 12, "rounds"]
    assert paths.block_of("fees.rules[2].percent") == "fees"
    assert paths.block_of("") == ""


def test_value_is_found_at_its_path() -> None:
    assert paths.value_at(RULES, "stages[0].options[1].rounds") == 8
    assert [paths.value_at(RULES, path) for path in ("stages[1]", "clock.main.x", "clock[0]", "fees")] == [None] * 4


def test_path_leads_somewhere_when_only_its_last_key_is_new() -> None:
    assert paths.has_path(RULES, "stages[0].options[1].cycles")
    assert not paths.has_path(RULES, "stages[0].options[2].rounds")
    assert not paths.has_path(RULES, "clock.main.seconds")


def test_replaced_value_leaves_the_old_data_alone() -> None:
    changed = paths.set_at(RULES, "stages[0].options[1].rounds", 9)

    assert (paths.value_at(changed, "stages[0].options[1].rounds"), RULES["stages"][0]["options"][1]) == (
        9,
        {"rounds": 8},
    )
    assert paths.set_at(RULES, "clock.main", None)["clock"] == {}
    with pytest.raises(KeyError):
        paths.set_at(RULES, "stages[3].rounds", 1)


# -- values ------------------------------------------------------------------------------------------------------------


def test_choices_are_known_and_named_once() -> None:
    node = Node({"a": ["x", "y"], "b": ["x", "z"], "c": ["x", "x"]}, "block")

    assert node.choices("a", ("x", "y")) == ("x", "y")
    assert node.choices("d", ("x", "y"), ()) == ()
    assert refusal(lambda: node.choices("b", ("x", "y"))) == ("block.b[1]", "rule.not_an_option")
    assert refusal(lambda: node.choices("c", ("x", "y"))) == ("block.c[1]", "rule.twice")


@pytest.mark.parametrize("text", ["24:00", "9:30", "10", "10:00:00", "ten"])
def test_time_of_day_is_written_with_four_digits(text: str) -> None:
    assert Node({"first": "09:30"}).time_of_day("first") == time(9, 30)
    assert refusal(lambda: Node({"first": text}, "schedule").time_of_day("first")) == (
        "schedule.first",
        "rule.not_a_time",
    )


def test_table_inside_reads_like_the_one_around_it() -> None:
    class Own(Node):
        """A node with readers of its own."""

    node = Own({"one": {"k": 1}, "many": [{"k": 2}]}, "block")

    assert [type(inner) for inner in (node.node("one"), *node.nodes("many"))] == [Own, Own]
    assert [inner.path for inner in (node.node("none"), *node.nodes("many"))] == ["block.none", "block.many[0]"]


def test_key_nobody_asked_for_is_refused() -> None:
    node = Node({"rounds": 7, "colour": "lot"}, "stage")
    node.integer("rounds")

    assert refusal(node.finish) == ("stage.colour", "rule.unknown_key")


@pytest.mark.parametrize(
    ("text", "clock", "seconds"),
    [("90+30", Clock(90, 30), "5400+30"), ("3+2", Clock(3, 2), "180+2"), ("5", Clock(5), "300")],
)
def test_clock_is_read_and_written(text: str, clock: Clock, seconds: str) -> None:
    assert (Clock.parse(text), str(clock), clock.in_seconds) == (clock, text, seconds)


# -- the system of a head-count ----------------------------------------------------------------------------------------

OPTIONS: list[dict[str, Any]] = [
    {"kind": "round_robin", "when": {"players_at_most": 6}, "cycles": 1, "double_for": [2, 3]},
    {"kind": "bracket", "when": {"players_at_least": 7, "players_at_most": 8}},
    {"kind": "swiss", "when": {"players_at_least": 7, "players_at_most": 40}, "rounds": 8},
]


@pytest.mark.clause("M7.2")
@pytest.mark.parametrize(("players", "kind", "rounds"), [(3, 0, 6), (4, 0, 3), (5, 0, 5), (8, 1, 0), (9, 2, 8)])
def test_first_fitting_option_is_played(players: int, kind: int, rounds: int) -> None:
    index, option = systems.choose_option(OPTIONS, players)

    assert (index, systems.rounds_of(option, players)) == (kind, rounds)


def test_head_count_without_a_system_is_refused() -> None:
    with pytest.raises(TourneyError) as refused:
        systems.choose_option(OPTIONS, 41)

    assert (refused.value.code, refused.value.values) == ("stage.no_system", {"players": 41})
    assert systems.option_for(OPTIONS, 41) is None


@pytest.mark.parametrize(
    ("when", "path", "code"),
    [
        ({"players_at_least": 9, "players_at_most": 8}, "options[3].when", "rule.empty_range"),
        ({"juniors": 1}, "options[3].when.juniors", "rule.unknown_key"),
        ([], "options[3].when", "rule.expected_table"),
    ],
)
def test_wrong_condition_shows_before_anybody_needs_it(when: Any, path: str, code: str) -> None:
    assert refusal(lambda: systems.choose_option([*OPTIONS, {"when": when}], 4)) == (path, code)


@pytest.mark.parametrize(("cycles", "players", "expected"), [(1, 4, 1), (1, 3, 2), (2, 3, 2), (3, 3, 3)])
def test_few_players_meet_at_least_twice(cycles: int, players: int, expected: int) -> None:
    assert systems.cycles_for(players, cycles, [2, 3]) == expected
