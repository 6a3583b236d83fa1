"""A game while it is played: what counts of what boards send, what the public sees of it, and when."""

from __future__ import annotations

from tourney.live_boards import Delay, Sent, body, clocks, is_whole, last_move, shown, stored, taken, without_torn_end
from tourney.pgn_replay import replay

TEXT = "1. e4 {[%clk 0:03:00]} e5 {[%clk 0:02:58]} 2. Nf3 Nc6"


def sent(text: str, before: Sent | None = None, *, now: float = 0.0, result: str = "*", settled: bool = True) -> Sent:
    return taken(before or Sent(), replay(text), result, now, settled=settled)


def sans(game: Sent) -> list[str]:
    return [move.san for move in game.moves]


def test_moves_keep_the_time_they_came_first() -> None:
    game = sent(TEXT, sent("1. e4 e5", now=10), now=20)
    assert [move.came for move in game.moves] == [10, 10, 20, 20]
    assert game.moves[0].clock == "0:03:00"


def test_half_a_file_takes_no_move_back_before_it_is_settled() -> None:
    whole = sent(TEXT, now=10)
    assert sent("1. e4 e5", whole, now=11, settled=False) == whole
    assert sans(sent("1. e4 e5", whole, now=14)) == ["e4", "e5"]


def test_pieces_set_up_again_after_the_game_take_nothing_back() -> None:
    over = sent("1. f3 e5 2. g4 Qh4#", now=10, result="0-1")
    assert sent("", over, now=60) == over
    assert sans(sent("1. f3 e5 2. g4", over, now=60, result="0-1")) == ["f3", "e5", "g4"]  # put right by the arbiter


def test_a_move_put_right_on_the_board_counts_at_once() -> None:
    game = sent("1. e4 e5 2. Nc3", sent("1. e4 e5 2. Nf3 Nc6", now=10), now=20, settled=False)
    assert [(move.san, move.came) for move in game.moves] == [("e4", 10), ("e5", 10), ("Nc3", 20)]


def test_a_delay_of_minutes_holds_to_the_end_and_the_result_comes_with_the_last_move() -> None:
    game = sent("1. e4 e5 2. Nf3", sent("1. e4 e5", now=0), now=120, result="1-0")
    delay = Delay(minutes=2)
    assert [sans(shown(game, delay, now)) for now in (119, 120, 239)] == [[], ["e4", "e5"], ["e4", "e5"]]
    assert shown(game, delay, 239).result == ""
    assert not is_whole(game, shown(game, delay, 239))
    assert shown(game, delay, 240) == game
    assert sans(shown(game, delay, 239, over=True)) == ["e4", "e5"]


def test_a_delay_of_moves_ends_with_the_game() -> None:
    game = sent("1. e4 e5 2. Nf3 Nc6 3. Bb5")
    delay = Delay(half_moves=2)
    assert sans(shown(game, delay, 0)) == ["e4", "e5", "Nf3"]
    assert shown(game, delay, 0, over=True) == game
    over = sent("1. e4 e5 2. Nf3 Nc6 3. Bb5", game, result="1-0")
    assert shown(over, delay, 0) == over
    assert sans(shown(sent("1. e4"), delay, 0)) == []


def test_both_delays_must_have_passed() -> None:
    game = sent("1. e4 e5 2. Nf3 Nc6", sent("1. e4 e5 2. Nf3", now=0), now=60)
    assert sans(shown(game, Delay(1, 2), 59)) == []
    assert sans(shown(game, Delay(1, 2), 60)) == ["e4", "e5"]
    assert sans(shown(game, Delay(1, 1), 60)) == ["e4", "e5", "Nf3"]


def test_what_is_shown_reads_like_a_record() -> None:
    game = sent(TEXT)
    assert body(game) == "1. e4 {[%clk 0:03:00]} 1... e5 {[%clk 0:02:58]} 2. Nf3 Nc6"
    assert replay(stored(game)) == replay(TEXT)
    assert (clocks(game), last_move(game)) == (("0:03:00", "0:02:58"), "2… Nc6")
    start = "rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 7"
    text = f'[SetUp "1"]\n[FEN "{start}"]\n\n7... Nc6 8. Nf3'
    from_there = taken(Sent(), replay(text), "*", 0.0, settled=True, start=start)
    assert (body(from_there), last_move(from_there)) == ("7... Nc6 8. Nf3", "8. Nf3")
    assert replay(stored(from_there)).plies == replay(text).plies


def test_the_last_word_of_a_file_may_be_half_a_move() -> None:
    assert without_torn_end("4. O-O Nf6 5. O-O") == "4. O-O Nf6 5. "
    for whole in ("1. e4 e5 1-0", "1. e4 e5 *", "1. e4 e5\n", "", "1. e4 1/2-1/2"):
        assert without_torn_end(whole) == whole
