"""What can happen to a game, and to a player who has none.

Four things that look alike on paper are kept apart, because the rules treat each differently: a bye given by the
pairing, a bye asked for (half, zero, full point), a forfeit, and a played game (C.04.1, C.07 art. 16).
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from tourney.kernel.colors import Color
from tourney.kernel.points import HALF, ONE, ZERO, Points


class ResultCode(StrEnum):
    """The result of a game as stored; the value is what an arbiter would write."""

    WHITE_WINS = "1-0"
    DRAW = "1/2"
    BLACK_WINS = "0-1"
    WHITE_FORFEIT_WIN = "+-"  # Black did not come
    BLACK_FORFEIT_WIN = "-+"  # White did not come
    DOUBLE_FORFEIT = "--"  # nobody came
    BOTH_LOSE = "0-0"  # played, both lose by the arbiter's decision
    WHITE_HALF = "1/2-0"  # the arbiter's unusual results: White half a point, Black none …
    BLACK_HALF = "0-1/2"  # … and the other way round


class ByeKind(StrEnum):
    """Why a player has no opponent in a round; the value is the letter of tournament report files."""

    PAIRING = "U"  # given by the pairing to the odd player
    HALF = "H"  # asked for, half a point
    FULL = "F"  # given, a whole point
    ZERO = "Z"  # absent, withdrawn or not yet entered


@dataclass(frozen=True, slots=True)
class Outcome:
    """The effect of one result: points for both sides, whether it was played over the board, whether it is rated."""

    code: ResultCode
    white: Points
    black: Points
    played: bool
    rated: bool

    def points(self, color: Color) -> Points:
        """Return the points of the side with that colour, in half-points."""
        return self.white if color is Color.WHITE else self.black


@dataclass(frozen=True, slots=True)
class Scoring:
    """What things are worth in a stage, in half-points. A pairing bye's value is the event's choice (C.04.1 art. 3)."""

    win: Points = ONE
    draw: Points = HALF
    loss: Points = ZERO
    pairing_bye: Points = ONE

    def outcome(self, code: ResultCode) -> Outcome:
        """Return what a result code is worth under this scoring."""
        white, black, played = {
            ResultCode.WHITE_WINS: (self.win, self.loss, True),
            ResultCode.DRAW: (self.draw, self.draw, True),
            ResultCode.BLACK_WINS: (self.loss, self.win, True),
            ResultCode.WHITE_FORFEIT_WIN: (self.win, ZERO, False),
            ResultCode.BLACK_FORFEIT_WIN: (ZERO, self.win, False),
            ResultCode.DOUBLE_FORFEIT: (ZERO, ZERO, False),
            ResultCode.BOTH_LOSE: (self.loss, self.loss, True),
            ResultCode.WHITE_HALF: (self.draw, self.loss, True),
            ResultCode.BLACK_HALF: (self.loss, self.draw, True),
        }[code]
        return Outcome(code, white, black, played, rated=played)

    def bye(self, kind: ByeKind) -> Points:
        """Return the points of a round without an opponent."""
        return {
            ByeKind.PAIRING: self.pairing_bye,
            ByeKind.HALF: self.draw,
            ByeKind.FULL: self.win,
            ByeKind.ZERO: ZERO,
        }[kind]


STANDARD: Final = Scoring()
