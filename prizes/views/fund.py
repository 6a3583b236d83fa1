"""The fund of the event: what comes in, what goes out, and from how many players it is covered (M10.7)."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from prizes.forms import FundLineForm, ReasonForm
from prizes.models import FundLine
from prizes.selectors.fund import Fund, fund_of
from prizes.services.fund import add_line, reverse_line
from prizes.views.pages import prizes_context
from tourney.formatting import money_text
from tourney.kernel.errors import TourneyError
from tourney.kernel.money import Money
from tourney.labels import sentence
from tourney.models import Tournament
from tourney.permissions import managed_tournament


@require_http_methods(["GET", "HEAD", "POST"])
def fund(request: HttpRequest, slug: str) -> HttpResponse:
    """The balance twice (today; when all is paid), the lines beside the fees, and a form for another one."""
    tournament = managed_tournament(request, slug, "balance")
    form = FundLineForm(currency=tournament.currency)
    status = 200
    if request.method == "POST":
        act = request.POST.get("act")
        if act == "add":
            form = FundLineForm(request.POST, currency=tournament.currency)
            if form.is_valid() and _add(request, tournament, form):
                return redirect("manage_fund", slug=slug)
            status = 422
        elif act == "reverse":
            _reverse(request, tournament)
            return redirect("manage_fund", slug=slug)
        else:
            raise Http404
    found = fund_of(tournament)
    return render(
        request,
        "prizes/manage_fund.html",
        prizes_context(
            request,
            tournament,
            "fund",
            fund=found,
            shortage=_shortage(found),
            rows=[_line_row(line) for line in found.lines if line.reverses_id is None],
            form=form,
        ),
        status=status,
    )


def _shortage(found: Fund) -> str:
    """Say how much is missing when all is paid that is owed and promised."""
    if found.planned.left.minor >= 0:
        return ""
    return _("When all is paid, %(amount)s are missing.") % {"amount": money_text(-found.planned.left)}


def _line_row(line: FundLine) -> dict[str, Any]:
    return {
        "line": line,
        "amount": Money(line.minor, line.currency),
        "undone": getattr(line, "reversed_by", None),
    }


def _add(request: HttpRequest, tournament: Tournament, form: FundLineForm) -> bool:
    data = form.cleaned_data
    try:
        add_line(
            tournament,
            kind=data["kind"],
            label=data["label"],
            amount=data["amount"],
            actor=request.user,
            operation=data["operation"],
        )
    except TourneyError as refused:
        form.add_error(None, sentence(refused))
        return False
    messages.success(request, _("The line is in the fund."))
    return True


def _reverse(request: HttpRequest, tournament: Tournament) -> None:
    line = request.POST.get("line", "")
    if not line.isdecimal() or len(line) > 18:
        raise Http404
    form = ReasonForm(request.POST)
    if not form.is_valid():
        messages.error(request, _("Say why the line is taken back."))
        return
    try:
        reverse_line(tournament, int(line), actor=request.user, reason=form.cleaned_data["reason"])
    except TourneyError as refused:
        messages.error(request, sentence(refused))
    else:
        messages.success(request, _("The line is taken back; both stay in the list."))
