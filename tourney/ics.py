"""Calendar files by RFC 5545: escaped text, lines folded at 75 bytes, moments in UTC.

Moments in UTC need no time zone component, and every calendar shows them in its owner's zone.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta


@dataclass(frozen=True, slots=True)
class CalendarItem:
    """Something in a calendar: whole days (`first` to `last`) or a moment with a duration."""

    uid: str
    title: str
    first: date | None = None
    last: date | None = None
    moment: datetime | None = None
    duration: timedelta = timedelta(0)
    place: str = ""
    text: str = ""
    url: str = ""
    cancelled: bool = False


def calendar(items: Iterable[CalendarItem], *, name: str, stamp: datetime) -> bytes:
    """Return a calendar file; `stamp` is when it was made (RFC 5545, 3.8.7.2)."""
    lines = [
        "BEGIN:VCALENDAR",
        "VERSION:2.0",
        "PRODID:-//Tourney//EN",
        "CALSCALE:GREGORIAN",
        "METHOD:PUBLISH",
    ]
    lines.append(f"X-WR-CALNAME:{_escaped(name)}")
    for item in items:
        lines.extend(_event(item, stamp))
    lines.append("END:VCALENDAR")
    return b"".join(_folded(line) for line in lines)


def _event(item: CalendarItem, stamp: datetime) -> list[str]:
    lines = ["BEGIN:VEVENT", f"UID:{item.uid}", f"DTSTAMP:{_utc(stamp)}"]
    if item.moment is not None:
        lines.append(f"DTSTART:{_utc(item.moment)}")
        if item.duration:
            lines.append(f"DTEND:{_utc(item.moment + item.duration)}")
    elif item.first is not None:
        after = (item.last or item.first) + timedelta(days=1)  # the end of whole days is exclusive
        lines.append(f"DTSTART;VALUE=DATE:{item.first:%Y%m%d}")
        lines.append(f"DTEND;VALUE=DATE:{after:%Y%m%d}")
    lines.append(f"SUMMARY:{_escaped(item.title)}")
    for key, text in (("LOCATION", item.place), ("DESCRIPTION", item.text)):
        if text:
            lines.append(f"{key}:{_escaped(text)}")
    if item.url:
        lines.append(f"URL:{item.url}")
    if item.cancelled:
        lines.append("STATUS:CANCELLED")
    lines.append("END:VEVENT")
    return lines


def _utc(moment: datetime) -> str:
    return f"{moment.astimezone(UTC):%Y%m%dT%H%M%SZ}"


def _escaped(text: str) -> str:
    cleaned = text.replace("\r\n", "\n").replace("\r", "\n")
    return cleaned.replace("\\", "\\\\").replace(";", "\\;").replace(",", "\\,").replace("\n", "\\n")


def _folded(line: str) -> bytes:
    """Return a content line cut into pieces of at most 75 bytes, never inside a letter."""
    pieces: list[bytes] = []
    piece = b""
    for letter in line:
        encoded = letter.encode()
        if len(piece) + len(encoded) > (75 if not pieces else 74):
            pieces.append(piece)
            piece = b""
        piece += encoded
    pieces.append(piece)
    return b"\r\n ".join(pieces) + b"\r\n"
