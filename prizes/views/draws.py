"""Staff pages of prize draws: announce one, take the public numbers, decide or drop it (K8.3)."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from prizes.forms import ReasonForm
from prizes.models import Draw
from prizes.selectors.draws import ENOUGH_NUMBERS, LotteryState, is_decided, is_void, lotteries_of, money_of
from prizes.services.draws import commit_draw, reveal_draw, void_draw
from prizes.views.pages import prizes_context
from tourney.kernel.errors import TourneyError
from tourney.labels import sentence
from tourney.models import Tournament
from tourney.permissions import managed_tournament, may, section_of
from tourney.views.lots import qr_code

WITNESSES = 3


@require_http_methods(["GET", "HEAD", "POST"])
def draws(request: HttpRequest, slug: str) -> HttpResponse:
    """Every lottery of every group: who holds a ticket, what has been drawn, the button that announces a draw."""
    tournament = managed_tournament(request, slug)
    if request.method == "POST":
        if not may(request, tournament, "arbitrate"):
            raise PermissionDenied
        section = section_of(tournament, request.POST.get("group", ""))
        index = request.POST.get("lottery", "")
        if not index.isdecimal() or len(index) > 3:
            raise Http404
        try:
            draw = commit_draw(section, int(index), actor=request.user, reason=request.POST.get("reason", "")[:500])
        except TourneyError as refused:
            messages.error(request, sentence(refused))
            return redirect("manage_draws", slug=slug)
        return redirect("manage_draw", slug=slug, pk=draw.pk)
    states = lotteries_of(tournament)
    return render(
        request,
        "prizes/manage_draws.html",
        prizes_context(
            request,
            tournament,
            "draws",
            rows=[_row(state) for state in states],
            many=len({state.section.pk for state in states}) > 1,
            may_draw=may(request, tournament, "arbitrate"),
        ),
    )


def _row(state: LotteryState) -> dict[str, Any]:
    current = state.current
    return {
        "state": state,
        "obstacle": sentence(state.obstacle) if state.obstacle else "",
        "winners": [ticket for ticket in current.tickets.all() if ticket.won] if current else [],
        "current": current,
        "dropped": [draw for draw in state.draws if draw is not current],
    }


@require_http_methods(["GET", "HEAD", "POST"])
def draw(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """One draw: the commitment for the hall, then the numbers, then the result."""
    tournament = managed_tournament(request, slug)
    one = get_object_or_404(
        Draw.objects.select_related("lot__outcome", "section").prefetch_related("tickets__entry__player"),
        pk=pk,
        section__tournament=tournament,
    )
    one.section.tournament = tournament
    tickets = list(one.tickets.all())
    rows = _number_rows(tickets)
    dropping, error, status = ReasonForm(), "", 200
    if request.method == "POST":
        if not may(request, tournament, "arbitrate"):
            raise PermissionDenied
        act = request.POST.get("act")
        if act == "decide":
            rows = _filled(rows, request)
            error = _decide(request, tournament, one, rows)
        elif act == "drop":
            dropping = ReasonForm(request.POST)
            error = (
                _drop(request, tournament, one, dropping) if dropping.is_valid() else _("Say why the draw is dropped.")
            )
        else:
            raise Http404
        if not error:
            return redirect("manage_draw", slug=slug, pk=pk)
        status = 422
    lot_url = reverse("lot", args=[one.lot_id])
    return render(
        request,
        "prizes/manage_draw.html",
        prizes_context(
            request,
            tournament,
            "draws",
            draw=one,
            lot=one.lot,
            amount=money_of(one),
            tickets=tickets,
            rows=rows,
            needed=min(ENOUGH_NUMBERS, len(tickets)),
            decided=is_decided(one),
            void=is_void(one),
            winners=[ticket for ticket in tickets if ticket.won],
            dropping=dropping,
            error=error,
            lot_url=lot_url,
            qr=qr_code(request.build_absolute_uri(lot_url)),
            may_draw=may(request, tournament, "arbitrate"),
        ),
        status=status,
    )


def _number_rows(tickets: list[Any]) -> list[dict[str, Any]]:
    """Return a row for each ticket holder, and some for witnesses whose names are typed."""
    holders = [
        {"key": f"t{ticket.pk}", "who": ticket.entry.name, "fixed": True, "number": "", "place": ticket.place}
        for ticket in tickets
    ]
    return [
        *holders,
        *({"key": f"w{number}", "who": "", "fixed": False, "number": ""} for number in range(1, WITNESSES + 1)),
    ]


def _filled(rows: list[dict[str, Any]], request: HttpRequest) -> list[dict[str, Any]]:
    """Return the rows with what was typed."""
    return [
        {
            **row,
            "number": request.POST.get(f"number_{row['key']}", "").strip()[:40],
            "who": row["who"] if row["fixed"] else request.POST.get(f"who_{row['key']}", "").strip()[:80],
        }
        for row in rows
    ]


def _decide(request: HttpRequest, tournament: Tournament, one: Draw, rows: list[dict[str, Any]]) -> str:
    given = [(row["who"], row["number"]) for row in rows if row["number"] or (row["who"] and not row["fixed"])]
    try:
        reveal_draw(tournament, one.pk, numbers=given, actor=request.user)
    except TourneyError as refused:
        return sentence(refused)
    return ""


def _drop(request: HttpRequest, tournament: Tournament, one: Draw, form: ReasonForm) -> str:
    try:
        void_draw(tournament, one.pk, reason=form.cleaned_data["reason"], actor=request.user)
    except TourneyError as refused:
        return sentence(refused)
    messages.success(request, _("The draw is dropped; it stays in the chain with its reason."))
    return ""
