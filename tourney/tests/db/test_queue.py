"""A job is executed at least once: after the commit, after a lost message, after a killed worker."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import psycopg
import pytest
from celery import current_app, shared_task
from django.db import connection, transaction
from django.utils import timezone
from kombu.exceptions import OperationalError

from tourney import queue
from tourney.kernel.errors import TourneyError
from tourney.models import Job

pytestmark = pytest.mark.django_db(transaction=True)

ran: list[Any] = []


@shared_task(name="test.note")
def note(what: str, times: int = 1) -> None:
    ran.extend([what] * times)


@shared_task(name="test.refuse")
def refuse() -> None:
    raise TourneyError("import.empty_file", line=3)


@shared_task(name="test.unreachable")
def unreachable() -> None:
    ran.append("tried")
    raise ConnectionRefusedError("mail server")


@shared_task(name="test.broken")
def broken() -> None:
    raise ZeroDivisionError("a bug")


@shared_task(name="test.busy")
def busy() -> None:
    raise queue.Busy


@shared_task(name="test.progress")
def progress() -> None:
    queue.report_progress(3, 7)


@pytest.fixture(autouse=True)
def _fresh() -> None:
    ran.clear()


@pytest.fixture
def no_broker(monkeypatch: pytest.MonkeyPatch) -> Callable[[], None]:
    """A broker that refuses every message, until the returned function brings it back."""

    def refuse_message(*_: Any, **__: Any) -> None:
        raise OperationalError("no broker")

    task = current_app.tasks["tourney.run_job"]
    monkeypatch.setattr(task, "delay", refuse_message)
    return lambda: monkeypatch.undo()


def outcome(job: Job) -> tuple[str, int, str]:
    job.refresh_from_db()
    return job.state, job.attempts, job.error


def test_job_runs_after_the_commit_and_not_before() -> None:
    with transaction.atomic():
        job = queue.enqueue("test.note", "a", times=2)
        before = list(ran)

    assert (before, ran, outcome(job)) == ([], ["a", "a"], ("done", 1, ""))


def test_job_vanishes_with_a_transaction_that_is_rolled_back() -> None:
    with transaction.atomic():
        queue.enqueue("test.note", "a")
        transaction.set_rollback(True)

    assert (ran, Job.objects.count()) == ([], 0)


def test_unknown_task_is_refused_at_once() -> None:
    with pytest.raises(LookupError, match=r"no task is called 'test.misspelt'"):
        queue.enqueue("test.misspelt")


def test_job_of_a_newer_release_waits_for_a_worker_that_knows_it(monkeypatch: pytest.MonkeyPatch) -> None:
    job = Job.objects.create(name="test.of_tomorrow", args={"args": ["a"], "kwargs": {}})

    for _ in range(queue.MAX_ATTEMPTS + 1):  # old workers only
        queue.run(job.pk)
    waiting = outcome(job)
    due_in = job.due_at - timezone.now()
    monkeypatch.setitem(current_app.tasks, "test.of_tomorrow", note)
    queue.run(job.pk)  # a new one

    assert waiting == ("queued", 0, "")
    assert timedelta(seconds=5) < due_in < timedelta(minutes=1)
    assert (ran, outcome(job)) == (["a"], ("done", 1, ""))


def test_job_nobody_knows_after_a_day_has_failed() -> None:
    job = Job.objects.create(name="test.of_yesterday", args={"args": [], "kwargs": {}})
    Job.objects.update(created_at=timezone.now() - queue.UNKNOWN_AT_MOST - timedelta(minutes=1))

    queue.run(job.pk)

    assert outcome(job) == ("failed", 1, "no task is called 'test.of_yesterday'")


def test_job_whose_work_another_one_does_looks_again_as_often_as_it_takes() -> None:
    job = queue.enqueue("test.busy")
    for _ in range(queue.MAX_ATTEMPTS + 1):
        queue.run(job.pk)

    assert outcome(job) == ("queued", 0, "")
    assert job.due_at < timezone.now() + timedelta(minutes=1)


def test_lost_message_is_sent_again_when_due(no_broker: Callable[[], None]) -> None:
    job = queue.enqueue("test.note", "a")
    no_broker()
    early = queue.sweep()
    Job.objects.update(due_at=timezone.now())

    late = queue.sweep()

    assert (early, late, ran, outcome(job)) == (0, 1, ["a"], ("done", 1, ""))


def test_starting_worker_takes_what_is_queued_without_waiting(no_broker: Callable[[], None]) -> None:
    job = queue.enqueue("test.note", "a")
    no_broker()

    assert (queue.sweep(all_queued=True), outcome(job)) == (1, ("done", 1, ""))


def test_message_that_comes_twice_runs_once() -> None:
    job = queue.enqueue("test.note", "a")

    queue.run(job.pk)

    assert (ran, outcome(job)) == (["a"], ("done", 1, ""))


def test_killed_workers_job_is_run_again() -> None:
    job = Job.objects.create(name="test.note", args={"args": ["a"], "kwargs": {}}, state="running", attempts=1)

    assert (queue.sweep(), ran, outcome(job)) == (1, ["a"], ("done", 2, ""))


def test_living_workers_job_is_left_alone() -> None:
    job = Job.objects.create(name="test.note", args={"args": ["a"], "kwargs": {}}, state="running", attempts=1)
    with psycopg.connect(**connection.get_connection_params() | {"cursor_factory": psycopg.Cursor}) as other:
        other.execute("SELECT pg_advisory_lock(%s, %s)", [queue._LOCK_CLASS, job.pk])

        swept = queue.sweep()
        queue.run(job.pk)

    assert (swept, ran, outcome(job)) == (0, [], ("running", 1, ""))


def test_job_that_kills_every_worker_is_given_up() -> None:
    attempts = queue.MAX_ATTEMPTS
    job = Job.objects.create(name="test.note", args={"args": ["a"], "kwargs": {}}, state="running", attempts=attempts)

    queue.sweep()

    assert (ran, outcome(job)) == ([], ("failed", attempts, "the worker died each time"))


def test_refusal_fails_the_job_with_its_code() -> None:
    job = queue.enqueue("test.refuse")

    assert outcome(job) == ("failed", 1, "import.empty_file(line=3)")


def test_bug_fails_the_job_and_reaches_the_log(caplog: pytest.LogCaptureFixture) -> None:
    job = queue.enqueue("test.broken")

    assert outcome(job) == ("failed", 1, "ZeroDivisionError: a bug")
    assert [record.exc_info[0] for record in caplog.records if record.exc_info] == [ZeroDivisionError]


def test_unreachable_world_is_tried_again_later_and_later() -> None:
    job = queue.enqueue("test.unreachable")
    waits = []
    for _ in range(queue.MAX_ATTEMPTS - 1):
        job.refresh_from_db()
        waits.append(round((job.due_at - timezone.now()) / timedelta(seconds=10)))
        queue.run(job.pk)

    assert waits == [2, 4, 8, 16]
    assert (ran, outcome(job)) == (["tried"] * 5, ("failed", 5, "mail server"))


def test_progress_of_the_running_job_is_kept() -> None:
    job = queue.enqueue("test.progress")
    queue.report_progress(1, 1)  # outside a job: nothing happens

    job.refresh_from_db()

    assert (job.progress_done, job.progress_total) == (3, 7)


def test_old_done_jobs_are_removed() -> None:
    old = timezone.now() - queue.KEEP_DONE - timedelta(days=1)
    Job.objects.create(name="test.note", state="done", finished_at=old)
    Job.objects.create(name="test.note", state="failed", finished_at=old)

    queue.sweep()

    assert [job.state for job in Job.objects.all()] == ["failed"]


# -- at a moment -----------------------------------------------------------------------------------------------------


def test_job_for_a_moment_waits_whatever_message_comes_early() -> None:
    job = queue.enqueue_at(timezone.now() + timedelta(hours=1), "test.note", "a")

    queue.run(job.pk)  # a message on its own account
    swept = queue.sweep(all_queued=True)  # a worker starts

    assert (swept, ran, outcome(job)) == (0, [], ("queued", 0, ""))


def test_job_for_a_moment_is_sent_shortly_before_with_its_hour(monkeypatch: pytest.MonkeyPatch) -> None:
    sent: list[Any] = []
    monkeypatch.setattr(current_app.tasks["tourney.run_job"], "apply_async", lambda **given: sent.append(given))
    moment = timezone.now() + timedelta(minutes=10)
    job = queue.enqueue_at(moment, "test.note", "a")
    assert (queue.sweep(), sent) == (0, [])
    near = timezone.now() + timedelta(seconds=30)
    Job.objects.update(not_before=near, due_at=near - queue.LEAD)

    assert queue.sweep() == 1

    job.refresh_from_db()
    assert (sent, job.due_at) == ([{"args": [job.pk], "eta": near}], near + queue.SEND_AGAIN_AFTER)
    assert queue.sweep() == 0  # the message is on its way


def test_job_for_a_moment_runs_to_the_second_though_the_message_comes_a_little_early() -> None:
    moment = timezone.now() + timedelta(seconds=1)
    job = queue.enqueue_at(moment, "test.note", "a")  # sent at once, for the moment is near

    job.refresh_from_db()

    assert (ran, job.state) == (["a"], "done")
    assert moment <= job.started_at < moment + timedelta(seconds=1)


def test_worker_that_was_off_at_the_moment_takes_the_job_at_its_start() -> None:
    job = queue.enqueue_at(timezone.now() + timedelta(hours=1), "test.note", "a")
    passed = timezone.now() - timedelta(minutes=5)
    Job.objects.update(not_before=passed, due_at=passed - queue.LEAD)

    assert (queue.sweep(all_queued=True), ran, outcome(job)) == (1, ["a"], ("done", 1, ""))


def test_job_whose_moment_has_passed_does_not_wait_for_an_hour_of_a_clock_that_was_ahead() -> None:
    """A worker whose clock was three hours ahead took it, failed, and wrote when it is due again."""
    now = timezone.now()
    passed = queue.enqueue_at(now + timedelta(hours=1), "test.note", "passed")
    Job.objects.filter(pk=passed.pk).update(not_before=now - timedelta(hours=1), due_at=now + timedelta(hours=3))
    queue.enqueue_at(now + timedelta(hours=4), "test.note", "to come")

    assert (queue.sweep(), ran, outcome(passed)) == (1, ["passed"], ("done", 1, ""))
