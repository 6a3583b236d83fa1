"""The hall screen: turns its pages by itself, with scripts or without; one page can be held (`?page=now`)."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlencode

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_safe

from brackets.cards import Cards
from brackets.day import ending, played_so_far
from brackets.hall import SECONDS, Screenful, screenfuls
from brackets.selectors import Table
from brackets.views.places import public_place, public_table, whole_number
from brackets.views.public import LIVE_SECONDS, etag_of, live_answer, places_values
from tourney.models import Stage
from tourney.navigation import public_context
from tourney.shared_cache import LIVE, shared


@shared()
@require_safe
def hall(request: HttpRequest, slug: str, section: str) -> HttpResponse:
    """All pages for the script to turn; `?page=` only one, and with `&turn=1` a reader without scripts is led on."""
    tournament, place, stage = public_place(request, slug, section)
    table = public_table(stage)
    context = public_context(request, tournament, section=place, active="bracket")
    if stage is None or table is None:
        return render(request, "brackets/hall_waits.html", {**context, "live": False})
    seconds = whole_number(request.GET.get("seconds", "")) or SECONDS
    query = {"seconds": str(min(max(seconds, 5), 120))}
    values = hall_values(table, request.GET.get("page", ""))
    held = values["held"] and request.GET.get("turn") != "1"
    live_query = {**query, "page": values["held"]} if held else query
    return render(
        request,
        "brackets/hall.html",
        {
            **context,
            **values,
            "all_url": reverse("bracket_hall", args=[slug, section]),
            "turns": not held,
            "seconds": query["seconds"],
            "then_url": "?" + urlencode({**query, "page": values["then"], "turn": "1"}),
            "live": stage.state in (Stage.State.READY, Stage.State.RUNNING),
            "live_url": f"{reverse('bracket_hall_live', args=[slug, section])}?{urlencode(live_query)}",
            "live_seconds": LIVE_SECONDS,
            "etag": etag_of(stage.pk, stage.version),
        },
    )


def hall_values(table: Table, wanted: str) -> dict[str, Any]:
    """Return the pages, or the wanted one alone, with the name of the page after it."""
    cards = Cards(table)
    decided = [(row["place"], row["name"]) for row in places_values(table)["rows"] if row["name"]]
    pages = screenfuls(cards, timezone.now(), decided)
    slugs = [page.slug for page in pages]
    index = slugs.index(wanted) if wanted in slugs else -1
    played, all_matches = played_so_far(table.state)
    shown: list[Screenful] = pages if index < 0 else [pages[index]]
    return {
        "tournament": cards.section.tournament,
        "section": cards.section,
        "bracket": table.bracket,
        "pages": shown,
        "all_pages": pages,
        "held": wanted if index >= 0 else "",
        "then": slugs[(max(index, 0) + 1) % len(slugs)] if slugs else "",
        "played": played,
        "all_matches": all_matches,
        "ending": ending(table),
    }


@shared(LIVE)
@require_safe
def hall_live(request: HttpRequest, slug: str, section: str) -> HttpResponse:
    """The pages alone."""
    wanted = request.GET.get("page", "")
    return live_answer(request, slug, section, "brackets/_hall.html", lambda table: hall_values(table, wanted))
