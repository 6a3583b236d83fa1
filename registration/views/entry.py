"""One entry for the staff: everything about it, and every act on it, each with what the record must know."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from registration import services
from registration import staff_forms as forms
from registration.accounts import ALIVE, Account, account_of
from registration.conduct.panels import sanctions_of
from registration.engine.capacity import Phase
from registration.fields import RATING_WORDS
from registration.links import absolute, path_of
from registration.lists import state_badge
from registration.person_forms import StaffEditForm
from registration.regulations import rules_of
from registration.rooms import read_floor
from registration.services import application_of
from registration.views.acts import ACTS
from registration.views.staff import registration_pages
from registration.words import METHODS, erased_here_only, fee_rows, history, line_words
from tourney.kernel.errors import TourneyError
from tourney.kernel.money import Money
from tourney.labels import sentence
from tourney.models import Entry, Tournament
from tourney.navigation import manage_context
from tourney.permissions import managed_tournament, may
from tourney.views.game_imports import names_context

State = Entry.State
Data = dict[str, Any]


# What an arbiter does not read in an entry's history: why somebody pays less is no business of the hall.
MONEY_EVENTS = frozenset({"claim_told", "claim_verified", "claim_refused", "price_set", "fees_taken"})


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def entry(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Everything about one entry; a POST names the act."""
    tournament = managed_tournament(request, slug, "entries")
    one = _entry_of(tournament, pk)
    account = account_of(one)
    bound: forms.ActForm | None = None
    name = ""
    if request.method == "POST":
        name = request.POST.get("act", "")
        act = ACTS.get(name)
        if act is None:
            raise Http404
        if not any(may(request, tournament, need) for need in act.needs):
            raise PermissionDenied
        bound = act.form(request.POST, account=account, prefix=name)
        if bound.is_valid():
            try:
                act.run(one, bound.cleaned_data, request.user)
            except TourneyError as refused:
                bound.add_error(None, sentence(refused))
            else:
                messages.success(request, act.done)
                if name == "erase" and tournament.moved_to:
                    messages.warning(request, erased_here_only(tournament))
                return redirect("manage_entry", slug=tournament.slug, pk=pk)
        one = _entry_of(tournament, pk)
        account = account_of(one)
    return _page(request, tournament, account, bound, name)


def _entry_of(tournament: Tournament, pk: int) -> Entry:
    found = tournament.entries.select_related("player", "section__merged_into").filter(pk=pk).first()
    if found is None:
        raise Http404
    found.tournament = found.section.tournament = tournament
    return found


def _page(
    request: HttpRequest, tournament: Tournament, account: Account, bound: forms.ActForm | None, name: str
) -> HttpResponse:
    one = account.entry
    desk, money = may(request, tournament, "desk"), may(request, tournament, "money")
    application = account.application
    floor = read_floor(one.section)
    reserve = floor.room.reserve
    look, word = state_badge(one.state)
    events = list(one.events.select_related("by").order_by("pk"))
    for event in events:
        event.entry = one
    words = forms.claim_words(tournament)
    return render(
        request,
        "registration/manage_entry.html",
        manage_context(
            request,
            tournament,
            active="registration",
            sub_nav=registration_pages(request, tournament, ""),
            entry=one,
            account=account,
            application=application,
            desk=desk,
            money=money,
            look=look,
            word=word,
            reserve_number=reserve.index(str(one.pk)) + 1 if str(one.pk) in reserve else 0,
            why=_why_waiting(events),
            rows=_sheet(account, desk=desk, money=money),
            fee_rows=fee_rows(account.quote, account.version.policy, tournament),
            claims=[{"claim": claim, "words": words.get(claim.code, claim.code)} for claim in account.claims],
            ledger=[_ledger_row(line) for line in account.lines],
            sanctions=sanctions_of(tournament, one),
            appeals=list(one.appeals.order_by("filed_at")),
            may_sanction=one.start_number is not None and may(request, tournament, "arbitrate"),
            consents=one.consents.select_related("regulation").order_by("pk") if desk else [],
            family=Entry.objects.filter(pk__in=account.family).select_related("player"),
            link=absolute(path_of(application), request.build_absolute_uri("/").rstrip("/"))
            if desk and application
            else "",
            history=history(one, [event for event in events if money or event.kind not in MONEY_EVENTS]),
            acts=_acts(request, tournament, account, floor.phase, bound, name),
            open_act=name,
            **(names_context(tournament) if hasattr(one, "erasure") and one.erasure.done_at else {}),
        ),
        status=422 if bound is not None else 200,
    )


def _acts(
    request: HttpRequest,
    tournament: Tournament,
    account: Account,
    phase: Phase,
    bound: forms.ActForm | None,
    name: str,
) -> dict[str, dict[str, Any]]:
    """Return the acts that make sense now, each with its form."""
    one = account.entry
    found = {}
    for key, act in ACTS.items():
        if one.state not in act.states or not any(may(request, tournament, need) for need in act.needs):
            continue
        if not _makes_sense(key, account, phase):
            continue
        form = bound if key == name and bound is not None else act.form(account=account, prefix=key)
        found[key] = {
            "key": key,
            "title": act.title,
            "button": act.button,
            "danger": act.danger,
            "form": form,
            "open": key == name,
        }
    return found


def _makes_sense(key: str, account: Account, phase: Phase) -> bool:
    one = account.entry
    match key:
        case "arrived":
            return not one.present
        case "not_here":
            return one.present
        case "refund" | "move_money":
            return bool(account.quote.paid)
        case "no_family":
            return bool(account.application and account.application.family_key)
        case "erase":
            over = (Tournament.State.FINISHED, Tournament.State.CANCELLED)
            done = hasattr(one, "erasure") and one.erasure.done_at
            return not done and (one.state not in ALIVE or one.tournament.state in over)
        case "withdraw":
            return phase is not Phase.STARTED
        case "promote" | "replace":
            return phase is not Phase.STARTED and (
                key == "promote"
                or Entry.objects.filter(section=one.section_id, state__in=[State.RESERVE, State.OFFERED]).exists()
            )
        case "claim":
            return bool(rules_of(one.tournament).fees.claims or rules_of(one.tournament).entry.grounds)
        case _:
            return True


def _why_waiting(events: list[Any]) -> str:
    """Return the reason an entry waits for, as the verdict at registration named it."""
    reasons = {
        "level": _("another class than the regulation names"),
        "playing_up": _("younger than the group"),
        "girl_among_boys": _("a girl in a boys' group"),
    }
    code = next((event.data["why"] for event in events if event.data.get("why")), "")
    return str(reasons.get(code, code))


def _sheet(account: Account, *, desk: bool, money: bool) -> list[Data]:
    one, application = account.entry, account.application
    player = one.player
    answers = application.answers if application else {}
    rows: list[Data] = [
        {"label": _("Group"), "value": one.section.title_text},
        {"label": _("Start number"), "value": one.start_number},
        {"label": _("Class"), "value": one.level},
        {"label": _("Rating"), "value": one.rating, "note": _ratings(one)},
        {"label": "ID FIDE", "value": player.fide_id},
        {"label": _("National ID"), "value": player.national_id},
        {"label": _("Town"), "value": player.city, "note": player.district},
        {"label": _("Club or school"), "value": player.club},
        {"label": _("Coach"), "value": answers.get("coach", "")},
        {"label": _("Name in public"), "value": "" if one.public_name else _("shown as a number")},
    ]
    reference = {"label": _("Payment reference"), "value": application.reference if application else ""}
    if not desk:
        return [*rows, {"label": _("Born"), "value": player.birth_year}, *([reference] if money else [])]
    born = f"{player.birth_date:%d.%m.%Y}" if player.birth_date else player.birth_year
    words = {"lives_in_region": _("lives there"), "registered_in_region": _("registered there")}
    lives = [text for key, text in words.items() if answers.get(key)]
    return [
        {"label": _("Born"), "value": born, "note": player.get_sex_display() if player.sex else ""},
        *rows,
        {"label": _("Region"), "value": ", ".join(lives)},
        {"label": _("E-mail"), "value": application.email if application else ""},
        {"label": _("Telephone"), "value": application.phone if application else ""},
        {
            "label": _("Parent or guardian"),
            "value": application.guardian_name if application else "",
            "note": application.guardian_relation if application else "",
        },
        {"label": _("Note"), "value": application.note if application else ""},
        reference,
    ]


def _ratings(one: Entry) -> str:
    kinds = {key: value for key, value in (one.ratings or {}).items() if key in RATING_WORDS and value}
    return " · ".join(f"{RATING_WORDS[key]}: {value}" for key, value in kinds.items()) if len(kinds) > 1 else ""


def _ledger_row(line: Any) -> Data:
    return {
        "line": line,
        "amount": Money(line.minor, line.currency),
        "kind": line_words(line),
        "channel": METHODS.get(line.channel, line.get_channel_display()),
    }


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def edit(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Change what an entry says about a person."""
    tournament = managed_tournament(request, slug, "desk")
    one = _entry_of(tournament, pk)
    form = StaffEditForm(request.POST or None, entry=one, application=application_of(one))
    if request.method == "POST" and form.is_valid():
        try:
            changed = services.edit_entry(one, form.changes(), actor=request.user, reason=form.cleaned_data["reason"])
        except TourneyError as refused:
            form.add_error("reason", sentence(refused))
        else:
            messages.success(request, _("Saved.") if changed else _("Nothing was changed."))
            return redirect("manage_entry", slug=tournament.slug, pk=pk)
    return render(
        request,
        "registration/manage_entry_edit.html",
        manage_context(
            request,
            tournament,
            active="registration",
            entry=one,
            form=form,
            back_url=reverse("manage_entry", args=[tournament.slug, pk]),
        ),
        status=422 if form.is_bound else 200,
    )
