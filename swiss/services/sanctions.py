"""What a sanction does to a stage played in rounds (K10.3, M7.6, M7.9)."""

from __future__ import annotations

from typing import Any

from django.db.models import Q

from swiss.models import Pairing, Round
from swiss.selectors import PUBLIC_STATES
from swiss.services.results import enter_result, update_standings
from tourney.kernel.errors import TourneyError
from tourney.kernel.outcomes import ResultCode
from tourney.models import Game, Sanction, Stage
from tourney.services.stages import bump, lock_stage

ROUNDS = (Stage.Kind.SWISS, Stage.Kind.ROUND_ROBIN)
_LOSSES = (Sanction.Kind.GAME_LOSS, Sanction.Kind.MATCH_LOSS)  # in rounds a game is the whole match
_PLAYED = (ResultCode.WHITE_WINS, ResultCode.BLACK_WINS, ResultCode.DRAW)


def carry_out(sanction: Sanction, actor: Any) -> None:
    """Enter the lost game, or take a removed player out of the rounds to come; nothing for a stage of another kind.

    A player removed after the places are published keeps the games played: the next placing list leaves him out (M7.9).
    Refusals: ``withdraw.draft_exists`` (a pairing nobody has seen yet may hold the player) and those of a result.
    """
    stage = sanction.stage
    if stage is None or stage.kind not in ROUNDS:
        return
    if sanction.kind in _LOSSES and sanction.game is not None:
        _lose(stage, sanction.game, sanction, actor)
    elif sanction.kind == Sanction.Kind.REMOVAL and stage.state != Stage.State.CLOSED:
        _leave(stage, sanction, actor)


def _lose(stage: Stage, game: Game, sanction: Sanction, actor: Any) -> None:
    """A game that was played, or has begun, is lost 1–0 or 0–1; one that never began is a forfeit."""
    white_loses = game.white_id == sanction.entry_id
    if game.outcome in _PLAYED or (not game.outcome and _has_begun(game)):
        outcome = ResultCode.BLACK_WINS if white_loses else ResultCode.WHITE_WINS
    else:
        outcome = ResultCode.BLACK_FORFEIT_WIN if white_loses else ResultCode.WHITE_FORFEIT_WIN
    # Who gives the sanction was told what follows from it: by the book that is the question, and it was answered.
    enter_result(
        stage_id=stage.pk,
        game_id=game.pk,
        outcome=outcome.value,
        actor=actor,
        reason=sanction.reason,
        knowing=1,
    )


def _has_begun(game: Game) -> bool:
    """Return whether the clocks of the round run and both players are there."""
    return Pairing.objects.filter(
        game=game, round__started_at__isnull=False, absent_white=False, absent_black=False
    ).exists()


def _leave(stage: Stage, sanction: Sanction, actor: Any) -> None:
    locked = lock_stage(stage.pk)
    if locked.rounds.filter(state=Round.State.DRAFT).exists():
        raise TourneyError("withdraw.draft_exists")
    entry = sanction.entry
    for running in Game.objects.filter(Q(white=entry) | Q(black=entry), stage=stage, outcome=""):
        _lose(locked, running, sanction, actor)
    last = locked.rounds.filter(state__in=PUBLIC_STATES).order_by("-number").first()
    entry.left_after_round = last.number if last else 0
    entry.save(update_fields=["left_after_round"])
    update_standings(locked)
    bump(locked)
