"""Playing a bracket with random results, one step of a match at a time: for rehearsals and demo events."""

from __future__ import annotations

from django.utils.translation import gettext as _

from brackets.engine.match_fold import AwaitColor, AwaitDecision, AwaitGame, AwaitLot
from brackets.engine.match_play import MatchState
from brackets.models import Match
from brackets.selectors import Table, load_table
from brackets.services.absences import decide
from brackets.services.drawing import (
    commit_draw,
    confirm_draw,
    draw_lots,
    draw_plan,
    open_lot,
    reveal_draw,
    seed_without_lot,
)
from brackets.services.playing import call_match, choose_color, draw_color_lot, enter_game_result, free_boards
from tourney.kernel.chance import Chance
from tourney.kernel.ids import MatchKey
from tourney.kernel.outcomes import ResultCode
from tourney.models import Stage

DRAWS_PER_THOUSAND = 180  # blitz


def play_step(stage: Stage, chance: Chance) -> bool:
    """Play one step: the draw, a call, a colour, a lot or a game. False when nothing is left to play."""
    if stage.kind != Stage.Kind.BRACKET or stage.state not in (Stage.State.READY, Stage.State.RUNNING):
        return False
    table = load_table(stage)
    if table is None or table.bracket.drawn_at is None:
        return _draw_step(stage, table, chance)
    if table.bracket.paused_at is not None:
        return False
    going = [key for key, match in table.matches.items() if match.state in (Match.State.CALLED, Match.State.PLAYING)]
    ready = [view.key for view in table.state.open_matches if view.key not in going]
    if ready and free_boards(table) and (not going or chance.below(3) == 0):
        call_match(stage.pk, ready[0])
        return True
    if not going:
        if not ready:
            return False
        going = ready[:1]
    _match_step(stage, table, chance.choice(going), chance)
    return True


def _draw_step(stage: Stage, table: Table | None, chance: Chance) -> bool:
    if table is not None:
        confirm_draw(stage.pk)
        return True
    if open_lot(draw_lots(stage)) is not None:
        reveal_draw(stage.pk, numbers={"A": str(chance.below(1000)), "B": str(chance.below(1000))})
        return True
    plan = draw_plan(stage)
    levels = {entry.level for entry in plan.entries.values()}
    known = plan.method != "rank_pots" or levels <= set(plan.rules.seeding.ranks)
    if plan.method == "manual" or not known:
        # Nobody is there to say the order: the rating does.
        seed_without_lot(stage.pk, method="fold", reason=_("rehearsal"))
    elif plan.seeding().needs_lot:
        commit_draw(stage.pk)
    else:
        seed_without_lot(stage.pk)
    return True


def _match_step(stage: Stage, table: Table, key: MatchKey, chance: Chance) -> None:
    state = table.match_state(key)
    match state.awaiting:
        case AwaitColor():
            choose_color(stage.pk, key, color="w" if chance.below(2) else "b")
        case AwaitLot():
            draw_color_lot(stage.pk, key)
        case AwaitGame(number=number):
            enter_game_result(stage.pk, key, number=number, outcome=random_result(state, chance).value)
        case AwaitDecision():
            decide(stage.pk, key, winner="a" if chance.below(2) else "b", reason=_("rehearsal"))
        case _:
            decide(stage.pk, key, winner="a", reason=_("rehearsal"))


def random_result(state: MatchState, chance: Chance) -> ResultCode:
    """Return a likely result of the next game: the better player wins more often."""
    awaited = state.awaiting
    white = state.players.get(awaited.white) if isinstance(awaited, AwaitGame) else None
    black = state.players.get(awaited.black) if isinstance(awaited, AwaitGame) else None
    ahead = max(-350, min(350, (white or 1000) - (black or 1000) + 30))
    if chance.below(1000) < DRAWS_PER_THOUSAND - abs(ahead) // 4:
        return ResultCode.DRAW
    return ResultCode.WHITE_WINS if chance.below(1000) < 500 + ahead * 9 // 8 else ResultCode.BLACK_WINS
