"""A round with results is taken back and brought back: not a row of it is different afterwards."""

from __future__ import annotations

from datetime import timedelta
from typing import Any
from uuid import uuid4

import pytest
from django.contrib.auth.models import User
from django.core import serializers
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from swiss.models import Pairing, PairingQuestion, Round, TakenBack
from swiss.services import (
    Claim,
    bring_back_round,
    change_pairing,
    discard_draft,
    enter_result,
    newest_taken_back,
    note_absent,
    pair_next_round,
    publish_round,
    submit,
    unpublish_round,
)
from swiss.tests.builders import enter, everything_shown, games_of, next_round, numbered, play, stage_of
from tourney.kernel.errors import TourneyError
from tourney.models import Game, ResultOperation, ResultRecord, Sanction, Stage
from tourney.services.devices import issue_link
from tourney.testing import builders

pytestmark = pytest.mark.django_db


def refused(code: str) -> Any:
    return pytest.raises(TourneyError, match=rf"^{code.replace('.', '[.]')}\(")


def all_rows(stage: Stage) -> str:
    """Return every row of the stage's rounds under its key."""
    rows = [
        *Round.objects.filter(stage=stage).order_by("pk"),
        *PairingQuestion.objects.filter(round__stage=stage).order_by("pk"),
        *Pairing.objects.filter(round__stage=stage).order_by("pk"),
        *Game.objects.filter(stage=stage).order_by("pk"),
        *ResultRecord.objects.filter(game__stage=stage).order_by("pk"),
        *ResultOperation.objects.filter(stage=stage).order_by("pk"),
        *Sanction.objects.filter(entry__section=stage.section).order_by("pk"),
    ]
    return str(serializers.serialize("python", rows))


def round_in_play() -> tuple[Stage, Round]:
    """Return a second round with a win, a corrected result, an absence noted, an open board and a sanction."""
    stage = stage_of(13)
    play(stage, "1-0 1/2 0-1")
    draft = pair_next_round(stage.pk, actor=None)
    first, second = [pairing.white_id for pairing in draft.pairings.order_by("board")[:2]]
    change_pairing(draft.pk, first_id=first, second_id=second, actor=None, reason="families")
    round_ = publish_round(draft.pk, actor=None)
    games = games_of(round_)
    enter_result(stage_id=stage.pk, game_id=games[0].pk, outcome="1-0")
    enter_result(stage_id=stage.pk, game_id=games[1].pk, outcome="1/2")
    enter_result(stage_id=stage.pk, game_id=games[1].pk, outcome="0-1", reason="misread", actor=builders.user("ann"))
    note_absent(round_.pairings.get(game=games[2]).pk, white=True, black=False, actor=None)
    Sanction.objects.create(
        entry=games[0].white, kind=Sanction.Kind.WARNING, reason="phone", game=games[0], at=round_.published_at
    )
    round_.refresh_from_db()
    return Stage.objects.select_related("section__tournament").get(pk=stage.pk), round_


def test_results_are_named_before_a_round_is_taken_back() -> None:
    _, round_ = round_in_play()

    with refused("round.has_results") as told:
        unpublish_round(round_.pk, actor=None, reason="wrong pairing")

    assert told.value.values == {"n": 2, "boards": "1, 2"}


def test_a_round_with_results_comes_back_exactly_as_it_was() -> None:
    stage, round_ = round_in_play()
    rows, shown = all_rows(stage), everything_shown(stage)

    unpublish_round(round_.pk, actor=None, reason="wrong pairing", with_results=True)

    assert (Game.objects.filter(stage=stage, round_number=2).count(), newest_taken_back(stage).results) == (0, 2)  # type: ignore[union-attr]
    assert {row[0] for row in everything_shown(stage)["standings"]} == {1}

    bring_back_round(stage.pk, actor=None)

    assert all_rows(stage) == rows
    assert everything_shown(stage) == shown
    with refused("round.nothing_taken_back"):
        bring_back_round(stage.pk, actor=None)


def test_it_comes_back_over_a_changed_or_a_discarded_draft() -> None:
    stage, round_ = round_in_play()
    rows = all_rows(stage)
    unpublish_round(round_.pk, actor=None, reason="wrong pairing", with_results=True)
    discard_draft(round_.pk, actor=None)
    pair_next_round(stage.pk, actor=None)

    bring_back_round(stage.pk, actor=None)

    assert all_rows(stage) == rows


def test_the_only_round_comes_back_with_the_state_of_the_stage() -> None:
    stage = stage_of(12)
    round_ = enter(next_round(stage), "1-0")
    stage.refresh_from_db()
    began, rows = stage.started_at, all_rows(stage)
    unpublish_round(round_.pk, actor=None, reason="a club is missing", with_results=True)
    stage.refresh_from_db()
    assert (stage.state, stage.started_at) == (Stage.State.READY, None)

    bring_back_round(stage.pk, actor=None)

    stage.refresh_from_db()
    assert (stage.state, stage.started_at, all_rows(stage)) == (Stage.State.RUNNING, began, rows)


def test_a_last_round_taken_back_opens_the_stage_and_closes_it_again() -> None:
    stage = stage_of(5)
    for _ in range(5):
        round_ = play(stage, "1-0")
    unpublish_round(round_.pk, actor=None, reason="two results missing", with_results=True)
    stage.refresh_from_db()
    assert stage.state == Stage.State.RUNNING

    bring_back_round(stage.pk, actor=None)

    stage.refresh_from_db()
    assert stage.state == Stage.State.FINISHED


def test_nothing_comes_back_once_the_round_is_published_anew() -> None:
    stage, round_ = round_in_play()
    unpublish_round(round_.pk, actor=None, reason="wrong pairing", with_results=True)
    publish_round(round_.pk, actor=None)

    with refused("round.nothing_taken_back"):
        bring_back_round(stage.pk, actor=None)

    assert TakenBack.objects.filter(stage=stage).count() == 1


def test_a_single_round_that_was_all_of_a_stage_leaves_it_ready_and_comes_back_with_its_hours() -> None:
    stage = stage_of(6, system="swiss", rounds=1)
    round_ = play(stage, "1-0")
    stage.refresh_from_db()
    assert stage.state == Stage.State.FINISHED
    hours = stage.started_at, stage.finished_at

    unpublish_round(round_.pk, actor=None, reason="wrong list", with_results=True)

    stage.refresh_from_db()
    assert (stage.state, stage.started_at, stage.finished_at) == (Stage.State.READY, None, None)

    bring_back_round(stage.pk, actor=None)

    stage.refresh_from_db()
    assert (stage.state, stage.started_at, stage.finished_at) == (Stage.State.FINISHED, *hours)


def test_an_account_deleted_meanwhile_leaves_its_results_without_a_name() -> None:
    stage, round_ = round_in_play()
    unpublish_round(round_.pk, actor=None, reason="wrong pairing", with_results=True)
    User.objects.get(username="ann").delete()

    bring_back_round(stage.pk, actor=None)

    corrected = ResultRecord.objects.get(game__stage=stage, reason="misread")
    assert (corrected.entered_by, corrected.outcome) == (None, "0-1")


def test_a_round_whose_player_was_deleted_does_not_come_back() -> None:
    stage = stage_of(12)
    round_ = enter(next_round(stage), "1-0")
    unpublish_round(round_.pk, actor=None, reason="wrong list", with_results=True)
    discard_draft(round_.pk, actor=None)
    numbered(stage)[12].delete()
    draft = pair_next_round(stage.pk, actor=None)

    with refused("round.cannot_come_back"):
        bring_back_round(stage.pk, actor=None)

    assert list(Round.objects.filter(stage=stage)) == [draft]


def test_taking_back_and_bringing_back_ask_as_much_of_few_boards_as_of_many() -> None:
    asked = []
    for players in (8, 24):
        stage = stage_of(players, system="swiss", rounds=7)
        round_ = next_round(stage)
        event = stage.section.tournament
        link, _ = issue_link(event, actor=None, label="Tablet", valid_until=timezone.now() + timedelta(hours=1))
        for game in games_of(round_):
            submit(event, Claim(uuid4(), game.pk, "1-0", base_version=0), link=link)
        rows = all_rows(stage)
        with CaptureQueriesContext(connection) as back:
            unpublish_round(round_.pk, actor=None, reason="wrong pairing", with_results=True)
        with CaptureQueriesContext(connection) as again:
            bring_back_round(stage.pk, actor=None)
        assert all_rows(stage) == rows
        asked.append((len(back), len(again)))

    assert asked[0] == asked[1]
