"""The rules of a stage played in rounds, parsed from the plain data of a regulation.

A stage block names its kind; an unknown key, a wrong type or a value out of range is a `RuleError` that names the exact
path. Which block holds for a group is decided by head-count when entries close (`tourney.kernel.systems`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from tourney.kernel.colors import Color
from tourney.kernel.node import Node
from tourney.kernel.outcomes import STANDARD, Scoring
from tourney.kernel.points import HALF, ONE, ZERO, Points, parse_points
from tourney.kernel.systems import cycles_for, fits, table_rounds

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
    """A Swiss stage: how many rounds, and what the pairing needs to know."""

    rounds: int
    first_color: FirstColor = FirstColor.LOT
    acceleration: Acceleration = Acceleration.NONE
    scoring: Scoring = STANDARD

    def rounds_for(self, players: int) -> int:
        """Return the number of rounds, which doesn't depend on the number of players."""
        return self.rounds


@dataclass(frozen=True, slots=True)
class RoundRobinRules:
    """A round robin: everybody meets everybody `cycles` times."""

    cycles: int = 1
    start_numbers: StartNumbers = StartNumbers.HAND
    scoring: Scoring = STANDARD

    def rounds_for(self, players: int) -> int:
        """Return how many rounds that many players need."""
        return table_rounds(players, self.cycles)


StageRules = SwissRules | RoundRobinRules


def _points(node: Node, key: str, default: Points) -> Points:
    value = node.raw(key)
    if value is None:
        return default
    try:
        points = parse_points(value) if isinstance(value, str) else None
    except ValueError:
        points = None
    if isinstance(value, int) and not isinstance(value, bool):
        points = Points(2 * value)
    if points is None or not 0 <= points <= MAX_POINTS:
        raise node.fail(key, "rule.not_points", got=str(value))
    return points


def parse_scoring(data: Mapping[str, Any], path: str = "stage") -> Scoring:
    """Return what games and byes are worth in a stage; what its rules leave out is worth the usual points."""
    return _scoring(Node(data, path))


def _scoring(node: Node) -> Scoring:
    scoring = Scoring(
        win=_points(node, "win_points", ONE),
        draw=_points(node, "draw_points", HALF),
        loss=_points(node, "loss_points", ZERO),
        pairing_bye=_points(node, "bye_points", _points(node, "win_points", ONE)),
    )
    if not scoring.loss <= scoring.draw < scoring.win:
        raise node.fail("win_points", "rule.points_order", win=scoring.win, draw=scoring.draw, loss=scoring.loss)
    if scoring.pairing_bye > scoring.win:
        raise node.fail("bye_points", "rule.bye_above_win", bye=scoring.pairing_bye, win=scoring.win)
    return scoring


def _swiss(node: Node, players: int | None) -> SwissRules:
    return SwissRules(
        rounds=node.integer("rounds", low=1, high=MAX_ROUNDS),
        first_color=node.choice("first_color", FirstColor, FirstColor.LOT),
        acceleration=node.choice("acceleration", Acceleration, Acceleration.NONE),
        scoring=_scoring(node),
    )


def _round_robin(node: Node, players: int | None) -> RoundRobinRules:
    cycles = node.integer("cycles", 1, low=1, high=8)
    # A table of two or three would be over after a game or two: some regulations let so few play twice.
    double = node.integers("double_for", (), low=2)
    return RoundRobinRules(
        cycles=cycles if players is None else cycles_for(players, cycles, double),
        start_numbers=node.choice("start_numbers", StartNumbers, StartNumbers.HAND),
        scoring=_scoring(node),
    )


_KINDS: Mapping[str, Callable[[Node, int | None], StageRules]] = {"swiss": _swiss, "round_robin": _round_robin}
KINDS = tuple(_KINDS)


def parse_stage(data: Mapping[str, Any], path: str = "stage", players: int | None = None) -> StageRules:
    """Return the rules of a stage option of kind "swiss" or "round_robin"; RuleError names the path of what is wrong.

    `players` settles what depends on the head-count (`double_for`). The tie-breaks are read by the ranking, the
    condition when the option is chosen; both are only checked for their form here.
    """
    node = Node(data, path)
    rules = _KINDS[node.choice("kind", KINDS)](node, players)
    node.texts("tie_breaks", ())
    fits(node.raw("when"), players or 0, node.at("when"))
    for key in ("code", "clause"):
        node.text(key, "")
    node.words("title", {})
    node.finish()
    return rules
