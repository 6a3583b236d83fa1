"""The arbiter's report holds what happened in the rounds: on one page, ready for paper."""

from __future__ import annotations

from uuid import uuid4

import pytest
from django.urls import reverse
from django.utils import timezone

from swiss.models import Pause
from swiss.services import adjourn_game, enter_result, note_verified, start_round
from swiss.tests.builders import games_of, next_round, stage_of
from swiss.tests.web.helpers import reader, signed_in, text_of, url
from tourney.models import Stage, Tournament
from tourney.services.stopping import resume_play, stop_play

pytestmark = pytest.mark.django_db


@pytest.fixture
def stage() -> Stage:
    stage = stage_of(12)
    stage.rules = {**stage.rules, "rating": {**stage.rules.get("rating", {}), "by_the_book": True}}
    stage.save(update_fields=["rules"])
    return stage


@pytest.mark.clause("M7.6")
@pytest.mark.clause("M7.9")
def test_report_tells_hours_stops_forfeits_early_draws_bent_rules_and_the_window(stage: Stage) -> None:
    tournament = stage.section.tournament
    round_ = next_round(stage)
    start_round(round_.pk, actor=None)
    stop_play(tournament, actor=None, reason="air-raid alarm")
    resume_play(tournament, actor=None)
    games = games_of(round_)
    enter_result(stage_id=stage.pk, game_id=games[0].pk, outcome="1/2", moves=17)
    enter_result(stage_id=stage.pk, game_id=games[1].pk, outcome="1/2", moves=41)
    enter_result(stage_id=stage.pk, game_id=games[2].pk, outcome="+-")
    note_verified(tournament, uuid4(), games={games[0].pk}, differed=set(), actor=None)
    adjourn_game(games[3].pairing.pk, actor=None, reason="ill", knowing=1)
    client, address = signed_in(stage, "chief_arbiter"), reverse("manage_report", args=[tournament.slug])

    page = text_of(client.get(address))

    assert "Really begun" in page
    assert "air-raid alarm" in page
    assert f"{games[2].white.player.name} – {games[2].black.player.name}" in page.split("Forfeits")[1]
    early = page.split("Draws before the move of the rule")[1].split("What bent the rules")[0]
    assert "move 17 none may be offered up to move 40" in early
    assert "move 41" not in early
    assert "round 1: game adjourned" in page
    assert "typed again by a second person, results: 1" in page
    assert "Played by the book of rated events." in page
    assert "may be disqualified after the end until" not in page
    Tournament.objects.filter(pk=tournament.pk).update(state=Tournament.State.FINISHED)
    assert "A player may be disqualified after the end until:" in text_of(client.get(address))


def test_stop_of_play_is_said_to_the_public_while_it_lasts(stage: Stage) -> None:
    tournament = stage.section.tournament
    tournament.public = True
    tournament.save(update_fields=["public"])
    round_ = next_round(stage)
    start_round(round_.pk, actor=None)
    stop_play(tournament, actor=None, reason="air-raid alarm")
    pages = [url("round", stage, 1), reverse("event", args=[tournament.slug])]

    for page in pages:
        assert "Play is stopped since" in text_of(reader().get(page))
        assert "air-raid alarm" in text_of(reader().get(page))
    lateness = text_of(signed_in(stage, "chief_arbiter").get(url("manage_lateness", stage, 1)))
    assert "stands still" in lateness

    resume_play(tournament, actor=None)
    for page in pages:
        assert "Play is stopped" not in text_of(reader().get(page))
    assert Pause.objects.get().ended_at <= timezone.now()
    assert (
        'data-seconds-left="'
        in signed_in(stage, "chief_arbiter").get(url("manage_lateness", stage, 1)).content.decode()
    )
