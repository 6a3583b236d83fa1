"""Being written."""

from typing import Any

from django.http import Http404, HttpRequest, HttpResponse


def events(request: HttpRequest, **kwargs: Any) -> HttpResponse:
    raise Http404


def load_demo(request: HttpRequest, **kwargs: Any) -> HttpResponse:
    raise Http404


def event(request: HttpRequest, **kwargs: Any) -> HttpResponse:
    raise Http404


def settings(request: HttpRequest, **kwargs: Any) -> HttpResponse:
    raise Http404


def state(request: HttpRequest, **kwargs: Any) -> HttpResponse:
    raise Http404


def staff(request: HttpRequest, **kwargs: Any) -> HttpResponse:
    raise Http404


def log(request: HttpRequest, **kwargs: Any) -> HttpResponse:
    raise Http404


def report(request: HttpRequest, **kwargs: Any) -> HttpResponse:
    raise Http404
