"""Long files cut into parts: the same games, numbers and lines as when they are read at once, whatever is in them."""

from __future__ import annotations

import random
import resource
import time
import zipfile
from io import BytesIO

import pytest

from tourney import pgn, pgn_files
from tourney.kernel.errors import TourneyError
from tourney.pgn import ReadGame
from tourney.tests.engine.pgn_fuzzing import NAMED, mutated, sample
from tourney.tests.engine.test_pgn_hostile import BYTES, GOOD

GAME = '[Event "Cup"]\n[White "Щербак, Їжа"]\n[Black "B {n}"]\n[Result "1-0"]\n\n1. e4 {{так}} e5 2. Nf3 1-0\n\n'


def parts(content: bytes) -> list[pgn_files.Part]:
    return list(pgn_files.parts(BytesIO(content)))


def read(content: bytes) -> list[ReadGame]:
    found: list[ReadGame] = []
    for part in parts(content):
        found += pgn.read_part(part, len(found))
    return found


def facts(games: list[ReadGame]) -> list[tuple[int, int, dict[str, str], str]]:
    return [(game.number, game.line, dict(game.tags), game.body) for game in games]


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pgn_files, "PART", 1_000)
    monkeypatch.setattr(pgn_files, "BLOCK", 700)


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize("ending", ["\n", "\r\n", "\r"])
def test_a_file_in_parts_reads_as_it_does_at_once(ending: str) -> None:
    content = "".join(GAME.format(n=n) for n in range(60)).replace("\n", ending).encode()
    assert len(parts(content)) > 5
    assert facts(read(content)) == facts(list(pgn.read(content)))


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize("encoding", ["utf-8-sig", "cp1251", "utf-16"])
def test_encodings_are_recognized_over_the_borders_of_blocks(encoding: str) -> None:
    text = "".join(GAME.format(n=n) for n in range(30))
    assert facts(read(text.encode(encoding))) == facts(list(pgn.read(text.encode())))


def test_latin_letters_of_the_west_are_not_taken_for_cyrillic_ones() -> None:
    (game,) = read('[White "Müller, Jörg"]\n[Black "Pérez"]\n\n1. e4 *\n'.encode("latin-1"))
    assert (game.tags["White"], game.tags["Black"]) == ("Müller, Jörg", "Pérez")


def test_one_torn_letter_or_another_program_spoils_only_its_own_lines() -> None:
    content = GAME.format(n=1).encode() + b'[Event "\xd0"]\n\n1. d4 *\n\n' + GAME.format(n=2).encode("cp1251")
    games = read(content)
    assert [game.tags.get("White") for game in games] == ["Щербак, Їжа", None, "Щербак, Їжа"]


@pytest.mark.parametrize("breaks", [False, True])
def test_a_comment_of_ten_megabytes_costs_its_game_and_little_memory(breaks: bool) -> None:
    comment = ("x\n" * 5_000_000) if breaks else "x" * 10_000_000
    content = (GAME.format(n=1) + '[Event "Bad"]\n\n1. e4 {' + comment + "} e5 *\n\n" + GAME.format(n=2)).encode()
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    begun = time.process_time()
    games = read(content)
    assert time.process_time() - begun < 2
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 60_000  # kilobytes
    assert [(game.number, game.tags["Event"], game.ply_count) for game in games] == [
        (1, "Cup", 3),
        (2, "Bad", 1),
        (3, "Cup", 3),
    ]
    assert "pgn.game_too_long" in {remark.code for remark in games[1].remarks}
    assert games[2].line == 8 + content[len(GAME.format(n=1).encode()) :].count(b"\n") - 7


def test_tags_without_an_event_are_borders_where_nothing_else_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pgn_files, "PART", 500)
    monkeypatch.setattr(pgn_files, "MAX_GAME", 2_000)
    content = "".join(f'[White "W{n}"]\n[Black "B"]\n\n1. e4 e5 *\n\n' for n in range(200)).encode()
    games = read(content)
    assert [game.tags["White"] for game in games] == [f"W{n}" for n in range(200)]
    assert all(not game.remarks for game in games)


@pytest.mark.parametrize("name", ["zip", "zeros", "pdf", "gzip"])
def test_what_is_no_text_is_refused_before_the_first_part(name: str) -> None:
    packed = BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("games.pgn", GOOD)
    content = {"zip": packed.getvalue(), "zeros": b"\0" * 5000, "pdf": b"%PDF-1.7", "gzip": b"\x1f\x8b\x08"}[name]
    with pytest.raises(TourneyError) as refused:
        parts(content)
    assert refused.value.code == "pgn.not_text"


@pytest.mark.usefixtures("small")
def test_a_bad_game_between_parts_keeps_the_others() -> None:
    bad = '[Event "Bad"]\n\n1. e4 ' + "(1. d4 " * 20_000 + "\n\n"
    games = read((GAME.format(n=1) * 3 + bad + GAME.format(n=2) * 3).encode())
    assert [game.tags["Event"] for game in games] == ["Cup"] * 3 + ["Bad"] + ["Cup"] * 3
    assert {remark.code for remark in games[3].remarks} == {"pgn.variation_left_out"}
    assert {remark.line for remark in games[3].remarks} == {24}


@pytest.mark.usefixtures("small")
def test_mutated_files_are_cut_and_read_or_refused_by_name() -> None:
    content, changed, number = sample() + GOOD.encode() * 20, 0, 0
    while changed < BYTES:
        number += 1
        chance = random.Random(f"parts {number}")
        changes = chance.choice((1, 3, 10, 60))
        data = mutated(content, chance, changes)
        changed += changes
        begun = time.process_time()
        games, code = read_or_code(data)
        assert code in {"", *NAMED}, number
        assert [game.number for game in games] == list(range(1, len(games) + 1)), number
        assert [game.line for game in games] == sorted(game.line for game in games), number
        assert all(1 <= remark.line <= data.count(b"\n") + data.count(b"\r") + 1 for g in games for remark in g.remarks)
        assert time.process_time() - begun < 2, number


def read_or_code(data: bytes) -> tuple[list[ReadGame], str]:
    """Return the games of a file, or the code it is refused with."""
    try:
        return read(data), ""
    except TourneyError as refused:
        return [], refused.code
