"""The morning at the desk: who is here, what each owes, cash in two taps."""

from __future__ import annotations

import datetime as dt
import uuid
from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from registration.accounts import Account, account_of, totals
from registration.lists import every_account, state_badge
from registration.models import LedgerLine
from registration.regulations import rules_of
from registration.services import (
    mark_arrived,
    record_payment,
    reverse_line,
    take_back_arrival,
)
from registration.services.applicants import fold_name
from registration.staff_forms import CHANNELS, plain
from registration.views.staff import desk_pages
from registration.words import METHODS, deadline_words
from tourney.formatting import money_text
from tourney.kernel.errors import TourneyError
from tourney.kernel.money import Money
from tourney.labels import sentence
from tourney.models import Entry, Tournament
from tourney.navigation import manage_context
from tourney.permissions import managed_tournament

State = Entry.State
SLIP_TIME = dt.timedelta(minutes=15)  # so long a slip of the finger is undone by one tap
AT_THE_DESK = (State.APPLIED, State.AWAITING_DEPOSIT, State.CONFIRMED, State.OFFERED, State.RESERVE)


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def desk(request: HttpRequest, slug: str) -> HttpResponse:
    """One list over all groups, by name: what each owes, presence, payments; totals at the foot."""
    tournament = managed_tournament(request, slug, "desk")
    if request.method == "POST":
        return _act(request, tournament)
    found = every_account(tournament)
    here = at_the_desk(found)
    only = request.GET.get("only", "")
    search = " ".join(request.GET.get("q", "").split())[:80]
    shown = [account for account in here if _wanted(account, only, search)]
    known = rules_of(tournament)
    arrival = known.entry.arrival_until
    return render(
        request,
        "registration/manage_desk.html",
        manage_context(
            request,
            tournament,
            active="desk",
            sub_nav=desk_pages(request, tournament, "desk"),
            rows=[_row(account, tournament) for account in shown],
            chips=_chips(here, only),
            search=search,
            only=only,
            many_groups=tournament.sections.count() > 1,
            arrival_until=deadline_words(arrival, tournament) if arrival else "",
            foot=foot(tournament, found),
            new_allowed=not known.entry.required_beforehand,
        ),
    )


def at_the_desk(found: list[Account]) -> list[Account]:
    """Return whom the desk may still expect."""
    return [account for account in found if account.entry.state in AT_THE_DESK]


def _wanted(account: Account, only: str, search: str) -> bool:
    if only == "missing" and (account.entry.present or account.entry.state != State.CONFIRMED):
        return False
    if only == "unpaid" and not account.to_ask:
        return False
    if only == "papers" and not account.has_open_claims:
        return False
    reference = account.application.reference if account.application else ""  # what the code on the entrant's page says
    name = fold_name(f"{account.entry.player.full_name} {reference}")
    return all(word in name for word in fold_name(search).split())


def _chips(here: list[Account], only: str) -> list[dict[str, Any]]:
    missing = sum(1 for a in here if a.entry.state == State.CONFIRMED and not a.entry.present)
    unpaid = sum(1 for a in here if a.to_ask)
    papers = sum(1 for a in here if a.has_open_claims)
    chips = [
        {"label": _("All"), "count": len(here), "url": "?", "active": not only},
        {"label": _("Not here yet"), "count": missing, "url": "?only=missing", "active": only == "missing"},
        {"label": _("To pay"), "count": unpaid, "url": "?only=unpaid", "active": only == "unpaid"},
    ]
    if papers or only == "papers":
        chips.append(
            {"label": _("Papers to look at"), "count": papers, "url": "?only=papers", "active": only == "papers"}
        )
    return chips


def _row(account: Account, tournament: Tournament, error: str = "") -> dict[str, Any]:
    look, word = state_badge(account.entry.state)
    payments = [line for line in account.lines if line.kind == LedgerLine.Kind.PAYMENT]
    taken_back = {line.reverses_id for line in payments if line.reverses_id}
    standing = [line for line in payments if not line.reverses_id and line.pk not in taken_back]
    return {
        "account": account,
        "entry": account.entry,
        "look": look,
        "word": word,
        "amount": plain(account.to_ask) if account.to_ask else "",
        "last": standing[-1] if standing else None,
        # An older payment is taken back in the cash book, where a reason is asked for.
        "slip": bool(standing) and timezone.now() - standing[-1].at < SLIP_TIME,
        "channels": CHANNELS,
        "operation": uuid.uuid4(),
        "seen": account.lines[-1].pk if account.lines else 0,
        "error": error,
        "arrived_at": account.application.onsite_at if account.application and account.entry.present else None,
        "tournament": tournament,
    }


def foot(tournament: Tournament, found: list[Account]) -> dict[str, Any]:
    whole = totals(tournament, found)
    confirmed = [account for account in found if account.entry.state == State.CONFIRMED]
    return {
        "whole": whole,
        "channels": [
            {"word": METHODS.get(channel, channel), "amount": amount} for channel, amount in whole.by_channel.items()
        ],
        "present": sum(1 for account in confirmed if account.entry.present),
        "confirmed": len(confirmed),
    }


def _act(request: HttpRequest, tournament: Tournament) -> HttpResponse:
    """Do one thing to one row: answer with the row (and the foot) to htmx, with a redirect to a plain form."""
    entry = _entry_of(tournament, request.POST.get("entry", ""))
    error, done = "", None
    try:
        done = _do(request, entry)
    except TourneyError as refused:
        error = sentence(refused)
    if request.headers.get("HX-Request") != "true":
        if error:
            messages.error(request, f"{entry.player.name}: {error}")
        else:
            messages.success(request, said(account_of(_entry_of(tournament, str(entry.pk))), done)["text"])
        query = request.GET.urlencode()
        address = reverse("manage_desk", args=[tournament.slug])
        return redirect(f"{address}{'?' + query if query else ''}#entry-{entry.pk}")
    account = account_of(_entry_of(tournament, str(entry.pk)))
    found = every_account(tournament)
    return render(
        request,
        "registration/_desk_answer.html",
        {
            "row": _row(account, tournament, error),
            "tournament": tournament,
            "many_groups": tournament.sections.count() > 1,
            "foot": foot(tournament, found),
            "chips": _chips(at_the_desk(found), request.GET.get("only", "")),
            "said": None if error else said(account, done),
            "query": request.GET.urlencode(),
        },
        status=200,
    )


def said(account: Account, line: LedgerLine | None) -> dict[str, Any]:
    """Return what to say after an act, with the person's name: the words, and what takes the act back at once.

    `line` is the line of the ledger the act has written; None: the act was about presence.
    """
    entry, application = account.entry, account.application
    name = entry.player.full_name
    if line is not None and line.reverses_id is None:
        words = _("%(amount)s taken from %(name)s, receipt № %(number)s") % {
            "amount": money_text(Money(line.minor, line.currency)),
            "name": name,
            "number": line.receipt_number,
        }
        return {"text": words, "entry": entry, "undo": "take_back", "line": line.pk, "receipt": line.receipt_number}
    if line is not None:
        amount = money_text(Money(-line.minor, line.currency))
        return {"text": _("%(amount)s of %(name)s taken back") % {"amount": amount, "name": name}}
    if not entry.present:
        return {"text": _("%(name)s is no longer marked as here") % {"name": name}}
    arrived = application.onsite_at if application else None
    words = _("%(name)s is here") % {"name": name}
    if arrived is not None:
        words = _("%(name)s is here, %(time)s") % {
            "name": name,
            "time": f"{arrived.astimezone(entry.tournament.zone):%H:%M:%S}",
        }
    if account.quote.late:
        words += " · " + _("late: the fee is %(amount)s") % {"amount": money_text(account.quote.fee)}
    return {"text": words, "entry": entry, "undo": "not_here"}


def _do(request: HttpRequest, entry: Entry) -> LedgerLine | None:
    """Do what the row asks for; return the line of the ledger it wrote, if it was about money."""
    match request.POST.get("act", ""):
        case "pay":
            return record_payment(
                entry,
                amount_of(request.POST.get("amount", ""), entry.tournament.currency),
                channel=request.POST.get("channel", ""),
                actor=request.user,
                operation=operation_of(request),
                seen=_seen(request),
            )
        case "arrived":
            mark_arrived(entry, actor=request.user)
        case "not_here":
            take_back_arrival(entry, actor=request.user)
        case "take_back":
            text = request.POST.get("line", "")
            line = LedgerLine.objects.filter(
                entry=entry, pk=int(text) if text.isdecimal() and len(text) < 18 else 0
            ).first()
            if line is None or timezone.now() - line.at > SLIP_TIME:
                raise Http404
            return reverse_line(
                line, reason=_("a slip at the desk"), actor=request.user, operation=operation_of(request)
            )
        case _:
            raise Http404
    return None


def amount_of(text: str, currency: str) -> Money:
    try:
        return Money.parse(text.strip(), currency)
    except ValueError as error:
        raise TourneyError("money.not_an_amount", text=text[:20]) from error


def _seen(request: HttpRequest) -> int | None:
    """Return the newest line of the account the cashier had before him; None from a page that does not say."""
    text = request.POST.get("seen", "")
    return int(text) if text.isdecimal() and len(text) < 18 else None


def operation_of(request: HttpRequest) -> uuid.UUID | None:
    try:
        return uuid.UUID(request.POST.get("operation", ""))
    except ValueError:
        return None


def _entry_of(tournament: Tournament, text: str) -> Entry:
    found = get_object_or_404(
        tournament.entries.select_related("player", "section__merged_into"),
        pk=int(text) if text.isdecimal() and len(text) < 18 else 0,
    )
    found.tournament = found.section.tournament = tournament
    return found
