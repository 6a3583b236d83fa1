"""Public pages kept ready: an unchanged poll costs no SQL, a changed page is built once for everybody.

A view marked `@kept` says with `keep` what its page follows: the event, and the versions its stages had when it was
read. The page is then kept (compressed, with its headers) for every visitor without a session, and `LiveMiddleware`
answers before sessions, languages and the database come into play:

* A page is good while nothing it follows has moved. Every act that touches a stage says the new version after its
  commit (`stage_changed`, from `services.stages.bump`), every other act of the staff moves the event's mark
  (`event_changed`, from `services.log`).
* A page that is no longer good is built by whoever asks first, under a lock of limited time; the others get the old
  one meanwhile. Without an old one they wait for the new one. While results pour in, `REST_SECONDS` lie between builds.
* What the cache says is believed for seconds only: a stage's version is read from the database again after
  `VERSION_SECONDS`, a page is built again after `FRESH_SECONDS`. So a message that was lost (a process killed between
  its commit and the message, a Redis that was away) can't keep a corrected result on any page.
* Without a cache every page is built by its view: right, and slower.

Words in the cache: `live:said:<id>` (a stage's version by whoever changed it), `live:read:<id>` (by whoever looked; the
higher counts, so that no look from before a commit stands against the commit's word), `live:event:<slug>` (mark),
`live:page:1:<key>` (what a page follows), `live:body:<key>`, `live:build:<key>` (the lock).
"""

from __future__ import annotations

import gzip
import hashlib
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import Any, NamedTuple
from uuid import uuid4

from django.conf import settings
from django.contrib.messages.storage.cookie import CookieStorage
from django.core.cache import cache
from django.core.exceptions import DisallowedHost
from django.db import Error as AnyDatabaseError
from django.db import transaction
from django.http import Http404, HttpRequest, HttpResponse
from django.urls import ResolverMatch, resolve
from django.utils.cache import patch_vary_headers
from django.utils.http import parse_etags

from tourney.languages import chosen_language
from tourney.models import Stage

VERSION_SECONDS = 5  # how long a cached version is believed
FRESH_SECONDS = 30  # how long a page is believed although nothing it follows has moved
REST_SECONDS = 1.5  # results that come closer together than this are built into a page together
KEEP_SECONDS = 150  # how long an old page is kept, to be shown while the new one is built
BUILD_SECONDS = 5  # how long one builder is waited for
BUSY_SECONDS = 60  # how long after a change pages are asked for more often
MARK_SECONDS = 24 * 3600
WAIT_SECONDS = 2.0  # how long a visitor waits for somebody else's first build
LONGEST_ADDRESS = 300

# How often pages poll, as a part of their own distance: after a change, and when this process has much to do.
QUICK_PACE, SLOW_PACE = "0.3", "2"
CALM_RATE, FULL_RATE = (
    160,
    320,
)  # answers a second of this process: no haste beyond the first, longer waits beyond the second

View = Callable[..., HttpResponse]


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


def kept(view: View) -> View:
    """Mark a view whose page everybody may share; it calls `keep` on what it answers."""
    view.kept = True  # type: ignore[attr-defined]
    return view


def keep(answer: HttpResponse, tournament: Any, *stages: Stage | None, seconds: float = FRESH_SECONDS) -> HttpResponse:
    """Say what an answer follows, and return it. Stages are as they were read before anything else of the page.

    A private event's pages are never kept.
    """
    if tournament.public:
        seen = tuple((stage.pk, stage.version) for stage in stages if stage is not None)
        answer.follows = Follows(seen, seconds)  # type: ignore[attr-defined]
    return answer


# -- what changes ----------------------------------------------------------------------------------------------------


def stage_changed(stage_id: int, version: int) -> None:
    """Tell the pages of a stage its new version, once the transaction is committed."""
    transaction.on_commit(partial(_say_version, stage_id, version), robust=True)


def event_changed(slug: str) -> None:
    """Drop every kept page of an event, once the transaction is committed."""
    transaction.on_commit(partial(cache.set, _mark_key(slug), uuid4().hex, MARK_SECONDS), robust=True)


def _say_version(stage_id: int, version: int) -> None:
    # Of two acts that commit one after the other the later version stands, whoever speaks first.
    if (cache.get(_said_key(stage_id)) or 0) < version:
        cache.set(_said_key(stage_id), version, BUSY_SECONDS)


def _said_key(stage_id: int) -> str:
    return f"live:said:{stage_id}"


def _read_key(stage_id: int) -> str:
    return f"live:read:{stage_id}"


def _page_key(key: str) -> str:
    return f"live:page:1:{key}"


def _mark_key(slug: str) -> str:
    return f"live:event:{slug}"


# -- answering -------------------------------------------------------------------------------------------------------


class LiveMiddleware:
    """Answers from kept pages; stands after the compressing middleware and before everything a visitor is known by."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response
        self.pace = Pace()

    def __call__(self, request: HttpRequest) -> HttpResponse:
        place = _place_of(request)
        if place is None:
            return self.get_response(request)
        slug, key = place
        page, mark, versions = _known(slug, key)
        self.pace.count()
        if page is not None and _is_good(page, mark, versions):
            answer = self._from(page, key, request)
            if answer is not None:
                return self.pace.said(answer, versions)
        if cache.add(f"live:build:{key}", 1, BUILD_SECONDS):
            answer = self._build(request, slug, key, mark, page)
        elif page is not None:
            answer = self._from(page, key, request) or self.get_response(request)
        else:
            answer = self._wait(request, key)
        return self.pace.said(answer, versions)

    def _from(self, page: Page, key: str, request: HttpRequest) -> HttpResponse | None:
        """Return the kept answer: nothing new, or the page; None if its text is gone."""
        if page.etag and page.etag in parse_etags(request.headers.get("If-None-Match", "")):
            return _unchanged(page.etag)
        found = cache.get(f"live:body:{key}")
        if found is None:
            return None
        headers, packed = found
        accepts = "gzip" in request.headers.get("Accept-Encoding", "")
        answer = HttpResponse(packed if accepts else gzip.decompress(packed), headers=headers)
        if accepts:
            answer["Content-Encoding"] = "gzip"
        return answer

    def _build(self, request: HttpRequest, slug: str, key: str, mark: str | None, old: Page | None) -> HttpResponse:
        """Let the view answer, and keep that for the others. Where it fails, an old page is better than none."""
        lock = f"live:build:{key}"
        known = parse_etags(request.META.pop("HTTP_IF_NONE_MATCH", ""))  # the others need the whole page
        request.__dict__.pop("headers", None)
        try:
            if mark is None:
                mark = uuid4().hex
                if not cache.add(_mark_key(slug), mark, MARK_SECONDS):
                    mark = cache.get(_mark_key(slug)) or mark
            answer = self.get_response(request)
            if answer.status_code >= 500 and old is not None:
                return self._from(old, key, request) or answer
            if answer.status_code != 200 and old is not None:
                cache.delete(_page_key(key))  # hidden or gone: nobody sees the old page while the next one asks
            _store(request, answer, key, mark)
            return _unchanged(answer["ETag"]) if answer.headers.get("ETag") in known else answer
        finally:
            cache.delete(lock)

    def _wait(self, request: HttpRequest, key: str) -> HttpResponse:
        """Wait for the first build of a page somebody else has begun; without a cache, build it oneself."""
        end = time.monotonic() + WAIT_SECONDS
        while _is_building(key) and time.monotonic() < end:
            time.sleep(0.03)
        found = cache.get(_page_key(key))
        return (found and self._from(Page(*found), key, request)) or self.get_response(request)


def _unchanged(etag: str) -> HttpResponse:
    answer = HttpResponse(status=304)
    answer["ETag"] = etag
    answer["Cache-Control"] = "private, no-cache"
    return answer


def _place_of(request: HttpRequest) -> tuple[str, str] | None:
    """Return (the event's slug, the key of the page) where everybody gets the same answer, else None."""
    if request.method != "GET" or not settings.KEEP_PAGES or not request.path_info.startswith("/t/"):
        return None
    if settings.SESSION_COOKIE_NAME in request.COOKIES or CookieStorage.cookie_name in request.COOKIES:
        return None
    address = request.get_full_path()
    if len(address) > LONGEST_ADDRESS or (leads := _kept_view(request.path_info)) is None:
        return None
    request.resolver_match = leads  # what is counted and logged of a request names its page
    try:
        host = request.get_host()
    except DisallowedHost:
        return None
    words = "\n".join((request.scheme or "", host, address, chosen_language(request)))
    return request.path_info.split("/", 3)[2], hashlib.sha256(words.encode()).hexdigest()[:32]


def _is_building(key: str) -> bool:
    return cache.get(f"live:build:{key}") is not None


@lru_cache(maxsize=2000)
def _kept_view(path: str) -> ResolverMatch | None:
    """Return where an address leads if its page is kept."""
    try:
        found = resolve(path)
    except Http404:
        return None
    return found if getattr(found.func, "kept", False) else None


_followed: dict[str, tuple[int, ...]] = {}  # which stages a page followed last: one journey to the cache, not two


def _known(slug: str, key: str) -> tuple[Page | None, str | None, dict[int, Any]]:
    """Return what is known of a page, the event's mark, and the versions of its stages as they are now.

    Under 0 the versions say whether a stage changed lately. One that the cache doesn't know is read from the database:
    once in `VERSION_SECONDS` for all visitors together.
    """
    guess = _followed.get(key, ())
    found = cache.get_many([_page_key(key), _mark_key(slug), *_keys_of(guess)])
    mark = found.get(_mark_key(slug))
    if _page_key(key) not in found:
        return None, mark, {}
    page = Page(*found[_page_key(key)])
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


def _is_good(page: Page, mark: str | None, versions: dict[int, Any]) -> bool:
    age = time.time() - page.built_at
    if page.mark != mark or age > page.seconds:
        return False
    followed = all(pk in versions and versions[pk] <= version for pk, version in page.stages)
    return followed or age < REST_SECONDS


def _store(request: HttpRequest, answer: HttpResponse, key: str, mark: str) -> None:
    """Keep what a view has said everybody may share."""
    follows = getattr(answer, "follows", None)
    # A token in a page, or a cookie with it, belongs to one visitor.
    is_personal = bool(answer.cookies) or "CSRF_COOKIE_NEEDS_UPDATE" in request.META
    if follows is None or is_personal or answer.status_code != 200 or answer.streaming:
        return
    patch_vary_headers(answer, ("Accept-Encoding",))
    headers = {name: value for name, value in answer.items() if name.lower() != "content-length"}
    cache.set(f"live:body:{key}", (headers, gzip.compress(answer.content, 6)), KEEP_SECONDS)
    for pk, version in follows.stages:
        cache.add(_read_key(pk), version, VERSION_SECONDS)
    page = Page(time.time(), mark, follows.stages, follows.seconds, answer.headers.get("ETag", ""))
    cache.set(_page_key(key), tuple(page), KEEP_SECONDS)


class Pace:
    """How often visitors should ask: more often while results arrive, less often while this process is at its limit."""

    def __init__(self) -> None:
        self.second = 0
        self.rate = self.so_far = 0

    def count(self) -> None:
        second = int(time.monotonic())
        if second != self.second:
            self.rate = self.so_far if second == self.second + 1 else 0
            self.second, self.so_far = second, 0
        self.so_far += 1

    def said(self, answer: HttpResponse, versions: dict[int, Any]) -> HttpResponse:
        """Return an answer that says the pace."""
        rate = max(self.rate, self.so_far)
        if rate > FULL_RATE:
            answer["Live-Pace"] = SLOW_PACE
        elif versions.get(0) and rate <= CALM_RATE:
            answer["Live-Pace"] = QUICK_PACE
        return answer
