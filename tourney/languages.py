"""The language a visitor has asked for: by the button of a page, or by the browser's own list."""

from __future__ import annotations

from django.conf import settings
from django.http import HttpRequest
from django.utils.translation import get_language_from_request


def chosen_language(request: HttpRequest) -> str:
    """Return the language a visitor has asked for, "" for who has not and reads an event in its own."""
    asked = request.headers.get("Accept-Language", "")
    if settings.LANGUAGE_COOKIE_NAME not in request.COOKIES and not asked:
        return ""
    chosen = get_language_from_request(request)
    return chosen if settings.LANGUAGE_COOKIE_NAME in request.COOKIES or chosen in asked else ""
