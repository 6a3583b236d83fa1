"""Acts of an arbiter in a stage played in rounds. Each is one transaction under the lock of its stage."""

from swiss.services.absences import allow_pair, call_roll, drop_bye, forbid_pair, half_bye_limit, request_bye
from swiss.services.hand import restore_engine
from swiss.services.operations import (
    Claim,
    held_operations,
    open_conflicts,
    resolve_conflict,
    settle_held,
    submit,
)
from swiss.services.pairing import (
    change_pairing,
    discard_draft,
    entries_for_round,
    pair_late_entry,
    pair_next_round,
    publish_round,
    unpublish_round,
)
from swiss.services.rehearsal import play_step
from swiss.services.results import enter_result, enter_round_results, rebuild, update_standings
from swiss.services.running import (
    close_stage_play,
    deadline_of,
    early_start,
    forfeit_absent,
    note_absent,
    reschedule_round,
    start_round,
)
from swiss.services.withdrawing import WithdrawalEffect, return_player, withdraw_player, withdrawal_effect

__all__ = [
    "Claim",
    "WithdrawalEffect",
    "allow_pair",
    "call_roll",
    "change_pairing",
    "close_stage_play",
    "deadline_of",
    "discard_draft",
    "drop_bye",
    "early_start",
    "enter_result",
    "enter_round_results",
    "entries_for_round",
    "forbid_pair",
    "forfeit_absent",
    "half_bye_limit",
    "held_operations",
    "note_absent",
    "open_conflicts",
    "pair_late_entry",
    "pair_next_round",
    "play_step",
    "publish_round",
    "rebuild",
    "request_bye",
    "reschedule_round",
    "resolve_conflict",
    "restore_engine",
    "return_player",
    "settle_held",
    "start_round",
    "submit",
    "unpublish_round",
    "update_standings",
    "withdraw_player",
    "withdrawal_effect",
]
