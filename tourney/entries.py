"""What forms of entries say that may have waited for a network: numbers, hours, the number of the operation."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from uuid import UUID

OLDEST = timedelta(days=14)  # an entry that says it is older than this has a clock nobody should write down


def clock_of(entered: str | None, sent: str | None, now: datetime) -> tuple[datetime | None, int]:
    """Return when an entry was made by the server's clock, and how far the tablet's clock is ahead, in seconds.

    Both are milliseconds of the tablet's own clock: the difference between them is true even when the clock is wrong.
    """
    made, posted = whole(entered), whole(sent)
    if made is None or posted is None or posted > 253_370_000_000_000:  # beyond the year 9999
        return None, 0
    skew = (datetime.fromtimestamp(posted / 1000, UTC) - now).total_seconds()
    waited = timedelta(milliseconds=max(0, posted - made))
    return (now - waited if waited <= OLDEST else None), max(-(2**31), min(2**31 - 1, round(skew)))


def whole(text: str | None) -> int | None:
    """Return a whole number of a form, None for anything else."""
    return int(text) if text and text.isdecimal() and text.isascii() and len(text) < 18 else None


def uuid_of(text: str | None) -> UUID | None:
    """Return the number of an operation, None for anything else."""
    try:
        return UUID(text or "")
    except ValueError:
        return None
