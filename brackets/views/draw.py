"""The draw page (K7.1): what is proved, how it is seeded, the commitment, the numbers, exchanges, confirmation."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.contrib import messages
from django.forms import Form
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from brackets import services
from brackets.cards import Cards
from brackets.engine.resolve import BYE
from brackets.engine.seeding import first_round_pairs
from brackets.forms import MethodForm, NumbersForm, OrderForm, ReasonForm, SwapForm
from brackets.labels import METHODS
from brackets.selectors import Table, load_table
from brackets.services import DrawPlan
from brackets.views.places import Place, frame, staff_place
from tourney.kernel.errors import TourneyError
from tourney.labels import sentence
from tourney.models import Entry, Stage
from tourney.start_lists import level_words

Answer = tuple[dict[str, Form], str]


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def draw(request: HttpRequest, slug: str, section: str) -> HttpResponse:
    """One page for the whole draw; what can be done now is its only primary button."""
    place = staff_place(request, slug, section, "arbitrate")
    forms: dict[str, Form] = {}
    status = 200
    if request.method == "POST":
        act = ACTS.get(request.POST.get("act", ""))
        if act is None:
            raise Http404
        try:
            forms, done = act(request, place[2])
        except TourneyError as refused:
            messages.error(request, sentence(refused))
            return redirect("manage_draw", slug=slug, section=place[1].code)
        if not forms:
            messages.success(request, done)
            return redirect("manage_draw", slug=slug, section=place[1].code)
        status = 422
    return render(request, "brackets/manage_draw.html", _page(request, place, forms), status=status)


def _page(request: HttpRequest, place: Place, forms: dict[str, Form]) -> dict[str, Any]:
    stage = place[2]
    lots = services.draw_lots(stage)
    committed = services.open_lot(lots)
    table = load_table(stage)
    method = str(table.bracket.params["method"]) if table is not None else services.committed_method(committed)
    plan = services.draw_plan(stage, method)
    context = frame(
        request,
        place,
        "draw",
        step="draw",
        plan=plan,
        method_words=METHODS[plan.method.value],
        lots=lots,
        committed=committed,
        drawn=table is not None and table.bracket.drawn_at is not None,
        proposed=table is not None and table.bracket.drawn_at is None,
        begun=stage.state not in (Stage.State.PLANNED, Stage.State.READY),
        over=stage.state in (Stage.State.FINISHED, Stage.State.CLOSED),
        numbers=forms.get("numbers") or NumbersForm(),
        method_form=forms.get("method") or MethodForm(own=plan.rules.seeding.method.value),
        swap=forms.get("swap") or SwapForm(),
        order=forms.get("order") or OrderForm(),
        drop=forms.get("drop") or ReasonForm(),
    )
    context |= _facts(plan)
    context["pots"], context["obstacle"] = _pots(plan, lots, table)
    if table is not None:
        context |= _result(table, plan)
    return context


def _facts(plan: DrawPlan) -> dict[str, Any]:
    """Return what is certain about the bracket for this number of players, or why there can be none."""
    try:
        proof, promise = plan.proof, plan.promise
    except TourneyError as refused:
        return {"impossible": sentence(refused)}
    return {"proof": proof, "promise": promise, "below": len(promise.seeds_below), "size": proof.size}


def _pots(plan: DrawPlan, lots: list[Any], table: Table | None) -> tuple[list[dict[str, Any]], str]:
    """Return the pots as lists of names: those committed or drawn, else those that would be."""
    committed = services.open_lot(lots)
    try:
        if committed is not None:
            pots = [[committed.entry_id(name) for name in pot] for pot in committed.manifest["pots"]]
        elif table is not None:
            pots = [list(pot) for pot in table.bracket.params["pots"]]
        else:
            pots = [[int(entry) for entry in pot] for pot in plan.seeding().pots] if plan.method != "manual" else []
    except TourneyError as refused:
        names = [plan.entries[pk].player.name for pk in refused.values.get("entries", []) if pk in plan.entries]
        return [], f"{sentence(refused)} {', '.join(names)}".strip()
    known = Entry.objects.filter(pk__in=[pk for pot in pots for pk in pot]).select_related("player")
    people = {entry.pk: entry for entry in known}
    fixed = all(len(pot) == 1 for pot in pots)
    if fixed:
        return ([{"title": _("Order of seeds"), "people": [people[pot[0]] for pot in pots]}] if pots else []), ""
    ranks = plan.rules.seeding.ranks if plan.method == "rank_pots" else ()
    words = level_words(plan.stage.section.tournament)
    return [
        {
            "title": _pot_title(plan, index, {people[pk].level for pk in pot}, words),
            "people": [people[pk] for pk in pot],
        }
        for index, pot in enumerate(pots)
        if pot or ranks
    ], ""


def _pot_title(plan: DrawPlan, index: int, levels: set[str], words: dict[str, str]) -> str:
    if plan.method == "rank_pots" and len(levels) == 1:
        level = levels.pop()
        return _("Pot %(number)s: %(level)s") % {"number": index + 1, "level": words.get(level, level)}
    return _("Pot %(number)s") % {"number": index + 1}


def _result(table: Table, plan: DrawPlan) -> dict[str, Any]:
    """Return the first round as drawn, what was exchanged, and whom clubs would move."""
    cards = Cards(table, staff=True)
    levels = level_words(table.stage.section.tournament)
    order = [entry if entry is not None else BYE for entry in table.state.seeds]
    pairs = [
        {
            "seeds": pair,
            "players": [
                _person(cards.people[one], levels) if isinstance(one := order[seed - 1], int) else None for seed in pair
            ],
        }
        for pair in first_round_pairs(table.spec.size)
    ]
    apart = services.apart_plan(table, plan)
    return {
        "pairs": pairs,
        "swaps": [row for row in table.standing_rows if row.kind in ("seeds_swapped", "replaced")],
        "clashes": [tuple(cards.name_of(entry) for entry in clash) for clash in apart.clashes],
        "can_part": len(apart.swaps),
        "clashes_left": len(apart.left),
        "lot": table.bracket.draw_lot,
    }


def _person(entry: Entry, levels: dict[str, str]) -> dict[str, str]:
    known = (str(entry.rating or ""), levels.get(entry.level, entry.level), entry.player.club)
    return {"name": entry.player.name, "about": " · ".join(text for text in known if text)}


# -- acts ------------------------------------------------------------------------------------------------------------


def _commit(request: HttpRequest, stage: Stage) -> Answer:
    own = services.draw_plan(stage).rules.seeding.method.value
    form = MethodForm(request.POST, own=own)
    if not form.is_valid():
        return {"method": form}, ""
    data = form.cleaned_data
    plan = services.draw_plan(stage, data["method"])
    try:
        if plan.method != "manual" and plan.seeding().needs_lot:
            lot = services.commit_draw(stage.pk, actor=request.user, method=data["method"], reason=data["reason"])
            return {}, _("Draw № %(number)s is committed: now the numbers.") % {"number": lot.number}
        services.seed_without_lot(stage.pk, actor=request.user, method=data["method"], reason=data["reason"])
    except TourneyError as refused:
        form.add_error("reason" if refused.code == "draw.method_needs_reason" else None, sentence(refused))
        return {"method": form}, ""
    return {}, _("Seeded. Look at it and confirm.")


def _reveal(request: HttpRequest, stage: Stage) -> Answer:
    form = NumbersForm(request.POST)
    if not form.is_valid():
        return {"numbers": form}, ""
    services.reveal_draw(stage.pk, numbers=form.numbers, actor=request.user)
    return {}, _("Drawn. Look at it and confirm.")


def _order(request: HttpRequest, stage: Stage) -> Answer:
    form = OrderForm(request.POST)
    if form.is_valid():
        numbers = {entry.start_number: entry.pk for entry in services.draw_plan(stage).entries.values()}
        order = form.cleaned_data["order"]
        unknown = [str(number) for number in order if number not in numbers]
        if unknown:
            form.add_error("order", _("No player has the start number %(numbers)s.") % {"numbers": ", ".join(unknown)})
            return {"order": form}, ""
        try:
            services.seed_without_lot(
                stage.pk,
                actor=request.user,
                method="manual",
                order=[numbers[number] for number in order],
                reason=form.cleaned_data["reason"],
            )
        except TourneyError as refused:
            form.add_error("order", sentence(refused))
        else:
            return {}, _("Seeded. Look at it and confirm.")
    return {"order": form}, ""


def _swap(request: HttpRequest, stage: Stage) -> Answer:
    form = SwapForm(request.POST)
    if form.is_valid():
        data = form.cleaned_data
        try:
            services.exchange_seeds(stage.pk, data["first"], data["second"], reason=data["reason"], actor=request.user)
        except TourneyError as refused:
            form.add_error(None, sentence(refused))
        else:
            return {}, _("Seeds %(first)s and %(second)s have changed places.") % data
    return {"swap": form}, ""


def _apart(request: HttpRequest, stage: Stage) -> Answer:
    services.separate_clubs(stage.pk, actor=request.user)
    return {}, _("Club-mates are apart in the first round, as far as possible.")


def _confirm(request: HttpRequest, stage: Stage) -> Answer:
    services.confirm_draw(stage.pk, actor=request.user)
    return {}, _("The draw is confirmed and public. Matches can be called.")


def _drop(request: HttpRequest, stage: Stage) -> Answer:
    form = ReasonForm(request.POST)
    if not form.is_valid():
        return {"drop": form}, ""
    services.drop_draw(stage.pk, reason=form.cleaned_data["reason"], actor=request.user)
    return {}, _("Dropped. The next draw has a new number; the old one stays in the list.")


ACTS: dict[str, Callable[[HttpRequest, Stage], Answer]] = {
    "commit": _commit,
    "reveal": _reveal,
    "order": _order,
    "swap": _swap,
    "apart": _apart,
    "confirm": _confirm,
    "drop": _drop,
}
