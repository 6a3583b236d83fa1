"""Being written."""

from typing import Any

from django.http import Http404, HttpRequest, HttpResponse


def rehearsal(request: HttpRequest, **kwargs: Any) -> HttpResponse:
    raise Http404
