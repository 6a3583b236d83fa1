"""Game records in PGN: reading what people and boards produce, writing what other programs can read.

Files are read leniently: a damaged game keeps what can be followed and a `Remark` says what was wrong and in which
line. Limits keep a hostile file harmless: bytes, games, length of a tag; those of the moves are in `tourney.pgn_moves`.
The moves of a game are kept as normalised text (`ReadGame.body`) without the seven tags: those are written from the
event's own facts, so a name in a file never becomes a header of ours.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import islice

from tourney.kernel.errors import TourneyError
from tourney.kernel.trf.decoding import decode
from tourney.pgn_moves import RESULT_WORDS, RESULTS, Kind, Writer, start_board, walk
from tourney.pgn_text import KEPT, LINE, Chunk, Remark, chunks, split_stored, tag_lines

MAX_BYTES = 2_000_000
MAX_GAMES = 10_000

ROSTER = ("Event", "Site", "Date", "Round", "White", "Black", "Result")
_UTF16 = (b"\xff\xfe", b"\xfe\xff")
_NOT_TEXT = (b"PK\x03\x04", b"\x1f\x8b", b"7z\xbc\xaf", b"Rar!", b"%PDF", b"\x89PNG", b"\xff\xd8\xff")


@dataclass(frozen=True, slots=True)
class ReadGame:
    """One game of a file. `body` is the normalised text of its moves, "" when none could be followed."""

    number: int
    line: int
    tags: Mapping[str, str]
    body: str
    ply_count: int
    result: str  # of the tags, else of the text; "" when neither says
    remarks: tuple[Remark, ...]

    @property
    def stored(self) -> str:
        """The text a game is stored as: the tags the moves need, and the moves."""
        kept = {name: self.tags[name] for name in KEPT if self.tags.get(name)}
        return f"{tag_lines(kept)}\n{self.body}" if kept else self.body


def read(data: bytes) -> Iterator[ReadGame]:
    """Yield the games of a file in order.

    Raises TourneyError ``pgn.too_large``, ``pgn.not_text``, ``pgn.no_games`` before the first game, and
    ``pgn.too_many_games`` when the file goes on after the last one allowed.
    """
    if len(data) > MAX_BYTES:
        raise TourneyError("pgn.too_large", limit=MAX_BYTES // 1_000_000)
    if data.startswith(_NOT_TEXT) or (data.count(0) * 10 > len(data) and not data.startswith(_UTF16)):
        raise TourneyError("pgn.not_text")
    text, _encoding = decode(data)
    number = 0
    for chunk in chunks(text):
        number += 1
        if number > MAX_GAMES:
            raise TourneyError("pgn.too_many_games", limit=MAX_GAMES)
        yield _read_chunk(number, chunk)
    if not number:
        raise TourneyError("pgn.no_games")


def read_one(data: bytes, number: int) -> ReadGame:
    """Return one game of a file that was read before, without following the others (``pgn.no_games``)."""
    text, _encoding = decode(data)
    chunk = next(islice(chunks(text), max(0, number - 1), number), None)
    if chunk is None or number < 1:
        raise TourneyError("pgn.no_games")
    return _read_chunk(number, chunk)


def count_games(data: bytes) -> int:
    """Return a quick guess of how many games a file has: for a progress bar only."""
    return max(1, len(re.findall(rb"(?m)^\s*\[Event\s", data)))


def _read_chunk(number: int, chunk: Chunk) -> ReadGame:
    remarks = list(chunk.remarks)
    text = "\n".join(line for _, line in chunk.moves)
    starts = [line for line, _ in chunk.moves] or [chunk.line]
    body, plies, result = "", 0, ""
    try:
        board = start_board(chunk.tags)
    except TourneyError as error:
        remarks.append(Remark(error.code, chunk.line, {key: str(value) for key, value in error.values.items()}))
    else:
        writer = Writer()
        for event in walk(text, board):
            if event.kind is Kind.WRONG:
                line = starts[min(text.count("\n", 0, event.position), len(starts) - 1)]
                remarks.append(Remark(event.text, line, event.values))
            else:
                writer.take(event)
        body, plies, result = writer.text(), writer.plies, writer.result
        if not plies and not remarks:
            remarks.append(Remark("pgn.no_moves", chunk.line))
    told = chunk.tags.get("Result", "").replace(" ", "")
    told = RESULT_WORDS.get(told, told)
    if told not in RESULTS[:3]:
        told = result if result in RESULTS[:3] else ""
    return ReadGame(number, chunk.line, chunk.tags, body, plies, told, tuple(remarks))


def write(tags: Mapping[str, str], stored: str) -> str:
    """Return one game as export text: the seven tags in their order, the others after them, then moves and result."""
    extra, body = split_stored(stored)
    result = tags.get("Result", "*")
    unknown = {"Date": "????.??.??", "Result": "*"}
    roster = {name: tags.get(name) or unknown.get(name, "?") for name in ROSTER}
    more = {**extra, **{name: value for name, value in tags.items() if name not in ROSTER and value}}
    room = len(body.rpartition("\n")[2]) + 1 + len(result) <= LINE
    moves = f"{body}{' ' if room else chr(10)}{result}"
    return f"{tag_lines({**roster, **dict(sorted(more.items()))})}\n{moves.strip()}\n"
