"""Rehearsals: make a copy of an event, play it on, throw it away."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_http_methods

from tourney.kernel.errors import TourneyError
from tourney.labels import sentence
from tourney.models import Job, Stage, Tournament
from tourney.navigation import manage_context
from tourney.permissions import managed_tournament, may
from tourney.services import rehearsal as service
from tourney.services import rehearsal_job as playing
from tourney.services.log import log


@require_http_methods(["GET", "HEAD", "POST"])
def rehearsal(request: HttpRequest, slug: str) -> HttpResponse:
    """For a real event: its rehearsals and the button for a new one. For a rehearsal: play on, or throw away."""
    tournament = managed_tournament(request, slug)
    if request.method == "POST":
        if not may(request, tournament, "arbitrate"):
            raise PermissionDenied
        try:
            return _act(request, tournament)
        except TourneyError as refused:
            messages.error(request, sentence(refused))
            return redirect("manage_rehearsal", slug=tournament.slug)
    stages = (
        Stage.objects.filter(section__tournament=tournament)
        .exclude(kind=Stage.Kind.PLAYOFF)
        .select_related("section")
        .order_by("section__ordinal", "ordinal")
    )
    for stage in stages:
        stage.section.tournament = tournament
    context = manage_context(
        request,
        tournament,
        stages=stages,
        rehearsals=service.rehearsals_of(tournament),
        source=tournament.rehearsal_of,
        people=tournament.entries.count(),
        groups=tournament.sections.count(),
        **(_played(tournament) if tournament.is_rehearsal else {}),
    )
    is_part = request.headers.get("HX-Request") and tournament.is_rehearsal
    return render(request, f"tourney/{'_rehearsal_played' if is_part else 'manage_rehearsal'}.html", context)


def _played(rehearsal: Tournament) -> dict[str, Any]:
    """Return what the page shows of playing to the end: how far it is, that it has stopped, or what was played."""
    job = playing.job_of(rehearsal)
    if job is None:
        return {}
    return {
        "playing": job.is_open,
        "stopped": job.state == Job.State.FAILED,
        "played": job.state == Job.State.DONE,
        "steps": playing.steps_of(job),
    }


def _act(request: HttpRequest, tournament: Tournament) -> HttpResponse:
    act: Any = request.POST.get("act")
    if act == "copy":
        made = service.copy_event(tournament, actor=request.user)
        messages.success(request, _("The rehearsal stands. Play it step by step, or to the end."))
        return redirect("manage_rehearsal", slug=made.slug)
    if act == "end":
        playing.request_play(tournament, actor=request.user)
        return redirect("manage_rehearsal", slug=tournament.slug)
    if act == "step":
        steps = service.play(tournament, steps=1)
        if steps:
            log(tournament, "rehearsal.played", actor=request.user, steps=steps)
            messages.success(request, ngettext("Played %(n)d step.", "Played %(n)d steps.", steps) % {"n": steps})
        else:
            messages.success(request, _("Nothing is left to play."))
        return redirect("manage_rehearsal", slug=tournament.slug)
    if act == "throw_away":
        source = service.throw_away(tournament, actor=request.user)
        messages.success(request, _("The rehearsal is gone, with everything in it."))
        return redirect("manage_event", slug=source.slug)
    raise Http404
