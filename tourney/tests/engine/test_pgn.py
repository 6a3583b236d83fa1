"""Game records: lenient reading with a line for every fault, limits, writing that nothing can break out of."""

from __future__ import annotations

import re
import time
from pathlib import Path

import pytest

from tourney import pgn, pgn_moves, pgn_replay, pgn_text
from tourney.demo import games as demo
from tourney.kernel.errors import TourneyError
from tourney.pgn import ReadGame
from tourney.pgn_text import Remark

HEAD = '[Event "Cup"]\n[White "A"]\n[Black "B"]\n[Result "1-0"]\n\n'


def read(text: str | bytes) -> list[ReadGame]:
    return list(pgn.read(text.encode() if isinstance(text, str) else text))


def faults(text: str) -> list[tuple[int, str, int]]:
    return [(game.number, remark.code, remark.line) for game in read(text) for remark in game.remarks]


def test_a_game_is_kept_in_export_form() -> None:
    (game,) = read(HEAD + "1.e4! {best} e5 2. Ng1f3 (2. f4 exf4 (2... d5)) 2... Nc6 3. Bb5 a6 4. 0-0 $2 1-0")
    assert game.body == "1. e4 $1 {best} 1... e5 2. Nf3 (2. f4 exf4 (2... d5)) 2... Nc6 3. Bb5 a6 4. O-O\n$2"
    assert (game.ply_count, game.result, game.line, game.remarks) == (7, "1-0", 1, ())


def test_many_games_keep_their_lines_without_empty_lines_between() -> None:
    games = read(HEAD + "1. e4 1-0\n" + HEAD + "1. d4 1-0\n\n\n\n" + HEAD + "1. c4 1-0")
    assert [(game.number, game.line, game.body) for game in games] == [
        (1, 1, "1. e4"),
        (2, 7, "1. d4"),
        (3, 16, "1. c4"),
    ]


def test_a_wrong_move_costs_only_what_follows_it() -> None:
    text = HEAD + "1. e4 e5\n2. Ke9 Nc6 1-0\n\n" + HEAD + "1. d4 (1. Ke9 d5) d5 1-0"
    first, second = read(text)
    assert (first.body, first.result) == ("1. e4 e5", "1-0")
    assert first.remarks == (Remark("pgn.wrong_move", 7, {"move": "2.", "san": "Ke9"}),)
    assert (second.body, [remark.code for remark in second.remarks]) == ("1. d4 d5", ["pgn.wrong_move"])


def test_a_comment_without_an_end_does_not_swallow_the_next_game() -> None:
    text = HEAD + "1. e4 {never closed\nmore words\n\n" + HEAD + "1. d4 1-0"
    assert [game.body for game in read(text)] == ["1. e4 {never closed more words}", "1. d4"]
    assert faults(text) == [(1, "pgn.comment_not_closed", 6)]


def test_tags_inside_a_comment_are_words() -> None:
    (game,) = read(HEAD + '1. e4 {\n[Event "no"]\n} e5 1-0')
    assert (game.tags["Event"], game.body) == ("Cup", '1. e4 {[Event "no"]} 1... e5')


@pytest.mark.parametrize(
    ("text", "code", "line"),
    [
        ('[Event "a"]\n[Event "b"]\n\n1. e4 *', "pgn.tag_twice", 2),
        ('[Event "a"]\n[White unquoted\n\n1. e4 *', "pgn.tag_damaged", 2),
        ('[Event "a"]\n[White "open ] \n\n1. e4 *', "pgn.tag_damaged", 2),
        (f'[Event "{"x" * 300}"]\n\n1. e4 *', "pgn.tag_too_long", 1),
        ('[Event "a"]\n\n1. e4\x00 e5 *', "pgn.nul_bytes", 3),
        ('[Event "a"]\n\n*', "pgn.no_moves", 1),
        ('[Event "a"]\n\n1. e4 1-0 1. d4 d5', "pgn.after_result", 3),
        ('[Event "a"]\n[Variant "Crazyhouse"]\n\n1. e4 *', "pgn.variant", 1),
        ('[Event "a"]\n[FEN "8/8/8 w"]\n\n1. e4 *', "pgn.bad_position", 1),
        ('[Event "a"]\n\n(1. e4) 1. d4 *', "pgn.variation_left_out", 3),
    ],
)
def test_every_fault_is_told_with_its_line(text: str, code: str, line: int) -> None:
    assert faults(text) == [(1, code, line)]


@pytest.mark.parametrize("tag", ['[White "A. B', '[White "A. B ]', "[White A. B]", '[White A. B" ] ', '[White "A. B"'])
def test_a_damaged_tag_keeps_its_value(tag: str) -> None:
    (game,) = read(f'[Event "a"]\n{tag}\n\n1. e4 *')
    assert game.tags["White"] == "A. B"


def test_a_quote_in_a_name_does_not_make_a_result() -> None:
    (game,) = read('[Event "a"]\n[White "x\\"] [Result \\"1-0"]\n[Result "0-1"]\n\n1. e4 0-1')
    assert (game.tags["White"], game.result) == ('x"] [Result "1-0', "0-1")


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "cp1251", "utf-16"])
def test_names_are_read_in_the_encodings_files_come_in(encoding: str) -> None:
    text = '[Event "Кубок"]\n[White "Прокопенко, Олег"]\n\n1. e4 *\n'
    (game,) = read(text.encode(encoding))
    assert game.tags["White"] == "Прокопенко, Олег"


def test_chess960_and_a_position_of_its_own_are_followed() -> None:
    fen = "bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf - 2 9"
    (game,) = read(f'[Event "a"]\n[Variant "Chess960"]\n[SetUp "1"]\n[FEN "{fen}"]\n\n9. e4 *')
    assert game.stored == f'[Variant "Chess960"]\n[SetUp "1"]\n[FEN "{fen}"]\n\n9. e4'
    assert pgn_replay.replay(game.stored).plies[0].squares == ("e2", "e4")


@pytest.mark.parametrize(
    ("content", "code"),
    [
        (b"PK\x03\x04 a zip", "pgn.not_text"),
        (b"\x00\x01" * 50, "pgn.not_text"),
        (b"", "pgn.no_games"),
        (b"\n \n", "pgn.no_games"),
        (b"1. e4 " * 400_000, "pgn.too_large"),
        (b'[Event "a"]\n\n*\n\n' * 10_001, "pgn.too_many_games"),
    ],
)
def test_what_is_no_file_of_games_is_refused(content: bytes, code: str) -> None:
    with pytest.raises(TourneyError) as refused:
        list(pgn.read(content))
    assert refused.value.code == code


@pytest.mark.parametrize(
    "text",
    [
        "(" * 20_000,
        "1. e4 " + "(1. d4 " * 20_000,
        "1. e4 {" + "x" * 1_900_000,
        "[" * 500_000,
        '[A "' * 200_000,
        "1." * 500_000,
        "1. Nf3 Nf6 2. Ng1 Ng8 " * 3_000,
        "{}" * 500_000,
        "1. e4 " + "!" * 500_000 + "a!",
        '[Event "a' + " " * 500_000 + "x\n\n1. e4 *",
    ],
    ids=["brackets", "nested", "comment", "square", "tags", "numbers", "endless", "empty comments", "marks", "blanks"],
)
def test_a_hostile_file_is_read_in_no_time(text: str) -> None:
    begun = time.process_time()
    for game in pgn.read(text.encode()):
        assert game.ply_count <= pgn_moves.MAX_PLIES
        assert len(game.body) < 20_000
    assert time.process_time() - begun < 2


def test_a_game_is_written_with_the_seven_tags_in_order() -> None:
    text = pgn.write(
        {"Black": "Б", "White": 'x"] [Result "0-1', "Result": "1/2-1/2", "Board": "3", "Match": ""}, "1. e4"
    )
    assert text == (
        '[Event "?"]\n[Site "?"]\n[Date "????.??.??"]\n[Round "?"]\n[White "x\\"] [Result \\"0-1"]\n[Black "Б"]\n'
        '[Result "1/2-1/2"]\n[Board "3"]\n\n1. e4 1/2-1/2\n'
    )
    (again,) = read(text)
    assert (again.tags["White"], again.result, again.body) == ('x"] [Result "0-1', "1/2-1/2", "1. e4")


def test_control_characters_and_length_of_a_tag_are_tamed() -> None:
    assert pgn_text.escaped("a\n\u202eb\\c" + "d" * 300) == "a b\\\\c" + "d" * 250


def test_a_replay_has_positions_clocks_comments_and_variations() -> None:
    (game,) = read(
        HEAD + "{before} 1. e4 {[%clk 0:02:59] good} e5 (1... c5 {sharp}) 2. Qh5 Nc6 3. Bc4 Nf6?? 4. Qxf7# 1-0"
    )
    shown = pgn_replay.replay(game.stored)
    assert shown.comment == "before"
    assert shown.plies[0] == pgn_replay.Ply(
        1,
        1,
        "w",
        "e4",
        "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1",
        ("e2", "e4"),
        "",
        "",
        "0:02:59",
        "good",
    )
    assert shown.plies[1].lines == ("(1... c5 sharp)",)
    assert (shown.plies[5].mark, shown.plies[6].san, shown.plies[6].check) == ("??", "Qxf7#", "e8")
    assert shown.placement(0).startswith("rnbqkbnr")
    assert shown.placement(7) == shown.plies[-1].placement


def test_moves_of_variations_have_positions_and_numbers_of_their_own() -> None:
    shown = pgn_replay.replay("1. e4 e5 (1... c5 2. Nf3 (2. c3 $1 d6) 2... Nc6 {quiet}) 2. d4 (2. Nf3)")
    moves = [one for ply in shown.plies for branch in ply.branches for one in branch if one.number]
    assert [(one.number, one.text) for one in moves] == [
        (1, "c5"),
        (2, "Nf3"),
        (3, "c3!"),
        (4, "d6"),
        (5, "Nc6"),
        (6, "Nf3"),
    ]
    found = shown.branch_move(4)
    assert found is not None
    assert (found[0].san, found[1].squares, found[1].fen) == (
        "e5",
        ("d7", "d6"),
        "rnbqkbnr/pp2pppp/3p4/2p5/4P3/2P5/PP1P1PPP/RNBQKBNR w KQkq - 0 3",
    )
    assert shown.plies[1].lines == ("(1... c5 2. Nf3 (2. c3! d6) 2... Nc6 quiet)",)
    assert shown.branch_move(0) is shown.branch_move(7) is None


def test_reading_what_was_written_changes_nothing() -> None:
    (game,) = read(HEAD + "1. e4 e5 (1... c5 2. Nf3 (2. c3) d6) 2. f4! {a {b} gambit} exf4 $3 1-0")
    (again,) = read(pgn.write({"Result": "1-0"}, game.stored))
    assert again.body == game.body


def test_pieces_are_drawn_without_inline_styles() -> None:
    drawings = pgn_replay.piece_symbols()
    assert sorted(drawings) == sorted("KQRBNPkqrbnp")
    assert not any("style=" in drawing for drawing in drawings.values())


def test_only_four_modules_know_the_chess_package() -> None:
    root = Path(pgn.__file__).parents[1]
    importing = re.compile(r"^\s*(?:import chess|from chess)\b", re.MULTILINE)
    apps = ("tourney", "registration", "swiss", "brackets", "prizes")
    found = [
        str(path.relative_to(root))
        for app in apps
        for path in (root / app).rglob("*.py")
        if "tests" not in path.parts and importing.search(path.read_text(encoding="utf-8"))
    ]
    known = ["live_boards", "pgn_moves", "pgn_replay", "score_sheet"]
    assert sorted(found) == [f"tourney/{name}.py" for name in known]


def test_the_games_of_the_demo_are_whole() -> None:
    for text in (text for texts in demo.GAMES.values() for text in texts):
        (game,) = read(text)
        assert (game.remarks, game.body.replace("\n", " ")) == ((), text)
