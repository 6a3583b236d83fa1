"""The clock of the worker: it says when regular work is due, also after the machine's clock was put back.

A laptop whose clock was hours ahead gets the right time with the first network it meets. Celery's own scheduler then
waits until the hour it believed in comes again, and meanwhile nothing lost is sent again and no backup is made.
"""

from __future__ import annotations

import time
from typing import Any

from celery import beat

PUT_BACK = 2.0  # seconds; clocks that are kept right are moved by less at a time


class Scheduler(beat.Scheduler):  # type: ignore[misc]
    """Celery's scheduler, which begins anew when the clock was put back."""

    _seen = 0.0

    def tick(self, *args: Any, **kwargs: Any) -> float:
        now = time.time()
        if now < self._seen - PUT_BACK:
            for entry in self.schedule.values():
                entry.last_run_at = entry.default_now()
            self._heap = None
        self._seen = now
        return float(super().tick(*args, **kwargs))
