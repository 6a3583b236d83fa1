"""Builders of events and people for tests: the cast is an organizer, an arbiter, an entrant and a stranger."""

from __future__ import annotations

from datetime import date, timedelta
from itertools import count
from typing import Any

from django.contrib.auth import get_user_model
from django.utils import timezone

from tourney.models import Entry, Player, Section, StaffRole, Tournament
from tourney.services.entries import record_entry_event
from tourney.services.events import create_event

_numbers = count(1)


def user(name: str, tournament: Tournament | None = None, role: str = "") -> Any:
    """Return a user, with a role in an event when one is named."""
    found, _ = get_user_model().objects.get_or_create(username=name)
    if tournament is not None and role:
        StaffRole.objects.get_or_create(tournament=tournament, user=found, role=role)
    return found


def event(preset: str = "open-swiss", *, starts_on: date | None = None, **fields: Any) -> Tournament:
    """Return a public event made from a preset, starting in ten days unless told otherwise."""
    number = next(_numbers)
    fields.setdefault("public", True)
    fields.setdefault("state", Tournament.State.REGISTRATION)
    fields.setdefault("slug", f"event-{number}")
    return create_event(
        preset_code=preset,
        starts_on=starts_on or timezone.localdate() + timedelta(days=10),
        title={"uk": f"Турнір {number}", "ru": f"Турнир {number}", "en": f"Event {number}"},
        **fields,
    )


def entry(
    section: Section, surname: str = "", *, rating: int | None = None, state: str = "confirmed", **player: Any
) -> Entry:
    """Return an entry of an invented player, with its event row."""
    number = next(_numbers)
    person = Player.objects.create(surname=surname or f"Гравець{number}", **player)
    made = Entry.objects.create(
        tournament=section.tournament,
        section=section,
        player=person,
        rating=rating,
        level=person.level,
        registered_at=timezone.now(),
    )
    record_entry_event(made, "registered", state=state)
    return made


def entries(section: Section, number: int, *, top: int = 2200, step: int = 20) -> list[Entry]:
    """Return confirmed entries with falling ratings."""
    return [entry(section, rating=top - step * index) for index in range(number)]
