"""What the worker does for prizes: letters to winners."""

from __future__ import annotations

from celery import shared_task

from prizes.notices import send_notice as send
from prizes.services.awards import NOTICE_TASK


@shared_task(name=NOTICE_TASK)
def send_notice(event_id: int) -> None:
    """Send one letter."""
    send(event_id)
