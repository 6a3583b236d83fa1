"""Tables people send as files: workbooks (XLSX, XLS) and CSV, read as rows of text within firm limits.

A workbook is a zip archive that may inflate to anything, whatever it declares: every member is inflated into a counter
first. The sheet is then read by a process of its own with a limit on memory (`registration.sheet_process`).
"""

from __future__ import annotations

import csv
import io
import json
import subprocess
import sys
import zipfile
import zlib
from dataclasses import dataclass
from pathlib import Path

from registration.sheet_process import LOCKED, TOO_LONG
from tourney.kernel.errors import TourneyError

LARGEST = 2 << 20  # bytes of a table a visitor sends
_OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"  # the container of XLS
_SECONDS = 60
_MOST_MEMBERS = 200
_MOST_RATIO = 200  # an honest sheet of equal rows compresses to 1 : 40 or so


@dataclass(frozen=True, slots=True)
class Limits:
    """How much of a table is read: bytes of the file, bytes inside an archive, rows, columns."""

    size: int = LARGEST
    inflated: int = 20 << 20
    rows: int = 1_000
    columns: int = 60
    megabytes: int = 400  # for the process that reads a workbook


def read_table(content: bytes, limits: Limits = Limits()) -> list[list[str]]:
    """Return a file's rows as text, by its content and not by its name.

    Raises TourneyError ``sheet.too_large``, ``sheet.bomb``, ``sheet.too_long``, ``sheet.locked``,
    ``sheet.unreadable``, ``sheet.not_a_table``.
    """
    if len(content) > limits.size:
        raise TourneyError("sheet.too_large", most=f"{limits.size / (1 << 20):.0f}")
    if content.startswith((b"PK\x03\x04", _OLE)):
        return _read_workbook(content, limits)
    return _read_csv(content, limits)


def _read_workbook(content: bytes, limits: Limits) -> list[list[str]]:
    if content.startswith(b"PK"):
        check_archive(content, inflated=limits.inflated)
    command = [sys.executable, "-m", "registration.sheet_process"]
    command += [str(limits.rows), str(limits.columns), str(limits.megabytes)]
    try:
        done = subprocess.run(
            command,
            input=content,
            capture_output=True,
            check=False,
            timeout=_SECONDS,
            cwd=Path(__file__).resolve().parents[1],
        )
    except subprocess.TimeoutExpired as error:
        raise TourneyError("sheet.bomb") from error
    match done.returncode:
        case 0:
            return [json.loads(line) for line in done.stdout.splitlines()]
        case code if code == TOO_LONG:
            raise TourneyError("sheet.too_long", rows=limits.rows, columns=limits.columns)
        case code if code == LOCKED:
            raise TourneyError("sheet.locked")
        case code if code < 0:  # killed: it asked for more memory or time than it may have
            raise TourneyError("sheet.bomb")
        case _:
            raise TourneyError("sheet.unreadable")


def check_archive(content: bytes, *, inflated: int) -> None:
    """Inflate every member of an archive into a counter. TourneyError ``sheet.bomb``, ``sheet.unreadable``."""
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            members = archive.infolist()
            if len(members) > _MOST_MEMBERS:
                raise TourneyError("sheet.bomb")
            total = 0
            for member in members:
                counted = _inflated_size(content, member, inflated - total)
                total += counted
                if total > inflated or counted > _MOST_RATIO * max(member.compress_size, 1_000):
                    raise TourneyError("sheet.bomb")
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, ValueError) as error:
        raise TourneyError("sheet.unreadable") from error


def _inflated_size(content: bytes, member: zipfile.ZipInfo, most: int) -> int:
    """Return how many bytes a member really holds, stopping above `most`; its own word is not taken."""
    at = member.header_offset
    header = content[at : at + 30]
    if len(header) < 30 or header[:4] != b"PK\x03\x04":
        raise zipfile.BadZipFile
    start = at + 30 + int.from_bytes(header[26:28], "little") + int.from_bytes(header[28:30], "little")
    packed = content[start : start + member.compress_size]
    if member.compress_type == zipfile.ZIP_STORED:
        return len(packed)
    if member.compress_type != zipfile.ZIP_DEFLATED:
        raise zipfile.BadZipFile  # no spreadsheet program packs in another way
    inflater, total = zlib.decompressobj(-15), 0
    while packed and not inflater.eof and total <= most:
        total += len(inflater.decompress(packed, 1 << 20))
        packed = inflater.unconsumed_tail
    return total


def _read_csv(content: bytes, limits: Limits) -> list[list[str]]:
    text = decode(content)
    head = text[:4000].split("\n", 1)[0]
    separator = max(";,\t", key=head.count)
    rows: list[list[str]] = []
    try:
        for row in csv.reader(io.StringIO(text, newline=""), delimiter=separator):
            rows.append(row)
            if len(rows) > limits.rows or len(row) > limits.columns:
                raise TourneyError("sheet.too_long", rows=limits.rows, columns=limits.columns)
    except csv.Error as error:
        raise TourneyError("sheet.not_a_table") from error
    return rows


def decode(content: bytes) -> str:
    """Return a text file's words: UTF-8 or UTF-16 by its mark, strict UTF-8, else windows-1251.

    Raises TourneyError ``sheet.not_a_table`` for what is no text: a picture, a PDF.
    """
    if content.startswith((b"\xff\xfe", b"\xfe\xff")):
        encodings = ["utf-16"]
    else:
        encodings = ["utf-8-sig", "cp1251"]
    if content.startswith((b"%PDF", b"\xff\xd8\xff", b"\x89PNG", b"GIF8", b"RIFF")) or b"\0" in content[:2000].replace(
        b"\0", b"" if encodings == ["utf-16"] else b"\0"
    ):
        raise TourneyError("sheet.not_a_table")
    for encoding in encodings:
        try:
            return content.decode(encoding)
        except UnicodeDecodeError:
            continue
    raise TourneyError("sheet.not_a_table")
