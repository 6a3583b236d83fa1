"""A backup: every table as it was at one moment, and the files of the data folder that no table holds.

A return needs an empty machine: no event and no account in the database. It is checked whole before a row is written.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from django.conf import settings
from django.utils import timezone

from tourney.backups import box as boxes
from tourney.backups import tables
from tourney.kernel.errors import TourneyError
from tourney.laptop.folder import DataFolder

KIND = "installation"
SUFFIX = ".backup"
_NAME = re.compile(r"^tourney-\d{8}T\d{6}Z(-\d+)?\.backup$")


@dataclass(frozen=True, slots=True)
class Made:
    """One backup that was written."""

    path: Path
    size: int  # bytes
    seconds: float
    forgotten: tuple[Path, ...]  # older ones removed


@dataclass(frozen=True, slots=True)
class Returned:
    """What a return brought."""

    made_at: datetime
    rows: int
    files: int


def make_backup(folder: Path, *, passphrase: str = "", keep: int = 0, now: datetime | None = None) -> Made:
    """Write a backup into a folder (made when missing), and remove the oldest beyond `keep` (0: none).

    Raises OSError when the folder can't be written; nothing half made is left then, and nothing old is removed.
    """
    moment = now or timezone.now()
    started = timezone.now()
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    path = _free_name(folder, moment)
    about: dict[str, Any] = {"made_at": moment.astimezone(UTC).isoformat()}
    with boxes.new_box(path, KIND, about, passphrase) as box:
        with tables.one_moment() as cursor:
            about["tables"] = tables.write_tables(cursor, box)
        for name, file in files_of(settings.DATA_FOLDER):
            box.add(f"files/{name}", file.read_bytes())
    seconds = (timezone.now() - started).total_seconds()
    return Made(path, path.stat().st_size, seconds, _forget(folder, keep))


def restore(path: Path, *, passphrase: str = "") -> Returned:
    """Bring an installation back from a backup, into an empty database; older releases' rows are brought up to date.

    Raises TourneyError ``backup.not_empty``, ``backup.newer_release``, and those of `tourney.backups.box.opened`;
    OSError when the file can't be read.
    """
    if not tables.is_empty():
        raise TourneyError("backup.not_empty")
    with path.open("rb") as file, boxes.opened(file, KIND, passphrase) as found:
        rows = tables.read_tables(found)
        files = _put_files(found, settings.DATA_FOLDER)
        return Returned(datetime.fromisoformat(found.about["made_at"]), rows, files)


# -- files -------------------------------------------------------------------------------------------------------------


def files_of(folder: DataFolder) -> Iterator[tuple[str, Path]]:
    """Give the files a data folder holds for good: the key that signs, the hall's authority, letters as files.

    Not what can be made again (static files, cache, messages: jobs are rows) nor the database itself.
    """
    for name in ("secret-key", "demo-logins.txt", "demo-loaded"):
        if (folder.root / name).is_file():
            yield name, folder.root / name
    for part in (folder.authority, folder.mail):
        for file in sorted(part.rglob("*")) if part.is_dir() else ():
            if file.is_file() and not file.is_symlink():
                yield file.relative_to(folder.root).as_posix(), file


def _put_files(found: boxes.Box, folder: DataFolder) -> int:
    names = found.names("files/")
    for member in names:
        target = (folder.root / member.removeprefix("files/")).resolve()
        if not target.is_relative_to(folder.root.resolve()):
            raise TourneyError("backup.damaged", member=member)
        target.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        fresh = target.with_name(f".{target.name}.part")
        descriptor = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(descriptor, "wb") as file:
            file.write(found.read(member))
        fresh.replace(target)
    return len(names)


# -- which are kept ----------------------------------------------------------------------------------------------------


def backups_in(folder: Path) -> list[Path]:
    """Return the backups of a folder, the oldest first."""
    return sorted((path for path in folder.glob(f"tourney-*{SUFFIX}") if _NAME.match(path.name)), key=_order)


def _order(path: Path) -> tuple[str, int]:
    stamp, _, number = path.name.removeprefix("tourney-").removesuffix(SUFFIX).partition("-")
    return stamp, int(number or 1)


def _free_name(folder: Path, moment: datetime) -> Path:
    """Return a name that comes after those of all other backups, also where the clock was put back since the newest.

    Else the new one would pass for the oldest, and be thrown away at once.
    """
    stamp, number = moment.astimezone(UTC).strftime("%Y%m%dT%H%M%SZ"), 1
    newest = backups_in(folder)[-1:]
    if newest and _order(newest[0])[0] >= stamp:
        stamp, number = _order(newest[0])[0], _order(newest[0])[1] + 1
    return folder / f"tourney-{stamp}{f'-{number}' if number > 1 else ''}{SUFFIX}"


def _forget(folder: Path, keep: int) -> tuple[Path, ...]:
    old = backups_in(folder)[:-keep] if keep else []
    for path in old:
        path.unlink(missing_ok=True)
    return tuple(old)
