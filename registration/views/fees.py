"""Fees after the regulation has changed: what each was and would be, taken for those chosen, with a reason."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import ngettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from registration.fields import clean_line
from registration.lists import every_account
from registration.services.recalculating import Difference, recalculation, take_newest_fees
from registration.views.staff import desk_pages
from tourney.kernel.errors import TourneyError
from tourney.labels import sentence
from tourney.models import Tournament
from tourney.navigation import manage_context
from tourney.permissions import managed_tournament


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def fees(request: HttpRequest, slug: str) -> HttpResponse:
    """The differences; a POST takes the new fees for whoever is ticked."""
    tournament = managed_tournament(request, slug, "organize")
    problem = ""
    if request.method == "POST":
        try:
            taken = take_newest_fees(
                tournament,
                _numbers(request.POST.getlist("entry")),
                version=_number(request.POST.get("version", "")),
                reason=clean_line(request.POST.get("reason", ""))[:300],
                actor=request.user,
            )
        except TourneyError as refused:
            problem = sentence(refused)
        else:
            messages.success(
                request,
                ngettext("The new fee counts for %(n)d entry.", "The new fee counts for %(n)d entries.", taken)
                % {"n": taken},
            )
            return redirect("manage_fees", slug=tournament.slug)
    return _page(request, tournament, problem)


def _page(request: HttpRequest, tournament: Tournament, problem: str) -> HttpResponse:
    found = recalculation(tournament, every_account(tournament))
    typed = request.method == "POST"
    ticked = set(_numbers(request.POST.getlist("entry")))
    return render(
        request,
        "registration/manage_fees.html",
        manage_context(
            request,
            tournament,
            active="desk",
            sub_nav=desk_pages(request, tournament, "treasury"),
            version=found.newest.number,
            problem=problem,
            reason=request.POST.get("reason", "")[:300] if typed else "",
            rows=[
                _row(one, one.account.entry.pk in ticked if typed else one.changes)
                for one in sorted(found.open, key=lambda one: not one.changes)  # what changes today comes first
            ],
            kept=[_row(one, ticked=False) for one in found.differences if one.keeps and one.changes],
            many_groups=tournament.sections.count() > 1,
        ),
        status=422 if problem else 200,
    )


def _row(one: Difference, ticked: bool) -> dict[str, Any]:
    before, after = one.account.quote.due, one.after.due
    return {
        "entry": one.account.entry,
        "version": one.account.version.number,
        "before": before,
        "after": after,
        "more": after - before if after > before else None,
        "less": before - after if after < before else None,
        "clauses": ", ".join(dict.fromkeys(line.clause for line in one.after.lines if line.clause)),
        "paid": one.account.quote.paid,
        "ticked": ticked,
    }


def _numbers(texts: list[str]) -> list[int]:
    return [number for number in map(_number, texts) if number]


def _number(text: str) -> int:
    return int(text) if text.isascii() and text.isdecimal() and len(text) < 18 else 0
