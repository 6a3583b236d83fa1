"""Being written."""

from typing import Any

from django.http import Http404, HttpRequest, HttpResponse


def lot(request: HttpRequest, **kwargs: Any) -> HttpResponse:
    raise Http404


def lots(request: HttpRequest, **kwargs: Any) -> HttpResponse:
    raise Http404
