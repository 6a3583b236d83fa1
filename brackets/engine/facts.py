"""What can happen to a bracket: facts in the order they were recorded. The bracket's state follows from them alone.

A fact is never changed. A mistake is put right by a later fact: `Voided` takes a result back, `Retracted` takes any
fact back, a new `Result` after `Voided` replaces it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from enum import StrEnum
from typing import Any, Final

from brackets.engine.topology import Ties
from tourney.kernel.errors import TourneyError
from tourney.kernel.ids import EntryId, MatchKey


class How(StrEnum):
    """How a match was decided."""

    PLAYED = "played"
    WALKOVER = "walkover"  # the loser did not come to this match, and plays on as its loser
    DOUBLE_ABSENCE = "double_absence"  # neither came, both play on; a lot named who goes the winner's way
    DECISION = "decision"  # the arbiter awarded it (a sanction, a dispute)
    LEFT_DURING = "left_during"  # the loser left the event in the middle of it
    # The bracket finds the rest by itself.
    BYE = "bye"
    OPPONENT_LEFT = "opponent_left"
    BOTH_LEFT = "both_left"  # the better seed goes the winner's way
    NOT_NEEDED = "not_needed"  # a second final after the upper finalist has won the first

    @property
    def is_recorded(self) -> bool:
        """Somebody entered it; the rest follows from other facts."""
        return self in _RECORDED


_RECORDED: Final = frozenset({How.PLAYED, How.WALKOVER, How.DOUBLE_ABSENCE, How.DECISION, How.LEFT_DURING})


@dataclass(frozen=True, slots=True)
class Result:
    """A match is decided. `loser` is named too, so that a result can never be taken for another pair's."""

    match: MatchKey
    winner: EntryId
    loser: EntryId
    how: How = How.PLAYED
    played: bool = True  # at least one game was played over the board
    reason: str = ""

    def __post_init__(self) -> None:
        if not self.how.is_recorded:
            raise ValueError(f"{self.how} is found by the bracket itself")


@dataclass(frozen=True, slots=True)
class Voided:
    """The result of a match no longer counts; the match is open again if its players are known."""

    match: MatchKey
    reason: str = ""


@dataclass(frozen=True, slots=True)
class OnPaper:
    """The result of a match was wrong, but the bracket stands: the true winner is published, nobody moves."""

    match: MatchKey
    winner: EntryId
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Left:
    """A player leaves the event: every open and later match is lost without play.

    A disqualified player gets no place; matches already decided stand.
    """

    player: EntryId
    disqualified: bool = False
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Returned:
    """A player who had left plays again."""

    player: EntryId
    reason: str = ""


@dataclass(frozen=True, slots=True)
class SeedsSwapped:
    """Two seeds change places before either has been in a decided match."""

    first: int
    second: int
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Replaced:
    """Somebody else takes a player's slot before that player's first match (a reserve for a no-show)."""

    player: EntryId
    by: EntryId
    reason: str = ""


class CutScope(StrEnum):
    """What is not played any more when a bracket is cut short."""

    PLACEMENT = "placement"  # the matches for places; the race for the first ones goes on
    EVERYTHING = "everything"


@dataclass(frozen=True, slots=True)
class Cut:
    """The bracket ends early: matches that are not decided will not be played, their places are shared (`cutting`)."""

    scope: CutScope
    ties: Ties = Ties.SHARED
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Retracted:
    """The fact with this number (counted from 0) is taken back as if it had never been recorded."""

    number: int
    reason: str = ""


Fact = Result | Voided | OnPaper | Left | Returned | SeedsSwapped | Replaced | Cut | Retracted

_KINDS: Final[dict[str, type[Fact]]] = {
    "result": Result,
    "voided": Voided,
    "on_paper": OnPaper,
    "left": Left,
    "returned": Returned,
    "seeds_swapped": SeedsSwapped,
    "replaced": Replaced,
    "cut": Cut,
    "retracted": Retracted,
}
_NAMES: Final = {kind: name for name, kind in _KINDS.items()}


def fact_to_json(fact: Fact) -> dict[str, Any]:
    """Return a fact as plain data for its row."""
    return {"fact": _NAMES[type(fact)], **asdict(fact)}


def fact_from_json(stored: Mapping[str, Any]) -> Fact:
    """Return the fact written by `fact_to_json`; TourneyError ``bracket.unknown_fact`` for anything else."""
    values = dict(stored)
    name = values.pop("fact", None)
    kind = _KINDS.get(name)
    if kind is None or not set(values) <= {field.name for field in fields(kind)}:
        raise TourneyError("bracket.unknown_fact", fact=name)
    if "how" in values:
        values["how"] = How(values["how"])
    if kind is Cut:
        values |= {"scope": CutScope(values["scope"]), "ties": Ties(values["ties"])}
    return kind(**values)
