"""Being written."""

from typing import Any

from django.http import Http404, HttpRequest, HttpResponse


def games(request: HttpRequest, **kwargs: Any) -> HttpResponse:
    raise Http404


def games_pgn(request: HttpRequest, **kwargs: Any) -> HttpResponse:
    raise Http404


def game(request: HttpRequest, **kwargs: Any) -> HttpResponse:
    raise Http404


def game_pgn(request: HttpRequest, **kwargs: Any) -> HttpResponse:
    raise Http404


def manage(request: HttpRequest, **kwargs: Any) -> HttpResponse:
    raise Http404
