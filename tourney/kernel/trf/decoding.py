"""From bytes to numbered lines: the encodings and line ends that report files really come in.

UTF-8 is tried first; a file that isn't UTF-8 is Windows-1251 when its high bytes stand in runs (whole Cyrillic words)
and Windows-1252 when they stand alone between Latin letters.
"""

from __future__ import annotations

import re

_BREAK = re.compile("\r\n|\r|\n|\f|\x1a")


def decode(data: bytes) -> tuple[str, str]:
    """Return the text and the name of the encoding it was in."""
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        try:
            return data.decode("utf-16").removeprefix("\ufeff"), "utf-16"
        except UnicodeDecodeError:
            pass
    try:
        return data.decode("utf-8-sig"), "utf-8"
    except UnicodeDecodeError:
        encoding = "cp1251" if _looks_cyrillic(data) else "cp1252"
        return data.decode(encoding, errors="replace"), encoding


def _looks_cyrillic(data: bytes) -> bool:
    signs = CyrillicSigns()
    signs.look_at(data)
    return signs.prevail


class CyrillicSigns:
    """Whether bytes that aren't UTF-8 look like Windows-1251, gathered piece by piece."""

    def __init__(self) -> None:
        self._in_words = self._in_all = 0

    def look_at(self, data: bytes) -> None:
        runs = [len(run) for run in re.findall(rb"[\xa8\xaa\xaf\xb2-\xb4\xb8\xba\xbf-\xff]+", data)]
        self._in_words += sum(length for length in runs if length >= 3)
        self._in_all += sum(runs)

    @property
    def prevail(self) -> bool:
        return self._in_words * 2 > self._in_all


def numbered_lines(text: str) -> list[tuple[int, str]]:
    """Return the lines that hold something, with their numbers; tabs become blanks, trailing blanks go."""
    return [
        (number, line)
        for number, raw in enumerate(_BREAK.split(text), 1)
        if (line := raw.replace("\x00", " ").expandtabs(8).rstrip())
    ]


def by_bytes(line: str, encoding: str) -> str | None:
    """Return the line as one character a byte (columns may have been counted in bytes); None when it's the same."""
    if line.isascii():
        return None
    raw = line.encode("utf-8" if encoding == "utf-16" else encoding, errors="replace")
    return raw.decode("latin-1") if len(raw) != len(line) else None


def from_bytes(field: str, encoding: str) -> str:
    """Return the characters of a field that was cut from a line of bytes; a torn last character goes."""
    return field.encode("latin-1").decode("utf-8" if encoding == "utf-16" else encoding, errors="ignore")
