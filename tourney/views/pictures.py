"""Answers with a picture to share, drawn once for each state of what it shows.

A picture is known by its words, not by its stage's version: a name that must no longer be shown, or an event called
otherwise, changes no stage. Pictures of positions are as many as there are moves: they have so many places in the cache
and no more, where a newer one takes that of an older one, so that nobody fills the cache by asking for all.
"""

from __future__ import annotations

from collections.abc import Callable
from hashlib import sha256

from django.core.cache import cache
from django.http import HttpRequest, HttpResponse
from django.utils.http import parse_etags

from tourney.share_picture import Picture, draw

KEEP_SECONDS = 3600  # "2" in the keys: releases before 1.1 kept bare pictures under the same names
PLACES = 300  # for pictures of positions: some 65 kB each


def picture_of(request: HttpRequest, picture: Picture) -> HttpResponse:
    """Return a picture, drawn if none with these very words is kept. An unchanged one is a 304."""
    mark = sha256(repr(picture).encode()).hexdigest()[:32]
    response = _answer(request, mark, lambda: _drawn_once(f"picture:2:{mark}", mark, lambda: draw(picture)))
    response["Cache-Control"] = "no-cache"
    response["Vary"] = "Accept-Language, Cookie"
    return response


def position_of(request: HttpRequest, state: object, drawing: Callable[[], bytes]) -> HttpResponse:
    """Return a picture of a position that is known by its state; the caller says for how long it is good."""
    mark = sha256(repr(state).encode()).hexdigest()[:32]
    place = f"picture:position:{int(mark, 16) % PLACES}"
    return _answer(request, mark, lambda: _drawn_once(place, mark, drawing))


def _drawn_once(key: str, mark: str, drawing: Callable[[], bytes]) -> bytes:
    kept = cache.get(key)
    if isinstance(kept, tuple) and kept[0] == mark:
        return bytes(kept[1])
    content = drawing()
    cache.set(key, (mark, content), KEEP_SECONDS)
    return content


def _answer(request: HttpRequest, mark: str, content: Callable[[], bytes]) -> HttpResponse:
    etag = f'"{mark}"'
    if etag in parse_etags(request.headers.get("If-None-Match", "")):
        response = HttpResponse(status=304)
    else:
        response = HttpResponse(content(), content_type="image/png")
    response["ETag"] = etag
    return response
