"""The number of what is being done now: a request's, or a job's. Each line of the program's log carries it."""

from __future__ import annotations

import logging
from contextvars import ContextVar

current: ContextVar[str] = ContextVar("number", default="")


class WithNumber(logging.Filter):
    """Gives each line of the log the number of the request, or of the job, that it was written in."""

    def filter(self, record: logging.LogRecord) -> bool:
        record.request_id = current.get()
        return True
