"""A play-off for first place: the arbiter's tablet, and the page everybody can follow (M8.2)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from uuid import UUID, uuid4

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.db.models import Sum
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.http import parse_etags
from django.utils.translation import get_language
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_safe

from prizes.models import PlayoffMatch, PlayoffRecord
from prizes.playoff_rows import playoff_page
from prizes.rows import playoff_row
from prizes.selectors.places import standing_of
from prizes.selectors.playoffs import PlayoffView, newest_match, view_of
from prizes.services import playoffs
from tourney.formatting import result_text
from tourney.kernel.errors import TourneyError
from tourney.labels import sentence
from tourney.models import PlacementList, Section, Tournament
from tourney.navigation import manage_context, public_context
from tourney.permissions import managed_tournament, may, public_tournament, section_of
from tourney.selectors import host_of
from tourney.shared_cache import LIVE, shared

RESULTS = ("1-0", "1/2", "0-1")
UNUSUAL = ("+-", "-+", "--", "0-0")
LIVE_SECONDS = 10


# -- the tablet ------------------------------------------------------------------------------------------------------


@require_http_methods(["POST"])
def begin(request: HttpRequest, slug: str, section: str) -> HttpResponse:
    """Begin the play-off of a group and open its tablet."""
    tournament = managed_tournament(request, slug, "arbitrate")
    one = section_of(tournament, section)
    try:
        match = playoffs.begin_playoff(
            one, actor=request.user, reason=request.POST.get("reason", "")[:500], operation=_operation(request)
        )
    except TourneyError as refused:
        messages.error(request, sentence(refused))
        return redirect("manage_placings_of", slug=slug, section=one.code)
    return redirect("manage_playoff", slug=slug, pk=match.pk)


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def playoff(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """What is asked now as large buttons; corrections, absences and the arbiter's word in a drawer. Needs no script."""
    tournament = managed_tournament(request, slug, "enter_results")
    match = get_object_or_404(
        PlayoffMatch.objects.select_related("section", "lot"), pk=pk, section__tournament=tournament
    )
    match.section.tournament = tournament
    refusal = ""
    if request.method == "POST":
        act = request.POST.get("act", "")
        if act not in ACTS:
            raise Http404
        need, run = ACTS[act]
        if not may(request, tournament, need) or (act == "undo" and not _may_undo(request, match)):
            raise PermissionDenied
        try:
            done = run(request, tournament, match)
        except TourneyError as refused:
            refusal = sentence(refused)
            match.refresh_from_db()
            match.section.tournament = tournament
        else:
            if done:
                messages.success(request, done)
            return redirect("manage_playoff", slug=slug, pk=pk)
    view = view_of(match)
    return render(
        request,
        "prizes/manage_playoff.html",
        manage_context(
            request,
            tournament,
            section=match.section,
            active="placings",
            **_tablet(request, view),
            refusal=refusal,
            typed=request.POST if refusal else {},
            operation=uuid4(),
            results=RESULTS,
            unusual=UNUSUAL,
            history=_history(match),
            may_decide=may(request, tournament, "arbitrate"),
            places_url=reverse("manage_placings_of", args=[slug, match.section.code]),
        ),
        status=422 if refusal else 200,
    )


def _tablet(request: HttpRequest, view: PlayoffView) -> dict[str, Any]:
    page = playoff_page(view)
    return page | {"can_undo": page["can_undo"] and _may_undo(request, view.match)}


def _may_undo(request: HttpRequest, match: PlayoffMatch) -> bool:
    """Whether the last entry may be taken back: once the places are published it is the chief arbiter's decision."""
    published = PlacementList.objects.filter(section=match.section_id).exists()
    return may(request, match.section.tournament, "arbitrate") if published else True


def _history(match: PlayoffMatch) -> list[dict[str, Any]]:
    """Return who entered what, newest first, in the words of the event's log."""
    events = match.events.select_related("by", "lot", "voids").order_by("-id")
    gone = {event.voids_id for event in events if event.voids_id}
    taken_back = _("taken back")
    names = {str(entry.pk): entry.name for entry in view_of(match).entries.values()}
    rows = []
    for event in events:
        if event.voids_id:
            words = _("The last entry was taken back")
        else:
            words = _step_words(event.step or {}, names)
            if event.pk in gone:
                words = f"{words} ({taken_back})"
        rows.append(
            {
                "at": event.at,
                "who": event.by.get_username() if event.by else "",
                "what": words,
                "why": event.reason,
            }
        )
    return rows


def _step_words(step: dict[str, Any], names: dict[str, str]) -> str:
    def name(key: str) -> str:
        return names.get(str(step.get(key)), "")

    match step["do"]:
        case "choose_color":
            color = _("White") if step["color"] == "w" else _("Black")
            return _("%(name)s chose: %(color)s") % {"name": name("by"), "color": color}
        case "lot_color":
            return _("White by lot: %(name)s") % {"name": name("white")}
        case "lot_chooser":
            return _("Chooses the colour by lot: %(name)s") % {"name": name("chooser")}
        case "game":
            return _("Game %(number)s: %(result)s") % {"number": step["number"], "result": result_text(step["result"])}
        case "group_game":
            return _("%(white)s – %(black)s: %(result)s") % {
                "white": name("white"),
                "black": name("black"),
                "result": result_text(step["result"]),
            }
        case "correct":
            return _("Game %(number)s corrected: %(result)s") % {
                "number": step["number"],
                "result": result_text(step["result"]),
            }
        case "no_show" | "leave":
            return _("Did not come or gave up: %(name)s") % {"name": name("absent") or name("player")}
        case _:
            return _("Awarded to %(name)s") % {"name": name("winner")}


def _operation(request: HttpRequest) -> UUID | None:
    text = request.POST.get("operation", "")
    try:
        return UUID(text) if text else None
    except ValueError:
        return None


def _common(request: HttpRequest) -> dict[str, Any]:
    seen = request.POST.get("seen", "")
    return {
        "actor": request.user,
        "operation": _operation(request),
        "seen": int(seen) if seen.isdecimal() and len(seen) < 9 else None,
    }


def _color(request: HttpRequest, tournament: Tournament, match: PlayoffMatch) -> str:
    playoffs.choose_color(tournament, match.pk, color=request.POST.get("color", ""), **_common(request))
    return ""


def _lot(request: HttpRequest, tournament: Tournament, match: PlayoffMatch) -> str:
    playoffs.draw_lot(
        tournament,
        match.pk,
        winner=request.POST.get("winner", ""),
        method=request.POST.get("method", ""),
        **_common(request),
    )
    return _("The lot is drawn.")


def _game(request: HttpRequest, tournament: Tournament, match: PlayoffMatch) -> str:
    after = playoffs.enter_game(
        tournament,
        match.pk,
        white=request.POST.get("white", ""),
        black=request.POST.get("black", ""),
        outcome=request.POST.get("outcome", ""),
        **_common(request),
    )
    return _("The play-off is over; first place is settled.") if after.state.is_done else ""


def _correct(request: HttpRequest, tournament: Tournament, match: PlayoffMatch) -> str:
    number = request.POST.get("number", "")
    playoffs.correct_game(
        tournament,
        match.pk,
        number=int(number) if number.isdecimal() and len(number) < 4 else 0,
        outcome=request.POST.get("outcome", ""),
        reason=request.POST.get("reason", "")[:500],
        **_common(request),
    )
    return _("The result is corrected.")


def _absent(request: HttpRequest, tournament: Tournament, match: PlayoffMatch) -> str:
    playoffs.note_absent(
        tournament,
        match.pk,
        player=request.POST.get("player", ""),
        reason=request.POST.get("reason", "")[:500],
        **_common(request),
    )
    return _("Noted.")


def _decide(request: HttpRequest, tournament: Tournament, match: PlayoffMatch) -> str:
    playoffs.decide(
        tournament,
        match.pk,
        winner=request.POST.get("winner", ""),
        reason=request.POST.get("reason", "")[:500],
        **_common(request),
    )
    return _("First place is awarded.")


def _undo(request: HttpRequest, tournament: Tournament, match: PlayoffMatch) -> str:
    playoffs.undo_last(tournament, match.pk, reason=request.POST.get("reason", "")[:500], **_common(request))
    return _("The last entry is taken back.")


def _drop(request: HttpRequest, tournament: Tournament, match: PlayoffMatch) -> str:
    playoffs.drop_playoff(tournament, match.pk, reason=request.POST.get("reason", "")[:500], actor=request.user)
    return _("The play-off is dropped.")


ACTS: dict[str, tuple[str, Callable[[HttpRequest, Tournament, PlayoffMatch], str]]] = {
    "color": ("enter_results", _color),
    "lot": ("enter_results", _lot),
    "game": ("enter_results", _game),
    "undo": ("enter_results", _undo),
    "absent": ("enter_results", _absent),
    "correct": ("arbitrate", _correct),
    "decide": ("arbitrate", _decide),
    "drop": ("arbitrate", _drop),
}


# -- for everybody ---------------------------------------------------------------------------------------------------


@shared()
@require_safe
def public_playoff(request: HttpRequest, slug: str, section: str) -> HttpResponse:
    """The play-off of a group: before it begins a countdown, then its games, lots and score, kept fresh."""
    tournament = public_tournament(request, slug)
    one = section_of(tournament, section)
    context = public_context(request, tournament, section=one, active="playoff")
    values = _public_values(one)
    if not values:
        raise Http404
    match = values.get("match")
    return render(
        request,
        "prizes/playoff.html",
        {
            **context,
            **values,
            "live": match is None or match.winner_id is None,
            "live_url": reverse("playoff_live", args=[slug, one.code]),
            "live_seconds": LIVE_SECONDS,
            "etag": _etag(match) if match else _waiting_etag(one),
        },
    )


def _public_values(section: Section) -> dict[str, Any]:
    """Return the values of the public page; nothing where no first place is, or was, played off."""
    match = newest_match(section)
    if match is not None:
        match.section.tournament = section.tournament
        return playoff_page(view_of(match))
    standing = standing_of(section)
    waiting = [playoff_row(draft) for draft in standing.playoffs if draft.section.pk == section.pk]
    return {"waiting": waiting[0]} if waiting and not standing.is_published else {}


@shared(LIVE)
@require_safe
def playoff_live(request: HttpRequest, slug: str, section: str) -> HttpResponse:
    """The play-off alone; unchanged is a 304. Whoever waited for it sees it begin, or that first place is settled."""
    tournament = public_tournament(request, slug)
    one = section_of(tournament, section)
    match = newest_match(one)
    etag = _etag(match) if match else _waiting_etag(one)
    if etag in parse_etags(request.headers.get("If-None-Match", "")):
        answer = HttpResponse(status=304)
    else:
        values = _public_values(one)
        if not values and not PlayoffRecord.objects.filter(section=one).exists():
            raise Http404
        template = "prizes/_playoff.html" if values else "prizes/_playoff_settled.html"
        answer = render(request, template, {"tournament": tournament, "section": one, **values})
    answer["ETag"] = etag
    answer["Cache-Control"] = "no-cache" if tournament.public else "private, no-cache"
    return answer


def _waiting_etag(section: Section) -> str:
    """Return what the page shows before a play-off: every change of the group's play makes another one."""
    seen = host_of(section).stages.aggregate(all=Sum("version"))["all"]
    return f'W/"w{seen or 0}.{get_language()}"'


def _etag(match: PlayoffMatch) -> str:
    return f'W/"p{match.pk}.{match.version}.{get_language()}"'
