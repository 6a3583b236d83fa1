"""Pages of the arbiter's book: sanctions, appeals, the committee. The chief arbiter writes, the staff reads."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from registration.conduct import services
from registration.conduct.forms import (
    DECISIONS,
    SUBJECTS,
    AppealForm,
    DecisionForm,
    MemberForm,
    OwnCasesForm,
    RevokeForm,
    SanctionForm,
)
from registration.regulations import rules_of
from tourney.formatting import money_text
from tourney.kernel.errors import TourneyError
from tourney.labels import sentence
from tourney.models import Appeal, Entry, Sanction, Stage, Tournament
from tourney.navigation import manage_context
from tourney.permissions import managed_tournament, may

METHODS = ["GET", "HEAD", "POST"]


def _pages(tournament: Tournament, active: str) -> list[dict[str, Any]]:
    slug = [tournament.slug]
    pages = [{"key": "sanctions", "label": _("Sanctions"), "url": reverse("manage_sanctions", args=slug)}]
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
    context = manage_context(request, tournament, active="report", sub_nav=_pages(tournament, active), **more)
    return render(request, f"registration/conduct_{template}.html", context)


@never_cache
@require_http_methods(METHODS)
def sanctions(request: HttpRequest, slug: str) -> HttpResponse:
    """Every sanction of the event, newest first, and the form for the next one."""
    tournament = managed_tournament(request, slug)
    form = SanctionForm(tournament=tournament, initial={"entry": request.GET.get("entry")})
    if request.method == "POST":
        _writer(request, tournament)
        if "revoke" in request.POST:
            return _revoke(request, tournament)
        form = SanctionForm(request.POST, tournament=tournament)
        if form.is_valid():
            data = form.cleaned_data
            try:
                services.impose_sanction(
                    data["entry"],
                    kind=data["kind"],
                    reason=data["reason"],
                    game=data["found_game"],
                    actor=request.user,
                )
            except TourneyError as error:
                form.add_error(None, sentence(error))
            else:
                messages.success(request, _("The sanction is in the book."))
                return redirect("manage_sanctions", slug=slug)
    found = (
        Sanction.objects.filter(entry__tournament=tournament, revokes=None)
        .select_related("entry__player", "entry__section", "game", "by", "revoked_by")
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


def _revoke(request: HttpRequest, tournament: Tournament) -> HttpResponse:
    form = RevokeForm(request.POST)
    if not form.is_valid():
        messages.error(request, _("Say why the warning is taken back."))
        return redirect("manage_sanctions", slug=tournament.slug)
    sanction = get_object_or_404(Sanction, pk=form.cleaned_data["sanction"], entry__tournament=tournament)
    try:
        services.revoke_warning(sanction, reason=form.cleaned_data["reason"], actor=request.user)
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
        if form.is_valid() and _file(request, form):
            messages.success(request, _("The appeal is taken in."))
            return redirect("manage_appeals", slug=slug)
    found = Appeal.objects.filter(entry__tournament=tournament).select_related("entry__player", "entry__section")
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


def _file(request: HttpRequest, form: AppealForm) -> bool:
    data = form.cleaned_data
    entry: Entry = data["entry"]
    host = entry.section.merged_into_id or entry.section_id
    stage = Stage.objects.filter(section=host, games__round_number=data["round_number"]).distinct().first()
    if stage is None:
        form.add_error("round_number", _("This player's group has no such round."))
        return False
    try:
        services.file_appeal(
            entry,
            stage=stage,
            round_number=data["round_number"],
            subject=data["subject"],
            text=data["text"],
            by=data["by"],
            filed_by=data["filed_by"],
            deposit_paid=bool(data.get("deposit_paid")),
            actor=request.user,
        )
    except TourneyError as error:
        at = {"pairing_not_appealable": "subject", "deposit": "deposit_paid", "late": "round_number"}
        field = at.get(error.code.rpartition(".")[2])
        form.add_error(field if field in form.fields else None, sentence(error))
        return False
    return True


@never_cache
@require_http_methods(METHODS)
def appeal(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """One appeal: text, panel, decision."""
    tournament = managed_tournament(request, slug)
    found = get_object_or_404(
        Appeal.objects.select_related("entry__player", "entry__section", "entry__tournament"),
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
                form.add_error(None, sentence(error))
            else:
                return redirect("manage_appeal", slug=slug, pk=pk)
    problem, judges = "", list(found.panel.all())
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
    member = get_object_or_404(tournament.committee, pk=int(number) if number.isdigit() else 0)
    if act == "remove":
        try:
            services.remove_member(member, actor=request.user)
        except TourneyError as error:
            messages.error(request, sentence(error))
        return
    form = OwnCasesForm(request.POST, tournament=tournament, prefix=f"member{member.pk}")
    if form.is_valid():
        member.related_entries.set(form.cleaned_data["entries"])
        messages.success(request, _("Saved."))
