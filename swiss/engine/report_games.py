"""The rounds of a report as boards with results, for bringing a tournament in.

A report has lines of players; a board is two of them that agree. What can't be a board (one side says there was a game
and the other doesn't, or two results nobody can have together) refuses the whole file with its line and column.
"""

from __future__ import annotations

from dataclasses import dataclass

from swiss.engine.baku import baku_points
from tourney.kernel.colors import Color
from tourney.kernel.errors import ImportFileError
from tourney.kernel.ids import EntryId
from tourney.kernel.outcomes import ByeKind, ResultCode
from tourney.kernel.records import History
from tourney.kernel.trf import Trf, TrfCell

FIRST_COLUMN, WIDTH = 92, 10

# White's letter and Black's, as a result; W, D and L are games that aren't rated.
_RESULTS: dict[tuple[str, str], str] = {
    ("1", "0"): ResultCode.WHITE_WINS,
    ("W", "L"): ResultCode.WHITE_WINS,
    ("0", "1"): ResultCode.BLACK_WINS,
    ("L", "W"): ResultCode.BLACK_WINS,
    ("=", "="): ResultCode.DRAW,
    ("D", "D"): ResultCode.DRAW,
    ("+", "-"): ResultCode.WHITE_FORFEIT_WIN,
    ("-", "+"): ResultCode.BLACK_FORFEIT_WIN,
    ("-", "-"): ResultCode.DOUBLE_FORFEIT,
    ("0", "0"): ResultCode.BOTH_LOSE,
    ("L", "L"): ResultCode.BOTH_LOSE,
    ("=", "0"): ResultCode.WHITE_HALF,
    ("0", "="): ResultCode.BLACK_HALF,
    ("", ""): "",
}
UNRATED = frozenset("WDL")


@dataclass(frozen=True, slots=True)
class Board:
    """A game by pairing numbers; `result` "" while it is played. `guessed`: the file gives a forfeit no colours."""

    white: int
    black: int
    result: str
    guessed: bool = False


@dataclass(frozen=True, slots=True)
class ReportRound:
    """A round: boards in the order of C.04.2, 3.6 (score, sum of scores, number), and who had no game."""

    number: int
    boards: tuple[Board, ...]
    byes: tuple[tuple[int, ByeKind], ...]


def rounds_of(trf: Trf) -> tuple[ReportRound, ...]:
    """Return the rounds of a report. ImportFileError ``trf.one_sided``, ``trf.results_impossible``,
    ``trf.empty_round``."""
    rounds = tuple(_round(trf, number) for number in range(1, trf.rounds_done + 1))
    for one in rounds:
        if not one.boards and not any(kind is ByeKind.PAIRING for _, kind in one.byes):
            raise ImportFileError("trf.empty_round", 0, FIRST_COLUMN + WIDTH * (one.number - 1), round=one.number)
    return rounds


def joined_round(trf: Trf, number: int) -> int:
    """Return the first round in which a player wasn't simply absent (late entries come later than round 1)."""
    for index in range(1, trf.rounds_done + 1):
        cell = trf.cell(number, index)
        if cell.is_game or cell.result != "Z":
            return index
    return 1


def is_baku(trf: Trf) -> bool:
    """Return whether a report's virtual points are those of the Baku method (C.04.7) for its list."""
    numbers = {EntryId(player.number): player.number for player in trf.players}
    rounds = trf.rounds_total or trf.rounds_done
    return {int(entry): tuple(points) for entry, points in baku_points(numbers, rounds, trf.scoring).items()} == dict(
        trf.accelerations
    )


def _round(trf: Trf, number: int) -> ReportRound:
    boards, byes = [], []
    done: set[int] = set()
    for player in trf.players:
        cell = trf.cell(player.number, number)
        if not cell.is_game:
            byes.append((player.number, ByeKind(cell.result)))
        elif player.number not in done:
            done |= {player.number, cell.opponent}
            boards.append(_board(trf, player.number, cell, number))
    places = _places(trf.history(number - 1, open_as_draws=True))
    boards.sort(key=lambda board: _order(places[board.white], places[board.black]))
    return ReportRound(number, tuple(boards), tuple(byes))


def _board(trf: Trf, number: int, cell: TrfCell, round_number: int) -> Board:
    other = trf.cell(cell.opponent, round_number)
    if not other.is_game:
        raise _fault("trf.one_sided", trf, number, round_number, number=number, opponent=cell.opponent)
    color = cell.color or (other.color.other if other.color else None)
    white_first = color is not Color.BLACK
    letters = (cell.result, other.result) if white_first else (other.result, cell.result)
    if letters not in _RESULTS:
        values = {"number": number, "opponent": cell.opponent, "found": cell.result, "other": other.result}
        raise _fault("trf.results_impossible", trf, number, round_number, offset=7, **values)
    white, black = (number, cell.opponent) if white_first else (cell.opponent, number)
    return Board(white, black, str(_RESULTS[letters]), guessed=color is None)


def _fault(
    code: str, trf: Trf, player: int, round_number: int, *, offset: int = 0, **values: object
) -> ImportFileError:
    column = FIRST_COLUMN + WIDTH * (round_number - 1) + offset
    return ImportFileError(code, trf.by_number[player].line, column, round=round_number, **values)


def _places(history: History) -> dict[int, tuple[int, int]]:
    return {int(player.entry): (player.score, player.number) for player in history.players}


def _order(first: tuple[int, int], second: tuple[int, int]) -> tuple[int, int, int]:
    higher = min(first, second, key=lambda place: (-place[0], place[1]))
    return (-higher[0], -(first[0] + second[0]), higher[1])
