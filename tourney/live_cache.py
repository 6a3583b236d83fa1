"""What is known of kept pages: words in the cache, what a process remembers of them, and the locks of who builds.

Words in the cache: `live:said:<id>` (a stage's version by whoever changed it), `live:read:<id>` (by whoever looked; the
higher counts, so that no look from before a commit stands against the commit's word), `live:event:<slug>` (mark),
`live:page:1:<key>` (what a page follows), `live:body:<key>`, `live:build:<key>` (the lock), `live:builder:<machine>`.
"""

from __future__ import annotations

import gzip
import hashlib
import socket
import threading
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple
from uuid import uuid4

from django.core.cache import cache
from django.db import Error as AnyDatabaseError
from django.http import HttpRequest, HttpResponse
from django.utils.cache import patch_vary_headers
from django.utils.http import parse_etags

from tourney.models import Stage

VERSION_SECONDS = 5  # how long a cached version is believed
REST_SECONDS = 1.2  # results that come closer together than this are built into a page together
KEEP_SECONDS = 150  # how long an old page is kept, to be shown while the new one is built
BUILD_SECONDS = 5  # how long one builder is waited for
PATIENCE_SECONDS = 3  # how old a page may be when it waits for the machine to build another one first
LATELY_SECONDS = 0.25  # how long a process believes what the cache said
HASTE_SECONDS = 1  # what is good for less (moves of live boards) is small, and waits for no other page
AGAIN_SECONDS = 0.05  # after which a process asks again whether its machine may build the next page
BUSY_SECONDS = 60  # how long after a change pages are asked for more often
MARK_SECONDS = 24 * 3600
MOST_TEXTS = 40  # of pages a process remembers

_MACHINE = f"live:builder:{socket.gethostname()}"


@dataclass(frozen=True, slots=True)
class Follows:
    """What a page is made of: stages with the versions they had, and how many seconds it is good at most."""

    stages: tuple[tuple[int, int], ...]
    seconds: float


class Page(NamedTuple):
    """What is known of a kept page without its text; a plain tuple in the cache, whatever version wrote it."""

    built_at: float
    mark: str
    stages: tuple[tuple[int, int], ...]
    seconds: float
    etag: str


# -- what changes ----------------------------------------------------------------------------------------------------


def move_mark(slug: str) -> None:
    cache.set(mark_key(slug), uuid4().hex, MARK_SECONDS)
    forget()


def say_version(stage_id: int, version: int) -> None:
    # Of two acts that commit one after the other the later version stands, whoever speaks first.
    if (cache.get(_said_key(stage_id)) or 0) < version:
        cache.set(_said_key(stage_id), version, BUSY_SECONDS)
    forget()


def _said_key(stage_id: int) -> str:
    return f"live:said:{stage_id}"


def _read_key(stage_id: int) -> str:
    return f"live:read:{stage_id}"


def page_key(key: str) -> str:
    return f"live:page:1:{key}"


def mark_key(slug: str) -> str:
    return f"live:event:{slug}"


# -- what a process remembers -----------------------------------------------------------------------------------------

Known = tuple["Page | None", "str | None", dict[int, Any]]
_lately: dict[str, tuple[float, Known]] = {}  # page → until when, what the cache said
_texts: dict[str, tuple[float, Any]] = {}  # page → when it was built, its headers and text
_texts_change = threading.Lock()
_followed: dict[str, tuple[int, ...]] = {}  # which stages a page followed last: one journey to the cache, not two


def forget() -> None:
    """Ask the cache again: something has changed."""
    _lately.clear()


def forget_page(key: str) -> None:
    """Ask the cache again about one page."""
    _lately.pop(key, None)


def known_lately(slug: str, key: str) -> Known:
    """Return what `_known` says, or said to this process a moment ago."""
    now = time.monotonic()
    until, known = _lately.get(key, (0.0, None))
    if known is None or now >= until:
        known = _known(slug, key)
        if known[0] is not None:
            if len(_lately) > 1000:
                _lately.clear()
            _lately[key] = now + LATELY_SECONDS, known
    return known


def text_of(page: Page, key: str) -> Any:
    """Return the headers and the text of a page; None if they are gone."""
    built_at, found = _texts.get(key, (0.0, None))
    if found is None or built_at != page.built_at:
        found = cache.get(f"live:body:{key}")
        if found is not None:
            with _texts_change:
                while len(_texts) >= MOST_TEXTS:
                    _texts.pop(next(iter(_texts)))
                _texts[key] = page.built_at, found
    return found


# -- building ----------------------------------------------------------------------------------------------------------

_rests_until = 0.0  # another page is being built on this machine: not asked again at once


def locks_of(key: str, page: Page | None, *, calm: bool = True) -> list[str]:
    """Take the locks for building a page: its own, and the machine's where an old page can be shown meanwhile.

    Empty if somebody else has them, or if this process has better to do (is not `calm`) and the page can wait; they end
    by themselves should the builder be killed.
    """
    global _rests_until
    now, lock = time.monotonic(), f"live:build:{key}"
    if page is not None and page.seconds < HASTE_SECONDS:
        return [lock] if cache.add(lock, 1, BUILD_SECONDS) else []
    waits = page is not None and _age(page) < PATIENCE_SECONDS
    if waits and (now < _rests_until or not calm):
        return []
    if cache.add(lock, 1, BUILD_SECONDS):
        if cache.add(_MACHINE, 1, BUILD_SECONDS):
            return [lock, _MACHINE]
        if not waits:
            return [lock]
        cache.delete(lock)
    _rests_until = now + AGAIN_SECONDS
    return []


# -- what the cache says ----------------------------------------------------------------------------------------------


def is_building(key: str) -> bool:
    return cache.get(f"live:build:{key}") is not None


def _known(slug: str, key: str) -> tuple[Page | None, str | None, dict[int, Any]]:
    """Return what is known of a page, the event's mark, and the versions of its stages as they are now.

    Under 0 the versions say whether a stage changed lately. One that the cache doesn't know is read from the database:
    once in `VERSION_SECONDS` for all visitors together.
    """
    guess = _followed.get(key, ())
    found = cache.get_many([page_key(key), mark_key(slug), *_keys_of(guess)])
    mark = found.get(mark_key(slug))
    if page_key(key) not in found:
        return None, mark, {}
    page = Page(*found[page_key(key)])
    stages = tuple(pk for pk, _ in page.stages)
    if stages != guess:
        if len(_followed) > 5000:
            _followed.clear()
        _followed[key] = stages
        found = cache.get_many(_keys_of(stages))
    return page, mark, _versions(page, found)


def _keys_of(stages: Iterable[int]) -> list[str]:
    return [name for pk in stages for name in (_read_key(pk), _said_key(pk))]


def _versions(page: Page, cached: Mapping[str, Any]) -> dict[int, Any]:
    now = {pk: cached[_read_key(pk)] for pk, _ in page.stages if _read_key(pk) in cached}
    if len(now) < len(page.stages):
        try:
            for pk, version in Stage.objects.filter(pk__in=[pk for pk, _ in page.stages]).values_list("pk", "version"):
                cache.set(_read_key(pk), version, VERSION_SECONDS)
                now[pk] = version
        except AnyDatabaseError:  # the page as it is, until the database is back
            now = dict(page.stages)
    now = {pk: max(version, cached.get(_said_key(pk), 0)) for pk, version in now.items()}
    now[0] = any(_said_key(pk) in cached for pk, _ in page.stages)
    return now


def _age(page: Page) -> float:
    """Return the seconds since a page was built. One from an hour to come is as old: the clock was put back since."""
    return abs(time.time() - page.built_at)


def is_good(page: Page, mark: str | None, versions: dict[int, Any]) -> bool:
    age = _age(page)
    if page.mark != mark or age > page.seconds:
        return False
    followed = all(pk in versions and versions[pk] <= version for pk, version in page.stages)
    return followed or age < REST_SECONDS


def is_known(etag: str, given: str) -> bool:
    """Return whether a visitor has an answer, by the `If-None-Match` that was sent.

    A page that was opened at this version has its live part too: it says the version alone, without the text's print.
    """
    if not etag or not given:
        return False
    known, name = {one.removeprefix("W/") for one in parse_etags(given)}, etag.removeprefix("W/")
    return name in known or f'{name.rpartition(".")[0]}"' in known


def etag_by_text(answer: HttpResponse) -> str:
    """Return what an answer is known by: what its view says, and its text.

    The version of a stage alone would not do for caches in front: they ask whether anything is new, and a name that
    must no longer be shown, or minutes that have gone by, change no version.
    """
    text = hashlib.sha256(answer.content).hexdigest()[:12]
    said = answer.headers.get("ETag", "")
    if said.endswith((f'"{text}"', f'.{text}"')):
        return said
    return f'{said[:-1]}.{text}"' if said else f'W/"{text}"'


def store(request: HttpRequest, answer: HttpResponse, key: str, mark: str) -> None:
    """Keep what a view has said everybody may share."""
    follows = getattr(answer, "follows", None)
    # A token in a page, or a cookie with it, belongs to one visitor.
    is_personal = bool(answer.cookies) or "CSRF_COOKIE_NEEDS_UPDATE" in request.META
    if follows is None or is_personal or answer.status_code != 200 or answer.streaming:
        return
    answer["ETag"] = etag_by_text(answer)
    patch_vary_headers(answer, ("Accept-Encoding",))
    headers = {name: value for name, value in answer.items() if name.lower() != "content-length"}
    cache.set(f"live:body:{key}", (headers, gzip.compress(answer.content, 6)), KEEP_SECONDS)
    for pk, version in follows.stages:
        cache.add(_read_key(pk), version, VERSION_SECONDS)
    page = Page(time.time(), mark, follows.stages, follows.seconds, answer.headers.get("ETag", ""))
    cache.set(page_key(key), tuple(page), KEEP_SECONDS)
