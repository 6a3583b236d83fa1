"""Publishing a round: the draft becomes games, and everybody sees it."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from django.db import transaction
from django.utils import timezone

from swiss.models import Pairing, Round
from swiss.services.hand import end_session
from swiss.services.results import settle_stage, update_standings
from tourney.kernel.errors import TourneyError
from tourney.kernel.outcomes import ResultCode
from tourney.models import Entry, Game, ResultRecord, Stage, Tournament
from tourney.pairing_words import ROUND, key_of, published
from tourney.services.log import log
from tourney.services.stages import bump, lock_stage, set_tournament_state

# Why a table's game against somebody who has left has a result before anybody sat down.
WITHDRAWN = "withdrawn"


@transaction.atomic
def publish_round(round_id: int, *, actor: Any, scheduled_at: datetime | None = None, knowing: int = 0) -> Round:
    """Show a draft to everybody: games are made, the standings get their new table (``round.not_draft``).

    By the book a round changed by hand that is not the engine's asks twice first.
    """
    round_ = Round.objects.get(pk=round_id)
    stage = lock_stage(round_.stage_id, event_first=True)
    round_.refresh_from_db(fields=["state", "scheduled_at", "explanation"])
    if round_.state != Round.State.DRAFT:
        raise TourneyError("round.not_draft", round=round_.number)
    pairings = list(round_.pairings.all())
    end_session(round_, stage, pairings, actor=actor, knowing=knowing)
    clock = stage.rules.get("clock", {}).get("main", "")
    paired = [pairing for pairing in pairings if pairing.black_id]
    games = Game.objects.bulk_create(
        [
            Game(
                stage=stage,
                round_number=round_.number,
                board=pairing.board,
                white_id=pairing.white_id,
                black_id=pairing.black_id,
                time_control=clock,
                scheduled_at=scheduled_at or round_.scheduled_at,
            )
            for pairing in paired
        ]
    )
    for pairing, game in zip(paired, games, strict=True):
        pairing.game = game
    Pairing.objects.bulk_update(paired, ["game"])
    round_.state = Round.State.PUBLISHED if paired else Round.State.DONE
    round_.published_at = timezone.now()
    if scheduled_at is not None:
        round_.scheduled_at = scheduled_at
    round_.save(update_fields=["state", "published_at", "scheduled_at"])
    if stage.kind == Stage.Kind.ROUND_ROBIN:
        _forfeit_games_of_the_gone(round_, paired)
    if stage.state == Stage.State.READY:
        stage.state, stage.started_at = Stage.State.RUNNING, timezone.now()
        stage.save(update_fields=["state", "started_at"])
    tournament = stage.section.tournament
    if tournament.state in (
        Tournament.State.REGISTRATION,
        Tournament.State.CLOSED,
        Tournament.State.DRAFT,
    ):
        set_tournament_state(tournament, Tournament.State.RUNNING, actor=actor)
    update_standings(stage, from_round=round_.number)
    settle_stage(stage, round_, timezone.now())
    bump(stage)
    log(
        tournament,
        "swiss.round_published",
        actor=actor,
        section=stage.section.code,
        round=round_.number,
    )
    published(stage, key_of(ROUND, stage, round_.number))
    return round_


def _forfeit_games_of_the_gone(round_: Round, paired: list[Pairing]) -> None:
    """Give the points of the table's games against players who have left the event: nobody waits for them."""
    ids = {entry for pairing in paired for entry in (pairing.white_id, pairing.black_id)}
    gone = {
        entry.pk
        for entry in Entry.objects.filter(pk__in=ids)
        if not entry.is_active or (entry.left_after_round is not None and entry.left_after_round < round_.number)
    }
    now = timezone.now()
    for pairing in paired:
        absent = (pairing.white_id in gone, pairing.black_id in gone)
        if not any(absent) or pairing.game is None:
            continue
        outcome = {
            (True, True): ResultCode.DOUBLE_FORFEIT,
            (True, False): ResultCode.BLACK_FORFEIT_WIN,
            (False, True): ResultCode.WHITE_FORFEIT_WIN,
        }[absent]
        game = pairing.game
        game.outcome, game.version, game.finished_at = outcome.value, 1, now
        game.save(update_fields=["outcome", "version", "finished_at"])
        ResultRecord.objects.create(game=game, outcome=outcome.value, at=now, reason=WITHDRAWN)
    if paired and all(pairing.game is not None and pairing.game.outcome for pairing in paired):
        round_.state, round_.finished_at = Round.State.DONE, now
        round_.save(update_fields=["state", "finished_at"])
