"""Acts of an arbiter in a stage played in rounds. Each is one transaction under the lock of its stage."""

from swiss.services.absences import call_roll, drop_bye, half_bye_limit, request_bye
from swiss.services.apart import allow_pair, fix_board, forbid_pair, free_board, set_virtual_points
from swiss.services.by_the_book import (
    can_undo,
    correct_for_report,
    end_report_result,
    leave_the_book,
    undo_bent,
)
from swiss.services.hand import restore_engine
from swiss.services.late import pair_late_entry
from swiss.services.operations import (
    Claim,
    held_operations,
    open_conflicts,
    resolve_conflict,
    settle_held,
    submit,
)
from swiss.services.pairing import change_pairing, discard_draft, entries_for_round, open_games, pair_next_round
from swiss.services.publishing import publish_round
from swiss.services.rehearsal import play_step
from swiss.services.results import enter_result, enter_round_results, rebuild, update_standings
from swiss.services.running import (
    adjourn_game,
    close_stage_play,
    deadline_of,
    early_start,
    forfeit_absent,
    note_absent,
    reschedule_round,
    resume_rounds,
    rounds_in_play,
    start_round,
    stop_rounds,
)
from swiss.services.taking_back import bring_back_round, newest_taken_back, unpublish_round
from swiss.services.verifying import note_verified
from swiss.services.withdrawing import WithdrawalEffect, return_player, withdraw_player, withdrawal_effect

__all__ = [
    "Claim",
    "WithdrawalEffect",
    "adjourn_game",
    "allow_pair",
    "bring_back_round",
    "call_roll",
    "can_undo",
    "change_pairing",
    "close_stage_play",
    "correct_for_report",
    "deadline_of",
    "discard_draft",
    "drop_bye",
    "early_start",
    "end_report_result",
    "enter_result",
    "enter_round_results",
    "entries_for_round",
    "fix_board",
    "forbid_pair",
    "forfeit_absent",
    "free_board",
    "half_bye_limit",
    "held_operations",
    "leave_the_book",
    "newest_taken_back",
    "note_absent",
    "note_verified",
    "open_conflicts",
    "open_games",
    "pair_late_entry",
    "pair_next_round",
    "play_step",
    "publish_round",
    "rebuild",
    "request_bye",
    "reschedule_round",
    "resolve_conflict",
    "restore_engine",
    "resume_rounds",
    "return_player",
    "rounds_in_play",
    "set_virtual_points",
    "settle_held",
    "start_round",
    "stop_rounds",
    "submit",
    "undo_bent",
    "unpublish_round",
    "update_standings",
    "withdraw_player",
    "withdrawal_effect",
]
