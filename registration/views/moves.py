"""A player types the moves of an own finished game from the score sheet, where the event lets players do it."""

from __future__ import annotations

from django.http import Http404, HttpRequest, HttpResponse
from django.urls import reverse
from django.views.decorators.http import require_http_methods

from registration.models import Application
from registration.views.entrant import personal
from tourney.views.score_sheets import players_page


@require_http_methods(["GET", "HEAD", "POST"])
@personal
def moves(request: HttpRequest, token: str, application: Application) -> HttpResponse:
    """The games of one player; with `?game=` one of them to type."""
    if not application.entry.tournament.players_enter_moves:
        raise Http404
    here = reverse("entrant_moves", args=[token])
    return players_page(request, application.entry, here=here, home=reverse("entrant", args=[token]))
