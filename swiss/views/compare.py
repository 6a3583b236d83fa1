"""Two players of the standings side by side: which criterion parted them."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from swiss.side_by_side import side_by_side
from swiss.views.public import place_of, standings_values
from tourney.navigation import public_context
from tourney.shared_cache import shared


@shared()
@require_safe
def compare(request: HttpRequest, slug: str, section: str) -> HttpResponse:
    """Two lines of the standings (`?a=&b=`, entries; else the first two) after a round, and how they were parted."""
    tournament, one, stage = place_of(request, slug, section)
    context = public_context(request, tournament, section=one, active="standings")
    values = standings_values(request, one, stage, context["sections"])
    table, found, wrong = values["table"], None, ""
    a, b = (_number(request.GET.get(name)) for name in ("a", "b"))
    if stage is not None and table is not None and len(table.lines) > 1:
        if not a and not b:
            a, b = (line.entry.pk for line in table.lines[:2])
        elif not b:
            b = next(line.entry.pk for line in table.lines if line.entry.pk != a)
        if a == b:
            wrong = _("Choose two different players.")
        else:
            found = side_by_side(stage, a, b, values["round"].number, of=values["of"])
            if found is None:
                wrong = _("One of these players is not in the standings.")
    return render(
        request,
        "swiss/compare.html",
        {
            **context,
            **values,
            "two": found,
            "sides": (found.first, found.second) if found else (),
            "wrong": wrong,
            "a": a,
            "b": b,
        },
    )


def _number(text: str | None) -> int:
    return int(text) if text and text.isascii() and text.isdecimal() and len(text) < 10 else 0
