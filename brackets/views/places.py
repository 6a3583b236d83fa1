"""Where pages of a knockout get their objects, and the frame around the staff's."""

from __future__ import annotations

import math
from typing import Any

from django.http import Http404, HttpRequest
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import pgettext

from brackets.selectors import Table, bracket_stage, load_table
from tourney.middleware import use_event_language
from tourney.models import Section, Stage, Tournament
from tourney.navigation import manage_context
from tourney.permissions import managed_tournament, may, public_tournament, section_of
from tourney.selectors import host_of

Place = tuple[Tournament, Section, Stage]


def public_place(request: HttpRequest, slug: str, code: str) -> tuple[Tournament, Section, Stage | None]:
    """Return the event, the section of the address and the bracket stage its pages are about."""
    tournament = public_tournament(request, slug)
    use_event_language(request, tournament.language)
    section = section_of(tournament, code)
    stage = bracket_stage(section)
    if stage is not None:
        stage.section.tournament = tournament
    return tournament, section, stage


def public_table(stage: Stage | None, *, facts_only: bool = True) -> Table | None:
    """Return the bracket the public may see: a confirmed draw."""
    table = load_table(stage, facts_only=facts_only) if stage is not None else None
    return table if table is not None and table.bracket.drawn_at is not None else None


def staff_place(request: HttpRequest, slug: str, code: str, need: str) -> Place:
    """Return event, host section and bracket stage for a staff page; a group without a knockout is a 404."""
    tournament = managed_tournament(request, slug, need)
    section = host_of(section_of(tournament, code))
    section.tournament = tournament
    stage = bracket_stage(section)
    if stage is None:
        raise Http404
    stage.section = section
    return tournament, section, stage


def staff_table(stage: Stage) -> Table:
    """Return the confirmed bracket, or 404."""
    table = load_table(stage)
    if table is None or table.bracket.drawn_at is None:
        raise Http404
    return table


def frame(request: HttpRequest, place: Place, active: str, *, step: str = "matches", **more: Any) -> dict[str, Any]:
    """Return the context of a staff page: the step, the groups, the pages beside it."""
    tournament, section, stage = place
    context = manage_context(request, tournament, section=section, active=step, stage=stage, **more)
    args = [tournament.slug, section.code]
    pages = [("bracket", pgettext("pages", "The day"), "manage_bracket")]
    if may(request, tournament, "arbitrate"):
        pages.append(("draw", pgettext("step", "Draw"), "manage_draw"))
    context["sub_nav"] = [
        {"label": label, "url": reverse(name, args=args), "active": key == active} for key, label, name in pages
    ] + [
        {"label": _("Public bracket"), "url": reverse("bracket", args=args), "active": False},
        {"label": _("Hall screen"), "url": reverse("bracket_hall", args=args), "active": False},
    ]
    return context


def whole_number(text: str) -> int | None:
    """Return the number written in an address or form, or None: never an error."""
    return int(text) if text.isdecimal() and len(text) < 1 + int(math.log10(2**53)) else None
