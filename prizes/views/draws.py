"""Staff pages of prize draws: announce one, take the public numbers, decide or drop it (K8.3)."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime, timedelta
from typing import Any

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from prizes.beacons import drand_url
from prizes.forms import ReasonForm
from prizes.models import Draw
from prizes.selectors.draws import LotteryState, is_decided, is_void, lotteries_of, money_of, numbers_needed
from prizes.services.draws import commit_draw, reveal_draw, void_draw
from prizes.services.timed_draws import give_numbers, schedule_draw
from prizes.views.pages import prizes_context
from tourney.kernel.errors import TourneyError
from tourney.labels import sentence
from tourney.models import Section, Tournament
from tourney.moments import hall_moment
from tourney.permissions import managed_tournament, may, section_of
from tourney.views.lots import lot_code

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
            draw = _announce(request, section, int(index))
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
            soonest=_in_the_hall(tournament, timezone.now() + timedelta(minutes=5)),
            beacons=Draw.Beacon.choices,
        ),
    )


def _in_the_hall(tournament: Tournament, moment: datetime) -> str:
    """Return a moment as a field of a form writes it, by the hall's clock."""
    return f"{timezone.localtime(moment, tournament.zone):%Y-%m-%dT%H:%M}"


def _announce(request: HttpRequest, section: Section, index: int) -> Draw:
    """Announce a draw: for the numbers of the hall, or with a moment at which the worker decides."""
    post = request.POST
    reason = post.get("reason", "")[:500]
    if post.get("how") != "moment":
        return commit_draw(section, index, actor=request.user, reason=reason)
    try:
        # People write the hall's hour.
        at = hall_moment(datetime.fromisoformat(post.get("at", "")), section.tournament.zone)
    except ValueError:
        raise TourneyError("lottery.no_moment") from None
    return schedule_draw(
        section,
        index,
        at=at,
        beacon=post.get("beacon", ""),
        named=post.get("named", ""),
        actor=request.user,
        reason=reason,
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
    known = list(one.numbers.all())
    moment_over = one.scheduled_at is not None and one.scheduled_at <= timezone.now()
    by_people = one.beacon == Draw.Beacon.NUMBERS
    rows = _number_rows(tickets, {given.who for given in known}) if by_people and not moment_over else []
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
            needed=numbers_needed(one),
            decided=is_decided(one),
            void=is_void(one),
            winners=[ticket for ticket in tickets if ticket.won],
            dropping=dropping,
            error=error,
            lot_url=lot_url,
            hall_url=reverse("lot_hall", args=[one.lot_id]),
            qr=lot_code(request, one.lot),
            known=known,
            moment_over=moment_over,
            by_people=by_people,
            too_late=moment_over and by_people and len(known) < numbers_needed(one),
            seconds_left=max(0, int((one.scheduled_at - timezone.now()).total_seconds())) if one.scheduled_at else 0,
            drand_url=_drand_url(one),
            typed=request.POST if error else {},
            may_draw=may(request, tournament, "arbitrate"),
        ),
        status=status,
    )


def _number_rows(tickets: list[Any], known: Collection[str] = ()) -> list[dict[str, Any]]:
    """Return a row for each ticket holder without a number, and some for witnesses whose names are typed."""
    holders = [
        {
            "key": f"t{ticket.pk}",
            "who": ticket.label,
            "name": ticket.entry.name,
            "fixed": True,
            "number": "",
            "place": ticket.place,
        }
        for ticket in tickets
        if ticket.label not in known
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


def _drand_url(one: Draw) -> str:
    """Return where everybody can read the round that decides a draw."""
    plan = one.lot.manifest["entropy"]
    return drand_url(plan["round"]) if isinstance(plan, dict) and "round" in plan else ""


def _decide(request: HttpRequest, tournament: Tournament, one: Draw, rows: list[dict[str, Any]]) -> str:
    given = [(row["who"], row["number"]) for row in rows if row["number"] or (row["who"] and not row["fixed"])]
    try:
        if one.scheduled_at is None:
            reveal_draw(tournament, one.pk, numbers=given, actor=request.user)
        else:
            give_numbers(
                tournament,
                one.pk,
                numbers=given,
                beacon_value=request.POST.get("beacon_value", ""),
                source=request.POST.get("source", ""),
                actor=request.user,
            )
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
