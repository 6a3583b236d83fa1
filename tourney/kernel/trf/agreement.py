"""Whether the lines of a report agree with each other: both sides of a game, points and results.

What can't be a tournament stops the reading; what is only odd is a remark.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tourney.kernel.errors import ImportFileError
from tourney.kernel.trf.values import Trf, TrfRemark

FIRST_ROUND_COLUMN = 92
ROUND_WIDTH = 10
# Which letters the other side of a game may have.
_FITS = {"1": "0", "W": "L", "=": "=", "D": "D", "0": "01", "L": "WL", "+": "-", "-": "+-", "": ""}


def game_remarks(trf: Trf) -> Iterator[TrfRemark]:
    """Yield what is odd about games. ImportFileError ``trf.unknown_opponent``, ``trf.opponents_differ``,
    ``trf.same_color``."""
    players = trf.by_number
    for player in trf.players:
        for index, cell in enumerate(player.cells):
            if not cell.is_game:
                continue
            column = FIRST_ROUND_COLUMN + ROUND_WIDTH * index
            if cell.opponent not in players:
                raise ImportFileError("trf.unknown_opponent", player.line, column, number=cell.opponent)
            other = trf.cell(cell.opponent, index + 1)
            values: dict[str, Any] = {"number": player.number, "opponent": cell.opponent, "round": index + 1}
            if other.is_game and other.opponent != player.number:
                raise ImportFileError("trf.opponents_differ", player.line, column, **values)
            if not other.is_game:
                yield _remark("one_sided_game", player.line, column, **values)
            elif player.number > cell.opponent:
                continue  # seen from the other side
            elif cell.color is not None and cell.color is other.color:
                raise ImportFileError("trf.same_color", player.line, column + 5, **values)
            elif (other.result or "") not in _FITS[cell.result] or (not other.result) != (not cell.result):
                values |= {"found": cell.result, "other": other.result}
                yield _remark("results_differ", player.line, column + 7, **values)


def points_remarks(trf: Trf) -> Iterator[TrfRemark]:
    """Yield whose written points are not those of the results."""
    longest = max(len(player.cells) for player in trf.players)
    counted = {int(record.entry): record.score for record in trf.history(max(trf.rounds_done, longest)).players}
    paired = {int(record.entry): record.score for record in trf.history().players}
    for player in trf.players:
        # Byes booked for the coming round may or may not be in the written points already.
        totals = {paired[player.number], counted[player.number]}
        if player.points is not None and player.points not in totals:
            values = {"number": player.number, "found": player.points, "counted": max(totals)}
            yield _remark("points_differ", player.line, 81, **values)


def _remark(code: str, line: int, column: int, **values: Any) -> TrfRemark:
    return TrfRemark(f"trf.{code}", line, column, values)
