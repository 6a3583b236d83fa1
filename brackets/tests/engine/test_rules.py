"""The stage block of a regulation: the shipped presets, head-counts, and errors with their paths."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from brackets.engine.build import BracketParams
from brackets.engine.match_format import parse_formats
from brackets.engine.placings import DisqualifiedPlace, LeftPlace
from brackets.engine.rules import Promise, check_promise, parse_regulation_stage, parse_stage, size_for
from brackets.engine.seeding import SeedingMethod, SeedingRules
from brackets.engine.topology import Ties
from tourney.kernel.errors import RuleError, TourneyError

PRESETS = Path(__file__).parents[3] / "tourney" / "presets"
FORMATS = parse_formats(
    {
        "blitz": {"phases": [{"games": 2, "clock": "3+2"}]},
        "group": {"phases": [{"round_robin": 1, "clock": "3+2"}]},
    }
)
STAGE: Mapping[str, Any] = {"kind": "bracket", "match": "blitz"}


def preset(name: str) -> dict[str, Any]:
    return tomllib.loads((PRESETS / f"{name}.toml").read_text(encoding="utf-8"))


@pytest.mark.clause("K5.1")
def test_second_chance_preset_is_the_default_bracket() -> None:
    regulation = preset("second-chance-32")
    rules = parse_regulation_stage(regulation, regulation["stages"][0]["options"][0], "stages[0].options[0]")

    assert rules.params == BracketParams()
    assert rules.seeding == SeedingRules(SeedingMethod.RANK_POTS, ("KMS", "1", "2"))
    assert (rules.left_place, rules.disqualified_place) == (LeftPlace.KEEP, DisqualifiedPlace.MOVE_UP)
    assert len(rules.match_format.phases) == 3


@pytest.mark.clause("K5.6")
def test_promise_of_five_matches_holds_for_32_and_says_by_how_much_it_fails() -> None:
    regulation = preset("second-chance-32")
    rules = parse_regulation_stage(regulation, regulation["stages"][0]["options"][0], "stage")

    assert check_promise(rules, 32) == Promise(5, 5, ())
    assert check_promise(rules, 31).least == 4
    assert not check_promise(rules, 31).is_kept
    assert check_promise(rules, 24).is_kept


@pytest.mark.clause("K3.1")
def test_33_players_do_not_fit_a_bracket_of_32() -> None:
    rules = parse_stage({**STAGE, "size": 32}, FORMATS)

    with pytest.raises(TourneyError) as refused:
        rules.build_for(33)

    assert (refused.value.code, refused.value.values) == ("bracket.too_many_players", {"players": 33, "size": 32})


def test_fitting_bracket_is_the_smallest_with_a_seed_for_everybody() -> None:
    rules = parse_stage({**STAGE, "size": "fit", "return_at": 16, "places": 12}, FORMATS)

    assert [size_for(players) for players in (2, 4, 5, 16, 17, 33, 128, 500)] == [4, 4, 8, 16, 32, 64, 128, 128]
    assert rules.params_for(30) == BracketParams(size=32, return_at=16, places=12)
    assert rules.params_for(9) == BracketParams(size=16, return_at=8, places=12)
    assert rules.params_for(7) == BracketParams(size=8, return_at=4, places=8)
    assert parse_stage({**STAGE, "size": "fit", "return_at": "never"}, FORMATS).params_for(9).return_at == 16


def test_every_key_is_read() -> None:
    rules = parse_stage(
        {
            **STAGE,
            "when": {"players_at_most": 16},
            "size": 16,
            "return_at": 2,
            "final": "reset",
            "places": "none",
            "drop_in": {"L2": [4, 3, 2, 1]},
            "table_up_to": 4,
            "table_ties": "shared",
            "minimum_matches": 2,
            "final_match": "long",
            "left_place": "last_of_band",
            "disqualified_place": "keep_empty",
            "rest_minutes": 5,
            "seeding": {"method": "tennis", "apart": ["club", "town"]},
        },
        {**FORMATS, **parse_formats({"long": {"phases": [{"games": 4, "clock": "10+5"}]}})},
    )

    assert rules.params == BracketParams(
        size=16, final="reset", places=2, drop_in={"L2": (4, 3, 2, 1)}, table_up_to=4, table_ties=Ties.SHARED
    )
    assert (rules.format_of("upper").phases[0], rules.format_of("final").phases[0]) == (
        FORMATS["blitz"].phases[0],
        rules.final_format.phases[0],
    )
    assert rules.final_format.most_games == 4
    assert (rules.left_place, rules.disqualified_place, rules.rest_minutes, rules.minimum_matches) == (
        LeftPlace.LAST_OF_BAND,
        DisqualifiedPlace.KEEP_EMPTY,
        5,
        2,
    )
    assert rules.seeding == SeedingRules(SeedingMethod.TENNIS, (), ("club", "town"))


@pytest.mark.parametrize(
    ("change", "path", "code"),
    [
        ({"kind": "swiss"}, "s.kind", "rule.not_an_option"),
        ({"size": 12}, "s.size", "rule.not_one_of"),
        ({"size": "big"}, "s.size", "rule.expected_number"),
        ({"return_at": 12}, "s.return_at", "rule.not_one_of"),
        ({"final": "two"}, "s.final", "rule.not_an_option"),
        ({"final": "reset", "return_at": 8}, "s.final", "bracket.final_needs_lower_bracket"),
        ({"places": 40}, "s.places", "rule.out_of_range"),
        ({"places": "some"}, "s.places", "rule.expected_number"),
        ({"drop_in": "zigzag"}, "s.drop_in", "rule.not_an_option"),
        ({"table_up_to": 2}, "s.table_up_to", "rule.not_one_of"),
        ({"table_up_to": 9}, "s.table_up_to", "rule.out_of_range"),
        ({"table_ties": "lot"}, "s.table_ties", "rule.not_an_option"),
        ({"drop_in": {"L2": [1, 2]}}, "s.drop_in.L2", "bracket.not_an_order"),
        ({"drop_in": {"L2": ["x"]}}, "s.drop_in.L2[0]", "rule.expected_number"),
        ({"placement_order": {"P99": [1]}}, "s.placement_order.P99", "bracket.no_such_round"),
        ({"size": "fit", "placement_order": {"P9": [1]}}, "s.placement_order", "bracket.order_needs_size"),
        ({"match": "rapid"}, "s.match", "match.unknown_format"),
        ({"match": "group"}, "s.match", "match.format_for_three"),
        ({"seeding": {"method": "luck"}}, "s.seeding.method", "rule.not_an_option"),
        ({"seeding": {"method": "rank_pots"}}, "s.seeding.ranks", "rule.missing"),
        ({"seeding": {"method": "rank_pots", "ranks": ["1", "1"]}}, "s.seeding.ranks", "rule.twice"),
        ({"seeding": {"metod": "fold"}}, "s.seeding.metod", "rule.unknown_key"),
        ({"when": {"players": 5}}, "s.when.players", "rule.unknown_key"),
        ({"minimum": 5}, "s.minimum", "rule.unknown_key"),
    ],
)
def test_bad_rule_is_refused_with_its_path(change: dict[str, Any], path: str, code: str) -> None:
    with pytest.raises(RuleError) as refused:
        parse_stage({**STAGE, **change}, FORMATS, "s")

    assert (refused.value.path, refused.value.code) == (path, code)


def test_little_tables_are_made_for_the_players_who_come() -> None:
    rules = parse_stage({**STAGE, "size": 32, "table_up_to": 4, "minimum_matches": 5}, FORMATS, "s")

    assert len(rules.build_for(32).tables) == 6
    assert {players: check_promise(rules, players).is_kept for players in (32, 31, 30, 28, 24, 20)} == {
        32: True,
        31: True,
        30: False,
        28: True,
        24: True,
        20: True,
    }
