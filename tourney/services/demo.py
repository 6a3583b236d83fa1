"""Loading the demo as work for the queue: it plays whole events, which takes a minute on a small machine.

The accounts are made at once, because their passwords are shown once and stand nowhere; the events follow, each whole
or not at all. A killed worker's successor makes those that aren't there. Which events, the composition root says
(`settings.DEMO_LOADER`): the core does not know the apps they are made of.
"""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.contrib.auth import get_user_model
from django.db import connection, transaction
from django.utils.module_loading import import_string

from tourney import queue
from tourney.models import Job

TASK = "tourney.load_demo"
_LOCK_CLASS = 7_060_521  # of the advisory lock: one worker loads


@transaction.atomic
def request_demo(organizer: Any) -> list[Any]:
    """Make the demo's accounts and ask a worker for its events; return how to sign in, with new accounts' passwords."""
    with connection.cursor() as cursor:  # two clicks: one job
        cursor.execute("SELECT pg_advisory_xact_lock(%s, 1)", [_LOCK_CLASS])
    accounts: list[Any] = import_string(settings.DEMO_ACCOUNTS)()[1]
    job = job_of_demo()
    if job is None or not job.is_open:
        queue.enqueue(TASK, organizer.pk)
    return accounts


def job_of_demo() -> Job | None:
    """Return the newest job that loads the demo."""
    return Job.objects.filter(name=TASK).order_by("-pk").first()


def run_load(organizer: int) -> None:
    """Make the demo events that aren't there; may run any number of times."""
    user = get_user_model()._default_manager.filter(pk=organizer).first()
    with queue.alone(_LOCK_CLASS, 0) as is_ours:
        if not is_ours:
            raise queue.Busy
        import_string(settings.DEMO_LOADER)(organizer=user, tell=queue.report_progress)
