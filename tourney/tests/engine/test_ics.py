"""Calendar files: RFC 5545."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from tourney.ics import CalendarItem, calendar

STAMP = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)


def lines(*items: CalendarItem) -> list[str]:
    return calendar(items, name="Cup", stamp=STAMP).decode().replace("\r\n ", "").split("\r\n")


@pytest.mark.clause("K2.1")
def test_moment_is_written_in_utc_with_its_end() -> None:
    start = datetime(2026, 1, 25, 11, tzinfo=ZoneInfo("Europe/Kyiv"))
    item = CalendarItem("1@x", "Cup", moment=start, duration=timedelta(hours=9), place="Kyiv", url="https://x/t/cup/")
    assert lines(item) == [
        "BEGIN:VCALENDAR",
        "VERSION:2.0",
        "PRODID:-//Tourney//EN",
        "CALSCALE:GREGORIAN",
        "METHOD:PUBLISH",
        "X-WR-CALNAME:Cup",
        "BEGIN:VEVENT",
        "UID:1@x",
        "DTSTAMP:20260102T030405Z",
        "DTSTART:20260125T090000Z",
        "DTEND:20260125T180000Z",
        "SUMMARY:Cup",
        "LOCATION:Kyiv",
        "URL:https://x/t/cup/",
        "END:VEVENT",
        "END:VCALENDAR",
        "",
    ]


def test_whole_days_end_on_the_day_after_the_last() -> None:
    found = lines(CalendarItem("1@x", "Cup", first=date(2026, 8, 26), last=date(2026, 8, 30), cancelled=True))
    assert "DTSTART;VALUE=DATE:20260826" in found
    assert "DTEND;VALUE=DATE:20260831" in found
    assert "STATUS:CANCELLED" in found


def test_text_is_escaped() -> None:
    item = CalendarItem("1@x", "a;b,c\\d", first=date(2026, 1, 1), text="one\r\ntwo")
    assert "SUMMARY:a\\;b\\,c\\\\d" in lines(item)
    assert "DESCRIPTION:one\\ntwo" in lines(item)


def test_long_lines_are_folded_at_75_bytes_and_never_inside_a_letter() -> None:
    title = "Перші відкриті змагання з шахів " * 6
    content = calendar([CalendarItem("1@x", title, first=date(2026, 1, 1))], name="Cup", stamp=STAMP)
    pieces = content.split(b"\r\n")
    assert max(len(piece) for piece in pieces) <= 75
    for piece in pieces:
        piece.decode()
    assert f"SUMMARY:{title}" in content.decode().replace("\r\n ", "")
