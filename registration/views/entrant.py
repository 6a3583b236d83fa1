"""The entrant's own page, opened by the personal link: see, change, pay, answer an offer, withdraw. Never cached."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from registration.accounts import Account, account_of
from registration.engine.capacity import Phase
from registration.engine.fee_rules import Sibling
from registration.links import application_by_token
from registration.models import Application
from registration.paying import payment_words
from registration.person_forms import ContactForm
from registration.previews import after_withdrawal
from registration.qr import drawn
from registration.regulations import rules_of
from registration.rooms import phase_of, read_floor
from registration.services import accept_offer, decline_offer, edit_entry, withdraw_entry
from registration.services.places import open_offer
from registration.slip import draw_slip, slip_of
from registration.telling.panels import choices_of
from registration.words import STATES, fee_rows
from tourney.formatting import money_text
from tourney.kernel.errors import TourneyError
from tourney.labels import sentence
from tourney.models import Entry, Tournament
from tourney.navigation import public_context

View = Callable[..., HttpResponse]
State = Entry.State
CAN_WITHDRAW = (State.APPLIED, State.AWAITING_DEPOSIT, State.CONFIRMED, State.RESERVE, State.OFFERED)


def personal(view: View) -> View:
    """Open a page by its token: 404 for any other, nothing kept in caches or search engines."""

    @wraps(view)
    def opened(request: HttpRequest, token: str) -> HttpResponse:
        application = application_by_token(token)
        if application is None or not application.entry.tournament.public:
            raise Http404
        entry = application.entry
        entry.section.tournament = entry.tournament
        response = view(request, token, application)
        response["Cache-Control"] = "no-store"
        response["X-Robots-Tag"] = "noindex, nofollow"
        response["Referrer-Policy"] = "same-origin"
        return response

    return opened


@require_safe
@personal
def entrant(request: HttpRequest, token: str, application: Application) -> HttpResponse:
    """Everything about one entry, for the one who made it (K4.2)."""
    entry = application.entry
    account = account_of(entry)
    floor = read_floor(entry.section)
    name = str(entry.pk)
    reserve = floor.room.reserve
    return render(
        request,
        "registration/entrant.html",
        {
            **public_context(request, entry.tournament, section=entry.section),
            "entry": entry,
            "application": application,
            "token": token,
            "account": account,
            "quote": account.quote,
            "fee_rows": fee_rows(account.quote, account.version.policy, entry.tournament),
            "payment": payment_words(account),
            "look": STATES[entry.state][0],
            "state_word": STATES[entry.state][1],
            "reserve_number": reserve.index(name) + 1 if name in reserve else 0,
            "offer": open_offer(entry),
            "rows": _told(account),
            "siblings": _siblings(account),
            "notices": choices_of(entry, application.email),
            "can_edit": entry.tournament.state not in (Tournament.State.FINISHED, Tournament.State.CANCELLED),
            "can_withdraw": _can_withdraw(entry, floor.phase),
            "may_add": entry.tournament.state == Tournament.State.REGISTRATION,
            "regulation": application.consent_regulation,
            "desk_code": drawn(application.reference, _("Code for the desk")) if application.reference else "",
            "family_price": any(isinstance(rule, Sibling) for rule in floor.rules.fees.rules),
        },
    )


@require_safe
@personal
def slip(request: HttpRequest, token: str, application: Application) -> HttpResponse:
    """The bank slip of what is to pay now, as PDF; 404 when nothing is to be paid by transfer."""
    found = slip_of(account_of(application.entry))
    if found is None:
        raise Http404
    response = HttpResponse(draw_slip(found), content_type="application/pdf")
    response["Content-Disposition"] = f'inline; filename="{application.entry.tournament.slug}-slip.pdf"'
    return response


@require_http_methods(["GET", "HEAD", "POST"])
@personal
def edit(request: HttpRequest, token: str, application: Application) -> HttpResponse:
    """Change contacts, club, town; the name only while the start list is open."""
    entry = application.entry
    if entry.tournament.state in (Tournament.State.FINISHED, Tournament.State.CANCELLED):
        raise Http404
    closed = entry.section.entries_closed_at is not None
    form = ContactForm(request.POST or None, entry=entry, application=application, closed=closed)
    if request.method == "POST" and form.is_valid():
        changed = edit_entry(entry, form.cleaned_data, by_entrant=True)
        messages.success(request, _("Saved.") if changed else _("Nothing was changed."))
        return redirect("entrant", token=token)
    return render(
        request,
        "registration/entrant_edit.html",
        {
            **public_context(request, entry.tournament, section=entry.section),
            "entry": entry,
            "form": form,
            "token": token,
            "closed": closed,
        },
        status=422 if form.is_bound else 200,
    )


@require_http_methods(["GET", "HEAD", "POST"])
@personal
def withdraw(request: HttpRequest, token: str, application: Application) -> HttpResponse:
    """Say what withdrawing means, then do it."""
    entry = application.entry
    error = ""
    if not _can_withdraw(entry, phase_of(entry.section)):
        messages.warning(request, _("This entry can't be withdrawn here any more; please speak to the organizer."))
        return redirect("entrant", token=token)
    if request.method == "POST":
        reason = " ".join(request.POST.get("reason", "").split())[:500]
        try:
            withdraw_entry(entry, by_entrant=True, reason=reason, base_url=request.build_absolute_uri("/").rstrip("/"))
        except TourneyError as refused:
            error = sentence(refused)
        else:
            messages.success(request, _("The entry is withdrawn."))
            return redirect("entrant", token=token)
    account = account_of(entry)
    return render(
        request,
        "registration/entrant_withdraw.html",
        {
            **public_context(request, entry.tournament, section=entry.section),
            "entry": entry,
            "token": token,
            "consequences": _consequences(account),
            "error": error,
        },
        status=409 if error else 200,
    )


@require_POST
@personal
def answer(request: HttpRequest, token: str, application: Application) -> HttpResponse:
    """Take or decline an offered place."""
    act = accept_offer if request.POST.get("answer") == "accept" else decline_offer
    try:
        act(application.entry, base_url=request.build_absolute_uri("/").rstrip("/"))
    except TourneyError as refused:
        messages.error(request, sentence(refused))
    else:
        done = _("The place is yours.") if act is accept_offer else _("Declined; the place goes to the next.")
        messages.success(request, done)
    return redirect("entrant", token=token)


def _can_withdraw(entry: Entry, phase: Phase) -> bool:
    over = (Tournament.State.FINISHED, Tournament.State.CANCELLED)
    return entry.state in CAN_WITHDRAW and phase is not Phase.STARTED and entry.tournament.state not in over


def _consequences(account: Account) -> list[Any]:
    """Return in words what withdrawing now does to the place and to the money, by the regulation's own rule."""
    entry = account.entry
    found: list[Any] = []
    if entry.state in (State.CONFIRMED, State.OFFERED):
        found.append(_("Your place goes to the next on the reserve list."))
    else:
        found.append(_("You lose your turn; a new entry goes to the end."))
    quote = after_withdrawal(account)
    if account.quote.paid:
        found.append(
            _("Of the %(paid)s you have paid, %(back)s goes back to you, %(kept)s stays with the organizer%(clause)s.")
            % {
                "paid": money_text(account.quote.paid),
                "back": money_text(quote.refundable),
                "kept": money_text(quote.kept),
                "clause": _(" (clause %(clause)s)") % {"clause": quote.basis} if quote.basis else "",
            }
        )
    else:
        found.append(_("You have paid nothing, and nothing will be asked."))
    return found


def _told(account: Account) -> list[dict[str, Any]]:
    """Return what the entrant has told us, private things too: only he sees this page."""
    entry, application = account.entry, account.application
    player = entry.player
    answers = application.answers if application else {}
    levels = rules_of(entry.tournament).entry.levels
    level = entry.tournament.in_words(dict(levels[entry.level])) if entry.level in levels else entry.level
    born = f"{player.birth_date:%d.%m.%Y}" if player.birth_date else player.birth_year
    contacts = (application.email, application.phone, application.guardian_name) if application else ()
    return [
        {"label": _("Group"), "value": entry.section.title_text},
        {"label": _("Born"), "value": born},
        {"label": _("Class"), "value": level},
        {"label": _("Rating"), "value": entry.rating},
        {"label": "ID FIDE", "value": player.fide_id},
        {"label": _("National ID"), "value": player.national_id},
        {"label": _("Town"), "value": player.city, "note": player.district},
        {"label": _("Club or school"), "value": player.club},
        {"label": _("Coach"), "value": answers.get("coach", "")},
        {"label": _("Contact, not public"), "value": ", ".join(text for text in contacts if text)},
        {
            "label": _("On public pages"),
            "value": _("with the name") if entry.public_name else _("with a number instead of the name"),
        },
    ]


def _siblings(account: Account) -> list[str]:
    if not account.family:
        return []
    entries = Entry.objects.filter(pk__in=account.family).select_related("player")
    return [entry.player.name for entry in entries]
