"""The page of a tablet for matches: the boards of its link, game by game, also while there is no network."""

from __future__ import annotations

from typing import Any
from uuid import uuid4

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseNotModified
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from brackets import tablet as values
from brackets.selectors import load_table
from brackets.services import MatchClaim, submit, take_back_own
from brackets.views.places import whole_number
from tourney.devices import pages_of, reach_link
from tourney.entries import clock_of, uuid_of
from tourney.kernel.errors import TourneyError
from tourney.labels import sentence
from tourney.middleware import use_event_language
from tourney.models import DeviceLink, ResultOperation, Tournament
from tourney.services.devices import SKEW_WORTH_SAYING, check_open, note_seen
from tourney.views.devices import reach_words, skew_words

State = ResultOperation.State


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def matches(request: HttpRequest, pk: int) -> HttpResponse:
    """The matches at a tablet's boards; a POST enters one colour, lot or game.

    With `HX-Request` only the list, or one row, comes back.
    """
    link = reach_link(request, pk)
    use_event_language(request, link.tournament.language)
    if request.method == "POST" and request.POST.get("act") == "undo":
        return _undo(request, link)
    if request.method == "POST":
        return _enter(request, link)
    if not request.headers.get("HX-Request"):
        return render(request, "brackets/tablet.html", _page(request, link, {}))
    closed = _closed(link)
    etag = values.stamp(values.stages_of(link), closed)
    if request.headers.get("If-None-Match") == etag:
        answer: HttpResponse = HttpResponseNotModified()
    else:
        answer = render(request, "brackets/_tablet_list.html", _page(request, link, {}))
    answer["ETag"] = etag
    answer["X-Closed"] = "1" if closed else ""
    return answer


def _page(request: HttpRequest, link: DeviceLink, answers: dict[str, values.Answer]) -> dict[str, Any]:
    stages = values.stages_of(link)
    blocks = []
    for table in values.tables_of(stages):
        rows = values.rows_of(table, link, answers=answers)
        if rows:
            title = table.stage.section.title_text if len(stages) > 1 else ""
            blocks.append({"title": title, "rows": rows, "paused": table.bracket.paused_at})
    return {
        "link": link,
        "tournament": link.tournament,
        "blocks": blocks,
        "paused": any(block["paused"] for block in blocks),
        "reach": reach_words(link),
        "closed": _closed(link),
        "players": link.role == DeviceLink.Role.PLAYERS,
        "wrong_clock": skew_words(link.skew_seconds) if abs(link.skew_seconds) >= SKEW_WORTH_SAYING else "",
        "action": request.path,
        "now": timezone.now(),
        "pages": [page for page in pages_of(link) if page.url != request.path],
    }


def _closed(link: DeviceLink) -> str:
    """Say why nothing can be entered, "" when it can."""
    try:
        check_open(link, timezone.now())
    except TourneyError as refused:
        return sentence(refused)
    if link.tournament.state in (Tournament.State.FINISHED, Tournament.State.CANCELLED):
        return _("The event is over: the page only shows.")
    return ""


def read_claim(request: HttpRequest) -> MatchClaim:
    """Return what a row sent."""
    sent = request.POST
    entered_at, skew = clock_of(sent.get("entered"), sent.get("sent"), timezone.now())
    return MatchClaim(
        operation=uuid_of(sent.get("operation")) or uuid4(),
        stage_id=whole_number(sent.get("stage", "")) or 0,
        match=sent.get("match", "")[:16],
        act=sent.get("act", "")[:8],
        number=whole_number(sent.get("number", "")) or 0,
        answer=sent.get("answer", "")[:5],
        method=sent.get("method", "")[:60].strip(),
        a=whole_number(sent.get("a", "")),
        b=whole_number(sent.get("b", "")),
        entered_at=entered_at,
        skew_seconds=skew,
        both_confirmed=bool(sent.get("white_agrees")) and bool(sent.get("black_agrees")),
        queued="entered" in sent,
    )


def _enter(request: HttpRequest, link: DeviceLink) -> HttpResponse:
    claim = read_claim(request)
    try:
        answer = _answer_of(submit(link.tournament, claim, link=link))
    except TourneyError as refused:
        answer = {"state": "refused", "refusal": sentence(refused)}
    skew = claim.skew_seconds if abs(claim.skew_seconds) >= SKEW_WORTH_SAYING else 0
    if claim.queued:
        note_seen(link, skew_seconds=skew)
    if request.headers.get("HX-Request"):
        given = render(request, "brackets/_tablet_answer.html", _row(request, link, claim, answer))
        given["X-Entry"] = str(answer["state"])
        if skew:
            given["X-Clock-Wrong"] = str(skew)
        return given
    return (
        _refused(request, link, claim.stage_id, claim.match, answer)
        if answer.get("refusal")
        else redirect(request.path)
    )


def _undo(request: HttpRequest, link: DeviceLink) -> HttpResponse:
    """Take the tablet's own last entry of a match back; with a network only, and with a reason."""
    match, reason = request.POST.get("match", "")[:16], request.POST.get("reason", "")[:500]
    stage_id = whole_number(request.POST.get("stage", "")) or 0
    try:
        take_back_own(link.tournament, stage_id, match, link=link, reason=reason)
    except TourneyError as refused:
        answer = {"state": "refused", "refusal": sentence(refused), "reason": reason}
        return _refused(request, link, stage_id, match, answer)
    messages.success(request, _("%(match)s: the last entry is taken back.") % {"match": match})
    return redirect(request.path)


def _refused(request: HttpRequest, link: DeviceLink, stage_id: int, match: str, answer: values.Answer) -> HttpResponse:
    """Return the page with what a row's form was refused for, and what was typed; a message where the row is gone."""
    key = values.row_key(stage_id, match)
    context = _page(request, link, {key: answer})
    if any(row["key"] == key for block in context["blocks"] for row in block["rows"]):
        return render(request, "brackets/tablet.html", context, status=422)
    messages.error(request, answer["refusal"])
    return redirect(request.path)


def _answer_of(operation: ResultOperation) -> values.Answer:
    """Return what the row says after an entry was taken: `state`, and words where it was not simply entered."""
    state = operation.state
    if state in (State.APPLIED, State.SAME):
        return {"state": state, "saved": True}
    if state == State.CONFLICT:
        return {"state": state}  # the row itself says that an arbiter decides
    return {"state": state, "refusal": values.held_words(operation)}


def _row(request: HttpRequest, link: DeviceLink, claim: MatchClaim, answer: values.Answer) -> dict[str, Any]:
    rows: list[dict[str, Any]] = []
    stage = next((one for one in values.stages_of(link) if one.pk == claim.stage_id), None)
    table = load_table(stage) if stage is not None else None
    if table is not None:
        rows = values.rows_of(
            table, link, only=claim.match, answers={values.row_key(claim.stage_id, claim.match): answer}
        )
    return {
        "row": rows[0] if rows else None,
        "words": answer.get("refusal", ""),
        "action": request.path,
        "closed": _closed(link),
        "players": link.role == DeviceLink.Role.PLAYERS,
        "paused": table is not None and table.bracket.paused_at is not None,
        "tournament": link.tournament,
    }
