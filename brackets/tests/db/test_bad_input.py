"""Whatever a hurried hand can enter wrongly: a clear sentence each time, and nothing is changed."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from django.utils import translation

from brackets.models import MatchEvent
from brackets.selectors import load_table
from brackets.services import (
    apart_plan,
    commit_draw,
    confirm_draw,
    draw_color_lot,
    draw_plan,
    enter_game_result,
    reveal_draw,
    seed_without_lot,
    separate_clubs,
    walkover,
    withdraw_player,
)
from brackets.tests.builders import (
    closed,
    drawn,
    everything_shown,
    numbered,
    play,
    ready_for_game,
    table,
)
from tourney.kernel.errors import TourneyError
from tourney.labels import sentence
from tourney.models import ActionLog, ResultRecord, Stage
from tourney.selectors import playing_entries
from tourney.testing import builders

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _english() -> Iterator[None]:
    with translation.override("en"):
        yield


def written(stage: Stage) -> tuple[object, ...]:
    counts = (MatchEvent.objects.count(), ResultRecord.objects.count(), ActionLog.objects.count())
    return (*counts, everything_shown(stage))


def enter(stage: Stage, match: str, number: int, outcome: str) -> Callable[[], Any]:
    return lambda: enter_game_result(stage.pk, match, number=number, outcome=outcome)


def test_each_has_a_sentence_and_changes_nothing() -> None:
    strict = {
        "phases": [
            {"games": 2, "clock": "3+2"},
            {"armageddon": {"white": "5", "black": "4"}, "color": "lot", "draw": "forbidden"},
        ]
    }
    option = {"match": "strict", "final_match": "strict", "match_formats": {"strict": strict}}
    stage = drawn(players=8, rules={"size": 8, "minimum_matches": 0, **option})
    play(stage, "U1.1", "1 1")  # over after two games
    play(stage, "U1.2", "1 0")  # level: waits for the lot of the Armageddon
    play(stage, "U1.3", "1 0")
    draw_color_lot(stage.pk, "U1.3")
    ready_for_game(stage, "U1.4")
    gone = numbered(stage)[8]
    withdraw_player(stage.pk, gone.pk, reason="ill")
    before = written(stage)
    tries: list[tuple[Callable[[], Any], str]] = [
        (enter(stage, "U2.2", 1, "1-0"), "The players of U2.2 are not known yet."),
        (enter(stage, "U9.1", 1, "1-0"), "There is no match U9.1."),
        (enter(stage, "U1.1", 3, "1-0"), "U1.1 is decided already. Correct it on its page."),
        (enter(stage, "U1.3", 3, "1/2"), "This game can't be drawn."),
        (enter(stage, "U1.2", 3, "1-0"), "First the lot must be drawn."),
        (enter(stage, "U1.3", 4, "1-0"), "Game 4 is not the next one."),
        (enter(stage, "U1.4", 2, "1-0"), "Game 2 is not the next one."),
        (enter(stage, "U1.4", 1, "3-0"), "There is no result “3-0”."),
        (enter(stage, "U2.1", 1, "1-0"), "The players of U2.1 are not known yet."),
        (lambda: draw_color_lot(stage.pk, "U1.4"), "No lot is due in this match now."),
        (lambda: draw_color_lot(stage.pk, "U1.2", winner="c", method="coin"), "This player is not in the match."),
        (
            lambda: walkover(stage.pk, "U1.4", absent="c", reason="did not come", early=True),
            "This player is not in the match.",
        ),
        (lambda: withdraw_player(stage.pk, gone.pk, reason="again"), "This player has left already."),
    ]
    for act, words in tries:
        with pytest.raises(TourneyError) as refused:
            act()
        assert str(sentence(refused.value)) == words
        assert written(stage) == before, words
    # 8 has left, so his match against 5 in the lower bracket will never wait for him.
    assert "L1.1" not in {view.key for view in table(stage).state.open_matches}


def test_thirty_three_players_do_not_fit_a_bracket_of_thirty_two() -> None:
    stage = closed(32)
    late = builders.entry(stage.section, rating=1000, level="1")
    late.start_number = 33
    late.save(update_fields=["start_number"])
    assert len(playing_entries(stage.section)) == 33
    for act in (lambda: commit_draw(stage.pk), lambda: seed_without_lot(stage.pk, method="fold", reason="x")):
        with pytest.raises(TourneyError) as refused:
            act()
        assert str(sentence(refused.value)) == "33 players don't fit into a bracket of 32."
    assert load_table(stage) is None


# -- seeding by every method, through the acts -------------------------------------------------------------------------


@pytest.mark.clause("K7.1")
@pytest.mark.parametrize(
    ("method", "pots"),
    [
        ("fold", [1] * 12),
        ("tennis", [1, 1, 2, 4, 4]),
        ("two_pots", [6, 6]),
        ("free", [12]),
        ("rank_pots", [3, 4, 5]),
    ],
)
def test_every_method_of_seeding(method: str, pots: list[int]) -> None:
    stage = closed(
        12, rules={"size": 16, "minimum_matches": 5, "seeding": {"method": method, "ranks": ["KMS", "1", "2"]}}
    )
    people = numbered(stage)
    for number, entry in people.items():
        entry.level = "KMS" if number <= 3 else "1" if number <= 7 else "2"
        entry.save(update_fields=["level"])
    plan = draw_plan(stage)
    assert [len(pot) for pot in plan.seeding().pots] == pots
    assert (plan.promise.is_kept, plan.promise.promised, plan.promise.least < 5) == (False, 5, True)
    assert plan.promise.seeds_below
    if method == "fold":
        found = seed_without_lot(stage.pk)
        assert list(found.seeds) == [people[number].pk for number in range(1, 13)]
    else:
        commit_draw(stage.pk)
        found = reveal_draw(stage.pk, numbers={"A": "17", "B": "4"})
    at = 0
    for pot in plan.seeding().pots:
        assert set(found.seeds[at : at + len(pot)]) == set(pot)
        at += len(pot)
    confirm_draw(stage.pk)
    byes = [tuple(places) for places in table(stage).state.bye_places]
    assert byes == [(place, place) for place in range(13, 17)]


@pytest.mark.clause("K7.1")
def test_families_are_kept_apart_by_their_surnames() -> None:
    stage = closed(8, rules={"size": 8, "minimum_matches": 0, "seeding": {"method": "free", "apart": ["family"]}})
    people = numbered(stage)
    for number, surname in ((1, "Ковальський"), (8, "Ковальська"), (2, "Петров"), (7, "Шевченко")):
        people[number].player.surname = surname
        people[number].player.save(update_fields=["surname"])
    order = [people[number].pk for number in range(1, 9)]
    seed_without_lot(stage.pk, method="manual", order=order, reason="as drawn at the board")
    plan = draw_plan(stage)
    assert len(apart_plan(table(stage), plan).clashes) == 1
    separate_clubs(stage.pk)
    assert apart_plan(table(stage), plan).clashes == ()
