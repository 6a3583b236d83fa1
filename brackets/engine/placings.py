"""The final order of a bracket: who left, who was disqualified, byes and shared places turned into places."""

from __future__ import annotations

from enum import StrEnum

from brackets.engine.resolve import BracketState
from brackets.engine.topology import BracketSpec, Places
from tourney.kernel.ids import EntryId


class LeftPlace(StrEnum):
    """Which place a player gets who left the event without being disqualified."""

    KEEP = "keep"  # the place he fell to
    LAST_OF_BAND = "last_of_band"  # behind everybody of his band of elimination who stayed
    NONE = "none"  # none; those below move up


class DisqualifiedPlace(StrEnum):
    """What becomes of the place of somebody who was disqualified."""

    MOVE_UP = "move_up"  # those below move up
    KEEP_EMPTY = "keep_empty"  # his place stays empty


def final_places(
    spec: BracketSpec,
    state: BracketState,
    left: LeftPlace = LeftPlace.KEEP,
    disqualified: DisqualifiedPlace = DisqualifiedPlace.MOVE_UP,
) -> list[tuple[Places, EntryId]]:
    """Return the decided places, best first; while the bracket is open only those that are certain in its order.

    Byes take no place: whoever stands below one moves up. Players who share a band of places all get the whole band.
    """
    order = _ordered(spec, state, left)
    gone = {
        player
        for player, was_disqualified in state.left.items()
        if (was_disqualified and disqualified is DisqualifiedPlace.MOVE_UP)
        or (not was_disqualified and left is LeftPlace.NONE)
    }
    empty = sorted(
        [band.first for band in state.bye_places] + [state.places[p].first for p in gone if p in state.places]
    )
    result = []
    for places, player in order:
        if player in gone or state.left.get(player):
            continue
        shift = sum(1 for place in empty if place < places.first)
        inside = sum(1 for place in empty if places.first <= place <= places.last) if places.first < places.last else 0
        result.append((Places(places.first - shift, places.last - shift - inside), player))
    return result


def _ordered(spec: BracketSpec, state: BracketState, left: LeftPlace) -> list[tuple[Places, EntryId]]:
    """Return places and players in order, with those who left put last of their band if so wished."""
    order = sorted((places, player) for player, places in state.places.items())
    if left is not LeftPlace.LAST_OF_BAND:
        return order
    result: list[tuple[Places, EntryId]] = []
    for band in spec.bands:
        inside = [(places, player) for places, player in order if band.first <= places.first <= band.last]
        players = [player for _, player in inside]
        players.sort(key=lambda player: player in state.left)  # stable: the rest keep their order
        result += [(places, player) for (places, _), player in zip(inside, players, strict=True)]
    return result
