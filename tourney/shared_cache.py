"""What a cache in front of the server (a CDN, nginx, Varnish) may hold for everybody: who may share, and for how long.

* Only an address that says its language (`?lang=uk`, `ru`, `en`, or `own` for the event's) is shared. A cache that
  knows nothing of languages then can't mix them: what it goes by is the address. Pages ask for their live parts by such
  addresses; for whole pages the cache writes the language into the address it asks for (`deploy/nginx-cache.conf`).
* Only views that say so are shared: those whose pages are kept (`tourney.live.kept`), and those marked `@shared`, which
  are built for each who asks. What they show must be of public events (`permissions.public_tournament` notes that).
* The view never sees a cookie of who asks for such an address, so the answer can hold nothing of that person. Whoever
  is signed in, has a message waiting or enters results with a tablet gets an answer of his or her own; so does who
  follows players, on pages that show them.
* Everything else says `private`, refusals and errors `no-store`: also what forgot to say anything.

A shared answer lives for seconds. A result must be seen within five, and a name that must no longer be shown, or an
event that was hidden, is gone from every cache when the lives below are over. An answer is known by its text, never by
the version of what it shows alone: a cache that asked whether anything is new would keep an erased name for good.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any

from django.conf import settings
from django.contrib.messages.storage.cookie import CookieStorage
from django.http import Http404, HttpRequest, HttpResponse
from django.urls import resolve

from tourney.devices import COOKIE as DEVICE_COOKIE
from tourney.following import COOKIE as FOLLOW_COOKIE
from tourney.live_cache import etag_by_text, is_known
from tourney.permissions import shows_only_public

LANGUAGE = "lang"
OWN = "own"  # the language of the event

# How long a cache may give an answer out, how much longer while it fetches the next one, and while the server is away.
# Nobody who asks seldom must get an answer much older than a poll, so the second is as short as the first.
LIVE = "public, max-age=0, s-maxage=1, stale-while-revalidate=1, stale-if-error=30"
BUILT = "public, max-age=0, s-maxage=5, stale-while-revalidate=5, stale-if-error=30"
PRIVATE, REFUSED = "private, no-cache", "private, no-store"
VARY = "Accept-Encoding, Cookie"

View = Callable[..., HttpResponse]


def shared(life: str = BUILT) -> Callable[[View], View]:
    """Mark a view that shows everybody the same, though its pages are not kept."""

    def mark(view: View) -> View:
        view.shared = life  # type: ignore[attr-defined]
        return view

    return mark


def address_for_all(address: str, language: str) -> str:
    """Return an address that says its language: what is answered there may be shared."""
    return f"{address}{'&' if '?' in address else '?'}{LANGUAGE}={language}"


class SharedMiddleware:
    """Says of every answer who may keep it. Stands before kept pages and everything a visitor is known by."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        life = _speak_the_language_of(request)
        answer = self.get_response(request)
        if life and _is_for_all(request, answer):
            return _share(request, answer, life)
        _keep_private(answer)
        return answer


# -- before the view -------------------------------------------------------------------------------------------------


def _speak_the_language_of(request: HttpRequest) -> str:
    """Let a request be in the language of its address; return how long its answer may live if it is for all."""
    query = request.META.get("QUERY_STRING", "")
    if f"{LANGUAGE}=" not in query or request.method not in ("GET", "HEAD"):
        return ""
    life, is_kept = _life(request.path_info)
    if not life:
        return ""
    parts = query.split("&")
    said = [part.partition("=")[2] for part in parts if part.partition("=")[0] == LANGUAGE]
    if not said or said[0] not in _languages():
        return ""
    cookies = {name: text for name, text in request.COOKIES.items() if name != settings.LANGUAGE_COOKIE_NAME}
    personal = {settings.SESSION_COOKIE_NAME, CookieStorage.cookie_name, DEVICE_COOKIE}
    if not is_kept:  # kept pages show nobody whom he or she follows
        personal.add(FOLLOW_COOKIE)
    is_for_all = personal.isdisjoint(cookies) and "HTTP_AUTHORIZATION" not in request.META
    request.COOKIES = {} if is_for_all else cookies
    request.META["QUERY_STRING"] = "&".join(part for part in parts if part and part.partition("=")[0] != LANGUAGE)
    request.META.pop("HTTP_ACCEPT_LANGUAGE", None)
    if said[0] != OWN:
        request.META["HTTP_ACCEPT_LANGUAGE"] = said[0]
    request.__dict__.pop("headers", None)
    return life if is_for_all else ""


@lru_cache(maxsize=1)
def _languages() -> frozenset[str]:
    return frozenset({OWN, *(code for code, _ in settings.LANGUAGES)})


@lru_cache(maxsize=2000)
def _life(path: str) -> tuple[str, bool]:
    """Return how long answers of an address may live ("" if they are nobody else's), and whether they are kept."""
    try:
        view: Any = resolve(path).func
    except Http404:
        return "", False
    is_kept = getattr(view, "kept", None) is not None
    return LIVE if is_kept else getattr(view, "shared", ""), is_kept


# -- after it --------------------------------------------------------------------------------------------------------


def _is_for_all(request: HttpRequest, answer: HttpResponse) -> bool:
    # A token in a page, or a cookie with it, belongs to one visitor.
    is_personal = bool(answer.cookies) or "CSRF_COOKIE_NEEDS_UPDATE" in request.META or answer.streaming
    said = hasattr(answer, "follows") or shows_only_public(request)
    return said and answer.status_code in (200, 304) and not is_personal


def _share(request: HttpRequest, answer: HttpResponse, life: str) -> HttpResponse:
    if answer.status_code == 200 and "Content-Encoding" not in answer.headers:  # packed ones are kept, with their ETag
        answer["ETag"] = etag = etag_by_text(answer)
        if is_known(etag, request.headers.get("If-None-Match", "")):
            answer = HttpResponse(status=304, headers={"ETag": etag})
    answer["Cache-Control"], answer["Vary"] = life, VARY
    return answer


def _keep_private(answer: HttpResponse) -> None:
    """Let no cache hold an answer, whatever its view says or forgot to say."""
    said = [word.strip() for word in answer.headers.get("Cache-Control", "").split(",")]
    words = [word for word in said if word and word != "public" and not word.startswith("s-maxage")]
    if answer.status_code >= 400:
        answer["Cache-Control"] = REFUSED
    elif not words:
        answer["Cache-Control"] = PRIVATE
    elif not {"private", "no-store"} & set(words):
        answer["Cache-Control"] = ", ".join(["private", *words])
