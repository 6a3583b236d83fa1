"""Days and moments nobody can mean: refused where they are typed, and where a regulation holds them."""

from __future__ import annotations

from datetime import date, datetime
from zoneinfo import ZoneInfo

import pytest
from django.core.exceptions import ValidationError

from registration.engine.moments import deadline
from tourney.forms.values import read_moment
from tourney.kernel.regulation import resolve_dates
from tourney.moments import hall_moment, valid_day

KYIV, APIA = ZoneInfo("Europe/Kyiv"), ZoneInfo("Pacific/Pago_Pago")


@pytest.mark.parametrize("day", [date.min, date(1899, 12, 31), date(2200, 1, 1), date.max])
def test_a_year_nobody_can_mean_is_refused_in_every_field(day: date) -> None:
    midnight = datetime(day.year, day.month, day.day)  # noqa: DTZ001 -- as a form reads it
    for refused in (lambda: valid_day(day), lambda: read_moment(day.isoformat())):
        with pytest.raises(ValidationError):
            refused()
    with pytest.raises(ValueError, match="year"):
        hall_moment(midnight, KYIV)


def test_a_moment_is_read_by_the_clock_of_the_hall() -> None:
    typed = datetime(2027, 1, 25, 14, 0)  # noqa: DTZ001 -- as a form reads it

    assert hall_moment(typed, KYIV).isoformat() == "2027-01-25T14:00:00+02:00"
    valid_day(date(1900, 1, 1))
    assert read_moment("25.01.2027 14:00") == "2027-01-25T14:00"


@pytest.mark.parametrize(
    ("text", "zone"),
    [("0001-01-01", KYIV), ("0001-01-01T00:00", KYIV), ("9999-12-31", KYIV), ("9999-12-31T23:59", APIA)],
)
def test_a_deadline_at_the_edge_of_the_calendar_is_no_moment(text: str, zone: ZoneInfo) -> None:
    with pytest.raises(ValueError, match=text):
        deadline(text, zone, inclusive=text > "2")


def test_a_relative_day_beyond_the_calendar_stays_what_no_rule_reads() -> None:
    assert resolve_dates(["start+9999d", "start+99999999999d"], date(2026, 1, 1)) == [
        "2053-05-18",
        "start+99999999999d",
    ]
