"""Stopping the play of the whole event: one button, on the page of its own and wherever an arbiter may be just then."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from tourney import panels
from tourney.kernel.errors import TourneyError
from tourney.labels import sentence
from tourney.models import Tournament
from tourney.navigation import manage_context
from tourney.permissions import managed_tournament, may
from tourney.services.stopping import LONGEST_REASON, resume_play, stop_play


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def stop(request: HttpRequest, slug: str) -> HttpResponse:
    """What plays and what stands; a POST stops all groups or lets them go on, and leads back to where it came from."""
    tournament = managed_tournament(request, slug, "arbitrate")
    if request.method == "POST":
        _act(request, tournament)
        back = request.POST.get("back", "")
        is_ours = back.startswith("/") and url_has_allowed_host_and_scheme(back, None)
        return redirect(back if is_ours else reverse("manage_stop", args=[slug]))
    groups = panels.collect("in_play", tournament)
    context = manage_context(request, tournament, groups=groups, stop=stop_values(request, tournament, groups))
    return render(request, "tourney/manage_stop.html", context)


def _act(request: HttpRequest, tournament: Tournament) -> None:
    act = request.POST.get("act", "")
    if act not in ("stop", "resume"):
        raise Http404
    try:
        if act == "stop":
            stop_play(tournament, actor=request.user, reason=request.POST.get("reason", ""))
            messages.success(request, _("Play is stopped in all groups; nobody gets late meanwhile."))
        else:
            resume_play(tournament, actor=request.user)
            messages.success(request, _("Play goes on. Everybody has as much time left as before."))
    except TourneyError as refused:
        messages.error(request, sentence(refused))


def stop_values(
    request: HttpRequest, tournament: Tournament, groups: list[panels.InPlay] | None = None
) -> dict[str, Any]:
    """Return what `tourney/_stop.html` shows: since when play stands and why, or the way to stop it."""
    playing = panels.collect("in_play", tournament) if groups is None else groups
    standing = [group for group in playing if group.since is not None]
    return {
        "since": min((group.since for group in standing if group.since), default=None),
        "reason": next((group.reason for group in standing if group.reason), ""),
        "plays_on": [group.title for group in playing if group.since is None] if standing else [],
        "can_stop": any(group.since is None for group in playing),
        "may": may(request, tournament, "arbitrate"),
        "url": reverse("manage_stop", args=[tournament.slug]),
        "back": request.path,
        "longest": LONGEST_REASON,
    }
