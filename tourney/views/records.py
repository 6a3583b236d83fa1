"""Staff pages about what has happened: the log, and the report on paper."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from tourney import panels
from tourney.csv_files import csv_response, safe_cell
from tourney.log_words import KIND_WORDS, actor_name, group_titles, log_entries, log_sentence
from tourney.models import ActionLog, ResultRecord, Stage, Tournament
from tourney.navigation import manage_context
from tourney.permissions import managed_tournament
from tourney.selectors import current_regulation
from tourney.start_lists import NO_COUNTS, head_counts

LOG_PAGE = 50


@require_safe
def log(request: HttpRequest, slug: str) -> HttpResponse:
    """Who did what, when and why; by kind of act or by person; as a page or as a CSV file."""
    tournament = managed_tournament(request, slug)
    lines = ActionLog.objects.filter(tournament=tournament).select_related("actor")
    kinds = sorted({action.split(".")[0] for action in lines.order_by().values_list("action", flat=True).distinct()})
    people = list(
        lines.exclude(actor=None).order_by("actor__username").values_list("actor__username", flat=True).distinct()
    )
    kind, who = request.GET.get("kind", ""), request.GET.get("who", "")
    if kind in kinds:
        lines = lines.filter(action__startswith=f"{kind}.")
    if who in people:
        lines = lines.filter(actor__username=who)
    groups = group_titles(tournament.sections.select_related("tournament"))
    if request.GET.get("format") == "csv":
        return csv_response(f"{tournament.slug}-log", _rows(tournament, lines, groups))
    page = Paginator(lines, LOG_PAGE).get_page(request.GET.get("page"))
    return render(
        request,
        "tourney/manage_log.html",
        manage_context(
            request,
            tournament,
            entries=log_entries(page.object_list, groups),
            page=page,
            kind=kind,
            who=who,
            people=people,
            kinds=[(key, KIND_WORDS.get(key, key)) for key in kinds],
            query=request.GET.urlencode(),
        ),
    )


def _rows(tournament: Tournament, lines: Any, groups: dict[str, str]) -> Iterator[list[str]]:
    yield [_("When"), _("Who"), _("What"), _("Reason"), _("Code")]
    for line in lines.iterator(chunk_size=500):
        who = actor_name(line)
        moment = timezone.localtime(line.at, tournament.zone)
        cells = (f"{moment:%Y-%m-%d %H:%M:%S}", who, log_sentence(line, groups), line.reason, line.action)
        yield [safe_cell(cell) for cell in cells]


@require_safe
def report(request: HttpRequest, slug: str) -> HttpResponse:
    """The arbiter's and organizer's summary on paper: numbers and systems; the apps add places, conduct and money."""
    tournament = managed_tournament(request, slug)
    context = manage_context(request, tournament, active="report")
    counts = head_counts(tournament)
    stages: dict[int, list[Stage]] = {}
    every = Stage.objects.filter(section__tournament=tournament).exclude(kind=Stage.Kind.PLAYOFF)
    for stage in every.order_by("section__ordinal", "ordinal"):
        stages.setdefault(stage.section_id, []).append(stage)
    rows = [
        {
            "section": section,
            "counts": counts.get(section.pk, NO_COUNTS),
            "stages": stages.get(section.merged_into_id or section.pk, []),
        }
        for section in context["sections"]
    ]
    return render(
        request,
        "tourney/manage_report.html",
        {
            **context,
            "rows": rows,
            "total": {key: sum(row["counts"][key] for row in rows) for key in NO_COUNTS},
            "regulation": current_regulation(tournament),
            "staff_roles": tournament.staff.select_related("user").order_by("role", "user__username"),
            "panels": panels.collect("report", request, tournament),
            "corrections": _corrections(tournament),
        },
    )


def _corrections(tournament: Tournament) -> int:
    return ResultRecord.objects.filter(game__stage__section__tournament=tournament, supersedes__isnull=False).count()
