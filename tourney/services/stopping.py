"""Stopping the play of a whole event at once (an air-raid alarm, no power), and letting it go on.

Groups in rounds and brackets keep their stops themselves: waiting times stand still, nobody gets late or is called. The
apps register how (`tourney.panels`: ``in_play``, ``stop_play``, ``resume_play``).
"""

from __future__ import annotations

from typing import Any

from django.db import transaction

from tourney import panels
from tourney.kernel.errors import TourneyError
from tourney.models import Stage, Tournament

LONGEST_REASON = 200


@transaction.atomic
def stop_play(tournament: Tournament, *, actor: Any, reason: str = "") -> int:
    """Stop the play of all groups; return how many. TourneyError ``pause.open``, ``pause.nothing_played``.

    A group that began after an earlier stop is stopped too; those that stand already keep the hour they stopped at.
    """
    _lock(tournament)
    why = reason.strip()[:LONGEST_REASON]
    stopped = sum(int(stop(tournament, actor, why)) for stop in panels.providers("stop_play"))
    if not stopped:
        raise TourneyError("pause.open" if panels.collect("in_play", tournament) else "pause.nothing_played")
    return stopped


@transaction.atomic
def resume_play(tournament: Tournament, *, actor: Any) -> int:
    """Let all groups play on; return how many. TourneyError ``pause.none``."""
    _lock(tournament)
    resumed = sum(int(resume(tournament, actor)) for resume in panels.providers("resume_play"))
    if not resumed:
        raise TourneyError("pause.none")
    return resumed


def _lock(tournament: Tournament) -> None:
    """Take the event's row and then all its stages, in the one order everybody takes several in."""
    Tournament.objects.select_for_update(no_key=True).get(pk=tournament.pk)
    list(
        Stage.objects.select_for_update(of=("self",))
        .filter(section__tournament=tournament)
        .exclude(state=Stage.State.CLOSED)  # what is finished is touched too: its last result may have come meanwhile
        .order_by("pk")
        .values_list("pk")
    )
