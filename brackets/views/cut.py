"""Cutting a bracket short (siren, power, a late evening): what falls away and who gets which place is shown first."""

from __future__ import annotations

from typing import Any
from uuid import uuid4

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from brackets import services
from brackets.cards import Cards
from brackets.engine.facts import CutScope
from brackets.engine.topology import Ties
from brackets.forms import ReasonForm
from brackets.labels import CUT_RULE, CUT_SCOPES, CUT_TIES, place_text
from brackets.selectors import Table
from brackets.views.match import operation_of
from brackets.views.places import frame, staff_place, staff_table
from tourney.kernel.errors import TourneyError
from tourney.labels import sentence
from tourney.models import Stage


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def cut(request: HttpRequest, slug: str, section: str) -> HttpResponse:
    """Choose what is left out, look at it, confirm with a reason; a bracket that was cut can be played on."""
    place = staff_place(request, slug, section, "arbitrate")
    form = ReasonForm(request.POST or None)
    status = 200
    if request.method == "POST":
        act = ACTS.get(request.POST.get("act", ""))
        if act is None:
            raise Http404
        if form.is_valid():
            try:
                done = act(request, place[2], form.cleaned_data["reason"])
            except TourneyError as refused:
                form.add_error(None, sentence(refused))
            else:
                messages.success(request, done)
                return redirect("manage_bracket", slug=slug, section=place[1].code)
        status = 422
    table = staff_table(place[2])
    values = request.POST if request.method == "POST" else request.GET
    return render(
        request,
        "brackets/manage_cut.html",
        frame(
            request,
            place,
            "bracket",
            form=form,
            operation=uuid4(),
            cut=table.cut_row,
            back_url=reverse("manage_bracket", args=[slug, place[1].code]),
            **_preview(table, values.get("scope", ""), values.get("ties", "")),
        ),
        status=status,
    )


def _preview(table: Table, scope: str, ties: str) -> dict[str, Any]:
    """Return the choices, and what the chosen ones would do."""
    scope, ties = scope or CutScope.PLACEMENT.value, ties or Ties.SHARED.value
    shown: dict[str, Any] = {
        "scope": scope,
        "ties": ties,
        "scopes": CUT_SCOPES.items(),
        "ties_choices": CUT_TIES.items(),
        "rule": CUT_RULE,
    }
    try:
        plan = services.cut_plan(table, scope=scope, ties=ties)
    except TourneyError as refused:
        return {**shown, "refusal": sentence(refused)}
    cards = Cards(table, staff=True)
    return {
        **shown,
        "plan": plan,
        "cards": [cards.card(key) for key in plan.matches],
        "begun": plan.begun,
        "places": [(place_text(places), cards.name_of(entry)) for places, entry in plan.places],
    }


def _cut(request: HttpRequest, stage: Stage, reason: str) -> str:
    services.cut_short(
        stage.pk,
        scope=request.POST.get("scope", ""),
        ties=request.POST.get("ties", ""),
        token=request.POST.get("token", ""),
        reason=reason,
        actor=request.user,
        operation=operation_of(request),
    )
    return _("The bracket is cut short; everybody sees the places.")


def _play_on(request: HttpRequest, stage: Stage, reason: str) -> str:
    services.play_on(stage.pk, reason=reason, actor=request.user, operation=operation_of(request))
    return _("Play goes on where it stood.")


ACTS = {"cut": _cut, "play_on": _play_on}
