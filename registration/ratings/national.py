"""National lists: the Russian federation's CSV files, one per kind of rating, and the Ukrainian federation's workbook.

Heads are found by their names, in any order. A Russian file is of one kind (standard, rapid or blitz), so its row
carries that rating only; the others stay as an earlier file left them.
"""

from __future__ import annotations

import csv
from collections.abc import Iterable, Sequence

from registration.ratings.rows import Faults, RatedRow, Rows, name_of, number_of, rating_of, year_of
from tourney.kernel.errors import ImportFileError

KINDS = ("standard", "rapid", "blitz")
# Titles a Ukrainian name ends with, in lower case ("Бондар Олена Іванівна кмс").
_UKRAINIAN_TITLES = frozenset(
    ("гр", "мг", "мф", "км", "кмс", "мс", "гросмейстер", "жгр", "жмг", "жмф", "жкм", "мсу", "змс")
)


def read_fsr(lines: Iterable[str], kind: str, faults: Faults) -> Rows:
    """Yield the people of a Russian CSV. ImportFileError ``ratings.not_fsr`` without its heads."""
    reader = csv.reader(lines)
    columns = _columns(next(reader, []), ("ID_No", "Name", "Birthday", "Rtg_Nat"), "ratings.not_fsr")
    while True:
        try:
            cells = next(reader)
        except StopIteration:
            return
        except csv.Error:
            faults.note("ratings.bad_csv", reader.line_num)
            continue
        if any(cells):
            try:
                yield _fsr_row(cells, reader.line_num, columns, kind)
            except ImportFileError as error:
                faults.take(error)


def _columns(heads: Sequence[str], needed: Sequence[str], code: str) -> dict[str, int]:
    found = {head.strip().lstrip("\ufeff"): at for at, head in enumerate(heads)}
    missing = [head for head in needed if head not in found]
    if missing:
        raise ImportFileError(code, 1, missing=", ".join(missing))
    return found


def _cell(cells: Sequence[str], columns: dict[str, int], head: str, line: int) -> tuple[str, int, int]:
    at = columns.get(head, -1)
    if at >= len(cells):
        raise ImportFileError("ratings.cell_missing", line, len(cells), head=head)
    return (cells[at] if at >= 0 else ""), line, at + 1


def _fsr_row(cells: Sequence[str], line: int, columns: dict[str, int], kind: str) -> RatedRow:
    def cell(head: str) -> tuple[str, int, int]:
        return _cell(cells, columns, head, line)

    own, of_fide = rating_of(*cell("Rtg_Nat")), rating_of(*cell("Rtg_Int"))
    fide = cell("Fide_No")[0].strip()
    return RatedRow(
        number_of(*cell("ID_No")),
        name_of(*cell("Name")),
        (cell("Fed")[0].strip() or "RUS")[:3],
        "F" if cell("Sex")[0].strip().lower() in ("f", "w", "ж") else "M",
        year_of(*cell("Birthday")),
        cell("Tit")[0].strip()[:3] if "Tit" in columns else "",
        *(own if kind == one else None for one in KINDS),
        number_of(fide, line, columns["Fide_No"] + 1) if fide not in ("", "0") else "",
        *(of_fide if kind == one else None for one in KINDS),
        False,
        line,
    )


def read_ukrainian(rows: Iterable[Sequence[str]], faults: Faults) -> Rows:
    """Yield the people of a Ukrainian workbook's rows. ImportFileError ``ratings.not_ukrainian`` without its heads."""
    source = iter(rows)
    columns = _columns(next(source, []), ("Fide_No", "Name", "Rtg_Nat"), "ratings.not_ukrainian")
    for line, cells in enumerate(source, start=2):
        if any(cell.strip() for cell in cells):
            try:
                yield _ukrainian_row(cells, line, columns)
            except ImportFileError as error:
                faults.take(error)


def _ukrainian_row(cells: Sequence[str], line: int, columns: dict[str, int]) -> RatedRow:
    def cell(head: str) -> tuple[str, int, int]:
        return _cell(cells, columns, head, line)

    name, title = _without_title(name_of(*cell("Name")))
    return RatedRow(
        number_of(*cell("Fide_No")),
        name,
        "UKR",
        "F" if cell("Sex")[0].strip().lower() in ("w", "f", "ж") else "M",
        year_of(*cell("Birthday")),
        title[:8],
        rating_of(*cell("Rtg_Nat")),
        None,
        None,
        cell("Fide_No")[0].strip(),
        rating_of(*cell("Rtg_Int")),
        None,
        None,
        False,
        line,
    )


def _without_title(name: str) -> tuple[str, str]:
    words = name.split()
    titles = [word for word in words[2:] if word in _UKRAINIAN_TITLES]
    return " ".join(word for word in words if word not in titles), titles[0] if titles else ""
