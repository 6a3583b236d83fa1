"""What the worker does for prizes: letters to winners, draws at their second, diplomas."""

from __future__ import annotations

from celery import shared_task

from prizes.notices import send_notice as send
from prizes.services import diplomas, timed_draws
from prizes.services.awards import NOTICE_TASK


@shared_task(name=NOTICE_TASK)
def send_notice(event_id: int) -> None:
    """Send one letter."""
    send(event_id)


@shared_task(name=timed_draws.RUN_TASK)
def run_draw(draw_id: int) -> None:
    """Decide one draw whose moment has come."""
    timed_draws.run_draw(draw_id)


@shared_task(name=diplomas.TASK)
def make_diplomas(file_id: int) -> None:
    """Make one file of diplomas."""
    diplomas.make_diplomas(file_id)
