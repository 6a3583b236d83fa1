"""The text side of PGN, without chess: lines into games with their tags, tags and moves back into lines."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

KEPT = ("Variant", "SetUp", "FEN")  # what a stored game keeps of a file's tags; openings are named by position
MAX_VALUE = 255
LINE = 80
MAX_REMARKS = 200  # of one game: who made so many mistakes reads no more


@dataclass(frozen=True, slots=True)
class Remark:
    """Something wrong in a file: a code, the line it stands in (from 1), and the values of its sentence."""

    code: str
    line: int
    values: Mapping[str, str | int] = field(default_factory=dict)


@dataclass(slots=True)
class Chunk:
    line: int
    tags: dict[str, str] = field(default_factory=dict)
    moves: list[tuple[int, str]] = field(default_factory=list)
    remarks: list[Remark] = field(default_factory=list)

    def remark(self, code: str, line: int, **values: str | int) -> None:
        if len(self.remarks) < MAX_REMARKS:
            self.remarks.append(Remark(code, line, values))


# A choice repeated without end takes 150 times the memory of what it reads; a longer value is read as a damaged one.
_TAG = re.compile(r'\s*\[\s*([A-Za-z0-9_]{1,60})\s*"((?:[^"\\]|\\.){0,5000})"\s*\]')
_LOOSE_TAG = re.compile(r"\s*\[\s*([A-Za-z0-9_]{1,60})\s+(.*)")
_TAG_START = re.compile(r"\s*\[\s*[A-Za-z]")
_EVENT = re.compile(r"\s*\[\s*Event\b")
CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069]+")


def chunks(text: str, first_line: int = 1) -> Iterator[Chunk]:
    """Cut a text into games: tags after moves (outside a comment) begin the next one."""
    chunk: Chunk | None = None
    comment_since, blank = 0, False
    for number, raw in enumerate(re.split("\r\n|\r|\n", text), first_line):
        line = raw
        if "\x00" in line:
            line = line.replace("\x00", "")
            chunk = chunk or Chunk(number)
            chunk.remark("pgn.nul_bytes", number)
        if chunk is not None and comment_since:
            # A brace that is never closed would swallow the rest of the file: the next game's first tag ends it.
            if not (blank and _EVENT.match(line)):
                comment_since = _comment_after(line, number, comment_since)
                blank = not line.strip()
                if not blank:
                    chunk.moves.append((number, line))
                continue
            chunk.moves.append((number, "}"))
            chunk.remark("pgn.comment_not_closed", comment_since)
            comment_since = 0
        if line.startswith("%"):
            continue
        if not line.strip():
            blank = True
            continue
        if _TAG_START.match(line):
            again = chunk is not None and blank and not chunk.moves and "Event" in chunk.tags and _EVENT.match(line)
            if chunk is None or chunk.moves or again:
                if chunk is not None:
                    yield chunk
                chunk = Chunk(number)
            line = _take_tags(chunk, line, number)
        blank = False
        if line.strip():
            chunk = chunk or Chunk(number)
            chunk.moves.append((number, line))
            comment_since = _comment_after(line, number, 0)
    if chunk is not None:
        if comment_since:
            chunk.remark("pgn.comment_not_closed", comment_since)
        yield chunk


_OPENS = re.compile("[{;]")


def _comment_after(line: str, number: int, since: int) -> int:
    """Return the line of the comment that is open at the end of this one (0: none)."""
    position = 0
    while True:
        if since:
            end = line.find("}", position)
            if end < 0:
                return since
            since, position = 0, end + 1
        found = _OPENS.search(line, position)
        if found is None or found.group() == ";":
            return 0
        since, position = number, found.end()


def _take_tags(chunk: Chunk, line: str, number: int) -> str:
    """Read the tags of a line into the chunk; return what of the line is left."""
    at = 0  # a line may be nothing but tags: it is never copied
    while _TAG_START.match(line, at):
        found = _TAG.match(line, at)
        if found is not None:
            name, value, at = found[1], re.sub(r"\\(.)", r"\1", found[2]), found.end()
        else:
            loose = _LOOSE_TAG.match(line, at)
            chunk.remark("pgn.tag_damaged", number)
            if loose is None:
                return ""
            # By hand: an expression with two optional ends takes the cube of a line's length.
            value = loose[2].rstrip().removesuffix("]").rstrip().removeprefix('"').removesuffix('"')
            name, at = loose[1], len(line)
        value = " ".join(CONTROL.sub(" ", value).split())
        if len(value) > MAX_VALUE:
            chunk.remark("pgn.tag_too_long", number, tag=name, limit=MAX_VALUE)
            value = value[:MAX_VALUE]
        if name in chunk.tags:
            chunk.remark("pgn.tag_twice", number, tag=name)
        else:
            chunk.tags[name] = value
    return line[at:]


def split_stored(stored: str) -> tuple[dict[str, str], str]:
    """Return the tags and the moves of the text a game is stored as."""
    chunk = next(chunks(stored), None)
    if chunk is None:
        return {}, ""
    kept = {name: value for name, value in chunk.tags.items() if name in KEPT}
    return kept, "\n".join(line for _, line in chunk.moves)


def wrapped(parts: list[str]) -> str:
    lines: list[str] = []
    line = ""
    for part in parts:
        glue = "" if not line or line.endswith("(") or part == ")" else " "
        if line and len(line) + len(glue) + len(part) > LINE:
            lines.append(line)
            line, glue = "", ""
        line += glue + part
    if line:
        lines.append(line)
    return "\n".join(lines)


def tag_lines(tags: Mapping[str, str]) -> str:
    return "".join(f'[{name} "{escaped(value)}"]\n' for name, value in tags.items())


def escaped(value: str) -> str:
    """Return a value that can't end its tag: quotes and backslashes escaped, one line, at most 255 characters."""
    clean = " ".join(CONTROL.sub(" ", value).split())[:MAX_VALUE]
    return clean.replace("\\", "\\\\").replace('"', '\\"')
