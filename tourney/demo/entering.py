"""Putting an invented person into a group, the way the form and the desk do."""

from __future__ import annotations

from dataclasses import replace
from datetime import date, datetime, timedelta
from typing import Any

from registration.services import Applicant, mark_arrived, record_payment, register_entry
from tourney.demo.people import Person
from tourney.kernel.chance import Chance
from tourney.kernel.money import Money
from tourney.models import Entry, Section


def applicant(person: Person, **more: Any) -> Applicant:
    """Return the form a person would send; `more` holds birth, level, ratings, claims."""
    form = Applicant(
        surname=person.surname,
        given_name=person.given_name,
        patronymic=person.patronymic,
        sex=person.sex,
        city=person.town,
        district=person.district,
        club=person.club,
        email=person.email,
        phone=person.phone,
        lives_in_region=bool(person.district),
        registered_in_region=bool(person.district),
    )
    return replace(form, **more)


def enter(section: Section, form: Applicant, *, at: datetime) -> Entry:
    """Register somebody at a moment of the past; no letters go out."""
    return register_entry(section, form, now=at, notify=False, check_open=False).entry


def pay(entry: Entry, amount: str, *, at: datetime, channel: str, actor: Any) -> None:
    """Book a payment made and entered at a moment of the past."""
    money = Money.parse(amount, entry.tournament.currency)
    record_payment(entry, money, channel=channel, paid_at=at, now=at, actor=actor, notify=False)


def arrive(entry: Entry, *, at: datetime, actor: Any) -> None:
    """Mark somebody present at the roll-call."""
    mark_arrived(entry, actor=actor, now=at)


def birthday(chance: Chance, years: list[int]) -> date:
    """Return a day of birth within the years of a group."""
    year = years[0] + chance.below(years[1] - years[0] + 1)
    return date(year, 1 + chance.below(12), 1 + chance.below(28))


def before(moment: datetime, chance: Chance, *, days: int, more: int) -> datetime:
    """Return a moment some days before another: at least `days`, up to `more` days earlier than that."""
    return moment - timedelta(days=days + chance.below(more), minutes=chance.below(600))
