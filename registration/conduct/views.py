"""Pages of the arbiter's book: sanctions, appeals, the committee. The chief arbiter writes, the staff reads."""

from __future__ import annotations

import hashlib
from datetime import datetime
from typing import Any

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from registration.conduct import services
from registration.conduct.deposits import deposit_of
from registration.conduct.forms import (
    AppealForm,
    DecisionForm,
    MemberForm,
    OwnCasesForm,
    RevokeForm,
    SanctionForm,
    name_of,
)
from registration.conduct.words import DECISIONS, SUBJECTS
from registration.engine.sanctions import ILLEGAL_MOVES_LOSE
from registration.models import LedgerLine
from registration.regulations import rules_of
from tourney import panels
from tourney.formatting import money_text
from tourney.kernel.errors import TourneyError
from tourney.kernel.money import Money
from tourney.kernel.outcomes import ResultCode
from tourney.labels import sentence
from tourney.models import Appeal, Game, Sanction, Tournament
from tourney.navigation import manage_context
from tourney.permissions import managed_tournament, may

METHODS = ["GET", "HEAD", "POST"]


def _pages(tournament: Tournament, active: str) -> list[dict[str, Any]]:
    slug = [tournament.slug]
    pages = [{"key": "sanctions", "label": _("Incidents and sanctions"), "url": reverse("manage_sanctions", args=slug)}]
    if rules_of(tournament).appeals.committee:
        open_appeals = Appeal.objects.filter(entry__tournament=tournament, state=Appeal.State.FILED).count()
        pages += [
            {
                "key": "appeals",
                "label": _("Appeals"),
                "url": reverse("manage_appeals", args=slug),
                "count": open_appeals or "",
                "tone": "need" if open_appeals else "",
            },
            {"key": "committee", "label": _("Appeals committee"), "url": reverse("manage_committee", args=slug)},
        ]
    return [{**page, "active": page["key"] == active} for page in pages]


def _writer(request: HttpRequest, tournament: Tournament) -> None:
    if not may(request, tournament, "arbitrate"):
        raise PermissionDenied


def _page(request: HttpRequest, tournament: Tournament, template: str, active: str, **more: Any) -> HttpResponse:
    """Return a page of the book; a form that came back with the request was refused."""
    form = more.get("form")
    status = more.pop("status", 422 if form is not None and form.is_bound else 200)
    context = manage_context(request, tournament, active="report", sub_nav=_pages(tournament, active), **more)
    return render(request, f"registration/conduct_{template}.html", context, status=status)


@never_cache
@require_http_methods(METHODS)
def sanctions(request: HttpRequest, slug: str) -> HttpResponse:
    """Every sanction of the event, newest first, and the form for the next one."""
    tournament = managed_tournament(request, slug)
    form = SanctionForm(tournament=tournament, initial=_asked_for(request, tournament))
    if request.method == "POST":
        _writer(request, tournament)
        if "revoke" in request.POST:
            return _revoke(request, tournament)
        form = SanctionForm(request.POST, tournament=tournament)
        if form.is_valid():
            data = form.cleaned_data
            effects = _effects_not_seen(form)
            if effects:
                return _page(
                    request, tournament, "sanction_effects", "sanctions", form=form, effects=effects, status=200
                )
            try:
                written = services.impose_sanction(
                    data["entry"],
                    kind=data["kind"],
                    reason=data["reason"],
                    game=data["found_game"],
                    actor=request.user,
                )
            except TourneyError as error:
                form.add_error(None, sentence(error))
            else:
                messages.success(request, _("It is in the book."))
                _count_illegal_moves(request, written)
                return redirect("manage_sanctions", slug=slug)
    found = (
        Sanction.objects.filter(entry__tournament=tournament, revokes=None)
        .select_related("entry__player", "entry__section__tournament", "game", "stage", "by", "revoked_by")
        .order_by("-at", "-pk")
    )
    return _page(
        request,
        tournament,
        "sanctions",
        "sanctions",
        form=form,
        found=list(found),
        may_write=may(request, tournament, "arbitrate"),
        clause=rules_of(tournament).sanctions.clause,
    )


def _count_illegal_moves(request: HttpRequest, written: Sanction) -> None:
    """Say how many illegal moves a player has made in this game, and when the game is lost by them."""
    number = services.illegal_moves(written) if written.kind == Sanction.Kind.ILLEGAL_MOVE else 0
    if not number:
        return
    words = ngettext(
        "%(name)s: %(n)d illegal move in this game.", "%(name)s: %(n)d illegal moves in this game.", number
    )
    words %= {"name": written.entry.player.name, "n": number}
    loses = _("The second one loses the game (Laws of Chess 7.5.5): write the loss if it is so here.")
    messages.warning(request, f"{words} {loses}" if number >= ILLEGAL_MOVES_LOSE else words)


def _effects_not_seen(form: SanctionForm) -> list[str]:
    """Return what the sanction would do to play, unless that is what the form has been sent with."""
    data = form.cleaned_data
    try:
        effects = panels.collect("sanction_effects", data["entry"], data["kind"], data["found_game"])
    except TourneyError:
        return []  # refused when it is imposed, with the same words
    token = hashlib.sha256("\n".join(map(str, effects)).encode()).hexdigest() if effects else ""
    if token == data["seen"]:
        return []
    form.data = form.data.copy()
    form.data["seen"] = token
    return effects


def _asked_for(request: HttpRequest, tournament: Tournament) -> dict[str, Any]:
    """Return what a link from another page says about the sanction to write: the player, the game."""
    initial: dict[str, Any] = {"entry": request.GET.get("entry")}
    number = request.GET.get("game", "")
    if number.isdecimal() and len(number) < 18:
        game = Game.objects.filter(pk=int(number), stage__section__tournament=tournament).first()
        if game is not None:
            initial |= {"game": name_of(game), "kind": Sanction.Kind.WARNING}
            moves = ((game.ply_count or 0) + 1) // 2
            if moves and game.outcome == ResultCode.DRAW:
                initial["reason"] = _("Draw at move %(moves)s") % {"moves": moves}
    return initial


def _revoke(request: HttpRequest, tournament: Tournament) -> HttpResponse:
    form = RevokeForm(request.POST)
    if not form.is_valid():
        messages.error(request, _("Say why it is taken back."))
        return redirect("manage_sanctions", slug=tournament.slug)
    sanction = get_object_or_404(Sanction, pk=form.cleaned_data["sanction"], entry__tournament=tournament)
    try:
        services.revoke_sanction(sanction, reason=form.cleaned_data["reason"], actor=request.user)
    except TourneyError as error:
        messages.error(request, sentence(error))
    return redirect("manage_sanctions", slug=tournament.slug)


@never_cache
@require_http_methods(METHODS)
def appeals(request: HttpRequest, slug: str) -> HttpResponse:
    """Appeals with their deadlines, and the form that takes one in."""
    tournament = managed_tournament(request, slug)
    rules = rules_of(tournament).appeals
    options: dict[str, Any] = {
        "tournament": tournament,
        "rules": rules,
        "deposit": money_text(rules.deposit),
    }
    form = AppealForm(**options)
    if request.method == "POST":
        _writer(request, tournament)
        form = AppealForm(request.POST, **options)
        if form.is_valid() and _file(request, tournament, form):
            messages.success(request, _("The appeal is taken in."))
            return redirect("manage_appeals", slug=slug)
    found = Appeal.objects.filter(entry__tournament=tournament).select_related(
        "entry__player", "entry__section__tournament"
    )
    rows = [{"appeal": appeal, "subject": SUBJECTS.get(appeal.subject, appeal.subject)} for appeal in found]
    return _page(
        request,
        tournament,
        "appeals",
        "appeals",
        form=form,
        rows=rows,
        rules=rules,
        deposit=money_text(rules.deposit),
        may_write=may(request, tournament, "arbitrate"),
    )


def _file(request: HttpRequest, tournament: Tournament, form: AppealForm) -> bool:
    data = form.cleaned_data
    filed_at = None
    if data.get("filed_time"):
        today = timezone.localdate(timezone=tournament.zone)
        filed_at = datetime.combine(today, data["filed_time"], tournament.zone)
    try:
        services.file_appeal(
            data["entry"],
            place=data["place"],
            subject=data["subject"],
            text=data["text"],
            by=data["by"],
            filed_by=data["filed_by"],
            deposit_paid=bool(data.get("deposit_paid")),
            actor=request.user,
            filed_at=filed_at,
        )
    except TourneyError as error:
        field = AT_FIELD.get(error.code.rpartition(".")[2])
        form.add_error(field if field in form.fields else None, sentence(error))
        return False
    return True


AT_FIELD = {
    "pairing_not_appealable": "subject",
    "subject": "subject",
    "deposit": "deposit_paid",
    "late": "place",
    "no_such_round": "place",
    "round_not_over": "place",
    "in_the_future": "filed_time",
}


@never_cache
@require_http_methods(METHODS)
def appeal(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """One appeal: text, panel, decision."""
    tournament = managed_tournament(request, slug)
    found = get_object_or_404(
        Appeal.objects.select_related("entry__player", "entry__section__tournament", "entry__tournament"),
        pk=pk,
        entry__tournament=tournament,
    )
    form = DecisionForm()
    if request.method == "POST":
        _writer(request, tournament)
        form = DecisionForm(request.POST)
        if form.is_valid():
            try:
                services.decide_appeal(
                    found,
                    decision=form.cleaned_data["decision"],
                    text=form.cleaned_data["text"],
                    actor=request.user,
                )
            except TourneyError as error:
                if error.code == "appeal.decided_already":  # the form is gone from the page: say it above
                    messages.error(request, sentence(error))
                    return redirect("manage_appeal", slug=slug, pk=pk)
                form.add_error(None, sentence(error))
            else:
                return redirect("manage_appeal", slug=slug, pk=pk)
    problem, judges = "", list(found.panel.all())
    deposit = deposit_of(found)
    if found.state == Appeal.State.FILED:
        try:
            judges = services.panel_for(found)
        except TourneyError as error:
            problem = sentence(error)
    return _page(
        request,
        tournament,
        "appeal",
        "appeals",
        appeal=found,
        subject=SUBJECTS.get(found.subject, found.subject),
        decided=DECISIONS.get(found.state, ""),
        judges=judges,
        problem=problem,
        deposit=Money(deposit.minor, deposit.currency) if deposit else None,
        receipt=deposit.receipt_number if deposit and may(request, tournament, "money") else None,
        deposit_back=deposit is not None
        and hasattr(deposit, "reversed_by")
        and deposit.reversed_by.channel != LedgerLine.Channel.NONE,
        form=form,
        may_write=may(request, tournament, "arbitrate"),
    )


@never_cache
@require_http_methods(METHODS)
def committee(request: HttpRequest, slug: str) -> HttpResponse:
    """The committee: members, reserves, and whose cases each may not judge."""
    tournament = managed_tournament(request, slug)
    rules = rules_of(tournament).appeals
    form = MemberForm()
    if request.method == "POST":
        _writer(request, tournament)
        act = request.POST.get("act", "add")
        if act == "add":
            form = MemberForm(request.POST)
            if form.is_valid():
                try:
                    services.add_member(tournament, actor=request.user, **form.cleaned_data)
                except TourneyError as error:
                    form.add_error(None, sentence(error))
                else:
                    return redirect("manage_committee", slug=slug)
        else:
            _change_member(request, tournament, act)
            return redirect("manage_committee", slug=slug)
    members = list(tournament.committee.prefetch_related("related_entries__player"))
    rows = [
        {
            "member": member,
            "own": list(member.related_entries.all()),
            "form": OwnCasesForm(
                tournament=tournament,
                initial={"member": member.pk, "entries": [entry.pk for entry in member.related_entries.all()]},
                prefix=f"member{member.pk}",
            ),
        }
        for member in members
    ]
    return _page(
        request,
        tournament,
        "committee",
        "committee",
        form=form,
        rows=rows,
        rules=rules,
        missing=max(0, rules.main - sum(not member.reserve for member in members)),
        may_write=may(request, tournament, "arbitrate"),
    )


def _change_member(request: HttpRequest, tournament: Tournament, act: str) -> None:
    number = request.POST.get("number", "")
    member = get_object_or_404(tournament.committee, pk=int(number) if number.isdecimal() and len(number) < 18 else 0)
    if act == "remove":
        try:
            services.remove_member(member, actor=request.user)
        except TourneyError as error:
            messages.error(request, sentence(error))
        return
    form = OwnCasesForm(request.POST, tournament=tournament, prefix=f"member{member.pk}")
    if form.is_valid():
        services.set_own_cases(member, form.cleaned_data["entries"], actor=request.user)
        messages.success(request, _("Saved."))
    else:
        messages.error(request, _("Choose players of this event."))
