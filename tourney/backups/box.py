"""A box: a zip file with a manifest of what must be in it, closed by a passphrase if one is given.

    manifest.json            kind, format, what the maker says about it, and each member's size and SHA-256
    tables/….copy, files/…   the members

A box appears whole or not at all (written aside, then renamed), and is opened only when every member has the size and
the sum its manifest says and no member is missing or on top. The members' own times are never written, so equal
contents make equal bytes.
"""

from __future__ import annotations

import hashlib
import json
import os
import tempfile
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any

from tourney.backups import sealing
from tourney.kernel.errors import TourneyError

FORMAT = 1
MANIFEST = "manifest.json"
_PIECE = 1 << 20
_LARGEST_MANIFEST = 32 << 20
# What reading a damaged zip may raise, whatever part of it is damaged.
_UNREADABLE = (zipfile.BadZipFile, zlib.error, EOFError, OSError, ValueError, NotImplementedError, RuntimeError)
_TIMELESS = (1980, 1, 1, 0, 0, 0)


@dataclass(slots=True)
class BoxWriter:
    """Takes members one after another; the manifest is written when the box is closed."""

    archive: zipfile.ZipFile
    members: dict[str, dict[str, Any]] = field(default_factory=dict)

    @contextmanager
    def member(self, name: str) -> Iterator[Counted]:
        """Give a file to write one member into."""
        if name in self.members or name == MANIFEST:
            raise ValueError(f"{name} is in the box already")
        with self.archive.open(_timeless(name), "w", force_zip64=True) as raw:
            counted = Counted(raw)
            yield counted
        self.members[name] = {"size": counted.size, "sha256": counted.digest.hexdigest()}

    def add(self, name: str, content: bytes) -> None:
        """Add one member that is at hand."""
        with self.member(name) as file:
            file.write(content)


@dataclass(slots=True)
class Counted:
    """A file that knows how much was written into it, and its sum."""

    raw: IO[bytes]
    size: int = 0
    digest: Any = field(default_factory=hashlib.sha256)

    def write(self, piece: bytes | memoryview) -> int:
        self.digest.update(piece)
        self.size += len(piece)
        return self.raw.write(piece)


@dataclass(frozen=True, slots=True)
class Box:
    """An opened box whose members are what its manifest says."""

    archive: zipfile.ZipFile
    about: Mapping[str, Any]
    members: Mapping[str, Mapping[str, Any]]

    def open(self, name: str) -> IO[bytes]:
        return self.archive.open(name)

    def read(self, name: str) -> bytes:
        return self.archive.read(name)

    def names(self, folder: str) -> list[str]:
        """Return the members of a folder ("tables/"), in order."""
        return sorted(name for name in self.members if name.startswith(folder))


@contextmanager
def new_box(path: Path, kind: str, about: Mapping[str, Any], passphrase: str = "") -> Iterator[BoxWriter]:
    """Make a box at `path`, readable by its owner only; what fails inside leaves nothing behind.

    `about` may be filled until the box is closed. The folder is asked to keep the new name before this returns.
    """
    aside = path.with_name(f".{path.name}.{os.getpid()}.part")
    descriptor = os.open(aside, os.O_RDWR | os.O_CREAT | os.O_TRUNC, 0o600)
    try:
        with os.fdopen(descriptor, "wb") as file:
            with box_into(file, kind, about, passphrase) as box:
                yield box
            file.flush()
            os.fsync(file.fileno())
        aside.replace(path)
        _keep_name(path.parent)
    finally:
        aside.unlink(missing_ok=True)


@contextmanager
def box_into(file: Any, kind: str, about: Mapping[str, Any], passphrase: str = "") -> Iterator[BoxWriter]:
    """Make a box in whatever takes what is written to it (`write`, `flush`). What fails inside leaves no whole box."""
    if passphrase:
        with sealing.sealed(file, passphrase) as closed, zipfile.ZipFile(closed, "w") as archive:  # type: ignore[arg-type]
            yield from _filled(archive, kind, about)
    else:
        with zipfile.ZipFile(file, "w") as archive:
            yield from _filled(archive, kind, about)


def _filled(archive: zipfile.ZipFile, kind: str, about: Mapping[str, Any]) -> Iterator[BoxWriter]:
    writer = BoxWriter(archive)
    yield writer
    manifest = {"format": FORMAT, "kind": kind, "about": dict(about), "members": writer.members}
    archive.writestr(_timeless(MANIFEST), json.dumps(manifest, sort_keys=True, indent=1, ensure_ascii=False))


def _timeless(name: str) -> zipfile.ZipInfo:
    info = zipfile.ZipInfo(name, _TIMELESS)
    info.compress_type = zipfile.ZIP_DEFLATED
    info.create_system = 3
    info.external_attr = 0o600 << 16
    return info


def _keep_name(folder: Path) -> None:
    """Ask the disk to keep a new name in a folder: a power cut must not take back what was promised."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


@contextmanager
def opened(file: IO[bytes], kind: str, passphrase: str = "", *, most: int = 0) -> Iterator[Box]:
    """Open a box and check the whole of it before anything is read; `most` bytes may be in it, or any number (0).

    Raises TourneyError ``backup.too_large_inside``, ``backup.no_box``, ``backup.damaged`` (member),
    ``backup.other_kind``, ``backup.newer_format``, ``backup.needs_passphrase``, ``backup.wrong_passphrase``.
    """
    if sealing.is_sealed(file):
        if not passphrase:
            raise TourneyError("backup.needs_passphrase")
        with tempfile.TemporaryFile() as plain:  # has no name, so nobody else can read what was sealed
            sealing.unseal(file, plain, passphrase)
            plain.seek(0)
            yield from _checked(plain, kind, most)
    else:
        yield from _checked(file, kind, most)


def _checked(file: IO[bytes], kind: str, most: int) -> Iterator[Box]:
    try:
        archive = zipfile.ZipFile(file)
    except _UNREADABLE as error:
        raise TourneyError("backup.no_box") from error
    with archive:
        yield _check(archive, kind, most)


def _check(archive: zipfile.ZipFile, kind: str, most: int) -> Box:
    try:
        info = archive.getinfo(MANIFEST)
        if info.file_size > _LARGEST_MANIFEST:
            raise TourneyError("backup.damaged", member=MANIFEST)
        manifest = json.loads(archive.read(info))
        found, members, about = manifest["kind"], manifest["members"], manifest["about"]
        listed = {name: (int(one["size"]), str(one["sha256"])) for name, one in members.items()}
        version = int(manifest["format"])
    except KeyError as error:
        raise TourneyError("backup.no_box") from error
    except (*_UNREADABLE, TypeError, AttributeError) as error:
        raise TourneyError("backup.damaged", member=MANIFEST) from error
    if version > FORMAT:
        raise TourneyError("backup.newer_format", found=version, known=FORMAT)
    if found != kind:
        raise TourneyError("backup.other_kind")
    names = archive.namelist()
    for name in (set(names) ^ {*listed, MANIFEST}) or {one for one in names if names.count(one) > 1}:
        raise TourneyError("backup.damaged", member=name)
    if most and sum(max(size, 0) for size, _digest in listed.values()) > most:
        raise TourneyError("backup.too_large_inside", most=most >> 30)
    for name, (size, digest) in listed.items():
        if archive.getinfo(name).file_size != size or _sum(archive, name, size) != digest:
            raise TourneyError("backup.damaged", member=name)
    return Box(archive, about, members)


def _sum(archive: zipfile.ZipFile, name: str, size: int) -> str:
    """Return a member's sum; reading ends where its announced size does, so a bomb can't go off."""
    digest, left = hashlib.sha256(), size
    try:
        with archive.open(name) as file:
            while piece := file.read(min(_PIECE, left + 1)):
                left -= len(piece)
                if left < 0:
                    return ""
                digest.update(piece)
    except _UNREADABLE:
        return ""
    return digest.hexdigest()
