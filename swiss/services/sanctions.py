"""What a sanction does to a stage played in rounds (K10.3, M7.6, M7.9)."""

from __future__ import annotations

from typing import Any

from django.db.models import Q

from swiss.selectors import PUBLIC_STATES
from swiss.services.results import enter_result, update_standings
from tourney.kernel.outcomes import ResultCode
from tourney.models import Game, Sanction, Stage
from tourney.services.stages import bump, lock_stage

ROUNDS = (Stage.Kind.SWISS, Stage.Kind.ROUND_ROBIN)


def carry_out(sanction: Sanction, actor: Any) -> None:
    """Enter the lost game, or take a removed player out of the rounds to come; nothing for a stage of another kind.

    A game lost by sanction is 1–0 or 0–1 if it was played, a forfeit otherwise. A player removed after the end keeps
    the games played: the placings leave him out (M7.9).
    """
    stage = sanction.stage
    if stage is None or stage.kind not in ROUNDS:
        return
    if sanction.kind == Sanction.Kind.GAME_LOSS and sanction.game is not None:
        _lose(stage, sanction.game, sanction, actor)
    elif sanction.kind == Sanction.Kind.REMOVAL and stage.state != Stage.State.CLOSED:
        _leave(stage, sanction, actor)


def _lose(stage: Stage, game: Game, sanction: Sanction, actor: Any) -> None:
    white_loses = game.white_id == sanction.entry_id
    played = game.outcome in (ResultCode.WHITE_WINS, ResultCode.BLACK_WINS, ResultCode.DRAW)
    if played:
        outcome = ResultCode.BLACK_WINS if white_loses else ResultCode.WHITE_WINS
    else:
        outcome = ResultCode.BLACK_FORFEIT_WIN if white_loses else ResultCode.WHITE_FORFEIT_WIN
    enter_result(stage_id=stage.pk, game_id=game.pk, outcome=outcome.value, actor=actor, reason=sanction.reason)


def _leave(stage: Stage, sanction: Sanction, actor: Any) -> None:
    locked = lock_stage(stage.pk)
    entry = sanction.entry
    open_games = Game.objects.filter(Q(white=entry) | Q(black=entry), stage=stage, outcome="")
    running = open_games.first()
    if running is not None:
        _lose(stage, running, sanction, actor)
    last = stage.rounds.filter(state__in=PUBLIC_STATES).order_by("-number").first()
    entry.left_after_round = last.number if last else 0
    entry.save(update_fields=["left_after_round"])
    update_standings(locked)
    bump(locked)
