"""The event's log: one line for every act of the staff, in the transaction of the act.

A line also tells the pages kept for the public that something has moved (`tourney.live`).
"""

from __future__ import annotations

from typing import Any

from django.utils import timezone

from tourney.kernel.errors import TourneyError
from tourney.live import event_changed
from tourney.models import ActionLog, Tournament

STILL_DONE = ("archive.", "entry.eras")  # as in the trigger `tourney_refuse_moved`


def refuse_if_moved(tournament: Tournament) -> None:
    """Refuse what writes no line of the log, in an event that goes on at another place (``event.moved``)."""
    if tournament.moved_to:
        raise TourneyError("event.moved", to=tournament.moved_to)


def log(
    tournament: Tournament,
    action: str,
    *,
    actor: Any = None,
    label: str = "",
    reason: str = "",
    of_stage: bool = False,
    **data: Any,
) -> ActionLog:
    """Write who did what. `action` is a dotted code; `data` holds plain values only (ids, numbers, codes).

    `of_stage`: all that changed is play of one stage, whose new version tells its pages; those of other groups stay.

    Every act comes by here, so here an event that has moved refuses it (TourneyError ``event.moved``): all but what is
    done with its archive, and the erasing of people. The table refuses too, for an act that began before the move.
    """
    if not action.startswith(STILL_DONE):
        refuse_if_moved(tournament)
    if not of_stage:
        event_changed(tournament.slug)
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
