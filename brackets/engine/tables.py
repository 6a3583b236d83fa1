"""Who stands where in a little table: a band of places in which everybody plays everybody.

A match counts one for its winner, with or without play; a match against a bye counts nothing. Who has won more stands
before; those level are parted by the matches among themselves alone, and so on inside every part that is still level.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from brackets.engine.topology import Places, Side, TableSpec, Ties
from tourney.kernel.ids import EntryId, MatchKey

if TYPE_CHECKING:
    from brackets.engine.resolve import BracketState, MatchView

Decided = tuple[EntryId, EntryId]  # winner, loser


def ranked(
    players: Sequence[EntryId], decided: Sequence[Decided], seed: Mapping[EntryId, int], ties: Ties
) -> list[list[EntryId]]:
    """Return the players from first to last; those in one list share their places.

    `seed`: the seed number of each, for those whom no match parts.
    """
    order: list[list[EntryId]] = []
    for level in _parted(sorted(players, key=lambda player: seed[player]), decided):
        order += [level] if ties is Ties.SHARED else [[player] for player in level]
    return order


def _parted(players: list[EntryId], decided: Sequence[Decided]) -> list[list[EntryId]]:
    """Return the players in parts, best first, by the matches between them; inside a part nothing parts them."""
    here = set(players)
    won = dict.fromkeys(players, 0)
    for winner, loser in decided:
        if winner in here and loser in here:
            won[winner] += 1
    parts = [[player for player in players if won[player] == wins] for wins in sorted(set(won.values()), reverse=True)]
    if len(parts) == 1:
        return parts
    return [part for level in parts for part in _parted(level, decided)]


@dataclass(frozen=True, slots=True)
class Meeting:
    """The match of two members; `won`: by the player of the line, None while it is open."""

    match: MatchKey
    won: bool | None


@dataclass(frozen=True, slots=True)
class TableLine:
    """A player in a little table. `results`: for every member in order, what is between them; None on the diagonal."""

    player: EntryId
    won: int
    played: int  # matches decided, walkovers too
    results: tuple[Meeting | None, ...]
    places: Places | None  # once every match is decided


def table_lines(table: TableSpec, state: BracketState) -> list[TableLine]:
    """Return the players known in a little table as a cross table, in the order of their places or of their slots."""
    members = members_of(table, state.matches)
    found: dict[tuple[EntryId, EntryId], Meeting] = {}
    for key in table.matches:
        view = state.matches[key]
        if len(view.players) == 2:
            a, b = view.players
            found[a, b] = Meeting(key, None if view.winner is None else view.winner == a)
            found[b, a] = Meeting(key, None if view.winner is None else view.winner == b)
    lines = []
    for player in members:
        meetings = [found.get((player, other)) for other in members]
        outcomes = [meeting.won for meeting in meetings if meeting is not None and meeting.won is not None]
        lines.append(TableLine(player, sum(outcomes), len(outcomes), tuple(meetings), state.places.get(player)))
    if all(line.places is not None for line in lines):
        order = sorted(range(len(lines)), key=lambda index: lines[index].places or table.places)
        lines = [
            TableLine(
                lines[index].player,
                lines[index].won,
                lines[index].played,
                tuple(lines[index].results[other] for other in order),
                lines[index].places,
            )
            for index in order
        ]
    return lines


def members_of(table: TableSpec, matches: Mapping[MatchKey, MatchView]) -> list[EntryId]:
    """Return the real players known in a table, in the order of its slots."""
    found = []
    for key, side in table.members:
        occupant = matches[key].a if side is Side.A else matches[key].b
        if isinstance(occupant, int):
            found.append(EntryId(occupant))
    return found
