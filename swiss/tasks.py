"""What the worker does for stages in rounds: bring a large report file in."""

from __future__ import annotations

from celery import shared_task

from swiss.services import import_job


@shared_task(name=import_job.TASK)
def import_report(pk: int) -> None:
    """Bring in the file of `ReportImport` row `pk`."""
    import_job.run_import(pk)
