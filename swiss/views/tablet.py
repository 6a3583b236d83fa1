"""The page of a tablet with a link: the boards it has in the rounds being played, and the worker that keeps it offline.

Who may enter what is decided by the link's row at the moment an entry arrives (`swiss.services.operations`); a link
that has ended or was taken back leaves a page that only shows.
"""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.contrib import messages
from django.contrib.staticfiles import finders
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseNotModified
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_safe

from swiss import entry
from swiss.boards import PEOPLE, UNSAID
from swiss.models import Pairing, Round
from swiss.panels import newest_rounds
from swiss.selectors import PUBLIC_STATES, ROUND_KINDS
from swiss.services import Claim, submit
from swiss.views.results import verified
from tourney.devices import pages_of, reach_link
from tourney.kernel.errors import TourneyError
from tourney.middleware import use_event_language
from tourney.models import DeviceLink, Stage, Tournament
from tourney.services.devices import SKEW_WORTH_SAYING, check_open, note_seen
from tourney.views.devices import reach_words, skew_words


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def tablet(request: HttpRequest, pk: int) -> HttpResponse:
    """The boards of a tablet; a POST enters one result. With `HX-Request` only the list, or one row, comes back."""
    link = reach_link(request, pk)
    use_event_language(request, link.tournament.language)
    if request.method == "POST" and request.POST.get("act") == "verified":
        return verified(request, link.tournament, link)
    if request.method == "POST":
        return _enter(request, link)
    if not request.headers.get("HX-Request"):
        return render(request, "swiss/tablet.html", _page(request, link, {}))
    stages = _stages(link)
    closed = _closed(link, link.tournament)
    etag = entry.stamp(stages, closed)
    if request.headers.get("If-None-Match") == etag:
        answer: HttpResponse = HttpResponseNotModified()
    else:
        answer = render(request, "swiss/_entry_list.html", _page(request, link, {}))
    answer["ETag"] = etag
    answer["X-Closed"] = "1" if closed else ""
    return answer


def _page(request: HttpRequest, link: DeviceLink, answers: dict[int, entry.Answer]) -> dict[str, Any]:
    tournament = link.tournament
    stages = _stages(link)
    rounds = newest_rounds(stages, states=PUBLIC_STATES)
    blocks = []
    for stage in stages:
        round_ = rounds.get(stage.pk)
        if round_ is None:
            continue
        round_.stage = stage
        rows = entry.rows_of(round_, stage, link=link, answers=answers)
        if rows:
            title = stage.section.title_text if len(stages) > 1 else ""
            blocks.append({"section": stage.section, "round": round_, "rows": rows, "title": title})
    every = [row for block in blocks for row in block["rows"]]
    counts = entry.counts_of(every)
    show = entry.chosen_filter(request, counts)
    entry.hide(every, show)
    closed = _closed(link, tournament)
    for row in every:
        row["closed"] = bool(closed)
    return {
        "link": link,
        "tournament": tournament,
        "blocks": blocks,
        "reach": reach_words(link),
        "counts": counts,
        "show": show,
        "filters": entry.filters(counts, show),
        "closed": closed,
        "wrong_clock": skew_words(link.skew_seconds) if abs(link.skew_seconds) >= SKEW_WORTH_SAYING else "",
        "action": request.path,
        "now": timezone.now(),
        "pages": [page for page in pages_of(link) if page.url != request.path],
    }


def _stages(link: DeviceLink) -> list[Stage]:
    """Return the stages in rounds a tablet may see, by group."""
    found = Stage.objects.filter(section__tournament=link.tournament, kind__in=ROUND_KINDS)
    if link.section_id is not None:
        found = found.filter(section=link.section_id)
    stages = list(
        found.exclude(state__in=[Stage.State.PLANNED, Stage.State.READY])
        .select_related("section")
        .order_by("section__ordinal", "ordinal")
    )
    for stage in stages:
        stage.section.tournament = link.tournament
    return stages


def _closed(link: DeviceLink, tournament: Tournament) -> str:
    """Say why nothing can be entered, "" when it can."""
    try:
        check_open(link, timezone.now())
    except TourneyError as refused:
        return str(entry.refusal_of(refused, None)["refusal"])
    if tournament.state in (Tournament.State.FINISHED, Tournament.State.CANCELLED):
        return _("The event is over: the page only shows.")
    return ""


def _enter(request: HttpRequest, link: DeviceLink) -> HttpResponse:
    claim: Claim | None = None
    try:
        claim = entry.read_claim(request)
        answer = entry.answer_of(submit(link.tournament, claim, link=link))
    except TourneyError as refused:
        answer = entry.refusal_of(refused, claim) | {"moves": request.POST.get("moves", "")}
    skew = claim.skew_seconds if claim is not None and abs(claim.skew_seconds) >= SKEW_WORTH_SAYING else 0
    if claim is not None and claim.queued:
        note_seen(link, skew_seconds=skew)
    pairing = _pairing(request, link)
    if request.headers.get("HX-Request"):
        given = _row(request, link, pairing, answer)
        if skew:
            given["X-Clock-Wrong"] = str(skew)
        return given
    if pairing is not None and "saved" in answer:
        messages.success(request, _("Board %(board)s: saved.") % {"board": pairing.board})
        return redirect(f"{request.path}#{pairing.round.stage.section.code}-b{pairing.board}")
    if pairing is None:
        messages.error(request, answer.get("refusal", ""))
        return redirect(request.path)
    context = _page(request, link, {pairing.pk: answer})
    return render(request, "swiss/tablet.html", context, status=422)


def _pairing(request: HttpRequest, link: DeviceLink) -> Pairing | None:
    """Return the pairing of an entry if the tablet may see it."""
    found = (
        Pairing.objects.filter(
            game_id=entry.whole(request.POST.get("game")) or 0,
            round__stage__section__tournament=link.tournament,
            round__state__in=PUBLIC_STATES,
        )
        .select_related("round__stage__section", *PEOPLE)
        .defer(*UNSAID)
        .first()
    )
    if found is None or not link.covers(found.round.stage.section_id, found.board):
        return None
    found.round.stage.section.tournament = link.tournament
    return found


def _row(request: HttpRequest, link: DeviceLink, pairing: Pairing | None, answer: entry.Answer) -> HttpResponse:
    rows = []
    if pairing is not None:
        round_: Round = pairing.round
        rows = entry.rows_of(round_, round_.stage, link=link, only=pairing, answers={pairing.pk: answer})
        for row in rows:
            row["closed"] = bool(_closed(link, link.tournament))
    context = {
        "row": rows[0] if rows else None,
        "words": answer.get("refusal", ""),
        "action": request.path,
    }
    given = render(request, "swiss/_entry_answer.html", context)
    given["X-Entry"] = str(answer["state"])
    return given


@never_cache
@require_safe
def worker(request: HttpRequest) -> HttpResponse:
    """The script that keeps the tablet's page for a time without a network; it rules the addresses beside it."""
    found = finders.find("tourney/entry/worker.js")
    if not found:
        raise Http404
    with open(found, encoding="utf-8") as script:
        text = script.read().replace("__STATIC__", settings.STATIC_URL)
    return HttpResponse(text, content_type="text/javascript; charset=utf-8")
