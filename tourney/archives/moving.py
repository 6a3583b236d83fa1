"""Taking an event out as a file, and moving a running one to another installation.

An event lives in one place. Whoever moves it locks everything acts lock (the event, its groups, their stages), writes
the archive from what can no longer change, and marks the event as moved in the same transaction: here it can only be
read from then on. On the other side the archive is read; on the way back the same archive comes in place of what was
left.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.db import connection, transaction
from django.db.models import F
from django.utils import timezone

from tourney.archives.writing import Sink, refuse_rehearsal, write_event
from tourney.kernel.errors import TourneyError
from tourney.models import ArchiveFile, Section, Stage, Tournament
from tourney.services import forgetting_files
from tourney.services.log import log


def export(tournament: Tournament, target: Path | Sink, *, actor: Any, passphrase: str = "") -> dict[str, int]:
    """Write an event's archive as it is at one moment, and a line that it was taken; return the rows by table."""
    written = write_as_it_is(tournament, target, passphrase=passphrase)
    note_taken(tournament, actor=actor)
    return written


def note_taken(tournament: Tournament, *, actor: Any) -> None:
    """Log that somebody has got an event's data, or begins to."""
    log(tournament, "archive.exported", actor=actor)


def write_as_it_is(tournament: Tournament, target: Path | Sink, **how: Any) -> dict[str, int]:
    """Write an event's archive as it is at one moment; return the rows by table. `how`: as `write_event`.

    Names that are on their way out of kept files are taken out first: an archive would carry them away.
    """
    while True:
        forgetting_files.take_out(tournament)
        with transaction.atomic():
            if not _inside_another():
                with connection.cursor() as cursor:
                    cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
            if not forgetting_files.names_go(tournament):
                return write_event(tournament, target, **how)


def _inside_another() -> bool:
    return len(connection.savepoint_ids) > 0


@transaction.atomic
def move_away(
    tournament: Tournament, path: Path | None, *, actor: Any, to: str, passphrase: str = ""
) -> dict[str, int]:
    """Write an event's archive and let the event be only read here; return the rows by table.

    Without a path nothing is written: an archive taken later is the same, for the event can't change any more. What was
    prepared before is thrown away. `to` is the address where it goes on, shown on its pages. Raises TourneyError
    ``archive.where_to``, ``archive.moved_already``, ``archive.of_rehearsal``.
    """
    if not to.strip():
        raise TourneyError("archive.where_to")
    locked = Tournament.objects.select_for_update().get(pk=tournament.pk)
    if locked.moved_to:
        raise TourneyError("archive.moved_already", to=locked.moved_to)
    refuse_rehearsal(locked)
    if path is not None:  # first, for whoever puts a record on a game has a file's part before the group's lock
        forgetting_files.take_out(locked)
    # In the order every act takes them: whoever has one finishes first, and its act is in the archive.
    list(Section.objects.select_for_update().filter(tournament=locked).order_by("pk"))
    list(Stage.objects.select_for_update(of=("self",)).filter(section__tournament=locked).order_by("pk"))
    written: dict[str, int] = {} if path is None else write_event(locked, path, passphrase=passphrase)
    ArchiveFile.objects.filter(tournament=locked).delete()
    locked.moved_to, locked.moved_at = to.strip()[:200], timezone.now()
    locked.save(update_fields=["moved_to", "moved_at"])
    _changed(locked)
    log(locked, "archive.moved", actor=actor, to=locked.moved_to)
    return written


@transaction.atomic
def stay(tournament: Tournament, *, actor: Any, reason: str) -> None:
    """Let an event go on here after all: its archive was never read anywhere. TourneyError ``archive.not_moved``,
    ``event.reason_needed``.
    """
    if not reason.strip():
        raise TourneyError("event.reason_needed")
    locked = Tournament.objects.select_for_update().get(pk=tournament.pk)
    if not locked.moved_to:
        raise TourneyError("archive.not_moved")
    locked.moved_to, locked.moved_at = "", None
    locked.save(update_fields=["moved_to", "moved_at"])
    _changed(locked)
    log(locked, "archive.stays", actor=actor, reason=reason)


def _changed(tournament: Tournament) -> None:
    """Let live pages notice."""
    Stage.objects.filter(section__tournament=tournament).update(version=F("version") + 1)
