"""Which system a number of players plays, and in how many rounds (clause M7.2).

A step of a section lists options; the first whose ``when`` fits the head-count is played.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from tourney.kernel.errors import RuleError, TourneyError
from tourney.kernel.node import Node


def fits(when: Mapping[str, Any] | None, players: int, path: str) -> bool:
    """Return whether a head-count satisfies a `when` table: a closed set of predicates, all must hold."""
    node = Node({} if when is None else when, path)
    least = node.optional_integer("players_at_least", low=0)
    most = node.optional_integer("players_at_most", low=0)
    node.finish()
    if least is not None and most is not None and least > most:
        raise RuleError(path, "rule.empty_range", low=least, high=most)
    return (least is None or players >= least) and (most is None or players <= most)


def option_for(options: Sequence[Any], players: int, path: str = "options") -> int | None:
    """Return the position of the first option that fits a number of players, or None.

    Every condition is read, so that a mistake in one shows before anybody needs it.
    """
    fitting = []
    for index, option in enumerate(options):
        node = Node(option, f"{path}[{index}]")
        if fits(node.raw("when"), players, node.at("when")):
            fitting.append(index)
    return fitting[0] if fitting else None


def choose_option(options: Sequence[Any], players: int, path: str = "options") -> tuple[int, Mapping[str, Any]]:
    """Return the first option that fits, with its position; TourneyError ``stage.no_system`` when none does."""
    index = option_for(options, players, path)
    if index is None:
        raise TourneyError("stage.no_system", players=players)
    return index, options[index]


def cycles_for(players: int, cycles: int, double_for: Sequence[int]) -> int:
    """Return how often everybody meets everybody: so few that it would soon be over may play twice (`double_for`)."""
    return max(2, cycles) if players in double_for else cycles


def table_rounds(players: int, cycles: int = 1) -> int:
    """Return the rounds of a round robin; with an odd number one player has no game in each."""
    return cycles * (players - 1 + players % 2)


def rounds_of(option: Mapping[str, Any], players: int) -> int:
    """Return how many rounds an option has for a head-count (0: it is not played in rounds)."""
    match option.get("kind"):
        case "swiss":
            return int(option.get("rounds", 0))
        case "round_robin":
            return table_rounds(players, cycles_for(players, option.get("cycles", 1), option.get("double_for", ())))
        case _:
            return 0
