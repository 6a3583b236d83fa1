"""Files of games as streams: what is no text is refused at once, the rest is cut into parts where games begin.

A part is small, so that a file of any length is read in bounded memory, by several workers, and again from the part a
killed worker had in hand. Parts are UTF-8 whatever the file was: each line that isn't is read as Windows-1251 or
Windows-1252 (Latin-1's letters), whichever all such lines of the file look like. So neither one torn letter nor a file
put together from two programs spoils the names of the others.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import BinaryIO

from tourney.kernel.errors import TourneyError
from tourney.kernel.trf.decoding import CyrillicSigns

PART = 128_000  # bytes a part has at least, except the last one
MAX_GAME = 1_000_000  # bytes of one game; what goes beyond is left out up to the next game
BLOCK = 65_536

_UTF16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_NOT_TEXT = (b"PK\x03\x04", b"\x1f\x8b", b"7z\xbc\xaf", b"Rar!", b"%PDF", b"\x89PNG", b"\xff\xd8\xff")
_EVENT = re.compile(rb"\[[ \t]*Event\b")
_ANY_TAG = re.compile(rb'\[[ \t]*[A-Za-z0-9_]{1,60}[ \t]+"')
_BLANK_BEFORE = re.compile(rb"(?:\r\n|\r|\n)[ \t]*(?:\r\n|\r(?!\n)|\n)\s*\Z")
_BREAK = re.compile(rb"\r\n|\r|\n")


@dataclass(frozen=True, slots=True)
class Part:
    """Whole games of a file, as UTF-8. `cut` is the line from which a game that is too long was left out (0: none)."""

    line: int  # of its beginning in the file, from 1
    content: bytes
    cut: int = 0


def parts(file: BinaryIO) -> Iterator[Part]:
    """Yield a file that can be read twice in parts (``pgn.not_text`` before the first one)."""
    yield from _cut(_as_utf8(file))


def refuse_no_text(head: bytes) -> None:
    """Refuse what is no text by its beginning (``pgn.not_text``)."""
    if head.startswith(_NOT_TEXT) or (head.count(0) * 10 > len(head) and not head.startswith(_UTF16)):
        raise TourneyError("pgn.not_text")


def _blocks(file: BinaryIO) -> Iterator[bytes]:
    file.seek(0)
    while block := file.read(BLOCK):
        yield block


def _as_utf8(file: BinaryIO) -> Iterator[bytes]:
    file.seek(0)
    head = file.read(BLOCK)
    if head.startswith(_UTF16):
        decoder = codecs.getincrementaldecoder("utf-16")(errors="replace")
        for block in _blocks(file):
            yield decoder.decode(block).encode(errors="replace")
        return
    refuse_no_text(head)
    fallback = _fallback(file)
    first = True
    for lines in _whole_lines(file):
        read = lines.removeprefix(codecs.BOM_UTF8) if first else lines
        first = False
        yield read if _is_utf8(read) else _mended(read, fallback)


def _whole_lines(file: BinaryIO) -> Iterator[bytes]:
    """Yield a file in pieces that end with a line (or after so many bytes that no line of text is as long)."""
    rest = b""
    for block in _blocks(file):
        piece = rest + block
        end = piece.rfind(b"\n") + 1 or piece.rfind(b"\r") + 1
        if end:
            yield piece[:end]
            rest = piece[end:]
        elif len(piece) > MAX_GAME:
            yield piece
            rest = b""
        else:
            rest = piece
    if rest:
        yield rest


def _fallback(file: BinaryIO) -> str:
    """Return the encoding of the lines that aren't UTF-8."""
    signs = CyrillicSigns()
    for lines in _whole_lines(file):
        if not _is_utf8(lines):
            for line in lines.splitlines():
                if not _is_utf8(line):
                    signs.look_at(line)
    return "cp1251" if signs.prevail else "cp1252"


def _is_utf8(content: bytes) -> bool:
    try:
        content.decode()
    except UnicodeDecodeError:
        return False
    return True


def _mended(lines: bytes, encoding: str) -> bytes:
    return b"".join(
        line if _is_utf8(line) else line.decode(encoding, errors="replace").encode()
        for line in lines.splitlines(keepends=True)
    )


def _cut(blocks: Iterator[bytes]) -> Iterator[Part]:
    """Cut UTF-8 text where a game surely begins: at a tag Event after an empty line, which ends a comment as well."""
    line, held, dropping = 1, bytearray(), False
    for block in blocks:
        held += block
        while True:
            if dropping:
                begin = _border(held, 0)
                if begin is None:
                    line, held = _dropped(line, held)
                    break
                line += _breaks(held[:begin])
                del held[:begin]
                dropping = False
            begin = _border(held, PART)
            if begin is None and len(held) <= PART + MAX_GAME:
                break
            if begin is None:
                begin = _last_border(held, PART) or 0
            if begin:
                yield Part(line, bytes(held[:begin]))
                line += _breaks(held[:begin])
                del held[:begin]
                continue
            # One game that is longer than any: its beginning is kept.
            kept = _up_to_a_line(held)
            line_after = line + _breaks(held[:kept])
            yield Part(line, bytes(held[:kept]), cut=line_after)
            line = line_after
            del held[:kept]
            dropping = True
    if held and not dropping:
        yield Part(line, bytes(held))


def _border(text: bytearray, start: int) -> int | None:
    """Return where the first game after `start` begins."""
    for found in _EVENT.finditer(text, start):
        if _BLANK_BEFORE.search(text, max(0, found.start() - 64), found.start()):
            return found.start()
    return None


def _last_border(text: bytearray, most: int) -> int | None:
    """Return where the last game before `most` begins; without a tag Event any tag after an empty line does."""
    for tag in (_EVENT, _ANY_TAG):
        begins = [
            found.start()
            for found in tag.finditer(text, 1, most)
            if _BLANK_BEFORE.search(text, max(0, found.start() - 64), found.start())
        ]
        if begins:
            return begins[-1]
    return None


def _up_to_a_line(text: bytearray) -> int:
    """Return where the kept beginning of a game that is too long ends: with a line, else within one, at a letter."""
    end = text.rfind(b"\n", MAX_GAME // 2, MAX_GAME) + 1
    if end:
        return end
    end = MAX_GAME
    while text[end] & 0xC0 == 0x80:  # in the middle of a letter of UTF-8
        end -= 1
    return end


def _dropped(line: int, text: bytearray) -> tuple[int, bytearray]:
    """Return the line after a text that is left out and its end, in which a game may begin that isn't whole yet."""
    gone = max(0, len(text) - 128)
    while gone and text[gone - 1] == 13:  # never between \r and \n
        gone -= 1
    return line + _breaks(text[:gone]), text[gone:]


def _breaks(text: bytes | bytearray) -> int:
    return text.count(b"\n") if b"\r" not in text else len(_BREAK.findall(text))
