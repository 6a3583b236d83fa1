"""Game records in PGN: reading what people and boards produce, writing what other programs can read.

Files are read leniently: a damaged game keeps what can be followed and a `Remark` says what was wrong and in which
line. Limits keep a hostile file harmless: bytes, games, length of a tag; those of the moves are in `tourney.pgn_moves`.
The moves of a game are kept as normalised text (`ReadGame.body`) without the seven tags: those are written from the
event's own facts, so a name in a file never becomes a header of ours.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from tourney.kernel.errors import TourneyError
from tourney.kernel.trf.decoding import decode
from tourney.pgn_files import MAX_GAME, Part, refuse_no_text
from tourney.pgn_moves import RESULT_WORDS, RESULTS, Kind, Writer, start_board, walk
from tourney.pgn_text import KEPT, LINE, MAX_REMARKS, Chunk, Remark, chunks, split_stored, tag_lines

MAX_BYTES = 2_000_000  # of a text read at once; files are read in parts (`tourney.pgn_files`)
MAX_GAMES = 10_000

ROSTER = ("Event", "Site", "Date", "Round", "White", "Black", "Result")


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
    refuse_no_text(data)
    text, _encoding = decode(data)
    number = 0
    for chunk in chunks(text):
        number += 1
        if number > MAX_GAMES:
            raise TourneyError("pgn.too_many_games", limit=MAX_GAMES)
        yield read_chunk(number, chunk)
    if not number:
        raise TourneyError("pgn.no_games")


def read_part(part: Part, before: int = 0) -> Iterator[ReadGame]:
    """Yield the games of a part of a file, numbered on from those before it, with their lines in the file."""
    for number, chunk in enumerate(_chunks_of(part), before + 1):
        yield read_chunk(number, chunk)


def read_one(part: Part, number: int) -> ReadGame:
    """Return one game of a part (from 1) without following the others (``pgn.no_games``)."""
    for found, chunk in enumerate(_chunks_of(part), 1):
        if found == number:
            return read_chunk(number, chunk)
    raise TourneyError("pgn.no_games")


def has_games(part: Part) -> bool:
    """Return whether there is anything in a part that reads as a game."""
    return next(_chunks_of(part), None) is not None


def _chunks_of(part: Part) -> Iterator[Chunk]:
    last = None
    for chunk in chunks(part.content.decode(errors="replace"), part.line):
        if last is not None:
            yield last
        last = chunk
    if last is not None:
        if part.cut:
            last.remarks.insert(0, Remark("pgn.game_too_long", part.cut, {"limit": MAX_GAME // 1_000_000}))
        yield last


def read_chunk(number: int, chunk: Chunk) -> ReadGame:
    """Follow the moves of one game of a text."""
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
        counted = breaks = 0  # how far into the text its lines are counted
        for event in walk(text, board):
            if event.kind is Kind.WRONG:
                breaks += text.count("\n", counted, event.position)
                counted = event.position
                if len(remarks) < MAX_REMARKS:
                    line = starts[min(breaks, len(starts) - 1)]
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
