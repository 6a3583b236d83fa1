"""What a sanction written in the arbiter's book does to a bracket (K10.3)."""

from __future__ import annotations

from typing import Any

from brackets.engine.match_fold import AwaitGame
from brackets.engine.match_play import next_step
from brackets.selectors import load_table
from brackets.services.absences import decide, disqualify_player
from brackets.services.playing import enter_game_result
from tourney.kernel.errors import TourneyError
from tourney.kernel.outcomes import ResultCode
from tourney.models import Sanction, Stage


def carry_out(sanction: Sanction, actor: Any) -> None:
    """Take a removed player out, award the match, or enter the game being played as lost without play.

    Nothing for a stage of another kind, and nothing for a removal after the places are published: the next placing
    list leaves the player out (M7.9). TourneyError ``sanction.game_not_open_to_loss`` when the match is over: there
    its result is corrected instead.
    """
    stage = sanction.stage
    if stage is None or stage.kind != Stage.Kind.BRACKET:
        return
    if sanction.kind == Sanction.Kind.REMOVAL:
        if stage.state != Stage.State.CLOSED:
            disqualify_player(stage.pk, sanction.entry_id, reason=sanction.reason, actor=actor)
        return
    if sanction.game is None:
        return
    key = sanction.game.match_key
    table = load_table(stage)
    if table is None:
        return
    loser = "a" if table.sides(key)["a"] == sanction.entry_id else "b"
    if sanction.kind == Sanction.Kind.MATCH_LOSS:
        decide(stage.pk, key, winner="b" if loser == "a" else "a", reason=sanction.reason, actor=actor)
    elif sanction.kind == Sanction.Kind.GAME_LOSS:
        awaited = next_step(table.match_state(key))
        if not isinstance(awaited, AwaitGame):
            raise TourneyError("sanction.game_not_open_to_loss", why=key)
        lost_by_white = awaited.white == loser
        outcome = ResultCode.BLACK_FORFEIT_WIN if lost_by_white else ResultCode.WHITE_FORFEIT_WIN
        enter_game_result(stage.pk, key, number=awaited.number, outcome=outcome.value, actor=actor)
