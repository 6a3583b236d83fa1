"""Every shared rule case, by the engine that owns its rule and on the data of the shipped presets."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tourney.cases.rules import run_case, run_rules

FOLDER = Path(__file__).parent / "data" / "rules"
SOURCE = json.loads((FOLDER / "cases.json").read_text(encoding="utf-8"))
KNOCKOUT_CLAUSES = {"3.2": "K3.2", "3.3": "K3.3", "3.4": "K3.4", "4.3": "K4.3"}
YOUTH_CLAUSES = {clause: f"M{clause}" for clause in ("7.1", "7.2", "7.4", "7.7", "7.8", "7.9", "8.2", "9.1", "9.3")}


def with_marks(case):
    known = KNOCKOUT_CLAUSES if case["rule"] == "waiting_list" else YOUTH_CLAUSES
    marks = [pytest.mark.clause(known[clause]) for clause in case["clause"] if clause in known]
    return pytest.param(case, id=case["id"], marks=marks)


@pytest.mark.parametrize("case", [with_marks(case) for case in SOURCE["cases"]])
def test_rule_case_agrees(case):
    result = run_case(case, SOURCE["default_policy"])

    assert result.got == result.expected


def test_run_rules_covers_the_whole_file():
    results = run_rules(FOLDER)

    assert [result.name for result in results] == [case["id"] for case in SOURCE["cases"]]
    assert len(results) == 60


def test_run_case_shows_a_difference():
    case = {**SOURCE["cases"][0], "expect": {"system": "swiss", "unheard_of": 1}}

    result = run_case(case, SOURCE["default_policy"])

    assert not result.agrees
    assert result.got == {"system": "round_robin", "unheard_of": None}


def open_case(rule, given, policy):
    case = {"id": "x", "rule": rule, "input": given, "expect": {}, "policy": policy}
    wanted = {"main": [], "reserve": [], "decision": "", "result": "", "next": "", "absent": []}
    return run_case({**case, "expect": wanted}, SOURCE["default_policy"]).got


def test_policies_of_the_cases_change_the_answer():
    """The settings no case overrides are live too."""
    child = next(case for case in SOURCE["cases"] if case["id"] == "AG-04")["input"]
    decisions = {
        option: open_case("age_entry", child, {"under_youngest_group": option})["decision"]
        for option in ("decision_needed", "refuse", "youngest_group")
    }
    assert decisions == {"decision_needed": "needs_decision", "refuse": "refuse", "youngest_group": "accept"}

    registered = {"capacity": 1, "events": [["register", "a", "08:00"], ["register", "b", "08:01"]]}
    held = open_case("waiting_list", registered, {"seat_taken_by": "registration_with_hold_48h"})
    assert (held["main"], held["reserve"]) == (["a"], ["b"])

    missing = next(case for case in SOURCE["cases"] if case["id"] == "WL-06")["input"]
    replaced = open_case("waiting_list", missing, {"promotion_until": "first_match_start"})
    assert (replaced["main"], replaced["reserve"], replaced["absent"]) == (["a", "c"], [], ["b"])

    level = next(case for case in SOURCE["cases"] if case["id"] == "POH-4")["input"]
    lots = open_case("first_place_playoff", level, {"three_way_repeat": "drawing_of_lots"})
    assert lots["next"] == "drawing_of_lots"
