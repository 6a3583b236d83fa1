"""A worker dies while it sends a letter: before, the letter goes later; after, it comes again as the same letter."""

from __future__ import annotations

from typing import Any

import psycopg
import pytest
from django.core import mail
from django.db import connection
from django.utils import timezone

from registration import notices
from registration.models import Application, Letter
from registration.notices import deliver
from tourney import queue
from tourney.models import Job
from tourney.testing import builders

pytestmark = pytest.mark.django_db


class Killed(BaseException):
    """What no code of ours catches, as a kill."""


@pytest.fixture
def letter() -> Letter:
    entry = builders.entry(builders.event("open-swiss").sections.get())
    Application.objects.create(entry=entry, email="a@example.org", link_hash="0" * 64)
    return Letter.objects.create(entry=entry, kind="registered", asked_at=timezone.now())


def killed(*_: Any, **__: Any) -> None:
    raise Killed


def test_letter_goes_later_when_the_worker_dies_before_it_is_sent(
    letter: Letter, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as death:
        death.setattr("django.core.mail.EmailMessage.send", killed)
        with pytest.raises(Killed):
            deliver(letter.pk)

    deliver(letter.pk)
    deliver(letter.pk)  # a message that comes twice

    assert len(mail.outbox) == 1


def test_letter_comes_again_with_its_own_id_when_the_worker_dies_after_it_was_sent(
    letter: Letter, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as death:
        death.setattr("registration.notices.record_entry_event", killed)
        with pytest.raises(Killed):
            deliver(letter.pk)

    deliver(letter.pk)
    deliver(letter.pk)

    ids = [one.message()["Message-ID"] for one in mail.outbox]
    assert ids == [f"<letter-{letter.pk}@tourney.invalid>"] * 2  # mail programs show it once
    letter.refresh_from_db()
    assert letter.state == Letter.State.SENT


def test_of_two_jobs_for_one_letter_one_sends_it_and_the_other_looks_again(letter: Letter) -> None:
    """Were it done when it finds the other at work, it would have done nothing if that one fails for good."""
    job = Job.objects.create(name=notices.TASK, args={"args": [letter.pk], "kwargs": {}})
    with psycopg.connect(**connection.get_connection_params() | {"cursor_factory": psycopg.Cursor}) as other:
        other.execute("SELECT pg_advisory_lock(%s, %s)", [notices._SENDING, letter.pk])
        queue.run(job.pk)
        job.refresh_from_db()
        held = (len(mail.outbox), job.state, job.attempts)
        other.execute("SELECT pg_advisory_unlock(%s, %s)", [notices._SENDING, letter.pk])
    queue.run(job.pk)
    deliver(letter.pk)

    job.refresh_from_db()
    assert (held, len(mail.outbox), job.state) == ((0, "queued", 0), 1, "done")
