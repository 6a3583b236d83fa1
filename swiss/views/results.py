"""Entering results: rows for thumbs and for keyboards, one request a result, a plain form without scripts.

A result that somebody else has changed meanwhile is never overwritten: the row says who entered what. Another result
for a board that has one asks for a reason. A draw asks for its move number where the regulation forbids early offers
(M7.6).
"""

from __future__ import annotations

from typing import Any
from urllib.parse import urlencode
from uuid import UUID, uuid4

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import pgettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from swiss import boards as board_values
from swiss.forms import MovesForm
from swiss.models import Pairing, Round
from swiss.selectors import PUBLIC_STATES
from swiss.services import enter_result
from swiss.views.places import Place, frame, staff_round
from tourney.formatting import result_text
from tourney.kernel.errors import TourneyError
from tourney.labels import sentence
from tourney.models import Stage

SHOWS = ("missing", "all", "changed")


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def results(request: HttpRequest, slug: str, section: str, number: int) -> HttpResponse:
    """The boards of a round with their buttons; a POST enters one result."""
    place, round_ = staff_round(request, slug, section, number, "enter_results")
    if round_.state not in PUBLIC_STATES:
        if request.method == "POST":
            raise Http404
        return redirect("manage_round", slug=slug, section=section, number=number)
    if request.method == "POST":
        return _enter(request, place, round_)
    return render(request, "swiss/manage_results.html", _page(request, place, round_, {}))


def _page(request: HttpRequest, place: Place, round_: Round, answers: dict[int, dict[str, Any]]) -> dict[str, Any]:
    """Return the context of the whole page; `answers` holds what a refused row says, by pairing."""
    tournament, section, stage = place
    counts = board_values.counts_of(round_)
    show = request.GET.get("show", "")
    if show not in SHOWS:
        show = "missing" if counts["missing"] else "all"
    rows = []
    for board in board_values.boards_of(round_, stage, staff=True):
        if board.black is None:
            continue
        wanted = (
            show == "all"
            or (show == "missing" and board.open)
            or (show == "changed" and board.state == "corrected")
            or board.pairing.pk in answers
        )
        if wanted:
            rows.append(_row(board, stage, answers.get(board.pairing.pk, {})))
    context = frame(
        request,
        tournament,
        section,
        "results",
        round=round_,
        stage=stage,
        rows=rows,
        counts=counts,
        show=show,
        filters=_filters(counts, show),
        action=_address(place, round_, show),
        lateness_url=reverse("manage_lateness", args=[tournament.slug, section.code, round_.number]),
        round_url=reverse("manage_round", args=[tournament.slug, section.code, round_.number]),
    )
    context["sub_nav"] = []  # the boards are what this page is for
    return context


def _filters(counts: dict[str, int], show: str) -> list[dict[str, Any]]:
    labels = {
        "missing": pgettext("results", "Missing"),
        "all": pgettext("results", "All"),
        "changed": pgettext("results", "Changed"),
    }
    return [
        {
            "label": labels[key],
            "count": counts[key],
            "url": f"?{urlencode({'show': key})}",
            "active": key == show,
            "tone": "need" if key == "missing" and counts[key] else "",
        }
        for key in SHOWS
    ]


def _address(place: Place, round_: Round, show: str) -> str:
    address = reverse("manage_results", args=[place[0].slug, place[1].code, round_.number])
    return f"{address}?{urlencode({'show': show})}" if show else address


def _row(board: board_values.Board, stage: Stage, answer: dict[str, Any]) -> dict[str, Any]:
    return {
        "board": board,
        "operation": uuid4(),
        "asks_moves": board_values.asks_moves(stage, board),
        "open_drawer": bool(board.result) and board.result not in ("1-0", "1/2", "0-1"),
        **answer,
    }


def _enter(request: HttpRequest, place: Place, round_: Round) -> HttpResponse:
    _tournament, _section, stage = place
    pairing = _pairing(request, round_)
    outcome = request.POST.get("outcome", "")
    moves_form = MovesForm(request.POST)
    answer: dict[str, Any] = {}
    if not moves_form.is_valid():
        answer = {"refusal": _("A number of moves is a whole number from 1 to 400."), "moves": request.POST["moves"]}
    else:
        try:
            enter_result(
                stage_id=stage.pk,
                game_id=pairing.game_id or 0,
                outcome=outcome,
                actor=request.user,
                base_version=_whole(request.POST.get("version")),
                operation=_operation(request.POST.get("operation")),
                reason=request.POST.get("reason", ""),
                moves=moves_form.cleaned_data["moves"],
            )
        except TourneyError as refused:
            answer = _refusal(refused, outcome, request.POST.get("reason", ""))
        else:
            answer = {"saved": True}
    show = request.GET.get("show", "")
    if request.headers.get("HX-Request"):
        (board,) = board_values.boards_of(round_, stage, staff=True, only=pairing.pk)
        context = {
            "row": _row(board, stage, answer),
            "action": _address(place, round_, show),
            "filters": _filters(board_values.counts_of(round_), show),
            "swap": True,
        }
        return render(request, "swiss/_entry_answer.html", context)
    if "saved" in answer:
        messages.success(request, _("Board %(board)s: saved.") % {"board": pairing.board})
        return redirect(f"{_address(place, round_, show)}#b{pairing.board}")
    round_.refresh_from_db()
    context = _page(request, place, round_, {pairing.pk: answer})
    return render(request, "swiss/manage_results.html", context, status=422)


def _refusal(refused: TourneyError, outcome: str, reason: str) -> dict[str, Any]:
    """Return what a refused row shows: the question why, or what somebody else has entered."""
    values = dict(refused.values)
    if "result" in values:
        values["result"] = result_text(str(values["result"])) or _("no result")
    if refused.code == "result.changed_meanwhile":
        values["by"] = values.get("by") or _("somebody")
    words = sentence(TourneyError(refused.code, **values))
    if refused.code == "result.correction_needs_reason":
        return {"question": words, "wanted": outcome, "reason": reason}
    return {"refusal": words, "conflict": refused.code == "result.changed_meanwhile"}


def _pairing(request: HttpRequest, round_: Round) -> Pairing:
    game = _whole(request.POST.get("game"))
    pairing = Pairing.objects.filter(round=round_, game_id=game).first() if game else None
    if pairing is None:
        raise Http404
    return pairing


def _whole(text: str | None) -> int | None:
    return int(text) if text and text.isdecimal() and len(text) < 18 else None


def _operation(text: str | None) -> UUID | None:
    try:
        return UUID(text or "")
    except ValueError:
        return None
