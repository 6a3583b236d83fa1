"""Being written."""

from typing import Any

from django.http import Http404, HttpRequest, HttpResponse


def sections(request: HttpRequest, **kwargs: Any) -> HttpResponse:
    raise Http404


def section(request: HttpRequest, **kwargs: Any) -> HttpResponse:
    raise Http404
