"""The day of an arbiter: boards, calls, who waits, the end; players who leave and come back; a stop of everything."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from uuid import uuid4

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from brackets import services
from brackets.cards import Cards
from brackets.day import (
    calls,
    ending,
    minutes_behind,
    planned,
    played_so_far,
    playing,
    prospects_of,
    slot_lines,
    waiting,
)
from brackets.forms import ReasonForm
from brackets.labels import matches_words, places_words
from brackets.models import MatchEvent
from brackets.selectors import Table, load_table
from brackets.services.acts import what_row_says
from brackets.tablet import conflict_values, held_values
from brackets.views.places import Place, frame, staff_place, staff_table, whole_number
from tourney.entries import uuid_of
from tourney.kernel.errors import TourneyError
from tourney.labels import sentence
from tourney.models import Stage
from tourney.permissions import may
from tourney.views.stopping import stop_values

SHOWN_CALLS = 12


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def bracket(request: HttpRequest, slug: str, section: str) -> HttpResponse:
    """Now playing by board, what can be called, who waits; each act is one or two taps away."""
    place = staff_place(request, slug, section, "enter_results")
    table = load_table(place[2])
    if table is None or table.bracket.drawn_at is None:
        if request.method == "POST":
            raise Http404
        return render(request, "brackets/manage_not_drawn.html", frame(request, place, "bracket"))
    if request.method == "POST":
        act = ACTS.get(request.POST.get("act", ""))
        if act is None:
            raise Http404
        try:
            messages.success(request, act(request, place[2]))
        except TourneyError as refused:
            messages.error(request, sentence(refused))
        return redirect("manage_bracket", slug=slug, section=place[1].code)
    return render(request, "brackets/manage_bracket.html", _page(request, place, table))


def _page(request: HttpRequest, place: Place, table: Table) -> dict[str, Any]:
    cards, now = Cards(table, staff=True), timezone.now()
    lines, ready = playing(cards, now), calls(cards, now)
    free = services.free_boards(table)
    played, all_matches = played_so_far(table.state)
    last = services.last_act(table)
    end, plan = ending(table), planned(table)
    starts = end.starts if end is not None else {}
    return frame(
        request,
        place,
        "bracket",
        bracket=table.bracket,
        conflicts=[conflict_values(one) for one in services.open_conflicts([table.stage])],
        held=[held_values(one) for one in services.held_operations(place[0])],
        now=now,
        lines=[{"line": line, "operation": uuid4()} for line in lines],
        ready=[{"one": one, "starts": starts.get(one.card.key)} for one in ready[:SHOWN_CALLS]],
        ready_more=len(ready) - SHOWN_CALLS,
        ready_count=len(ready),
        free=free,
        can_call=min(len(free), sum(1 for one in ready if not one.call.rest_left)),
        waiting=[{"one": one, "starts": starts.get(one.card.key)} for one in waiting(cards)],
        ending=end,
        behind=minutes_behind(end, plan),
        slots=slot_lines(table, end, plan),
        cut=table.cut_row,
        cut_url=reverse("manage_bracket_cut", args=cards.args),
        played=played,
        all_matches=all_matches,
        complete=table.state.is_complete,
        people=sorted(
            ((entry, cards.name_of(entry), entry in table.state.left) for entry in table.players),
            key=lambda one: one[1].casefold(),
        ),
        last=what_row_says(last[0]) if last else "",
        last_match=str(last[0].match or "") if last else "",
        undo_url=reverse("manage_bracket_undo", args=cards.args),
        stop=stop_values(request, place[0]),
        result_codes=("1-0", "1/2", "0-1"),
    )


def _call(request: HttpRequest, stage: Stage) -> str:
    """Call one match, or with `match` empty as many as boards are free, in the order of the list."""
    key = request.POST.get("match", "")
    if key:
        called = services.call_match(stage.pk, key, actor=request.user)
        return _("%(match)s: board %(board)s.") % {"match": called.key, "board": called.board}
    table = staff_table(stage)
    ready = [one for one in calls(Cards(table, staff=True), timezone.now()) if one.board and not one.call.rest_left]
    called_count = 0
    for one in ready:
        services.call_match(stage.pk, one.card.key, board=one.board, actor=request.user)
        called_count += 1
    if not called_count:
        raise TourneyError("match.no_free_board")
    return ngettext("%(n)d match called.", "%(n)d matches called.", called_count) % {"n": called_count}


def _decide(request: HttpRequest, stage: Stage) -> str:
    """Decide a game two devices disagree about."""
    services.resolve_conflict(
        stage.pk,
        whole_number(request.POST.get("conflict", "")) or 0,
        outcome=request.POST.get("outcome", ""),
        reason=request.POST.get("reason", "")[:500],
        actor=request.user,
    )
    return _("Decided; the match goes on.")


def _drop(request: HttpRequest, stage: Stage) -> str:
    """Put an entry aside that could not be taken."""
    operation = uuid_of(request.POST.get("operation"))
    if operation is None:
        raise Http404
    services.settle_held(stage.section.tournament, operation, actor=request.user)
    return _("Put aside; the log keeps it.")


ACTS: dict[str, Callable[[HttpRequest, Stage], str]] = {
    "call": _call,
    "decide": _decide,
    "drop": _drop,
}


# -- one player ------------------------------------------------------------------------------------------------------


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def player(request: HttpRequest, slug: str, section: str, pk: int) -> HttpResponse:
    """A player leaves, is removed or comes back; what follows is said first."""
    place = staff_place(request, slug, section, "enter_results")
    table = staff_table(place[2])
    if pk not in table.state.seeds:
        raise Http404
    form = ReasonForm(request.POST or None)
    status = 200
    if request.method == "POST":
        if not may(request, place[0], "arbitrate"):
            raise PermissionDenied
        act = PLAYER_ACTS.get(request.POST.get("act", ""))
        if act is None:
            raise Http404
        if form.is_valid():
            try:
                act[0](place[2].pk, pk, reason=form.cleaned_data["reason"], actor=request.user)
            except TourneyError as refused:
                form.add_error(None, sentence(refused))
            else:
                messages.success(request, str(act[1]) % {"name": Cards(table, staff=True).name_of(pk)})
                return redirect("manage_bracket", slug=slug, section=place[1].code)
        status = 422
    cards = Cards(table, staff=True)
    found = prospects_of(table, pk)
    here = table.state.match_of(found.player)
    return render(
        request,
        "brackets/manage_player.html",
        frame(
            request,
            place,
            "bracket",
            entry=cards.people[pk],
            name=cards.name_of(pk),
            left=pk in table.state.left,
            removed=table.state.left.get(found.player, False),
            found=found,
            places=places_words(found.places),
            card=cards.card(here.key) if here is not None else None,
            consequences=_consequences(table, pk),
            form=form,
            sanctions_url=reverse("manage_sanctions", args=[slug]),
            cards=[cards.card(view.key) for view in table.state.matches.values() if pk in (view.a, view.b)],
        ),
        status=status,
    )


PLAYER_ACTS: dict[str, tuple[Callable[..., None], Any]] = {
    "withdraw": (services.withdraw_player, gettext_lazy("%(name)s has left the event.")),
    "disqualify": (services.disqualify_player, gettext_lazy("%(name)s is removed from the event.")),
    "return": (services.return_player, gettext_lazy("%(name)s plays again.")),
}


def _consequences(table: Table, pk: int) -> list[str]:
    """Say what leaving would do."""
    found = prospects_of(table, pk)
    view = table.state.match_of(found.player)
    lines = []
    if view is not None and view.is_open:
        games = table.games_in_force(view.key)
        if games:
            lines.append(_("%(match)s is lost; its games stay in the records.") % {"match": view.key})
        else:
            lines.append(_("%(match)s is lost without play.") % {"match": view.key})
    if found.matches_left.most:
        lines.append(
            _("Every later match is lost without play, as soon as its opponent is known (at most %(matches)s).")
            % {"matches": matches_words(found.matches_left.most)}
        )
    lines.append(_("Matches already decided stand."))
    return lines


# -- taking back -----------------------------------------------------------------------------------------------------


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def undo(request: HttpRequest, slug: str, section: str) -> HttpResponse:
    """Take the last act back: of the bracket, or of one match (`?match=`)."""
    place = staff_place(request, slug, section, "enter_results")
    table = staff_table(place[2])
    key = request.POST.get("match", request.GET.get("match", ""))
    if key and key not in table.spec.by_key:
        raise Http404
    back = (
        reverse("manage_match", args=[slug, place[1].code, key])
        if key
        else reverse("manage_bracket", args=[slug, place[1].code])
    )
    form = ReasonForm(request.POST or None)
    rows = services.last_act(table, key)
    status = 200
    if request.method == "POST":
        if form.is_valid():
            try:
                services.undo(
                    place[2].pk,
                    match=key,
                    reason=form.cleaned_data["reason"],
                    actor=request.user,
                    seen=request.POST.get("seen", "") if key else "",
                )
            except TourneyError as refused:
                form.add_error(None, sentence(refused))
            else:
                messages.success(request, _("Taken back."))
                return redirect(back)
        status = 422
    cards = Cards(table, staff=True)
    return render(
        request,
        "brackets/manage_undo.html",
        frame(
            request,
            place,
            "bracket",
            rows=[
                {
                    "what": what_row_says(row),
                    "match": row.match or "",
                    "name": cards.name_of(row.entry) if row.entry is not None and row.entry in cards.people else "",
                    "at": row.at,
                }
                for row in rows
                if row.kind != MatchEvent.Kind.BOARD_LEFT
            ],
            key=key,
            seen=cards.card(key).seen if key else "",
            form=form,
            back_url=back,
        ),
        status=status,
    )
