"""Leaving a round robin (general competition regulations): when a player's results count and when they don't.

Who has played fewer than half of the games of the whole event leaves no trace in the standings: his games stay in the
crosstable and are rated, but nobody has them in his score. Who has played half or more stays, and the rest of his
games are forfeits. The rule belongs to round robins only; in a Swiss everything counts.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from tourney.kernel.ids import EntryId
from tourney.kernel.outcomes import ByeKind
from tourney.kernel.records import History, RoundRecord


def results_count(games_played: int, games_planned: int) -> bool:
    """Return whether somebody who left has played at least half of the games he should have played in all."""
    return 2 * games_played >= games_planned


def without_results_of(history: History, entries: Collection[EntryId]) -> History:
    """Return the stage as the standings see it: these players gone, and a free round where they were met."""
    if not entries:
        return history
    free = RoundRecord.of_bye(ByeKind.ZERO, history.scoring)
    players = tuple(
        replace(player, rounds=tuple(free if record.opponent in entries else record for record in player.rounds))
        for player in history.players
        if player.entry not in entries
    )
    return History(players, history.rounds_done, history.total_rounds, history.scoring)
