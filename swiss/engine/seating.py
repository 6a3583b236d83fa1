"""At which board a game of a round is played: one after another, but for players who always sit at the same one."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from itertools import count

from swiss.engine.plan import Pairing
from tourney.kernel.ids import EntryId


def seat(
    games: Sequence[Pairing], first_board: int, fixed: Mapping[EntryId, int], elsewhere: Collection[int] = ()
) -> tuple[int, ...]:
    """Return a board number for every game, in the order of the games.

    `fixed` are players who don't move. A board of theirs that lies behind the others is left where it is; when two of
    them meet, they sit at the lower of the two boards, and the other one is given to the next game like any other.
    `elsewhere` are boards of other groups in the same hall: nobody but who is fixed there gets one.
    """
    places: dict[int, int] = {}
    for index, game in enumerate(games):
        wanted = sorted(fixed[entry] for entry in (game.white, game.black) if entry in fixed)
        free = [board for board in wanted if board not in places.values()]
        if free:
            places[index] = free[0]
    taken = {*places.values(), *elsewhere}
    others = (board for board in count(first_board) if board not in taken)
    return tuple(places[index] if index in places else next(others) for index in range(len(games)))
