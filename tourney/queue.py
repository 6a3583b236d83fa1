"""Durable work: a row per job, written with the facts that ask for it, executed at least once.

`enqueue` writes the row in the caller's transaction and sends a message after the commit. The message only says "look
at row 17": the row is the truth. Three things can go wrong, and each is mended by `sweep`, which runs every few seconds
and at every start of a worker:

* the process dies between commit and message, or the broker is down: the row stays queued and is sent when it is due;
* the worker is killed while it works: whoever runs a job holds a PostgreSQL advisory lock on it, which ends with the
  worker's connection, so a running job whose lock is free has lost its worker and is sent again;
* a message arrives twice: the lock and the step queued → running let one of them work.

A job asked for at a moment (`enqueue_at`) is sent shortly before it with that moment as its hour, and the worker holds
it to the second. No worker takes it earlier, whatever message comes; one that was off then takes it at its start.

While releases are exchanged, a worker of the old one may get a job only the new one knows: it puts it off.

A job may therefore run twice, so every task must be repeatable. A task that kills its worker each time is given up
after `MAX_ATTEMPTS`.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar
from datetime import datetime, timedelta
from functools import partial
from typing import Any

from celery import current_app
from django.db import connection, transaction
from django.db.models import F, Q
from django.utils import timezone
from kombu.exceptions import OperationalError as BrokerError

from tourney.kernel.errors import TourneyError
from tourney.models.job import Job
from tourney.upkeep import numbers

log = logging.getLogger(__name__)

MAX_ATTEMPTS = 5
SEND_AGAIN_AFTER = timedelta(seconds=60)
LEAD = timedelta(seconds=45)  # how long before its moment a job is sent: longer than two sweeps are apart
WORTH_WAITING = timedelta(seconds=2)  # clocks and timers differ by less; who comes that early waits
KEEP_DONE = timedelta(days=30)
NOT_HERE_FOR = timedelta(minutes=10)  # until a job whose event has moved is looked at again
BUSY_FOR = timedelta(seconds=30)  # until a job whose work another one is doing is looked at again
UNKNOWN_FOR = timedelta(
    seconds=30
)  # until a job this worker has no task for is looked at again, by a newer one perhaps
UNKNOWN_AT_MOST = timedelta(days=1)  # an exchange of releases takes no longer; then nobody knows the task
LONGEST_WAIT = timedelta(minutes=15)  # no job without a moment is put off for longer
_LOCK_CLASS = 7_060_512  # the first half of the two-number advisory lock; the second is the job's id
_RUN_JOB = "tourney.run_job"
_current: ContextVar[int | None] = ContextVar("job", default=None)


class PutOff(Exception):
    """A job can't do its work now, which is no failure of it: it waits `until_again`, as often as it takes."""

    until_again = NOT_HERE_FOR


class NotHere(PutOff):
    """The event of a job has moved: the job waits for its archive or for the event to stay."""


class Busy(PutOff):
    """Another job is at the same work: this one looks again when that has ended, for it may have failed."""

    until_again = BUSY_FOR


def wait_if_moved(tournament: Any) -> None:
    """Put the job that is being run off while its event goes on at another place (NotHere).

    What it would do is done there: a letter must not be sent from both.
    """
    if tournament.moved_to:
        raise NotHere(tournament.moved_to)


def enqueue(name: str, *args: Any, **kwargs: Any) -> Job:
    """Ask for a task by its registered name; it runs once the caller's transaction is committed, and never before.

    Arguments are plain JSON values: ids, never model instances.
    """
    if name not in current_app.tasks:
        raise LookupError(f"no task is called {name!r}")
    due_at = timezone.now() + SEND_AGAIN_AFTER
    job = Job.objects.create(name=name, args={"args": list(args), "kwargs": kwargs}, due_at=due_at)
    transaction.on_commit(partial(_send, job.pk))
    return job


def enqueue_at(when: datetime, name: str, *args: Any, **kwargs: Any) -> Job:
    """Ask for a task at a moment: not earlier, and at that second while a worker runs."""
    if name not in current_app.tasks:
        raise LookupError(f"no task is called {name!r}")
    job = Job.objects.create(
        name=name, args={"args": list(args), "kwargs": kwargs}, not_before=when, due_at=when - LEAD
    )
    if job.due_at <= timezone.now():
        transaction.on_commit(partial(_send_job, job.pk))
    return job


def _send_job(pk: int) -> None:
    """Send a job whose moment is near."""
    job = Job.objects.filter(pk=pk, state=Job.State.QUEUED).first()
    if job is not None:
        _send_all([job])


def report_progress(done: int, total: int, *, beside: bool = False) -> None:
    """Say how far the job being run has come (outside a transaction, or nobody sees it). Without a job: nothing.

    `beside` is for work that is one transaction: a second connection says it, and ends.
    """
    job = _current.get()
    if job is not None and beside:
        other = connection.copy()
        try:
            with other.cursor() as cursor:
                cursor.execute(
                    "UPDATE tourney_job SET progress_done = %s, progress_total = %s WHERE id = %s", [done, total, job]
                )
        finally:
            other.close()
    elif job is not None:
        Job.objects.filter(pk=job).update(progress_done=done, progress_total=total)


def run(pk: int) -> None:
    """Run one job, unless it is done, being run, or has been given up."""
    with _held(pk) as held:
        job = _claim(pk) if held else None
        if job is None:
            return
        token, number = _current.set(pk), numbers.current.set(f"job-{pk}")
        try:
            if job.name not in current_app.tasks:
                _leave_to_newer(job)
                return
            current_app.tasks[job.name].run(*job.args["args"], **job.args["kwargs"])
        except PutOff as reason:
            _put_off(job, reason.until_again)
        except TourneyError as error:  # a person can put this right; trying again can't
            _finish(job, Job.State.FAILED, str(error))
        except (OSError, BrokerError) as error:  # the world outside (mail, network) may be better in a while
            log.warning("job %s (%s) could not be done now: %s", pk, job.name, error)
            if job.attempts < MAX_ATTEMPTS:
                _wait(job, str(error))
            else:
                _finish(job, Job.State.FAILED, str(error))
        except Exception as error:  # a bug, or the time limit: the log has its traceback, the row its name
            log.exception("job %s (%s) failed", pk, job.name)
            _finish(job, Job.State.FAILED, f"{type(error).__name__}: {error}")
        else:
            _finish(job, Job.State.DONE, "")
        finally:
            _current.reset(token)
            numbers.current.reset(number)


def sweep(*, all_queued: bool = False) -> int:
    """Send what was lost and return how many; `all_queued` (a worker's start) does not wait until it is due."""
    now = timezone.now()
    queued = Job.objects.filter(state=Job.State.QUEUED)
    if all_queued:
        queued = queued.filter(Q(not_before=None) | Q(not_before__lte=now + LEAD))
    else:
        open_now = Q(not_before=None) | Q(not_before__lte=now)
        put_back = open_now & Q(due_at__gt=now + LONGEST_WAIT)  # the clock was: due by an hour that is to come
        queued = queued.filter(Q(due_at__lte=now) | put_back)
    held = _held_jobs()
    running = Job.objects.filter(state=Job.State.RUNNING).order_by("pk")
    lost = [*queued.order_by("pk"), *(job for job in running if _lock_number(job.pk) not in held)]
    _send_all(lost)
    Job.objects.filter(state=Job.State.DONE, finished_at__lt=now - KEEP_DONE).delete()
    return len(lost)


def _send_all(jobs: Sequence[Job]) -> None:
    """Send jobs; each is due again a while after this message, or after its moment if that is still to come."""
    now = timezone.now()
    for job in jobs:
        moment = job.not_before if job.not_before is not None and job.not_before > now else None
        Job.objects.filter(pk=job.pk).update(due_at=(moment or now) + SEND_AGAIN_AFTER)
        _send(job.pk, moment)


def _send(pk: int, moment: datetime | None = None) -> None:
    task = current_app.tasks[_RUN_JOB]
    try:
        if moment is None:
            task.delay(pk)
        else:
            task.apply_async(args=[pk], eta=moment)
    except (BrokerError, OSError):
        log.warning("job %s is not sent, the broker does not answer; the sweep will send it", pk, exc_info=True)


def _claim(pk: int) -> Job | None:
    """Take the job for this worker (the lock is held, so a job still running has lost its worker)."""
    moment = Job.objects.filter(pk=pk).values_list("not_before", flat=True).first()
    early = moment - timezone.now() if moment is not None else timedelta(0)
    if early > WORTH_WAITING:
        return None
    time.sleep(max(0.0, early.total_seconds()))
    with transaction.atomic():
        job = Job.objects.select_for_update().filter(pk=pk, state__in=Job.OPEN).first()
        if job is None:
            return None
        if job.attempts >= MAX_ATTEMPTS:
            _finish(job, Job.State.FAILED, job.error or "the worker died each time")
            return None
        job.attempts += 1
        job.state = Job.State.RUNNING
        job.started_at = timezone.now()
        job.save(update_fields=["attempts", "state", "started_at"])
    return job


def _finish(job: Job, state: Job.State, error: str) -> None:
    Job.objects.filter(pk=job.pk).update(state=state, error=error, finished_at=timezone.now())


def _wait(job: Job, error: str) -> None:
    due_at = timezone.now() + timedelta(seconds=10 * 2**job.attempts)
    Job.objects.filter(pk=job.pk).update(state=Job.State.QUEUED, error=error, due_at=due_at)


def _put_off(job: Job, until_again: timedelta) -> None:
    Job.objects.filter(pk=job.pk).update(
        state=Job.State.QUEUED, attempts=F("attempts") - 1, due_at=timezone.now() + until_again
    )


def _leave_to_newer(job: Job) -> None:
    """Put off a job whose task this worker does not know: a newer release asked for it, and its workers are to come."""
    if timezone.now() - max(job.created_at, job.not_before or job.created_at) > UNKNOWN_AT_MOST:
        _finish(job, Job.State.FAILED, f"no task is called {job.name!r}")
        return
    log.warning("job %s is left to a newer worker: no task here is called %s", job.pk, job.name)
    _put_off(job, UNKNOWN_FOR)


def _held(pk: int) -> AbstractContextManager[bool]:
    """Hold the job's lock while inside; yields False when somebody else has it."""
    return alone(_LOCK_CLASS, _lock_number(pk))


@contextmanager
def alone(what: int, number: int) -> Iterator[bool]:
    """Hold a lock while inside, on this connection; yields False when somebody else has it.

    For what takes long and is no transaction (a letter on its way): the lock ends with the connection of who is killed.
    """
    key = [what, number]
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_try_advisory_lock(%s, %s)", key)
        held = bool(cursor.fetchone()[0])
    try:
        yield held
    finally:
        if held:
            with connection.cursor() as cursor:
                cursor.execute("SELECT pg_advisory_unlock(%s, %s)", key)


def _held_jobs() -> frozenset[int]:
    """Return the lock numbers of all jobs that a living worker holds."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT objid::bigint FROM pg_locks JOIN pg_database ON pg_database.oid = pg_locks.database"
            " WHERE locktype = 'advisory' AND classid = %s AND datname = current_database()",
            [_LOCK_CLASS],
        )
        return frozenset(row[0] for row in cursor.fetchall())


def _lock_number(pk: int) -> int:
    return pk % 2**31
