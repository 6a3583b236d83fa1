"""The core's own tasks: run one job, send again what was lost, read files of games."""

from __future__ import annotations

from typing import Any

from celery import shared_task
from celery.signals import worker_ready

from tourney import queue
from tourney.archives import preparing
from tourney.backups import timer
from tourney.services import demo, forgetting, forgetting_files, game_imports, game_index, live, rehearsal_job


@shared_task(name="tourney.run_job")
def run_job(pk: int) -> None:
    """Run the job in row `pk`."""
    queue.run(pk)


@shared_task(name="tourney.sweep_jobs")
def sweep_jobs(all_queued: bool = False) -> int:
    """Send every job that was lost on the way."""
    return queue.sweep(all_queued=all_queued)


@shared_task(name=game_imports.TASK)
def import_games(pk: int) -> None:
    """Read a slice of the file in `GameImport` row `pk` and put its moves on the event's games."""
    game_imports.run_import(pk)


@shared_task(name=forgetting.TASK)
def take_names_out(event: int) -> None:
    """Take the names of people who were erased out of a slice of the event's kept files."""
    forgetting_files.run_slice(event)


@shared_task(name=preparing.TASK)
def prepare_archive(pk: int) -> None:
    """Write the archive of `ArchiveFile` row `pk`."""
    preparing.prepare(pk)


@shared_task(name=demo.TASK)
def load_demo(organizer: int) -> None:
    """Make the demo events."""
    demo.run_load(organizer)


@shared_task(name=rehearsal_job.TASK)
def play_rehearsal(pk: int, actor: int, before: int) -> None:
    """Play a slice of a rehearsal."""
    rehearsal_job.run_play(pk, actor, before)


@shared_task(name="tourney.drop_archives")
def drop_archives() -> int:
    """Throw away archives that were kept long enough."""
    return preparing.drop_old()


@shared_task(name="tourney.back_up")
def back_up() -> None:
    """Make the backups that are due."""
    timer.back_up_if_due()


@shared_task(name=game_index.TASK)
def index_games() -> int:
    """Find out by what the games whose moves changed can be found."""
    return game_index.index_changed()


@shared_task(name=live.TASK)
def follow_boards() -> None:
    """Follow live boards while there are any; the next turn is asked for at once, so that none waits for the beat."""
    if live.follow():
        follow_boards.delay()


@worker_ready.connect
def _sweep_at_start(**_: Any) -> None:
    """A worker that starts asks at once for what its killed predecessor left."""
    sweep_jobs.delay(all_queued=True)
