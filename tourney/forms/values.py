"""The values of rule data as people type them: amounts, clocks, deadlines, percentages, lists."""

from __future__ import annotations

import re
from datetime import date, datetime
from decimal import Decimal, InvalidOperation
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from tourney.kernel import clocks
from tourney.kernel.money import Money
from tourney.kernel.points import parse_points
from tourney.kernel.text import is_code, is_time_of_day
from tourney.moments import check_year
from tourney.regulation_schema.nodes import Amount, Clock, Code, Codes, Moment, Numbers, Percent, Points

RELATIVE = re.compile(r"start([+-]\d{1,4}d)?( \d\d:\d\d)?")


class RuleField(forms.CharField):
    """A text with a form of its own: money, a time control, a deadline, a list of numbers."""

    def __init__(self, *, read: Any = None, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.read = read

    def clean(self, value: Any) -> Any:
        text = super().clean(value)
        return self.read(text) if text and self.read else text


def read_amount(text: str) -> str:
    """Return an amount of zero or more in major units, without blanks and with a full stop."""
    try:
        amount = Money.parse(text, "")
    except ValueError as wrong:
        raise ValidationError(_("Write an amount: 600 or 600.50.")) from wrong
    if amount.minor < 0:
        raise ValidationError(_("An amount can't be below zero."))
    return re.sub(r"\s", "", text).replace(",", ".")


def read_clock(text: str) -> str:
    """Return a time control without blanks."""
    cleaned = re.sub(r"\s", "", text)
    try:
        clocks.Clock.parse(cleaned)
    except ValueError as wrong:
        raise ValidationError(_("Write minutes and seconds a move: 90+30, 3+2 or 5.")) from wrong
    return cleaned


def read_code(text: str) -> str:
    """Return a code as it was typed."""
    if not is_code(text):
        raise ValidationError(_("Use Latin letters, digits and hyphens."))
    return text


def read_time(text: str) -> str:
    """Return a time of day as it was typed."""
    if not is_time_of_day(text):
        raise ValidationError(_("Write a time as 10:00."))
    return text


def read_moment(text: str) -> str:
    """Return a day or a day with a time; people may write a space between them, and 20.01.2027 for the day."""
    cleaned = " ".join(text.replace("T", " ").split())
    if RELATIVE.fullmatch(cleaned):
        return cleaned
    for form, with_time in (
        ("%Y-%m-%d", False),
        ("%Y-%m-%d %H:%M", True),
        ("%d.%m.%Y", False),
        ("%d.%m.%Y %H:%M", True),
    ):
        try:
            moment = datetime.strptime(cleaned, form)  # noqa: DTZ007 -- a local time of the event, no instant yet
            check_year(moment)
        except ValueError:
            continue
        return moment.strftime("%Y-%m-%dT%H:%M") if with_time else date.isoformat(moment.date())
    raise ValidationError(_("Write a day (20.01.2027) or a day and a time (20.01.2027 20:00)."))


def read_percent(text: str) -> int | str:
    """Return a percentage from 0 to 100: a whole number, or a text where it has decimals."""
    try:
        percent = Decimal(text.replace(",", ".").rstrip("% "))
    except InvalidOperation as wrong:
        raise ValidationError(_("Write a percentage from 0 to 100.")) from wrong
    if not percent.is_finite() or not 0 <= percent <= 100:
        raise ValidationError(_("Write a percentage from 0 to 100."))
    return int(percent) if percent == percent.to_integral_value() else str(percent)


def read_points(text: str) -> str:
    """Return points as they were typed."""
    try:
        parse_points(text)
    except ValueError as wrong:
        raise ValidationError(_("Write points: 0, ½, 1 …")) from wrong
    return text


def read_numbers(text: str) -> list[int]:
    """Return whole numbers that stand between commas or blanks."""
    parts = [part for part in re.split(r"[,;\s]+", text) if part]
    if not all(part.isdecimal() for part in parts):
        raise ValidationError(_("Write whole numbers with commas: 11, 15."))
    return [int(part) for part in parts]


def read_codes(text: str) -> list[str]:
    """Return the words that stand between commas or blanks."""
    return [part for part in re.split(r"[,;\s]+", text) if part]


READERS = {
    Amount: read_amount,
    Clock: read_clock,
    Code: read_code,
    Moment: read_moment,
    Percent: read_percent,
    Points: read_points,
    Numbers: read_numbers,
    Codes: read_codes,
}
PLACEHOLDERS = {Clock: "90+30", Amount: "600", Moment: gettext_lazy("20.01.2027 20:00"), Percent: "50"}
