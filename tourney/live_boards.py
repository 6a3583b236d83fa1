"""A game while it is played: what boards have sent so far, and how much of it the public may see. Pure.

Boards write a game again and again while it grows; a move may be put right, a file may be read while it is written.
The public sees a move when both delays of the event have passed: so many minutes after it came, and so many half-moves
later, until the game is over. Times are seconds since 1970.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import chess

from tourney.pgn_moves import RESULT_WORDS, RESULTS
from tourney.pgn_replay import Replay
from tourney.pgn_text import chunks, tag_lines, wrapped

SETTLED = 2.0  # seconds after which a file nobody touches counts as written to its end


class Move(NamedTuple):
    """A half-move as it is kept: a plain list in the database."""

    san: str
    placement: str  # after it: first field of the FEN
    squares: str  # from and to: e2e4
    check: str  # the square of a king in check
    clock: str
    came: float


@dataclass(frozen=True, slots=True)
class Delay:
    """The event's delay against help from outside: minutes after a move came, half-moves that stay unseen."""

    minutes: int = 0
    half_moves: int = 0


@dataclass(frozen=True, slots=True)
class Sent:
    """What a board has sent of a game. `start` is the starting position's FEN, "" for the usual one."""

    moves: tuple[Move, ...] = ()
    result: str = ""  # 1-0, 0-1, 1/2-1/2; "" while it is played
    result_came: float = 0.0
    start: str = ""

    def as_rows(self) -> list[list[Any]]:
        return [list(move) for move in self.moves]

    @classmethod
    def of(cls, rows: Iterable[Sequence[Any]], result: str, result_came: float, start: str) -> Sent:
        return cls(tuple(Move(*row) for row in rows), result, result_came, start)


def taken(before: Sent, replay: Replay, result: str, now: float, *, settled: bool, start: str = "") -> Sent:
    """Return what is known after a board has sent a game again.

    A beginning of what is known already may be half a file: it counts only when the file is settled, and never after
    the result. Moves that stay keep the time they came first.
    """
    sent = [Move(ply.san, ply.placement, "".join(ply.squares), ply.check, ply.clock, now) for ply in replay.plies]
    same = 0
    for old, new in zip(before.moves, sent, strict=False):
        if old.san != new.san:
            break
        sent[same] = new._replace(came=old.came, clock=new.clock or old.clock)
        same += 1
    result = result if result in RESULTS[:3] else ""
    set_up_again = before.result and not result  # pieces go back to their squares when a game is over
    if same == len(sent) < len(before.moves) and (not settled or set_up_again):
        return before
    came = before.result_came if result == before.result else now
    return Sent(tuple(sent), result, came if result else 0.0, start or before.start)


def shown(sent: Sent, delay: Delay, now: float, *, over: bool = False) -> Sent:
    """Return the part the public may see. `over`: the arbiter has a result, so no move can help any more.

    The result is seen with the last move, not before.
    """
    latest = now - 60 * delay.minutes
    over = over or bool(sent.result)
    number = sum(1 for move in sent.moves if move.came <= latest)
    if not over:
        number = min(number, max(0, len(sent.moves) - delay.half_moves))
    whole = number == len(sent.moves) and (not sent.result or sent.result_came <= latest)
    return replace(
        sent,
        moves=sent.moves[:number],
        result=sent.result if whole else "",
        result_came=sent.result_came if whole else 0.0,
    )


def is_whole(sent: Sent, seen: Sent) -> bool:
    """Return whether nothing is kept back any more."""
    return len(seen.moves) == len(sent.moves) and seen.result == sent.result


def has_moves(replay: Replay, sent: Sent) -> bool:
    """Return whether a text has just the moves that are known of a game, and every clock."""
    return [ply.san for ply in replay.plies] == [move.san for move in sent.moves] and all(
        ply.clock or not move.clock for ply, move in zip(replay.plies, sent.moves, strict=True)
    )


def body(sent: Sent) -> str:
    """Return the moves as a stored game has them, with clocks and without a result."""
    first, black_begins = 1, False
    if sent.start:
        fields = sent.start.split()
        first, black_begins = int(fields[5]) if len(fields) > 5 and fields[5].isdecimal() else 1, fields[1:2] == ["b"]
    parts: list[str] = []
    say_number = True
    for index, move in enumerate(sent.moves, int(black_begins)):
        number, black = first + index // 2, index % 2
        if not black:
            parts.append(f"{number}.")
        elif say_number:
            parts.append(f"{number}...")
        parts.append(move.san)
        if move.clock:
            parts.append(f"{{[%clk {move.clock}]}}")
        say_number = bool(move.clock)
    return wrapped(parts)


def start_placement(start: str) -> str:
    """Return the placement a game begins with (first field of its FEN)."""
    return (start or chess.STARTING_FEN).partition(" ")[0]


def stored(sent: Sent) -> str:
    """Return the text a game is stored as (`tourney.pgn.ReadGame.stored`)."""
    text = body(sent)
    return f"{tag_lines({'SetUp': '1', 'FEN': sent.start})}\n{text}" if sent.start else text


def clocks(sent: Sent) -> tuple[str, str]:
    """Return the last clocks of White and Black."""
    black_begins = sent.start.split()[1:2] == ["b"]
    found = ["", ""]
    for index, move in enumerate(sent.moves, int(black_begins)):
        if move.clock:
            found[index % 2] = move.clock
    return found[0], found[1]


def last_move(sent: Sent) -> str:
    """Return the last move as people write it: ``12…Nf6``; "" before the first."""
    if not sent.moves:
        return ""
    fields = sent.start.split()
    index = len(sent.moves) - 1 + (fields[1:2] == ["b"])
    first = int(fields[5]) if len(fields) > 5 and fields[5].isdecimal() else 1
    return f"{first + index // 2}{'…' if index % 2 else '.'} {sent.moves[-1].san}"


def over_only(text: str) -> list[str]:
    """Return the games of a text that have a result, each as a text of its own."""
    return [
        f"{tag_lines(chunk.tags)}\n" + "\n".join(line for _, line in chunk.moves)
        for chunk in chunks(text)
        if chunk.tags.get("Result", "").replace(" ", "") in (*RESULTS[:3], *RESULT_WORDS)
    ]


def without_torn_end(text: str) -> str:
    """Return a text that may still be written, without a last word that may be half of one (O-O of O-O-O)."""
    if not text or text[-1].isspace() or text.endswith(RESULTS):
        return text
    return text[: max(text.rfind(" "), text.rfind("\n")) + 1]
