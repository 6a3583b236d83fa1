"""Accounts: the very first one, and people an organizer gives a role.

Nobody can sign up. The first visitor of an empty installation makes the first account; from then on accounts come
from organizers only, with a password that is shown once.
"""

from __future__ import annotations

import secrets
from typing import Any

from django.contrib.auth import get_user_model
from django.db import connection, transaction
from django.db.models import Q

from tourney.kernel.errors import TourneyError
from tourney.models import StaffRole, Tournament
from tourney.services.log import log

# Letters and digits nobody mixes up when they are read aloud or copied from paper.
_ALPHABET = "abcdefghjkmnpqrstuvwxyz23456789"
_FIRST_ACCOUNT_LOCK = 7_205_001  # any number, the same in every process


def nobody_yet() -> bool:
    """Return whether the installation has no account at all."""
    return not get_user_model().objects.exists()


@transaction.atomic
def create_first_organizer(*, username: str, email: str, password: str) -> Any:
    """Create the first account, with every right; TourneyError ``account.not_first`` as soon as anybody exists.

    Two visitors at the same moment are told apart by a lock of the database: an empty table has no row to lock.
    """
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(%s)", [_FIRST_ACCOUNT_LOCK])
    if not nobody_yet():
        raise TourneyError("account.not_first")
    return get_user_model().objects.create_superuser(username=username, email=email, password=password)


def one_time_password() -> str:
    """Return a password of three groups, about 59 bits."""
    return "-".join("".join(secrets.choice(_ALPHABET) for _ in range(4)) for _ in range(3))


@transaction.atomic
def add_staff(tournament: Tournament, name: str, role: str, *, actor: Any) -> tuple[Any, str]:
    """Give a person a role; return the user and, for a new account, its password (else "").

    `name` is a user name or an e-mail address; who is not known gets an account. An account that came with the event's
    archive gets its first password here, also for the role it has already. Raises TourneyError
    ``staff.bad_name``, ``staff.bad_role``, ``staff.has_role``.
    """
    name = name.strip()
    if role not in StaffRole.Role.values:
        raise TourneyError("staff.bad_role")
    users = get_user_model().objects
    is_mail = "@" in name
    found = users.filter(
        Q(username__iexact=name) | Q(email__iexact=name) if is_mail else Q(username__iexact=name)
    ).first()
    password = ""
    if found is None:
        if not 3 <= len(name) <= 150 or any(sign.isspace() for sign in name):
            raise TourneyError("staff.bad_name")
        password = one_time_password()
        found = users.create_user(username=name, email=name if is_mail else "", password=password)
    elif _came_with(tournament, found):
        password = one_time_password()
        found.is_active = True
        found.set_password(password)
        found.save(update_fields=["is_active", "password"])
    _, created = StaffRole.objects.get_or_create(tournament=tournament, user=found, role=role)
    if not created and not password:
        raise TourneyError("staff.has_role", name=found.get_username())
    log(
        tournament,
        "staff.added",
        actor=actor,
        user=found.get_username(),
        role=role,
        new_account=bool(password),
    )
    return found, password


def _came_with(tournament: Tournament, user: Any) -> bool:
    """Return whether an account was made for this event's archive, and nobody could sign in with it yet.

    One that works at another event too is not this organizer's to open.
    """
    closed = not user.is_active and not user.has_usable_password() and not user.is_superuser
    events = set(StaffRole.objects.filter(user=user).values_list("tournament", flat=True)) if closed else set()
    return events == {tournament.pk}


@transaction.atomic
def remove_staff(tournament: Tournament, pk: int, *, actor: Any) -> None:
    """Take a role back; the last organizer stays (TourneyError ``staff.last_organizer``)."""
    roles = {role.pk: role for role in tournament.staff.select_for_update(of=("self",)).select_related("user")}
    role = roles.get(pk)
    if role is None:
        return
    organizers = [one for one in roles.values() if one.role == StaffRole.Role.ORGANIZER]
    if role.role == StaffRole.Role.ORGANIZER and len(organizers) == 1:
        raise TourneyError("staff.last_organizer")
    log(
        tournament,
        "staff.removed",
        actor=actor,
        user=role.user.get_username(),
        role=role.role,
    )
    role.delete()
