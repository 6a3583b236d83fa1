"""Small tournaments in a few words: `history("1w2 ½", ...)` is spelled by rounds per player."""

from __future__ import annotations

from swiss.engine.rules import SwissRules
from tourney.kernel.colors import Color
from tourney.kernel.ids import EntryId
from tourney.kernel.outcomes import STANDARD, Scoring
from tourney.kernel.records import History, PlayerRecord
from tourney.kernel.trf import TrfCell

COLORS = {"w": Color.WHITE, "b": Color.BLACK}


def cell(text: str) -> TrfCell:
    """Return a round written as in a crosstable: "5w1" (White against 5, won), "U", "H", "F", "Z"."""
    if text in "UHFZ":
        return TrfCell(result=text)
    color = "w" if "w" in text else "b"
    opponent, _, result = text.partition(color)
    return TrfCell(int(opponent), COLORS[color], result)


def history(*players: str, total: int = 9, scoring: Scoring = STANDARD) -> History:
    """Return a history: one string of rounds per player, numbered from 1."""
    rounds = len(players[0].split())
    return History(
        tuple(
            PlayerRecord(
                EntryId(number),
                number,
                2400 - 10 * number,
                tuple(cell(text).record(scoring) for text in line.split()),
            )
            for number, line in enumerate(players, 1)
        ),
        rounds,
        total,
        scoring,
    )


def start(players: int, total: int = 9) -> History:
    """Return a history before round 1."""
    return history(*[""] * players, total=total)


def swiss(rounds: int = 9) -> SwissRules:
    return SwissRules(rounds=rounds)
