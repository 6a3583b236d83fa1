"""Direct encounter among players who are still level (C.07 article 6).

It isn't a number but an order inside a group, so it is worked out for one tied group at a time:

* all met one another: rank by the games among them; whoever is still level goes through the whole rule again, alone;
* not all met (Swiss): a player is first only if nobody else could pass or reach him, even winning every missing game;
  then second place is judged in the same table, and so on; the rest starts afresh among themselves.

Two meetings count as one with the average. In a Swiss a forfeit is no meeting, in a round robin it is a game. Inside
the group all scores are whole half-points times the `scale` that makes every average whole.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from math import lcm

from prizes.engine.tiebreaks.codes import TieBreak
from prizes.engine.tiebreaks.crosstable import FORFEITS, Crosstable
from prizes.engine.tiebreaks.values import Part, Source, TieBreakValue
from tourney.kernel.records import RoundKind


@dataclass(frozen=True, slots=True)
class Meetings:
    """Who met whom in a group, with what average result (in half-points times `scale`)."""

    results: dict[tuple[int, int], int]
    scale: int
    win: int


def direct_encounter(table: Crosstable, tiebreak: TieBreak, group: Sequence[int]) -> dict[int, TieBreakValue]:
    """Return the rank of each member inside the tied group, 1 is best, equal where the rule leaves them level."""
    code = tiebreak.code
    if len(group) == 1:
        return {group[0]: TieBreakValue(code, 1)}
    members = tuple(group)
    meetings = _meetings(table, members, forfeits_met=tiebreak.forfeits_met or table.system == "round_robin")
    values = {}
    rank = 1
    for level in _resolve(members, meetings):
        for member in level:
            values[member] = TieBreakValue(code, rank, partial(_parts, table, member, members, meetings))
        rank += len(level)
    return values


def _meetings(table: Crosstable, group: tuple[int, ...], *, forfeits_met: bool) -> Meetings:
    inside = set(group)
    games: dict[tuple[int, int], list[int]] = {}
    for member in group:
        for _, kind, points, opponent, _ in table.cells[member]:
            if opponent in inside and (kind is RoundKind.PLAYED or (forfeits_met and kind in FORFEITS)):
                games.setdefault((member, opponent), []).append(points)
    scale = lcm(*(len(points) for points in games.values()))
    averages = {pair: sum(points) * scale // len(points) for pair, points in games.items()}
    return Meetings(averages, scale, table.history.scoring.win * scale)


def _resolve(group: tuple[int, ...], meetings: Meetings) -> list[tuple[int, ...]]:
    """Return the group in order, players the rule can't part together."""
    if len(group) == 1:
        return [group]
    inside = set(group)
    scores = dict.fromkeys(group, 0)
    met = dict.fromkeys(group, 0)
    for (member, other), points in meetings.results.items():
        if member in inside and other in inside:
            scores[member] += points
            met[member] += 1

    others = len(group) - 1
    if all(count == others for count in met.values()):
        levels: dict[int, list[int]] = {}
        for member in group:
            levels.setdefault(scores[member], []).append(member)
        if len(levels) == 1:
            return [group]
        return [part for score in sorted(levels, reverse=True) for part in _resolve(tuple(levels[score]), meetings)]

    reach = {member: scores[member] + meetings.win * (others - met[member]) for member in group}
    left = list(group)
    placed: list[tuple[int, ...]] = []
    while len(left) > 1:
        first = max(left, key=scores.__getitem__)
        if any(scores[first] <= reach[other] for other in left if other != first):
            break
        placed.append((first,))
        left.remove(first)
    return placed + _resolve(tuple(left), meetings) if placed else [group]


def _parts(table: Crosstable, member: int, group: tuple[int, ...], meetings: Meetings) -> tuple[Part, ...]:
    parts = []
    for other in group:
        if other == member:
            continue
        entry = table.players[other].entry
        result = meetings.results.get((member, other))
        if result is None:
            parts.append(Part(Source.UNMET, opponent=entry))
        else:
            points = Fraction(result, 2 * meetings.scale)
            parts.append(Part(Source.RESULT, opponent=entry, result=points, counted=points))
    return tuple(parts)
