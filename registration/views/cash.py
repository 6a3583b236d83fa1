"""The cash book: every line with its receipt, the drawers, and a receipt to print."""

from __future__ import annotations

import uuid
from typing import Any
from urllib.parse import urlencode

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.db.models import Sum
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from registration.amounts import amount_words
from registration.lists import every_account
from registration.models import Drawer, LedgerLine
from registration.regulations import payee_of, rules_of
from registration.services import close_drawer, open_drawer, reverse_line
from registration.services.drawers import expected_in
from registration.views.desk import amount_of, foot, operation_of
from registration.views.staff import desk_pages
from registration.words import METHODS, line_words
from tourney.kernel.errors import TourneyError
from tourney.kernel.money import Money
from tourney.labels import sentence
from tourney.models import Tournament
from tourney.navigation import manage_context
from tourney.permissions import managed_tournament, may


def _appeal_deposits(tournament: Tournament) -> Money | None:
    """Return what the cash box holds of appeal deposits, still open or kept for good; None without any."""
    kinds = (LedgerLine.Kind.DEPOSIT_APPEAL, LedgerLine.Kind.KEPT)
    lines = LedgerLine.objects.filter(tournament=tournament, kind__in=kinds)
    found = lines.aggregate(sum=Sum("minor"))["sum"]
    return None if found is None else Money(found, tournament.currency)


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def cash(request: HttpRequest, slug: str) -> HttpResponse:
    """Every line of the ledger with its receipt; a mistake is taken back by another line, with a reason."""
    tournament = managed_tournament(request, slug, "money")
    lines = LedgerLine.objects.filter(tournament=tournament).select_related("entry__player", "by", "reversed_by")
    error, chosen = "", None
    wanted = request.POST.get("line") or request.GET.get("take_back") or ""
    if wanted:
        chosen = get_object_or_404(lines, pk=int(wanted) if wanted.isdecimal() and len(wanted) < 18 else 0)
        if chosen.entry is not None:
            chosen.entry.tournament = tournament
    if request.method == "POST" and chosen is not None:
        try:
            reverse_line(
                chosen, reason=request.POST.get("reason", ""), actor=request.user, operation=operation_of(request)
            )
        except TourneyError as refused:
            error = sentence(refused)
        else:
            messages.success(request, _("Taken back. The receipt keeps its number."))
            return redirect("manage_cash", slug=tournament.slug)
    found = every_account(tournament)
    rows = [
        {
            "line": line,
            "amount": Money(line.minor, line.currency),
            "channel": METHODS.get(line.channel, line.get_channel_display()),
            "kind": line_words(line),
            "open": not line.reverses_id
            and not hasattr(line, "reversed_by")
            and line.entry_id is not None
            and line.kind in (LedgerLine.Kind.PAYMENT, LedgerLine.Kind.REFUND),
        }
        for line in lines.order_by("-pk")
    ]
    return render(
        request,
        "registration/manage_cash.html",
        manage_context(
            request,
            tournament,
            active="desk",
            sub_nav=desk_pages(request, tournament, "cash"),
            rows=rows,
            foot=foot(tournament, found),
            appeal_deposits=_appeal_deposits(tournament),
            drawers=_drawers(tournament, request.user),
            owing=[account for account in found if account.owes],
            to_return=[account for account in found if account.to_return],
            chosen=chosen,
            chosen_amount=Money(chosen.minor, chosen.currency) if chosen else None,
            operation=uuid.uuid4(),
            error=error,
        ),
        status=422 if error else 200,
    )


def _drawers(tournament: Tournament, user: Any) -> dict[str, Any]:
    """Return one's own open drawer, the open ones of others, and those that have been counted."""
    found = list(Drawer.objects.filter(tournament=tournament).select_related("by"))
    rows = []
    for drawer in found:
        drawer.tournament = tournament
        at_closing = Money(drawer.expected_minor or 0, tournament.currency)
        expected = expected_in(drawer) if drawer.closed_at is None else at_closing
        counted = None if drawer.counted_minor is None else Money(drawer.counted_minor, tournament.currency)
        rows.append(
            {
                "drawer": drawer,
                "change": Money(drawer.change_minor, tournament.currency),
                "expected": expected,
                "counted": counted,
                "difference": None if counted is None else counted - expected,
            }
        )
    loose = LedgerLine.objects.filter(tournament=tournament, drawer=None, channel=LedgerLine.Channel.CASH)
    return {
        "own": next((row for row in rows if row["drawer"].closed_at is None and row["drawer"].by == user), None),
        "others": [row for row in rows if row["drawer"].closed_at is None and row["drawer"].by != user],
        "closed": [row for row in rows if row["drawer"].closed_at is not None],
        "loose": Money(loose.aggregate(sum=Sum("minor"))["sum"] or 0, tournament.currency),
    }


@never_cache
@require_POST
def drawer(request: HttpRequest, slug: str) -> HttpResponse:
    """Open one's own drawer, or close it (an organizer or the treasurer may close anybody's) with what was counted."""
    tournament = managed_tournament(request, slug, "money")
    act = request.POST.get("act", "")
    try:
        amount = amount_of(request.POST.get("amount", ""), tournament.currency)
        if act == "open":
            open_drawer(tournament, actor=request.user, change=amount)
            messages.success(request, _("The drawer is open: the cash you take falls into it."))
        elif act == "close":
            text = request.POST.get("drawer", "")
            found = get_object_or_404(
                Drawer, tournament=tournament, pk=int(text) if text.isdecimal() and len(text) < 18 else 0
            )
            if found.by_id != request.user.pk and not may(request, tournament, "balance"):
                raise PermissionDenied
            explanation = " ".join(request.POST.get("explanation", "").split())
            close_drawer(found, counted=amount, explanation=explanation, actor=request.user)
            messages.success(request, _("The drawer is counted and closed."))
        else:
            raise Http404
    except TourneyError as refused:
        messages.error(request, sentence(refused))
        typed = {key: request.POST.get(key, "")[:300] for key in ("amount", "explanation")}
        return redirect(f"{reverse('manage_cash', args=[slug])}?{urlencode(typed)}#drawer")
    return redirect(f"{reverse('manage_cash', args=[slug])}#drawer")


@never_cache
@require_safe
def receipt(request: HttpRequest, slug: str, number: int) -> HttpResponse:
    """A receipt to print, with the amount in words; never why somebody pays less."""
    tournament = managed_tournament(request, slug, "money")
    line = get_object_or_404(
        LedgerLine.objects.select_related("entry__player", "entry__section", "by"),
        tournament=tournament,
        receipt_number=number,
    )
    amount = Money(line.minor, line.currency)
    return render(
        request,
        "registration/print_receipt.html",
        {
            "tournament": tournament,
            "line": line,
            "entry": line.entry,
            "amount": amount,
            "words": amount_words(amount),
            "channel": METHODS.get(line.channel, line.get_channel_display()),
            "payee": getattr(payee_of(tournament, rules_of(tournament)), "name", "")
            or tournament.in_words(tournament.organizer),
            "taken_back": line.kind != LedgerLine.Kind.DEPOSIT_APPEAL
            and LedgerLine.objects.filter(reverses=line).exists(),
            "is_deposit": line.kind == LedgerLine.Kind.DEPOSIT_APPEAL,
            "back_url": reverse(
                "manage_desk" if may(request, tournament, "desk") else "manage_cash", args=[tournament.slug]
            ),
        },
    )
