"""Writing an event into a file that another installation can read."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, Protocol

from django.apps import apps
from django.db import connection
from django.utils import timezone

from tourney.archives import ids, rows
from tourney.backups import box as boxes
from tourney.kernel.errors import TourneyError
from tourney.models import Job, Tournament
from tourney.services.forgetting_files import names_go

KIND = "event"
# How much work a row is, where it is more than most: a part of a kept file has 128 kB.
_WORK = {"tourney.GameImportPart": 100}
Tell = Callable[[int, int], None]  # hears how much is done, and of how much


class Sink(Protocol):
    """What an archive can be written into, from beginning to end."""

    def write(self, piece: bytes | memoryview, /) -> int: ...
    def flush(self) -> None: ...


def _nobody_hears(done: int, total: int) -> None:
    pass


def refuse_rehearsal(tournament: Tournament) -> None:
    """Refuse an archive of what is thrown away anyhow (TourneyError ``archive.of_rehearsal``)."""
    if tournament.is_rehearsal:
        raise TourneyError("archive.of_rehearsal")


def write_event(
    tournament: Tournament, target: Path | Sink, *, passphrase: str = "", tell: Tell = _nobody_hears
) -> dict[str, int]:
    """Write an event, with everything in it, into a file or a sink; return how many rows of each table.

    The rows are those the caller's transaction sees: call it where nothing changes meanwhile (`tourney.archives.moving`
    holds the locks; an export asks for one moment), and where no name is on its way out of kept files. Raises
    TourneyError ``archive.of_rehearsal``.
    """
    refuse_rehearsal(tournament)
    if names_go(tournament):
        raise RuntimeError("an archive would give out a name that must be known no longer")
    keys = rows.keys_of(tournament)
    numbers, names = rows.numbers_of(keys), rows.names_of_users()
    about: dict[str, Any] = {
        "made_at": timezone.now().isoformat(),
        "event": tournament.slug,
        "uid": str(tournament.uid),
        "title": tournament.title,
        "migrations": _migrations(),
    }
    done, total = 0, sum(len(found) * _WORK.get(label, 1) for label, found in keys.items())
    made = boxes.new_box if isinstance(target, Path) else boxes.box_into
    with made(target, KIND, about, passphrase) as box:  # type: ignore[operator]
        for label in keys:
            with box.member(f"rows/{label}.jsonl") as file:
                for row in rows.rows_of(label, keys[label], numbers, names):
                    file.write(_line(row))
                    done += _WORK.get(label, 1)
                    tell(done, total)
        box.add("jobs.jsonl", b"".join(map(_line, _jobs(numbers))))
    return {label: len(found) for label, found in keys.items()}


def _line(row: dict[str, Any]) -> bytes:
    return json.dumps(row, sort_keys=True, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"


def _migrations() -> list[list[str]]:
    with connection.cursor() as cursor:
        cursor.execute("SELECT app, name FROM django_migrations ORDER BY app, name")
        own = {config.label for config in apps.get_app_configs()}
        return [list(row) for row in cursor.fetchall() if row[0] in own]


def _jobs(numbers: rows.Numbers) -> Iterable[dict[str, Any]]:
    """Give the jobs that are still to be done for rows of the event."""
    tasks = ids.tasks()
    for job in Job.objects.filter(name__in=tasks, state__in=("queued", "running")).order_by("pk"):
        arguments = job.args.get("args", [])
        label = tasks[job.name]
        number = numbers.of.get(label, {}).get(arguments[0]) if arguments else None
        if number is not None:
            later = job.not_before.isoformat() if job.not_before else None
            more = ids.exchanged(job.name, arguments[1:], numbers.swap)
            yield {"name": job.name, "row": number, "more": more, "not_before": later}
