"""Places where a bracket is cut short: the power is off, the day is over, and what is left will not be played.

The rule, in one sentence: everybody gets what he was already sure of. Players are ordered by the worst place each could
still have ended on; of those equal the one who could have come higher stands before, then who has lost fewer matches
on the way (the final's undefeated player before the other). Who is equal in all that shares his places, or
(`Ties.SEED`) the better seed stands first. So nobody gets a worse place than he was sure of, places that were played
out stay as they are, and every place is given once. A little table that isn't finished is shared by all its players.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import groupby
from typing import TYPE_CHECKING

from brackets.engine.facts import How
from brackets.engine.proof import place_bounds
from brackets.engine.tables import members_of
from brackets.engine.topology import BracketSpec, Places, Side, Target, Ties
from tourney.kernel.ids import EntryId, MatchKey

if TYPE_CHECKING:
    from brackets.engine.resolve import MatchView


def share(
    domain: Places,
    bounds: Mapping[EntryId, Places],
    lost: Mapping[EntryId, int],
    decided: Mapping[EntryId, Places],
    byes: Iterable[Places],
    seed: Mapping[EntryId, int],
    ties: Ties,
) -> dict[EntryId, Places]:
    """Return the places of everybody whose `bounds` (best and worst place still possible) lie in `domain`.

    `lost`: defeats on the way, `decided`: places that are fixed already, `seed`: seed numbers. There must be as many
    players as places that no bye has.
    """
    taken = {bye.first for bye in byes}
    free = (place for place in range(domain.first, domain.last + 1) if place not in taken)
    found: dict[EntryId, Places] = {}

    def ahead(player: EntryId) -> tuple[int, int, int]:
        return bounds[player].last, bounds[player].first, 0 if player in decided else lost.get(player, 0)

    for _, level in groupby(sorted(bounds, key=lambda player: (*ahead(player), seed[player])), key=ahead):
        players = list(level)
        places = [next(free) for _ in players]
        if ties is Ties.SEED and not all(player in decided for player in players):
            found |= {player: Places(place, place) for player, place in zip(players, places, strict=True)}
        else:
            found |= dict.fromkeys(players, Places(places[0], places[-1]))
    return found


def bounds_of(
    spec: BracketSpec, views: Mapping[MatchKey, MatchView], places: Mapping[EntryId, Places]
) -> dict[EntryId, Places]:
    """Return everybody's best and worst place still possible: the decided one, or what is open from where he stands."""
    possible = place_bounds(spec, frozenset(key for key, view in views.items() if view.how is not How.BYE))
    bounds = dict(places)
    for view in views.values():
        if view.how is None:
            for side, occupant in ((Side.A, view.a), (Side.B, view.b)):
                if isinstance(occupant, int):
                    bounds.setdefault(EntryId(occupant), possible[Target(view.key, side)])
    for table in spec.tables:
        # Who has played all his matches there waits for the others.
        for player in members_of(table, views):
            bounds.setdefault(player, table.places)
    return bounds
