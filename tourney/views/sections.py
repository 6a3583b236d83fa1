"""The draw step: groups, merges, the close of entries, start numbers, late entries."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.forms import Form
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_http_methods, require_safe

from tourney import panels
from tourney.kernel.by_the_book import AskFirst
from tourney.kernel.errors import TourneyError
from tourney.labels import sentence
from tourney.models import Entry, Section, Stage, Tournament
from tourney.navigation import manage_context
from tourney.permissions import managed_tournament, may, section_of
from tourney.section_plans import SectionPlan, section_plans
from tourney.selectors import current_spec, playing_entries
from tourney.services import sections as acts
from tourney.services.stages import close_entries, reopen_entries
from tourney.staff_forms import BoardForm, ExchangeForm, OverrideForm, ReasonForm, RoundsForm
from tourney.start_lists import level_words, start_lists
from tourney.views.asking import ask_first, knowing


@require_safe
def sections(request: HttpRequest, slug: str) -> HttpResponse:
    """All groups: head-counts, the system the regulation proposes, what is odd, what is closed."""
    tournament = managed_tournament(request, slug)
    plans = section_plans(tournament, current_spec(tournament))
    return render(
        request,
        "tourney/manage_sections.html",
        manage_context(request, tournament, active="draw", plans=plans, total=sum(p.counts["playing"] for p in plans)),
    )


@require_http_methods(["GET", "HEAD", "POST"])
def section(request: HttpRequest, slug: str, section: str) -> HttpResponse:
    """One group: what the close will do, the button, and afterwards the numbered start list."""
    tournament = managed_tournament(request, slug)
    one = section_of(tournament, section)
    forms: dict[str, Form] = {}
    status = 200
    if request.method == "POST":
        if not may(request, tournament, "arbitrate"):
            raise PermissionDenied
        act = ACTS.get(request.POST.get("act", ""))
        if act is None:
            raise Http404
        try:
            forms, done = act(request, tournament, one)
        except AskFirst as question:
            page = partial(manage_context, request, tournament, section=one, active="draw")
            return ask_first(request, question, page, request.path)
        except TourneyError as refused:
            messages.error(request, sentence(refused))
            return redirect("manage_section", slug=slug, section=one.code)
        if not forms:
            messages.success(request, done)
            return redirect("manage_section", slug=slug, section=one.code)
        status = 422
    return render(request, "tourney/manage_section.html", _context(request, tournament, one, forms), status=status)


def _context(request: HttpRequest, tournament: Tournament, one: Section, forms: dict[str, Form]) -> dict[str, Any]:
    plans = section_plans(tournament, current_spec(tournament))
    plan = next(plan for plan in plans if plan.section.pk == one.pk)
    stage = plan.stages[0] if plan.stages else None
    entries = list(playing_entries(one))
    for entry in entries:
        entry.section.tournament = tournament
    started = stage is not None and stage.state not in (Stage.State.PLANNED, Stage.State.READY)
    return manage_context(
        request,
        tournament,
        section=one,
        active="draw",
        plan=plan,
        stage=stage,
        started=started,
        entries=[entry for entry in entries if entry.start_number is not None or stage is None],
        late=[entry for entry in entries if stage is not None and entry.start_number is None],
        waiting=[entry for listed in start_lists(one, "number") for entry in listed.waiting],
        absent=[entry for entry in entries if not entry.present],
        unrated=sum(1 for entry in entries if entry.rating is None),
        close_panels=panels.collect("close", one) if stage is None else [],
        override=forms.get("close") or OverrideForm(systems=_systems(plan)),
        exchange=forms.get("exchange") or ExchangeForm(),
        rounds=forms.get("rounds") or RoundsForm(initial={"rounds": stage.rounds_total if stage else None}),
        reopen=forms.get("reopen") or ReasonForm(),
        board=forms.get("board") or BoardForm(initial={"board": one.first_board}),
        by_lot=stage is not None and stage.kind == Stage.Kind.ROUND_ROBIN and not started,
        play_step="matches" if stage is not None and stage.kind == Stage.Kind.BRACKET else "rounds",
        is_swiss=stage is not None and stage.kind == Stage.Kind.SWISS,
        lots=tournament.lots.filter(purpose="start_numbers", subject=one.code).order_by("-number"),
        level_words=level_words(tournament),
    )


def _systems(plan: SectionPlan) -> list[tuple[str, Any]]:
    """Return the systems an arbiter may choose instead: the played-in-rounds ones, whatever the regulation says."""
    return [(kind.value, kind.label) for kind in (Stage.Kind.ROUND_ROBIN, Stage.Kind.SWISS)]


Answer = tuple[dict[str, Form], str]


def _close(request: HttpRequest, tournament: Tournament, one: Section) -> Answer:
    plan = next(p for p in section_plans(tournament, current_spec(tournament)) if p.section.pk == one.pk)
    form = OverrideForm(request.POST, systems=_systems(plan))
    if not form.is_valid():
        return {"close": form}, ""
    data = form.cleaned_data
    if (data["system"] or data["rounds"]) and not data["reason"].strip():
        form.add_error("reason", _("Say why the system or the number of rounds is changed."))
        return {"close": form}, ""
    try:
        stages = close_entries(
            one, actor=request.user, system=data["system"], rounds=data["rounds"], reason=data["reason"]
        )
    except TourneyError as refused:
        form.add_error(None, sentence(refused))
        return {"close": form}, ""
    players = plan.players
    return {}, ngettext("Closed: %(n)d player, %(system)s.", "Closed: %(n)d players, %(system)s.", players) % {
        "n": players,
        "system": stages[0].get_kind_display(),
    }


def _reopen(request: HttpRequest, tournament: Tournament, one: Section) -> Answer:
    form = ReasonForm(request.POST)
    if not form.is_valid():
        return {"reopen": form}, ""
    reopen_entries(one, actor=request.user, reason=form.cleaned_data["reason"])
    return {}, _("The start list is open again.")


def _merge(request: HttpRequest, tournament: Tournament, one: Section) -> Answer:
    host = section_of(tournament, request.POST.get("host", ""))
    acts.merge_sections(one, host, actor=request.user)
    return {}, _("Merged: this group plays with “%(host)s” and keeps its own placings.") % {"host": host.title_text}


def _unmerge(request: HttpRequest, tournament: Tournament, one: Section) -> Answer:
    acts.unmerge_section(one, actor=request.user)
    return {}, _("The group plays by itself again.")


def _stage(one: Section) -> Stage:
    stage = one.stages.order_by("ordinal").first()
    if stage is None:
        raise Http404
    return stage


def _exchange(request: HttpRequest, tournament: Tournament, one: Section) -> Answer:
    form = ExchangeForm(request.POST)
    if form.is_valid():
        data = form.cleaned_data
        try:
            acts.exchange_numbers(
                _stage(one),
                data["first"],
                data["second"],
                reason=data["reason"],
                actor=request.user,
                knowing=knowing(request),
            )
        except AskFirst:
            raise
        except TourneyError as refused:
            form.add_error(None, sentence(refused))
        else:
            return {}, _("Numbers %(first)s and %(second)s have changed places.") % data
    return {"exchange": form}, ""


def _lot(request: HttpRequest, tournament: Tournament, one: Section) -> Answer:
    lot = acts.number_by_lot(_stage(one), actor=request.user)
    return {}, _("Start numbers drawn by lot № %(number)s.") % {"number": lot.number}


def _late(request: HttpRequest, tournament: Tournament, one: Section) -> Answer:
    text = request.POST.get("entry", "")
    entry = Entry.objects.filter(
        tournament=tournament, pk=int(text) if text.isdecimal() and len(text) < 18 else 0
    ).first()
    if entry is None:
        raise Http404
    first = acts.admit_late(_stage(one), entry, actor=request.user)
    return {}, _("In the start list; can be paired from round %(round)s.") % {"round": first}


def _board(request: HttpRequest, tournament: Tournament, one: Section) -> Answer:
    form = BoardForm(request.POST)
    if not form.is_valid():
        return {"board": form}, ""
    acts.set_first_board(one, form.cleaned_data["board"], actor=request.user)
    return {}, _("The group's boards begin at %(board)s.") % form.cleaned_data


def _rounds(request: HttpRequest, tournament: Tournament, one: Section) -> Answer:
    form = RoundsForm(request.POST)
    if form.is_valid():
        data = form.cleaned_data
        try:
            acts.change_rounds(_stage(one), data["rounds"], reason=data["reason"], actor=request.user)
        except TourneyError as refused:
            form.add_error("rounds", sentence(refused))
        else:
            return {}, ngettext(
                "The group now plays %(n)d round.", "The group now plays %(n)d rounds.", data["rounds"]
            ) % {"n": data["rounds"]}
    return {"rounds": form}, ""


ACTS: dict[str, Callable[[HttpRequest, Tournament, Section], Answer]] = {
    "close": _close,
    "reopen": _reopen,
    "merge": _merge,
    "unmerge": _unmerge,
    "exchange": _exchange,
    "lot": _lot,
    "late": _late,
    "rounds": _rounds,
    "board": _board,
}
