"""The FIDE rating list: the combined file of fixed columns, and the XML file; both are read as they come, never whole.

Columns of the text file are taken from its first line, so the list with and without the FOA column is read alike.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import IO, Any
from xml.parsers import expat

from registration.ratings.rows import Faults, RatedRow, Rows, name_of, number_of, rating_of, year_of
from tourney.kernel.errors import ImportFileError

# Heads of the text file, in their order: only these are used.
_HEADS = ("ID Number", "Name", "Fed", "Sex", "Tit", "SRtng", "RRtng", "BRtng", "B-day", "Flag")
_CHUNK = 1 << 18
_LONGEST_LINE = 2000


def read_text(lines: Iterable[bytes], faults: Faults) -> Rows:
    """Yield the people of the file of fixed columns. ImportFileError ``ratings.not_fide`` without its head line."""
    source = iter(lines)
    head = next(source, b"").decode("utf-8-sig", "replace")
    cut = _columns(head)
    for number, raw in enumerate(source, start=2):
        if not raw.strip():
            continue
        if len(raw) > _LONGEST_LINE:
            faults.note("ratings.line_too_long", number)
            continue
        line = _decoded(raw)
        try:
            yield _text_row(line, number, cut)
        except ImportFileError as error:
            faults.take(error)


def _columns(head: str) -> dict[str, tuple[int, int]]:
    """Return where each column begins and ends: at its head, and where the next head begins."""
    starts: list[int] = []
    blank = True
    for at, sign in enumerate(head.rstrip()):
        if sign != " " and blank:
            starts.append(at)
        blank = sign == " "
    found: dict[str, tuple[int, int]] = {}
    for name in _HEADS:
        at = _head_at(head, name)
        if at < 0:
            raise ImportFileError("ratings.not_fide", 1, missing=name)
        end = next((start for start in starts if start >= at + len(name)), at + 40)
        found[name] = (at, end)
    return found


def _head_at(head: str, name: str) -> int:
    """Return where a head stands as a word of its own ("Tit" is also in "WTit")."""
    at = head.find(name)
    while at > 0 and head[at - 1] != " ":
        at = head.find(name, at + 1)
    return at


def _decoded(raw: bytes) -> str:
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError:
        return raw.decode("cp1252", "replace")


def _text_row(line: str, number: int, cut: dict[str, tuple[int, int]]) -> RatedRow:
    def part(name: str) -> tuple[str, int, int]:
        start, end = cut[name]
        return line[start:end], number, start + 1

    sex, at_line, column = part("Sex")
    sex = sex.strip()
    if sex not in ("M", "F", ""):
        raise ImportFileError("ratings.shifted", at_line, column, text=sex[:10])
    flag = part("Flag")[0].strip()
    return RatedRow(
        number_of(*part("ID Number")),
        name_of(*part("Name")),
        part("Fed")[0].strip()[:3],
        sex,
        year_of(*part("B-day")),
        part("Tit")[0].strip()[:3],
        rating_of(*part("SRtng")),
        rating_of(*part("RRtng")),
        rating_of(*part("BRtng")),
        "",
        None,
        None,
        None,
        "i" in flag,
        number,
    )


def read_xml(file: IO[bytes], faults: Faults) -> Rows:
    """Yield the people of the XML file.

    Raises ImportFileError ``ratings.xml_declares`` for a file that declares a document type or entities (the list has
    none, a bomb needs them), ``ratings.bad_xml`` with the place where the file stops being XML.
    """
    reader = _XmlReader(faults)
    while chunk := file.read(_CHUNK):
        yield from reader.feed(chunk)
    yield from reader.feed(b"", last=True)


class _XmlReader:
    """Collects the fields of one `player` after another; knows the line it is at."""

    def __init__(self, faults: Faults) -> None:
        self.faults = faults
        self.rows: list[RatedRow] = []
        self.fields: dict[str, str] = {}
        self.text = ""
        self.inside = False
        self.parser = expat.ParserCreate()
        self.parser.buffer_text = True
        self.parser.StartElementHandler = self._start
        self.parser.EndElementHandler = self._end
        self.parser.CharacterDataHandler = self._characters
        self.parser.StartDoctypeDeclHandler = self._refuse
        self.parser.EntityDeclHandler = self._refuse

    def feed(self, chunk: bytes, *, last: bool = False) -> Iterator[RatedRow]:
        try:
            self.parser.Parse(chunk, last)
        except expat.ExpatError as error:
            raise ImportFileError("ratings.bad_xml", error.lineno, error.offset + 1) from error
        found, self.rows = self.rows, []
        return iter(found)

    def _refuse(self, *_: Any) -> None:
        raise ImportFileError("ratings.xml_declares", self.parser.CurrentLineNumber)

    def _start(self, name: str, _attributes: dict[str, str]) -> None:
        self.text = ""
        if name == "player":
            self.fields, self.inside = {}, True

    def _characters(self, text: str) -> None:
        if len(self.text) < _LONGEST_LINE:
            self.text += text

    def _end(self, name: str) -> None:
        if name != "player":
            if self.inside:
                self.fields[name] = self.text
            self.text = ""
            return
        self.inside = False
        try:
            self.rows.append(self._row())
        except ImportFileError as error:
            self.faults.take(error)

    def _row(self) -> RatedRow:
        field, line = self.fields.get, self.parser.CurrentLineNumber
        sex = field("sex", "").strip()
        return RatedRow(
            number_of(field("fideid", ""), line, 0),
            name_of(field("name", ""), line, 0),
            field("country", "").strip()[:3],
            sex if sex in ("M", "F") else "",
            year_of(field("birthday", ""), line, 0),
            field("title", "").strip()[:3],
            rating_of(field("rating", ""), line, 0),
            rating_of(field("rapid_rating", ""), line, 0),
            rating_of(field("blitz_rating", ""), line, 0),
            "",
            None,
            None,
            None,
            "i" in field("flag", ""),
            line,
        )
