"""What each entry did, round by round: the one value that pairing and ranking both read.

A `History` is built from facts by a selector (or read from a tournament report file) and never changed.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from tourney.kernel.colors import Color
from tourney.kernel.ids import EntryId
from tourney.kernel.outcomes import STANDARD, ByeKind, Outcome, ResultCode, Scoring
from tourney.kernel.points import ZERO, Points


class RoundKind(StrEnum):
    """How one player spent one round."""

    PLAYED = "played"
    FORFEIT_WIN = "forfeit_win"
    FORFEIT_LOSS = "forfeit_loss"
    PAIRING_BYE = "pairing_bye"
    HALF_BYE = "half_bye"
    FULL_BYE = "full_bye"
    ZERO_BYE = "zero_bye"
    PENDING = "pending"  # paired, no result yet


_BYE_ROUNDS = {
    ByeKind.PAIRING: RoundKind.PAIRING_BYE,
    ByeKind.HALF: RoundKind.HALF_BYE,
    ByeKind.FULL: RoundKind.FULL_BYE,
    ByeKind.ZERO: RoundKind.ZERO_BYE,
}


@dataclass(frozen=True, slots=True)
class RoundRecord:
    """One player's round: opponent and colour where a game was scheduled, points in half-points."""

    kind: RoundKind
    points: Points
    opponent: EntryId | None = None
    color: Color | None = None
    rated: bool = False

    @property
    def is_played(self) -> bool:
        """A game was really played over the board."""
        return self.kind is RoundKind.PLAYED

    @classmethod
    def of_bye(cls, kind: ByeKind, scoring: Scoring = STANDARD) -> RoundRecord:
        """Return the record of a round without an opponent."""
        return cls(_BYE_ROUNDS[kind], scoring.bye(kind))

    @classmethod
    def of_game(cls, outcome: Outcome, color: Color, opponent: EntryId) -> RoundRecord:
        """Return the record of the side with `color` in a game with that outcome."""
        points = outcome.points(color)
        if outcome.played:
            return cls(RoundKind.PLAYED, points, opponent, color, outcome.rated)
        won = outcome.code in (ResultCode.WHITE_FORFEIT_WIN, ResultCode.BLACK_FORFEIT_WIN) and points > 0
        return cls(RoundKind.FORFEIT_WIN if won else RoundKind.FORFEIT_LOSS, points, opponent, color)

    @classmethod
    def pending(cls, color: Color, opponent: EntryId) -> RoundRecord:
        """Return the record of a game that has no result yet."""
        return cls(RoundKind.PENDING, ZERO, opponent, color)


@dataclass(frozen=True, slots=True)
class PlayerRecord:
    """One entry of a stage: its pairing number, the rating the regulation pairs by, and its rounds so far."""

    entry: EntryId
    number: int  # tournament pairing number (start number), unique in the stage, 1 is the highest
    rating: int | None = None  # None: unrated
    rounds: tuple[RoundRecord, ...] = ()

    @property
    def score(self) -> Points:
        """Points so far, in half-points."""
        return Points(sum(record.points for record in self.rounds))


@dataclass(frozen=True, slots=True)
class History:
    """A whole stage so far.

    Every player has exactly `rounds_done` records; who entered late or left has zero byes. `total_rounds` is the
    planned number (0: unknown).
    """

    players: tuple[PlayerRecord, ...]
    rounds_done: int
    total_rounds: int = 0
    scoring: Scoring = STANDARD
    by_entry: Mapping[EntryId, PlayerRecord] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "by_entry", {player.entry: player for player in self.players})
        if len(self.by_entry) != len(self.players):
            raise ValueError("an entry occurs twice in a history")
        for player in self.players:
            if len(player.rounds) != self.rounds_done:
                raise ValueError(f"entry {player.entry} has {len(player.rounds)} of {self.rounds_done} rounds")
