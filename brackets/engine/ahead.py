"""What a match may wait for after the next entries: so that a tablet without a network can ask on.

A match is small: from where it stands only a few answers are possible, and each leads to a known question. The tree of
them is cut where the network is needed (an Armageddon's lot drawn by the program, an arbiter's decision) or after
`depth` entries.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from brackets.engine.match_fold import AwaitColor, AwaitGame, Awaiting, AwaitLot, LotFor
from brackets.engine.match_play import MatchState, apply
from brackets.engine.match_steps import ChooseColor, Game, LotChooser, LotColor, Step
from tourney.kernel.colors import Color
from tourney.kernel.errors import TourneyError
from tourney.kernel.outcomes import ResultCode

RESULTS = (ResultCode.WHITE_WINS, ResultCode.DRAW, ResultCode.BLACK_WINS)


@dataclass(frozen=True, slots=True)
class Ahead:
    """A question of a match, and by answer the question after it. Answers: a result, a colour ("w", "b"), a side."""

    awaiting: Awaiting
    then: Mapping[str, Ahead] = field(default_factory=dict)


def ahead(state: MatchState, depth: int) -> Ahead:
    """Return the questions that can come within `depth` entries."""
    if depth <= 0:
        return Ahead(state.awaiting)
    return Ahead(state.awaiting, {answer: ahead(after, depth - 1) for answer, after in branches(state).items()})


def branches(state: MatchState) -> dict[str, MatchState]:
    """Return the match after each answer its present question allows; empty where only the arbiter goes on."""
    found = {}
    for answer, step in _steps(state).items():
        try:
            found[answer] = apply(state, step)
        except TourneyError:  # a draw in an Armageddon that knows none
            continue
    return found


def _steps(state: MatchState) -> dict[str, Step]:
    match state.awaiting:
        case AwaitGame(number=number):
            return {result.value: Game(number, result) for result in RESULTS}
        case AwaitColor(by=by):
            return {color.value: ChooseColor(by, color) for color in Color}
        case AwaitLot(gives=gives):
            made = LotColor if gives is LotFor.WHITE else LotChooser
            return {side: made(side, "by hand") for side in state.contenders}
    return {}
