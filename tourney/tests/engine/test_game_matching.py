"""Finding the game a record belongs to: names in any letters, then rounds, boards and numbers."""

from __future__ import annotations

import datetime as dt

import pytest

from tourney.game_matching import Candidate, Finder, Match
from tourney.game_names import fits, sounds

NAMES = {
    1: ["Прокопенко Олег"],
    2: ["Щербак Юлія", "Shcherbak Yuliia"],
    3: ["Кузьмина Анастасия"],
    4: ["Кузьмин Анатолий"],
    5: ["Player 5"],
}


def finder(*games: Candidate) -> Finder:
    return Finder(games, NAMES)


def tags(white: str, black: str, **more: str) -> dict[str, str]:
    return {"White": white, "Black": black, **more}


@pytest.mark.parametrize(
    ("written", "player"),
    [
        ("Прокопенко, Олег", 1),
        ("Олег Прокопенко", 1),
        ("Prokopenko, Oleh", 1),
        ("Prokopenko Oleg", 1),
        ("Прокопенко О.", 1),
        ("Прокопенко Олег Петрович", 1),
        ("PROKOPENKO,O", 1),
        ("Щербак Ю.", 2),
        ("Shcherbak, Julia", 2),
        ("Shcherbak, Olha", None),
        ("Kuzmina, Anastasiya", 3),
        ("Kuzmina, A", 3),
        ("Kuzmin, Anatoly", 4),
        ("Прокопенко Іван", None),
        ("О.", None),
        ("", None),
    ],
)
def test_players_are_recognized_in_both_alphabets(written: str, player: int | None) -> None:
    assert finder().players(written) == (frozenset({player}) if player else frozenset())


def test_a_forgiven_word_needs_two_whole_ones() -> None:
    assert fits(sounds("Прокопенко Олег Петрович"), sounds("Прокопенко Олег"))
    assert not fits(sounds("Прокопенко Петрович"), sounds("Прокопенко Олег"))


def test_one_game_of_two_players_is_found_by_their_names() -> None:
    found = finder(Candidate(10, 1, 2, round=3, board=4, result="1-0")).find(
        tags("Prokopenko, O", "Щербак, Юлія"), "1-0"
    )
    assert found == Match(10, "", 1)


def test_a_round_that_contradicts_speaks_of_another_game() -> None:
    one = finder(Candidate(10, 1, 2, round=3))
    assert one.find(tags("Прокопенко Олег", "Щербак Юлія", Round="5"), "") == Match(None, "no_game", suggestions=(10,))


def test_games_of_a_match_are_told_apart_by_their_number() -> None:
    match = finder(
        Candidate(11, 1, 2, match="L2.3", number=1),
        Candidate(12, 2, 1, match="L2.3", number=2),
        Candidate(13, 1, 2, match="L2.3", number=3),
    )
    pair = ("Прокопенко Олег", "Щербак Юлія")
    assert match.find(tags(*pair, Round="2.3.3"), "") == Match(13, "", 1)
    assert match.find(tags(*pair, Match="L2.3", MatchGame="1"), "") == Match(11, "", 1)
    assert match.find(tags(*pair), "") == Match(None, "several", 2, suggestions=(11, 13, 12))


def test_board_and_day_choose_among_several() -> None:
    twice = finder(
        Candidate(21, 1, 3, round=1, board=4, day=dt.date(2026, 1, 25), result="1-0"),
        Candidate(22, 1, 3, round=6, board=9, day=dt.date(2026, 1, 27), result="0-1"),
    )
    pair = ("Прокопенко Олег", "Кузьмина Анастасия")
    assert twice.find(tags(*pair, Round="6"), "").pk == 22
    assert twice.find(tags(*pair, Board="4"), "").pk == 21
    assert twice.find(tags(*pair, Date="2026.01.27"), "").pk == 22
    assert twice.find(tags(*pair), "") == Match(None, "several", 2, suggestions=(21, 22))


def test_a_result_never_decides_which_game_is_meant() -> None:
    twice = finder(Candidate(21, 1, 3, round=1, result="1-0"), Candidate(22, 1, 3, round=6, result="0-1"))
    pair = ("Прокопенко Олег", "Кузьмина Анастасия")
    assert twice.find(tags(*pair), "0-1") == Match(None, "several", 2, suggestions=(22, 21))


def test_what_does_not_fit_says_why() -> None:
    one = finder(Candidate(31, 1, 2, round=1, result="1-0"))
    assert one.find(tags("Хтось Чужий", "Щербак Юлія"), "").code == "no_player"
    assert one.find(tags("Щербак Юлія", "Прокопенко Олег"), "").code == "colors"
    assert one.find(tags("Прокопенко Олег", "Кузьмина Анастасия"), "").code == "no_game"
    assert one.find(tags("Прокопенко Олег", "Щербак Юлія"), "0-1") == Match(31, "", 1, result_differs=True)


def test_a_slip_needs_a_fact_beside_it() -> None:
    one = finder(Candidate(41, 1, 3, round=2, board=7))
    assert one.find(tags("Прокпоенко Олег", "Кузьмина Анастасия", Round="2"), "").pk == 41
    assert one.find(tags("Прокпоенко Олег", "Кузьмина Анастасии", Board="7"), "").pk == 41
    assert one.find(tags("Прокпоенко Олег", "Кузьмина Анастасии"), "") == Match(None, "unsure", 1, suggestions=(41,))


def test_a_slip_that_makes_another_player_is_asked_about() -> None:
    both = finder(Candidate(51, 1, 3, round=2), Candidate(52, 1, 4, round=5))
    assert both.find(tags("Прокопенко Олег", "Кузьмин А."), "").code == "several"
    assert both.find(tags("Прокопенко Олег", "Кузьмин А.", Round="5"), "").pk == 52


def test_a_number_instead_of_a_name_is_that_number() -> None:
    names = {5: ["Player 5"], 17: ["Player 17"], 1: NAMES[1]}
    one = Finder([Candidate(61, 5, 1, round=1)], names)
    assert one.find(tags("Player 5", "Прокопенко Олег"), "").pk == 61
    assert one.find(tags("Player 17", "Прокопенко Олег"), "").code == "no_game"
    assert one.players("3. Прокопенко Олег") == frozenset({1})


def test_a_fide_number_outweighs_a_name_unless_they_quarrel() -> None:
    one = Finder([Candidate(71, 1, 2, round=1), Candidate(72, 3, 2, round=2)], NAMES, {"1503014": 1, "14100010": 2})
    ids = {"WhiteFideId": "1503014", "BlackFideId": "14100010"}
    assert one.find(tags("?", "Shcherbak", **ids), "").pk == 71
    assert one.find(tags("Kuzmina Anastasiia", "Shcherbak", **ids), "") == Match(
        None, "no_player", suggestions=(71, 72)
    )


def test_the_clock_tells_the_games_of_a_match_apart() -> None:
    match = finder(
        Candidate(81, 1, 2, match="L2.3", number=1, clock="180+2"),
        Candidate(82, 1, 2, match="L2.3", number=3, clock="120+1"),
        Candidate(83, 1, 2, match="L2.3", number=5, clock="?"),
    )
    pair = ("Прокопенко Олег", "Щербак Юлія")
    assert match.find(tags(*pair, TimeControl="120+1"), "").pk == 82
    assert match.find(tags(*pair), "") == Match(None, "several", 3, suggestions=(81, 82, 83))
