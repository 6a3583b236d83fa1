"""Loading the demo: every event in a transaction of its own, and only the ones that aren't there yet."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from django.db import transaction

from tourney.demo import games, knockout, public, youth
from tourney.demo.accounts import Account, give_roles, make_accounts
from tourney.models import StaffRole, Tournament
from tourney.services.log import log

EVENTS: tuple[tuple[str, Callable[..., Tournament]], ...] = (
    (youth.SLUG, youth.make),
    (knockout.CUP_SLUG, knockout.make_cup),
    (knockout.REGISTRATION_SLUG, knockout.make_registration),
)


@dataclass(frozen=True, slots=True)
class Report:
    """What was loaded, and how to sign in."""

    events: list[Tournament]
    accounts: list[Account]
    new: int


def load(
    *,
    organizer: Any = None,
    say: Callable[[str], None] = lambda line: None,
    tell: Callable[[int, int], None] = lambda done, total: None,
) -> Report:
    """Make the demo events that don't exist; `organizer` (who pressed the button) gets a role in them too.

    `tell` hears after each event how many are there, and of how many.
    """
    with transaction.atomic():
        users, accounts = make_accounts()
    events, new = [], 0
    tell(0, len(EVENTS))
    for slug, make in EVENTS:
        tournament = Tournament.objects.filter(slug=slug).first()
        if tournament is None:
            say(slug)
            with transaction.atomic():
                tournament = make(users)
                games.hand_in(tournament, users[StaffRole.Role.ARBITER])
                public.show(tournament, users[StaffRole.Role.ORGANIZER])
                give_roles(tournament, users, organizer)
                log(tournament, "demo.loaded", actor=organizer)
            tournament.refresh_from_db()
            new += 1
        events.append(tournament)
        tell(len(events), len(EVENTS))
    return Report(events, accounts, new)
