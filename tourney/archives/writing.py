"""Writing an event into a file that another installation can read."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from django.apps import apps
from django.db import connection
from django.utils import timezone

from tourney.archives import ids, rows
from tourney.archives.sending import Spool
from tourney.backups import box as boxes
from tourney.kernel.errors import TourneyError
from tourney.models import Job, Tournament

KIND = "event"


def refuse_rehearsal(tournament: Tournament) -> None:
    """Refuse an archive of what is thrown away anyhow (TourneyError ``archive.of_rehearsal``)."""
    if tournament.is_rehearsal:
        raise TourneyError("archive.of_rehearsal")


def write_event(tournament: Tournament, target: Path | Spool, *, passphrase: str = "") -> dict[str, int]:
    """Write an event, with everything in it, into a file or a spool; return how many rows of each table.

    The rows are those the caller's transaction sees: call it where nothing changes meanwhile (`tourney.archives.moving`
    holds the locks; an export asks for one moment). Raises TourneyError ``archive.of_rehearsal``.
    """
    refuse_rehearsal(tournament)
    keys = rows.keys_of(tournament)
    numbers, names = rows.numbers_of(keys), rows.names_of_users()
    about: dict[str, Any] = {
        "made_at": timezone.now().isoformat(),
        "event": tournament.slug,
        "uid": str(tournament.uid),
        "title": tournament.title,
        "migrations": _migrations(),
    }
    made = boxes.new_box if isinstance(target, Path) else boxes.box_into
    with made(target, KIND, about, passphrase) as box:  # type: ignore[operator]
        for label in keys:
            with box.member(f"rows/{label}.jsonl") as file:
                for row in rows.rows_of(label, keys[label], numbers, names):
                    file.write(_line(row))
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
