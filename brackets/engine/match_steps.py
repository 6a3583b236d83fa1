"""What can happen inside one match: the steps a tablet or an arbiter enters, in order.

Players are named by short texts: the sides ``"a"`` and ``"b"`` of a match, any names in a play-off of three or more.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any, Final

from tourney.kernel.colors import Color
from tourney.kernel.errors import TourneyError
from tourney.kernel.outcomes import ResultCode


@dataclass(frozen=True, slots=True)
class Start:
    """The match is called; `minutes_after_last_game` counts from the last game of anybody who plays in it."""

    minutes_after_last_game: int


@dataclass(frozen=True, slots=True)
class ChooseColor:
    """Who may choose has chosen a colour."""

    by: str
    color: Color


@dataclass(frozen=True, slots=True)
class LotColor:
    """A lot gave White of the next game to a player. `method` says how it was drawn (program, coin, pawns)."""

    white: str
    method: str = ""


@dataclass(frozen=True, slots=True)
class LotChooser:
    """A lot named who chooses the colour of the next game."""

    chooser: str
    method: str = ""


@dataclass(frozen=True, slots=True)
class Game:
    """The result of game `number`; who has White is known from the rules, it isn't entered."""

    number: int
    result: ResultCode


@dataclass(frozen=True, slots=True)
class GroupGame:
    """A game of a play-off where everybody meets everybody."""

    white: str
    black: str
    result: ResultCode


@dataclass(frozen=True, slots=True)
class Correct:
    """The result of a finished game was entered wrongly."""

    number: int
    result: ResultCode
    reason: str = ""


@dataclass(frozen=True, slots=True)
class NoShow:
    """A player didn't come to the match at all."""

    absent: str
    reason: str = ""


@dataclass(frozen=True, slots=True)
class BothAbsent:
    """Neither came; a lot (or the arbiter) named who goes the winner's way."""

    winner: str
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Leave:
    """A player leaves the event or is removed from it."""

    player: str
    disqualified: bool = False


@dataclass(frozen=True, slots=True)
class Decide:
    """The arbiter awards the match."""

    winner: str
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Repeat:
    """The arbiter lets those who are still tied play the play-off tournament again."""

    reason: str = ""


@dataclass(frozen=True, slots=True)
class Claim:
    """Somebody disputes something: nothing goes on until the arbiter has settled it."""

    by: str
    reason: str = ""


@dataclass(frozen=True, slots=True)
class SettleClaim:
    """The arbiter has settled a claim."""

    reason: str = ""


@dataclass(frozen=True, slots=True)
class Reopen:
    """A no-show, a departure or a decision was a mistake: the match goes on where it stood."""

    reason: str = ""


Step = (
    Start
    | ChooseColor
    | LotColor
    | LotChooser
    | Game
    | GroupGame
    | Correct
    | NoShow
    | BothAbsent
    | Leave
    | Decide
    | Repeat
    | Claim
    | SettleClaim
    | Reopen
)

_KINDS: Final[dict[str, type[Step]]] = {
    "start": Start,
    "choose_color": ChooseColor,
    "lot_color": LotColor,
    "lot_chooser": LotChooser,
    "game": Game,
    "group_game": GroupGame,
    "correct": Correct,
    "no_show": NoShow,
    "both_absent": BothAbsent,
    "leave": Leave,
    "decide": Decide,
    "repeat": Repeat,
    "claim": Claim,
    "settle_claim": SettleClaim,
    "reopen": Reopen,
}
_NAMES: Final = {kind: name for name, kind in _KINDS.items()}

# What an arbiter writes besides the stored codes.
_WRITTEN: Final = {
    "+/-": ResultCode.WHITE_FORFEIT_WIN,
    "-/+": ResultCode.BLACK_FORFEIT_WIN,
    "-/-": ResultCode.DOUBLE_FORFEIT,
    "1/2-1/2": ResultCode.DRAW,
    "½": ResultCode.DRAW,
    "½-½": ResultCode.DRAW,
}


def parse_result(text: str) -> ResultCode:
    """Return the result written in a form; TourneyError ``match.unknown_result`` if there is no such result."""
    cleaned = text.strip()
    if cleaned in _WRITTEN:
        return _WRITTEN[cleaned]
    try:
        return ResultCode(cleaned)
    except ValueError:
        raise TourneyError("match.unknown_result", result=text) from None


def step_to_json(step: Step) -> dict[str, Any]:
    """Return a step as plain data for its row."""
    return {"do": _NAMES[type(step)], **{name: _plain(value) for name, value in asdict(step).items()}}


def _plain(value: Any) -> Any:
    return value.value if isinstance(value, (Color, ResultCode)) else value


def step_from_json(stored: Mapping[str, Any]) -> Step:
    """Return the step written by `step_to_json`; TourneyError ``match.unknown_step`` for anything else."""
    values = dict(stored)
    name = values.pop("do", None)
    kind = _KINDS.get(name)
    if kind is None or not set(values) <= {field.name for field in fields(kind)}:
        raise TourneyError("match.unknown_step", step=name)
    if "result" in values:
        values["result"] = parse_result(values["result"])
    if "color" in values:
        values["color"] = Color(values["color"])
    return kind(**values)
