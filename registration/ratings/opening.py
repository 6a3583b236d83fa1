"""Opening a list's file by its content: which federation's it is, and its people one after another.

Archives are opened within limits: few members, no more inflated than the largest list there is, no ratio only a bomb
has. A member is never read beyond the size its archive declares, so a lie about the size gains nothing.
"""

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import cast

from registration import sheets
from registration.ratings import fide, national
from registration.ratings.rows import Faults, Rows
from tourney.kernel.errors import ImportFileError, TourneyError

MOST_INFLATED = 2 << 30  # the FIDE list in XML has about 850 MB
_MOST_RATIO = 100  # the same list packs to 1 : 17
_MOST_MEMBERS = 20
_WORKBOOK = sheets.Limits(size=40 << 20, inflated=400 << 20, rows=200_000, columns=40, megabytes=1500)
_OLE = b"\xd0\xcf\x11\xe0"


@dataclass(frozen=True, slots=True)
class Opened:
    """A list ready to be read: whose it is, of which ratings ("all" or one kind), and its people."""

    source: str  # "fide", "fsr", "ucf"
    kind: str
    rows: Rows
    position: Callable[[], int] = lambda: 0  # how many bytes of the file as it came have been read


@contextmanager
def open_list(path: Path, faults: Faults, *, kind: str = "", name: str = "") -> Iterator[Opened]:
    """Open a list's file, packed or not. `kind` says which ratings a Russian file holds; empty: by its name.

    Raises TourneyError ``ratings.unknown_file``, ``ratings.archive``, ``ratings.say_kind`` and what the readers say.
    """
    with path.open("rb", buffering=1 << 20) as file:
        start = file.read(4)
        file.seek(0)
        if start == b"PK\x03\x04":
            try:
                with zipfile.ZipFile(file) as archive:
                    member = _member(archive)
                    if member is not None:
                        with archive.open(member) as inner:
                            found = _opened(cast(zipfile.ZipExtFile, inner), faults, kind, member.filename)
                            yield replace(found, position=file.tell)
                        return
            except (zipfile.BadZipFile, NotImplementedError, EOFError) as error:
                raise TourneyError("ratings.archive") from error
            file.seek(0)
        yield replace(_opened(file, faults, kind, name or path.name), position=file.tell)


def _member(archive: zipfile.ZipFile) -> zipfile.ZipInfo | None:
    """Return the list inside an archive; None when the archive is a workbook itself."""
    members = [one for one in archive.infolist() if not one.is_dir()]
    if any(one.filename == "[Content_Types].xml" for one in members):
        return None
    if not members or len(members) > _MOST_MEMBERS:
        raise TourneyError("ratings.archive")
    found = max(members, key=lambda one: one.file_size)
    if found.file_size > MOST_INFLATED or found.file_size > _MOST_RATIO * max(found.compress_size, 10_000):
        raise TourneyError("ratings.archive")
    return found


def _opened(file: io.BufferedReader | zipfile.ZipExtFile, faults: Faults, kind: str, name: str) -> Opened:
    start = file.peek(200)[:200].lstrip(b"\xef\xbb\xbf")
    if start.startswith((b"PK\x03\x04", _OLE)):
        table = sheets.read_table(file.read(_WORKBOOK.size + 1), _WORKBOOK)
        return Opened("ucf", "all", national.read_ukrainian(table, faults))
    if start.startswith(b"ID Number"):
        return Opened("fide", "all", fide.read_text(file, faults))
    if start.lstrip().startswith(b"<"):
        return Opened("fide", "all", fide.read_xml(file, faults))
    if b"ID_No" in start.split(b"\n", 1)[0]:
        found = kind or next((one for one in national.KINDS if one in name.lower()), "")
        if found not in national.KINDS:
            raise TourneyError("ratings.say_kind")
        lines = (line.decode("utf-8", "replace").lstrip("\ufeff") for line in file)
        return Opened("fsr", found, national.read_fsr(lines, found, faults))
    raise ImportFileError("ratings.unknown_file", 1)
