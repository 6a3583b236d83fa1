"""What the page of sanctions does to a bracket (K10.3), and what the panels say about the day."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from django.test import RequestFactory
from django.utils import timezone, translation

from brackets.cards import Cards
from brackets.day import calls, ending, prospects_of
from brackets.panels import matches_step, player_panel, tabs, tasks
from brackets.services import (
    call_match,
    carry_out,
    effects_of,
    pause,
    removal_plan,
    take_back,
    take_back_removal,
    undo,
    walkover,
)
from brackets.tests.builders import (
    closed,
    drawn,
    everything_shown,
    match,
    numbered,
    play,
    play_all,
    ready_for_game,
    sides,
    table,
)
from tourney.kernel.errors import TourneyError
from tourney.models import Game, Sanction, Stage
from tourney.testing import builders

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _english() -> Iterator[None]:
    with translation.override("en"):
        yield


def sanction(stage: Stage, number: int, kind: str, game: Game | None = None) -> Sanction:
    return Sanction.objects.create(
        entry=numbered(stage)[number], kind=kind, reason="phone", stage=stage, game=game, at=timezone.now()
    )


@pytest.mark.clause("K10.3")
def test_a_warning_changes_nothing_and_a_lost_game_is_entered() -> None:
    stage = drawn()
    ready_for_game(stage, "U1.1")
    carry_out(sanction(stage, 1, "warning"), None)
    assert not Game.objects.exists()
    carry_out(sanction(stage, 1, "game_loss"), None)
    game = Game.objects.get()
    loser = game.white if game.outcome == "-+" else game.black
    assert (game.outcome in ("-+", "+-"), loser.start_number) == (True, 1)


@pytest.mark.clause("K10.3")
def test_a_played_game_is_turned_round_unless_matches_depend_on_it() -> None:
    stage = drawn()
    play(stage, "U1.1", "1")
    carry_out(sanction(stage, 1, "game_loss", Game.objects.get()), None)
    assert match(stage, "U1.1").score["b"] == 2
    play(stage, "U1.2", "1 1")
    first = Game.objects.filter(match_key="U1.2").order_by("game_number")[0]
    play(stage, "U1.1", "0")
    play(stage, "U2.1", "1")
    with pytest.raises(TourneyError) as refused:
        carry_out(sanction(stage, 16, "game_loss", first), None)
    assert refused.value.code == "bracket.correction_needs_choice"


@pytest.mark.clause("K10.3")
def test_a_lost_match_goes_to_the_opponent_open_or_finished() -> None:
    stage = drawn()
    ready_for_game(stage, "U1.1")
    carry_out(sanction(stage, 1, "match_loss"), None)
    assert (match(stage, "U1.1").how, sides(stage, "U2.1")[0]) == ("decision", 32)
    play(stage, "U1.2", "1 1")
    game = Game.objects.filter(match_key="U1.2")[0]
    carry_out(sanction(stage, 16, "match_loss", game), None)
    assert sides(stage, "U2.1")[1] == 17
    play(stage, "U1.3", "1 1")
    with pytest.raises(TourneyError) as refused:
        carry_out(sanction(stage, 8, "match_loss"), None)  # he waits for an opponent
    assert refused.value.code == "bracket.not_in_open_match"


@pytest.mark.clause("K10.3")
def test_a_removal_takes_the_player_out_and_writes_no_second_sanction() -> None:
    stage = drawn()
    carry_out(sanction(stage, 1, "removal"), None)
    assert match(stage, "U1.1").how == "opponent_left"
    assert Sanction.objects.count() == 1


# -- the day ---------------------------------------------------------------------------------------------------------


def asked(stage: Stage, role: str = "chief_arbiter") -> Any:
    request = RequestFactory().get("/")
    request.user = builders.user(f"{role}-1", stage.section.tournament, role)
    return request


def test_the_call_list_puts_long_ways_first_and_offers_free_boards() -> None:
    stage = drawn(boards=3)
    for key in ("U1.1", "U1.2", "U1.3", "U1.4"):
        play(stage, key, "1 1")
    call_match(stage.pk, "L1.1")
    ready = calls(Cards(table(stage), staff=True), timezone.now())
    assert [one.card.key for one in ready][:2] == ["U1.5", "U1.6"]
    assert [one.board for one in ready][:3] == [2, 3, None]
    by_key = {one.card.key: one.call.path for one in ready}
    assert by_key["U1.5"] > by_key["U2.1"] == by_key["L1.2"]


def test_the_end_is_forecast_until_all_is_played_or_stopped() -> None:
    stage = drawn()
    found = ending(table(stage))
    assert found is not None
    hours = (found.end - timezone.now()).total_seconds() / 3600
    assert 3 < hours < 7
    assert found.earliest <= found.end <= found.latest
    pause(stage.pk, reason="alarm")
    assert ending(table(stage)) is None


def test_the_player_panel_says_where_a_win_and_a_loss_lead() -> None:
    stage = drawn()
    entry = numbered(stage)[1]
    entry.tournament = stage.section.tournament
    call_match(stage.pk, "U1.1", board=4)
    panel = player_panel(asked(stage), entry)
    assert panel is not None
    context = panel.context
    assert (context["card"].key, context["card"].board, context["opponent"].entry) == ("U1.1", 4, numbered(stage)[32])
    assert [(way.key, way.words) for way in context["ways"]] == [("U2.1", "places 1–24"), ("L1.1", "places 1–32")]
    assert (context["left"].least, context["left"].most, context["places_words"]) == (5, 10, "places 1–32")
    assert prospects_of(table(stage), entry.pk).is_decided is False
    assert player_panel(asked(stage), builders.entry(stage.section)) is None


def test_the_step_and_the_tasks_follow_the_day() -> None:
    stage = closed(boards=2)
    tournament = stage.section.tournament
    assert matches_step(tournament).note == "not drawn yet"  # type: ignore[union-attr]
    assert [str(task.text) for task in tasks(asked(stage), tournament)] == ["The bracket is to be drawn"]
    assert tasks(asked(stage, "arbiter"), tournament) == []
    stage = drawn(boards=2)
    tournament = stage.section.tournament
    assert [str(task.text) for task in tasks(asked(stage), tournament)] == ["2 matches can start on free boards"]
    call_match(stage.pk, "U1.1")
    play(stage, "U1.1", "1 0 = =")
    texts = [str(task.text) for task in tasks(asked(stage), tournament)]
    assert texts == ["1 match can start on a free board", "U1.1, board 1: the lot is to be drawn"]
    call_match(stage.pk, "U1.2")
    undo(stage.pk, match="U1.1", reason="x")
    walkover(stage.pk, "U1.3", absent="a", reason="ill", early=True)
    step = matches_step(tournament)
    assert step is not None
    assert (step.state, step.count) == ("now", "1/96")
    assert tasks(asked(stage, "desk"), tournament) == []
    assert [tab.key for tab in tabs(asked(stage), stage.section)] == ["bracket", "matches"]


def test_an_event_without_a_knockout_has_no_step_and_no_tabs() -> None:
    tournament = builders.event("open-swiss")
    section = tournament.sections.first()
    assert section is not None
    section.tournament = tournament
    assert matches_step(tournament) is None
    assert tabs(RequestFactory().get("/"), section) == []


@pytest.mark.clause("K10.3")
def test_what_a_removal_would_do_is_said_before_it_is_written() -> None:
    stage = drawn(players=8, rules={"size": 8, "minimum_matches": 0})
    play(stage, "U1.2", "1 1")
    play(stage, "U1.1", "1")
    shown = everything_shown(stage)
    one, four = numbered(stage)[1], numbered(stage)[4]
    plan = removal_plan(table(stage), one.pk)
    # In the middle of U1.1 against 8; then L1.1, where 5 waits, and the match for place 7.
    assert (plan.running, plan.without_play) == ("U1.1", (("L1.1", numbered(stage)[5].pk),))
    assert plan.later == 1
    lines = effects_of(one, "removal", None)
    assert lines is not None
    assert len(lines) == 5
    assert f"L1.1: {numbered(stage)[5].player.name} goes on without play." in lines
    assert removal_plan(table(stage), four.pk).running is None
    assert effects_of(one, "warning", None) is None
    assert everything_shown(stage) == shown


@pytest.mark.clause("K10.3")
def test_a_removal_is_taken_back_exactly_also_after_other_matches() -> None:
    stage = drawn(players=8, rules={"size": 8, "minimum_matches": 0})
    play(stage, "U1.2", "1 1")
    play(stage, "U1.1", "1")
    one = numbered(stage)[1]
    before = everything_shown(stage)
    written = sanction(stage, 1, "removal")
    carry_out(written, None)
    assert one.pk in table(stage).state.left
    play(stage, "U1.3", "1 1")
    assert take_back(written, None, "it was another one") is True
    assert not table(stage).state.left
    assert written.revoked_by.reason == "it was another one"
    undone = everything_shown(stage)
    assert [row for row in undone["matches"] if row[0] == "U1.1"] == [
        row for row in before["matches"] if row[0] == "U1.1"
    ]
    assert undone["entries"] == before["entries"]
    play(stage, "U1.1", "1")
    assert match(stage, "U1.1").state == "done"


@pytest.mark.clause("K10.3")
def test_a_removal_others_have_built_on_is_not_taken_back_in_passing() -> None:
    stage = drawn(players=8, rules={"size": 8, "minimum_matches": 0})
    written = sanction(stage, 1, "removal")
    carry_out(written, None)
    play(stage, "U1.2", "1 1")
    play(stage, "U2.1", "1 1")  # 8, who has gone on without play, against 4
    with pytest.raises(TourneyError) as refused:
        take_back_removal(stage.pk, written.entry_id, reason="it was another one")
    assert refused.value.code == "bracket.downstream_played"
    with pytest.raises(TourneyError) as refused:
        take_back_removal(stage.pk, numbered(stage)[5].pk, reason="x")
    assert refused.value.code == "bracket.not_left"
    assert not Sanction.objects.exclude(revokes=None).exists()
    play_all(stage)


def test_undo_of_a_removal_takes_its_sanction_back_too() -> None:
    stage = drawn(players=4, rules={"size": 4, "minimum_matches": 0})
    written = sanction(stage, 1, "removal")
    carry_out(written, None)
    undo(stage.pk, reason="misread")
    written.refresh_from_db()
    assert written.revoked_by.reason == "misread"
    assert not table(stage).state.left
