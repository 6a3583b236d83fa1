"""A history made ready for tie-breaks: scores, adjusted scores and what every round is worth (C.07 articles 15, 16).

Three things are decided here, once for all tie-breaks:

* which rounds are *unplayed*, and which of these are *voluntary* (half-point bye, zero-point bye, forfeit loss);
* the *adjusted score*, which a player lends to his opponents: a requested bye after which he never came back is a
  draw, everything else is what was really given (16.3);
* the *dummy* that stands in for the opponent of an own unplayed round: the own score, since 2026 with a cap (16.4).

Before September 2023 this was otherwise, and an event may still ask for it (edition ``virtual_opponent``): every
unplayed round counts as a draw for the opponents, and the own one as a game against a *virtual opponent*, who had as
many points before the round, got the rest of the point in it and drew ever after; absences are cut like anything else.

In a round robin a forfeit is a game like any other and a free round is no round (15.2), so nothing is adjusted.
All scores here are whole half-points.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import accumulate
from typing import NamedTuple

from prizes.engine.tiebreaks.codes import Edition, System
from prizes.engine.tiebreaks.fide_tables import perfect_performance_rating, performance_rating
from prizes.engine.tiebreaks.values import Source
from tourney.kernel.ids import EntryId
from tourney.kernel.records import History, PlayerRecord, RoundKind, RoundRecord

REQUESTED_BYES = frozenset({RoundKind.HALF_BYE, RoundKind.ZERO_BYE})
VOLUNTARY = frozenset({RoundKind.HALF_BYE, RoundKind.ZERO_BYE, RoundKind.FORFEIT_LOSS})
FORFEITS = frozenset({RoundKind.FORFEIT_WIN, RoundKind.FORFEIT_LOSS})
_PLAYED, _PENDING = RoundKind.PLAYED, RoundKind.PENDING
OVER_THE_BOARD = frozenset({RoundKind.PLAYED, RoundKind.PENDING})  # a game under way has its opponent already


class Cell(NamedTuple):
    """One round of one player, the opponent as a place in `Crosstable.players` (−1: none)."""

    round: int
    kind: RoundKind
    points: int
    opponent: int
    record: RoundRecord


class Contribution(NamedTuple):
    """What one round brings to Buchholz and Sonneborn-Berger."""

    cell: Cell
    value: int  # the opponent's adjusted score, or the dummy
    source: Source
    voluntary: bool


class Worth(NamedTuple):
    """What the rounds of one player bring to Buchholz: a value per round, and which of these are voluntary absences."""

    values: list[int]
    absences: list[int]


@dataclass(frozen=True)
class Crosstable:
    """The games of a stage by number, with everything the tie-breaks share. Built by `Crosstable.of`."""

    history: History
    edition: Edition
    system: System
    ratings: tuple[int | None, ...]
    cells: tuple[tuple[Cell, ...], ...]

    @classmethod
    def of(
        cls,
        history: History,
        *,
        edition: Edition,
        system: System,
        ratings: Mapping[EntryId, int | None] | None = None,
        unrated: int | None = None,
    ) -> Crosstable:
        """Return the table of a history.

        `ratings` replaces the pairing ratings altogether (who isn't in it is unrated), `unrated` stands in for gaps.
        """
        place = {player.entry: index for index, player in enumerate(history.players)}
        known = [player.rating if ratings is None else ratings.get(player.entry) for player in history.players]
        cells = tuple(_cells(player, place, system) for player in history.players)
        return cls(history, edition, system, tuple(r if r else unrated for r in known), cells)

    @property
    def players(self) -> tuple[PlayerRecord, ...]:
        return self.history.players

    @cached_property
    def scores(self) -> list[int]:
        """Points of each player."""
        return [sum([cell.points for cell in cells]) for cells in self.cells]

    @cached_property
    def running(self) -> list[list[int]]:
        """The score of each player after each round."""
        return [list(accumulate([record.points for record in player.rounds])) for player in self.players]

    @cached_property
    def adjusted(self) -> list[int]:
        """The score each player lends to his opponents (16.3)."""
        if self.system == "round_robin":
            return self.scores
        if self.edition == "virtual_opponent":
            draw = self.history.scoring.draw
            return [sum([c.points if c.kind in OVER_THE_BOARD else draw for c in cells]) for cells in self.cells]
        return [self._adjusted(cells) for cells in self.cells]

    def _adjusted(self, cells: tuple[Cell, ...]) -> int:
        draw = self.history.scoring.draw
        score = 0
        came_back = False
        for cell in reversed(cells):
            score += draw if not came_back and cell.kind in REQUESTED_BYES else cell.points
            came_back = came_back or cell.kind not in VOLUNTARY
        return score

    @cached_property
    def worth(self) -> list[Worth]:
        """What each round of each player brings, forfeits unplayed as the rule wants."""
        return [self._worth(index, forfeits_met=False) for index in range(len(self.cells))]

    @cached_property
    def worth_forfeits_met(self) -> list[Worth]:
        """The same where the event counts forfeits as games (modifier P)."""
        return [self._worth(index, forfeits_met=True) for index in range(len(self.cells))]

    def _worth(self, index: int, *, forfeits_met: bool) -> Worth:
        adjusted = self.adjusted
        games_count = forfeits_met or self.system == "round_robin"
        voluntary = () if self.edition == "virtual_opponent" else VOLUNTARY
        values = []
        absences = []
        for place, cell in enumerate(self.cells[index]):
            _, kind, _, opponent, _ = cell
            if kind is _PLAYED or (opponent >= 0 and (games_count or kind is _PENDING)):
                values.append(adjusted[opponent])
            else:
                values.append(self._dummy(index, cell)[0])
                if kind in voluntary:
                    absences.append(place)
        return Worth(values, absences)

    def _dummy(self, index: int, cell: Cell) -> tuple[int, Source]:
        """Return what stands in for the opponent of an unplayed round, and by which rule."""
        own = self.scores[index]
        draw, rounds = self.history.scoring.draw, self.history.rounds_done
        if self.edition == "virtual_opponent":
            before = sum([earlier.points for earlier in self.cells[index] if earlier.round < cell.round])
            rest = max(0, self.history.scoring.win - cell.points)
            return before + rest + draw * (rounds - cell.round), Source.VIRTUAL
        if self.edition == "2026":
            if cell.kind in FORFEITS and cell.opponent >= 0:
                if self.adjusted[cell.opponent] < own:
                    return self.adjusted[cell.opponent], Source.CAPPED_BY_OPPONENT
            elif draw * rounds < own:
                return draw * rounds, Source.CAPPED_BY_DRAWS
        return own, Source.OWN_SCORE

    def contributions(self, index: int, *, forfeits_met: bool) -> list[Contribution]:
        """Return what each round of a player brings, with its source: the long form of `worth`, for explanations."""
        values, absences = (self.worth_forfeits_met if forfeits_met else self.worth)[index]
        games_count = forfeits_met or self.system == "round_robin"
        return [
            Contribution(
                cell,
                value,
                Source.OPPONENT
                if cell.kind in OVER_THE_BOARD or (games_count and cell.opponent >= 0)
                else self._dummy(index, cell)[1],
                place in absences,
            )
            for place, (cell, value) in enumerate(zip(self.cells[index], values, strict=True))
        ]

    @cached_property
    def met(self) -> list[tuple[Cell, ...]]:
        """The finished games over the board of each player: what rating tie-breaks look at."""
        return [tuple([cell for cell in cells if cell.kind is _PLAYED]) for cells in self.cells]

    @cached_property
    def met_ratings(self) -> list[tuple[int, ...]]:
        """The ratings of those opponents; ValueError when one has none and no substitute was named."""
        ratings = []
        for rating in self.ratings:
            if rating is None:
                raise ValueError("rating tie-breaks need a rating for everybody")
            ratings.append(rating)
        return [tuple([ratings[cell.opponent] for cell in met]) for met in self.met]

    @cached_property
    def performances(self) -> list[int | None]:
        """TPR of each player."""
        return [performance_rating(r, self._scored(met)) for r, met in zip(self.met_ratings, self.met, strict=True)]

    @cached_property
    def perfect_performances(self) -> list[int | None]:
        """PTP of each player."""
        return [
            perfect_performance_rating(r, self._scored(met)) for r, met in zip(self.met_ratings, self.met, strict=True)
        ]

    def _scored(self, met: tuple[Cell, ...]) -> int:
        """Return the half-points of these games, a win as two whatever the event gives for it."""
        win, draw = self.history.scoring.win, self.history.scoring.draw
        return sum([2 if cell.points >= win else 1 if cell.points >= draw else 0 for cell in met])

    @cached_property
    def fore(self) -> Crosstable:
        """The table in which every game paired in the last round is a draw (8.3), forfeits included."""
        draw = self.history.scoring.draw
        changed = []
        for cells in self.cells:
            last = cells[-1] if cells else None
            if last is not None and last.opponent >= 0 and last.round == self.history.rounds_done:
                cells = (*cells[:-1], last._replace(kind=RoundKind.PLAYED, points=draw))
            changed.append(cells)
        return replace(self, cells=tuple(changed))


def _cells(player: PlayerRecord, place: Mapping[EntryId, int], system: System) -> tuple[Cell, ...]:
    cells = []
    for number, record in enumerate(player.rounds, start=1):
        if record.opponent is not None:
            cells.append(Cell(number, record.kind, record.points, place[record.opponent], record))
        elif system == "swiss" or record.points:
            # The free round of an odd round robin is no round; points without an opponent are never lost, though.
            cells.append(Cell(number, record.kind, record.points, -1, record))
    return tuple(cells)
