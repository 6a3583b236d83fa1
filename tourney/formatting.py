"""How values are written for people: money, dates in an event's zone, results. Plain functions for tags and views."""

from __future__ import annotations

import datetime as dt
import re
from typing import Any, Final
from zoneinfo import ZoneInfo

from django.utils import timezone
from django.utils.formats import date_format
from django.utils.translation import get_language, gettext_lazy
from django.utils.translation import gettext as _

from tourney.kernel.money import MINOR_UNITS, Money

NBSP: Final = "\u00a0"
SIGNS: Final = {"UAH": "₴", "RUB": "₽", "EUR": "€", "USD": "$"}
_AMOUNT: Final = re.compile(r"(-?\d+\.\d{2}) ([A-Z]{3})")  # how the kernel's money writes itself
# What an arbiter writes (kernel ResultCode) -> how it is shown, and its words for readers of screens.
RESULTS: Final[dict[str, tuple[str, Any]]] = {
    "1-0": ("1–0", gettext_lazy("White won")),
    "1/2": ("½–½", gettext_lazy("Draw")),
    "0-1": ("0–1", gettext_lazy("Black won")),
    "+-": ("+ −", gettext_lazy("White won by forfeit")),
    "-+": ("− +", gettext_lazy("Black won by forfeit")),
    "--": ("− −", gettext_lazy("Double forfeit")),
    "0-0": ("0–0", gettext_lazy("Both lost")),
    "1/2-0": ("½–0", gettext_lazy("White half a point, Black none")),
    "0-1/2": ("0–½", gettext_lazy("White none, Black half a point")),
}


def money_text(money: Money) -> str:
    """Return ``1 200 ₴``; minor units only where there are some (``600,50 ₴``), written as the language does."""
    whole, minor = divmod(abs(money.minor), MINOR_UNITS)
    english = (get_language() or "").startswith("en")
    text = f"{whole:,}".replace(",", "," if english else NBSP)
    if minor:
        text += f"{'.' if english else ','}{minor:02d}"
    sign = "−" if money.minor < 0 else ""
    return f"{sign}{text}{NBSP}{SIGNS.get(money.currency, money.currency)}"


def shown_value(value: Any) -> Any:
    """Return a value of a refusal or a log line for people: an amount (``100.00 UAH``) the way money is shown."""
    if isinstance(value, str) and (found := _AMOUNT.fullmatch(value)):
        return money_text(Money.parse(found[1], found[2]))
    return money_text(value) if isinstance(value, Money) else value


def result_text(code: str) -> str:
    """Return a result code as it is shown (``1-0`` -> ``1–0``); an unknown code is shown as it is."""
    return RESULTS[code][0] if code in RESULTS else code


def result_words(code: str) -> str:
    """Return a result code in words, for labels of buttons."""
    return str(RESULTS[code][1]) if code in RESULTS else code


def local(value: dt.datetime, zone: ZoneInfo | None = None) -> dt.datetime:
    """Return the moment in the event's zone (else in the current one)."""
    return timezone.localtime(value, zone) if timezone.is_aware(value) else value


def day_text(day: dt.date, *, year: bool = False) -> str:
    """Return ``Sun, 25 January``, with the year when it is asked for or is not this one."""
    with_year = year or day.year != timezone.localdate().year
    return date_format(day, "D, j E Y" if with_year else "D, j E")


def moment_text(value: dt.datetime, zone: ZoneInfo | None = None) -> str:
    """Return ``Sun, 25 January, 10:00`` in the event's zone."""
    shown = local(value, zone)
    return f"{day_text(shown.date())}, {shown:%H:%M}"


def days_text(first: dt.date, last: dt.date) -> str:
    """Return the days of an event: ``25 January 2027 (Mon)``, ``23–25 January 2027``, ``30 January – 2 March 2027``."""
    if first == last:
        return date_format(first, "j E Y") + f" ({date_format(first, 'D')})"
    if (first.year, first.month) == (last.year, last.month):
        return f"{first.day}–{date_format(last, 'j E Y')}"
    start = date_format(first, "j E" if first.year == last.year else "j E Y")
    return f"{start} – {date_format(last, 'j E Y')}"


def event_line(tournament: Any) -> str:
    """Return the date and place line under an event's title; whatever is unknown is left out."""
    dates = getattr(tournament, "dates_text", "")
    if not dates and getattr(tournament, "starts_on", None):
        dates = days_text(tournament.starts_on, tournament.ends_on or tournament.starts_on)
        start_time = getattr(tournament, "start_time", None)
        if start_time:
            dates = _("%(days)s, start %(time)s") % {"days": dates, "time": f"{start_time:%H:%M}"}
    return " · ".join(str(part) for part in (dates, getattr(tournament, "venue_text", "")) if part)
