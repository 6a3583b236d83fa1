"""Bank payments at the desk: statements sent in, payments that wait for a person, and what became of the others."""

from __future__ import annotations

import datetime as dt
import uuid
from collections.abc import Iterable, Sequence
from typing import Any

from django import forms
from django.contrib import messages
from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, pgettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST

from registration.accounts import Account, accounts
from registration.engine.statements.reading import LARGEST
from registration.lists import every_account, state_badge
from registration.models import BankRow, BankStatement, LedgerLine
from registration.services import bank as services
from registration.staff_forms import plain
from registration.views.desk import amount_of, operation_of
from registration.views.staff import desk_pages
from tourney.formatting import day_text, moment_text, money_text
from tourney.kernel.errors import TourneyError
from tourney.kernel.money import Money
from tourney.labels import MESSAGES, sentence
from tourney.models import Entry, Job, Tournament
from tourney.navigation import manage_context
from tourney.permissions import managed_tournament

PAGE = 30
FORMS: dict[str, Any] = {
    "1c": gettext_lazy("1C exchange"),
    "privatbank": "PrivatBank",
    "monobank": "monobank",
    "ibank": "iBank 2 UA",
}
# Why a payment was not booked by itself.
WHY: dict[str, Any] = {
    "": gettext_lazy("Has not been looked at yet."),
    "unknown": gettext_lazy("Nothing in it names an entry."),
    "no_reference": gettext_lazy("No payment reference; somebody fits."),
    "too_much": gettext_lazy("More than this entry owes."),
    "paid_already": gettext_lazy("This entry owes nothing any more."),
    "left": gettext_lazy("This entry has ended."),
    "several": gettext_lazy("Names several entries, and the sum is not what they owe together."),
    "other_currency": gettext_lazy("In another currency than the event."),
    "taken_back": gettext_lazy("The booking was taken back."),
}
# Why an entry is suggested.
FITS: dict[str, Any] = {
    "reference": gettext_lazy("its reference"),
    "account_and_sum": gettext_lazy("the payer's account, the very sum"),
    "account": gettext_lazy("the payer's account"),
    "name_and_sum": gettext_lazy("named in the purpose, the very sum"),
    "name": gettext_lazy("named in the purpose"),
    "payer_and_sum": gettext_lazy("the payer's name, the very sum"),
    "payer": gettext_lazy("the payer's name"),
}


class StatementForm(forms.Form):
    """A bank's file as it was exported."""

    file = forms.FileField(
        label=gettext_lazy("The bank's file"),
        max_length=200,
        widget=forms.ClearableFileInput(attrs={"accept": ".txt,.csv"}),
        help_text=gettext_lazy("1C exchange (TXT), or CSV of PrivatBank, monobank or iBank 2 UA."),
    )

    def clean_file(self) -> Any:
        file = self.cleaned_data["file"]
        if file.size > LARGEST:
            raise forms.ValidationError(sentence(TourneyError("statement.too_large", megabytes=LARGEST // 1_000_000)))
        return file


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def bank(request: HttpRequest, slug: str) -> HttpResponse:
    """Send a statement in; the payments that wait, with who they may be for; those booked and set aside."""
    tournament = managed_tournament(request, slug, "money")
    form = StatementForm(request.POST or None, request.FILES or None)
    if request.method == "POST" and form.is_valid():
        file = form.cleaned_data["file"]
        try:
            made = services.send_in(tournament, name=file.name, content=file.read(), actor=request.user)
        except TourneyError as refused:
            form.add_error("file", sentence(refused))
        else:
            return redirect(f"{reverse('manage_bank', args=[slug])}?statement={made.pk}")
    found = BankStatement.objects.filter(tournament=tournament).select_related("job", "by")
    asked = request.GET.get("statement", "")
    shown = get_object_or_404(found, pk=int(asked)) if asked.isdecimal() and len(asked) < 18 else None
    if shown is not None and request.headers.get("HX-Request"):
        return render(request, "registration/_bank_statement.html", _statement(tournament, shown))
    rows = BankRow.objects.filter(tournament=tournament).select_related("statement")
    state = request.GET.get("state", "")
    state = state if state in BankRow.State.values else BankRow.State.WAITING
    page = Paginator(rows.filter(state=state).order_by("-pk" if state != "waiting" else "pk"), PAGE).get_page(
        request.GET.get("page")
    )
    return render(
        request,
        "registration/manage_bank.html",
        manage_context(
            request,
            tournament,
            active="desk",
            sub_nav=desk_pages(request, tournament, "bank"),
            form=form,
            statements=found[:10],
            forms=FORMS,
            page=page,
            rows=_rows(tournament, list(page.object_list)),
            chips=_chips(rows, state),
            state=state,
            query=f"&state={state}",
            **(_statement(tournament, shown) if shown else {}),
        ),
        status=422 if form.errors else 200,
    )


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def bank_row(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """One payment: book it for an entry, in parts if need be, or set it aside with a reason."""
    tournament = managed_tournament(request, slug, "money")
    row = get_object_or_404(BankRow.objects.select_related("statement"), tournament=tournament, pk=pk)
    row.tournament = tournament
    error = ""
    if request.method == "POST":
        try:
            _act(request, row)
        except TourneyError as refused:
            error = sentence(refused)
        else:
            row.refresh_from_db()
            if row.state == BankRow.State.WAITING:
                return redirect("manage_bank_row", slug=slug, pk=pk)
            return redirect("manage_bank", slug=slug)
    row.refresh_from_db()
    found = every_account(tournament)
    words = _rows(tournament, [row])[0]
    return render(
        request,
        "registration/manage_bank_row.html",
        manage_context(
            request,
            tournament,
            active="desk",
            sub_nav=desk_pages(request, tournament, "bank"),
            row=words,
            choices=[
                {
                    "pk": account.entry.pk,
                    "words": _choice(account),
                    "chosen": str(account.entry.pk) == request.POST.get("entry", ""),
                }
                for account in found
            ],
            amount=request.POST.get("amount") or plain(words["left"]),
            reason=request.POST.get("reason", ""),
            operation=uuid.uuid4(),
            error=error,
        ),
        status=422 if error else 200,
    )


def _act(request: HttpRequest, row: BankRow) -> None:
    match request.POST.get("act", ""):
        case "book":
            text = request.POST.get("entry", "")
            entry = Entry.objects.filter(
                tournament=row.tournament_id, pk=int(text) if text.isdecimal() and len(text) < 18 else 0
            )
            chosen = entry.select_related("player", "section", "tournament").first()
            if chosen is None:
                raise TourneyError("bank.choose_entry")
            amount = amount_of(request.POST.get("amount", ""), row.tournament.currency)
            services.book_row(row, chosen, amount, actor=request.user, operation=operation_of(request))
            words = {"sum": money_text(amount), "name": chosen.player.name}
            messages.success(request, _("%(sum)s booked for %(name)s.") % words)
        case "set_aside":
            reason = " ".join(request.POST.get("reason", "").split())
            services.set_row_aside(row, reason=reason, actor=request.user)
            messages.success(request, _("Set aside; it can be taken up again."))
        case "take_up":
            services.take_row_up(row, actor=request.user)
            messages.success(request, _("The payment waits again."))
        case _:
            raise Http404


def _choice(account: Account) -> str:
    word = str(state_badge(account.entry.state)[1])
    owed = f" · {money_text(account.to_ask)}" if account.to_ask else ""
    return f"{account.entry.player.full_name} ({word}){owed}"


def _chips(rows: Any, state: str) -> list[dict[str, Any]]:
    words = {"waiting": _("Waiting"), "booked": _("Booked"), "set_aside": pgettext("bank payments", "Set aside")}
    return [
        {
            "label": label,
            "count": rows.filter(state=key).count(),
            "url": f"?state={key}",
            "active": key == state,
        }
        for key, label in words.items()
    ]


def _rows(tournament: Tournament, rows: Sequence[BankRow]) -> list[dict[str, Any]]:
    """Return payments with their words: what is left, why they wait, who fits, what they were booked as."""
    named = {int(pk) for row in rows for pk, _why in row.suggested}
    entries = list(tournament.entries.filter(pk__in=named).select_related("player", "section"))
    for entry in entries:
        entry.tournament = entry.section.tournament = tournament
    by_pk = {account.entry.pk: account for account in accounts(tournament, entries)} if entries else {}
    lines: dict[int, list[LedgerLine]] = {}
    for line in LedgerLine.objects.filter(bank_row__in=rows).select_related("entry__player", "reversed_by"):
        lines.setdefault(int(line.bank_row_id or 0), []).append(line)
    for row in rows:
        row.tournament = tournament
    return [_row(row, by_pk, lines.get(row.pk, [])) for row in rows]


def _paid(row: BankRow) -> str:
    """Return when it was paid: only the day where the bank gave no hour."""
    at = row.paid_at.astimezone(row.tournament.zone)
    return moment_text(at, row.tournament.zone) if at.time() != dt.time() else day_text(at.date())


def _row(row: BankRow, known: dict[int, Account], lines: Iterable[LedgerLine]) -> dict[str, Any]:
    standing = [line for line in lines if not hasattr(line, "reversed_by")]
    left = Money(row.minor - sum(line.minor for line in standing), row.currency)
    return {
        "row": row,
        "paid": _paid(row),
        "amount": Money(row.minor, row.currency),
        "left": left,
        "why": WHY.get(row.why, row.why),
        "fits": [
            {
                "account": known[pk],
                "entry": known[pk].entry,
                "why": FITS.get(why, why),
                "amount": plain(left),
                "operation": uuid.uuid4(),
            }
            for pk, why in row.suggested
            if pk in known
        ],
        "lines": [{"line": line, "amount": Money(line.minor, line.currency)} for line in standing],
    }


def _statement(tournament: Tournament, shown: BankStatement) -> dict[str, Any]:
    """Return a statement with its progress, and in words what came of it."""
    outcome = shown.outcome or {}
    rows = BankRow.objects.filter(statement=shown)
    job = shown.job
    return {
        "shown": shown,
        "running": shown.read_at is None and job is not None and job.is_open,
        "failed": shown.read_at is None and (job is None or job.state in (Job.State.FAILED, Job.State.DONE)),
        "reload_url": f"{reverse('manage_bank', args=[tournament.slug])}?statement={shown.pk}",
        "form_word": FORMS.get(shown.form, shown.form),
        "booked": rows.filter(state=BankRow.State.BOOKED).count(),
        "waiting": rows.filter(state=BankRow.State.WAITING).count(),
        "outcome": outcome,
        "faults": [_fault(one) for one in outcome.get("faults", ())],
        "warnings": [_fault(one) for one in outcome.get("warnings", ())],
    }


def _fault(told: dict[str, Any]) -> dict[str, Any]:
    words = str(MESSAGES.get(told["code"], told["code"])) % {"got": told["got"]}
    return {"line": told["line"], "column": told["column"], "words": words}


@never_cache
@require_POST
def bank_retry(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Read a statement again whose worker gave up."""
    tournament = managed_tournament(request, slug, "money")
    services.read_again(get_object_or_404(BankStatement, tournament=tournament, pk=pk))
    return redirect(f"{reverse('manage_bank', args=[slug])}?statement={pk}")
