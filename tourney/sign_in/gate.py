"""Turns a flood of sign-ins away at the door, before the session, the form and the page cost anything.

Nothing is counted here: `guard` does that when a password is about to be hashed. While its counts are full, a try from
a browser nobody knows would be refused after all, and this refusal costs a hundredth of that one.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

from django.http import HttpRequest, HttpResponse
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils import translation
from django.utils.functional import cached_property

from tourney.sign_in import guard


class GateMiddleware:
    """Answers 429 to a sign-in whose try `guard` would refuse whatever the name is. Stands before the view."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    @cached_property
    def door(self) -> str:
        return reverse("account_login")

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if request.method != "POST" or request.path_info != self.door:
            return self.get_response(request)
        seconds = guard.shut_for(request)
        if not seconds:
            return self.get_response(request)
        headers = {"Retry-After": str(seconds), "Cache-Control": "no-store"}
        return HttpResponse(_page(translation.get_language() or "", seconds), status=429, headers=headers)


@lru_cache(maxsize=32)
def _page(language: str, seconds: int) -> bytes:
    with translation.override(language):
        return render_to_string("sign_in/too_often.html", {"sentence": guard.wait_words(seconds)}).encode()
