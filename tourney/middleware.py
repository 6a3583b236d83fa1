"""Small habits of every request: the sign-in redirect, refusals as pages, an event's own language for a first visit."""

from __future__ import annotations

from collections.abc import Callable

from django.conf import settings
from django.db import OperationalError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import translation
from django.utils.translation import get_language_from_request
from psycopg.errors import DeadlockDetected, LockNotAvailable, SerializationFailure

from tourney.kernel.errors import TourneyError
from tourney.labels import sentence
from tourney.permissions import LoginNeeded, login_redirect


class TourneyMiddleware:
    """Turns `LoginNeeded` into a redirect. A refusal no view caught becomes a clear page, never a 500."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self.get_response(request)
        if not settings.ALLOW_INDEXING:
            response.headers.setdefault("X-Robots-Tag", "noindex")
        return response

    def process_exception(self, request: HttpRequest, error: Exception) -> HttpResponse | None:
        if isinstance(error, LoginNeeded):
            return login_redirect(error)
        if isinstance(error, TourneyError):
            return render(request, "refused.html", {"sentence": sentence(error)}, status=409)
        if isinstance(error, OperationalError) and _lost_a_race(error):
            # The database took one of two acts that waited for each other back as a whole; sent again, it goes through.
            busy = render(request, "refused.html", {"sentence": sentence(TourneyError("event.busy"))}, status=503)
            busy["Retry-After"] = "1"
            return busy
        return None


def _lost_a_race(error: OperationalError) -> bool:
    cause = error.__cause__
    return isinstance(cause, DeadlockDetected | SerializationFailure | LockNotAvailable)


def use_event_language(request: HttpRequest, language: str) -> None:
    """Speak the event's language to a visitor who has neither chosen one nor a browser that asks for one of ours."""
    if settings.LANGUAGE_COOKIE_NAME in request.COOKIES or request.headers.get("Accept-Language"):
        chosen = get_language_from_request(request)
        asked = request.headers.get("Accept-Language", "")
        if settings.LANGUAGE_COOKIE_NAME in request.COOKIES or chosen in asked:
            return
    translation.activate(language)
    request.LANGUAGE_CODE = translation.get_language()
