"""What the staff see of a round that was changed by hand."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from swiss.boards import Board
from swiss.hand_words import HandView, hand_view
from swiss.models import Round
from swiss.questions import question_of
from swiss.selectors import entries_of
from swiss.services.hand import HAND
from tourney.models import Stage


def hand_page(round_: Round, stage: Stage, boards: Sequence[Board]) -> dict[str, Any] | None:
    """Return the round beside the engine's own, with the exchanges and their reasons; None when nothing was changed.

    A late player's board isn't an exchange: only a session, or a draft with rows by hand, is shown.
    """
    session = round_.explanation.get(HAND) or {}
    draft = round_.state == Round.State.DRAFT
    if not session and not (draft and any(board.pairing.by_hand for board in boards)):
        return None
    entries = entries_of(stage)

    def name(pk: int) -> str:
        return str(entries[pk].player.name) if pk in entries else "–"

    rows = [board.pairing for board in boards]
    view: HandView = hand_view(question_of(round_, stage), rows, name)
    exchanges = [
        {
            "at": datetime.fromisoformat(one["at"]),
            "by": one["by"],
            "names": name(one["first"])
            if one["first"] == one["second"]
            else f"{name(one['first'])} – {name(one['second'])}",
            "turned": one["first"] == one["second"],
            "reason": one["reason"],
        }
        for one in session.get("exchanges", ())
    ]
    return {"view": view, "exchanges": exchanges, "draft": draft}
