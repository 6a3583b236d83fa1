"""Who a tablet is: the cookie that ties it to its links, and the way from a request to the link it may use."""

from __future__ import annotations

import secrets
from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.urls import reverse

from tourney.kernel.errors import TourneyError
from tourney.models import DeviceLink
from tourney.services.devices import hash_of, note_seen

COOKIE = "tourney_device"
_AGE = timedelta(days=40)


@dataclass(frozen=True, slots=True)
class TabletPage:
    """A page where a tablet enters results: its address, and what it is called."""

    url: str
    label: str


# Name of the address, label, and whether a link has anything there; the app that has the boards registers its page.
_PAGES: list[tuple[str, Any, Callable[[DeviceLink], bool]]] = []


def register_page(name: str, label: Any, has_boards: Callable[[DeviceLink], bool]) -> None:
    """Add a page for tablets; the first one registered is shown to a link that has no boards yet."""
    _PAGES.append((name, label, has_boards))


def pages_of(link: DeviceLink) -> list[TabletPage]:
    """Return the pages with boards of a link; the first page there is when none has any. A query a page."""
    found = [
        TabletPage(reverse(name, args=[link.pk]), str(label)) for name, label, has_boards in _PAGES if has_boards(link)
    ]
    return found or [TabletPage(reverse(name, args=[link.pk]), str(label)) for name, label, _ in _PAGES[:1]]


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
    return short_name(request.headers.get("User-Agent", ""))


def short_name(agent: str) -> str:
    """Return what a browser calls itself in a few words: `Chrome · Android`."""
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
