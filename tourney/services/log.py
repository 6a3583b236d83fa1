"""The event's log: one line for every act of the staff, in the transaction of the act."""

from __future__ import annotations

from typing import Any

from django.utils import timezone

from tourney.models import ActionLog, Tournament


def log(
    tournament: Tournament,
    action: str,
    *,
    actor: Any = None,
    label: str = "",
    reason: str = "",
    **data: Any,
) -> ActionLog:
    """Write who did what. `action` is a dotted code; `data` holds plain values only (ids, numbers, codes)."""
    known = actor if getattr(actor, "is_authenticated", False) else None
    return ActionLog.objects.create(
        tournament=tournament,
        actor=known,
        actor_label=label,
        action=action,
        data=data,
        reason=reason,
        at=timezone.now(),
    )
