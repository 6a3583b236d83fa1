"""The schedule of an event as its regulation lays it down, in words for the event page (M7.1, M7.3)."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from tourney.formatting import moment_text
from tourney.kernel.clocks import Clock
from tourney.models import Tournament


def clock_words(clock: str) -> str:
    """Return ``90+30`` as words: 90 minutes and 30 seconds a move; another notation is shown as it is."""
    try:
        time = Clock.parse(clock)
    except ValueError:
        return clock
    base = ngettext("%(n)d minute", "%(n)d minutes", time.minutes) % {"n": time.minutes}
    if not time.increment:
        return base
    more = ngettext("%(n)d second a move", "%(n)d seconds a move", time.increment) % {"n": time.increment}
    return f"{base} + {more}"


def day_plan(tournament: Tournament, spec: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the schedule's lines as `components/sheet.html` shows them; what the regulation leaves out is left out."""
    schedule = spec.get("schedule", {})
    closes = _moment(spec.get("registration", {}).get("closes_at", ""), tournament)
    per_day = int(schedule.get("rounds_per_day", 0) or 0)
    rounds = ngettext("%(n)d round a day", "%(n)d rounds a day", per_day) % {"n": per_day} if per_day else ""
    return [
        {"label": _("Registration until"), "value": moment_text(closes, tournament.zone) if closes else ""},
        {"label": _("Round 1"), "value": schedule.get("first", "")},
        {"label": _("Odd rounds"), "value": schedule.get("odd", "")},
        {
            "label": _("Even rounds"),
            "value": schedule.get("even", ""),
            "note": _early_even(int(schedule.get("early_even_minutes", 0) or 0)),
        },
        {"label": _("Rounds"), "value": rounds},
        {"label": _("Time control"), "value": clock_words(str(spec.get("clock", {}).get("main", "")))},
    ]


def registration_closes(tournament: Tournament, spec: Mapping[str, Any]) -> dt.datetime | None:
    """Return when the regulation closes registration, in the event's zone."""
    return _moment(spec.get("registration", {}).get("closes_at", ""), tournament)


def _early_even(minutes: int) -> str:
    if not minutes:
        return ""
    return ngettext(
        "may begin earlier: %(n)d minute after the last game of the odd round",
        "may begin earlier: %(n)d minutes after the last game of the odd round",
        minutes,
    ) % {"n": minutes}


def _moment(text: Any, tournament: Tournament) -> dt.datetime | None:
    """Return a regulation's local moment (``2026-01-25T10:30``) in the event's zone."""
    try:
        moment = dt.datetime.fromisoformat(str(text))
    except ValueError:
        return None
    return moment if moment.tzinfo else moment.replace(tzinfo=tournament.zone)
