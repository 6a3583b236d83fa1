"""Acts of an arbiter in a knockout. Each is one transaction under the lock of its stage, and refuses with a code.

The draw: `draw_plan(stage, method="")`, `commit_draw(stage_id, *, actor, method, reason) -> Lot`,
`reveal_draw(stage_id, *, numbers={who: number}, actor)`, `seed_without_lot(stage_id, *, actor, method, order, reason)`,
`exchange_seeds(stage_id, first, second, *, reason, actor)`, `separate_clubs(stage_id, *, actor)`,
`confirm_draw(stage_id, *, actor)`, `drop_draw(stage_id, *, reason, actor)`.

Matches are named by their key ("U1.3"), players of a match by their side ("a", "b"):
`call_match(stage_id, match, *, board=None)`, `return_call(stage_id, match)`,
`choose_color(stage_id, match, *, color="w" or "b")`, `draw_color_lot(stage_id, match, *, winner="", method="")`,
`enter_game_result(stage_id, match, *, number, outcome)`, `walkover(stage_id, match, *, absent, reason, early=False)`,
`double_no_show(stage_id, match, *, reason, winner="", early=False)`, `decide(stage_id, match, *, winner, reason)`,
`dispute`, `settle_dispute`, `show_match(stage_id, match, *, video_url, featured)`.

Players are named by their entry: `withdraw_player(stage_id, entry_id, *, reason)`, `disqualify_player`,
`return_player`, `replace_seed(old, new, actor)`; a removal is looked at with `removal_plan(table, entry_id)` and taken
back with `take_back_removal(stage_id, entry_id, *, reason)`.

Putting right: `plan_change(table, Change(match, number, outcome)) -> ChangePlan`,
`correct_result(stage_id, change, *, reason, choice="cascade" or "on_paper", token)`,
`undo(stage_id, *, match="", reason)`. The day: `pause(stage_id, *, reason)`, `resume(stage_id)`, those of all
brackets of an event with it; cutting it short:
`cut_plan(table, *, scope="placement" or "everything", ties="shared" or "seed") -> CutPlan`,
`cut_short(stage_id, *, scope, reason, ties, token)`, `play_on(stage_id, *, reason)`.

All take `actor`; those a tablet sends also `operation` (a UUID: the same tap counts once) and `seen`
(`brackets.selectors.seen_token`: an entry on an older picture is refused with who did what since).
`rebuild(stage_id)` makes every projection again, `play_step(stage, chance)` plays one random step.
"""

from brackets.services.absences import (
    decide,
    disqualify_player,
    double_no_show,
    late_at,
    replace_seed,
    return_player,
    show_match,
    walkover,
    withdraw_player,
)
from brackets.services.correcting import (
    CASCADE,
    ON_PAPER,
    Change,
    ChangePlan,
    correct_result,
    dispute,
    last_act,
    plan_change,
    settle_dispute,
    take_back_removal,
    undo,
)
from brackets.services.cutting import CutPlan, cut_plan, cut_short, play_on
from brackets.services.drawing import (
    DrawPlan,
    apart_plan,
    commit_draw,
    committed_method,
    confirm_draw,
    draw_lots,
    draw_plan,
    drop_draw,
    exchange_seeds,
    open_lot,
    reveal_draw,
    seed_without_lot,
    separate_clubs,
)
from brackets.services.operations import (
    MatchClaim,
    entered_by,
    held_operations,
    open_conflicts,
    own_last,
    resolve_conflict,
    settle_held,
    submit,
    take_back_own,
)
from brackets.services.playing import (
    boards_of,
    call_match,
    choose_color,
    draw_color_lot,
    enter_game_result,
    free_boards,
    return_call,
)
from brackets.services.rebuilding import rebuild, rebuild_event
from brackets.services.rehearsal import play_step
from brackets.services.sanctions import RemovalPlan, carry_out, effects_of, removal_plan, take_back
from brackets.services.stopping import brackets_in_play, pause, resume, resume_brackets, stop_brackets

__all__ = [
    "CASCADE",
    "ON_PAPER",
    "Change",
    "ChangePlan",
    "CutPlan",
    "DrawPlan",
    "MatchClaim",
    "RemovalPlan",
    "apart_plan",
    "boards_of",
    "brackets_in_play",
    "call_match",
    "carry_out",
    "choose_color",
    "commit_draw",
    "committed_method",
    "confirm_draw",
    "correct_result",
    "cut_plan",
    "cut_short",
    "decide",
    "dispute",
    "disqualify_player",
    "double_no_show",
    "draw_color_lot",
    "draw_lots",
    "draw_plan",
    "drop_draw",
    "effects_of",
    "enter_game_result",
    "entered_by",
    "exchange_seeds",
    "free_boards",
    "held_operations",
    "last_act",
    "late_at",
    "open_conflicts",
    "open_lot",
    "own_last",
    "pause",
    "plan_change",
    "play_on",
    "play_step",
    "rebuild",
    "rebuild_event",
    "removal_plan",
    "replace_seed",
    "resolve_conflict",
    "resume",
    "resume_brackets",
    "return_call",
    "return_player",
    "reveal_draw",
    "seed_without_lot",
    "separate_clubs",
    "settle_dispute",
    "settle_held",
    "show_match",
    "stop_brackets",
    "submit",
    "take_back",
    "take_back_own",
    "take_back_removal",
    "undo",
    "walkover",
    "withdraw_player",
]
