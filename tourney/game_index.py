"""What a stored game is found by, computed from its moves: opening, how it ended, material, positions. Pure."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from enum import StrEnum
from hashlib import blake2b

from tourney.kernel.errors import TourneyError
from tourney.openings import LAST_PLY, opening_of
from tourney.pgn_moves import Kind, start_board, walk
from tourney.pgn_text import split_stored


class End(StrEnum):
    """How the last position of a game looks. Mates and stalemates come before material."""

    MATE = "mate"
    STALEMATE = "stalemate"
    PAWNS = "pawns"  # kings and pawns only
    ROOKS = "rooks"  # rooks and pawns
    QUEENS = "queens"  # queens and pawns
    MINORS = "minors"  # bishops or knights, and pawns
    ROOKS_MINORS = "rooks_minors"  # rooks and bishops or knights, at most two pieces a side
    OTHER = "other"


@dataclass(frozen=True, slots=True)
class Findings:
    """What one game is found by. `positions` are the keys of the positions after each half-move, in order."""

    eco: str
    opening: str
    end: End
    material: str
    positions: tuple[int, ...]


def key_of(placement: str) -> int:
    """Return the key of a placement (first field of a FEN): 64 bits with a sign, as PostgreSQL's bigint."""
    return int.from_bytes(blake2b(placement.encode(), digest_size=8).digest(), "big", signed=True)


_PLACEMENT = re.compile(r"^[KQRBNPkqrbnp1-8]+(?:/[KQRBNPkqrbnp1-8]+){7}$")


def placement_of(text: str) -> str:
    """Return the placement of a FEN, or of its first field alone. Raises TourneyError ``games.bad_position``."""
    placement = text.split()[0] if text.split() else ""
    if not _PLACEMENT.match(placement):
        raise TourneyError("games.bad_position")
    whole = all(sum(int(sign) if sign.isdigit() else 1 for sign in rank) == 8 for rank in placement.split("/"))
    if not whole or placement.count("K") != 1 or placement.count("k") != 1:
        raise TourneyError("games.bad_position")
    # "11" and "2" are one placement.
    return re.sub("[1-8]+", lambda found: str(sum(map(int, found.group()))), placement)


def findings_of(stored: str) -> Findings:
    """Return what a stored game is found by."""
    tags, body = split_stored(stored)
    try:
        board = start_board(tags)
    except TourneyError:
        return Findings("", "", End.OTHER, "", ())
    first = len(board.move_stack)
    keys: list[int] = []
    epds: list[str] = []
    for event in walk(body, board):
        if event.kind is Kind.MOVE and not event.depth and event.board is not None:
            keys.append(key_of(event.board.board_fen()))
            if len(board.move_stack) - first <= LAST_PLY:
                epds.append(event.board.epd())
    opening = opening_of(epds)
    placement = board.board_fen()
    end = End.MATE if board.is_checkmate() else End.STALEMATE if board.is_stalemate() else end_of(placement)
    return Findings(
        opening.eco if opening else "", opening.name if opening else "", end, material_of(placement), tuple(keys)
    )


def material_of(placement: str) -> str:
    """Return the pieces of a placement in the usual order, White's before Black's: ``KRPPvKRP``."""
    count = Counter(placement)
    white = "".join(piece * count[piece] for piece in "KQRBNP")
    black = "".join(piece * count[piece.lower()] for piece in "KQRBNP")
    return f"{white}v{black}"


def end_of(placement: str) -> End:
    """Return the kind of ending a placement is by its pieces; pawns don't matter."""
    sides = [Counter(side.strip("KP")) for side in material_of(placement).split("v")]
    pieces = set(sides[0]) | set(sides[1])
    if not pieces:
        return End.PAWNS
    if pieces == {"R"}:
        return End.ROOKS
    if pieces == {"Q"}:
        return End.QUEENS
    if pieces <= {"B", "N"}:
        return End.MINORS
    if pieces <= {"R", "B", "N"} and all(side.total() <= 2 for side in sides):
        return End.ROOKS_MINORS
    return End.OTHER
