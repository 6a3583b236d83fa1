"""Public pages kept ready: an unchanged poll costs no SQL, a changed page is built once for everybody.

A view marked `@kept` says with `keep` what its page follows: the event, and the versions its stages had when it was
read. The page is then kept (compressed, with its headers) for every visitor without a session, and `LiveMiddleware`
answers before sessions, languages and the database come into play:

* A page is good while nothing it follows has moved. Every act that touches a stage says the new version after its
  commit (`stage_changed`, from `services.stages.bump`), every other act of the staff moves the event's mark
  (`event_changed`, from `services.log`).
* A page that is no longer good is built by whoever asks first, under a lock of limited time; the others get the old
  one meanwhile. Without an old one they wait for the new one. While results pour in, `REST_SECONDS` lie between builds,
  and a machine builds one page after the other, so that most of it is free for who enters results; a process that is
  just taking an entry begins none.
* What the cache says is believed for seconds only: a stage's version is read from the database again after
  `VERSION_SECONDS`, a page is built again after `FRESH_SECONDS`. So a message that was lost (a process killed between
  its commit and the message, a Redis that was away) can't keep a corrected result on any page.
* A process remembers for `LATELY_SECONDS` what the cache said, and the texts it gave out last: most polls ask nobody.
* An address counts with what its view reads of it only (`@kept("round", of="all")`): `?fbclid=…` is the same page, and
  nobody fills the cache with addresses of his own making.
* Without a cache every page is built by its view: right, and slower.

`tourney.live_cache` holds the words in the cache and what a process remembers of them.
"""

from __future__ import annotations

import gzip
import hashlib
import re
import threading
import time
from collections.abc import Callable, Mapping
from functools import lru_cache, partial
from typing import Any
from urllib.parse import parse_qsl, urlencode
from uuid import uuid4

from django.conf import settings
from django.contrib.messages.storage.cookie import CookieStorage
from django.core.cache import cache
from django.core.exceptions import DisallowedHost
from django.db import transaction
from django.http import Http404, HttpRequest, HttpResponse
from django.urls import ResolverMatch, resolve

from tourney.languages import chosen_language
from tourney.live_cache import (
    MARK_SECONDS,
    Follows,
    Page,
    forget_page,
    is_building,
    is_good,
    is_known,
    known_lately,
    locks_of,
    mark_key,
    move_mark,
    page_key,
    say_version,
    store,
    text_of,
)
from tourney.models import Stage

FRESH_SECONDS = 30  # how long a page is believed although nothing it follows has moved
WAIT_SECONDS = 2.0  # how long a visitor waits for somebody else's first build
LONGEST_ADDRESS = 300

# How often pages poll, as a part of their own distance: after a change, and when this process has much to do.
QUICK_PACE, SLOW_PACE = "0.33", "2"
# Behind a shared cache: its answers may be two seconds old, and it takes the polls.
SHARED_PACE = "0.15"
# Answers a second of this process: no haste beyond the first, longer waits beyond the second.
CALM_RATE, FULL_RATE = 160, 320

View = Callable[..., HttpResponse]
_WORD = re.compile(r"0|[1-9]\d{0,11}|[A-Za-z][\w-]{0,19}", re.ASCII)


def kept(*names: str, **words: str) -> Callable[[View], View]:
    """Mark a view whose page everybody may share; it calls `keep` on what it answers.

    `names` are what the view reads of the query: a number or a short word, and a view answers one it does not know
    with 404 or without `keep`. `words`: names with the one word they can have. Nothing else of a query reaches a view.
    """

    def mark(view: View) -> View:
        view.kept = {**dict.fromkeys(names, ""), **words}  # type: ignore[attr-defined]
        return view

    return mark


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
    transaction.on_commit(partial(say_version, stage_id, version), robust=True)


def event_changed(slug: str) -> None:
    """Drop every kept page of an event, once the transaction is committed."""
    transaction.on_commit(partial(move_mark, slug), robust=True)


# -- answering -------------------------------------------------------------------------------------------------------


class LiveMiddleware:
    """Answers from kept pages; stands after the compressing middleware and before everything a visitor is known by."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response
        self.pace = Pace()
        self.acting: set[int] = set()  # threads of this process in which somebody's entry is being taken

    def __call__(self, request: HttpRequest) -> HttpResponse:
        place = _place_of(request)
        if place is None:
            return self._pass(request)
        slug, key = place
        page, mark, versions = known_lately(slug, key)
        self.pace.count()
        if page is not None and is_good(page, mark, versions):
            answer = self._from(page, key, request)
            if answer is not None:
                return self.pace.said(answer, versions)
        if locks := locks_of(key, page, calm=not self.acting):
            answer = self._build(request, slug, key, mark, page, locks)
        elif page is not None:
            answer = self._from(page, key, request) or self.get_response(request)
        else:
            answer = self._wait(request, key)
        return self.pace.said(answer, versions)

    def _pass(self, request: HttpRequest) -> HttpResponse:
        """Answer what is no kept page; an entry has this process to itself as far as a page can wait."""
        if request.method != "POST":
            return self.get_response(request)
        thread = threading.get_ident()
        self.acting.add(thread)
        try:
            return self.get_response(request)
        finally:
            self.acting.discard(thread)

    def _from(self, page: Page, key: str, request: HttpRequest) -> HttpResponse | None:
        """Return the kept answer: nothing new, or the page; None if its text is gone."""
        if is_known(page.etag, request.headers.get("If-None-Match", "")):
            return _unchanged(page.etag, Follows(page.stages, page.seconds))
        found = text_of(page, key)
        if found is None:
            return None
        headers, packed = found
        accepts = "gzip" in request.headers.get("Accept-Encoding", "")
        answer = HttpResponse(packed if accepts else gzip.decompress(packed), headers=headers)
        if accepts:
            answer["Content-Encoding"] = "gzip"
        answer.follows = Follows(page.stages, page.seconds)  # type: ignore[attr-defined]
        return answer

    def _build(
        self, request: HttpRequest, slug: str, key: str, mark: str | None, old: Page | None, locks: list[str]
    ) -> HttpResponse:
        """Let the view answer, and keep that for the others. Where it fails, an old page is better than none."""
        known = request.META.pop("HTTP_IF_NONE_MATCH", "")  # the others need the whole page
        request.__dict__.pop("headers", None)
        try:
            if mark is None:
                mark = uuid4().hex
                if not cache.add(mark_key(slug), mark, MARK_SECONDS):
                    mark = cache.get(mark_key(slug)) or mark
            answer = self.get_response(request)
            if answer.status_code >= 500 and old is not None:
                return self._from(old, key, request) or answer
            if answer.status_code != 200 and old is not None:
                cache.delete(page_key(key))  # hidden or gone: nobody sees the old page while the next one asks
            store(request, answer, key, mark)
            follows = getattr(answer, "follows", None)
            return _unchanged(answer["ETag"], follows) if is_known(answer.headers.get("ETag", ""), known) else answer
        finally:
            cache.delete_many(locks)
            forget_page(key)

    def _wait(self, request: HttpRequest, key: str) -> HttpResponse:
        """Wait for the first build of a page somebody else has begun; without a cache, build it oneself."""
        end = time.monotonic() + WAIT_SECONDS
        while is_building(key) and time.monotonic() < end:
            time.sleep(0.03)
        found = cache.get(page_key(key))
        return (found and self._from(Page(*found), key, request)) or self.get_response(request)


def _unchanged(etag: str, follows: Follows | None) -> HttpResponse:
    answer = HttpResponse(status=304)
    answer["ETag"] = etag
    answer["Cache-Control"] = "private, no-cache"
    if follows is not None:
        answer.follows = follows  # type: ignore[attr-defined]
    return answer


def _place_of(request: HttpRequest) -> tuple[str, str] | None:
    """Return (the event's slug, the key of the page) where everybody gets the same answer, else None."""
    if request.method != "GET" or not settings.KEEP_PAGES or not request.path_info.startswith("/t/"):
        return None
    if settings.SESSION_COOKIE_NAME in request.COOKIES or CookieStorage.cookie_name in request.COOKIES:
        return None
    path = request.path_info
    if len(path) > LONGEST_ADDRESS or (leads := _kept_view(path)) is None:
        return None
    request.resolver_match = leads  # what is counted and logged of a request names its page
    try:
        host = request.get_host()
    except DisallowedHost:
        return None
    query = request.META.get("QUERY_STRING", "")
    if query:
        # The page is built for the address everybody shares, so it can't hold what only this one had.
        query = request.META["QUERY_STRING"] = _query_of(leads.func.kept, query)  # type: ignore[attr-defined]
    return path.split("/", 3)[2], _key_of(request.scheme or "", host, path, query, chosen_language(request))


def _query_of(names: Mapping[str, str], query: str) -> str:
    """Return what a view reads of a query, always in the same order."""
    try:
        given = dict(parse_qsl(query, max_num_fields=50))
    except ValueError:
        return ""
    return urlencode(
        [
            (name, given[name])
            for name, word in names.items()
            if name in given and (given[name] == word or (not word and _WORD.fullmatch(given[name])))
        ]
    )


@lru_cache(maxsize=4000)
def _key_of(*words: str) -> str:
    return hashlib.sha256("\n".join(words).encode()).hexdigest()[:32]


@lru_cache(maxsize=2000)
def _kept_view(path: str) -> ResolverMatch | None:
    """Return where an address leads if its page is kept."""
    try:
        found = resolve(path)
    except Http404:
        return None
    return found if getattr(found.func, "kept", None) is not None else None


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
            answer["Live-Pace"] = SHARED_PACE if settings.SHARED_CACHE else QUICK_PACE
        return answer
