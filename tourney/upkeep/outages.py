"""What is wrong when the database can't do its work, and the page that says so.

The database's own codes decide (PostgreSQL, appendix A), never the words of its messages. Whatever happened, the
transaction was rolled back whole: the page says that nothing was saved, keeps what was typed, and offers to send it
again.
"""

from __future__ import annotations

from django.db import Error, InterfaceError, OperationalError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from tourney.kernel.errors import TourneyError
from tourney.labels import sentence

RETRY_AFTER = {"outage.database": 5, "outage.read_only": 60, "outage.disk_full": 60}
_DISK_FULL = {"53100"}
_READ_ONLY = {"25006"}
# Connections that fail or end, a server that starts or stops, none left to give.
_AWAY = ("08", "57P01", "57P02", "57P03", "57P04", "53300", "53400", "58")
_MOST_FIELDS = 500
_NEVER_KEPT = ("password", "again", "csrfmiddlewaretoken")  # "again": a password typed twice


def outage_of(error: BaseException) -> str:
    """Return the code of what the database can't do now; "" for any other error.

    Two acts that waited for each other are no outage: the middleware knows them (`event.busy`).
    """
    if not isinstance(error, Error):
        return ""
    cause = error.__cause__
    state = getattr(cause, "sqlstate", None) or ""
    if state in _DISK_FULL:
        return "outage.disk_full"
    if state in _READ_ONLY:
        return "outage.read_only"
    if state.startswith(_AWAY) or (not state and isinstance(error, OperationalError | InterfaceError)):
        return "outage.database"  # without a code: no server was reached, or the connection broke
    return ""


def outage_page(request: HttpRequest, code: str) -> HttpResponse:
    """Return the page for an outage (503). It asks the database for nothing."""
    again = [
        (name, value)
        for name, values in (request.POST.lists() if request.method == "POST" and not request.FILES else ())
        for value in values
        if not any(word in name for word in _NEVER_KEPT)
    ]
    if any(name == "passphrase" and value for name, value in again):
        again = []  # it must not stand on a page, and sent again without it an archive would be left open
    page = render(
        request,
        "unavailable.html",
        {
            "sentence": sentence(TourneyError(code)),
            "again": again if len(again) <= _MOST_FIELDS else [],
            "token": request.POST.get("csrfmiddlewaretoken", "") if again else "",
            "seconds": RETRY_AFTER[code],
            "address": request.get_full_path(),
        },
        status=503,
    )
    page["Retry-After"] = str(RETRY_AFTER[code])
    page["Cache-Control"] = "no-store"
    return page
