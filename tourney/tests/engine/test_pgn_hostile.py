"""Files that were torn, mixed up or made to hurt: a line of the report for each, the other games kept, no crash.

The mutations are drawn from a seed; `PGN_FUZZ_BYTES` raises how many bytes are changed (a million for a long night).
"""

from __future__ import annotations

import os
import random
import resource
import time
import zipfile
from io import BytesIO

import pytest

from tourney import pgn
from tourney.demo import games as demo
from tourney.kernel.errors import TourneyError
from tourney.pgn import ReadGame
from tourney.pgn_replay import replay

NAMED = {"pgn.too_large", "pgn.not_text", "pgn.no_games", "pgn.too_many_games"}
GOOD = '[Event "Cup"]\n[White "Good"]\n[Black "Game"]\n[Result "1-0"]\n\n1. e4 e5 2. Nf3 1-0\n'
BYTES = int(os.environ.get("PGN_FUZZ_BYTES", "3000"))
BITS = (
    b"{", b"}", b"(", b")", b"[", b"]", b'"', b"\\", b";", b"%", b"$", b"\n", b"\r", b"\x00", b"\xff", b"\x1a",
    b"1-0", b"*", b"...", b"O-O-O", b"e8=Q+", b"--", b"[%clk 9:9:9]", b'[FEN "', b'[Variant "Chess960"]', b"\xd0",
)  # fmt: skip


def read(text: str | bytes) -> list[ReadGame]:
    return list(pgn.read(text.encode() if isinstance(text, str) else text))


def faults(games: list[ReadGame]) -> list[tuple[int, str, int]]:
    return [(game.number, remark.code, remark.line) for game in games for remark in game.remarks]


def sample() -> bytes:
    """Return a file with everything in it: variations, comments, marks, clocks, a position, both alphabets."""
    moves = [text for texts in demo.GAMES.values() for text in texts][:1]
    heads = ('[White "Прокопенко, Олег"]\n[Black "Щербак"]', '[White "A \\"B\\" C"]\n[Round "2.1"]', '[Black "Z"]')
    rich = "{start} 1. e4! {[%clk 0:02:59] good} e5 (1... c5 2. Nf3 (2. c3 $14) d6) 2. Nf3 ; rest\n Nc6 3. Bb5 1/2-1/2"
    setup = '[FEN "8/4k3/8/8/8/8/4P3/4K3 w - - 0 1"]\n[SetUp "1"]\n\n1. e4 Kd6 2. Kd2 *'
    games = [
        f'[Event "X"]\n{head}\n\n{text} 1-0'
        for head, text in zip(heads, (*moves, "1. d4 d5 2. c4", "1. c4 *"), strict=True)
    ]
    return "\n\n".join([*games, f'[Event "Y"]\n\n{rich}', f'[Event "Z"]\n{setup}', ""]).encode()


def mutated(content: bytes, chance: random.Random, changes: int) -> bytes:
    data = bytearray(content)
    for _ in range(changes):
        at = chance.randrange(len(data))
        match chance.randrange(5):
            case 0:
                data[at] = chance.randrange(256)
            case 1:
                del data[at : at + chance.randrange(1, 20)]
            case 2:
                data[at:at] = chance.choice(BITS) * chance.choice((1, 1, 1, 30))
            case 3:
                end = at + chance.randrange(1, 200)
                data[at:at] = data[at:end]
            case _:
                data[at : at + 1] = chance.choice(BITS)
        data = data or bytearray(content)
    return bytes(data)


def test_mutated_files_are_read_or_refused_by_name() -> None:
    content, changed, number = sample(), 0, 0
    while changed < BYTES:
        number += 1
        chance = random.Random(f"pgn {number}")
        changes = chance.choice((1, 3, 10, 60))
        data = mutated(content, chance, changes)
        changed += changes
        begun = time.process_time()
        games, code = read_or_code(data)
        assert code in {"", *NAMED}, number
        for game in games:
            assert len(replay(game.stored).plies) == game.ply_count, number
            again = read(pgn.write({"White": game.tags.get("White", "")}, game.stored))
            assert [one.body for one in again] == [game.body], number
        assert time.process_time() - begun < 2, number


def read_or_code(data: bytes) -> tuple[list[ReadGame], str]:
    """Return the games of a file, or the code it is refused with."""
    try:
        return read(data), ""
    except TourneyError as refused:
        return [], refused.code


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
