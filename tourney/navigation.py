"""What the layouts need around a page: public tabs, the staff stepper, sections."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from django.http import HttpRequest
from django.urls import reverse
from django.utils.translation import gettext_lazy as _

from tourney import panels
from tourney.middleware import use_event_language
from tourney.models import Section, Tournament
from tourney.permissions import may


def public_context(
    request: HttpRequest, tournament: Tournament, *, section: Section | None = None, active: str = "", **more: Any
) -> dict[str, Any]:
    """Return the context of a page under `layout_public.html`.

    Tabs: the section's start list, then what the apps add (pairings, standings or bracket), games, about.
    """
    use_event_language(request, tournament.language)
    sections = list(tournament.sections.all())
    for item in sections:
        item.tournament = tournament
    if section is None and len(sections) == 1:
        section = sections[0]
    tabs = []
    if section is not None:
        tabs.append(
            panels.Tab("start_list", _("Start list"), reverse("section", args=[tournament.slug, section.code]), 10)
        )
        tabs.extend(panels.collect("tabs", request, section))
    tabs.append(panels.Tab("games", _("Games"), reverse("games", args=[tournament.slug]), 80))
    tabs.append(panels.Tab("about", _("About"), reverse("event", args=[tournament.slug]), 90))
    return {
        "tournament": tournament,
        "section": section,
        "sections": sections,
        "tabs": [
            {"key": tab.key, "label": tab.label, "url": tab.url, "active": tab.key == active}
            for tab in sorted(tabs, key=lambda tab: tab.order)
        ],
        "is_staff": may(request, tournament, "staff"),
        **more,
    }


def manage_context(
    request: HttpRequest, tournament: Tournament, *, section: Section | None = None, active: str = "", **more: Any
) -> dict[str, Any]:
    """Return the context of a page under `layout_manage.html`: the stepper with `active` marked, and sections."""
    sections = list(tournament.sections.all())
    for item in sections:
        item.tournament = tournament
    return {
        "tournament": tournament,
        "section": section,
        "sections": sections,
        "stepper": _steps(request, tournament),
        "active_step": active,
        "can": {need: may(request, tournament, need) for need in ("organize", "arbitrate", "enter_results", "desk")},
        **more,
    }


def _steps(request: HttpRequest, tournament: Tournament) -> list[panels.Step]:
    """Return the steps, each with the page the visitor may open; a step without one is shown without a link."""
    return [replace(step, url=_page_of(request, tournament, step)) for step in panels.collect("steps", tournament)]


def _page_of(request: HttpRequest, tournament: Tournament, step: panels.Step) -> str:
    if any(may(request, tournament, need) for need in step.needs):
        return step.url
    need, url = step.elsewhere or ("", "")
    return url if need and may(request, tournament, need) else ""
