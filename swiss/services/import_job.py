"""Bringing a large report in by the worker: a page answers at once and shows how far it has come."""

from __future__ import annotations

from typing import Any

from django.db import transaction
from django.utils import timezone

from swiss.models import ReportImport
from swiss.services.importing import import_obstacle, import_report
from tourney import queue
from tourney.kernel.errors import ImportFileError, TourneyError
from tourney.kernel.trf import parse
from tourney.models import Section

TASK = "swiss.import_report"
# Up to so many cells (players times rounds) a page writes a report in itself: a second or two.
CELLS_ON_PAGE = 500


@transaction.atomic
def ask_import(
    section: Section, content: bytes, *, actor: Any, name: str = "", names_public: bool = False
) -> ReportImport:
    """Ask the worker to bring a file into a group. Refusals: those of `import_obstacle`, ``import.under_way``."""
    section = Section.objects.select_for_update(of=("self",)).select_related("tournament").get(pk=section.pk)
    obstacle = import_obstacle(section)
    if obstacle is not None:
        raise obstacle
    if running_import(section) is not None:
        raise TourneyError("import.under_way")
    asked = ReportImport.objects.create(
        section=section,
        name=name[:120],
        content=content,
        names_public=names_public,
        by=actor if getattr(actor, "is_authenticated", False) else None,
    )
    asked.job = queue.enqueue(TASK, asked.pk)
    asked.save(update_fields=["job"])
    return asked


def running_import(section: Section) -> ReportImport | None:
    """Return the import that is under way in a group."""
    return (
        ReportImport.objects.filter(section=section, finished_at=None)
        .exclude(job__state__in=("failed", "done"))
        .select_related("job")
        .first()
    )


def run_import(pk: int) -> None:
    """Bring the file of a row in, or write down why that can't be. Done once: a second run finds the group taken."""
    asked = ReportImport.objects.select_related("section__tournament", "by").get(pk=pk)
    if asked.finished_at is not None:
        return
    refusal: dict[str, Any] = {}
    try:
        import_report(
            asked.section,
            parse(bytes(asked.content)),
            actor=asked.by,
            name=asked.name,
            names_public=asked.names_public,
            progress=lambda done, total: queue.report_progress(done, total, beside=True),
        )
    except ImportFileError as refused:
        refusal = {"code": refused.code, "line": refused.line, "column": refused.column, "values": refused.values}
    except TourneyError as refused:
        refusal = {"code": refused.code, "line": 0, "column": 0, "values": refused.values}
    asked.refusal, asked.finished_at = refusal, timezone.now()
    asked.save(update_fields=["refusal", "finished_at"])
