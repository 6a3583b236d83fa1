"""The table of what bends the rules of rated events, and what an act is at its moment."""

from __future__ import annotations

import pytest

from swiss.book_words import CONSEQUENCES, MESSAGES, TITLES
from tourney.kernel.by_the_book import RULES, Level, bye_act, exchange_act, level_of, result_act
from tourney.labels import MESSAGES as SENTENCES


@pytest.mark.parametrize(
    ("rounds_after", "act"), [(0, ""), (1, "previous_result"), (2, "older_result"), (7, "older_result")]
)
def test_result_is_corrected_freely_then_knowingly_then_not_at_all(rounds_after: int, act: str) -> None:
    assert result_act(rounds_after) == act


def test_levels_ask_as_often_as_they_are_loud() -> None:
    assert [level.questions for level in Level] == [0, 1, 1, 2, 0]
    assert level_of("previous_result") is Level.CONFIRM
    assert level_of("forbidden_pair") is Level.TWO_STEPS
    assert level_of("older_result") is level_of("rounds") is Level.REFUSED
    with pytest.raises(KeyError):
        level_of("anything")


@pytest.mark.parametrize(
    ("kind", "halves", "number", "act"),
    [
        ("H", 1, 3, ""),
        ("H", 2, 3, "half_bye"),  # the second one
        ("H", 1, 7, ""),
        ("H", 1, 8, "half_bye"),  # one of the last two rounds
        ("H", 1, 9, "half_bye"),
        ("F", 0, 1, "full_bye"),
        ("Z", 0, 9, ""),
    ],
)
def test_byes_beyond_the_regulation_are_known(kind: str, halves: int, number: int, act: str) -> None:
    assert bye_act(kind, halves=halves, limit=1, round_number=number, rounds=9, closed_rounds=2) == act


def test_equal_ratings_may_change_numbers() -> None:
    assert exchange_act(1800, 1800) == exchange_act(None, None) == exchange_act(None, 0) == ""
    assert exchange_act(1800, 1799) == exchange_act(1800, None) == "start_order"


def test_every_act_has_its_words_and_those_who_leave_say_it() -> None:
    assert set(TITLES) == set(RULES)
    assert {f"book.{act}" for act in RULES} <= set(SENTENCES)
    asked = {act for act, rule in RULES.items() if rule.level.questions}
    assert set(CONSEQUENCES) == asked
    leaving = str(CONSEQUENCES["left"][0])
    assert {act for act, lines in CONSEQUENCES.items() if leaving in map(str, lines)} == {
        act for act, rule in RULES.items() if rule.leaves
    }
    assert set(MESSAGES) & {"book.left", "report.none"}
