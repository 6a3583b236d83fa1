"""How often one may try to sign in. Counted before a password is hashed, because hashing is what costs.

* An address may fail 60 times in ten minutes: a hall shares one.
* A name may be failed on 10 times in a quarter of an hour, from browsers that never signed in as it.
* All unknown browsers together may fail five times in a second, so that a flood from many addresses leaves the
  processor to those who enter results.
* A browser that has signed in as this name before (a signed cookie says so) counts for itself: 20 in a quarter of an
  hour. So nobody can lock an organizer out by failing on purpose.

A try is counted when it begins and taken back when it succeeds. A second factor's code counts by its user alone. What
`gate` asks counts nothing.
"""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from typing import Any

from django.core import signing
from django.http import HttpRequest, HttpResponse
from django.utils.crypto import get_random_string
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from tourney.addresses import network_of
from tourney.sign_in.knocks import count, full_of, key_of, take_back

COOKIE = "tourney_browser"
COOKIE_DAYS = 180
_SALT = "tourney.sign_in.browser"


@dataclass(frozen=True, slots=True)
class Limit:
    """So many failures within so many seconds."""

    most: int
    seconds: int


ADDRESS = Limit(60, 600)
NAME = Limit(10, 900)
EVERYBODY = Limit(5, 1)
BROWSER = Limit(20, 900)
CODES = Limit(8, 900)


class TooOften(Exception):
    """Too many failures; `seconds` is when the count ends at the latest."""

    def __init__(self, seconds: int) -> None:
        super().__init__(f"{seconds} s")
        self.seconds = seconds


@dataclass(frozen=True, slots=True)
class Attempt:
    """A try that was let through; the counts it holds are taken back when it succeeds."""

    keys: tuple[str, ...]

    def succeeded(self) -> None:
        for key in self.keys:
            take_back(key)


def begin(request: HttpRequest, name: str) -> Attempt:
    """Count a try to sign in as `name`; TooOften when there were too many."""
    who = folded(name)
    browser = browser_of(request, who)
    if browser:
        return _counted([(key_of("browser", browser, who), BROWSER)])
    return _counted(
        [
            (key_of("address", network_of(request)), ADDRESS),
            (key_of("everybody"), EVERYBODY),
            (key_of("name", who), NAME),
        ]
    )


def shut_for(request: HttpRequest) -> int:
    """Return for how many seconds no unknown browser at this address may try any name; 0 where it may, or is known.

    That a known browser knows this very name is found out when the name is read (`begin`).
    """
    if _signed(request):
        return 0
    limits = {key_of("everybody"): EVERYBODY, key_of("address", network_of(request)): ADDRESS}
    full = full_of({key: limit.most for key, limit in limits.items()})
    return limits[full].seconds if full else 0


def wait_words(seconds: int) -> str:
    """Return the sentence for somebody who has tried too often."""
    if seconds < 60:
        return _("Very many are trying to sign in just now. Try again in a few seconds.")
    minutes = -(-seconds // 60)
    return ngettext(
        "Too many tries. Wait %(n)d minute, then try again.",
        "Too many tries. Wait %(n)d minutes, then try again.",
        minutes,
    ) % {"n": minutes}


def begin_code(user_id: int) -> Attempt:
    """Count a try with a second factor's code; TooOften when there were too many."""
    return _counted([(key_of("code", str(user_id)), CODES)])


def _counted(wanted: list[tuple[str, Limit]]) -> Attempt:
    for key, limit in wanted:
        if count(key, limit.seconds) > limit.most:
            raise TooOften(limit.seconds)
    return Attempt(tuple(key for key, _limit in wanted))


def folded(name: str) -> str:
    """Return a name as it is counted: its spellings count together."""
    return unicodedata.normalize("NFKC", name).strip().casefold()[:150]


# -- the browser that was here before --------------------------------------------------------------------------------


def browser_of(request: HttpRequest, who: str) -> str:
    """Return the number of a browser that has signed in under this name before; "" for any other."""
    number, _colon, digest = _signed(request).partition(":")
    return number if digest == key_of("known", who) else ""


def _signed(request: HttpRequest) -> str:
    """Return what we wrote into a browser's cookie; "" where there is none, or it is not from us."""
    said = request.COOKIES.get(COOKIE, "")
    try:
        return str(signing.loads(said, salt=_SALT, max_age=COOKIE_DAYS * 24 * 3600)) if said else ""
    except signing.BadSignature:
        return ""


def remember_browser(response: HttpResponse, name: str, *, secure: bool) -> None:
    """Let a browser prove later that somebody has signed in with it under this name."""
    said: Any = signing.dumps(f"{get_random_string(16)}:{key_of('known', folded(name))}", salt=_SALT)
    response.set_cookie(
        COOKIE, said, max_age=COOKIE_DAYS * 24 * 3600, httponly=True, samesite="Lax", secure=secure, path="/"
    )
