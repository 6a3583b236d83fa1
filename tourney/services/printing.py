"""Prints sheets for the wall in one PDF, and keeps which sheet was printed when: the next one says what it replaces."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from django.db import transaction
from django.utils import timezone, translation
from django.utils.translation import gettext as _

from tourney.formatting import local, moment_text
from tourney.kernel.errors import TourneyError
from tourney.models import PrintedSheet, Section, Tournament
from tourney.paper import Sheet, kinds_of, sheets_of
from tourney.paper_pdf import Pack, Stamped, draw_pack
from tourney.services.log import log


def usual_kinds(section: Section) -> list[str]:
    """Return what one click prints for a group: what hangs on the wall of most halls."""
    return [kind.key for kind in kinds_of(section) if kind.usual]


def print_pack(tournament: Tournament, chosen: Mapping[str, Sequence[str]], *, language: str, actor: Any) -> bytes:
    """Return the PDF of the sheets chosen (group's code -> kinds) in a language, and keep that they were printed.

    TourneyError ``paper.nothing_chosen`` (or nothing to print on any of them).
    """
    sections = list(tournament.sections.all())
    with translation.override(language):
        sheets: list[Sheet] = []
        for section in sections:
            section.tournament = tournament
            sheets += sheets_of(section, chosen.get(section.code, ()))
        if not sheets:
            raise TourneyError("paper.nothing_chosen")
        by_code = {section.code: section for section in sections}
        with transaction.atomic():
            # Two prints at once would both replace the same sheet: the second waits for the first.
            Tournament.objects.select_for_update(of=("self",), no_key=True).get(pk=tournament.pk)
            stamped = _stamped(tournament, sheets, by_code, language, actor)
            names = sorted({f"{sheet.group}: {sheet.title}" if sheet.group else sheet.title for sheet in sheets})
            log(tournament, "paper.printed", actor=actor, sheets=names)
        heading = _("Sheets for the wall")
        pack = Pack(
            tournament.title_text,
            language,
            f"{tournament.title_text} – {heading}",
            _("page {} of {}"),
            tuple(stamped),
        )
        return draw_pack(pack)


def _stamped(
    tournament: Tournament, sheets: Sequence[Sheet], by_code: Mapping[str, Section], language: str, actor: Any
) -> list[Stamped]:
    now = timezone.now()
    keys = [sheet.key for sheet in sheets if sheet.key]
    rows = PrintedSheet.objects.filter(tournament=tournament, language=language, key__in=keys)
    last = {row.key: row for row in rows.order_by("key", "-id").distinct("key")}
    PrintedSheet.objects.bulk_create(
        PrintedSheet(
            tournament=tournament,
            section=by_code.get(sheet.key.partition(":")[0]),
            key=sheet.key,
            language=language,
            digest=sheet.digest,
            made_at=now,
            made_by=actor if getattr(actor, "is_authenticated", False) else None,
        )
        for sheet in sheets
        if sheet.key
    )
    made = _("Printed %(moment)s") % {"moment": moment_text(now, tournament.zone)}
    return [Stamped(sheet, made, _replaces(last.get(sheet.key), sheet, now, tournament)) for sheet in sheets]


def _replaces(before: PrintedSheet | None, sheet: Sheet, now: datetime, tournament: Tournament) -> str:
    """Say which sheet comes off the wall; with a day when it wasn't printed on this one."""
    if before is None or not sheet.key:
        return ""
    zone = tournament.zone
    same_day = local(before.made_at, zone).date() == local(now, zone).date()
    moment = f"{local(before.made_at, zone):%H:%M}" if same_day else moment_text(before.made_at, zone)
    if before.digest == sheet.digest:
        return _("Nothing new since the sheet of %(moment)s") % {"moment": moment}
    return _("Replaces the sheet of %(moment)s") % {"moment": moment}
