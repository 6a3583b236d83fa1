"""Every request has a number: it stands in the answer's `X-Request-ID`, and in each line the program logs meanwhile.

A proxy of ours may have given the number already. The line about a request names its route, never its path: paths of
personal pages and tablets are secrets.
"""

from __future__ import annotations

import logging
import re
import time
import uuid
from collections.abc import Callable

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from tourney.kernel.errors import TourneyError
from tourney.labels import sentence
from tourney.upkeep import health
from tourney.upkeep.metrics import LATENCY
from tourney.upkeep.numbers import current
from tourney.upkeep.outages import outage_of, outage_page

log = logging.getLogger("tourney.requests")

_NUMBER = re.compile(r"[A-Za-z0-9_-]{8,64}")
_METHODS = frozenset({"GET", "HEAD", "POST", "OPTIONS", "PUT", "PATCH", "DELETE"})


WATCHED = {"/healthz/": health.alive, "/readyz/": health.ready}


class RequestMiddleware:
    """The outermost of ours: numbers, measures and logs a request; makes a page of an outage of the database."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        number = _number(request)
        token = current.set(number)
        started = time.perf_counter()
        try:
            # Watchers ask a machine by its number: before anything looks at the host's name, the cookie, the language.
            asked = WATCHED.get(request.path_info)
            response = asked(request) if asked else self.get_response(request)
            seconds = time.perf_counter() - started
            match = request.resolver_match
            route = (match.view_name or "unnamed") if match else "none"
            method = request.method if request.method in _METHODS else "other"
            LATENCY.labels(route, method, str(response.status_code)).observe(seconds)
            if settings.LOG_REQUESTS:
                about = {"route": route, "method": method, "status": response.status_code, "ms": round(seconds * 1000)}
                log.info("%(method)s %(route)s %(status)s %(ms)s ms", about, extra=about)
            response.headers["X-Request-ID"] = number
            return response
        finally:
            current.reset(token)

    def process_exception(self, request: HttpRequest, error: Exception) -> HttpResponse | None:
        if getattr(error.__cause__, "sqlstate", None) == "TM001":  # the trigger of migration 0015
            moved = sentence(TourneyError("event.moved_meanwhile"))
            return render(request, "refused.html", {"sentence": moved}, status=409)
        code = outage_of(error)
        if not code:
            return None
        log.error("%s: %s", code, type(error.__cause__ or error).__name__, exc_info=error)
        return outage_page(request, code)


def _number(request: HttpRequest) -> str:
    given = request.headers.get("X-Request-ID", "") if settings.TRUSTED_PROXIES else ""
    return given if _NUMBER.fullmatch(given) else uuid.uuid4().hex
