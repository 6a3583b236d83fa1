"""Videos of other sites: which addresses can be shown in a page, and what a page must allow for that.

Nothing is loaded from outside until the visitor asks: the page has a button and a link, and allows one frame.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from urllib.parse import parse_qs, urlsplit

from django.http import HttpResponse

FRAMES = "https://www.youtube-nocookie.com"
_HOSTS = {"youtube.com", "www.youtube.com", "m.youtube.com", "youtube-nocookie.com", "www.youtube-nocookie.com"}
_ID = re.compile(r"[A-Za-z0-9_-]{11}")
_START = re.compile(r"(?:(\d{1,2})h)?(?:(\d{1,3})m)?(?:(\d{1,6})s?)?")


@dataclass(frozen=True, slots=True)
class Video:
    """A broadcast. `frame` is the address of a player for a frame, "" where there is only a link."""

    url: str
    frame: str = ""


def video_of(url: str) -> Video | None:
    """Return the video an address shows; None without one."""
    if not url:
        return None
    try:
        parts = urlsplit(url)
    except ValueError:
        return None
    if parts.scheme not in ("http", "https"):
        return None
    found, query = "", parse_qs(parts.query)
    if parts.hostname == "youtu.be":
        found = parts.path[1:]
    elif parts.hostname in _HOSTS:
        if parts.path == "/watch":
            found = query.get("v", [""])[0]
        elif parts.path.startswith(("/live/", "/embed/", "/shorts/")):
            found = parts.path.split("/")[2]
    if not _ID.fullmatch(found):
        return Video(url)
    start = _seconds(query.get("t", query.get("start", [""]))[0])
    return Video(url, f"{FRAMES}/embed/{found}{f'?start={start}' if start else ''}")


def _seconds(text: str) -> int:
    found = _START.fullmatch(text)
    return sum(int(part or 0) * size for part, size in zip(found.groups(), (3600, 60, 1), strict=True)) if found else 0


def frames_allowed(answer: HttpResponse, *videos: Video | None) -> HttpResponse:
    """Allow a page the frames of its videos, and return it."""
    if any(video is not None and video.frame for video in videos):
        answer._csp_update = {"frame-src": [FRAMES]}  # type: ignore[attr-defined]
    return answer
