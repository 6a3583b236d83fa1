"""The rules before September 2023: an unplayed game counts against a virtual opponent, for the opponents as a draw."""

from __future__ import annotations

from fractions import Fraction

import pytest

from prizes.engine.ranking import Ranking, rank
from prizes.engine.rules import parse_ranking
from prizes.engine.tiebreaks import Cut, Source
from prizes.tests.engine.builders import stage
from tourney.kernel.errors import RuleError
from tourney.kernel.ids import EntryId
from tourney.kernel.records import History


def old(history: History, *order: str) -> Ranking:
    return rank(history, ["PTS", *order], edition="virtual_opponent")


def part_of(ranking: Ranking, entry: int, code: str, number: int) -> tuple[Source, Fraction | int | None]:
    part = next(part for part in ranking.by_entry[EntryId(entry)].value(code).parts if part.round == number)
    return part.source, part.counted


def test_who_stays_away_meets_a_virtual_opponent_that_wins_and_draws_on() -> None:
    # The handbook's first example: 1½ after two rounds, absent in round 3 of nine: 1½ + 1 + 6 × ½.
    rounds = ["1 2 1-0", "1 2 1/2", "2 U", *["1 2 1/2"] * 6]

    ranking = old(stage(*rounds), "BH")

    assert part_of(ranking, 1, "BH", 3) == (Source.VIRTUAL, Fraction(11, 2))


def test_who_wins_without_play_meets_one_that_lost_that_game() -> None:
    # The second example: 3½ after five rounds, the opponent of round 6 of nine stays away: 3½ + 0 + 3 × ½.
    rounds = ["1 2 1-0"] * 3 + ["1 2 1/2", "1 2 0-1", "1 2 +-", *["1 2 1/2"] * 3]

    ranking = old(stage(*rounds), "BH")

    assert part_of(ranking, 1, "BH", 6) == (Source.VIRTUAL, Fraction(5))


def test_unplayed_rounds_of_the_opponent_count_as_draws_wherever_they_stand() -> None:
    history = stage("1 2 1-0; 3 4 1-0", "2 F; 1 3 1-0", "2 3 +-; 1 4 1-0")

    # Player 2 has two points without play; to player 1 he lends a draw for each of them.
    ranking = old(history, "BH")

    part = ranking.by_entry[EntryId(1)].value("BH").parts[0]
    assert (part.score, part.adjusted) == (Fraction(2), Fraction(1))


def test_a_half_bye_gives_the_virtual_opponent_the_other_half() -> None:
    ranking = old(stage("1 2 1-0", "1 H; 2 U", "1 2 1-0"), "BH", "SB")

    assert part_of(ranking, 1, "BH", 2) == (Source.VIRTUAL, Fraction(2))  # 1 + ½ + one more draw
    assert part_of(ranking, 1, "SB", 2) == (Source.VIRTUAL, Fraction(1))


def test_absences_have_no_precedence_when_values_are_cut() -> None:
    history = stage("1 2 1-0; 3 4 1-0", "1 H; 2 4 1-0; 3 U", "1 4 1-0; 2 3 0-1")

    now, then = rank(history, ["PTS", "BH/C1"]), old(history, "BH/C1")

    def cuts(ranking: Ranking) -> list[tuple[int | None, Cut | None]]:
        parts = ranking.by_entry[EntryId(1)].value("BH/C1").parts
        return [(part.round, part.cut) for part in parts if part.cut]

    assert cuts(now) == [(2, Cut.LOWEST_ABSENCE)]
    assert cuts(then) == [(3, Cut.LOWEST)]


def test_a_regulation_may_ask_for_it_in_a_swiss_only() -> None:
    asked = {"kind": "swiss", "tie_breaks": ["BH"], "tie_break_rules": "virtual_opponent"}

    ranking = parse_ranking(asked, "stages[0].options[0]")

    assert ranking is not None
    assert ranking.edition == "virtual_opponent"
    with pytest.raises(RuleError) as refused:
        parse_ranking({**asked, "kind": "round_robin", "tie_breaks": ["SB"]}, "stages[0].options[1]")
    assert (refused.value.code, refused.value.path) == (
        "rule.not_an_option",
        "stages[0].options[1].tie_break_rules",
    )
