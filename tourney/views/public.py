"""Being written."""

from typing import Any

from django.http import Http404, HttpRequest, HttpResponse


def home(request: HttpRequest, **kwargs: Any) -> HttpResponse:
    raise Http404


def event(request: HttpRequest, **kwargs: Any) -> HttpResponse:
    raise Http404


def calendar(request: HttpRequest, **kwargs: Any) -> HttpResponse:
    raise Http404


def section(request: HttpRequest, **kwargs: Any) -> HttpResponse:
    raise Http404


def player(request: HttpRequest, **kwargs: Any) -> HttpResponse:
    raise Http404
