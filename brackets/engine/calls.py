"""Running the day: which match comes to the next free board, and what is still ahead of a player.

When boards are short, the match with the longest way still behind it goes first: every minute it waits is a minute at
the end of the day. So lower-bracket matches go before placement matches by themselves.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from brackets.engine.cutting import bounds_of
from brackets.engine.proof import Span, Way, matches_ahead, place_bounds, ways_out
from brackets.engine.resolve import BYE, BracketState, MatchStatus, MatchView
from brackets.engine.topology import BracketSpec, Places, Side, Target
from tourney.kernel.errors import TourneyError
from tourney.kernel.ids import EntryId, MatchKey


def needs_play(view: MatchView) -> bool:
    """Whether two players will sit down here (as far as is known now)."""
    return view.status in (MatchStatus.READY, MatchStatus.LOCKED)


def remaining_path(spec: BracketSpec, state: BracketState) -> dict[MatchKey, int]:
    """Return for each match how many unplayed matches one after another hang on it, itself included."""
    length: dict[MatchKey, int] = {}
    for match in reversed(spec.matches):
        after = [length[way.match] for way in match.leads_to]
        length[match.key] = max(after, default=0) + (1 if needs_play(state.matches[match.key]) else 0)
    return length


@dataclass(frozen=True, slots=True)
class Call:
    """A match that can be called. `rest_left`: minutes until both have rested long enough (0: now)."""

    match: MatchKey
    path: int
    waiting: int
    rest_left: int = 0


def call_order(
    spec: BracketSpec,
    state: BracketState,
    *,
    waiting: Mapping[MatchKey, int] | None = None,
    rested: Mapping[EntryId, int] | None = None,
    rest_minutes: int = 0,
    busy: frozenset[MatchKey] = frozenset(),
) -> list[Call]:
    """Return the open matches in the order they should come to boards.

    `waiting`: minutes since a match became open. `rested`: minutes since a player's last match ended. `busy`: matches
    already called or playing. Who must still rest comes after everybody who needn't.
    """
    path = remaining_path(spec, state)
    calls = []
    for view in state.open_matches:
        if view.key in busy:
            continue
        rests = [(rested or {}).get(player, rest_minutes) for player in view.players]
        calls.append(
            Call(view.key, path[view.key], (waiting or {}).get(view.key, 0), max(0, rest_minutes - min(rests)))
        )
    return sorted(
        calls, key=lambda call: (call.rest_left > 0, -call.path, -call.waiting, spec.by_key[call.match].number)
    )


@dataclass(frozen=True, slots=True)
class Destination:
    """Where a result leads: to a match (with its opponent, if known already) or to a place."""

    match: MatchKey | None
    places: Places | None
    opponent: EntryId | None = None


@dataclass(frozen=True, slots=True)
class Prospects:
    """What is still ahead of a player: matches sure to come, best and worst place, and the next fork."""

    player: EntryId
    matches_left: Span
    places: Places  # best and worst still possible; equal when decided
    match: MatchKey | None  # the match he is in or waits for
    opponent: EntryId | None
    if_wins: Destination | None
    if_loses: Destination | None
    is_decided: bool


@dataclass(frozen=True, slots=True)
class Outlook:
    """For a player on any side of any match: matches still ahead (that one included), best and worst place."""

    matches: Mapping[Target, Span]
    places: Mapping[Target, Places]


def outlook(spec: BracketSpec, state: BracketState) -> Outlook:
    """Return what is ahead from every side, as it is known now (a later opponent may still leave the event)."""
    real = frozenset(key for key, view in state.matches.items() if view.status is not MatchStatus.BYE)
    stopped = frozenset(key for key, view in state.matches.items() if view.status is MatchStatus.CUT)
    return Outlook(matches_ahead(spec, real, stopped), place_bounds(spec, real))


def prospects(spec: BracketSpec, state: BracketState, player: EntryId, known: Outlook | None = None) -> Prospects:
    """Return what is ahead of a player; TourneyError ``bracket.unknown_player`` for anybody else.

    `known`: the outlook, if the caller asks for many players.
    """
    if player not in state.seeds:
        raise TourneyError("bracket.unknown_player", player=player)
    view = state.match_of(player)
    if view is None and player in state.places:
        return Prospects(player, Span(0, 0), state.places[player], None, None, None, None, is_decided=True)
    if view is None:
        # The little table goes on without him, or his match will not be played and not everybody is there to share.
        places = bounds_of(spec, state.matches, state.places)[player]
        return Prospects(player, Span(0, 0), places, None, None, None, None, is_decided=False)
    known = known or outlook(spec, state)
    here = Target(view.key, Side.A if view.a == player else Side.B)
    win, lose = ways_out(spec.by_key[view.key], spec, here.side)
    other = view.b if here.side is Side.A else view.a
    return Prospects(
        player=player,
        matches_left=known.matches[here],
        places=known.places[here],
        match=view.key,
        opponent=other if other is not BYE else None,
        if_wins=_step(spec, state, win),
        if_loses=_step(spec, state, lose),
        is_decided=False,
    )


def _step(spec: BracketSpec, state: BracketState, way: Way) -> Destination:
    """Follow a way past matches against byes to the next real match or place."""
    while isinstance(way, Target):
        view = state.matches[way.match]
        opponent = view.b if way.side is Side.A else view.a
        if opponent is not BYE:
            return Destination(way.match, None, opponent)
        way, _ = ways_out(spec.by_key[way.match], spec, way.side)
    return Destination(None, way)
