"""Where staff pages of rounds get their objects, and the frame around them."""

from __future__ import annotations

from typing import Any

from django.http import Http404, HttpRequest
from django.shortcuts import get_object_or_404
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import pgettext

from swiss.models import Round
from swiss.selectors import round_stage
from tourney.models import Section, Stage, Tournament
from tourney.navigation import manage_context
from tourney.permissions import managed_tournament, may, section_of
from tourney.selectors import host_of

Place = tuple[Tournament, Section, Stage]


def staff_section(request: HttpRequest, slug: str, code: str, need: str) -> tuple[Tournament, Section, Stage | None]:
    """Return the event, the group that plays (a guest's host), and its stage in rounds, if it has one yet."""
    tournament = managed_tournament(request, slug, need)
    section = host_of(section_of(tournament, code))
    section.tournament = tournament
    return tournament, section, round_stage(section)


def staff_stage(request: HttpRequest, slug: str, code: str, need: str = "arbitrate") -> Place:
    """Return event, group and stage; a group that isn't played in rounds is a 404."""
    tournament, section, stage = staff_section(request, slug, code, need)
    if stage is None:
        raise Http404
    return tournament, section, stage


def staff_round(request: HttpRequest, slug: str, code: str, number: int, need: str) -> tuple[Place, Round]:
    """Return the place and one of its rounds, or 404."""
    tournament, section, stage = staff_stage(request, slug, code, need)
    round_ = get_object_or_404(Round, stage=stage, number=number)
    round_.stage = stage
    return (tournament, section, stage), round_


def frame(request: HttpRequest, tournament: Tournament, section: Section, active: str, **more: Any) -> dict[str, Any]:
    """Return the context of a page of a group's rounds: the step, the groups, the pages beside it."""
    context = manage_context(request, tournament, section=section, active="rounds", **more)
    played = [one for one in context["sections"] if one.merged_into_id is None]
    if len(played) > 1:
        context["section_links"] = [
            {
                "label": one.title_text,
                "url": reverse("manage_rounds", args=[tournament.slug, one.code]),
                "active": one.pk == section.pk,
            }
            for one in played
        ]
    args = [tournament.slug, section.code]
    pages = [("rounds", _("Rounds"), "manage_rounds")]
    if may(request, tournament, "arbitrate"):
        pages += [
            ("presence", _("Roll-call"), "manage_presence"),
            ("withdraw", _("Leaving and coming back"), "manage_withdraw"),
            ("forbidden", pgettext("pages", "Pairs and boards"), "manage_forbidden"),
            ("book", _("By the book"), "manage_book"),
            ("trf", _("Report file"), "manage_trf"),
        ]
    context["sub_nav"] = [
        {"label": label, "url": reverse(name, args=args), "active": key == active} for key, label, name in pages
    ]
    return context
