"""The one door through which an entry changes its state: an event row first, then the projection."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from django.utils import timezone

from tourney.models import Entry, EntryEvent


def record_entry_event(
    entry: Entry,
    kind: str,
    *,
    state: str = "",
    by: Any = None,
    reason: str = "",
    at: datetime | None = None,
    **data: Any,
) -> EntryEvent:
    """Append what happened and, where it leads to another state, carry it over to the entry.

    Call inside a transaction; the caller holds the lock of the section where places are at stake. `at` is the moment
    it happened (now unless somebody tells of the past).
    """
    event = EntryEvent.objects.create(
        entry=entry,
        kind=kind,
        state=state,
        by=by if getattr(by, "is_authenticated", False) else None,
        at=at or timezone.now(),
        reason=reason,
        data=data,
    )
    if state and state != entry.state:
        entry.state = state
        entry.save(update_fields=["state"])
    return event


def rebuild_entry_states(tournament_id: int) -> int:
    """Recompute every entry's state from its events; return how many differed (the rebuild test wants none)."""
    differing = 0
    for entry in Entry.objects.filter(tournament_id=tournament_id).prefetch_related("events"):
        states = [event.state for event in entry.events.all() if event.state]
        if states and states[-1] != entry.state:
            entry.state = states[-1]
            entry.save(update_fields=["state"])
            differing += 1
    return differing
