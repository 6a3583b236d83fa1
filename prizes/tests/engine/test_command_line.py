"""The arbiter's command line."""

from __future__ import annotations

import io
import json
import subprocess
import sys
from pathlib import Path

import pytest

from prizes.engine.__main__ import main

DATA = Path(__file__).parent / "data"


def run(*arguments: str) -> tuple[int, str, str]:
    """Return exit status, standard output and standard error."""
    out, err = io.StringIO(), io.StringIO()
    return main(["standings", *arguments], out, err), out.getvalue(), err.getvalue()


def test_standings_are_printed_as_a_table() -> None:
    status, out, err = run(str(DATA / "bbp_8x5.trf"), "--order", "DE,BH/C1,BH")

    assert (status, err) == (0, "")
    lines = out.splitlines()
    assert lines[0].split() == ["rank", "no", "name", "PTS", "DE", "BH/C1", "BH"]
    assert len(lines) == 9
    assert [line.split()[0] for line in lines[1:]] == ["1=", "1=", "3=", "3=", "5=", "5=", "7=", "7="]


def test_json_holds_values_as_digits_with_their_parts() -> None:
    status, out, _ = run(str(DATA / "hand_vur_corners.trf"), "--order", "BH/C1", "--json")

    report = json.loads(out)
    assert status == 0
    assert (report["edition"], report["system"], report["order"]) == ("2026", "swiss", ["PTS", "BH/C1"])
    first = report["standings"][0]
    assert (first["rank"], first["number"], first["values"][0]["value"]) == (1, 2, "4")
    cut = [part for part in first["values"][1]["parts"] if part["cut"]]
    assert cut == [
        {
            "round": 5,
            "opponent": 5,
            "kind": "played",
            "source": "opponent",
            "result": "1",
            "score": "2",
            "adjusted": "2",
            "counted": "2",
            "cut": "lowest",
        }
    ]


def test_why_lists_the_parts_of_one_player() -> None:
    status, out, _ = run(str(DATA / "hand_vur_corners.trf"), "--order", "BH/C1", "--why", "1")

    assert status == 0
    assert out.split("\n\n")[1].splitlines()[6:] == [
        "BH/C1 11.5",
        "    R1 #5 2",
        "    R2 #2 4",
        "    R3 #3 2.5",
        "    R4 #4 3",
        "    R5 2.5 capped_by_draws *lowest_absence",
    ]


def test_edition_follows_the_date_of_the_file_and_can_be_overridden(tmp_path: Path) -> None:
    report = tmp_path / "autumn.trf"
    report.write_text((DATA / "tec_swiss16x5.trf").read_text().replace("042 2026/", "042 2025/"))
    file = str(report)

    by_date = json.loads(run(file, "--order", "BH", "--json")[1])
    now = json.loads(run(file, "--order", "BH", "--edition", "2026", "--json")[1])

    def buchholz(report: dict[str, list[dict[str, object]]]) -> object:
        return next(line["values"][1]["value"] for line in report["standings"] if line["number"] == 4)  # type: ignore[index]

    assert (by_date["edition"], buchholz(by_date)) == ("2023", "15")
    assert (now["edition"], buchholz(now)) == ("2026", "14")


def test_the_virtual_opponent_has_to_be_asked_for() -> None:
    status, out, _ = run(
        str(DATA / "tec_swiss16x5.trf"), "--order", "BH:C1", "--edition", "virtual_opponent", "--why", "4"
    )

    assert status == 0
    assert "    R2 3 virtual" in out.splitlines()


@pytest.mark.parametrize(
    ("arguments", "status", "message"),
    [
        (("tec_rr06.trf", "--order", "BH"), 2, 'the tie-break "BH" can\'t be used in a round_robin'),
        (("tec_rr06.trf", "--order", "DE,SB,SB"), 2, 'the tie-break "SB" stands in the order twice'),
        (("tec_rr06.trf", "--order", "DE,PTS"), 2, "points come first"),
        (("tec_rr06.trf", "--order", "XX"), 2, 'the tie-break "XX" is unknown'),
        (("tec_rr06.trf", "--order", "DE/C1"), 2, 'the tie-break "DE/C1" has no variant "C1"'),
        (("tec_rr06.trf", "--order", "LOT"), 2, "a report holds no lots"),
        (("tec_swiss16x5.trf", "--order", "KS"), 2, 'the tie-break "KS" can\'t be used in a swiss'),
        (("tec_rr06.trf", "--rounds", "9"), 2, "there are standings after rounds 1 to 5, not 9"),
        (("tec_rr06.trf", "--order", "SB", "--why", "99"), 2, "no player 99"),
        (("nowhere.trf",), 1, "No such file"),
    ],
)
def test_wrong_input_is_answered_with_a_status(arguments: tuple[str, ...], status: int, message: str) -> None:
    got, out, err = run(str(DATA / arguments[0]), *arguments[1:])

    assert (got, out) == (status, "")
    assert message in err


def test_help_is_a_manual_page() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "prizes.engine", "--help"], capture_output=True, text=True, check=True, timeout=60
    )

    sections = [line for line in done.stdout.splitlines() if line.isupper() and not line.startswith(" ")]
    assert sections == ["NAME", "SYNOPSIS", "DESCRIPTION", "OPTIONS", "EXAMPLES", "EXIT STATUS"]
