"""Playing a rehearsal to its end as work for the queue: a large event takes minutes, slice after slice of some seconds.

Every step is a transaction of its own and the next one follows from what is there, so a slice may come twice or be
killed. How many steps are played stands in the job: each slice hands its number on.
"""

from __future__ import annotations

from typing import Any

from django.contrib.auth import get_user_model
from django.db import transaction

from tourney import queue
from tourney.kernel.errors import TourneyError
from tourney.models import Job, Tournament
from tourney.services.log import log
from tourney.services.rehearsal import play

TASK = "tourney.play_rehearsal"
SLICE = 3.0  # seconds; the page tells the steps after each
_LOCK_CLASS = 7_060_522  # the first half of the two-number advisory lock; the second is the rehearsal's id


@transaction.atomic
def request_play(rehearsal: Tournament, *, actor: Any) -> None:
    """Ask a worker to play a rehearsal to its end (``rehearsal.not_a_rehearsal``); once is enough."""
    if not rehearsal.is_rehearsal:
        raise TourneyError("rehearsal.not_a_rehearsal")
    Tournament.objects.select_for_update(no_key=True).get(pk=rehearsal.pk)
    job = job_of(rehearsal)
    if job is None or not job.is_open:
        queue.enqueue(TASK, rehearsal.pk, actor.pk, 0)


def job_of(rehearsal: Tournament) -> Job | None:
    """Return the newest job that plays a rehearsal."""
    return Job.objects.filter(name=TASK, args__args__0=rehearsal.pk).order_by("-pk").first()


def steps_of(job: Job) -> int:
    """Return how many steps were played before a slice, and in it if it was the last."""
    before: int = job.args["args"][2]
    return before + job.progress_done


def run_play(pk: int, actor: int, before: int, *, seconds: float = SLICE) -> None:
    """Play a slice; hand on while anything is left."""
    rehearsal = Tournament.objects.filter(pk=pk).first()
    if rehearsal is None:  # thrown away
        return
    with queue.alone(_LOCK_CLASS, pk % 2**31) as is_ours:
        if not is_ours:
            raise queue.Busy
        steps = play(rehearsal, steps=None, seconds=seconds)
    if steps:
        queue.report_progress(steps, 0)
        queue.enqueue(TASK, pk, actor, before + steps)
    elif before:
        by = get_user_model()._default_manager.filter(pk=actor).first()
        log(rehearsal, "rehearsal.played", actor=by, steps=before)
