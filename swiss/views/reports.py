"""Files for the federation: the rating report of a group, and who needs a national number (M7.5)."""

from __future__ import annotations

from django.http import Http404, HttpRequest, HttpResponse
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from swiss.reports import newcomers, report_of
from swiss.selectors import PUBLIC_STATES, round_stage
from tourney.csv_files import csv_response, safe_cell
from tourney.kernel.trf import dump
from tourney.permissions import managed_tournament, section_of
from tourney.services.log import log


@never_cache
@require_safe
def rating_report(request: HttpRequest, slug: str, section: str) -> HttpResponse:
    """The report of a group as a file. It holds days of birth, so it is for the chief arbiter, and in the log."""
    tournament = managed_tournament(request, slug, "arbitrate")
    one = section_of(tournament, section)
    stage = round_stage(one)
    if stage is None or not stage.rounds.filter(state__in=PUBLIC_STATES).exists():
        raise Http404
    text = dump(report_of(stage))
    log(tournament, "swiss.report_exported", actor=request.user, section=stage.section.code)
    response = HttpResponse(text, content_type="text/plain; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="{tournament.slug}-{stage.section.code}.trf"'
    return response


@never_cache
@require_safe
def newcomers_csv(request: HttpRequest, slug: str) -> HttpResponse:
    """The request list: players without a national number. Written to the log: it holds days of birth."""
    tournament = managed_tournament(request, slug, "arbitrate")
    found = newcomers(tournament)
    log(tournament, "swiss.newcomers_exported", actor=request.user, rows=len(found))
    heads = [_("Surname"), _("Given name"), _("Patronymic"), _("Sex"), _("Date of birth"), _("City"), _("Class")]
    rows = [[*heads, _("FIDE ID"), _("Group")]]
    for entry in found:
        player = entry.player
        born = f"{player.birth_date:%Y-%m-%d}" if player.birth_date else player.birth_year
        cells = [player.surname, player.given_name, player.patronymic, player.sex, born, player.city, player.level]
        rows.append([safe_cell(cell) for cell in [*cells, player.fide_id, entry.section.title_text]])
    return csv_response(f"{tournament.slug}-newcomers", rows)
