"""When play was over: of a stage, of every player in it, of the whole event."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from django.db.models import Max, Q

from tourney.models import Game, Stage, Tournament

DONE = (Stage.State.FINISHED, Stage.State.CLOSED)


def last_games(stages: Sequence[Stage]) -> dict[int, dict[int, datetime | None]]:
    """Return by stage when each player ended the last game; None: still playing. Claimants are found later."""
    found: dict[int, dict[int, datetime | None]] = {}
    over = [stage for stage in stages if stage.state in DONE]
    games = (
        Game.objects.filter(stage__in=over)
        .annotate(entered=Max("results__at", filter=~Q(results__outcome="")))
        .values_list("stage_id", "white_id", "black_id", "outcome", "finished_at", "entered")
    )
    for stage, white, black, outcome, finished, entered in games:
        moments = found.setdefault(stage, {})
        moment = (finished or entered) if outcome else None
        for entry in (white, black):
            known = moments.get(entry)
            if entry in moments and known is None:
                continue
            moments[entry] = max(known, moment) if known and moment else moment
    return found


def event_ended_at(tournament: Tournament) -> datetime | None:
    """Return when the last game of the whole event was over; None while any group still plays."""
    stages = list(
        Stage.objects.filter(section__tournament=tournament).exclude(kind=Stage.Kind.PLAYOFF).order_by("finished_at")
    )
    if not stages or any(stage.state not in DONE for stage in stages):
        return None
    moments = [stage.finished_at for stage in stages if stage.finished_at is not None]
    return max(moments) if moments else None
