"""The treasurer's page and its workbook."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from registration.services.recalculating import recalculation
from registration.treasury import Treasury, groups_of, sheets_of, treasury_of
from registration.views.staff import desk_pages
from registration.words import METHODS, fees_differ
from tourney import panels
from tourney.formatting import money_text
from tourney.models import Tournament
from tourney.navigation import manage_context
from tourney.permissions import managed_tournament, may
from tourney.services.log import log
from tourney.xlsx_files import xlsx_response


@never_cache
@require_safe
def treasury(request: HttpRequest, slug: str) -> HttpResponse:
    """Due, paid and owed, by clause and by channel; whom to give back; the balance with the prizes."""
    tournament = managed_tournament(request, slug, "money")
    found = treasury_of(tournament)
    others = [one for one in recalculation(tournament, found.accounts).open if one.changes]
    organizes = may(request, tournament, "organize")
    fund = panels.collect("fund", tournament) if may(request, tournament, "balance") else []
    return render(
        request,
        "registration/manage_treasury.html",
        manage_context(
            request,
            tournament,
            active="desk",
            sub_nav=desk_pages(request, tournament, "treasury"),
            money=found,
            whole=found.whole,
            tiles=_tiles(tournament, found),
            channels=[(METHODS.get(one, one), amount) for one, amount in found.whole.by_channel.items()],
            fund=fund,
            fees_url=reverse("manage_fees", args=[tournament.slug]) if organizes and others else "",
            fees_title=fees_differ(len(others)),
        ),
    )


def _tiles(tournament: Tournament, found: Treasury) -> list[dict[str, object]]:
    whole = found.whole
    tiles: list[dict[str, object]] = [
        {"value": money_text(whole.due), "label": _("due")},
        {"value": money_text(whole.paid), "label": _("received")},
        {"value": money_text(whole.owed), "label": _("still to come"), "tone": "need" if whole.owed else ""},
        {"value": money_text(found.to_return), "label": _("to give back"), "tone": "need" if found.to_return else ""},
    ]
    if found.held:
        tiles.append({"value": money_text(found.held), "label": _("held for people who wait")})
    if found.waiting_at_bank:
        tiles.append(
            {
                "value": money_text(found.waiting_at_bank),
                "label": _("at the bank, not booked yet"),
                "url": reverse("manage_bank", args=[tournament.slug]),
                "tone": "need",
            }
        )
    return tiles


@never_cache
@require_safe
def printed(request: HttpRequest, slug: str) -> HttpResponse:
    """Who has paid and who owes, group by group and by clause, on paper for the treasurer and the commission."""
    tournament = managed_tournament(request, slug, "money")
    found = treasury_of(tournament)
    log(tournament, "money.treasury_exported", actor=request.user, rows=len(found.accounts))
    return render(
        request,
        "registration/print_treasury.html",
        {
            "tournament": tournament,
            "groups": groups_of(found),
            "money": found,
            "whole": found.whole,
            "channels": [(METHODS.get(one, one), amount) for one, amount in found.whole.by_channel.items()],
            "at": timezone.now(),
            "back_url": reverse("manage_treasury", args=[tournament.slug]),
        },
    )


@never_cache
@require_safe
def workbook(request: HttpRequest, slug: str) -> HttpResponse:
    """Everything of the page as XLSX. It holds names and accounts of payers, so the export is written to the log."""
    tournament = managed_tournament(request, slug, "money")
    found = treasury_of(tournament)
    log(tournament, "money.treasury_exported", actor=request.user, rows=len(found.accounts))
    return xlsx_response(f"{tournament.slug}-money", sheets_of(tournament, found))
