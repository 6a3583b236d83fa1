"""What the worker does for registration: letters, and deadlines that pass."""

from __future__ import annotations

from celery import shared_task

from registration.notices import TASK, deliver
from registration.privacy.erasing import keep_no_longer as keep_now
from registration.ratings.loading import TASK as LOAD_RATINGS
from registration.ratings.loading import run_load
from registration.services import bank
from registration.services import pass_deadlines as pass_now
from registration.telling import services as telling


@shared_task(name=TASK)
def send_notice(letter: int) -> None:
    """Send one letter."""
    deliver(letter)


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


@shared_task(name="registration.keep_no_longer")
def keep_no_longer() -> None:
    """Throw away what has been kept long enough."""
    keep_now()


@shared_task(name=telling.TELL_TASK)
def tell_pairings(stage: int, key: str) -> None:
    """Write down whom a published round or match is told to."""
    telling.tell(stage, key)


@shared_task(name=telling.SEND_TASK)
def send_pairing_notice(notice: int) -> None:
    """Tell one subscriber one pairing."""
    telling.deliver(notice)


@shared_task(name="registration.read_messages")
def read_messages() -> int:
    """Read what people wrote to the bot: who wants to hear of whose pairings, and who no more."""
    return telling.read_messages()
