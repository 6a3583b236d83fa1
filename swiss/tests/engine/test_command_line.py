"""The command line: what it prints, and the exit status."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from swiss.engine.__main__ import main
from swiss.engine.refusals import ENGINE_SENTENCES, FILE_SENTENCES
from tourney.kernel.trf import parse
from tourney.testing import codes

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


def explained(capsys: pytest.CaptureFixture[str], *arguments: str) -> dict[str, Any]:
    assert main(["explain", FILE, "--json", *arguments]) == 0
    answer: dict[str, Any] = json.loads(capsys.readouterr().out)
    return answer


def test_explain_gives_a_pair_as_fields(capsys: pytest.CaptureFixture[str]) -> None:
    """A round with floats: every fact a field of its own, against the crosstable of the file."""
    trf = parse(Path(FILE).read_bytes())
    answer = explained(capsys, "--round", "5")
    bracket, down = next(
        (bracket, one)
        for bracket in answer["brackets"]
        for one in bracket["moved_down"]
        if one["player"] in {pair["higher"] for pair in bracket["pairs"]}
    )

    own = explained(capsys, "--round", "5", "--player", str(down["player"]))["player"]

    scores = {int(player.entry): player.score / 2 for player in trf.history(4).players}
    assert own["outcome"] == "pair"
    assert (own["bracket"], own["bracket_score"]) == (bracket["bracket"], bracket["score"])
    assert down["from_score"] == scores[down["player"]] > bracket["score"]
    assert own["floats"][0]["reason"] in ("nobody_left", "odd", "fewer")
    for side in ("higher", "lower"):
        card = own[side]
        cells = [trf.cell(card["player"], number) for number in range(1, 5)]
        assert card["score"] == scores[card["player"]]
        assert card["colors"] == "".join(cell.color or "" for cell in cells if cell.is_game and cell.result not in "+-")
        assert re.fullmatch(r"S[12]R?", card["half"])
        assert card["place"] >= 1
        assert (card["preference"] is None) == (card["strength"] == "none")
    assert own["higher"]["color"] != own["lower"]["color"]
    assert re.fullmatch(r"C\.04\.3, 5\.2\.[1-5]", own["color_rule"])


def test_explain_gives_the_first_criterion_with_both_values(capsys: pytest.CaptureFixture[str]) -> None:
    rules = set()
    for other in range(2, 11):
        answer = explained(capsys, "--round", "5", "--player", "1", "--against", str(other), "--bye")
        against, bye = answer["against"]

        assert (against["player"], against["against"], bye["against"]) == (1, other, "bye")
        assert (bye["rule"], bye["article"]) == ("even", "")
        rules.add(against["rule"])
        if against["rule"] in ("", "order", "C1", "C3", "C4", "forbidden"):
            assert against["as_paired"] is against["otherwise"] is None
        else:
            assert against["article"] == f"C.04.3, {against['rule']}"
            assert str(against["as_paired"]) != str(against["otherwise"])
            bracket = answer["brackets"][against["bracket"] - 1]
            assert bracket["values"][against["rule"]] == against["as_paired"]
    assert {"", "C1"} < rules


def test_explain_gives_the_bye_as_fields(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    file = tmp_path / "odd.trf"
    assert main(["simulate", str(file), "--seed", "3", "--players", "9", "--rounds", "4"]) == 0
    capsys.readouterr()

    assert main(["explain", str(file), "--round", "3", "--json"]) == 0
    bye = json.loads(capsys.readouterr().out)["bye"]
    assert (bye["rule"], type(bye["score"])) == ("C.04.3, C5", float)

    assert main(["explain", str(file), "--round", "3", "--player", str(bye["player"]), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["player"] == {"player": bye["player"], "outcome": "bye", "bye": bye}


def test_open_games_count_as_draws_when_told_so(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lines = [
        f"{'001    1      One':<91}   3 w  ",
        f"{'001    2      Two':<91}   4 b 1",
        f"{'001    3      Three':<91}   1 b  ",
        f"{'001    4      Four':<91}   2 w 0",
    ]
    file = tmp_path / "open.trf"
    file.write_text("\n".join(("142 3", "152 W", *lines, "")))

    assert main(["pair", str(file)]) == 1
    assert capsys.readouterr().err == (
        f"{file}: Games without a result are left: a round is paired when all are in. Players: 1, 3. "
        "[pairing.results_missing]\n"
    )

    assert main(["pair", str(file), "--open-as-draws", "--json"]) == 0
    pairs = {(game["white"], game["black"]) for game in json.loads(capsys.readouterr().out)["pairings"]}
    assert pairs == {(2, 1), (3, 4)}


def test_round_robin_is_paired_by_its_table_and_has_nothing_to_explain(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "table.trf"
    players = [f"{f'001 {number:>4}      Player {number}':<89}" for number in range(1, 5)]
    file.write_text("\n".join(("192 BERGER_ROUNDROBIN", "142 3", *players, "")))

    assert main(["pair", str(file), "--json"]) == 0
    assert [(game["white"], game["black"]) for game in json.loads(capsys.readouterr().out)["pairings"]] == [
        (1, 4),
        (2, 3),
    ]
    assert main(["explain", str(file)]) == 2
    assert "explain.table" in capsys.readouterr().err


def test_unreadable_file_is_named_with_its_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    broken = tmp_path / "broken.trf"
    broken.write_text("012 Event\n001    x\n")

    assert main(["check", str(broken)]) == 2
    assert capsys.readouterr().err == (
        f"{broken}: line 2, column 5: A number of a player from 1 to 9999 is expected, not “x”. [trf.bad_number]\n"
    )


def test_missing_file_is_no_traceback(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["pair", "/no/such.trf"]) == 2
    assert capsys.readouterr().err == "/no/such.trf: No such file or directory\n"


def test_round_that_cannot_be_paired_fails(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "two.trf"
    file.write_text(f"142 5\n152 W\n{'001    1      One':<91}   2 w 1\n{'001    2      Two':<91}   1 b 0\n")

    assert main(["pair", str(file)]) == 1
    assert capsys.readouterr().err == (
        f"{file}: No pairing keeps all rules. "
        "Player 1 may not meet 1 of the others: 1 met already, 0 forbidden, 0 by colours. "
        "Player 2 may not meet 1 of the others: 1 met already, 0 forbidden, 0 by colours. "
        "It would go with letting players meet again (C1). [pairing.no_valid_pairing]\n"
    )


def test_number_that_is_not_in_the_file_cannot_be_asked_about(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "open.trf"
    main(["simulate", str(file), "--seed", "7", "--players", "8", "--rounds", "3"])
    capsys.readouterr()

    for asked in (["--player", "99"], ["--player", "1", "--against", "99"]):
        assert main(["explain", str(file), *asked]) == 2
        assert capsys.readouterr().err == (f"{file}: There is no player number 99 in the file. [trf.unknown_number]\n")


def test_every_refusal_of_a_file_or_a_pairing_has_an_english_sentence() -> None:
    used = {
        use.code
        for use in codes.uses(codes.ERRORS)
        if use.place.startswith(("swiss/engine/", "tourney/kernel/trf/")) and not use.is_prefix
    }
    asked = {code for code in used if code.split(".")[0] in ("trf", "pairing", "roundrobin", "explain")}

    assert {"trf.bad_rating", "pairing.no_valid_pairing", "explain.not_in_round"} <= asked
    assert asked <= {*FILE_SENTENCES, *ENGINE_SENTENCES}


def test_help_is_a_manual_page(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as left:
        main(["--help"])

    assert left.value.code == 0
    manual = capsys.readouterr().out
    assert "round robin" in manual[manual.index("    check     Pairs") : manual.index("    simulate  Makes")]
    assert "--open-as-draws" in manual
    assert [line for line in manual.splitlines() if line.isupper()] == [
        "NAME",
        "SYNOPSIS",
        "DESCRIPTION",
        "EXIT STATUS",
        "EXAMPLES",
    ]
