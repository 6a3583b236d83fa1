"""Report files (TRF): a group taken out, a file checked by pairing every round again, a stage brought in."""

from __future__ import annotations

from time import monotonic
from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_safe

from swiss.engine.check import BYE, RoundCheck
from swiss.engine.check_table import check_report, is_table, other_system
from swiss.engine.report_games import rounds_of
from swiss.exchange import LETTERS, exchange_report
from swiss.exchange_forms import TakeOutForm, TrfFileForm, packed, player_lines, unpacked
from swiss.selectors import PUBLIC_STATES
from swiss.services.import_job import CELLS_ON_PAGE, ask_import, running_import
from swiss.services.importing import import_obstacle, import_report
from swiss.trf_words import fault_words, left_behind, refusal_words, remark_words
from swiss.views.places import frame, staff_section
from tourney.kernel.errors import ImportFileError, TourneyError
from tourney.kernel.trf import Trf, dump, parse
from tourney.labels import sentence
from tourney.models import Section, Stage, Tournament
from tourney.selectors import current_spec
from tourney.services.log import log

# How long a page may pair rounds again; the rest is for the command line.
CHECK_SECONDS = 12
REMARKS_SHOWN = 30
# A file of more players would keep the page busy for longer than anybody waits.
MOST_PLAYERS = 2000

Place = tuple[Tournament, Section, Stage | None]


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def exchange(request: HttpRequest, slug: str, section: str) -> HttpResponse:
    """The page: take out, check, bring in."""
    place = staff_section(request, slug, section, "arbitrate")
    if request.method != "POST":
        return _page(request, place)
    if request.POST.get("act") == "import":
        return _bring_in(request, place)
    form = TrfFileForm(request.POST, request.FILES)
    if not form.is_valid():
        return _page(request, place, status=422, file=form)
    return _look(request, place, form.content(), str(form.cleaned_data["file"].name))


@never_cache
@require_safe
def download(request: HttpRequest, slug: str, section: str) -> HttpResponse:
    """A stage as a file. It holds days of birth, so it is for the chief arbiter, and in the log."""
    tournament, one, stage = staff_section(request, slug, section, "arbitrate")
    if not _has_rounds(stage) or stage is None:
        raise Http404
    letters = request.GET.get("letters", LETTERS[0])
    report = exchange_report(
        stage, letters=letters if letters in LETTERS else LETTERS[0], national=request.GET.get("national") == "on"
    )
    log(tournament, "swiss.exchange_exported", actor=request.user, section=one.code, letters=letters)
    response = HttpResponse(dump(report), content_type="text/plain; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="{tournament.slug}-{one.code}.trf"'
    return response


def _has_rounds(stage: Stage | None) -> bool:
    return stage is not None and stage.rounds.filter(state__in=PUBLIC_STATES).exists()


def stage_begun(stage: Stage | None) -> bool:
    return stage is not None and stage.state != Stage.State.PLANNED


def _page(request: HttpRequest, place: Place, *, status: int = 200, **more: Any) -> HttpResponse:
    tournament, one, stage = place
    obstacle = import_obstacle(one)
    latest = one.report_imports.select_related("job").first()
    running = running_import(one)
    context = frame(
        request,
        tournament,
        one,
        "trf",
        stage=stage,
        takes_out=_has_rounds(stage),
        take_out=TakeOutForm(auto_id="out_%s"),
        file=more.pop("file", None) or TrfFileForm(),
        asks_publication="publication" in current_spec(tournament).block("registration").get("consents", ()),
        obstacle=sentence(obstacle) if obstacle else "",
        latest=latest,
        running=running,
        refusal=refusal_words(latest.refusal) if latest and latest.refusal and not stage_begun(stage) else None,
        failed=latest is not None and running is None and latest.finished_at is None,
        self_url=reverse("manage_trf", args=[tournament.slug, one.code]),
        file_url=reverse("manage_trf_file", args=[tournament.slug, one.code]),
        **more,
    )
    return render(request, "swiss/manage_trf.html", context, status=status)


# -- looking at a file -----------------------------------------------------------------------------------------------


def _look(request: HttpRequest, place: Place, content: bytes, name: str) -> HttpResponse:
    """Show what is in a file, which rounds the rules would pair otherwise, and what an import leaves behind."""
    if (players := player_lines(content)) > MOST_PLAYERS:
        told = _(
            "The file has %(players)s players; a page looks at %(most)s at most. The command line checks any file:"
        )
        text = f"{told % {'players': players, 'most': MOST_PLAYERS}} python -m swiss.engine check FILE"
        return _page(request, place, status=422, name=name, fault={"where": "", "text": text})
    try:
        trf = parse(content)
        fault = None
    except ImportFileError as refused:
        return _page(request, place, status=422, name=name, fault=fault_words(refused))
    try:
        rounds = rounds_of(trf)
    except ImportFileError as refused:
        rounds, fault = (), fault_words(refused)
    obstacle = import_obstacle(place[1])
    possible = obstacle is None and fault is None
    return _page(
        request,
        place,
        name=name,
        trf=trf,
        system=other_system(trf),
        is_table=is_table(trf),
        remarks=[remark_words(one) for one in trf.remarks[:REMARKS_SHOWN]],
        more_remarks=max(0, len(trf.remarks) - REMARKS_SHOWN),
        checked=_checked(trf),
        import_fault=fault,
        left_behind=left_behind(trf, rounds) if possible else [],
        content=packed(content) if possible else "",
    )


def _checked(trf: Trf) -> dict[str, Any]:
    """Pair every round of a file again, as many as there is time for."""
    until = monotonic() + CHECK_SECONDS
    names = {player.number: player.name for player in trf.players}
    different, done = [], 0
    if other_system(trf):
        return {"done": 0, "rounds": trf.rounds_done, "different": [], "stopped": False, "skipped": True}
    for result in check_report(trf):
        done += 1
        if not result.agrees:
            different.append(_difference(result, names))
        if monotonic() > until and done < trf.rounds_done:
            break
    return {
        "done": done,
        "rounds": trf.rounds_done,
        "different": different,
        "stopped": done < trf.rounds_done,
        "skipped": False,
    }


def _difference(result: RoundCheck, names: dict[int, str]) -> dict[str, Any]:
    def words(pairs: tuple[tuple[int, int], ...]) -> list[str]:
        return [
            _("%(name)s: bye") % {"name": f"{white} {names.get(white, '')}"}
            if black == BYE
            else f"{white} {names.get(white, '')} – {black} {names.get(black, '')}"
            for white, black in pairs
        ]

    return {
        "number": result.number,
        "error": _("By the rules no pairing of this round is possible.") if result.error else "",
        "in_file": words(result.only_in_file),
        "by_engine": words(result.only_by_engine),
    }


# -- bringing a stage in ---------------------------------------------------------------------------------------------


def _bring_in(request: HttpRequest, place: Place) -> HttpResponse:
    tournament, one, _stage = place
    content = unpacked(request.POST.get("content", ""))
    if content is not None and player_lines(content) > MOST_PLAYERS:
        content = None
    name = request.POST.get("name", "")[:120]
    names_public = request.POST.get("names_public") == "1"
    if content is None:
        form = TrfFileForm()
        messages.error(request, _("The file has got lost on the way; choose it again."))
        return _page(request, place, status=422, file=form)
    try:
        trf = parse(content)
        if len(trf.players) * max(1, trf.rounds_done) > CELLS_ON_PAGE:
            ask_import(one, content, actor=request.user, name=name, names_public=names_public)
            messages.success(request, _("The file is being brought in; this page says when it is done."))
            return redirect("manage_trf", slug=tournament.slug, section=one.code)
        stage = import_report(one, trf, actor=request.user, name=name, names_public=names_public)
    except ImportFileError as refused:
        return _page(request, place, status=422, name=name, fault=fault_words(refused))
    except TourneyError as refused:
        messages.error(request, sentence(refused))
        return _page(request, place, status=409)
    rounds = stage.rounds.count()
    text = ngettext(
        "Brought in: %(n)d round with all players and results.",
        "Brought in: %(n)d rounds with all players and results.",
        rounds,
    )
    messages.success(request, text % {"n": rounds})
    return redirect("manage_rounds", slug=tournament.slug, section=one.code)
