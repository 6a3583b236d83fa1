"""Being written."""

from typing import Any

from django.http import Http404, HttpRequest, HttpResponse


def regulation(request: HttpRequest, **kwargs: Any) -> HttpResponse:
    raise Http404


def manage(request: HttpRequest, **kwargs: Any) -> HttpResponse:
    raise Http404


def edit(request: HttpRequest, **kwargs: Any) -> HttpResponse:
    raise Http404


def publish(request: HttpRequest, **kwargs: Any) -> HttpResponse:
    raise Http404
