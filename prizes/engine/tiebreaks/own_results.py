"""Tie-breaks made of a player's own results: points, wins, colours, progress, Koya (C.07 articles 5, 7, 9.2)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from prizes.engine.tiebreaks.codes import TieBreak
from prizes.engine.tiebreaks.crosstable import VOLUNTARY, Cell, Crosstable
from prizes.engine.tiebreaks.values import HALVES, Cut, Part, Source, ValueColumn, halves
from tourney.kernel.colors import Color
from tourney.kernel.records import RoundKind

_PLAYED = RoundKind.PLAYED
_BLACK = Color.BLACK

# Which rounds of a player count, given what a win is worth.
_PASSED: dict[str, Callable[[tuple[Cell, ...], int], list[Cell]]] = {
    "WIN": lambda cells, win: [cell for cell in cells if cell.points >= win],
    "WON": lambda cells, win: [cell for cell in cells if cell.points >= win and cell.kind is _PLAYED],
    # A game that wasn't played counts as one with White, so a forfeit with Black is no game with Black.
    "BPG": lambda cells, _: [cell for cell in cells if cell.record.color is _BLACK and cell.kind is _PLAYED],
    "BWG": lambda cells, win: [
        cell for cell in cells if cell.points >= win and cell.record.color is _BLACK and cell.kind is _PLAYED
    ],
    "REP": lambda cells, _: [cell for cell in cells if cell.kind not in VOLUNTARY],
}


def points(table: Crosstable, tiebreak: TieBreak) -> ValueColumn:
    """Return PTS."""
    return ValueColumn(tiebreak.code, table.scores, partial(_result_parts, table), HALVES)


def standard_points(table: Crosstable, tiebreak: TieBreak) -> ValueColumn:
    """Return STD: one, a half or nothing by comparing the round's points with the scheduled opponent's.

    Without an opponent the round is compared with a draw's points. It differs from the points only where a win isn't
    worth two draws, or where the arbiter gave an unusual result.
    """
    numbers = [sum(_standards(table, cells)) for cells in table.cells]
    return ValueColumn(tiebreak.code, numbers, partial(_standard_parts, table), HALVES)


def progressive(table: Crosstable, tiebreak: TieBreak) -> ValueColumn:
    """Return PS: the sum of the scores after each round; a cut leaves the first rounds out."""
    first = tiebreak.low_cuts
    numbers = [sum(running[first:]) for running in table.running]
    return ValueColumn(tiebreak.code, numbers, partial(_progress_parts, table, first), HALVES)


def koya(table: Crosstable, tiebreak: TieBreak) -> ValueColumn:
    """Return KS: the points against opponents with at least half of the maximum.

    The maximum of a round robin is the games of whoever has most of them: free rounds and games that never came about
    lower nobody's bar.
    """
    most = max((sum(1 for cell in cells if cell.opponent >= 0) for cells in table.cells), default=0)
    rounds = most if table.system == "round_robin" else table.history.rounds_done
    strong = [2 * score >= table.history.scoring.win * rounds for score in table.scores]
    numbers = [sum([c.points for c in cells if c.opponent >= 0 and strong[c.opponent]]) for cells in table.cells]
    return ValueColumn(tiebreak.code, numbers, partial(_koya_parts, table, strong), HALVES)


def counted(table: Crosstable, tiebreak: TieBreak) -> ValueColumn:
    """Return WIN, WON, BPG, BWG or REP: the number of rounds that pass the test of that tie-break."""
    passed, win = _PASSED[tiebreak.kind.name], table.history.scoring.win
    numbers = [len(passed(cells, win)) for cells in table.cells]

    def parts(index: int) -> tuple[Part, ...]:
        return tuple(_part(cell, Source.COUNT, 1) for cell in passed(table.cells[index], win))

    return ValueColumn(tiebreak.code, numbers, parts)


def _standards(table: Crosstable, cells: Sequence[Cell]) -> list[int]:
    return [_standard(table, cell) for cell in cells]


def _standard(table: Crosstable, cell: Cell) -> int:
    number, kind, own, opponent, _ = cell
    if kind is RoundKind.PENDING or kind is RoundKind.FORFEIT_LOSS:
        return 0  # also when nobody came: equal points, but nothing was achieved
    other = table.history.scoring.draw
    if opponent >= 0:
        other = table.players[opponent].rounds[number - 1].points
    return 2 if own > other else 1 if own == other else 0


def _part(cell: Cell, source: Source, count: int | None = None) -> Part:
    return Part(
        source,
        round=cell.round,
        opponent=cell.record.opponent,
        kind=cell.kind,
        result=halves(cell.points),
        counted=halves(cell.points) if count is None else count,
    )


def _result_parts(table: Crosstable, index: int) -> tuple[Part, ...]:
    return tuple(_part(cell, Source.RESULT) for cell in table.cells[index])


def _standard_parts(table: Crosstable, index: int) -> tuple[Part, ...]:
    return tuple(
        Part(
            Source.RESULT,
            round=cell.round,
            opponent=cell.record.opponent,
            kind=cell.kind,
            result=halves(cell.points),
            counted=halves(_standard(table, cell)),
        )
        for cell in table.cells[index]
    )


def _progress_parts(table: Crosstable, first: int, index: int) -> tuple[Part, ...]:
    return tuple(
        Part(
            Source.RUNNING,
            round=number,
            counted=halves(score),
            cut=Cut.FIRST_ROUNDS if number <= first else None,
        )
        for number, score in enumerate(table.running[index], start=1)
    )


def _koya_parts(table: Crosstable, strong: Sequence[bool], index: int) -> tuple[Part, ...]:
    return tuple(
        Part(
            Source.RESULT,
            round=cell.round,
            opponent=cell.record.opponent,
            kind=cell.kind,
            result=halves(cell.points),
            score=halves(table.scores[cell.opponent]),
            adjusted=halves(table.scores[cell.opponent]),
            counted=halves(cell.points),
            cut=None if strong[cell.opponent] else Cut.BELOW_HALF,
        )
        for cell in table.cells[index]
        if cell.opponent >= 0
    )
