"""Being written."""

from typing import Any

from django.http import Http404, HttpRequest, HttpResponse


def choose_preset(request: HttpRequest, **kwargs: Any) -> HttpResponse:
    raise Http404


def questions(request: HttpRequest, **kwargs: Any) -> HttpResponse:
    raise Http404
