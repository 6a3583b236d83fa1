"""Whole tournaments, the worked example and the rule cases against reference answers."""

from __future__ import annotations

from pathlib import Path

import pytest

from prizes.engine.cases import run_rules, run_tiebreaks, summary

DATA = Path(__file__).parent / "data"


@pytest.mark.clause("M8.1")
def test_tiebreaks_of_reference_tournaments_agree() -> None:
    results = list(run_tiebreaks(DATA))

    differences = [(r.name, r.expected, r.got) for r in results if not r.agrees]
    assert differences == []
    assert summary(results) == "423 of 423 columns, 34 of 34 rankings, 6 of 6 examples"


@pytest.mark.clause("M8.2")
@pytest.mark.clause("M9.1")
@pytest.mark.clause("M9.3")
def test_rule_cases_of_playoffs_and_awards_agree() -> None:
    results = list(run_rules(DATA))

    assert [(r.name, r.expected, r.got) for r in results if not r.agrees] == []
    assert summary(results) == "15 of 15 cases"


def test_case_run_finds_a_wrong_answer(tmp_path: Path) -> None:
    for file in DATA.glob("bbp_8x5.*"):
        (tmp_path / file.name).write_bytes(file.read_bytes())
    expected = tmp_path / "bbp_8x5.expected.json"
    text = expected.read_text().replace('"BH":', '"BH":1', 1)
    expected.write_text(text)

    wrong = [result.name for result in run_tiebreaks(tmp_path) if not result.agrees]

    assert wrong == ["bbp_8x5 2026 BH"]


def test_case_run_skips_what_is_not_there(tmp_path: Path) -> None:
    assert list(run_tiebreaks(tmp_path)) == []
    assert list(run_rules(tmp_path)) == []
