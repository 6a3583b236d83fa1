"""People for tests of registration: shorthand over the services, with every moment given."""

from __future__ import annotations

import datetime as dt
from typing import Any

from registration.models import LedgerLine
from registration.services import Applicant, Registered, record_payment, register_entry
from tourney.kernel.money import Money
from tourney.models import Entry, Section, Tournament
from tourney.testing import builders

KYIV = {"preset": "second-chance-32", "starts_on": dt.date(2026, 1, 25)}
MARI_EL = {"preset": "youth-championship", "starts_on": dt.date(2021, 8, 26)}


def kyiv(**fields: Any) -> Tournament:
    """The knockout of 25 January 2026 (early fee up to the 20th)."""
    return builders.event(**(KYIV | fields))


def mari_el(**fields: Any) -> Tournament:
    """The youth championship that began on 26 August 2021."""
    return builders.event(**(MARI_EL | fields))


def moment(event: Tournament, text: str) -> dt.datetime:
    """Return a local moment of an event."""
    return dt.datetime.fromisoformat(text).replace(tzinfo=event.zone)


def section(event: Tournament, code: str = "") -> Section:
    found = event.sections.get(code=code) if code else event.sections.first()
    assert found is not None
    found.tournament = event
    return found


def enter(where: Section, surname: str, at: dt.datetime, *, online: bool = True, **fields: Any) -> Registered:
    """Enter somebody who fits the section unless `fields` say otherwise."""
    who = where.eligibility
    years = who.get("birth_years") or [2000, 2000]
    given: dict[str, Any] = {
        "given_name": "Олег",
        "birth_date": dt.date(years[0], 5, 17),
        "sex": who.get("sex") or "M",
        "level": (who.get("levels") or [""])[0],
        "email": f"{abs(hash(surname)) % 10**8}@example.org",
        "lives_in_region": True,
        "registered_in_region": True,
    }
    service = {key: fields.pop(key) for key in ("operation", "actor", "reason", "check_open") if key in fields}
    return register_entry(where, Applicant(surname=surname, **(given | fields)), now=at, online=online, **service)


def pay(entry: Entry, major: str, at: dt.datetime, **more: Any) -> LedgerLine:
    more.setdefault("now", at)
    return record_payment(entry, Money.parse(major, entry.tournament.currency), paid_at=at, **more)


def states(event: Tournament) -> dict[str, str]:
    return dict(event.entries.order_by("pk").values_list("player__surname", "state"))
