"""What the worker does for registration: letters, and deadlines that pass."""

from __future__ import annotations

from celery import shared_task

from registration.notices import TASK
from registration.notices import send_notice as send
from registration.ratings.loading import TASK as LOAD_RATINGS
from registration.ratings.loading import run_load
from registration.services import bank
from registration.services import pass_deadlines as pass_now


@shared_task(name=TASK)
def send_notice(entry_id: int, kind: str, base_url: str = "") -> None:
    """Send one letter."""
    send(entry_id, kind, base_url)


@shared_task(name=LOAD_RATINGS)
def load_ratings(pk: int) -> None:
    """Load a rating list."""
    run_load(pk)


@shared_task(name="registration.pass_deadlines")
def pass_deadlines() -> int:
    """Close offers nobody answered and places nobody paid for; the next in the list move up."""
    return pass_now()


@shared_task(name=bank.TASK)
def read_statement(pk: int) -> None:
    """Read a bank statement."""
    bank.read_statement(pk)
