"""Lists as CSV files that a spreadsheet opens safely: no cell is taken for a formula, letters keep their form."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from django.http import StreamingHttpResponse

_FORMULA = ("=", "+", "-", "@", "\t", "\r")


def safe_cell(value: Any) -> str:
    """Return a cell no spreadsheet takes for a formula. Numbers stay numbers: only text is guarded."""
    if value is None:
        return ""
    if isinstance(value, int):
        return str(value)
    text = " ".join(str(value).split())
    return f"'{text}" if text.startswith(_FORMULA) else text


def csv_response(name: str, rows: Iterable[Sequence[str]]) -> StreamingHttpResponse:
    """Return a file of rows whose cells are safe already; they leave as they are made."""

    def lines() -> Iterator[str]:
        yield "\ufeff"  # spreadsheets read UTF-8 by this mark
        writer = csv.writer(_Echo())
        for row in rows:
            yield writer.writerow(row)

    response = StreamingHttpResponse(lines(), content_type="text/csv; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="{name}.csv"'
    return response


class _Echo:
    """A file that gives back what is written."""

    def write(self, line: str) -> str:
        return line
