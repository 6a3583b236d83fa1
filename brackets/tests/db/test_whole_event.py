"""The whole event through the services, and the same event from its facts alone."""

from __future__ import annotations

from typing import Any

import pytest

from brackets.engine.facts import Result, fact_from_json
from brackets.engine.match_play import bracket_result
from brackets.models import Bracket, Match, MatchEvent, MatchSlot
from brackets.placings import placings_of
from brackets.selectors import load_table
from brackets.services import (
    Change,
    correct_result,
    disqualify_player,
    double_no_show,
    pause,
    play_step,
    rebuild,
    resume,
    undo,
    walkover,
    withdraw_player,
)
from brackets.tests.builders import (
    closed,
    drawn,
    everything_shown,
    fresh,
    numbered,
    play,
    play_all,
    table,
    versions,
)
from tourney import panels
from tourney.kernel.chance import Chance
from tourney.models import Game, Stage
from tourney.services.rehearsal import copy_event, throw_away
from tourney.services.rehearsal import play as play_rehearsal

pytestmark = pytest.mark.django_db


@pytest.mark.clause("K5.2")
@pytest.mark.clause("K5.5")
@pytest.mark.clause("K5.6")
def test_96_matches_decide_every_place_and_everybody_plays_at_least_five() -> None:
    stage = drawn()
    assert placings_of(stage.section) is None
    assert play_all(stage) == 96
    assert fresh(stage).state == Stage.State.FINISHED
    places = placings_of(stage.section)
    assert places is not None
    assert [(place, place_to, points) for _, place, place_to, points in places] == [
        (place, None, None) for place in range(1, 33)
    ]
    assert sorted(entry for entry, *_ in places) == sorted(entry.pk for entry in numbered(stage).values())
    assert min(table(stage).state.matches_played().values()) == 5
    assert Match.objects.filter(state="done").count() == 96
    [provided] = [found for one in panels.providers("placings") if (found := one(stage.section)) is not None]
    assert provided == places


def troubled(stage: Stage) -> None:
    """Play a bracket of eight in which everything happens once."""
    players = numbered(stage)
    play(stage, "U1.1", "1 0 = = 1")
    walkover(stage.pk, "U1.2", absent="b", reason="did not come", early=True)
    play(stage, "U1.3", "1 1")
    double_no_show(stage.pk, "U1.4", reason="neither came", early=True)
    pause(stage.pk, reason="the power is off")
    resume(stage.pk)
    play(stage, "U2.1", "0 0")
    correct_result(stage.pk, Change("U1.1", winner="b"), reason="phone")
    undo(stage.pk, match="U1.1", reason="no phone")
    correct_result(stage.pk, Change("U1.2", reopen=True), reason="was in the hall")
    play(stage, "U1.2", "1 =")
    withdraw_player(stage.pk, players[3].pk, reason="ill")
    play(stage, "L1.1", "1")
    disqualify_player(
        stage.pk, next(view for view in table(stage).state.open_matches if view.key == "L1.1").a, reason="engine"
    )  # type: ignore[arg-type]
    play_all(stage)


def test_everything_shown_follows_from_the_facts() -> None:
    stage = drawn(players=8, rules={"size": 8, "minimum_matches": 0})
    troubled(stage)
    assert fresh(stage).state == Stage.State.FINISHED
    shown, counted = everything_shown(stage), versions(stage)
    Match.objects.update(state="locked", board=None, winner_side="b", how="x", score={"a": 1}, awaits={}, version=9)
    MatchSlot.objects.all().delete()
    Game.objects.update(outcome="0-0", version=7)
    rebuild(stage.pk)
    assert everything_shown(stage) == shown
    assert versions(stage) == counted


def test_the_rebuild_in_the_middle_of_play_changes_nothing() -> None:
    stage = drawn()
    play_all(stage, most=10)
    for step in range(25):
        play_step(fresh(stage), Chance.labelled(5, f"step {step}"))
    shown = everything_shown(stage)
    for provider in panels.providers("rebuild"):
        provider(stage.section.tournament)
    assert everything_shown(stage) == shown


def test_the_facts_written_are_those_the_matches_give() -> None:
    stage = drawn(players=8, rules={"size": 8, "minimum_matches": 0})
    play_all(stage)
    found = table(stage)
    for event in MatchEvent.objects.filter(kind="result").select_related("match"):
        key = event.match.key  # type: ignore[union-attr]
        assert fact_from_json(event.data["fact"]) == bracket_result(
            found.match_state(key), event.match.key, found.sides(key)
        )
    assert [fact for fact in found.facts if not isinstance(fact, Result)] == []


def test_games_are_stored_once_in_their_records() -> None:
    stage = drawn(players=4, rules={"size": 4, "minimum_matches": 0})
    play(stage, "U1.1", "1 1")
    assert [event.data.keys() for event in MatchEvent.objects.filter(kind="game")] == [{"number", "pair"}] * 2


@pytest.mark.parametrize("players", [8, 6])
def test_a_rehearsal_plays_to_the_end(players: int) -> None:
    stage = closed(players, rules={"size": 8, "minimum_matches": 0}, boards=3)
    steps = 0
    while play_step(fresh(stage), Chance.labelled(players, f"step {steps}")):
        steps += 1
    places = placings_of(stage.section)
    assert places is not None
    assert sorted(place for _, place, _, _ in places) == list(range(1, players + 1))
    assert fresh(stage).state == Stage.State.FINISHED
    shown = everything_shown(stage)
    rebuild(stage.pk)
    assert everything_shown(stage) == shown


def test_a_copied_event_is_rehearsed_and_thrown_away() -> None:
    stage = closed(8, rules={"size": 8, "minimum_matches": 0})
    copy = copy_event(stage.section.tournament, actor=None)
    assert play_rehearsal(copy, steps=12, seed="x") == 12
    assert Bracket.objects.filter(stage__section__tournament=copy).exists()
    throw_away(copy, actor=None)
    assert not Bracket.objects.exists()


def test_a_bracket_is_read_with_the_same_number_of_queries_at_any_size(django_assert_num_queries: Any) -> None:
    small = drawn(players=4, rules={"size": 4, "minimum_matches": 0})
    large = drawn()
    play_all(large, most=5)
    for stage in (small, large):
        with django_assert_num_queries(4):
            found = load_table(stage)
        assert found is not None
        assert found.state.seeds[0] == numbered(stage)[1].pk
