"""The page of what shapes the pairing beside the rules: pairs kept apart, boards kept for somebody, virtual points."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from django.contrib import messages
from django.forms import Form
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from swiss import services
from swiss.engine.virtual import runs_of_rules
from swiss.forms import FixedBoardForm, ForbidForm, ReasonForm, VirtualPointsForm
from swiss.models import FixedBoard, ForbiddenPair
from swiss.selectors import entries_of
from swiss.views.places import Place, frame, staff_stage
from tourney.kernel.by_the_book import AskFirst
from tourney.kernel.errors import TourneyError
from tourney.kernel.points import format_points
from tourney.labels import sentence
from tourney.models import Entry, Stage
from tourney.views.asking import ask_first, knowing

People = dict[int, Entry]
Forms = dict[str, Any]
Answer = tuple[Forms, str]  # forms to show again, or what was done


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def forbidden(request: HttpRequest, slug: str, section: str) -> HttpResponse:
    """The lists, one line more, one line less."""
    place = staff_stage(request, slug, section)
    entries = entries_of(place[2])
    forms: Forms = {}
    if request.method == "POST":
        act = ACTS.get(request.POST.get("act", "forbid"))
        if act is None:
            raise Http404
        try:
            forms, done = act(request, place, entries)
        except AskFirst as question:
            return ask_first(request, question, partial(frame, request, place[0], place[1], "forbidden"), request.path)
        if not forms:
            messages.success(request, done)
            return redirect("manage_forbidden", slug=slug, section=place[1].code)
    return render(
        request,
        "swiss/manage_forbidden.html",
        frame(request, place[0], place[1], "forbidden", stage=place[2], **_page(place[2], entries, forms)),
        status=422 if forms else 200,
    )


def _page(stage: Stage, entries: People, forms: Forms) -> dict[str, Any]:
    runs = runs_of_rules(stage.rules)
    begun = stage.rounds.exists()
    text = "\n".join(
        f"{format_points(run.points)}  {run.first_round}-{run.last_round}  {run.first_number}-{run.last_number}"
        for run in runs
    )
    return {
        "form": ForbidForm(entries=entries.values()),
        "fix": FixedBoardForm(entries=entries.values(), auto_id="fix_%s"),
        "virtual": VirtualPointsForm(initial={"runs": text}, auto_id="virtual_%s"),
        "allow": ReasonForm(auto_id="allow_%s"),
        "open_pair": 0,
        "pairs": [
            {"pair": pair, "first": entries[pair.first_id], "second": entries[pair.second_id]}
            for pair in ForbiddenPair.objects.filter(stage=stage).order_by("pk")
            if pair.first_id in entries and pair.second_id in entries
        ],
        "fixed": [
            {"fixed": fixed, "entry": entries[fixed.entry_id]}
            for fixed in FixedBoard.objects.filter(stage=stage).order_by("board")
            if fixed.entry_id in entries
        ],
        "runs": [(format_points(run.points), run) for run in runs],
        "is_baku": stage.rules.get("acceleration") == "baku" and not runs,
        "begun": begun,
        "is_swiss": stage.kind == Stage.Kind.SWISS,
        **forms,
    }


def _tried(form: Form, act: Callable[[dict[str, Any]], object], name: str, done: str) -> Answer:
    """Do what a valid form says; a refusal comes back on the form."""
    if form.is_valid():
        try:
            act(form.cleaned_data)
        except AskFirst:
            raise
        except TourneyError as refused:
            form.add_error(None, sentence(refused))
        else:
            return {}, done
    return {name: form}, ""


def _forbid(request: HttpRequest, place: Place, entries: People) -> Answer:
    form = ForbidForm(request.POST, entries=entries.values())

    def act(data: dict[str, Any]) -> None:
        services.forbid_pair(
            place[2].pk,
            first_id=data["first"],
            second_id=data["second"],
            from_round=data["from_round"],
            to_round=data["to_round"],
            soft=data["soft"],
            actor=request.user,
            reason=data["reason"],
            knowing=knowing(request),
        )

    return _tried(form, act, "form", _("These two will not be paired."))


def _allow(request: HttpRequest, place: Place, entries: People) -> Answer:
    form = ReasonForm(request.POST, auto_id="allow_%s")
    pk = _number(request, "pair")
    if not ForbiddenPair.objects.filter(stage=place[2], pk=pk).exists():
        raise Http404
    if not form.is_valid():
        return {"allow": form, "open_pair": pk}, ""
    services.allow_pair(
        place[2].pk, pair_id=pk, actor=request.user, reason=form.cleaned_data["reason"], knowing=knowing(request)
    )
    return {}, _("These two may meet again.")


def _fix(request: HttpRequest, place: Place, entries: People) -> Answer:
    form = FixedBoardForm(request.POST, entries=entries.values(), auto_id="fix_%s")

    def act(data: dict[str, Any]) -> None:
        services.fix_board(
            place[2].pk, entry_id=data["entry"], board=data["board"], actor=request.user, reason=data["reason"]
        )

    return _tried(form, act, "fix", _("The board is kept from the next pairing on."))


def _free(request: HttpRequest, place: Place, entries: People) -> Answer:
    pk = _number(request, "fixed")
    if not FixedBoard.objects.filter(stage=place[2], pk=pk).exists():
        raise Http404
    services.free_board(place[2].pk, fixed_id=pk, actor=request.user)
    return {}, _("The board is no longer kept.")


def _virtual(request: HttpRequest, place: Place, entries: People) -> Answer:
    form = VirtualPointsForm(request.POST, auto_id="virtual_%s")

    def act(data: dict[str, Any]) -> None:
        services.set_virtual_points(place[2].pk, runs=data["runs"], actor=request.user, reason=data["reason"])

    return _tried(form, act, "virtual", _("The virtual points are saved."))


def _number(request: HttpRequest, name: str) -> int:
    text = request.POST.get(name, "")
    return int(text) if text.isdecimal() and len(text) < 18 else 0


ACTS: dict[str, Callable[[HttpRequest, Place, People], Answer]] = {
    "forbid": _forbid,
    "allow": _allow,
    "fix": _fix,
    "free": _free,
    "virtual": _virtual,
}
