"""Following the moves of a game: a text of moves becomes events, events become text in export format.

Reading is lenient: what can't be followed becomes an event WRONG, and what came before it stays. Limits keep a hostile
text harmless: half-moves, depth of variations, length of a comment, how much stands beside the moves altogether.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum

import chess

from tourney.kernel.errors import TourneyError
from tourney.pgn_text import CONTROL, wrapped

MAX_PLIES = 1_500
MAX_NESTING = 8
MAX_COMMENT = 5_000
MAX_ASIDE = 10_000  # comments, marks, variations and their moves in one game: a page shows a position for each
MAX_MARK = 20  # characters after a move: looking for the beginning of more takes the square of their number

RESULTS = ("1-0", "0-1", "1/2-1/2", "*")
_STANDARD = frozenset({"", "standard", "chess", "normal", "from position"})
_CHESS960 = frozenset({"chess960", "fischerandom", "fischerrandom", "fischer random", "freestyle"})


def start_board(tags: Mapping[str, str]) -> chess.Board:
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


class Kind(StrEnum):
    MOVE = "move"
    COMMENT = "comment"
    NAG = "nag"
    OPEN = "open"
    CLOSE = "close"
    RESULT = "result"
    WRONG = "wrong"


@dataclass(slots=True)  # not frozen: that costs a tenth of the time a file takes
class Event:
    """One thing of a text of moves. For a move, `board` is the position after it (valid until the next event)."""

    kind: Kind
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
_SUFFIXES = frozenset("!?⩲⩱±∓+-=∞")  # how one ends
_MARKS = {"!": 1, "?": 2, "!!": 3, "??": 4, "!?": 5, "?!": 6}
NAG_MARKS = {f"${number}": mark for mark, number in _MARKS.items()}
RESULT_WORDS = {"½-½": "1/2-1/2", "1/2": "1/2-1/2", "½": "1/2-1/2", "1/2–1/2": "1/2-1/2", "1–0": "1-0", "0–1": "0-1"}


def _too_much(position: int) -> Event:
    return Event(Kind.WRONG, "pgn.too_much_aside", position=position, values={"limit": MAX_ASIDE})


def walk(text: str, board: chess.Board) -> Iterator[Event]:
    """Follow a text of moves. What can't be followed becomes an event WRONG; after one, its line is left out.

    A wrong move in a variation costs that variation, in the main line the rest of the game. Of a game with too much
    beside its moves only the main line goes on.
    """
    boards = [board]
    skipped = 0  # brackets open inside something that is left out
    aside = 0  # what has come beside the moves of the main line; every such event counts, so a stored text has no more
    lost = ended = False
    for found in _TOKEN.finditer(text):
        part, position = found.group(), found.start()
        if part == "(":
            if skipped or lost or aside > MAX_ASIDE:
                skipped += 1
            elif aside == MAX_ASIDE:
                aside += 1
                yield _too_much(position)
                skipped = 1
            elif len(boards) > MAX_NESTING or not boards[-1].move_stack:
                yield Event(Kind.WRONG, "pgn.variation_left_out", position=position)
                skipped = 1
            else:
                before = boards[-1].copy(stack=1)
                before.pop()
                boards.append(before)
                aside += 1
                yield Event(Kind.OPEN, "", len(boards) - 1)
        elif part == ")":
            if skipped:
                skipped -= 1
            elif len(boards) > 1:
                boards.pop()
                yield Event(Kind.CLOSE, "", len(boards))
        elif skipped:
            continue
        elif part[0] in "{;$":
            if lost or aside > MAX_ASIDE:
                continue
            if aside == MAX_ASIDE:
                yield _too_much(position)
            elif part[0] == "$":
                yield Event(Kind.NAG, part, len(boards) - 1)
            else:
                words = " ".join(CONTROL.sub(" ", part).split()).strip("{}; ")
                if len(words) > MAX_COMMENT:
                    yield Event(Kind.WRONG, "pgn.comment_too_long", position=position, values={"limit": MAX_COMMENT})
                if not words:
                    continue
                yield Event(Kind.COMMENT, words[:MAX_COMMENT].rstrip("{}; ").replace("}", ")"), len(boards) - 1)
            aside += 1
        else:
            result = RESULT_WORDS.get(part, part)
            if result in RESULTS:
                if len(boards) == 1 and not ended:
                    ended = True
                    yield Event(Kind.RESULT, result)
                continue
            word = _NUMBER.sub("", part).lstrip(".…")
            if not word or word in ("e.p.", "ep", "e.p"):
                continue
            if lost:
                continue
            if ended and len(boards) == 1:
                lost = True
                yield Event(Kind.WRONG, "pgn.after_result", position=position)
                continue
            mark = _SUFFIX.search(word, max(0, len(word) - MAX_MARK)) if word[-1] in _SUFFIXES else None
            now = boards[-1]
            depth = len(boards) - 1
            if (depth or word in _MARKS) and aside >= MAX_ASIDE:
                if aside == MAX_ASIDE:
                    aside += 1
                    yield _too_much(position)
                if depth:
                    yield Event(Kind.CLOSE, "", depth)
                    boards.pop()
                    skipped = 1
                continue
            if word in _MARKS:
                aside += 1
                yield Event(Kind.NAG, f"${_MARKS[word]}", depth)
                continue
            aside += depth > 0
            san = word[: mark.start()] if mark and mark.start() else word
            if len(now.move_stack) >= MAX_PLIES:
                lost = True
                yield Event(Kind.WRONG, "pgn.too_long", position=position, values={"limit": MAX_PLIES})
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
                yield Event(Kind.WRONG, "pgn.wrong_move", depth, position=position, values=values)
                if depth:
                    yield Event(Kind.CLOSE, "", depth)
                    boards.pop()
                    skipped = 1
                else:
                    lost = True
                continue
            if not _SAN.match(san):
                san = now.san(move)
            now.push(move)
            yield Event(Kind.MOVE, san, depth, now, move)
            if mark and mark.group() in _MARKS and aside < MAX_ASIDE:
                aside += 1
                yield Event(Kind.NAG, f"${_MARKS[mark.group()]}", depth)
    for depth in range(len(boards) - 1, 0, -1):
        yield Event(Kind.CLOSE, "", depth)


class Writer:
    """Writes events as text in export format, without a result at the end."""

    def __init__(self) -> None:
        self.parts: list[str] = []
        self.plies = 0
        self.result = ""
        self._say_number = True
        self._said_before: list[bool] = []

    def take(self, event: Event) -> None:
        match event.kind:
            case Kind.MOVE:
                assert event.board is not None  # noqa: S101 -- every move carries its board
                after = event.board
                if after.turn == chess.BLACK:
                    self.parts.append(f"{after.fullmove_number}.")
                elif self._say_number:
                    self.parts.append(f"{after.fullmove_number - 1}...")
                self.parts.append(event.text)
                self._say_number = False
                self.plies += event.depth == 0
            case Kind.COMMENT:
                self.parts.append(f"{{{event.text}}}")
                self._say_number = True
            case Kind.NAG:
                self.parts.append(event.text)
            case Kind.OPEN:
                self.parts.append("(")
                self._said_before.append(self._say_number)
                self._say_number = True
            case Kind.CLOSE:
                before = self._said_before.pop()
                if self.parts[-1] == "(":
                    self.parts.pop()
                    self._say_number = before
                else:
                    self.parts.append(")")
                    self._say_number = True
            case Kind.RESULT:
                self.result = event.text

    def text(self) -> str:
        return wrapped(self.parts)
