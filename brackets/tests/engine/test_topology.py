"""The graph: equal to the published tables, complete, and refused when its parameters make no sense."""

from __future__ import annotations

import json
from collections import Counter
from typing import Any

import pytest

from brackets.engine.build import BracketParams, build
from brackets.engine.correction import reach
from brackets.engine.orders import first_round
from brackets.engine.topology import Bracket, BracketSpec, LoserOf, Places, Seed, Side, WinnerOf
from brackets.tests.engine.conftest import DATA
from tourney.kernel.errors import RuleError, TourneyError
from tourney.kernel.ids import MatchKey


def table(name: str) -> dict[str, Any]:
    stored: dict[str, Any] = json.loads((DATA / f"{name}.json").read_text(encoding="utf-8"))
    return stored


def without_numbers(rows: list[dict[str, Any]]) -> dict[str, dict[str, Any]]:
    return {row["id"]: {key: value for key, value in row.items() if key != "n"} for row in rows}


@pytest.mark.clause("K5.1")
@pytest.mark.clause("K5.5")
def test_default_bracket_equals_the_table_of_32_players(de32: BracketSpec) -> None:
    assert without_numbers(de32.to_json()["matches"]) == without_numbers(table("de32")["table"])


def test_return_at_16_equals_its_table() -> None:
    spec = build(BracketParams(return_at=16))

    assert without_numbers(spec.to_json()["matches"]) == without_numbers(table("de32_return16")["table"])


@pytest.mark.clause("K5.2")
def test_everybody_starts_in_the_upper_bracket(de32: BracketSpec) -> None:
    starts = {number: de32.match(target.match).bracket for number, target in de32.seed_targets.items()}

    assert starts == dict.fromkeys(range(1, 33), Bracket.UPPER)


@pytest.mark.clause("K5.3")
def test_losers_drop_to_the_lower_bracket_whose_winner_plays_the_final(de32: BracketSpec) -> None:
    dropped = {
        de32.match(match.loser_to.match).bracket for match in de32.matches if match.stage == "U1" and match.loser_to
    }

    assert dropped == {Bracket.LOWER}
    assert (de32.match("GF.1").a, de32.match("GF.1").b) == (WinnerOf(MatchKey("U5.1")), WinnerOf(MatchKey("L8.1")))


@pytest.mark.clause("K5.4")
def test_second_defeat_leads_to_a_placement_match_or_a_place(de32: BracketSpec) -> None:
    after_second_defeat = {
        match.stage: de32.match(match.loser_to.match).stage if match.loser_to else match.loser_place
        for match in de32.matches
        if match.bracket is Bracket.LOWER
    }

    assert after_second_defeat == {
        "L1": "P25",
        "L2": "P17",
        "L3": "P13",
        "L4": "P9",
        "L5": "P7",
        "L6": "P5",
        "L7": Places(4, 4),
        "L8": Places(3, 3),
    }


@pytest.mark.parametrize(
    ("size", "all_places", "slots", "no_second_chance", "no_placement"),
    [
        (4, 6, 4, 4, 6),
        (8, 16, 6, 12, 14),
        (16, 40, 8, 32, 30),
        (32, 96, 10, 80, 62),
        (64, 224, 12, 192, 126),
        (128, 512, 14, 448, 254),
    ],
)
def test_number_of_matches_by_size(
    size: int, all_places: int, slots: int, no_second_chance: int, no_placement: int
) -> None:
    spec = build(BracketParams(size=size))

    assert (len(spec.matches), spec.slots) == (all_places, slots)
    assert len(build(BracketParams(size=size, return_at=size)).matches) == no_second_chance
    assert len(build(BracketParams(size=size, places=2)).matches) == no_placement


def test_never_more_than_half_the_players_at_boards_in_a_slot(de32: BracketSpec) -> None:
    by_slot = Counter(match.slot for match in de32.matches)

    assert [by_slot[slot] for slot in range(1, 11)] == [16, 16, 16, 14, 15, 10, 5, 2, 1, 1]


@pytest.mark.parametrize(
    "params",
    [
        BracketParams(),
        BracketParams(size=64, return_at=8),
        BracketParams(final="reset"),
        BracketParams(final="advantage", places=12),
        BracketParams(size=8, drop_in="brazilian"),
    ],
)
def test_bracket_survives_being_stored(params: BracketParams) -> None:
    spec = build(params)

    assert BracketSpec.from_json(json.loads(json.dumps(spec.to_json()))) == spec


def test_stored_bracket_of_another_version_is_refused(de32: BracketSpec) -> None:
    with pytest.raises(TourneyError) as refused:
        BracketSpec.from_json({**de32.to_json(), "version": 2})

    assert (refused.value.code, refused.value.values) == ("bracket.unknown_version", {"version": 2})


def test_matches_come_after_their_feeders_and_are_numbered_in_that_order(de32: BracketSpec) -> None:
    seen: set[str] = set()
    for number, match in enumerate(de32.matches, start=1):
        assert match.number == number
        assert all(isinstance(source, Seed) or source.match in seen for source in (match.a, match.b))
        seen.add(match.key)


def test_second_final_is_fed_by_both_finalists() -> None:
    second = build(BracketParams(final="reset")).match("GF.2")

    assert (second.a, second.b) == (LoserOf(MatchKey("GF.1")), WinnerOf(MatchKey("GF.1")))
    assert (second.second_final_of, second.winner_place, second.slot) == ("GF.1", Places(1, 1), 11)


def test_advantage_belongs_to_the_upper_finalist() -> None:
    spec = build(BracketParams(final="advantage"))

    assert [match.key for match in spec.matches if match.advantage is Side.A] == ["GF.1"]


def test_places_after_the_last_played_one_are_shared() -> None:
    spec = build(BracketParams(places=8))

    shared = sorted({match.loser_place for match in spec.matches if match.loser_place and match.loser_place.first > 8})
    assert shared == [Places(9, 12), Places(13, 16), Places(17, 24), Places(25, 32)]
    assert spec.bands[-4:] == tuple(shared)


def test_bands_of_elimination(de32: BracketSpec) -> None:
    assert de32.bands == tuple(
        Places(*band)
        for band in [(1, 1), (2, 2), (3, 3), (4, 4), (5, 6), (7, 8), (9, 12), (13, 16), (17, 24), (25, 32)]
    )


def test_brazilian_chart_turns_the_droppers_round() -> None:
    spec = build(BracketParams(drop_in="brazilian"))

    def droppers(stage: str) -> list[str]:
        return [match.b.match for match in spec.matches if match.stage == stage and isinstance(match.b, LoserOf)]

    assert droppers("L2") == [f"U2.{number}" for number in (8, 7, 6, 5, 4, 3, 2, 1)]
    assert droppers("L4") == [f"U3.{number}" for number in (2, 1, 4, 3)]
    assert droppers("L6") == [f"U4.{number}" for number in (2, 1)]


def test_explicit_orders_are_followed_and_the_rest_stays() -> None:
    spec = build(BracketParams(drop_in={"L4": [4, 3, 2, 1]}, placement_order={"P9": [1, 3, 2, 4]}))

    assert spec.match("L4.1").b == LoserOf(MatchKey("U3.4"))
    assert spec.match("L2.1").b == LoserOf(MatchKey("U2.4"))
    assert (spec.match("P9.1").a, spec.match("P9.1").b) == (LoserOf(MatchKey("L4.1")), LoserOf(MatchKey("L4.3")))


def test_first_round_keeps_the_best_apart() -> None:
    assert first_round(32) == table("de32")["first_round"]


@pytest.mark.parametrize(
    ("params", "path", "code"),
    [
        ({"size": 12}, "size", "rule.not_one_of"),
        ({"size": 33}, "size", "rule.not_one_of"),
        ({"return_at": 12}, "return_at", "rule.not_one_of"),
        ({"size": 8, "return_at": 16}, "return_at", "rule.not_one_of"),
        ({"final": "double"}, "final", "rule.not_one_of"),
        ({"final": "reset", "return_at": 16}, "final", "bracket.final_needs_lower_bracket"),
        ({"places": 33}, "places", "rule.out_of_range"),
        ({"places": 1}, "places", "rule.out_of_range"),
        ({"drop_in": "zigzag"}, "drop_in", "rule.not_one_of"),
        ({"drop_in": {"L2": [1, 2, 3, 4, 5, 6, 7, 7]}}, "drop_in.L2", "bracket.not_an_order"),
        ({"drop_in": {"L3": [1, 2, 3, 4]}}, "drop_in.L3", "bracket.no_such_round"),
        ({"placement_order": {"P17": [1, 2]}}, "placement_order.P17", "bracket.not_an_order"),
        ({"placement_order": {"P18": [1, 2]}}, "placement_order.P18", "bracket.no_such_round"),
        ({"return_at": 16, "return_order": [1, 2]}, "return_order", "bracket.not_an_order"),
    ],
)
def test_parameters_that_make_no_sense_are_refused_with_their_path(
    params: dict[str, Any], path: str, code: str
) -> None:
    with pytest.raises(RuleError) as refused:
        build(BracketParams(**params))

    assert (refused.value.path, refused.value.code) == (path, code)


def test_unknown_match_is_refused(de32: BracketSpec) -> None:
    with pytest.raises(TourneyError) as refused:
        de32.match("U9.1")

    assert (refused.value.code, refused.value.values) == ("bracket.unknown_match", {"match": "U9.1"})


def test_number_of_matches_a_change_can_reach(de32: BracketSpec) -> None:
    first_of_stage = {"U1.1": 46, "U2.1": 30, "L1.1": 30, "L2.1": 22, "U3.1": 14, "L3.1": 14, "L4.1": 10}
    later = {"U4.1": 6, "L5.1": 6, "L6.1": 4, "U5.1": 2, "L7.1": 2, "L8.1": 1, "GF.1": 0}
    expected = {**first_of_stage, **later}

    assert {key: len(reach(de32, MatchKey(key))) for key in expected} == expected
