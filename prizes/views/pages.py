"""What the staff pages of places and prizes share: the pages of the step, and their links."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest
from django.urls import reverse
from django.utils.translation import gettext as _

from tourney.models import Tournament
from tourney.navigation import manage_context
from tourney.permissions import may


def prizes_context(request: HttpRequest, tournament: Tournament, page: str, **more: Any) -> dict[str, Any]:
    """Return the context of a page of the step "Prizes", with the links between its pages."""
    pages = [
        ("awards", _("Awards"), "manage_prizes", "staff"),
        ("diplomas", _("Diplomas"), "manage_diplomas", "staff"),
        ("draws", _("Prize draws"), "manage_draws", "staff"),
        ("fund", _("Fund"), "manage_fund", "balance"),
    ]
    links = [
        {"label": label, "url": reverse(name, args=[tournament.slug]), "active": key == page}
        for key, label, name, need in pages
        if may(request, tournament, need)
    ]
    return manage_context(request, tournament, active="prizes", sub_nav=links, **more)
