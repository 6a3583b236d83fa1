"""Playing by the book: which acts of an arbiter bend the rules of rated events, and how loudly the program asks first.

The levels are those of the general regulations for tournament software (FIDE C.02 with its checklist of 2026): an act
the rules don't describe is acknowledged, one against them but harmless is confirmed, one sometimes needed is confirmed
twice with its consequences in words, and one they forbid is refused while the group plays by the book. What an act is
called depends on the moment: a result is corrected freely, knowingly or not at all (C.04.2, 4.3).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import IntEnum
from typing import Any

from tourney.kernel.errors import TourneyError


class Level(IntEnum):
    """How loudly an act is asked about."""

    FREE = 1
    ACKNOWLEDGE = 2
    CONFIRM = 3
    TWO_STEPS = 4
    REFUSED = 5

    @property
    def questions(self) -> int:
        """How many times somebody says yes before the act is done."""
        return {Level.ACKNOWLEDGE: 1, Level.CONFIRM: 1, Level.TWO_STEPS: 2}.get(self, 0)


@dataclass(frozen=True, slots=True)
class Rule:
    """What an act asks. `report` is the word of the report file for it (C.02, record ###), `leaves`: the group no
    longer plays by the book afterwards, for good; `undo`: the state before it can be brought back."""

    level: Level
    report: str = "Configuration"
    leaves: bool = False
    undo: bool = False


RULES: Mapping[str, Rule] = {
    # The initial order and the settings
    "start_order": Rule(Level.CONFIRM, "Exchange", undo=True),  # two numbers of unequal ratings (C.04.2, 2.2)
    "numbers": Rule(Level.REFUSED, "Exchange"),  # once round 1 is paired
    "rounds": Rule(Level.REFUSED),  # once round 1 is paired
    "early_end": Rule(Level.TWO_STEPS, undo=True),
    # Results
    "previous_result": Rule(Level.CONFIRM, "Correction", undo=True),
    "older_result": Rule(Level.REFUSED, "Correction"),
    "report_result": Rule(Level.CONFIRM, "Correction", undo=True),  # for the rating report only
    "adjourned": Rule(Level.CONFIRM, "Adjournment", undo=True),
    "open_games": Rule(Level.CONFIRM, "Adjournment", undo=True),  # the next round is paired while games are open
    # Byes
    "full_bye": Rule(Level.ACKNOWLEDGE),
    "half_bye": Rule(Level.CONFIRM),  # over the limit, or in the last rounds
    # Pairing
    "forbidden_pair": Rule(Level.TWO_STEPS, leaves=True),  # once round 1 is paired
    "allowed_pair": Rule(Level.TWO_STEPS, leaves=True),
    "hand_round": Rule(Level.TWO_STEPS, "MPA"),  # a round by hand that is not the engine's
    "late_pair": Rule(Level.CONFIRM, "MPA"),
    "taken_back": Rule(Level.CONFIRM, "MPA", undo=True),
    "taken_back_results": Rule(Level.TWO_STEPS, "MPA", undo=True),
    "left": Rule(Level.TWO_STEPS, leaves=True),
}


class AskFirst(TourneyError):
    """An act that needs to be confirmed: what it bends is the sentence of its code, ``book.<act>``.

    `step` is the question to ask now, from 1; `level` how loud it is.
    """

    def __init__(self, code: str, *, level: Level, step: int, **values: Any) -> None:
        super().__init__(code, **values)
        self.level = level
        self.step = step

    @property
    def act(self) -> str:
        return self.code.removeprefix("book.")

    @property
    def is_last(self) -> bool:
        """Whether a yes to this question does it."""
        return self.step >= self.level.questions


def level_of(act: str) -> Level:
    """Return how loudly an act is asked about; an unknown act is a mistake of the program (KeyError)."""
    return RULES[act].level


def result_act(rounds_after: int) -> str:
    """Return what the correction of a result is, with so many rounds paired after its own; "" for a free one.

    The result of a game that has none (an adjourned one) is no correction and always free.
    """
    if rounds_after <= 0:
        return ""
    return "previous_result" if rounds_after == 1 else "older_result"


def bye_act(kind: str, *, halves: int, limit: int, round_number: int, rounds: int, closed_rounds: int) -> str:
    """Return what a requested bye is ("" for a usual one).

    `kind` is a letter of the report file (F, H, Z), `halves` how many half-point bye the player would have with it,
    `limit` how many the regulation allows, `closed_rounds` in how many of the last rounds it allows none.
    """
    if kind == "F":
        return "full_bye"
    if kind == "H" and (halves > limit or round_number > rounds - closed_rounds):
        return "half_bye"
    return ""


def exchange_act(first_rating: int | None, second_rating: int | None) -> str:
    """Return what the exchange of two start numbers is: between equal ratings the arbiter is free (C.04.2, 2.2.3)."""
    return "" if (first_rating or 0) == (second_rating or 0) else "start_order"
