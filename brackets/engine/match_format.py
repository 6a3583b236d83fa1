"""How a match is played, as data: phases of games with clocks, who has White, what a drawn Armageddon means.

A phase is played only if the one before was level. A format says nothing about who plays; `match_play` replays one.
Read from the block ``match_formats`` of a regulation::

    first_color = "lower_rated_chooses"
    phases = [
        { games = 2, clock = "3+2" },
        { games = 2, clock = "2+1" },
        { armageddon = { white = "5", black = "4" }, color = "lot", draw = "black" },
    ]
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from tourney.kernel.clocks import Clock
from tourney.kernel.errors import RuleError, TourneyError
from tourney.kernel.node import Node


class FirstColor(StrEnum):
    """Who has White in the first game of a match."""

    LOWER_RATED_CHOOSES = "lower_rated_chooses"  # no rating counts as lowest; equal ratings: a lot names the chooser
    LOT = "lot"  # the lot gives the colour itself
    LOT_WINNER_CHOOSES = "lot_winner_chooses"
    HIGHER_SEED_WHITE = "higher_seed_white"  # the first side of the match has White
    LOWER_SEED_WHITE = "lower_seed_white"


class ArmageddonColor(StrEnum):
    """Who has White in the Armageddon."""

    LOT = "lot"
    LOT_WINNER_CHOOSES = "lot_winner_chooses"


class DrawnArmageddon(StrEnum):
    """Who wins a drawn Armageddon."""

    BLACK = "black"
    WHITE = "white"
    FORBIDDEN = "forbidden"  # it can't be drawn; such a result is refused


class StillTied(StrEnum):
    """What follows if three or more share the lead of a play-off tournament."""

    ARBITER = "arbiter"
    REPEAT = "repeat"


@dataclass(frozen=True, slots=True)
class GamesPhase:
    """A number of games with colours alternating.

    `clinch`: the phase ends as soon as nobody can catch up. `repeat`: it is played again until it isn't level.
    `colors_continue`: colours go on alternating from the phase before; otherwise the first colour is settled anew.
    """

    games: int
    clock: Clock
    colors_continue: bool = True
    clinch: bool = False
    repeat: bool = False


@dataclass(frozen=True, slots=True)
class Armageddon:
    """One last game with different clocks for White and Black."""

    white_clock: Clock | None  # None: the arbiter sets it before the game
    black_clock: Clock | None
    color: ArmageddonColor = ArmageddonColor.LOT
    draw: DrawnArmageddon = DrawnArmageddon.BLACK


@dataclass(frozen=True, slots=True)
class RoundRobinPhase:
    """Everybody against everybody: a play-off of three or more. Two leaders go on to the next phase."""

    clock: Clock
    cycles: int = 1
    still_tied: StillTied = StillTied.ARBITER


Phase = GamesPhase | Armageddon | RoundRobinPhase


@dataclass(frozen=True, slots=True)
class MatchFormat:
    """A whole match. `start_after_minutes`: pause after the last game of all who play (play-offs)."""

    phases: tuple[Phase, ...]
    first_color: FirstColor = FirstColor.LOWER_RATED_CHOOSES
    start_after_minutes: int = 0

    @property
    def most_games(self) -> int | None:
        """The largest number of games a match of two can have; None if it can go on for ever."""
        total = 0
        for phase in self.phases:
            match phase:
                case GamesPhase(repeat=True):
                    return None
                case GamesPhase(games=games):
                    total += games
                case Armageddon():
                    total += 1
                case RoundRobinPhase(cycles=cycles):
                    total += cycles
        return total


def parse_format(data: Any, path: str = "") -> MatchFormat:
    """Return the match format that plain rule data describes; RuleError with the exact path of what is wrong."""
    node = Node(data, path)
    first_color = node.choice("first_color", FirstColor, FirstColor.LOWER_RATED_CHOOSES)
    # The only reading the engine has, written out in regulations so that everybody can see it.
    node.choice("equal_ratings", ("lot",), "lot")
    pause = node.integer("start_after_minutes", 0, low=0)
    phases = tuple(_phase(inner) for inner in node.nodes("phases"))
    node.finish()
    if not phases:
        raise node.fail("phases", "rule.missing")
    for number, phase in enumerate(phases):
        here = f"{node.at('phases')}[{number}]"
        if isinstance(phase, RoundRobinPhase) and number:
            raise RuleError(here, "match.round_robin_not_first")
        last = number == len(phases) - 1
        if not last and (isinstance(phase, Armageddon) or (isinstance(phase, GamesPhase) and phase.repeat)):
            raise RuleError(f"{node.at('phases')}[{number + 1}]", "match.phase_never_reached")
    return MatchFormat(phases, first_color, pause)


def parse_formats(block: Any, path: str = "match_formats") -> Mapping[str, MatchFormat]:
    """Return the named formats of a regulation's block."""
    node = Node(block, path)
    return {name: parse_format(node.raw(name), node.at(name)) for name in node.value}


def group_playoff(
    clock: Clock,
    decider: MatchFormat,
    *,
    cycles: int = 1,
    still_tied: StillTied = StillTied.ARBITER,
    start_after_minutes: int = 0,
) -> MatchFormat:
    """Return the play-off of three or more: everybody meets everybody, two leaders play the decider's Armageddon.

    Raises TourneyError ``match.decider_needs_armageddon``.
    """
    last = decider.phases[-1]
    if not isinstance(last, Armageddon):
        raise TourneyError("match.decider_needs_armageddon")
    return MatchFormat((RoundRobinPhase(clock, cycles, still_tied), last), decider.first_color, start_after_minutes)


def _phase(node: Node) -> Phase:
    kinds = [kind for kind in ("games", "armageddon", "round_robin") if node.has(kind)]
    if len(kinds) != 1:
        raise RuleError(node.path, "match.phase_needs_one_kind", kinds=["games", "armageddon", "round_robin"])
    phase: Phase
    match kinds[0]:
        case "games":
            phase = GamesPhase(
                games=node.integer("games", low=1, high=24),
                clock=node.clock("clock"),
                colors_continue=node.choice("colors", ("continue", "anew"), "continue") == "continue",
                clinch=node.flag("clinch", False),
                repeat=node.flag("repeat", False),
            )
        case "armageddon":
            clocks = node.node("armageddon")
            white, black = (clocks.clock(side) if clocks.has(side) else None for side in ("white", "black"))
            clocks.finish()
            phase = Armageddon(
                white_clock=white,
                black_clock=black,
                color=node.choice("color", ArmageddonColor, ArmageddonColor.LOT),
                draw=node.choice("draw", DrawnArmageddon, DrawnArmageddon.BLACK),
            )
        case _:
            phase = RoundRobinPhase(
                clock=node.clock("clock"),
                cycles=node.integer("round_robin", low=1, high=4),
                still_tied=node.choice("still_tied", StillTied, StillTied.ARBITER),
            )
    node.finish()
    return phase
