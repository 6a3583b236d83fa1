"""Files that were torn, mixed up or made to hurt: a line of the report for each, the other games kept, no crash.

The mutations are drawn from a seed (`pgn_fuzzing`); `PGN_FUZZ_BYTES` raises how many bytes are changed.
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import time
import tracemalloc
import zipfile
from io import BytesIO

import pytest
from django.conf import settings

from tourney import pgn
from tourney.kernel.errors import TourneyError
from tourney.pgn import ReadGame
from tourney.pgn_moves import MAX_ASIDE
from tourney.pgn_replay import replay
from tourney.pgn_text import MAX_REMARKS
from tourney.tests.engine import pgn_fuzzing

GOOD = '[Event "Cup"]\n[White "Good"]\n[Black "Game"]\n[Result "1-0"]\n\n1. e4 e5 2. Nf3 1-0\n'
BYTES = int(os.environ.get("PGN_FUZZ_BYTES", "3000"))


def read(text: str | bytes) -> list[ReadGame]:
    return list(pgn.read(text.encode() if isinstance(text, str) else text))


def faults(games: list[ReadGame]) -> list[tuple[int, str, int]]:
    return [(game.number, remark.code, remark.line) for game in games for remark in game.remarks]


def test_mutated_files_are_read_or_refused_by_name_within_their_memory() -> None:
    command = [sys.executable, "-m", pgn_fuzzing.__name__, "--bytes", str(BYTES)]
    run = subprocess.run(command, capture_output=True, text=True, check=False, cwd=settings.BASE_DIR)
    assert run.returncode == 0, run.stdout + run.stderr
    assert int(run.stdout.split()[0]) > BYTES // 60


def test_the_fuzzer_finds_what_it_looks_for(monkeypatch: pytest.MonkeyPatch) -> None:
    data = pgn_fuzzing.sample()
    assert pgn_fuzzing.fault_of(data) == ""
    monkeypatch.setattr(pgn_fuzzing, "SECONDS", -1.0)
    assert "takes" in pgn_fuzzing.fault_of(data)
    monkeypatch.setattr(pgn_fuzzing, "read_or_code", lambda _data: ([], "pgn.unheard_of"))
    assert pgn_fuzzing.fault_of(data) == "pgn.unheard_of"


FLOODS = {
    "variations": "(1. d4 d5 2. c4 e6 3. Nc3 Nf6) ",
    "variations of one move": "(1. d4) ",
    "variations that can't be followed": "(1. Zz) ",
    "comments": "{a} ",
    "long comments": "{" + "x" * 150 + "} ",
    "marks": "$1 ",
    "brackets": "()",
    "rests of lines": ";x\n",
}


@pytest.mark.parametrize("name", FLOODS)
def test_a_flood_beside_the_moves_is_cut_and_the_moves_stay(name: str) -> None:
    piece = FLOODS[name]
    begun = time.process_time()
    (game,) = read('[Event "x"]\n\n1. e4 ' + piece * (900_000 // len(piece)) + "e5 1-0")
    shown = replay(game.stored)
    assert time.process_time() - begun < 4  # of a busy machine; quadratic it was a minute
    assert ([ply.san for ply in shown.plies], game.result) == (["e4", "e5"], "1-0")
    assert len(game.remarks) <= MAX_REMARKS
    assert read(pgn.write({}, game.stored))[0].body == game.body


def test_what_goes_beyond_the_limit_beside_the_moves_is_told_with_its_line() -> None:
    (game,) = read('[Event "x"]\n\n1. e4 ' + "{a}\n" * (MAX_ASIDE + 5) + "e5 1-0")
    assert faults([game]) == [(1, "pgn.too_much_aside", 3 + MAX_ASIDE)]
    (within,) = read('[Event "x"]\n\n1. e4 ' + "{a}\n" * MAX_ASIDE + "e5 1-0")
    assert faults([within]) == []


@pytest.mark.parametrize("words", ["x ", "x{", "{e4! "])
def test_a_comment_that_was_cut_is_read_back_as_it_was_stored(words: str) -> None:
    (game,) = read('[Event "x"]\n\n1. e4 {' + words * 3_000 + "} e5 1-0")
    assert read(pgn.write({}, game.stored))[0].body == game.body


@pytest.mark.parametrize("value", ["к" * 900_000, "\\" * 1_800_000])
def test_a_tag_without_end_takes_little_memory(value: str) -> None:
    tracemalloc.start()
    try:
        games = read(f'[White "{value}\n\n1. e4 1-0\n\n{GOOD}')
        most = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert most < 40_000_000  # it was 300
    assert {code for _, code, _ in faults(games)} == {"pgn.tag_damaged", "pgn.tag_too_long"}
    assert games[-1].body == "1. e4 e5 2. Nf3"


def test_a_line_of_nothing_but_tags_is_read_in_no_time() -> None:
    begun = time.process_time()
    (game,) = read('[A "x"]' * 140_000 + "\n\n1. e4 1-0")
    assert time.process_time() - begun < 4
    assert (game.body, len(game.remarks)) == ("1. e4", MAX_REMARKS)


BAD = {
    "a long comment": ("1. e4 {" + "x" * 1_900_000 + "} e5 1-0", "pgn.comment_too_long", 3),
    "20,000 nested variations": ("1. e4 " + "(1. d4 " * 20_000, "pgn.variation_left_out", 3),
    "a NUL byte": ("1. e4\x00 e5 1-0", "pgn.nul_bytes", 3),
    "an odd variant": ('[Variant "Atomic"]\n\n1. e4 1-0', "pgn.variant", 1),
    "an illegal move": ("1. e4 e5 2. Ke3 1-0", "pgn.wrong_move", 3),
    "no move at all": ("1-0", "pgn.no_moves", 1),
    "an impossible position": ('[FEN "8/8/8/8/8/8/8/8 w - - 0 1"]\n\n1. e4 *', "pgn.bad_position", 1),
}


@pytest.mark.parametrize("name", BAD)
def test_a_bad_game_is_told_with_its_line_and_the_next_is_kept(name: str) -> None:
    text, code, line = BAD[name]
    head = '[Event "Bad"]\n' if text.startswith("[") else '[Event "Bad"]\n\n'
    games = read(f"{head}{text}\n\n{GOOD}")
    assert (1, code, line) in faults(games)
    assert {number for number, _, _ in faults(games)} == {1}
    assert (games[-1].tags["White"], games[-1].body, games[-1].result) == ("Good", "1. e4 e5 2. Nf3", "1-0")


def test_a_file_of_ten_megabytes_is_refused_without_being_read() -> None:
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    content = b"1. e4 {" + b"x" * 10_000_000
    with pytest.raises(TourneyError) as refused:
        read(content)
    assert refused.value.code == "pgn.too_large"
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 40_000  # kilobytes


def test_a_result_inside_a_name_is_a_name() -> None:
    (game, after) = read(
        '[Event "x"]\n[White "A [Result \\"0-1\\"]"]\n[Black "B"]\n[Result "1-0"]\n\n1. e4 1-0\n\n' + GOOD
    )
    assert (game.tags["White"], game.result, game.remarks) == ('A [Result "0-1"]', "1-0", ())
    assert after.body == "1. e4 e5 2. Nf3"


def test_an_unescaped_result_inside_a_name_does_not_become_the_result() -> None:
    games = read('[Event "x"]\n[White "A"] [Result "0-1"]\n[Black "B"]\n[Result "1-0"]\n\n1. e4 1-0\n\n' + GOOD)
    assert faults(games) == [(1, "pgn.tag_twice", 4)]
    assert games[-1].result == "1-0"


def test_a_zip_with_the_name_of_a_game_file_is_refused() -> None:
    packed = BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("games.pgn", GOOD)
    with pytest.raises(TourneyError) as refused:
        read(packed.getvalue())
    assert refused.value.code == "pgn.not_text"


def test_chess960_is_followed_beside_ordinary_games() -> None:
    fen = "bqnbnrkr/pppppppp/8/8/8/8/PPPPPPPP/BQNBNRKR w KQkq - 0 1"
    games = read(f'[Event "x"]\n[Variant "Chess960"]\n[SetUp "1"]\n[FEN "{fen}"]\n\n1. e4 e5 *\n\n' + GOOD)
    assert [(game.ply_count, game.remarks) for game in games] == [(2, ()), (3, ())]


def test_two_games_under_one_set_of_tags_keep_the_first_and_tell_of_the_second() -> None:
    games = read('[Event "x"]\n[White "A"]\n\n1. e4 e5 1-0\n\n1. d4 d5 0-1\n\n' + GOOD)
    assert faults(games) == [(1, "pgn.after_result", 6)]
    assert [game.body for game in games] == ["1. e4 e5", "1. e4 e5 2. Nf3"]
