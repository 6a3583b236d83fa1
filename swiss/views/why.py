"""Why this pair: public for published rounds, for the staff already in the draft."""

from __future__ import annotations

from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from swiss.boards import PEOPLE, boards_of
from swiss.models import Pairing, Round
from swiss.selectors import PUBLIC_STATES, entries_of
from swiss.views.places import frame, staff_round
from swiss.views.public import place_of
from swiss.why import Why
from tourney.models import Entry, Stage
from tourney.navigation import public_context
from tourney.shared_cache import shared


@shared()
@require_safe
def pair(request: HttpRequest, slug: str, section: str, number: int, key: str) -> HttpResponse:
    """Why a board, or somebody without an opponent, is as it is; `?of=&other=` asks about any other opponent."""
    tournament, one, stage = place_of(request, slug, section)
    round_ = stage.rounds.filter(number=number, state__in=PUBLIC_STATES).first() if stage else None
    if stage is None or round_ is None:
        raise Http404
    context = public_context(request, tournament, section=one, active="pairings")
    values = _values(request, round_, stage, key, staff=False)
    back = reverse("round", args=[slug, section, number])
    return render(request, "swiss/why.html", {**context, **values, "back_url": f"{back}#{values['anchor']}"})


@never_cache
@require_safe
def manage_pair(request: HttpRequest, slug: str, section: str, number: int, key: str) -> HttpResponse:
    """The same for the staff, with full names and for a draft too."""
    (tournament, one, stage), round_ = staff_round(request, slug, section, number, "staff")
    values = _values(request, round_, stage, key, staff=True)
    back = reverse("manage_round", args=[slug, one.code, number])
    context = frame(request, tournament, one, "round", stage=stage, back_url=f"{back}#{values['anchor']}", **values)
    return render(request, "swiss/manage_why.html", context)


def _values(request: HttpRequest, round_: Round, stage: Stage, key: str, *, staff: bool) -> dict[str, Any]:
    round_.stage = stage
    pairing = _pairing(round_, key)
    entries = entries_of(stage)
    why = Why(round_, stage, pairing, entries, _full_name if staff else _public_name)
    (board,) = boards_of(round_, stage, only=pairing)
    story = why.story()
    answer, of, other = None, request.GET.get("of", ""), request.GET.get("other", "")
    wrong = ""
    if other:
        asked = int(of) if of.isdecimal() and len(of) < 18 else pairing.white_id
        answer = why.answer(asked, other) if len(other) < 18 else None
        if answer is None:
            wrong = _("Choose somebody of this round.")
    return {
        "round": round_,
        "board": board,
        "pairing": pairing,
        "story": story,
        "answer": answer,
        "wrong": wrong,
        "of": of or str(pairing.white_id),
        "other": other,
        "anchor": board.id,
    }


def _pairing(round_: Round, key: str) -> Pairing:
    """Return a row by its board number, or by `p` and the entry of somebody without an opponent."""
    rows = round_.pairings.select_related(*PEOPLE)
    digits = key.removeprefix("p")
    if not digits.isdecimal() or len(digits) > 17:
        raise Http404
    if key.startswith("p"):
        found = rows.filter(white_id=int(digits), black=None).first()
    else:
        found = rows.filter(board=int(digits)).first() if int(digits) < 32768 else None
    if found is None:
        raise Http404
    return found


def _public_name(entry: Entry) -> str:
    return str(entry.name)


def _full_name(entry: Entry) -> str:
    return str(entry.player.name)
