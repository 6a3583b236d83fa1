"""Backups by themselves: every some minutes while something happens, and at once when a round ends.

What happened is read from the event logs, into which every act writes a line; where nothing was written since the last
backup, none is made. Each folder is seen to by itself: a stick that is not there today disturbs no other.
"""

from __future__ import annotations

import json
import logging
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from django.conf import settings
from django.db.models import Max
from django.utils import timezone

from tourney import panels
from tourney.backups.making import make_backup
from tourney.models import ActionLog, EntryEvent

log = logging.getLogger(__name__)

_NOTE = ".last-backup.json"


def back_up_if_due(now: datetime | None = None) -> list[Path]:
    """Make the backups that are due, and return them; a folder that can't be written is a line in the program's log."""
    moment = now or timezone.now()
    made = []
    for folder in settings.BACKUP_FOLDERS:
        try:
            marks = _marks()
            if _is_due(_last(folder), marks, moment):
                done = make_backup(folder, passphrase=settings.BACKUP_PASSPHRASE, keep=settings.BACKUP_KEEP, now=moment)
                _note(folder, marks, moment)
                log.info("backup %s: %d bytes in %.1f s", done.path, done.size, done.seconds)
                made.append(done.path)
        except OSError as error:
            log.warning("no backup in %s: %s", folder, error)
    return made


def milestones() -> set[str]:
    """Return the acts after which a backup is made at once, as the apps name them."""
    return {action for provider in panels.providers("milestones") for action in provider()}


def _is_due(last: dict[str, Any], marks: dict[str, int], now: datetime) -> bool:
    before = last.get("marks", {})
    if before == marks:
        return False
    since = now - datetime.fromisoformat(last["at"]) if last else None
    if since is None or since >= timedelta(minutes=settings.BACKUP_MINUTES) or since < timedelta(0):
        return True  # the last, the first, or the clock was put back since: who knows how long ago it was
    return ActionLog.objects.filter(pk__gt=before.get("log", 0), action__in=milestones()).exists()


def _marks() -> dict[str, int]:
    return {
        "log": ActionLog.objects.aggregate(last=Max("pk"))["last"] or 0,
        "entries": EntryEvent.objects.aggregate(last=Max("pk"))["last"] or 0,
    }


def _last(folder: Path) -> dict[str, Any]:
    try:
        found = json.loads((folder / _NOTE).read_text(encoding="utf-8"))
        datetime.fromisoformat(found["at"])
    except (FileNotFoundError, ValueError, KeyError, TypeError):
        return {}
    return found if isinstance(found, dict) else {}


def _note(folder: Path, marks: dict[str, int], now: datetime) -> None:
    fresh = folder / f"{_NOTE}.new"
    fresh.write_text(json.dumps({"at": now.isoformat(), "marks": marks}), encoding="utf-8")
    fresh.replace(folder / _NOTE)
