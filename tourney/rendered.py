"""Rows of long lists, rendered once for as long as they say the same.

A template takes a third of a millisecond for a row, a list of 150 boards has 150 of them, and after a result all but
one are as they were. A process keeps the text of a row by everything that is in it; what differs from one visitor to
the next (the token of a form, the number of an operation) is put in afterwards.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Hashable, Mapping
from typing import Any

from django.template.loader import get_template
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import get_language

# Nobody can be called so: it is drawn anew for each process.
_SIGN = secrets.token_hex(8)

MOST = 4000  # rows of a template: 4 MB


def hole(name: str) -> str:
    """Return what stands in a kept row where something of the visitor's own belongs."""
    return f"@{_SIGN}-{name}@"


class RenderedRows:
    """The rows of one template by what is in them."""

    def __init__(self, template: str) -> None:
        self.template = template
        self.texts: dict[Hashable, str] = {}

    def html(self, key: Hashable, context: Callable[[], Mapping[str, Any]], **holes: str) -> SafeString:
        """Return a row; `context` gives what its template needs, `holes` what is put in place of `hole(name)`.

        `key` holds everything the template reads of the context; the language is added here.
        """
        named = (get_language(), key)
        text = self.texts.get(named)
        if text is None:
            text = get_template(self.template).render(dict(context()))
            if len(self.texts) >= MOST:
                self.texts.clear()
            self.texts[named] = text
        for name, value in holes.items():
            text = text.replace(hole(name), value)
        return mark_safe(text)  # noqa: S308 -- a template has escaped it, and the holes hold letters and digits
