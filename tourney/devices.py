"""Who a tablet is: the cookie that ties it to its links, and the way from a request to the link it may use."""

from __future__ import annotations

import secrets
from datetime import timedelta

from django.conf import settings
from django.http import HttpRequest, HttpResponse

from tourney.kernel.errors import TourneyError
from tourney.models import DeviceLink
from tourney.services.devices import hash_of, note_seen

COOKIE = "tourney_device"
_AGE = timedelta(days=40)


def secret_of(request: HttpRequest) -> str:
    """Return the secret this device holds, or a fresh one."""
    return request.COOKIES.get(COOKIE) or secrets.token_urlsafe(32)


def keep_secret(answer: HttpResponse, secret: str) -> None:
    """Let the device remember its secret; scripts can't read it, other sites can't send it."""
    answer.set_cookie(
        COOKIE,
        secret,
        max_age=_AGE,
        httponly=True,
        samesite="Lax",
        secure=bool(settings.SESSION_COOKIE_SECURE),
    )


def reach_link(request: HttpRequest, pk: int) -> DeviceLink:
    """Return the link a device is bound to, whatever it is worth now; TourneyError ``device.not_yours``."""
    link = DeviceLink.objects.select_related("tournament", "section").filter(pk=pk).first()
    secret = request.COOKIES.get(COOKIE, "")
    if (
        link is None
        or not secret
        or not link.device_hash
        or not secrets.compare_digest(link.device_hash, hash_of(secret))
    ):
        raise TourneyError("device.not_yours")
    note_seen(link)
    return link


def browser_name(request: HttpRequest) -> str:
    """Return a short name of the browser, so that a person can tell tablets apart."""
    agent = request.headers.get("User-Agent", "")
    system = next((name for mark, name in _SYSTEMS if mark in agent), "")
    browser = next((name for mark, name in _BROWSERS if mark in agent), "")
    return " · ".join(part for part in (browser, system) if part)


_SYSTEMS = (
    ("iPad", "iPad"),
    ("iPhone", "iPhone"),
    ("Android", "Android"),
    ("CrOS", "ChromeOS"),
    ("Windows", "Windows"),
    ("Macintosh", "macOS"),
    ("Linux", "Linux"),
)
_BROWSERS = (("Edg/", "Edge"), ("Firefox/", "Firefox"), ("Chrome/", "Chrome"), ("Safari/", "Safari"))
