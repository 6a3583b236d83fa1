"""The wall pack: which sheets of which groups, in which language; the answer is one PDF."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from tourney.kernel.errors import TourneyError
from tourney.kernel.text import LANGUAGES
from tourney.labels import sentence
from tourney.models import Section, Tournament
from tourney.navigation import manage_context
from tourney.paper import kinds_of
from tourney.permissions import managed_tournament
from tourney.services.printing import print_pack, usual_kinds
from tourney.staff_forms import LANGUAGE_NAMES


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def paper(request: HttpRequest, slug: str) -> HttpResponse:
    """Tick sheets and get them; `usual=<group>` prints what a group usually hangs up, without asking."""
    tournament = managed_tournament(request, slug, "enter_results")
    sections = list(tournament.sections.all())
    for section in sections:
        section.tournament = tournament
    error = ""
    if request.method == "POST":
        language = request.POST.get("language", "")
        language = language if language in LANGUAGES else tournament.language
        try:
            content = print_pack(tournament, _chosen(request, sections), language=language, actor=request.user)
        except TourneyError as refused:
            error = sentence(refused)
        else:
            return _file(tournament, content)
    asked = request.GET.get("group", "")
    context = manage_context(
        request,
        tournament,
        rows=[_row(request, section, asked) for section in sections if section.merged_into_id is None],
        languages=[
            {"code": code, "name": LANGUAGE_NAMES[code], "chosen": code == tournament.language} for code in LANGUAGES
        ],
        error=error,
    )
    return render(request, "tourney/manage_paper.html", context, status=422 if error else 200)


def _chosen(request: HttpRequest, sections: list[Section]) -> dict[str, list[str]]:
    """Return the kinds to print by group, from the ticks ``sheet=u10:pairings`` or from the one click."""
    usual = request.POST.get("usual")
    if usual is not None:
        return {section.code: usual_kinds(section) for section in sections if section.code == usual}
    chosen: dict[str, list[str]] = {}
    for tick in request.POST.getlist("sheet"):
        code, _colon, kind = tick.partition(":")
        chosen.setdefault(code, []).append(kind)
    return chosen


def _row(request: HttpRequest, section: Section, asked: str) -> dict[str, object]:
    ticked = set(request.POST.getlist("sheet"))
    kinds = []
    for kind in kinds_of(section):
        name = f"{section.code}:{kind.key}"
        on = name in ticked if request.method == "POST" else kind.usual and asked in ("", section.code)
        kinds.append({"value": name, "label": kind.label, "on": on})
    return {"section": section, "kinds": kinds}


def _file(tournament: Tournament, content: bytes) -> HttpResponse:
    local = timezone.localtime(timezone=tournament.zone)
    response = HttpResponse(content, content_type="application/pdf")
    response["Content-Disposition"] = f'inline; filename="{tournament.slug}-{local:%Y%m%d-%H%M}.pdf"'
    return response
