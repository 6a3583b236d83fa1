"""The shared cases: tables, whole events, match scripts and draws, through the same code as the command line."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from brackets.engine.cases import run, run_draws
from brackets.tests.engine.conftest import DATA
from tourney.kernel.case import CaseResult


def by_unit(results: list[CaseResult]) -> dict[str, int]:
    units: dict[str, int] = {}
    for result in results:
        units[result.unit] = units.get(result.unit, 0) + 1
    return units


@pytest.mark.clause("K5.5")
@pytest.mark.clause("M8.2")
def test_tables_events_and_scripts_all_agree() -> None:
    results = list(run(DATA))

    assert [result for result in results if not result.agrees] == []
    assert by_unit(results) == {"table": 2, "event": 44, "script": 34}


@pytest.mark.clause("K7.3")
def test_draws_are_checked_and_forgeries_refused() -> None:
    results = list(run_draws(DATA))

    assert [result for result in results if not result.agrees] == []
    assert by_unit(results) == {"draw": 11}


def test_missing_files_are_left_out(tmp_path: Path) -> None:
    shutil.copy(DATA / "de32.json", tmp_path)

    assert [result.name for result in [*run(tmp_path), *run_draws(tmp_path)]] == ["de32"]


def test_differences_are_named(tmp_path: Path) -> None:
    table = json.loads((DATA / "de32.json").read_text())
    table["table"][0]["b"] = {"seed": 31}
    table["table"][8]["b"] = {"seed": 32}
    (tmp_path / "de32.json").write_text(json.dumps(table))
    scripts = json.loads((DATA / "match_scripts.json").read_text())
    scripts["scripts"][0]["expect"]["winner"] = "a"
    scripts["scripts"][5]["steps"][0]["refused"] = False
    (tmp_path / "match_scripts.json").write_text(json.dumps(scripts))
    sims = json.loads((DATA / "sims.json").read_text())
    events = {event["id"]: event for event in sims["events"]}
    places = events["S01"]["places"]
    places[0], places[1] = places[1], places[0]
    events["S02"]["results"][0]["w"] = "a" if events["S02"]["results"][0]["w"] == "b" else "b"
    walkover = next(row for row in events["H28"]["results"] if row.get("auto"))
    walkover["w"] = "a" if walkover["w"] == "b" else "b"
    (tmp_path / "sims.json").write_text(json.dumps(sims))

    different = [result.name for result in run(tmp_path) if not result.agrees]

    assert different == ["de32", "S01", "S02", "H28", "M01 2:0", "M06 the higher-rated player may not choose"]


def test_forged_draw_passed_off_as_honest_is_seen(tmp_path: Path) -> None:
    vectors = json.loads((DATA / "draw_vectors.json").read_text())
    vectors["valid"][1]["result"] = list(reversed(vectors["valid"][1]["manifest"]["entrants"]))[:1]
    vectors["valid"][1]["manifest"]["entrants"].append("zz9")
    (tmp_path / "draw_vectors.json").write_text(json.dumps(vectors))

    assert [result.name for result in run_draws(tmp_path) if not result.agrees] == ["draw 2"]
