"""Tables as XLSX files a spreadsheet opens safely: text is text and never a formula, amounts are numbers.

The file is written by the standard library: a few small parts of XML in a ZIP. Texts are inline strings, and one that
begins like a formula carries the mark Excel itself writes for a leading apostrophe, so that it stays text when somebody
edits the cell.
"""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from typing import Any
from xml.sax.saxutils import escape, quoteattr

from django.http import HttpResponse

from tourney.kernel.money import Money

CONTENT_TYPE = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
_FORMULA = ("=", "+", "-", "@", "\t", "\r")
_NOT_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_NOT_IN_A_TITLE = re.compile(r"[\[\]:*?/\\]")
_LONGEST_TEXT, _LONGEST_TITLE, _WIDEST = 32_767, 31, 60
_PLAIN, _HEAD, _AMOUNT, _GUARDED, _DAY = range(5)  # cell formats, as `_STYLES` numbers them
_NAMESPACE = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"'
_RELATIONS = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_DECLARED = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>'
_STYLES = (
    f'{_DECLARED}<styleSheet {_NAMESPACE}><numFmts count="1"><numFmt numFmtId="164" formatCode="yyyy\\-mm\\-dd"/>'
    '</numFmts><fonts count="2"><font><sz val="11"/><name val="Calibri"/></font><font><b/><sz val="11"/>'
    '<name val="Calibri"/></font></fonts><fills count="2"><fill><patternFill patternType="none"/></fill><fill>'
    '<patternFill patternType="gray125"/></fill></fills><borders count="1"><border/></borders><cellStyleXfs count="1">'
    '<xf/></cellStyleXfs><cellXfs count="5"><xf/><xf fontId="1" applyFont="1"/><xf numFmtId="4" applyNumberFormat="1"/>'
    '<xf quotePrefix="1"/><xf numFmtId="164" applyNumberFormat="1"/></cellXfs></styleSheet>'
)
_EPOCH = date(1899, 12, 30)  # day zero of spreadsheets


@dataclass(frozen=True, slots=True)
class Sheet:
    """One table: its title on the tab, its heading, and rows of text, whole numbers, amounts, days or nothing."""

    title: str
    head: Sequence[str]
    rows: Iterable[Sequence[Any]]


def xlsx_response(name: str, sheets: Sequence[Sheet]) -> HttpResponse:
    """Return a workbook to download."""
    response = HttpResponse(workbook(sheets), content_type=CONTENT_TYPE)
    response["Content-Disposition"] = f'attachment; filename="{name}.xlsx"'
    response["Cache-Control"] = "no-store"
    return response


def workbook(sheets: Sequence[Sheet]) -> bytes:
    """Return the bytes of a workbook."""
    file = io.BytesIO()
    numbers = range(1, len(sheets) + 1)
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as parts:
        parts.writestr("[Content_Types].xml", _content_types(numbers))
        parts.writestr("_rels/.rels", _relations([("officeDocument", "xl/workbook.xml")]))
        targets = [("worksheet", f"worksheets/sheet{number}.xml") for number in numbers]
        parts.writestr("xl/_rels/workbook.xml.rels", _relations([*targets, ("styles", "styles.xml")]))
        parts.writestr("xl/workbook.xml", _book(_titles(sheets)))
        parts.writestr("xl/styles.xml", _STYLES)
        for number, sheet in enumerate(sheets, start=1):
            parts.writestr(f"xl/worksheets/sheet{number}.xml", _table(sheet))
    return file.getvalue()


def _table(sheet: Sheet) -> str:
    rows = [list(row) for row in sheet.rows]
    widths = [
        min(_WIDEST, 2 + max(len(_shown(row[place])) for row in [sheet.head, *rows] if place < len(row)))
        for place in range(len(sheet.head))
    ]
    columns = "".join(
        f'<col min="{place}" max="{place}" width="{width}" customWidth="1"/>' for place, width in enumerate(widths, 1)
    )
    lines = [_row(1, sheet.head, head=True), *(_row(number, row) for number, row in enumerate(rows, start=2))]
    return (
        f'{_DECLARED}<worksheet {_NAMESPACE}><sheetViews><sheetView workbookViewId="0"><pane ySplit="1"'
        f' topLeftCell="A2" activePane="bottomLeft" state="frozen"/></sheetView></sheetViews><cols>{columns}</cols>'
        f"<sheetData>{''.join(lines)}</sheetData></worksheet>"
    )


def _row(number: int, cells: Sequence[Any], *, head: bool = False) -> str:
    written = (_cell(f"{_letters(place)}{number}", value, head=head) for place, value in enumerate(cells, start=1))
    return f'<row r="{number}">{"".join(written)}</row>'


def _cell(place: str, value: Any, *, head: bool) -> str:
    match value:
        case None | "":
            return ""
        case Money():
            return f'<c r="{place}" s="{_AMOUNT}"><v>{value.major:f}</v></c>'
        case bool():
            return _text(place, str(value), _PLAIN)
        case int() | Decimal():
            return f'<c r="{place}"><v>{value}</v></c>'
        case datetime():
            return _text(place, f"{value:%Y-%m-%d %H:%M:%S}", _PLAIN)
        case date():
            return f'<c r="{place}" s="{_DAY}"><v>{(value - _EPOCH).days}</v></c>'
        case _:
            text = str(value)
            return _text(place, text, _HEAD if head else _GUARDED if text.startswith(_FORMULA) else _PLAIN)


def _text(place: str, text: str, form: int) -> str:
    clean = _NOT_XML.sub("", text)[:_LONGEST_TEXT]
    style = f' s="{form}"' if form else ""
    return f'<c r="{place}"{style} t="inlineStr"><is><t xml:space="preserve">{escape(clean)}</t></is></c>'


def _shown(value: Any) -> str:
    return "" if value is None else f"{value.major:f}" if isinstance(value, Money) else str(value)


def _letters(place: int) -> str:
    """Return a column's letters: 1 → A, 27 → AA."""
    letters = ""
    while place:
        place, rest = divmod(place - 1, 26)
        letters = chr(65 + rest) + letters
    return letters


def _titles(sheets: Sequence[Sheet]) -> list[str]:
    """Return titles a spreadsheet accepts: short, without its own signs, each once."""
    found: list[str] = []
    for number, sheet in enumerate(sheets, start=1):
        title = _NOT_IN_A_TITLE.sub(" ", _NOT_XML.sub("", sheet.title)).strip("' ")[:_LONGEST_TITLE] or str(number)
        if title.casefold() in {one.casefold() for one in found}:
            title = f"{title[: _LONGEST_TITLE - 4]} {number}"
        found.append(title)
    return found


def _book(titles: Sequence[str]) -> str:
    sheets = "".join(
        f'<sheet name={quoteattr(title)} sheetId="{number}" r:id="rId{number}"/>'
        for number, title in enumerate(titles, 1)
    )
    return f'{_DECLARED}<workbook {_NAMESPACE} xmlns:r="{_RELATIONS}"><sheets>{sheets}</sheets></workbook>'


def _relations(targets: Sequence[tuple[str, str]]) -> str:
    rows = "".join(
        f'<Relationship Id="rId{number}" Type="{_RELATIONS}/{kind}" Target="{target}"/>'
        for number, (kind, target) in enumerate(targets, start=1)
    )
    package = "http://schemas.openxmlformats.org/package/2006/relationships"
    return f'{_DECLARED}<Relationships xmlns="{package}">{rows}</Relationships>'


def _content_types(numbers: Iterable[int]) -> str:
    kind = "application/vnd.openxmlformats-officedocument.spreadsheetml"
    sheets = "".join(
        f'<Override PartName="/xl/worksheets/sheet{number}.xml" ContentType="{kind}.worksheet+xml"/>'
        for number in numbers
    )
    return (
        f'{_DECLARED}<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">'
        '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
        '<Default Extension="xml" ContentType="application/xml"/>'
        f'<Override PartName="/xl/workbook.xml" ContentType="{kind}.sheet.main+xml"/>'
        f'<Override PartName="/xl/styles.xml" ContentType="{kind}.styles+xml"/>{sheets}</Types>'
    )
