"""Small habits of every request: signs no text has, the sign-in redirect, refusals as pages, an event's language."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.conf import settings
from django.contrib.auth.views import redirect_to_login
from django.db import OperationalError
from django.http import Http404, HttpRequest, HttpResponse, QueryDict
from django.shortcuts import render
from django.urls import reverse
from django.utils import translation
from psycopg.errors import DeadlockDetected, LockNotAvailable, SerializationFailure

from tourney.kernel.errors import TourneyError
from tourney.labels import sentence
from tourney.languages import chosen_language
from tourney.permissions import LoginNeeded, SecondFactorNeeded, login_redirect


class TourneyMiddleware:
    """Turns `LoginNeeded` into a redirect. A refusal no view caught becomes a clear page, never a 500.

    Zero bytes, which the database takes in no text, reach no view: from what was typed they are left out, an address
    with one leads nowhere.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self.get_response(request)
        if not settings.ALLOW_INDEXING:
            response.headers.setdefault("X-Robots-Tag", "noindex")
        return response

    def process_view(self, request: HttpRequest, _view: Any, _args: Any, _values: Any) -> None:
        if "\0" in request.path:
            raise Http404
        # Left out, not refused: nobody types one, nobody sees one, and text copied from a damaged file may hold some.
        # A refusal would cost the person everything else on the page. Views read these two and no other body.
        request.GET = without_zero_bytes(request.GET)  # type: ignore[assignment]
        if request.method == "POST":
            request.POST = without_zero_bytes(request.POST)  # type: ignore[assignment]

    def process_exception(self, request: HttpRequest, error: Exception) -> HttpResponse | None:
        if isinstance(error, LoginNeeded):
            return login_redirect(error)
        if isinstance(error, SecondFactorNeeded):
            return redirect_to_login(error.path, reverse("account"))
        if isinstance(error, TourneyError):
            return render(request, "refused.html", {"sentence": sentence(error)}, status=409)
        if isinstance(error, OperationalError) and _lost_a_race(error):
            # The database took one of two acts that waited for each other back as a whole; sent again, it goes through.
            busy = render(request, "refused.html", {"sentence": sentence(TourneyError("event.busy"))}, status=503)
            busy["Retry-After"] = "1"
            return busy
        return None


def without_zero_bytes(sent: QueryDict) -> QueryDict:
    """Return fields without the zero bytes in their names and values; the same object where there are none."""
    if not any("\0" in text for name, values in sent.lists() for text in (name, *values)):
        return sent
    kept = QueryDict(mutable=True)
    for name, values in sent.lists():
        for value in values:
            kept.appendlist(name.replace("\0", ""), value.replace("\0", ""))
    return kept


def _lost_a_race(error: OperationalError) -> bool:
    cause = error.__cause__
    return isinstance(cause, DeadlockDetected | SerializationFailure | LockNotAvailable)


def use_event_language(request: HttpRequest, language: str) -> None:
    """Speak the event's language to a visitor who has neither chosen one nor a browser that asks for one of ours."""
    if chosen_language(request):
        return
    translation.activate(language)
    request.LANGUAGE_CODE = translation.get_language()
