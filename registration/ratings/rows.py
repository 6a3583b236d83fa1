"""One person of a rating list, as any list tells of him, and what a reader says of lines it can't read."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from tourney.kernel.errors import ImportFileError

MOST_FAULTS = 200  # kept for the report; what goes beyond is counted


class RatedRow(NamedTuple):
    """A person as published. Ratings are whole numbers or None for unrated; `line` is the line (or row) of the file."""

    number: str
    name: str
    federation: str
    sex: str  # "M", "F" or "" where the list does not say
    birth_year: int | None
    title: str
    standard: int | None
    rapid: int | None
    blitz: int | None
    fide_number: str  # national lists name it; in the FIDE list empty
    fide_standard: int | None
    fide_rapid: int | None
    fide_blitz: int | None
    inactive: bool
    line: int


@dataclass(slots=True)
class Faults:
    """Lines that can't be read, with the place of the fault; the rest of the file is read all the same."""

    found: list[dict[str, Any]] = field(default_factory=list)
    count: int = 0

    def note(self, code: str, line: int, column: int = 0, **values: Any) -> None:
        self.count += 1
        if len(self.found) < MOST_FAULTS:
            self.found.append({"code": code, "line": line, "column": column, "values": values})

    def take(self, error: ImportFileError) -> None:
        values = {key: value for key, value in error.values.items() if key not in ("line", "column")}
        self.note(error.code, error.line, error.column, **values)


Rows = Iterator[RatedRow]


def number_of(text: str, line: int, column: int) -> str:
    """Return a person's number in the list. ImportFileError ``ratings.bad_number``."""
    number = text.strip()
    if not (number.isascii() and number.isdecimal() and len(number) <= 12) or not int(number):
        raise ImportFileError("ratings.bad_number", line, column, text=_short(text))
    return number


def rating_of(text: str, line: int, column: int) -> int | None:
    """Return a rating; empty and 0 mean none. ImportFileError ``ratings.bad_rating``."""
    plain = text.strip()
    if not plain:
        return None
    if not (plain.isascii() and plain.isdecimal()) or len(plain) > 4 or int(plain) > 4000:
        raise ImportFileError("ratings.bad_rating", line, column, text=_short(text))
    return int(plain) or None


def year_of(text: str, line: int, column: int) -> int | None:
    """Return a year of birth; empty, 0 and 0000 mean unknown, a whole date gives its year.

    ImportFileError ``ratings.bad_year``.
    """
    plain = text.strip()
    if len(plain) == 10 and plain.isascii():  # 17.05.2012, 2012-05-17, 2012/05/17
        plain = plain[:4] if plain[:4].isdecimal() else plain[6:]
    if plain in ("", "0", "00", "0000"):
        return None
    if not (plain.isascii() and plain.isdecimal()) or not 1850 <= int(plain) <= 2100:
        raise ImportFileError("ratings.bad_year", line, column, text=_short(text))
    return int(plain)


def name_of(text: str, line: int, column: int) -> str:
    """Return a name on one line. ImportFileError ``ratings.no_name``."""
    name = text.strip()
    if not name or not any(sign.isalpha() for sign in name):
        raise ImportFileError("ratings.no_name", line, column)
    return name if name.isprintable() and "  " not in name else " ".join(_printable(name).split())


def _printable(text: str) -> str:
    return "".join(sign if sign.isprintable() else " " for sign in text)


def _short(text: str) -> str:
    return _printable(text).strip()[:30]
