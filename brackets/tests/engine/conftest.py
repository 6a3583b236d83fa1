"""What the engine tests share: the bracket of 32, and a small language to play it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from brackets.engine.build import BracketParams, build
from brackets.engine.entering import enter, enter_all
from brackets.engine.facts import Fact, How, Left, Result, Returned
from brackets.engine.resolve import BracketState, resolve
from brackets.engine.topology import BracketSpec
from tourney.kernel.ids import EntryId, MatchKey

DATA = Path(__file__).parent / "data"


@dataclass
class Day:
    """An event being played. Players are named by their seed numbers."""

    spec: BracketSpec
    seeds: list[EntryId]
    facts: tuple[Fact, ...] = ()
    state: BracketState = field(init=False)

    def __post_init__(self) -> None:
        self.state = resolve(self.spec, self.seeds, self.facts)

    def record(self, *facts: Fact) -> None:
        self.facts, self.state = enter_all(self.spec, self.seeds, self.facts, facts)

    def wins(self, winner: int, match: str, how: How = How.PLAYED) -> None:
        """`winner` beats whoever sits opposite in that match."""
        view = self.state.matches[MatchKey(match)]
        (loser,) = (player for player in view.players if player != winner)
        played = how in (How.PLAYED, How.LEFT_DURING)
        self.facts, self.state = enter(
            self.spec, self.seeds, self.facts, Result(view.key, EntryId(winner), loser, how, played)
        )

    def leaves(self, player: int, disqualified: bool = False) -> None:
        self.record(Left(EntryId(player), disqualified, "left"))

    def returns(self, player: int) -> None:
        self.record(Returned(EntryId(player), "back"))

    def play_out(self, better: Callable[[int, int], int] = min) -> None:
        """Play every open match until none is left; `better` names the winner of two seeds."""
        while self.state.open_matches:
            for view in self.state.open_matches:
                a, b = view.players
                self.wins(better(a, b), view.key)

    def ways(self, match: str) -> tuple[object, object]:
        """Who goes the winner's and the loser's way."""
        view = self.state.matches[MatchKey(match)]
        return view.winner, view.loser


@pytest.fixture(scope="session")
def de32() -> BracketSpec:
    return build(BracketParams())


@pytest.fixture
def new_day() -> Callable[..., Day]:
    def start(players: int = 32, **params: object) -> Day:
        spec = build(BracketParams(**params))  # type: ignore[arg-type]
        return Day(spec, [EntryId(number) for number in range(1, players + 1)])

    return start
