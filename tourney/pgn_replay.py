"""A stored game move by move: positions, clocks, comments and variations for a page; the drawings of the pieces."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import count

import chess
import chess.svg

from tourney.kernel.errors import TourneyError
from tourney.openings import LAST_PLY, Opening, opening_of
from tourney.pgn_moves import NAG_MARKS, Event, Kind, start_board, walk
from tourney.pgn_text import split_stored, wrapped


@dataclass(frozen=True, slots=True)
class Said:
    """A part of a variation: a move with the position after it, or a word beside it (bracket, number, comment)."""

    text: str
    fen: str = ""  # of a move
    squares: tuple[str, ...] = ()
    number: int = 0  # of a move, counted from 1 through all variations of the game


@dataclass(frozen=True, slots=True)
class Ply:
    """A half-move with the position after it."""

    number: int  # 1 is White's first move
    move: int
    color: str  # w or b
    san: str
    fen: str
    squares: tuple[str, str]  # from, to
    check: str = ""  # the square of a king in check
    mark: str = ""  # ! ? …
    clock: str = ""
    comment: str = ""
    branches: tuple[tuple[Said, ...], ...] = ()  # variations in the place of this move

    @property
    def lines(self) -> tuple[str, ...]:
        """The variations as text."""
        return tuple(wrapped([one.text for one in branch]).replace("\n", " ") for branch in self.branches)

    @property
    def placement(self) -> str:
        """The first field of the FEN."""
        return self.fen.partition(" ")[0]

    @property
    def epd(self) -> str:
        """The FEN without its counters: what a position is known by."""
        return self.fen.rsplit(" ", 2)[0]


@dataclass(frozen=True, slots=True)
class Replay:
    """A game ready to be stepped through. `comment` stands before the first move; `start` is a FEN."""

    start: str
    plies: tuple[Ply, ...]
    comment: str = ""

    def fen(self, ply: int) -> str:
        """Return the position after a half-move; any other number gives the starting position."""
        return self.plies[ply - 1].fen if 0 < ply <= len(self.plies) else self.start

    def placement(self, ply: int) -> str:
        """Return the first field of that FEN."""
        return self.fen(ply).partition(" ")[0]

    def branch_move(self, number: int) -> tuple[Ply, Said] | None:
        """Return a move of a variation by its number, after the move it stands in the place of; None for no such."""
        moves = ((ply, one) for ply in self.plies for branch in ply.branches for one in branch if one.number)
        return next((found for found in moves if found[1].number == number), None)

    @property
    def opening(self) -> Opening | None:
        """The last position with a name; None when no position has one."""
        return opening_of(ply.epd for ply in self.plies[:LAST_PLY])


_CLOCK = re.compile(r"\[%clk\s+([0-9:.]+)\s*\]")
_COMMAND = re.compile(r"\[%[^\]]*\]")


def replay(stored: str) -> Replay:
    """Return a stored game move by move (an empty one for a text that can't be followed)."""
    tags, body = split_stored(stored)
    try:
        board = start_board(tags)
    except TourneyError:
        return Replay(chess.STARTING_FEN, ())
    start, first = board.fen(), len(board.move_stack)
    drafts: list[_Draft] = []
    before: list[str] = []
    variation: list[Said] = []
    numbers = count(1)
    for event in walk(body, board):
        if event.kind is Kind.WRONG or event.kind is Kind.RESULT:
            continue
        if event.depth or event.kind in (Kind.OPEN, Kind.CLOSE):
            if _take_variation(variation, event, numbers):
                if drafts:
                    drafts[-1].branches.append(tuple(variation))
                variation.clear()
        elif event.kind is Kind.MOVE and event.board is not None and event.move is not None:
            drafts.append(_Draft(_ply(len(board.move_stack) - first, event.board, event.move, event.text)))
        elif event.kind is Kind.NAG and drafts:
            drafts[-1].mark = drafts[-1].mark or NAG_MARKS.get(event.text, "")
        elif event.kind is Kind.COMMENT:
            clock = _CLOCK.search(event.text)
            words = " ".join(_COMMAND.sub(" ", event.text).split())
            (drafts[-1].words if drafts else before).extend([words] if words else [])
            if clock and drafts:
                drafts[-1].clock = clock[1]
    return Replay(start, tuple(draft.done() for draft in drafts), " ".join(before))


@dataclass(slots=True)
class _Draft:
    """A half-move while what is said about it still comes: put together once, however much that is."""

    ply: Ply
    mark: str = ""
    clock: str = ""
    words: list[str] = field(default_factory=list)
    branches: list[tuple[Said, ...]] = field(default_factory=list)

    def done(self) -> Ply:
        if not (self.mark or self.clock or self.words or self.branches):
            return self.ply
        return replace(
            self.ply,
            mark=self.mark,
            clock=self.clock,
            comment=" ".join(self.words),
            branches=tuple(self.branches),
        )


def _ply(number: int, after: chess.Board, move: chess.Move, san: str) -> Ply:
    white = after.turn == chess.BLACK
    king = after.king(after.turn) if after.is_check() else None
    return Ply(
        number,
        after.fullmove_number if white else after.fullmove_number - 1,
        "w" if white else "b",
        san,
        after.fen(),
        (chess.square_name(move.from_square), chess.square_name(move.to_square)),
        chess.square_name(king) if king is not None else "",
    )


def _take_variation(variation: list[Said], event: Event, numbers: Iterator[int]) -> bool:
    """Gather a variation; return whether this was its last bracket."""
    match event.kind:
        case Kind.OPEN:
            variation.append(Said("("))
        case Kind.MOVE if event.board is not None and event.move is not None:
            after, move = event.board, event.move
            fresh = not variation or variation[-1].text.endswith(("(", ")", "}"))
            if after.turn == chess.BLACK:
                variation.append(Said(f"{after.fullmove_number}."))
            elif fresh:
                variation.append(Said(f"{after.fullmove_number - 1}..."))
            squares = (chess.square_name(move.from_square), chess.square_name(move.to_square))
            variation.append(Said(event.text, after.fen(), squares, next(numbers)))
        case Kind.NAG if variation:
            variation[-1] = replace(variation[-1], text=variation[-1].text + NAG_MARKS.get(event.text, ""))
        case Kind.COMMENT:
            words = " ".join(_COMMAND.sub(" ", event.text).split())
            if words:
                variation.append(Said(words))
        case Kind.CLOSE:
            variation.append(Said(")"))
            return event.depth == 1
    return False


def piece_symbols() -> Mapping[str, str]:
    """Return the drawings of the pieces by their letter in a FEN, in a square of 45 units, without `style`."""
    return {letter: _STYLE.sub(_attributes, drawing) for letter, drawing in chess.svg.PIECES.items()}


_STYLE = re.compile(r' style="([^"]*)"')


def _attributes(style: re.Match[str]) -> str:
    pairs = (pair.split(":") for pair in style[1].split(";") if ":" in pair)
    return "".join(f' {name.strip()}="{value.strip()}"' for name, value in pairs)
