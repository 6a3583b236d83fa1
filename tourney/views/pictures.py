"""Answers with a picture to share, drawn once for each state of what it shows.

A picture is known by its words, not by its stage's version: a name that must no longer be shown, or an event called
otherwise, changes no stage.
"""

from __future__ import annotations

from hashlib import sha256

from django.core.cache import cache
from django.http import HttpRequest, HttpResponse
from django.utils.http import parse_etags

from tourney.share_picture import Picture, draw

KEEP_SECONDS = 3600


def picture_of(request: HttpRequest, picture: Picture) -> HttpResponse:
    """Return a picture, drawn if none with these very words is kept. An unchanged one is a 304."""
    mark = sha256(repr(picture).encode()).hexdigest()[:32]
    etag, key = f'"{mark}"', f"picture:{mark}"
    if etag in parse_etags(request.headers.get("If-None-Match", "")):
        response = HttpResponse(status=304)
    else:
        content = cache.get(key)
        if content is None:
            content = draw(picture)
            cache.set(key, content, KEEP_SECONDS)
        response = HttpResponse(content, content_type="image/png")
    response["ETag"] = etag
    response["Cache-Control"] = "no-cache"
    response["Vary"] = "Accept-Language, Cookie"
    return response
