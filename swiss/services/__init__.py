"""Acts of an arbiter in a stage played in rounds. Each is one transaction under the lock of its stage."""

from swiss.services.pairing import (
    change_pairing,
    discard_draft,
    pair_late_entry,
    pair_next_round,
    publish_round,
    unpublish_round,
)
from swiss.services.results import enter_result, rebuild, update_standings
from swiss.services.running import close_stage_play, mark_absent, start_round

__all__ = [
    "change_pairing",
    "close_stage_play",
    "discard_draft",
    "enter_result",
    "mark_absent",
    "pair_late_entry",
    "pair_next_round",
    "publish_round",
    "rebuild",
    "start_round",
    "unpublish_round",
    "update_standings",
]
