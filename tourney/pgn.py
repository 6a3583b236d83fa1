"""Game records in PGN: reading what people and boards produce, writing what other programs can read.

The only module that knows the `chess` package. Files are read leniently: a damaged game keeps what can be followed and
a `Remark` says what was wrong and in which line. Limits keep a hostile file harmless: bytes, games, length of a tag,
depth of variations, half-moves. The moves of a game are kept as normalised text (`ReadGame.body`) without the seven
tags: those are written from the event's own facts, so a name in a file never becomes a header of ours.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum

import chess
import chess.svg

from tourney.kernel.errors import TourneyError
from tourney.kernel.trf.decoding import decode
from tourney.pgn_text import CONTROL, LINE, Chunk, Remark, chunks, tag_lines, wrapped

MAX_BYTES = 2_000_000
MAX_GAMES = 10_000
MAX_PLIES = 1_500
MAX_NESTING = 8
MAX_COMMENT = 5_000

ROSTER = ("Event", "Site", "Date", "Round", "White", "Black", "Result")
KEPT = ("Variant", "SetUp", "FEN", "ECO", "Opening")  # what a stored game keeps of a file's tags
RESULTS = ("1-0", "0-1", "1/2-1/2", "*")
_STANDARD = frozenset({"", "standard", "chess", "normal", "from position"})
_CHESS960 = frozenset({"chess960", "fischerandom", "fischerrandom", "fischer random", "freestyle"})
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


@dataclass(frozen=True, slots=True)
class Ply:
    """A half-move with the position after it."""

    number: int  # 1 is White's first move
    move: int
    color: str  # w or b
    san: str
    placement: str  # first field of the FEN
    squares: tuple[str, str]  # from, to
    check: str = ""  # the square of a king in check
    mark: str = ""  # ! ? …
    clock: str = ""
    comment: str = ""
    lines: tuple[str, ...] = ()  # variations, as text


@dataclass(frozen=True, slots=True)
class Replay:
    """A game ready to be stepped through. `comment` stands before the first move."""

    start: str
    plies: tuple[Ply, ...]
    comment: str = ""

    def placement(self, ply: int) -> str:
        return self.plies[ply - 1].placement if 0 < ply <= len(self.plies) else self.start


# -- files -------------------------------------------------------------------------------------------------------------


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


def count_games(data: bytes) -> int:
    """Return a quick guess of how many games a file has: for a progress bar only."""
    return max(1, len(re.findall(rb"(?m)^\s*\[Event\s", data)))


def _read_chunk(number: int, chunk: Chunk) -> ReadGame:
    remarks = list(chunk.remarks)
    text = "\n".join(line for _, line in chunk.moves)
    starts = [line for line, _ in chunk.moves] or [chunk.line]
    body, plies, result = "", 0, ""
    try:
        board = _start(chunk.tags)
    except TourneyError as error:
        remarks.append(Remark(error.code, chunk.line, {key: str(value) for key, value in error.values.items()}))
    else:
        writer = _Writer()
        for event in _walk(text, board):
            if event.kind is _Kind.WRONG:
                line = starts[min(text.count("\n", 0, event.position), len(starts) - 1)]
                remarks.append(Remark(event.text, line, event.values))
            else:
                writer.take(event)
        body, plies, result = writer.text(), writer.plies, writer.result
        if not plies and not remarks:
            remarks.append(Remark("pgn.no_moves", chunk.line))
    told = chunk.tags.get("Result", "").replace(" ", "")
    told = _RESULT_WORDS.get(told, told)
    if told not in RESULTS[:3]:
        told = result if result in RESULTS[:3] else ""
    return ReadGame(number, chunk.line, chunk.tags, body, plies, told, tuple(remarks))


def _start(tags: Mapping[str, str]) -> chess.Board:
    """Return the position a game begins with (``pgn.variant``, ``pgn.bad_position``)."""
    variant = tags.get("Variant", "").strip().casefold()
    if variant not in _STANDARD | _CHESS960:
        raise TourneyError("pgn.variant", variant=variant[:40])
    fen = tags.get("FEN") or chess.STARTING_FEN
    try:
        board = chess.Board(fen, chess960=variant in _CHESS960)
    except ValueError:
        raise TourneyError("pgn.bad_position") from None
    if not board.is_valid():
        raise TourneyError("pgn.bad_position")
    board.chess960 = board.chess960 or board.has_chess960_castling_rights()
    return board


# -- moves -------------------------------------------------------------------------------------------------------------


class _Kind(StrEnum):
    MOVE = "move"
    COMMENT = "comment"
    NAG = "nag"
    OPEN = "open"
    CLOSE = "close"
    RESULT = "result"
    WRONG = "wrong"


@dataclass(frozen=True, slots=True)
class _Event:
    """One thing of a text of moves. For a move, `board` is the position after it (valid until the next event)."""

    kind: _Kind
    text: str
    depth: int = 0
    board: chess.Board | None = None
    move: chess.Move | None = None
    position: int = 0
    values: Mapping[str, str | int] = field(default_factory=dict)


_TOKEN = re.compile(r"\{[^}]*\}?|;[^\n]*|\$\d{1,3}|[()]|[^\s(){};$]+")
_NUMBER = re.compile(r"^\d{1,3}(?:[.…]+|(?=$))")
_SAN = re.compile(r"^(?:(?:[NBKRQ](?:[a-h]|[1-8])?x?|[a-h]x)?[a-h][1-8](?:=[NBRQ])?|O-O(?:-O)?)[+#]?$")
_SUFFIX = re.compile(r"[!?]+$|[⩲⩱±∓+\-=∞]{2}$")
_MARKS = {"!": 1, "?": 2, "!!": 3, "??": 4, "!?": 5, "?!": 6}
_NAG_MARKS = {f"${number}": mark for mark, number in _MARKS.items()}
_RESULT_WORDS = {"½-½": "1/2-1/2", "1/2": "1/2-1/2", "½": "1/2-1/2", "1/2–1/2": "1/2-1/2", "1–0": "1-0", "0–1": "0-1"}


def _walk(text: str, board: chess.Board) -> Iterator[_Event]:
    """Follow a text of moves. What can't be followed becomes an event WRONG; after one, its line is left out.

    A wrong move in a variation costs that variation, in the main line the rest of the game.
    """
    boards = [board]
    skipped = 0  # brackets open inside something that is left out
    lost = ended = False
    for found in _TOKEN.finditer(text):
        part, position = found.group(), found.start()
        if part == "(":
            if skipped or lost:
                skipped += 1
            elif len(boards) > MAX_NESTING or not boards[-1].move_stack:
                yield _Event(_Kind.WRONG, "pgn.variation_left_out", position=position)
                skipped = 1
            else:
                before = boards[-1].copy(stack=1)
                before.pop()
                boards.append(before)
                yield _Event(_Kind.OPEN, "", len(boards) - 1)
        elif part == ")":
            if skipped:
                skipped -= 1
            elif len(boards) > 1:
                boards.pop()
                yield _Event(_Kind.CLOSE, "", len(boards))
        elif skipped:
            continue
        elif part[0] in "{;":
            if not lost:
                words = " ".join(CONTROL.sub(" ", part.strip("{};")).split())
                if len(words) > MAX_COMMENT:
                    yield _Event(_Kind.WRONG, "pgn.comment_too_long", position=position, values={"limit": MAX_COMMENT})
                if words:
                    yield _Event(_Kind.COMMENT, words[:MAX_COMMENT].replace("}", ")"), len(boards) - 1)
        elif part[0] == "$":
            if not lost:
                yield _Event(_Kind.NAG, part, len(boards) - 1)
        else:
            result = _RESULT_WORDS.get(part, part)
            if result in RESULTS:
                if len(boards) == 1 and not ended:
                    ended = True
                    yield _Event(_Kind.RESULT, result)
                continue
            word = _NUMBER.sub("", part).lstrip(".…")
            if not word or word in ("e.p.", "ep", "e.p"):
                continue
            if lost:
                continue
            if ended and len(boards) == 1:
                lost = True
                yield _Event(_Kind.WRONG, "pgn.after_result", position=position)
                continue
            mark = _SUFFIX.search(word)
            now = boards[-1]
            depth = len(boards) - 1
            if word in _MARKS:
                yield _Event(_Kind.NAG, f"${_MARKS[word]}", depth)
                continue
            san = word[: mark.start()] if mark and mark.start() else word
            if len(now.move_stack) >= MAX_PLIES:
                lost = True
                yield _Event(_Kind.WRONG, "pgn.too_long", position=position, values={"limit": MAX_PLIES})
                continue
            try:
                move = now.parse_san(san)
                if not move and not depth:
                    raise ValueError(san)
            except ValueError:
                values: dict[str, str | int] = {
                    "move": f"{now.fullmove_number}{'.' if now.turn else '...'}",
                    "san": san[:20],
                }
                yield _Event(_Kind.WRONG, "pgn.wrong_move", depth, position=position, values=values)
                if depth:
                    yield _Event(_Kind.CLOSE, "", depth)
                    boards.pop()
                    skipped = 1
                else:
                    lost = True
                continue
            if not _SAN.match(san):
                san = now.san(move)
            now.push(move)
            yield _Event(_Kind.MOVE, san, depth, now, move)
            if mark and mark.group() in _MARKS:
                yield _Event(_Kind.NAG, f"${_MARKS[mark.group()]}", depth)
    for depth in range(len(boards) - 1, 0, -1):
        yield _Event(_Kind.CLOSE, "", depth)


class _Writer:
    """Writes events as text in export format, without a result at the end."""

    def __init__(self) -> None:
        self.parts: list[str] = []
        self.plies = 0
        self.result = ""
        self._say_number = True
        self._said_before: list[bool] = []

    def take(self, event: _Event) -> None:
        match event.kind:
            case _Kind.MOVE:
                assert event.board is not None  # noqa: S101 -- every move carries its board
                after = event.board
                if after.turn == chess.BLACK:
                    self.parts.append(f"{after.fullmove_number}.")
                elif self._say_number:
                    self.parts.append(f"{after.fullmove_number - 1}...")
                self.parts.append(event.text)
                self._say_number = False
                self.plies += event.depth == 0
            case _Kind.COMMENT:
                self.parts.append(f"{{{event.text}}}")
                self._say_number = True
            case _Kind.NAG:
                self.parts.append(event.text)
            case _Kind.OPEN:
                self.parts.append("(")
                self._said_before.append(self._say_number)
                self._say_number = True
            case _Kind.CLOSE:
                before = self._said_before.pop()
                if self.parts[-1] == "(":
                    self.parts.pop()
                    self._say_number = before
                else:
                    self.parts.append(")")
                    self._say_number = True
            case _Kind.RESULT:
                self.result = event.text

    def text(self) -> str:
        return wrapped(self.parts)


# -- writing -----------------------------------------------------------------------------------------------------------


def write(tags: Mapping[str, str], stored: str) -> str:
    """Return one game as export text: the seven tags in their order, the others after them, then moves and result."""
    extra, body = _split_stored(stored)
    result = tags.get("Result", "*")
    unknown = {"Date": "????.??.??", "Result": "*"}
    roster = {name: tags.get(name) or unknown.get(name, "?") for name in ROSTER}
    more = {**extra, **{name: value for name, value in tags.items() if name not in ROSTER and value}}
    room = len(body.rpartition("\n")[2]) + 1 + len(result) <= LINE
    moves = f"{body}{' ' if room else chr(10)}{result}"
    return f"{tag_lines({**roster, **dict(sorted(more.items()))})}\n{moves.strip()}\n"


def _split_stored(stored: str) -> tuple[dict[str, str], str]:
    chunk = next(chunks(stored), None)
    if chunk is None:
        return {}, ""
    kept = {name: value for name, value in chunk.tags.items() if name in KEPT}
    return kept, "\n".join(line for _, line in chunk.moves)


# -- replaying ---------------------------------------------------------------------------------------------------------

_CLOCK = re.compile(r"\[%clk\s+([0-9:.]+)\s*\]")
_COMMAND = re.compile(r"\[%[^\]]*\]")


def replay(stored: str) -> Replay:
    """Return a stored game move by move (an empty one for a text that can't be followed)."""
    tags, body = _split_stored(stored)
    try:
        board = _start(tags)
    except TourneyError:
        return Replay(chess.Board().board_fen(), ())
    start, first = board.board_fen(), len(board.move_stack)
    plies: list[Ply] = []
    before = ""
    variation: list[str] = []
    for event in _walk(body, board):
        if event.kind is _Kind.WRONG or event.kind is _Kind.RESULT:
            continue
        if event.depth or event.kind in (_Kind.OPEN, _Kind.CLOSE):
            _take_variation(variation, event, plies)
        elif event.kind is _Kind.MOVE and event.board is not None and event.move is not None:
            plies.append(_ply(len(board.move_stack) - first, event.board, event.move, event.text))
        elif event.kind is _Kind.NAG and plies:
            plies[-1] = _with(plies[-1], mark=_NAG_MARKS.get(event.text, ""))
        elif event.kind is _Kind.COMMENT:
            clock = _CLOCK.search(event.text)
            words = " ".join(_COMMAND.sub(" ", event.text).split())
            if not plies:
                before = f"{before} {words}".strip()
            else:
                old = plies[-1]
                plies[-1] = _with(old, comment=f"{old.comment} {words}".strip(), clock=clock[1] if clock else old.clock)
    return Replay(start, tuple(plies), before)


def _ply(number: int, after: chess.Board, move: chess.Move, san: str) -> Ply:
    white = after.turn == chess.BLACK
    king = after.king(after.turn) if after.is_check() else None
    return Ply(
        number,
        after.fullmove_number if white else after.fullmove_number - 1,
        "w" if white else "b",
        san,
        after.board_fen(),
        (chess.square_name(move.from_square), chess.square_name(move.to_square)),
        chess.square_name(king) if king is not None else "",
    )


def _with(
    ply: Ply, *, mark: str = "", comment: str | None = None, clock: str | None = None, line: str | None = None
) -> Ply:
    return Ply(
        ply.number,
        ply.move,
        ply.color,
        ply.san,
        ply.placement,
        ply.squares,
        ply.check,
        ply.mark or mark,
        ply.clock if clock is None else clock,
        ply.comment if comment is None else comment,
        ply.lines if line is None else (*ply.lines, line),
    )


def _take_variation(variation: list[str], event: _Event, plies: list[Ply]) -> None:
    """Gather a variation as text; with its last bracket it is added to the move it is an alternative to."""
    match event.kind:
        case _Kind.OPEN:
            variation.append("(")
        case _Kind.MOVE if event.board is not None:
            after = event.board
            fresh = not variation or variation[-1].endswith(("(", ")", "}"))
            if after.turn == chess.BLACK:
                variation.append(f"{after.fullmove_number}.")
            elif fresh:
                variation.append(f"{after.fullmove_number - 1}...")
            variation.append(event.text)
        case _Kind.NAG if variation:
            variation[-1] += _NAG_MARKS.get(event.text, "")
        case _Kind.COMMENT:
            words = " ".join(_COMMAND.sub(" ", event.text).split())
            if words:
                variation.append(words)
        case _Kind.CLOSE:
            variation.append(")")
            if variation.count("(") == variation.count(")"):
                if plies:
                    plies[-1] = _with(plies[-1], line=wrapped(variation).replace("\n", " "))
                variation.clear()


def piece_symbols() -> Mapping[str, str]:
    """Return the drawings of the pieces by their letter in a FEN, in a square of 45 units, without `style`."""
    return {letter: _STYLE.sub(_attributes, drawing) for letter, drawing in chess.svg.PIECES.items()}


_STYLE = re.compile(r' style="([^"]*)"')


def _attributes(style: re.Match[str]) -> str:
    pairs = (pair.split(":") for pair in style[1].split(";") if ":" in pair)
    return "".join(f' {name.strip()}="{value.strip()}"' for name, value in pairs)
