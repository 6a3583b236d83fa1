"""The command line: what it prints, and the exit status."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from swiss.engine.__main__ import main

DATA = Path(__file__).parent / "data" / "swiss"
FILE = str(DATA / "small_225_n010_r07.trf")


def test_check_counts_files_and_rounds(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", FILE, str(DATA / "late_166_n006_r04.trf")]) == 0
    assert capsys.readouterr().out == "2 files, 11 rounds checked, 0 rounds differ\n"


def test_check_prints_every_difference_and_fails(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = Path(FILE).read_text()
    changed = tmp_path / "changed.trf"
    drawn, other = ("white1", "black1") if "XXC white1" in text else ("black1", "white1")
    changed.write_text(text.replace(f"XXC {drawn}", f"XXC {other}"))

    status = main(["check", str(changed), "--json"])

    report = json.loads(capsys.readouterr().out)
    assert (status, report["files"], report["rounds"]) == (1, 1, 7)
    assert report["differences"][0]["round"] == 1
    assert report["differences"][0]["only_in_file"] == sorted(
        pair[::-1] for pair in report["differences"][0]["only_by_engine"]
    )


def test_pair_prints_the_boards_of_a_round(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["pair", FILE, "--round", "1", "--json"]) == 0

    plan = json.loads(capsys.readouterr().out)
    expected = json.loads((DATA / "pairings.json").read_text())["small_225_n010_r07.trf"][0]
    assert [[game["white"], game["black"]] for game in plan["pairings"]] == expected


def test_simulate_prints_its_seed_and_check_agrees(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "made"

    assert main(["simulate", str(folder), "--seed", "5", "--players", "9", "--rounds", "4", "--count", "2"]) == 0
    printed = capsys.readouterr().out.splitlines()
    assert [line.split(":")[0] for line in printed] == ["seed 5", "seed 6"]

    assert main(["check", *map(str, sorted(folder.iterdir()))]) == 0
    assert capsys.readouterr().out.startswith("2 files, ")


def test_explain_names_the_rule_against_another_pair(capsys: pytest.CaptureFixture[str]) -> None:
    first, second = json.loads((DATA / "pairings.json").read_text())["small_225_n010_r07.trf"][0][0]

    assert main(["explain", FILE, "--round", "2", "--player", str(first), "--against", str(second)]) == 0
    assert f"why not {first} against {second}: C1: they have already met" in capsys.readouterr().out


def test_unreadable_file_is_named_with_its_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    broken = tmp_path / "broken.trf"
    broken.write_text("012 Event\n001    x\n")

    assert main(["check", str(broken)]) == 2
    assert capsys.readouterr().err == (f"{broken}: trf.bad_number(line=2, column=5, found='x', low=1, high=9999)\n")


def test_missing_file_is_no_traceback(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["pair", "/no/such.trf"]) == 2
    assert capsys.readouterr().err == "/no/such.trf: No such file or directory\n"


def test_round_that_cannot_be_paired_fails(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "two.trf"
    file.write_text(f"142 5\n152 W\n{'001    1      One':<91}   2 w 1\n{'001    2      Two':<91}   1 b 0\n")

    assert main(["pair", str(file)]) == 1
    assert "pairing.no_valid_pairing" in capsys.readouterr().err


def test_help_is_a_manual_page(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as left:
        main(["--help"])

    assert left.value.code == 0
    assert [line for line in capsys.readouterr().out.splitlines() if line.isupper()] == [
        "NAME",
        "SYNOPSIS",
        "DESCRIPTION",
        "EXIT STATUS",
        "EXAMPLES",
    ]
