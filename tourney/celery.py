"""The Celery application. `TourneyConfig.ready` loads it, so that every process knows every task by name."""

from __future__ import annotations

import os
from typing import Any

from celery import Celery
from celery.signals import setup_logging

from tourney.laptop import broker

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "tourney.settings")
broker.register()

app = Celery("tourney")
app.config_from_object("django.conf:settings", namespace="CELERY")


@setup_logging.connect
def _log_like_the_web(**_: Any) -> None:
    """Let workers log as web processes do (`LOGGING`): with a receiver here Celery adds nothing of its own."""


def load_tasks() -> None:
    """Read the `tasks` module of every installed application now, not at the worker's start."""
    app.set_default()
    app.autodiscover_tasks(force=True)
