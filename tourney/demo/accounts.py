"""The staff of the demo events: one account for each role, with the same password."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Any

from django.conf import settings
from django.contrib.auth import get_user_model

from tourney.models import StaffRole, Tournament
from tourney.services.accounts import one_time_password

# On a laptop nobody else can reach the program; a server gets a password of its own.
LAPTOP_PASSWORD = "chess-demo"  # noqa: S105

CAST = (
    ("demo-organizer", StaffRole.Role.ORGANIZER),
    ("demo-chief", StaffRole.Role.CHIEF_ARBITER),
    ("demo-arbiter", StaffRole.Role.ARBITER),
    ("demo-desk", StaffRole.Role.DESK),
    ("demo-treasurer", StaffRole.Role.TREASURER),
)


@dataclass(frozen=True, slots=True)
class Account:
    """A log-in as it is shown once. `password` is empty for an account that was there before."""

    name: str
    role: str
    password: str


def make_accounts() -> tuple[dict[str, Any], list[Account]]:
    """Return the users by role, made where they don't exist, and how to sign in."""
    password = os.environ.get("DEMO_PASSWORD") or (LAPTOP_PASSWORD if settings.LAPTOP_MODE else one_time_password())
    users: dict[str, Any] = {}
    shown = []
    for name, role in CAST:
        user = get_user_model().objects.filter(username=name).first()
        fresh = user is None
        if user is None:
            user = get_user_model().objects.create_user(username=name, password=password)
        users[role] = user
        shown.append(Account(name, str(StaffRole.Role(role).label), password if fresh else ""))
    return users, shown


def give_roles(tournament: Tournament, users: dict[str, Any], organizer: Any = None) -> None:
    """Give the demo's staff, and whoever pressed the button, their roles in an event."""
    roles = [(user, role) for role, user in users.items()]
    if organizer is not None and getattr(organizer, "is_authenticated", False):
        roles.append((organizer, StaffRole.Role.ORGANIZER))
    for user, role in roles:
        StaffRole.objects.get_or_create(tournament=tournament, user=user, role=role)
