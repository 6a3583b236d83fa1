"""Work for a Celery worker, kept as a row so that a killed worker or a lost broker loses nothing."""

from __future__ import annotations

from django.db import models
from django.utils import timezone
from django.utils.translation import gettext_lazy as _


class Job(models.Model):
    """One piece of work. A worker claims it by the step queued → running; what hangs is swept and sent again.

    See `tourney.queue`, the only module that writes these rows.
    """

    class State(models.TextChoices):
        QUEUED = "queued", _("waiting")
        RUNNING = "running", _("running")
        DONE = "done", _("done")
        FAILED = "failed", _("failed")

    OPEN = (State.QUEUED, State.RUNNING)

    name = models.CharField(max_length=80)  # the task's registered name
    args = models.JSONField(default=dict)  # {"args": [...], "kwargs": {...}}
    state = models.CharField(max_length=8, choices=State.choices, default=State.QUEUED)
    attempts = models.PositiveSmallIntegerField(default=0)
    created_at = models.DateTimeField(auto_now_add=True)
    due_at = models.DateTimeField(default=timezone.now)  # a job still queued then is sent (again) by the sweep
    not_before = models.DateTimeField(null=True, blank=True)  # no worker takes the job earlier
    started_at = models.DateTimeField(null=True, blank=True)
    finished_at = models.DateTimeField(null=True, blank=True)
    error = models.TextField(blank=True)
    progress_done = models.PositiveIntegerField(default=0)
    progress_total = models.PositiveIntegerField(default=0)

    class Meta:
        ordering = ["-id"]
        indexes = [models.Index(fields=["state", "due_at"])]

    def __str__(self) -> str:
        return f"{self.name} {self.state}"

    @property
    def is_open(self) -> bool:
        """Whether a worker has the job in hand or is to come."""
        return self.state in self.OPEN
