"""Tie-breaks made of a player's own results: points, wins, colours, progress, Koya (C.07 articles 5, 7, 9.2)."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from prizes.engine.tiebreaks.codes import TieBreak
from prizes.engine.tiebreaks.crosstable import VOLUNTARY, Cell, Crosstable
from prizes.engine.tiebreaks.values import Cut, Part, Source, TieBreakValue, halves
from tourney.kernel.colors import Color
from tourney.kernel.records import RoundKind

Test = Callable[[Cell, int], bool]  # a round, and what a win is worth


def points(table: Crosstable, tiebreak: TieBreak) -> list[TieBreakValue]:
    """Return PTS."""
    return [
        TieBreakValue(tiebreak.code, halves(score), partial(_result_parts, cells))
        for score, cells in zip(table.scores, table.cells, strict=True)
    ]


def standard_points(table: Crosstable, tiebreak: TieBreak) -> list[TieBreakValue]:
    """Return STD: one, a half or nothing by comparing the round's points with the scheduled opponent's.

    Without an opponent the round is compared with a draw's points. It differs from the points only where a win isn't
    worth two draws, or where the arbiter gave an unusual result.
    """
    values = []
    for cells in table.cells:
        standards = [_standard(table, cell) for cell in cells]
        values.append(
            TieBreakValue(tiebreak.code, halves(sum(standards)), partial(_standard_parts, cells, tuple(standards)))
        )
    return values


def progressive(table: Crosstable, tiebreak: TieBreak) -> list[TieBreakValue]:
    """Return PS: the sum of the scores after each round; a cut leaves the first rounds out."""
    values = []
    first = tiebreak.low_cuts
    for player in table.players:
        running = []
        score = 0
        for record in player.rounds:
            score += record.points
            running.append(score)
        values.append(
            TieBreakValue(tiebreak.code, halves(sum(running[first:])), partial(_progress_parts, tuple(running), first))
        )
    return values


def koya(table: Crosstable, tiebreak: TieBreak) -> list[TieBreakValue]:
    """Return KS: the points against opponents with at least half of the maximum.

    The maximum of a round robin is the games of whoever has most of them: free rounds and games that never came about
    lower nobody's bar.
    """
    most = max((sum(1 for cell in cells if cell.opponent >= 0) for cells in table.cells), default=0)
    rounds = most if table.system == "round_robin" else table.history.rounds_done
    strong = [2 * score >= table.history.scoring.win * rounds for score in table.scores]
    values = []
    for cells in table.cells:
        games = [cell for cell in cells if cell.opponent >= 0]
        total = sum(cell.points for cell in games if strong[cell.opponent])
        values.append(TieBreakValue(tiebreak.code, halves(total), partial(_koya_parts, table, games, strong)))
    return values


def counted(table: Crosstable, tiebreak: TieBreak) -> list[TieBreakValue]:
    """Return WIN, WON, BPG, BWG or REP: the number of rounds that pass the test of that tie-break."""
    code, win = tiebreak.code, table.history.scoring.win
    test = _TESTS[tiebreak.kind.name]
    values = []
    for cells in table.cells:
        passed = tuple([cell for cell in cells if test(cell, win)])
        values.append(TieBreakValue(code, len(passed), partial(_count_parts, passed)))
    return values


_TESTS: dict[str, Test] = {
    "WIN": lambda cell, win: cell.points >= win,
    "WON": lambda cell, win: cell.kind is RoundKind.PLAYED and cell.points >= win,
    # A game that wasn't played counts as one with White, so a forfeit with Black is no game with Black.
    "BPG": lambda cell, win: cell.kind is RoundKind.PLAYED and cell.record.color is Color.BLACK,
    "BWG": lambda cell, win: cell.points >= win and cell.kind is RoundKind.PLAYED and cell.record.color is Color.BLACK,
    "REP": lambda cell, win: cell.kind not in VOLUNTARY,
}


def _standard(table: Crosstable, cell: Cell) -> int:
    if cell.kind in (RoundKind.PENDING, RoundKind.FORFEIT_LOSS):
        return 0  # also when nobody came: equal points, but nothing was achieved
    other = table.history.scoring.draw
    if cell.opponent >= 0:
        theirs = (their for their in table.cells[cell.opponent] if their.round == cell.round)
        other = next(theirs).points  # type: ignore[assignment]
    return 2 if cell.points > other else 1 if cell.points == other else 0


def _result_parts(cells: tuple[Cell, ...]) -> tuple[Part, ...]:
    return tuple(
        Part(
            Source.RESULT,
            round=cell.round,
            opponent=cell.record.opponent,
            kind=cell.kind,
            result=halves(cell.points),
            counted=halves(cell.points),
        )
        for cell in cells
    )


def _standard_parts(cells: tuple[Cell, ...], standards: tuple[int, ...]) -> tuple[Part, ...]:
    return tuple(
        Part(
            Source.RESULT,
            round=cell.round,
            opponent=cell.record.opponent,
            kind=cell.kind,
            result=halves(cell.points),
            counted=halves(standard),
        )
        for cell, standard in zip(cells, standards, strict=True)
    )


def _progress_parts(running: tuple[int, ...], first: int) -> tuple[Part, ...]:
    return tuple(
        Part(
            Source.RUNNING,
            round=number,
            counted=halves(score),
            cut=Cut.FIRST_ROUNDS if number <= first else None,
        )
        for number, score in enumerate(running, start=1)
    )


def _koya_parts(table: Crosstable, games: list[Cell], strong: list[bool]) -> tuple[Part, ...]:
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
        for cell in games
    )


def _count_parts(passed: tuple[Cell, ...]) -> tuple[Part, ...]:
    return tuple(
        Part(
            Source.COUNT,
            round=cell.round,
            opponent=cell.record.opponent,
            kind=cell.kind,
            result=halves(cell.points),
            counted=1,
        )
        for cell in passed
    )
