"""The tablet of one match: what is asked for now in the middle, the unusual in a drawer, corrections with a plan."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from urllib.parse import urlencode
from uuid import UUID, uuid4

from django.contrib import messages
from django.contrib.auth import get_user_model
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from brackets import services
from brackets.cards import Cards, title_of
from brackets.correction_page import legend, preview
from brackets.engine.match_format import Armageddon, GamesPhase
from brackets.engine.match_play import MatchState
from brackets.forms import ReasonForm, VideoForm
from brackets.labels import EFFECTS
from brackets.match_page import history_of, match_values
from brackets.selectors import Table
from brackets.services import Change, ChangePlan
from brackets.services.projecting import clock_text, score_json
from brackets.views.places import Place, frame, staff_place, staff_table, whole_number
from tourney.formatting import result_text
from tourney.kernel.errors import TourneyError
from tourney.kernel.ids import MatchKey
from tourney.kernel.points import format_points
from tourney.labels import sentence
from tourney.models import Stage
from tourney.permissions import may

CORRECTABLE = ("1-0", "1/2", "0-1", "+-", "-+", "--", "0-0")


def _found(request: HttpRequest, slug: str, code: str, key: str) -> tuple[Place, Table]:
    place = staff_place(request, slug, code, "enter_results")
    table = staff_table(place[2])
    if key not in table.spec.by_key:
        raise Http404
    return place, table


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def match(request: HttpRequest, slug: str, section: str, key: str) -> HttpResponse:
    """Colour, lot, game, walkover, decision: each a plain form that works without scripts."""
    place, table = _found(request, slug, section, key)
    refusal = ""
    act = request.POST.get("act", "")
    if request.method == "POST":
        known = ACTS.get(act)
        if known is None:
            raise Http404
        need, run = known
        if not may(request, place[0], need):
            raise PermissionDenied
        try:
            done = run(request, place[2], key)
        except TourneyError as refused:
            refusal = sentence(refused)
            table = staff_table(place[2])
        else:
            if done:
                messages.success(request, done)
            if request.POST.get("back") == "day":
                return redirect("manage_bracket", slug=slug, section=place[1].code)
            return redirect("manage_match", slug=slug, section=place[1].code, key=key)
        if request.POST.get("back") == "day":
            messages.error(request, refusal)
            return redirect("manage_bracket", slug=slug, section=place[1].code)
    return render(
        request,
        "brackets/manage_match.html",
        _page(request, place, table, key, refusal, act),
        status=422 if refusal else 200,
    )


def _page(request: HttpRequest, place: Place, table: Table, key: str, refusal: str, act: str) -> dict[str, Any]:
    cards = Cards(table, staff=True)
    values = match_values(cards, key)
    card = values["card"]
    state = table.match_state(key) if values["known"] else None
    late = services.late_at(table, MatchKey(key))
    history = history_of(cards, key)
    users = get_user_model().objects.in_bulk({line.who for line in history if line.who})
    taken_back = _("taken back")
    return frame(
        request,
        place,
        "bracket",
        title=title_of(table, key),
        refusal=refusal,
        refused_act=act if refusal else "",
        typed=request.POST if refusal else {},
        operation=uuid4(),
        free=services.free_boards(table),
        late_at=late,
        is_late=late is not None and late <= timezone.now(),
        phases=_phases(state),
        white=card.awaits.get("white", ""),
        correctable=CORRECTABLE,
        can_undo=bool(services.last_act(table, key)),
        can_correct=state is not None and (bool(values["games"]) or not card.view.is_open),
        automatic=card.view.how is not None and not card.view.how.is_recorded,
        ended_by_word=card.match.how in ("no_show", "both_absent", "left", "decision"),
        other="b" if card.match.winner_side == "a" else "a",
        video=VideoForm(initial={"video_url": card.match.video_url, "featured": card.match.featured}),
        history=[
            {
                "at": line.at,
                "who": users[line.who].get_username() if line.who in users else "",
                "what": f"{line.what} ({taken_back})" if line.undone else line.what,
                "why": line.why,
            }
            for line in history
        ],
        undo_url=f"{reverse('manage_bracket_undo', args=cards.args)}?{urlencode({'match': key})}",
        correct_url=reverse("manage_match_correct", args=[*cards.args, key]),
        sanctions_url=reverse("manage_sanctions", args=[cards.args[0]]),
        **values,
    )


def _phases(state: MatchState | None) -> list[dict[str, Any]]:
    """Return the phases of the match, the one that is on marked."""
    if state is None:
        return []
    found = []
    for index, phase in enumerate(state.rules.phases):
        match phase:
            case GamesPhase(games=games, clock=clock):
                words = f"{games} × {clock}"
            case Armageddon(white_clock=white, black_clock=black):
                words = " ".join((_("Armageddon"), clock_text(white, black)))
            case _:
                words = str(phase.clock)
        found.append({"words": words, "on": index == state.phase})
    return found


# -- acts ------------------------------------------------------------------------------------------------------------


def operation_of(request: HttpRequest) -> UUID | None:
    """Return the number of a form's act: the same form sent twice counts once."""
    text = request.POST.get("operation", "")
    try:
        return UUID(text) if text else None
    except ValueError:
        return None


def _common(request: HttpRequest) -> dict[str, Any]:
    return {"actor": request.user, "operation": operation_of(request), "seen": request.POST.get("seen", "")}


def _side(request: HttpRequest, name: str) -> str:
    side = request.POST.get(name, "")
    return side if side in ("a", "b") else ""


def _call(request: HttpRequest, stage: Stage, key: str) -> str:
    board = whole_number(request.POST.get("board", ""))
    called = services.call_match(stage.pk, key, board=board, **_common(request))
    return _("%(match)s: board %(board)s.") % {"match": key, "board": called.board}


def _return_call(request: HttpRequest, stage: Stage, key: str) -> str:
    services.return_call(
        stage.pk, key, actor=request.user, reason=request.POST.get("reason", ""), seen=request.POST.get("seen", "")
    )
    return _("The call is taken back.")


def _color(request: HttpRequest, stage: Stage, key: str) -> str:
    services.choose_color(stage.pk, key, color=request.POST.get("color", ""), **_common(request))
    return ""


def _lot(request: HttpRequest, stage: Stage, key: str) -> str:
    winner = _side(request, "winner")
    method = request.POST.get("method", "")
    services.draw_color_lot(stage.pk, key, winner=winner, method=method, **_common(request))
    return _("The lot is drawn.")


def _game(request: HttpRequest, stage: Stage, key: str) -> str:
    number = whole_number(request.POST.get("number", "")) or 0
    outcome = request.POST.get("outcome", "")
    after = services.enter_game_result(stage.pk, key, number=number, outcome=outcome, **_common(request))
    words = _("%(match)s, game %(number)s: %(result)s.") % {
        "match": key,
        "number": number,
        "result": result_text(outcome),
    }
    over = _("The match is over.")
    return f"{words} {over}" if after.is_done else words


def _walkover(request: HttpRequest, stage: Stage, key: str) -> str:
    absent, reason = request.POST.get("absent", ""), request.POST.get("reason", "").strip()
    early = request.POST.get("early") == "1"
    reason = reason or ("" if early else _("did not come"))
    if absent == "both":
        services.double_no_show(
            stage.pk, key, reason=reason, winner=_side(request, "winner"), early=early, **_common(request)
        )
    else:
        services.walkover(
            stage.pk, key, absent=_side(request, "absent"), reason=reason, early=early, **_common(request)
        )
    return _("Entered: the match is decided without play.")


def _decide(request: HttpRequest, stage: Stage, key: str) -> str:
    services.decide(
        stage.pk,
        key,
        winner=_side(request, "winner"),
        reason=request.POST.get("reason", ""),
        sanction=request.POST.get("sanction") == "1",
        **_common(request),
    )
    return _("Decided.")


def _dispute(request: HttpRequest, stage: Stage, key: str) -> str:
    services.dispute(
        stage.pk, key, reason=request.POST.get("reason", ""), actor=request.user, seen=request.POST.get("seen", "")
    )
    return _("The match waits for the arbiter's decision.")


def _settle(request: HttpRequest, stage: Stage, key: str) -> str:
    services.settle_dispute(
        stage.pk, key, reason=request.POST.get("reason", ""), actor=request.user, seen=request.POST.get("seen", "")
    )
    return _("The match goes on.")


def _video(request: HttpRequest, stage: Stage, key: str) -> str:
    form = VideoForm(request.POST)
    if not form.is_valid():
        raise TourneyError("match.bad_address")
    services.show_match(
        stage.pk,
        key,
        video_url=form.cleaned_data["video_url"],
        featured=form.cleaned_data["featured"],
        actor=request.user,
    )
    return _("Saved.")


ACTS: dict[str, tuple[str, Callable[[HttpRequest, Stage, str], str]]] = {
    "call": ("enter_results", _call),
    "return_call": ("enter_results", _return_call),
    "color": ("enter_results", _color),
    "lot": ("enter_results", _lot),
    "game": ("enter_results", _game),
    "walkover": ("enter_results", _walkover),
    "dispute": ("enter_results", _dispute),
    "settle": ("arbitrate", _settle),
    "decide": ("arbitrate", _decide),
    "video": ("enter_results", _video),
}


# -- corrections -----------------------------------------------------------------------------------------------------


def _change(values: Any, key: str) -> Change:
    """Return the change an address or a form describes."""
    winner = values.get("winner", "")
    return Change(
        key,
        number=whole_number(values.get("number", "")) or 0,
        outcome=values.get("outcome", ""),
        reopen=values.get("reopen") == "1",
        winner=winner if winner in ("a", "b") else "",
    )


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def correct(request: HttpRequest, slug: str, section: str, key: str) -> HttpResponse:
    """Another result for a match: first what it would do, on the tree's own matches; then the reason and the choice."""
    place, table = _found(request, slug, section, key)
    back = reverse("manage_match", args=[slug, place[1].code, key])
    values = request.POST if request.method == "POST" else request.GET
    change = _change(values, key)
    needs_chief = bool(change.winner)
    try:
        plan = services.plan_change(table, change)
    except TourneyError as refused:
        messages.error(request, sentence(refused))
        return redirect(back)
    if needs_chief and not may(request, place[0], "arbitrate"):
        raise PermissionDenied
    form = ReasonForm(request.POST if request.method == "POST" else None)
    status = 200
    if request.method == "POST":
        if plan.plan is not None and plan.plan.needs_choice and not may(request, place[0], "arbitrate"):
            raise PermissionDenied
        if form.is_valid():
            try:
                services.correct_result(
                    place[2].pk,
                    change,
                    reason=form.cleaned_data["reason"],
                    choice=request.POST.get("choice", services.CASCADE),
                    token=request.POST.get("token", ""),
                    actor=request.user,
                    operation=operation_of(request),
                    seen=request.POST.get("seen", ""),
                )
            except TourneyError as refused:
                form.add_error(None, sentence(refused))
            else:
                messages.success(request, _("Corrected."))
                return redirect(back)
        status = 422
        table = staff_table(place[2])
    cards = Cards(table, staff=True)
    card = cards.card(key)
    return render(
        request,
        "brackets/manage_correct.html",
        frame(
            request,
            place,
            "bracket",
            title=title_of(table, key),
            card=card,
            change=change,
            what=_what(cards, card, change),
            form=form,
            plan=plan.plan,
            token=plan.token,
            operation=uuid4(),
            effect=EFFECTS[plan.plan.effect.value] if plan.plan is not None else "",
            winner_name=cards.name_of(plan.plan.winner) if plan.plan is not None and plan.plan.winner else "",
            reopens=plan.plan is not None and plan.plan.winner is None,
            preview=preview(cards, plan.plan, _score(plan)) if plan.plan is not None else None,
            legend=legend(),
            back_url=back,
            may_choose=may(request, place[0], "arbitrate"),
        ),
        status=status,
    )


def _score(plan: ChangePlan) -> tuple[str, str]:
    """Return the score of the corrected match by side, phase by phase."""
    phases = score_json(plan.after).get("phases", []) if not plan.change.winner else []
    a, b = (" ".join(format_points(phase[side]) for phase in phases) for side in ("a", "b"))
    return a, b


def _what(cards: Cards, card: Any, change: Change) -> str:
    if change.winner:
        return _("The match is awarded to %(name)s.") % {"name": card.side(change.winner).name}
    if change.reopen:
        return _("The walkover or decision is taken back; the match goes on where it stood.")
    return _("Game %(number)s: %(result)s") % {"number": change.number, "result": result_text(change.outcome)}
