"""The rules of a stage played in rounds, parsed from the plain data of a regulation.

A stage block names its kind; an unknown key, a wrong type or a value out of range is a `RuleError` that names the exact
path. Which block holds for a group is decided by head-count when entries close (`choose_option`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from tourney.kernel.colors import Color
from tourney.kernel.errors import RuleError, TourneyError
from tourney.kernel.outcomes import Scoring
from tourney.kernel.points import HALF, ONE, ZERO, Points, parse_points

MAX_ROUNDS = 99
MAX_POINTS = 200


class FirstColor(StrEnum):
    """How the colour of the first board in round 1 comes about."""

    LOT = "lot"
    WHITE = "white"
    BLACK = "black"

    @property
    def color(self) -> Color | None:
        """The fixed colour of the higher ranked player, or None when lots are drawn."""
        return {FirstColor.LOT: None, FirstColor.WHITE: Color.WHITE, FirstColor.BLACK: Color.BLACK}[self]


class Acceleration(StrEnum):
    """Virtual points in the first rounds: none, or the Baku method (C.04.7)."""

    NONE = "none"
    BAKU = "baku"


class StartNumbers(StrEnum):
    """How numbers for a round robin's table are given out."""

    LOT = "lot"
    RATING = "rating"
    HAND = "hand"
    VARMA = "varma"


@dataclass(frozen=True, slots=True)
class SwissRules:
    """A Swiss stage. `rating` names the list the start order is made by (a regulation's word, such as "russian")."""

    rounds: int
    first_color: FirstColor = FirstColor.LOT
    acceleration: Acceleration = Acceleration.NONE
    scoring: Scoring = field(default_factory=Scoring)
    rating: str = "fide"
    kind: str = "swiss"


@dataclass(frozen=True, slots=True)
class RoundRobinRules:
    """A round robin. `rounds` follows from the number of players."""

    cycles: int = 1
    start_numbers: StartNumbers = StartNumbers.LOT
    scoring: Scoring = field(default_factory=Scoring)
    rating: str = "fide"
    kind: str = "round_robin"

    def rounds_for(self, players: int) -> int:
        """Return how many rounds that many players need."""
        return self.cycles * (players - 1 + players % 2)


StageRules = SwissRules | RoundRobinRules


class _Block:
    """A table of rule data with typed access; whatever wasn't asked for in the end is an unknown key."""

    def __init__(self, data: object, path: str) -> None:
        if not isinstance(data, Mapping):
            raise RuleError(path, "rule.not_a_table")
        self.data, self.path = data, path
        self.asked: set[str] = set()

    def at(self, key: str) -> str:
        return f"{self.path}.{key}" if self.path else key

    def has(self, key: str) -> bool:
        self.asked.add(key)
        return key in self.data

    def whole(self, key: str, low: int, high: int, default: int | None = None) -> int:
        value = self._value(key, default)
        if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
            raise RuleError(self.at(key), "rule.not_in_range", found=value, low=low, high=high)
        return value

    def text(self, key: str, default: str | None = None) -> str:
        value = self._value(key, default)
        if not isinstance(value, str) or not value:
            raise RuleError(self.at(key), "rule.not_a_text", found=value)
        return value

    def one_of(self, key: str, choices: Sequence[str], default: str | None = None) -> str:
        value = self._value(key, default)
        if value not in choices:
            raise RuleError(self.at(key), "rule.unknown_choice", found=value, choices=list(choices))
        return str(value)

    def flag(self, key: str, *, default: bool) -> bool:
        value = self._value(key, default)
        if not isinstance(value, bool):
            raise RuleError(self.at(key), "rule.not_a_flag", found=value)
        return value

    def points(self, key: str, default: Points) -> Points:
        if not self.has(key):
            return default
        value = self.data[key]
        try:
            points = parse_points(value) if isinstance(value, str) else Points(2 * value)
        except (ValueError, TypeError):
            raise RuleError(self.at(key), "rule.not_points", found=value) from None
        if isinstance(value, bool | float) or not 0 <= points <= MAX_POINTS:
            raise RuleError(self.at(key), "rule.not_points", found=value)
        return points

    def _value(self, key: str, default: Any) -> Any:
        if not self.has(key):
            if default is None:
                raise RuleError(self.at(key), "rule.missing")
            return default
        return self.data[key]

    def done(self) -> None:
        for key in self.data:
            if key not in self.asked:
                raise RuleError(self.at(str(key)), "rule.unknown_key", known=sorted(self.asked))


def _scoring(block: _Block) -> Scoring:
    scoring = Scoring(
        win=block.points("win_points", ONE),
        draw=block.points("draw_points", HALF),
        loss=block.points("loss_points", ZERO),
        pairing_bye=block.points("bye_points", ONE),
    )
    if not scoring.loss <= scoring.draw < scoring.win:
        raise RuleError(block.at("win_points"), "rule.points_order", win=scoring.win, draw=scoring.draw)
    if scoring.pairing_bye > scoring.win:
        raise RuleError(block.at("bye_points"), "rule.bye_above_win", bye=scoring.pairing_bye, win=scoring.win)
    return scoring


def _swiss(block: _Block) -> SwissRules:
    return SwissRules(
        rounds=block.whole("rounds", 1, MAX_ROUNDS),
        first_color=FirstColor(block.one_of("first_color", list(FirstColor), FirstColor.LOT)),
        acceleration=Acceleration(block.one_of("acceleration", list(Acceleration), Acceleration.NONE)),
        scoring=_scoring(block),
        rating=block.text("rating", "fide"),
    )


def _round_robin(block: _Block) -> RoundRobinRules:
    return RoundRobinRules(
        cycles=block.whole("cycles", 1, 8, 1),
        start_numbers=StartNumbers(block.one_of("start_numbers", list(StartNumbers), StartNumbers.LOT)),
        scoring=_scoring(block),
        rating=block.text("rating", "fide"),
    )


_KINDS: Mapping[str, Callable[[_Block], StageRules]] = {"swiss": _swiss, "round_robin": _round_robin}
KINDS = tuple(_KINDS)


def parse_stage(data: Mapping[str, Any], path: str = "stage") -> StageRules:
    """Return the rules of a stage block; RuleError with the exact path of what is wrong.

    `when` and the texts that belong to the page (`title`, `clause`, `code`) are allowed and looked at elsewhere.
    """
    block = _Block(data, path)
    rules = _KINDS[block.one_of("kind", KINDS)](block)
    for key in ("when", "title", "clause", "code"):
        block.has(key)
    block.done()
    return rules


# --- which system for how many players (head-count) ----------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class HeadCount:
    """A condition on the number of players; an open end is None."""

    at_least: int | None = None
    at_most: int | None = None

    def holds(self, players: int) -> bool:
        """Return whether that many players meet the condition."""
        return (self.at_least is None or players >= self.at_least) and (self.at_most is None or players <= self.at_most)


def parse_when(data: Mapping[str, Any] | None, path: str = "when") -> HeadCount:
    """Return a head-count condition; no condition always holds."""
    block = _Block({} if data is None else data, path)
    condition = HeadCount(
        at_least=block.whole("players_at_least", 1, 9999) if block.has("players_at_least") else None,
        at_most=block.whole("players_at_most", 1, 9999) if block.has("players_at_most") else None,
    )
    block.done()
    if condition.at_least is not None and condition.at_most is not None and condition.at_least > condition.at_most:
        raise RuleError(path, "rule.empty_range", low=condition.at_least, high=condition.at_most)
    return condition


def choose_option(options: Sequence[Mapping[str, Any]], players: int, path: str = "options") -> tuple[int, StageRules]:
    """Return the first option whose condition fits the number of players, with its position.

    Every option is parsed, so that a mistake in one shows before anybody needs it.
    """
    parsed = [
        (
            parse_when(option.get("when") if isinstance(option, Mapping) else None, f"{path}[{index}].when"),
            parse_stage(option, f"{path}[{index}]"),
        )
        for index, option in enumerate(options)
    ]
    for index, (condition, rules) in enumerate(parsed):
        if condition.holds(players):
            return index, rules
    raise TourneyError("stage.no_option_fits", players=players, options=len(options))
