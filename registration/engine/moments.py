"""Instants and deadlines of a regulation, always in the event's own time zone.

A day written as a deadline ("up to 20 January inclusive") is kept as a half-open interval that ends at the next local
midnight: storing 23:59:59 would leave a hole of one second. An instant written as a deadline (20:00) belongs to the
time allowed unless the regulation says otherwise.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta, tzinfo


@dataclass(frozen=True, slots=True)
class Deadline:
    """The last moment something is in time; `closed` says whether the moment itself still is."""

    moment: datetime
    closed: bool
    is_day: bool = False  # written as a day: people are told "up to 20 January", not "before midnight"

    def allows(self, instant: datetime) -> bool:
        """Say whether an instant is in time."""
        # Compared in UTC: two local times of one zone compare by the wall clock, which repeats an hour in autumn.
        instant, moment = instant.astimezone(UTC), self.moment.astimezone(UTC)
        return instant <= moment if self.closed else instant < moment

    @property
    def last_day(self) -> date:
        """The last local day on which one is in time."""
        return (self.moment - timedelta(microseconds=0 if self.closed else 1)).date()


def deadline(text: str, zone: tzinfo, *, inclusive: bool = True) -> Deadline:
    """Return the deadline written as an ISO day or an ISO date and time (local unless it carries an offset).

    Raises ValueError when the text is neither, or at the edge of the calendar, where other zones have no such moment.
    """
    try:
        if len(text) == len("2026-01-20"):
            day = date.fromisoformat(text)
            following = day + timedelta(days=1) if inclusive else day
            found = Deadline(start_of_day(following, zone), closed=False, is_day=True)
        else:
            found = Deadline(instant(text, zone), closed=inclusive)
        found.moment.astimezone(UTC)
    except OverflowError as error:
        raise ValueError(text) from error
    return found


def instant(text: str, zone: tzinfo) -> datetime:
    """Return an aware instant in the event's time zone; a text without an offset is local time."""
    moment = datetime.fromisoformat(text)
    return moment.replace(tzinfo=zone) if moment.tzinfo is None else moment.astimezone(zone)


def start_of_day(day: date, zone: tzinfo) -> datetime:
    """Return the first instant of a local day."""
    return datetime.combine(day, time.min, tzinfo=zone)
