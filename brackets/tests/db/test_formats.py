"""Other match formats from data alone: only the regulation's block changes, and the whole match is played through."""

from __future__ import annotations

from typing import Any

import pytest

from brackets.selectors import load_table
from brackets.services import enter_game_result, rebuild
from brackets.tests.builders import drawn, everything_shown, match, play, ready_for_game, table
from tourney.kernel.errors import TourneyError
from tourney.models import Game, Stage

pytestmark = pytest.mark.django_db


def played_by(phases: list[dict[str, Any]], **more: Any) -> Stage:
    own = {"own": {"phases": phases, **more}}
    option = {"size": 4, "minimum_matches": 0, "match": "own", "final_match": "own", "match_formats": own}
    return drawn(players=4, rules=option)


BEST_OF_FOUR = [{"games": 4, "clock": "3+2", "clinch": True}, {"games": 1, "clock": "3+2", "repeat": True}]
SUDDEN_DEATH = [{"games": 1, "clock": "3+2", "repeat": True}]
ONE_GAME = [{"games": 1, "clock": "15+10"}, {"armageddon": {"white": "5", "black": "4"}}]
TWO_LEGS = [{"games": 2, "clock": "10+5"}, {"games": 2, "clock": "3+2", "colors": "anew"}]


@pytest.mark.parametrize(
    ("phases", "results", "clocks"),
    [
        (BEST_OF_FOUR, "1 1 =", ["3+2"] * 3),
        (BEST_OF_FOUR, "1 0 1 0 = 1", ["3+2"] * 6),
        (SUDDEN_DEATH, "= = = 1", ["3+2"] * 4),
        (ONE_GAME, "1", ["15+10"]),
        (ONE_GAME, "= 1", ["15+10", "5/4"]),
        (TWO_LEGS, "1 =", ["10+5"] * 2),
        (TWO_LEGS, "= = 1 =", ["10+5", "10+5", "3+2", "3+2"]),
    ],
)
def test_format_is_data(phases: list[dict[str, Any]], results: str, clocks: list[str]) -> None:
    stage = played_by(phases)
    *first, last = results.split()
    if first:
        play(stage, "U1.1", " ".join(first))
        assert match(stage, "U1.1").state == "playing"
    play(stage, "U1.1", last)
    done = match(stage, "U1.1")
    assert (done.state, done.winner_side) == ("done", "a")
    games = list(Game.objects.filter(match_key="U1.1").order_by("game_number"))
    assert [game.time_control for game in games] == clocks
    with pytest.raises(TourneyError) as refused:
        enter_game_result(stage.pk, "U1.1", number=len(games) + 1, outcome="1-0")
    assert refused.value.code == "bracket.match_settled"
    shown = everything_shown(stage)
    rebuild(stage.pk)
    assert everything_shown(stage) == shown


def test_colour_of_the_second_leg_turns_round_and_is_chosen_anew_after_it() -> None:
    stage = played_by(TWO_LEGS)
    play(stage, "U1.1", "= =")
    first, second = Game.objects.filter(match_key="U1.1").order_by("game_number")
    assert (first.white, first.black) == (second.black, second.white)
    found = load_table(stage)
    assert found is not None
    assert type(found.match_state("U1.1").awaiting).__name__ == "AwaitColor"
    ready_for_game(stage, "U1.1")
    assert table(stage).match_state("U1.1").awaiting.number == 3  # type: ignore[union-attr]
