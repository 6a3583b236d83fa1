"""Reads a workbook (XLSX, XLS) from standard input and writes its first sheet as lines of JSON: a process of its own.

A small workbook can claim a cell in the last row and the last column, and a reader then asks for gigabytes. Here the
operating system says no, and the program that asked only sees that this process ended. Run by `registration.sheets`:
`python -m registration.sheet_process ROWS COLUMNS MEGABYTES`.
"""

from __future__ import annotations

import io
import json
import resource
import sys
from datetime import date, datetime
from typing import Any

from python_calamine import CalamineError, CalamineWorkbook, PasswordError

TOO_LONG = 3  # exit codes
UNREADABLE = 4
LOCKED = 5


def text_of(value: Any) -> str:
    """Return a cell as a person sees it: whole numbers without a point, days as 2012-05-17."""
    match value:
        case bool():
            return str(value).upper()
        case float() if value.is_integer():
            return str(int(value))
        case datetime():
            return f"{value:%Y-%m-%d}" if value.hour == value.minute == 0 else f"{value:%Y-%m-%d %H:%M}"
        case date():
            return f"{value:%Y-%m-%d}"
        case _:
            return str(value)


def main() -> int:
    rows, columns, megabytes = (int(text) for text in sys.argv[1:4])
    if sys.platform != "darwin":  # which has no limit on address space
        resource.setrlimit(resource.RLIMIT_AS, (megabytes << 20, megabytes << 20))
    resource.setrlimit(resource.RLIMIT_CPU, (60, 60))
    try:
        workbook = CalamineWorkbook.from_filelike(io.BytesIO(sys.stdin.buffer.read()))
        sheet = workbook.get_sheet_by_index(0)
        if sheet.total_height > rows or sheet.total_width > columns:
            return TOO_LONG
        for row in sheet.iter_rows():
            sys.stdout.write(json.dumps([text_of(cell) for cell in row], ensure_ascii=True))
            sys.stdout.write("\n")
    except PasswordError:
        return LOCKED
    except (CalamineError, OSError, ValueError, IndexError, MemoryError):
        return UNREADABLE
    return 0


if __name__ == "__main__":
    sys.exit(main())
