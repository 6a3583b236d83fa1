"""What the regulation's editor offers and refuses about tie-breaks, against what the engine knows."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

import pytest

from prizes.engine.rules import parse_ranking
from prizes.engine.tiebreaks import EDITIONS, KINDS, allowed_tiebreaks
from tourney.labels import sentence
from tourney.presets import preset
from tourney.regulation_checks import check_spec
from tourney.regulation_schema.stages import (
    ROUND_ROBIN_TIE_BREAKS,
    SWISS_TIE_BREAKS,
    TIE_BREAK_RULES,
    VIRTUAL_OPPONENT,
)


@pytest.mark.parametrize(("system", "offered"), [("swiss", SWISS_TIE_BREAKS), ("round_robin", ROUND_ROBIN_TIE_BREAKS)])
def test_the_editor_offers_exactly_what_a_system_may_have(system: Any, offered: dict[str, Any]) -> None:
    assert set(offered) == set(allowed_tiebreaks(system)) - {"PTS"}
    for code in offered:
        assert parse_ranking({"kind": system, "tie_breaks": [code]}, "s") is not None


def test_no_system_is_offered_what_it_must_not_have() -> None:
    assert not [code for code in ROUND_ROBIN_TIE_BREAKS if code.split("/")[0] in ("BH", "FB", "AOB", "REP")]
    assert "KS" not in SWISS_TIE_BREAKS
    for name, kind in KINDS.items():
        assert ("swiss" in kind.systems) == (name in SWISS_TIE_BREAKS) or name == "PTS"


def test_every_edition_is_offered() -> None:
    assert {*TIE_BREAK_RULES, *VIRTUAL_OPPONENT} == set(EDITIONS)


def problems(**changes: Any) -> list[tuple[str, str, str]]:
    """Return path, code and English sentence of everything wrong with the open Swiss after changes of its Swiss."""
    data = deepcopy(preset("open-swiss"))
    swiss = next(option for option in data["stages"][0]["options"] if option["kind"] == "swiss")
    swiss.update(changes)
    return [(found.path, found.code, str(sentence(found.as_error()))) for found in check_spec(data) if found.is_error]


@pytest.mark.parametrize(
    ("changes", "where", "code"),
    [
        ({"tie_breaks": ["BH", "XX"]}, "tie_breaks[1]", "tiebreak.unknown"),
        ({"tie_breaks": ["BH", "SB", "BH"]}, "tie_breaks[2]", "tiebreak.twice"),
        ({"tie_breaks": ["KS"]}, "tie_breaks[0]", "tiebreak.not_in_system"),
        ({"tie_breaks": ["BH/C7"]}, "tie_breaks[0]", "tiebreak.modifier"),
        ({"tie_breaks": ["BH", "PTS"]}, "tie_breaks[1]", "tiebreak.points_not_first"),
        ({"tie_break_rules": "2009"}, "tie_break_rules", "rule.not_an_option"),
    ],
)
def test_a_wrong_list_is_refused_with_a_sentence_and_its_place(changes: dict[str, Any], where: str, code: str) -> None:
    ((path, found, said),) = problems(**changes)

    assert (found, path) == (code, f"stages[0].options[1].{where}")
    assert said
    assert code not in said


def test_a_rating_of_its_own_for_tie_breaks_has_to_be_known() -> None:
    data = deepcopy(preset("open-swiss"))
    data["rating"] = {"use": "fide_rapid", "tie_breaks": "national"}
    assert ("rating.national", "rule.missing") in [(found.path, found.code) for found in check_spec(data)]

    data["rating"] = {"use": "none"}
    data["stages"][0]["options"][-1]["tie_breaks"] = ["TPR"]
    assert "rating.needed_by_tie_break" in [found.code for found in check_spec(data)]

    data["rating"] = {"use": "none", "tie_breaks": "fide_rapid"}
    assert "rating.needed_by_tie_break" not in [found.code for found in check_spec(data)]
