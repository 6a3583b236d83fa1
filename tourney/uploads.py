"""Which pages take files and how large one may be. What no page asks for is never kept, not even for the request.

Django lays a file on the disk before a view sees it, on every page and for everybody. Here a page that takes files says
so with its limit (`allow`); on all others a file that is sent along is thrown away while it arrives. A request that is
larger than its page can mean is refused before its body is read; one that is a little too large still reaches its form,
which says so and keeps what was typed.

What a file is, how far it inflates and how many pixels it has is judged where it is read, by its content: `sheets` and
`ratings.opening` (archives and tables), `privacy.pictures` and `prizes.pictures`, `pgn_files`, `backups.box`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.conf import settings
from django.core.files.uploadhandler import FileUploadHandler, SkipFile
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from tourney.kernel.errors import TourneyError
from tourney.labels import sentence

MEGABYTE = 1 << 20
_FIELDS = 8 * MEGABYTE  # what a page without a file may be sent; Django's own limit for fields is below it
# A file that is too large, but not absurdly, is refused by its page, which keeps what was typed beside it.
_BESIDE = 16 * MEGABYTE
_pages: dict[str, Callable[[], int]] = {}


def allow(page: str, most: int | Callable[[], int]) -> None:
    """Let a page take files of so many bytes; a function where a setting says it. Named as in the URL configuration."""
    _pages[page] = most if callable(most) else lambda: most


def pages() -> dict[str, int]:
    """Return the pages that take files, with the bytes of one file."""
    return {page: most() for page, most in _pages.items()}


def register() -> None:
    """Add the core's pages."""
    allow("manage_games", lambda: settings.GAME_FILE_MB * 1_000_000)
    allow("event_bring", lambda: settings.ARCHIVE_MB * MEGABYTE)


class UploadMiddleware:
    """Refuses what is too large by its announced length, and drops files nobody asked for. Before whatever reads forms.

    The length is what the server reads: a request without one has no body for Django.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        return self.get_response(request)

    def process_view(self, request: HttpRequest, _view: Any, _args: Any, _values: Any) -> HttpResponse | None:
        if request.method in ("GET", "HEAD", "OPTIONS"):
            return None
        match = request.resolver_match
        most = _pages.get(match.url_name or "" if match else "")
        file = most() if most else 0
        if _length(request) > (file + max(file // 4, _BESIDE) if file else _FIELDS):
            refused = TourneyError("upload.too_large", most=(file or _FIELDS) // 1_000_000)
            return render(request, "refused.html", {"sentence": sentence(refused)}, status=413)
        if not file:
            request.upload_handlers = [_Dropped(request)]  # type: ignore[assignment]
        return None


def _length(request: HttpRequest) -> int:
    text = str(request.META.get("CONTENT_LENGTH") or "")
    return int(text) if text.isascii() and text.isdecimal() else 0


class _Dropped(FileUploadHandler):
    """Lets fields through and reads over every file."""

    def new_file(self, *_args: Any, **_kwargs: Any) -> None:
        raise SkipFile

    def receive_data_chunk(self, raw_data: bytes, start: int) -> None:  # pragma: no cover -- every file is skipped
        return None

    def file_complete(self, file_size: int) -> None:
        return None
