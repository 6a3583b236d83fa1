"""Moves as people write them on a score sheet, in three languages, and the reasons why a move can't be played."""

from __future__ import annotations

import random
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tourney.kernel.errors import TourneyError
from tourney.pgn_moves import start_board
from tourney.score_sheet import MAX_TEXT, numbered, read_sheet

RUY_LOPEZ = "1. e4 e5 2. Nf3 Nc6 3. Bb5 Nf6 4. O-O Nxe4 5. Re1 Nd6"


def reason(text: str, start: str = "") -> tuple[str, str, dict[str, object]]:
    wrong = read_sheet(text, start).wrong
    assert wrong is not None
    return f"{wrong.before} {wrong.word}", wrong.reason.code, wrong.reason.values


@pytest.mark.parametrize(
    "text",
    [
        "1. e4 e5 2. Nf3 Nc6 3. Bb5 Nf6 4. O-O Nxe4 5. Re1 Nd6",
        "e4 e5 Nf3 Nc6 Bb5 Nf6 0-0 N:e4 Re1 Nd6",
        "1. е4 е5 2. Кf3 Кc6 3. Сb5 Кf6 4. О-О К:е4 5. Лe1 Кd6",  # Russian letters, Cyrillic е and О
        "1 e2-e4 e7-e5 2 Кg1-f3 Кb8-c6 3 Сf1-b5 Кg8-f6 4 0–0 Кf6:e4 5 Тf1-e1 Кe4-d6 1/2-1/2",  # Ukrainian
        "e2e4 e7e5 g1f3 b8c6 f1b5 g8f6 o-o f6xe4 f1e1 e4d6",
        "1.e4! e5 2.♘f3 ♞c6 3.♗b5 ♞f6 4.oo ♞xe4?! 5.♖e1\n5...♞d6",
        "е2 - е4 е7 - е5\nкф3 кс6\nсб5 кф6\n0 - 0 кхе4\nле1 кд6",  # small letters, files as they are spoken
    ],
)
def test_one_game_is_read_in_every_way_to_write_it(text: str) -> None:
    sheet = read_sheet(text)
    assert (sheet.wrong, sheet.text()) == (None, RUY_LOPEZ)
    assert sheet.squares == ("e4", "d6")


@pytest.mark.parametrize(
    ("text", "last"),
    [
        ("e4 d5 ed", "exd5"),
        ("e4 d5 ed5", "exd5"),
        ("b4 a5 b:a", "bxa5"),
        # A small b is a pawn where a pawn can go, else the bishop; a capital B always the bishop.
        ("b4 c5 bc5", "bxc5"),
        ("e4 c5 bc4", "Bc4"),
        ("e4 e5 b4 c5 Bc4", "Bc4"),
        # A small с is a file where a pawn can go, else the Cyrillic bishop.
        ("c4 d5 сd5", "cxd5"),
        ("e4 e5 сc4", "Bc4"),
        ("e4 e5 Фh5 Кc6 Сc4 Кf6 Ф:f7х", "Qxf7#"),
        ("e4 e5 Фh5 Кc6 Сc4 Кf6 Фf7 мат", "Qxf7#"),
        ("e4 a6 e5 d5 ed e.p.", "exd6"),
        ("e4 a6 e5 d5 e5:d6в.п.", "exd6"),
        ("h4 g5 hg Кf6 gf Тg8 fe Тg7 ef=Ф", None),
        ("h4 g5 hg h6 gh Кf6 h7 Кe4 hg8Ф", None),
        ("h4 g5 hg h6 gh Кf6 h7 Кg4 h8", None),
    ],
)
def test_a_word_is_taken_for_the_move_it_can_mean(text: str, last: str | None) -> None:
    sheet = read_sheet(text)
    if last is None:
        assert sheet.wrong is not None
    else:
        assert (sheet.wrong, sheet.moves[-1]) == (None, last)


@pytest.mark.parametrize(("word", "san"), [("b8Ф", "b8=Q"), ("b8=К", "b8=N"), ("b8(С)", "b8=B"), ("ba8Л", "bxa8=R")])
def test_a_pawn_becomes_the_piece_that_is_written(word: str, san: str) -> None:
    start = "r6k/1P6/8/8/8/8/8/6K1 w - - 0 1"
    assert read_sheet(word, start).moves[0].rstrip("+") == san


@pytest.mark.parametrize(
    ("text", "start", "expected"),
    [
        ("e4 e5 Тa3", "", ("2. Тa3", "moves.blocked", {"piece": "♖a1", "square": "a3", "by": "♙a2"})),
        ("e4 e5 e5", "", ("2. e5", "moves.blocked", {"piece": "♙e4", "square": "e5", "by": "♟e5"})),
        ("Кf6", "", ("1. Кf6", "moves.can_not_reach", {"piece": "♘", "square": "f6"})),
        ("e5", "", ("1. e5", "moves.can_not_reach", {"piece": "♙", "square": "e5"})),
        ("Сd2", "", ("1. Сd2", "moves.own_piece", {"square": "d2", "standing": "♙"})),
        ("e4 d6 ed5", "", ("2. ed5", "moves.pawn_takes_nothing", {"piece": "♙", "square": "d5"})),
        ("e4 d6 ed", "", ("2. ed", "moves.pawn_takes_nothing", {"piece": "♙", "square": "d"})),
        ("e4 d5 ed Фd5 Кc3 Фe5+ Кf3", "", ("4. Кf3", "moves.check_stays", {"piece": "♘", "square": "f3", "by": "♛e5"})),
        ("e4 e5 d3 Сb4+ Кc3 a6 Кd5", "", ("4. Кd5", "moves.pinned", {"piece": "♘c3", "square": "d5"})),
        ("Крd2", "4k3/8/8/8/1b6/8/8/4K3 w - - 0 1", ("1. Крd2", "moves.king_attacked", {"square": "d2", "by": "♝b4"})),
        ("Фd3", "4k3/8/8/8/8/8/8/4K3 w - - 0 1", ("1. Фd3", "moves.no_piece", {"piece": "♕"})),
        ("Лae1", "4k3/8/8/8/8/8/8/4K2R w - - 0 1", ("1. Лae1", "moves.no_piece_there", {"piece": "♖", "where": "a"})),
        ("e3e4", "", ("1. e3e4", "moves.empty_square", {"square": "e3"})),
        ("Кd2", "4k3/8/8/8/8/5N2/8/1N2K3 w - - 0 1", ("1. Кd2", "moves.ambiguous", {"moves": ["Nbd2", "Nfd2"]})),
        ("a8", "4k3/P7/8/8/8/8/8/4K3 w - - 0 1", ("1. a8", "moves.promotion", {"word": "a8"})),
        ("0-0", "", ("1. 0-0", "moves.castling_blocked", {"by": "♗f1"})),
        ("0-0-0", "", ("1. 0-0-0", "moves.castling_blocked", {"by": "♘b1"})),
        ("0-0", "4k3/8/8/8/8/8/8/4K2R w - - 0 1", ("1. 0-0", "moves.castling_moved", {})),
        ("0-0", "4k3/8/8/8/1b6/8/8/4K2R w K - 0 1", ("1. 0-0", "moves.castling_check", {})),
        ("0-0", "4k3/8/8/2b5/8/8/8/4K2R w K - 0 1", ("1. 0-0", "moves.castling_attacked", {})),
        ("f3 e5 g4 Фh4# a3", "", ("3. a3", "moves.over", {})),
        ("e4 e5 1-0 a3", "", ("2. a3", "moves.after_result", {})),
        ("e4 whatever", "", ("1… whatever", "moves.unreadable", {"word": "whatever"})),
    ],
)
def test_what_can_not_be_played_says_why(text: str, start: str, expected: tuple[str, str, dict[str, object]]) -> None:
    assert reason(text, start) == expected


def test_the_moves_before_a_mistake_are_kept_and_its_place_is_known() -> None:
    text = "1. e4 e5\n2. Кf3 Кc6\n3. Сb6 a6"
    sheet = read_sheet(text)
    assert sheet.text() == "1. e4 e5 2. Nf3 Nc6"
    assert sheet.wrong is not None
    assert text[sheet.wrong.start : sheet.wrong.end] == "Сb6"
    assert sheet.legal["f1b5"] == "Bb5"
    assert len(sheet.legal) == 27


def test_a_game_from_black_to_move_has_its_numbers() -> None:
    start = "4k3/8/8/8/8/8/4p3/K7 b - - 0 40"
    assert read_sheet("e1Ф Крb2 Фe2+", start).text() == "40... e1=Q+ 41. Kb2 Qe2+"
    assert numbered((), start) == ""


def test_a_mate_and_a_stalemate_are_seen() -> None:
    assert read_sheet("f3 e5 g4 Фh4").ended == "checkmate"
    assert read_sheet("Фf7", "7k/8/8/8/8/8/5Q2/K7 w - - 0 1").ended == "stalemate"
    assert read_sheet("").ended == ""


def test_more_than_a_sheet_can_hold_is_refused() -> None:
    with pytest.raises(TourneyError) as refused:
        read_sheet("e4 " * MAX_TEXT)
    assert refused.value.code == "moves.too_long"
    with pytest.raises(TourneyError) as refused:
        read_sheet("e4", "8/8/8/8/8/8/8/8 w - - 0 1")
    assert refused.value.code == "pgn.bad_position"


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("letters", ["KQRBN", ["Кр", "Ф", "Т", "С", "К"], ["Кр", "Ф", "Л", "С", "К"]])
def test_random_games_are_read_as_they_were_played(seed: int, letters: list[str]) -> None:
    rng = random.Random(f"score sheet {seed}")
    board = start_board({})
    written = []
    expected = []
    while len(expected) < 120 and not board.is_game_over():
        move = rng.choice(list(board.legal_moves))
        san = board.san_and_push(move)
        expected.append(san)
        for latin, letter in zip("KQRBN", letters, strict=True):
            san = san.replace(latin, f"<{letter}>")
        written.append(san.replace("<", "").replace(">", "").replace("x", ":"))
    sheet = read_sheet(" ".join(written))
    assert (sheet.wrong, list(sheet.moves)) == (None, expected)


@given(st.text(alphabet="КНСТЛФПкрнстлфпKQRBNkqrbnabcdefghавсе12345678xх:=-–0Oо+#!?. \n", max_size=60))
def test_whatever_is_typed_ends_in_moves_or_a_reason(text: str) -> None:
    sheet = read_sheet(text)
    assert read_sheet(sheet.text()).moves == sheet.moves


@pytest.mark.parametrize("text", ["!" * (MAX_TEXT - 1) + "a", "e4 " + "х" * 19_000 + "q", "мат" * 6_000 + "q"])
def test_a_hostile_text_takes_no_time(text: str) -> None:
    began = time.process_time()
    wrong = read_sheet(text).wrong
    assert wrong is not None
    assert wrong.reason.code == "moves.unreadable"
    assert time.process_time() - began < 1
