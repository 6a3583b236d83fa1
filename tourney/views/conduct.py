"""Being written."""

from typing import Any

from django.http import Http404, HttpRequest, HttpResponse


def sanctions(request: HttpRequest, **kwargs: Any) -> HttpResponse:
    raise Http404


def appeals(request: HttpRequest, **kwargs: Any) -> HttpResponse:
    raise Http404


def appeal(request: HttpRequest, **kwargs: Any) -> HttpResponse:
    raise Http404


def committee(request: HttpRequest, **kwargs: Any) -> HttpResponse:
    raise Http404
