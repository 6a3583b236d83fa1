"""Following players: the star on start lists and player pages, and the page of those one follows."""

from __future__ import annotations

from urllib.parse import urlsplit

from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_POST, require_safe

from tourney.following import followed_ids, followed_of, keep_followed, toggled
from tourney.models import Entry
from tourney.navigation import public_context
from tourney.permissions import public_tournament


@require_safe
def mine(request: HttpRequest, slug: str) -> HttpResponse:
    """The players one follows: their boards, results, what comes next."""
    tournament = public_tournament(request, slug)
    context = public_context(request, tournament, active="about")
    response = render(request, "tourney/mine.html", {**context, "followed": followed_of(request, tournament)})
    response["Cache-Control"] = "private, no-cache"
    return response


# Without a token: public pages are the same for everybody, and all that is set is the reader's own list.
@csrf_exempt
@require_POST
def follow(request: HttpRequest, slug: str) -> HttpResponse:
    """Follow a player or stop; back to where the star was. A script gets an empty answer instead of a page."""
    if request.headers.get("Sec-Fetch-Site", "same-origin") not in ("same-origin", "none"):
        raise PermissionDenied  # another site would replace the list by one of its own
    tournament = public_tournament(request, slug)
    number = request.POST.get("entry", "")
    pk = int(number) if number.isdecimal() and len(number) < 18 else 0
    entry = get_object_or_404(Entry.objects.select_related("section"), pk=pk, tournament=tournament)
    ids = toggled(followed_ids(request), entry.pk, request.POST.get("wanted"))
    if request.headers.get("Accept", "").startswith("application/json"):
        response = HttpResponse(status=204)
    else:
        response = redirect(_back(request, slug, entry))
    keep_followed(request, response, ids)
    return response


def _back(request: HttpRequest, slug: str, entry: Entry) -> str:
    """Return the page the star was on, at the player's line; else the player's own page."""
    came_from = request.headers.get("Referer", "")
    if came_from and url_has_allowed_host_and_scheme(came_from, {request.get_host()}):
        parts = urlsplit(came_from)
        return f"{parts.path}{'?' + parts.query if parts.query else ''}#e{entry.pk}"
    return reverse("player", args=[slug, entry.section.code, entry.pk])
