"""Entering results at the desk: rows for thumbs and for keyboards, one request a result, a plain form without scripts.

A result that somebody else has changed meanwhile is never overwritten: the board becomes a conflict, first in this
list, and only a decision ends it. Another result for a board that has one asks for a reason. A draw asks for its move
number where the regulation forbids early offers (M7.6).
"""

from __future__ import annotations

from functools import partial
from typing import Any
from urllib.parse import urlencode
from uuid import UUID

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseNotModified
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from swiss import entry
from swiss.boards import PEOPLE, UNSAID
from swiss.models import Pairing, Round
from swiss.selectors import PUBLIC_STATES
from swiss.services import Claim, held_operations, note_verified, resolve_conflict, settle_held, submit
from swiss.views.places import Place, frame, staff_round
from tourney.kernel.by_the_book import AskFirst
from tourney.kernel.errors import TourneyError
from tourney.labels import sentence
from tourney.models import DeviceLink, Tournament
from tourney.views.asking import ask_first, knowing


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def results(request: HttpRequest, slug: str, section: str, number: int) -> HttpResponse:
    """The boards of a round with their buttons; a POST enters one result, or decides what waits for an arbiter."""
    place, round_ = staff_round(request, slug, section, number, "enter_results")
    if round_.state not in PUBLIC_STATES and "entered" not in request.POST:
        if request.method == "POST":
            raise Http404
        return redirect("manage_round", slug=slug, section=section, number=number)
    if request.method == "POST":
        act = request.POST.get("act", "")
        if act == "verified":
            return verified(request, place[0])
        return _decide(request, place, round_, act) if act else _enter(request, place, round_)
    if not request.headers.get("HX-Request"):
        return render(request, "swiss/manage_results.html", _page(request, place, round_, {}))
    etag = entry.stamp([place[2]], "")
    if request.headers.get("If-None-Match") == etag:
        answer: HttpResponse = HttpResponseNotModified()
    else:
        answer = render(request, "swiss/_entry_list.html", _page(request, place, round_, {}))
    answer["ETag"] = etag
    return answer


def _page(request: HttpRequest, place: Place, round_: Round, answers: dict[int, entry.Answer]) -> dict[str, Any]:
    """Return the context of the whole page; `answers` holds what a refused row says, by pairing."""
    tournament, section, stage = place
    rows = entry.rows_of(round_, stage, answers=answers)
    counts = entry.counts_of(rows)
    show = entry.chosen_filter(request, counts)
    entry.hide(rows, show)
    context = frame(
        request,
        tournament,
        section,
        "results",
        round=round_,
        stage=stage,
        blocks=[{"section": section, "round": round_, "rows": rows, "title": ""}],
        counts=counts,
        show=show,
        filters=entry.filters(counts, show),
        held=entry.held_rows(held_operations(tournament), tournament),
        action=_address(place, round_, show),
        lateness_url=reverse("manage_lateness", args=[tournament.slug, section.code, round_.number]),
        round_url=reverse("manage_round", args=[tournament.slug, section.code, round_.number]),
    )
    context["sub_nav"] = []  # the boards are what this page is for
    return context


def _address(place: Place, round_: Round, show: str) -> str:
    address = reverse("manage_results", args=[place[0].slug, place[1].code, round_.number])
    return f"{address}?{urlencode({'show': show})}" if show else address


def _enter(request: HttpRequest, place: Place, round_: Round) -> HttpResponse:
    tournament, _section, stage = place
    pairing = _pairing(request, round_)
    if pairing is None and "entered" not in request.POST:
        raise Http404
    claim: Claim | None = None
    try:
        claim = entry.read_claim(request)
        answer = entry.answer_of(submit(tournament, claim, actor=request.user))
    except TourneyError as refused:
        answer = entry.refusal_of(refused, claim) | {"moves": request.POST.get("moves", "")}
    show = request.GET.get("show", "")
    pairing = _pairing(request, round_)  # as it is now
    if request.headers.get("HX-Request"):
        rows = entry.rows_of(round_, stage, only=pairing, answers={pairing.pk: answer}) if pairing else []
        context = {"row": rows[0] if rows else None, "words": answer.get("refusal", ""), "action": request.path}
        given = render(request, "swiss/_entry_answer.html", context)
        given["X-Entry"] = str(answer["state"])
        return given
    if pairing is not None and "saved" in answer:
        messages.success(request, _("Board %(board)s: saved.") % {"board": pairing.board})
        return redirect(f"{_address(place, round_, show)}#b{pairing.board}")
    round_.refresh_from_db()
    context = _page(request, place, round_, {pairing.pk: answer} if pairing else {})
    return render(request, "swiss/manage_results.html", context, status=422)


def _pairing(request: HttpRequest, round_: Round) -> Pairing | None:
    game = entry.whole(request.POST.get("game"))
    found = Pairing.objects.filter(round=round_, game_id=game) if game else Pairing.objects.none()
    return found.select_related(*PEOPLE).defer(*UNSAID).first()


def verified(request: HttpRequest, tournament: Tournament, link: DeviceLink | None = None) -> HttpResponse:
    """Note that a second person has typed boards again; the script that sent it reads only that it arrived."""
    operation, games, differed = entry.read_verified(request)
    answer = HttpResponse(status=200)
    answer["X-Entry"] = "applied"
    try:
        note_verified(
            tournament, operation, games=games, differed=differed, actor=None if link else request.user, link=link
        )
    except TourneyError as refused:
        answer = HttpResponse(sentence(refused))
        answer["X-Entry"] = "refused"
    return answer


def _decide(request: HttpRequest, place: Place, round_: Round, act: str) -> HttpResponse:
    """Decide a conflict, or what happens to an entry that was kept."""
    tournament = place[0]
    reason = request.POST.get("reason", "")[:500]
    try:
        if act == "decide":
            wanted = entry.whole(request.POST.get("conflict")) or 0
            outcome = request.POST.get("outcome", "")
            resolve_conflict(
                tournament, wanted, outcome=outcome, actor=request.user, reason=reason, knowing=knowing(request)
            )
            messages.success(request, _("Board %(board)s is decided.") % {"board": request.POST.get("board", "")[:6]})
        elif act in ("take", "drop"):
            operation = _operation(request.POST.get("operation"))
            settle_held(
                tournament,
                operation,
                accept=act == "take",
                actor=request.user,
                reason=reason,
                knowing=knowing(request),
            )
            messages.success(request, _("Entered.") if act == "take" else _("Put aside; the log keeps it."))
        else:
            raise Http404
    except AskFirst as question:
        page = partial(frame, request, place[0], place[1], "results")
        return ask_first(request, question, page, _address(place, round_, request.GET.get("show", "")))
    except TourneyError as refused:
        values = entry.refusal_of(refused, None)
        messages.error(request, values.get("refusal") or sentence(refused))
    return redirect(_address(place, round_, request.GET.get("show", "")))


def _operation(text: str | None) -> UUID:
    try:
        return UUID(text or "")
    except ValueError as error:
        raise Http404 from error
