"""What a sanction does to a knockout (K10.3): a game or a match lost, or the player gone; the bracket goes on.

Registered for the place ``sanctioned``: the page of sanctions writes the sanction and calls this in its transaction.
What would take back matches played since is not done in passing (``bracket.correction_needs_choice``).
"""

from __future__ import annotations

from typing import Any

from brackets.engine.match_fold import AwaitGame
from brackets.selectors import Table, load_table
from brackets.services.absences import decide, disqualify_player
from brackets.services.correcting import Change, correct_result, plan_change
from brackets.services.playing import enter_game_result
from tourney.kernel.errors import TourneyError
from tourney.kernel.ids import MatchKey
from tourney.kernel.outcomes import ResultCode
from tourney.models import Game, Sanction, Stage


def carry_out(sanction: Sanction, actor: Any) -> None:
    """Do what a sanction says to the bracket of its stage; nothing for a stage of another kind, or a warning.

    Refusals: ``bracket.correction_needs_choice``, ``bracket.not_in_open_match`` and those of the acts it uses.
    """
    stage = sanction.stage
    if stage is None or stage.kind != Stage.Kind.BRACKET:
        return
    table = load_table(stage)
    if table is None or table.bracket.drawn_at is None or sanction.entry_id not in table.state.seeds:
        return
    match sanction.kind:
        case Sanction.Kind.GAME_LOSS:
            _lose_game(table, sanction, actor)
        case Sanction.Kind.MATCH_LOSS:
            _lose_match(table, sanction, actor)
        case Sanction.Kind.REMOVAL if stage.state != Stage.State.CLOSED:
            disqualify_player(stage.pk, sanction.entry_id, reason=sanction.reason, actor=actor)


def _lose_game(table: Table, sanction: Sanction, actor: Any) -> None:
    """A game that has a result gets another one; without a game it is the next one of the match the player is in."""
    game = sanction.game
    if game is not None and game.outcome:
        played = game.outcome in (ResultCode.WHITE_WINS, ResultCode.BLACK_WINS, ResultCode.DRAW)
        outcome = _loss(game.white_id == sanction.entry_id, played=played)
        if outcome.value != game.outcome:
            _correct(table, Change(_key(game), game.game_number, outcome.value), sanction, actor)
        return
    key, side = _open_match(table, sanction.entry_id)
    awaited = table.match_state(key).awaiting
    if not isinstance(awaited, AwaitGame):
        raise TourneyError("match.color_first", chooser="")
    outcome = _loss(awaited.white == side, played=False)
    enter_game_result(table.stage.pk, key, number=awaited.number, outcome=outcome.value, actor=actor)


def _loss(white_loses: bool, *, played: bool) -> ResultCode:
    if played:
        return ResultCode.BLACK_WINS if white_loses else ResultCode.WHITE_WINS
    return ResultCode.BLACK_FORFEIT_WIN if white_loses else ResultCode.WHITE_FORFEIT_WIN


def _lose_match(table: Table, sanction: Sanction, actor: Any) -> None:
    """The match of the named game, else the one the player is in."""
    if sanction.game is not None and not table.view(_key(sanction.game)).is_open:
        key = _key(sanction.game)
        other = "b" if table.view(key).a == sanction.entry_id else "a"
        if table.view(key).winner == sanction.entry_id:
            _correct(table, Change(key, winner=other), sanction, actor)
        return
    key, side = _open_match(table, sanction.entry_id)
    decide(table.stage.pk, key, winner="b" if side == "a" else "a", reason=sanction.reason, actor=actor)


def _correct(table: Table, change: Change, sanction: Sanction, actor: Any) -> None:
    plan = plan_change(table, change, sanction.reason).plan
    if plan is not None and plan.needs_choice:
        raise TourneyError("bracket.correction_needs_choice", match=change.match)
    correct_result(table.stage.pk, change, reason=sanction.reason, actor=actor)


def _key(game: Game) -> str:
    return game.match_key.partition("~")[0]


def _open_match(table: Table, entry: int) -> tuple[MatchKey, str]:
    view = next((view for view in table.state.open_matches if entry in (view.a, view.b)), None)
    if view is None:
        raise TourneyError("bracket.not_in_open_match")
    return view.key, "a" if view.a == entry else "b"
