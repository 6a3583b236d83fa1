"""The shipped presets as an event's regulation, and small builders for this package's tests."""

from __future__ import annotations

import tomllib
from datetime import date, datetime
from functools import cache
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import tourney
from registration.engine import rules
from registration.engine.rules import RegistrationRules
from tourney.kernel.money import Money
from tourney.kernel.regulation import resolve_dates

KYIV = ZoneInfo("Europe/Kyiv")
MOSCOW = ZoneInfo("Europe/Moscow")
PRESETS = Path(tourney.__path__[0]) / "presets"
STARTS = {"second-chance-32": date(2026, 1, 25), "youth-championship": date(2021, 8, 26)}


def regulation(code: str) -> dict[str, Any]:
    """Return a preset with the dates of an event; a fresh copy every time."""
    text = (PRESETS / f"{code}.toml").read_text(encoding="utf-8")
    return resolve_dates(tomllib.loads(text), STARTS.get(code, date(2026, 6, 1)))


@cache
def parsed(code: str) -> RegistrationRules:
    return rules.parse(regulation(code))


def kyiv(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=KYIV)


def moscow(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=MOSCOW)


def uah(amount: int | str) -> Money:
    return Money.parse(amount, "UAH")


def rub(amount: int | str) -> Money:
    return Money.parse(amount, "RUB")
