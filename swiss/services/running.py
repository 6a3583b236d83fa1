"""The clock of a round: real start, absent players, the end of play."""

from __future__ import annotations

from typing import Any

from django.db import transaction
from django.utils import timezone

from swiss.models import Pairing, Round
from swiss.services.results import enter_result
from tourney.kernel.errors import TourneyError
from tourney.kernel.outcomes import ResultCode
from tourney.models import Stage
from tourney.services.log import log
from tourney.services.stages import bump, lock_stage


@transaction.atomic
def start_round(round_id: int, *, actor: Any) -> Round:
    """Start the clocks: lateness counts from this moment (M7.4). TourneyError ``round.not_published``."""
    found = Round.objects.get(pk=round_id)
    stage = lock_stage(found.stage_id)
    round_ = Round.objects.get(pk=round_id)
    if round_.state == Round.State.DRAFT:
        raise TourneyError("round.not_published", round=round_.number)
    if round_.started_at is None:
        round_.started_at = timezone.now()
        if round_.state == Round.State.PUBLISHED:
            round_.state = Round.State.RUNNING
        round_.save(update_fields=["started_at", "state"])
        bump(stage)
        log(
            stage.section.tournament,
            "swiss.round_started",
            actor=actor,
            section=stage.section.code,
            round=round_.number,
        )
    return round_


@transaction.atomic
def mark_absent(pairing_id: int, *, white: bool, black: bool, actor: Any) -> Pairing:
    """Decide a board where somebody didn't come in time: a forfeit, or a double one (M7.4).

    TourneyError ``round.not_started`` before the real start, ``round.board_has_result`` when the game has a result.
    """
    pairing = Pairing.objects.select_related("round", "game").get(pk=pairing_id)
    lock_stage(pairing.round.stage_id)
    if pairing.round.started_at is None:
        raise TourneyError("round.not_started", round=pairing.round.number)
    if pairing.game is None or pairing.game.outcome:
        raise TourneyError("round.board_has_result", board=pairing.board or 0)
    if not (white or black):
        raise TourneyError("round.nobody_absent")
    outcome = {
        (True, True): ResultCode.DOUBLE_FORFEIT,
        (True, False): ResultCode.BLACK_FORFEIT_WIN,
        (False, True): ResultCode.WHITE_FORFEIT_WIN,
    }[(white, black)]
    pairing.absent_white, pairing.absent_black = white, black
    pairing.save(update_fields=["absent_white", "absent_black"])
    enter_result(
        stage_id=pairing.round.stage_id,
        game_id=pairing.game_id,
        outcome=outcome.value,
        actor=actor,
    )
    return pairing


@transaction.atomic
def close_stage_play(stage_id: int, *, actor: Any, reason: str) -> Stage:
    """End a stage early, for instance when the hall closes: no further round is paired.

    TourneyError ``round.results_missing`` while a published round is open, ``stage.reason_needed``.
    """
    stage = lock_stage(stage_id)
    if not reason.strip():
        raise TourneyError("stage.reason_needed")
    if stage.rounds.exclude(state=Round.State.DONE).exists():
        raise TourneyError("round.results_missing", boards="")
    stage.rounds_total = stage.rounds.count()
    stage.state, stage.finished_at = Stage.State.FINISHED, timezone.now()
    stage.save(update_fields=["rounds_total", "state", "finished_at"])
    bump(stage)
    log(
        stage.section.tournament,
        "swiss.play_closed",
        actor=actor,
        reason=reason,
        section=stage.section.code,
    )
    return stage
