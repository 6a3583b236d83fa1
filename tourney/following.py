"""Players a visitor follows, without an account: a signed cookie holds the numbers of their entries and nothing else.

Nothing of it is kept on the server. What stands beside a followed player (where he or she sits, what comes next) is
said by the apps (`follow` in `tourney.panels`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.functional import cached_property

from tourney import panels
from tourney.models import Entry, Tournament
from tourney.start_lists import ON_THE_WAY

COOKIE = "follow"
MOST = 30  # players; the longest-followed give way
_SALT = "tourney.following"
_DAYS = 180


@dataclass(frozen=True, slots=True)
class Way:
    """What comes after a match: "if you win" leads to another one, or to a place."""

    label: str
    words: str
    url: str = ""


@dataclass(frozen=True, slots=True)
class Following:
    """Where a followed player is, as an app says it.

    `now`: the board of the moment or the last result; `place`: standing so far; `then`: what is next and when.
    """

    now: str = ""
    url: str = ""
    place: str = ""
    then: str = ""
    ways: tuple[Way, ...] = ()
    is_playing: bool = False


@dataclass(frozen=True)
class Followed:
    """A followed player of one event with everything the apps say."""

    entry: Entry
    parts: tuple[Following, ...] = field(default=())

    @cached_property
    def url(self) -> str:
        section = self.entry.section
        return reverse("player", args=[section.tournament.slug, section.code, self.entry.pk])


def followed_ids(request: HttpRequest) -> list[int]:
    """Return the entries a visitor follows, the newest first; a cookie that was tampered with counts as none."""
    text = request.get_signed_cookie(COOKIE, "", salt=_SALT)
    return [int(part) for part in text.split(".") if part.isdecimal() and len(part) < 18][:MOST]


def keep_followed(request: HttpRequest, response: HttpResponse, ids: Sequence[int]) -> None:
    """Give the visitor the cookie, or take it away when nobody is followed any more."""
    if not ids:
        response.delete_cookie(COOKIE, samesite="Lax")
        return
    value = ".".join(str(pk) for pk in ids[:MOST])
    response.set_signed_cookie(
        COOKIE,
        value,
        salt=_SALT,
        max_age=_DAYS * 24 * 3600,
        httponly=True,
        samesite="Lax",
        secure=request.is_secure(),
    )


def followed_of(request: HttpRequest, tournament: Tournament) -> list[Followed]:
    """Return the followed players of an event that the public may see, in the order they were chosen."""
    ids = followed_ids(request)
    if not ids:
        return []
    visible = [*Entry.IN_PLAY, *ON_THE_WAY]
    entries = {
        entry.pk: entry
        for entry in Entry.objects.filter(tournament=tournament, pk__in=ids).select_related("player", "section")
        if entry.state in visible or entry.start_number
    }
    ordered = [entries[pk] for pk in ids if pk in entries]
    for entry in ordered:
        entry.tournament = entry.section.tournament = tournament
    said: list[dict[int, Following]] = [provider(ordered) for provider in panels.providers("follow")] if ordered else []
    return [Followed(entry, tuple(part[entry.pk] for part in said if entry.pk in part)) for entry in ordered]


def toggled(ids: Sequence[int], entry: int, wanted: Any) -> list[int]:
    """Return whom a visitor follows after one more click; `wanted` "on", "off", else the other way round."""
    without = [pk for pk in ids if pk != entry]
    follows = {"on": True, "off": False}.get(str(wanted), entry not in ids)
    return [entry, *without][:MOST] if follows else without
