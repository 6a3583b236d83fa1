"""Days and moments as people type them in a form: by the clock of the hall, and of a year that can be meant."""

from __future__ import annotations

from datetime import date, datetime, tzinfo

from django.core.exceptions import ValidationError
from django.forms import DateField

# What lies outside is a slip of the finger. The edges of the calendar (the years 1 and 9999) have moments besides that
# have none in another zone: they could be neither compared nor read back from the database.
FIRST_YEAR, LAST_YEAR = 1900, 2199


def hall_moment(moment: datetime, zone: tzinfo) -> datetime:
    """Return the moment that a wall clock in `zone` shows as `moment`; an offset of its own is left out.

    Raises ValueError for a year nobody can mean.
    """
    check_year(moment)
    return moment.replace(tzinfo=zone)


def check_year(day: date) -> None:
    """Raise ValueError for a day, or a moment, of a year nobody can mean."""
    if not FIRST_YEAR <= day.year <= LAST_YEAR:
        raise ValueError(f"year {day.year}")


def valid_day(day: date) -> None:
    """Refuse a day whose year can't be meant, as a validator of a field of a form."""
    try:
        check_year(day)
    except ValueError:
        raise ValidationError(DateField.default_error_messages["invalid"], code="invalid") from None


def clean_hall_moment(moment: datetime, zone: tzinfo, words: object) -> datetime:
    """Return `hall_moment` for a field of a form; `words` stand at the field where the year can't be meant."""
    try:
        return hall_moment(moment, zone)
    except ValueError:
        raise ValidationError(str(words)) from None
