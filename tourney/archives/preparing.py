"""An archive that a worker writes while a page shows how far it is: kept for a day, then thrown away.

It is written from one moment of the event into a file without a name, and stored piece by piece in one short
transaction: whole, or not at all. A killed worker's successor begins again. What is stored is open, as the event's own
rows beside it are; a passphrase closes it while it is sent, so none is ever kept. Nothing old is given out: whoever is
erased, and whoever moves the event, throws away what was prepared before.

An archive sent while it is written (`tourney.archives.sending`) needs no worker and no room in the database; it stays
the way for who has neither.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Iterator
from datetime import datetime, timedelta
from itertools import count
from typing import IO, Any

from django.db import connection, transaction
from django.utils import timezone

from tourney import queue
from tourney.archives.moving import write_as_it_is
from tourney.archives.writing import refuse_rehearsal
from tourney.backups import sealing
from tourney.models import ArchiveFile, ArchivePiece, Tournament
from tourney.services.forgetting import read_files

TASK = "tourney.prepare_archive"
KEPT = timedelta(hours=24)
PIECE = 1 << 20
_TELL_EVERY = 1.0  # seconds


@transaction.atomic
def request_archive(tournament: Tournament, *, actor: Any) -> ArchiveFile:
    """Ask a worker for an archive, in place of one prepared before; one that is being written is given as it is.

    Raises TourneyError ``archive.of_rehearsal``.
    """
    refuse_rehearsal(tournament)
    Tournament.objects.select_for_update(no_key=True).get(pk=tournament.pk)  # two requests at once: one archive
    known = archive_of(tournament)
    if known is not None and known.finished_at is None and is_open(known):
        return known
    drop(tournament)
    by = actor if getattr(actor, "is_authenticated", False) else None
    made = ArchiveFile.objects.create(tournament=tournament, by=by, at=timezone.now())
    made.job = queue.enqueue(TASK, made.pk)
    made.save(update_fields=["job"])
    return made


def archive_of(tournament: Tournament) -> ArchiveFile | None:
    """Return the archive that is prepared or being written, if there is one."""
    return ArchiveFile.objects.filter(tournament=tournament).select_related("job", "by").first()


def is_open(made: ArchiveFile) -> bool:
    """Return whether a worker has the archive in hand or is to come."""
    return made.finished_at is None and made.job is not None and made.job.is_open


def drop(*tournaments: Tournament) -> None:
    """Throw away what was prepared of events; who is writing it finds it gone."""
    ArchiveFile.objects.filter(tournament__in=tournaments).delete()


def drop_old(now: datetime | None = None) -> int:
    """Throw away archives nobody may fetch any more; return how many."""
    old = ArchiveFile.objects.filter(at__lt=(now or timezone.now()) - KEPT)
    return old.delete()[1].get("tourney.ArchiveFile", 0)


# -- writing -----------------------------------------------------------------------------------------------------------


class _Sink:
    """Takes an archive as a download does: from beginning to end, so that its bytes are the same."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        self.size = 0

    def write(self, piece: bytes | memoryview) -> int:
        self.size += len(piece)
        return self._file.write(piece)

    def flush(self) -> None:
        """Nothing: who reads the file flushes it."""


def prepare(pk: int) -> None:
    """Write an archive and keep it. Repeatable: nothing is kept before all of it is written."""
    made = ArchiveFile.objects.filter(pk=pk, finished_at=None).select_related("tournament").first()
    if made is None:
        return
    _wait_for_erasures(made.tournament)
    told = time.monotonic()

    def tell(done: int, total: int) -> None:
        nonlocal told
        if time.monotonic() - told >= _TELL_EVERY:
            told = time.monotonic()
            queue.report_progress(done, total, beside=True)
            _tell_size(pk, sink.size)

    with tempfile.TemporaryFile() as file:
        sink = _Sink(file)
        begun = timezone.now()
        write_as_it_is(made.tournament, sink, tell=tell)
        file.seek(0)
        _keep(pk, file, sink.size, begun)


@transaction.atomic
def _wait_for_erasures(tournament: Tournament) -> None:
    """Wait until whoever is just being erased is: who was asked to drop archives before this one was there won't again.

    An erasure that begins later finds the row, and throws it away.
    """
    read_files(tournament)


@transaction.atomic
def _keep(pk: int, file: IO[bytes], size: int, as_at: datetime) -> None:
    made = ArchiveFile.objects.select_for_update().filter(pk=pk, finished_at=None).first()
    if made is None:  # thrown away meanwhile: somebody was erased, or the event has moved
        return
    for number in count():
        piece = file.read(PIECE)
        if not piece:
            break
        ArchivePiece.objects.create(file=made, number=number, content=piece)
    made.size, made.as_at, made.finished_at = size, as_at, timezone.now()
    made.save(update_fields=["size", "as_at", "finished_at"])


def _tell_size(pk: int, size: int) -> None:
    """Say how much is written: on a connection of its own, for the writer's transaction sees one moment only."""
    other = connection.copy()
    try:
        with other.cursor() as cursor:
            cursor.execute("UPDATE tourney_archivefile SET size = %s WHERE id = %s", [size, pk])
    finally:
        other.close()


# -- giving out --------------------------------------------------------------------------------------------------------


def size_of(made: ArchiveFile, passphrase: str) -> int:
    """Return how many bytes are sent."""
    return sealing.sealed_size(made.size) if passphrase else made.size


def pieces_of(made: ArchiveFile, passphrase: str) -> Iterator[bytes]:
    """Give an archive piece by piece, closed by a passphrase if there is one. One thrown away meanwhile breaks off."""
    if not passphrase:
        yield from _pieces(made)
        return
    out = bytearray()
    with sealing.sealed(_Collected(out), passphrase) as closed:  # type: ignore[arg-type]
        for piece in _pieces(made):
            closed.write(piece)
            yield bytes(out)
            out.clear()
    yield bytes(out)


class _Collected:
    """Takes what is written for whoever fetches it."""

    def __init__(self, out: bytearray) -> None:
        self._out = out

    def write(self, piece: bytes) -> int:
        self._out += piece
        return len(piece)


def _pieces(made: ArchiveFile) -> Iterator[bytes]:
    for number in range(-(-made.size // PIECE)):
        yield bytes(ArchivePiece.objects.values_list("content", flat=True).get(file=made, number=number))
