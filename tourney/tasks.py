"""The core's own tasks: run one job, and send again what was lost."""

from __future__ import annotations

from typing import Any

from celery import shared_task
from celery.signals import worker_ready

from tourney import queue


@shared_task(name="tourney.run_job")
def run_job(pk: int) -> None:
    """Run the job in row `pk`."""
    queue.run(pk)


@shared_task(name="tourney.sweep_jobs")
def sweep_jobs(all_queued: bool = False) -> int:
    """Send every job that was lost on the way."""
    return queue.sweep(all_queued=all_queued)


@worker_ready.connect
def _sweep_at_start(**_: Any) -> None:
    """A worker that starts asks at once for what its killed predecessor left."""
    sweep_jobs.delay(all_queued=True)
