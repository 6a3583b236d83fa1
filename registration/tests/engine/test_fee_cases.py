"""Every shared fee case, through the data block the case's regime stands for."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from registration.engine.cases import run_case, run_fees

FOLDER = Path(__file__).parent / "data" / "fees"
SOURCE = json.loads((FOLDER / "cases.json").read_text(encoding="utf-8"))
IDS = [case["id"] for case in SOURCE["cases"]]
MARKS = {
    "K": {"4.1": "K4.1", "4.3": "K4.3", "4.4": "K4.4", "4.5": "K4.5", "4.6": "K4.6", "4.7": "K4.7", "3.3": "K3.3"},
    "M": {clause: f"M{clause}" for clause in ("10.3.1", "10.3.2", "10.3.3", "10.3.4", "10.3.5", "10.5")},
}


def with_marks(case: dict[str, object]) -> object:
    known = MARKS[str(case["id"])[0]]
    clauses = [known[clause] for clause in case["clause"] if clause in known]  # type: ignore[attr-defined]
    return pytest.param(case, id=str(case["id"]), marks=[pytest.mark.clause(clause) for clause in clauses])


@pytest.mark.parametrize("case", [with_marks(case) for case in SOURCE["cases"]])
def test_fee_case_agrees(case):
    result = run_case(case, SOURCE["regimes"][case["regime"]])

    assert result.got == result.expected


def test_run_fees_covers_the_whole_file_from_either_folder():
    results = run_fees(FOLDER)

    assert [result.name for result in results] == IDS
    assert len(results) == 64
    assert [result.name for result in run_fees(FOLDER.parent)] == IDS


def test_run_case_shows_a_difference():
    case = {**SOURCE["cases"][0], "expect": {"amount_due": "1.00"}}

    result = run_case(case, SOURCE["regimes"][case["regime"]])

    assert not result.agrees
    assert result.got == {"amount_due": "500.00"}
