"""Answers with a picture to share, drawn once for each state of what it shows."""

from __future__ import annotations

from collections.abc import Callable

from django.core.cache import cache
from django.http import HttpRequest, HttpResponse
from django.utils.http import parse_etags
from django.utils.translation import get_language

from tourney.models import Stage
from tourney.share_picture import Picture, draw

KEEP_SECONDS = 3600


def picture_of(request: HttpRequest, stage: Stage, what: str, make: Callable[[], Picture]) -> HttpResponse:
    """Return the picture of a stage; `make` is called when none of this version of the stage is kept.

    `what` tells pictures of one stage apart (a group, a round). An unchanged one is a 304.
    """
    key = f"picture:{stage.pk}:{stage.version}:{get_language()}:{what}"
    etag = f'"{key}"'
    if etag in parse_etags(request.headers.get("If-None-Match", "")):
        response = HttpResponse(status=304)
    else:
        content = cache.get(key)
        if content is None:
            content = draw(make())
            cache.set(key, content, KEEP_SECONDS)
        response = HttpResponse(content, content_type="image/png")
    response["ETag"] = etag
    response["Cache-Control"] = "no-cache"
    response["Vary"] = "Accept-Language, Cookie"
    return response
