"""Play a bracket at random, with everything that can go wrong, and check after every step what must never break.

Used by the tests and by ``python -m brackets.engine simulate``; the seed of a failing event is printed and repeats it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from brackets.engine.correction import Effect, plan_correction
from brackets.engine.cutting import bounds_of
from brackets.engine.entering import enter, enter_all
from brackets.engine.facts import (
    Cut,
    CutScope,
    Fact,
    How,
    Left,
    Replaced,
    Result,
    Retracted,
    Returned,
    SeedsSwapped,
)
from brackets.engine.placings import final_places
from brackets.engine.resolve import BYE, SETTLED, BracketState, MatchStatus, MatchView, resolve
from brackets.engine.topology import BracketSpec, Ties
from tourney.kernel.chance import Chance
from tourney.kernel.errors import TourneyError
from tourney.kernel.ids import EntryId


class BrokenPromise(AssertionError):
    """Something that must hold for every bracket did not."""


@dataclass(frozen=True, slots=True)
class Event:
    """One simulated event: its log and how it ended."""

    facts: tuple[Fact, ...]
    state: BracketState
    corrections: int
    undone: int


@dataclass(frozen=True, slots=True)
class Troubles:
    """How often things happen, in thousandths of the steps."""

    no_show: int = 30
    both_absent: int = 10
    left: int = 15
    disqualified: int = 8
    returned: int = 10
    corrected: int = 25
    undone: int = 25
    cut: int = 0  # cut short: the matches for places, or everything
    moved: int = 0  # two seeds change places, or a reserve takes somebody's seed


CALM = Troubles(0, 0, 0, 0, 0, 0, 0)


def play_event(
    spec: BracketSpec, players: int, chance: Chance, troubles: Troubles | None = None, replay_every: int = 1
) -> Event:
    """Return a whole event played at random; BrokenPromise if an invariant fails on the way.

    Every state is checked; the log is replayed and compared after each `replay_every`-th step and at the end.
    """
    rate = troubles or Troubles()
    seeds = [EntryId(number) for number in range(1, players + 1)]
    facts: tuple[Fact, ...] = ()
    state = resolve(spec, seeds, facts)
    corrections = undone = steps = 0
    check(spec, seeds, facts, state)
    while not state.is_complete:
        roll = chance.below(1000)
        try:
            if roll < rate.left + rate.disqualified:
                player = chance.choice(seeds)
                facts, state = enter(spec, seeds, facts, Left(player, roll >= rate.left), state)
            elif (roll := roll - rate.left - rate.disqualified) < rate.returned and state.left:
                facts, state = enter(spec, seeds, facts, Returned(chance.choice(sorted(state.left))), state)
            elif (roll := roll - rate.returned) < rate.corrected and _correctable(state):
                facts, state = _correct(spec, seeds, facts, state, chance)
                corrections += 1
            elif (roll := roll - rate.corrected) < rate.undone and facts:
                facts, state = enter(spec, seeds, facts, Retracted(chance.below(len(facts)), "undone"), state)
                undone += 1
            elif 0 <= (roll := roll - rate.undone) < rate.cut:
                facts, state = _cut(spec, seeds, facts, state, chance)
            elif 0 <= (roll := roll - rate.cut) < rate.moved:
                facts, state = enter(spec, seeds, facts, _move(spec, state, chance), state)
            else:
                facts, state = enter(spec, seeds, facts, _result(state, rate, chance), state)
        except TourneyError as refused:
            if refused.code not in _EXPECTED:
                raise
        steps += 1
        check(spec, seeds, facts, state, replay=state.is_complete or steps % replay_every == 0)
    check_end(spec, players, state)
    return Event(facts, state, corrections, undone)


def _cut(
    spec: BracketSpec, seeds: Sequence[EntryId], facts: tuple[Fact, ...], state: BracketState, chance: Chance
) -> tuple[tuple[Fact, ...], BracketState]:
    """Cut the bracket short and check that nobody lost what he was sure of, and that nothing played out has moved."""
    sure = bounds_of(spec, state.matches, state.places)
    cut = Cut(chance.choice(list(CutScope)), chance.choice(list(Ties)), "simulated")
    facts, after = enter(spec, seeds, facts, cut, state)
    for player, places in after.places.items():
        if places.last > sure[player].last:
            raise BrokenPromise(f"{player} was sure of {sure[player]} and got {places}")
        before = state.places.get(player)
        if before is not None and before.first == before.last and places != before:
            raise BrokenPromise(f"{player} had {before} and got {places}")
    return facts, after


def _move(spec: BracketSpec, state: BracketState, chance: Chance) -> Fact:
    if chance.below(2):
        return SeedsSwapped(1 + chance.below(spec.size), 1 + chance.below(spec.size))
    real = [player for player in state.seeds if player is not None]
    return Replaced(chance.choice(real), EntryId(1000 + chance.below(1000)))


_EXPECTED = {
    "bracket.already_played",
    "bracket.bye_fixed",
    "bracket.already_left",
    "bracket.downstream_played",
    "bracket.unknown_fact",
    "bracket.automatic_result",
    "bracket.player_twice",
    "bracket.unknown_player",
    "bracket.nothing_to_cut",
    "bracket.cut_short",
}


def _result(state: BracketState, rate: Troubles, chance: Chance) -> Result:
    view = chance.choice(state.open_matches)
    winner, loser = chance.shuffle(view.players)
    roll = chance.below(1000)
    if roll < rate.no_show:
        return Result(view.key, winner, loser, How.WALKOVER, played=False)
    if roll < rate.no_show + rate.both_absent:
        return Result(view.key, winner, loser, How.DOUBLE_ABSENCE, played=False)
    return Result(view.key, winner, loser)


def _correctable(state: BracketState) -> list[MatchView]:
    return [view for view in state.matches.values() if view.how is not None and view.how.is_recorded]


def _correct(
    spec: BracketSpec, seeds: Sequence[EntryId], facts: tuple[Fact, ...], state: BracketState, chance: Chance
) -> tuple[tuple[Fact, ...], BracketState]:
    view = chance.choice(_correctable(state))
    a, b = view.players
    new = [Result(view.key, a, b), Result(view.key, b, a), None][chance.below(3)]
    plan = plan_correction(spec, seeds, facts, view.key, new, reason="simulated")
    if plan.effect is Effect.BLOCKED and plan.on_paper and chance.below(2):
        return enter_all(spec, seeds, facts, plan.on_paper)
    return enter_all(spec, seeds, facts, plan.cascade)


def check(
    spec: BracketSpec, seeds: Sequence[EntryId], facts: Sequence[Fact], state: BracketState, replay: bool = True
) -> None:
    """Raise BrokenPromise unless the state is sound: a fixpoint, nobody in two open matches, always a way on."""
    if replay and resolve(spec, seeds, facts) != state:
        raise BrokenPromise("the log gives another state when it is replayed")
    if state.stale:
        raise BrokenPromise(f"results without their pair: {state.stale}")
    busy: list[EntryId] = []
    for view in state.matches.values():
        if view.is_open:
            busy += view.players
            if any(player in state.left for player in view.players):
                raise BrokenPromise(f"{view.key} waits for somebody who left")
        decided = view.status in SETTLED and view.status is not MatchStatus.CUT
        if (decided and BYE not in (view.a, view.b)) != (view.winner is not None and view.how is not How.BYE):
            raise BrokenPromise(f"{view.key} is settled without a winner")
    if len(busy) != len(set(busy)):
        raise BrokenPromise("somebody is in two open matches")
    if not state.is_complete and not state.open_matches:
        raise BrokenPromise("nothing is open, but the bracket isn't complete")


def check_end(spec: BracketSpec, players: int, state: BracketState) -> None:
    """Raise BrokenPromise unless every place went to exactly one player and every match was closed once."""
    taken = sorted([*state.places.values(), *state.bye_places])
    expected: list[int] = []
    for band in taken:
        expected += [] if expected and expected[-1] >= band.first else range(band.first, band.last + 1)
    if expected != list(range(1, spec.size + 1)) or len(taken) != spec.size:
        raise BrokenPromise(f"places: {taken}")
    if len(state.places) != players:
        raise BrokenPromise("somebody has no place")
    order = final_places(spec, state)
    gone = sum(state.left.values())
    if len(order) != players - gone or (order and order[0][0].first != 1):
        raise BrokenPromise("the final order has a hole")
    if any(view.status in (MatchStatus.LOCKED, MatchStatus.READY) for view in state.matches.values()):
        raise BrokenPromise("a match is still open")
