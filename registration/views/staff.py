"""What the staff pages share: the chips between the pages, as far as the visitor may open them."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import pgettext

from registration.models import BankRow, Claim
from tourney.models import Tournament
from tourney.permissions import may


def registration_pages(request: HttpRequest, tournament: Tournament, active: str) -> list[dict[str, Any]]:
    """Return the chips of the step Registration."""
    slug = [tournament.slug]
    pages = [{"key": "entries", "label": _("Entries"), "url": reverse("manage_entries", args=slug)}]
    if may(request, tournament, "organize"):
        pages.append({"key": "ratings", "label": _("Ratings"), "url": reverse("manage_ratings", args=slug)})
    if may(request, tournament, "desk"):
        open_claims = Claim.objects.filter(entry__tournament=tournament, state=Claim.State.CLAIMED).count()
        pages += [
            {
                "key": "claims",
                "label": _("Grounds to check"),
                "url": reverse("manage_claims", args=slug),
                "count": open_claims or "",
                "tone": "need" if open_claims else "",
            },
            {"key": "letters", "label": _("Letters"), "url": reverse("manage_letters", args=slug)},
            {"key": "new", "label": _("Enter somebody"), "url": reverse("manage_entry_new", args=slug)},
        ]
    return [{**page, "active": page["key"] == active} for page in pages]


def desk_pages(request: HttpRequest, tournament: Tournament, active: str) -> list[dict[str, Any]]:
    """Return the chips of the step Desk; the treasurer has those about money."""
    slug = [tournament.slug]
    desk = may(request, tournament, "desk")
    waiting = BankRow.objects.filter(tournament=tournament, state=BankRow.State.WAITING).count()
    pages = [
        *([{"key": "desk", "label": _("Desk"), "url": reverse("manage_desk", args=slug)}] if desk else []),
        {"key": "cash", "label": _("Cash book"), "url": reverse("manage_cash", args=slug)},
        {
            "key": "bank",
            "label": _("Bank payments"),
            "url": reverse("manage_bank", args=slug),
            "count": waiting or "",
            "tone": "need" if waiting else "",
        },
        {"key": "treasury", "label": pgettext("page", "Money"), "url": reverse("manage_treasury", args=slug)},
    ]
    if desk:
        pages.append({"key": "new", "label": _("Enter somebody"), "url": reverse("manage_entry_new", args=slug)})
    return [{**page, "active": page["key"] == active} for page in pages]
