"""Play stops (an alarm, the power is off) and goes on: a bracket's part of `tourney.services.stopping`."""

from __future__ import annotations

from typing import Any

from django.db import transaction
from django.db.models import QuerySet

from brackets.models import Bracket, MatchEvent
from brackets.services.acts import Act
from tourney.kernel.errors import TourneyError
from tourney.models import Stage, Tournament
from tourney.panels import InPlay

Kind = MatchEvent.Kind


def brackets_in_play(tournament: Tournament) -> list[InPlay]:
    """Return the brackets that play or are about to. One query."""
    found = []
    for bracket in _in_play(tournament):
        bracket.stage.section.tournament = tournament
        found.append(InPlay(bracket.stage.section.title_text, bracket.paused_at))
    return found


@transaction.atomic
def stop_brackets(tournament: Tournament, actor: Any, reason: str) -> int:
    """Stop the brackets that play; return how many."""
    stopped = [bracket.stage_id for bracket in _in_play(tournament) if bracket.paused_at is None]
    for stage_id in stopped:
        pause(stage_id, reason=reason, actor=actor)
    return len(stopped)


@transaction.atomic
def resume_brackets(tournament: Tournament, actor: Any) -> int:
    """Let the brackets play on; return how many."""
    paused = Bracket.objects.filter(stage__section__tournament=tournament, paused_at__isnull=False)
    stages = list(paused.exclude(stage__state=Stage.State.CLOSED).order_by("stage").values_list("stage", flat=True))
    for stage_id in stages:
        resume(stage_id, actor=actor)
    return len(stages)


def _in_play(tournament: Tournament) -> QuerySet[Bracket]:
    return (
        Bracket.objects.filter(
            stage__section__tournament=tournament,
            stage__state__in=(Stage.State.READY, Stage.State.RUNNING),
            drawn_at__isnull=False,
        )
        .select_related("stage__section")
        .order_by("stage")
    )


@transaction.atomic
def pause(stage_id: int, *, reason: str = "", actor: Any = None) -> None:
    """Stop play (an alarm, the power is off): nobody is called, no waiting time runs; results may still come in.

    Refusal: ``bracket.paused``.
    """
    act = Act(stage_id, actor, while_paused=False)
    act.add(Kind.PAUSED, reason=reason)
    act.table.bracket.paused_at = act.now
    act.table.bracket.save(update_fields=["paused_at"])
    act.finish("brackets.paused", reason=reason)


@transaction.atomic
def resume(stage_id: int, *, actor: Any = None) -> None:
    """Let play go on (``bracket.not_paused``)."""
    act = Act(stage_id, actor)
    if act.table.bracket.paused_at is None:
        raise TourneyError("bracket.not_paused")
    act.add(Kind.RESUMED)
    act.table.bracket.paused_at = None
    act.table.bracket.save(update_fields=["paused_at"])
    act.finish("brackets.resumed")
