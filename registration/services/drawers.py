"""Cash drawers: opened with some change, every cash line of their operator falls into them, counted and closed.

A drawer is no condition for taking cash: a small event has one box and no shifts. Lines taken without one are shown
apart.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any

from django.db import IntegrityError, transaction
from django.db.models import Sum
from django.utils import timezone

from registration.models import Drawer, LedgerLine
from tourney.kernel.errors import TourneyError
from tourney.kernel.money import Money
from tourney.models import Tournament
from tourney.services.log import log

MOST = 1_000_000_000  # minor units


@transaction.atomic
def open_drawer(tournament: Tournament, *, actor: Any, change: Money, now: datetime | None = None) -> Drawer:
    """Open a drawer for the one who signs in, with the change that lies in it.

    Raises TourneyError ``drawer.open_already``, ``money.too_much``, ``money.other_currency``.
    """
    _check(change, tournament)
    try:
        with transaction.atomic():
            drawer = Drawer.objects.create(
                tournament=tournament, by=actor, opened_at=now or timezone.now(), change_minor=change.minor
            )
    except IntegrityError as error:
        raise TourneyError("drawer.open_already") from error
    log(tournament, "money.drawer_opened", actor=actor, amount=str(change))
    return drawer


@transaction.atomic
def close_drawer(
    drawer: Drawer, *, counted: Money, explanation: str, actor: Any, now: datetime | None = None
) -> Drawer:
    """Close a drawer with what was counted in it; a difference needs a word. Closing it twice changes nothing more.

    Raises TourneyError ``drawer.closed_already``, ``drawer.explain``, ``money.too_much``, ``money.other_currency``.
    """
    tournament = drawer.tournament
    _check(counted, tournament)
    # Payments lock the drawer too (after the section), so none slips in between the sum and the closing.
    locked = Drawer.objects.select_for_update().get(pk=drawer.pk)
    if locked.closed_at is not None:
        raise TourneyError("drawer.closed_already")
    expected = expected_in(locked)
    difference = counted - expected
    if difference and not explanation.strip():
        raise TourneyError("drawer.explain", expected=str(expected), difference=str(difference))
    locked.closed_at = now or timezone.now()
    locked.expected_minor, locked.counted_minor = expected.minor, counted.minor
    locked.explanation = explanation.strip()[:300]
    locked.save()
    log(
        tournament,
        "money.drawer_closed",
        actor=actor,
        reason=locked.explanation,
        who=locked.by.get_username(),
        expected=str(expected),
        amount=str(counted),
    )
    return locked


def expected_in(drawer: Drawer) -> Money:
    """Return what must lie in a drawer: the change and every cash line booked into it."""
    moved = LedgerLine.objects.filter(drawer=drawer).aggregate(sum=Sum("minor"))["sum"] or 0
    return Money(drawer.change_minor + moved, drawer.tournament.currency)


def drawer_for(tournament: Tournament, actor: Any, channel: str) -> Drawer | None:
    """Return, locked, the open drawer a line of this operator falls into; None for what is no cash, or without one."""
    if channel != LedgerLine.Channel.CASH or not getattr(actor, "is_authenticated", False):
        return None
    return Drawer.objects.select_for_update().filter(tournament=tournament, by=actor, closed_at=None).first()


def _check(amount: Money, tournament: Tournament) -> None:
    if amount.currency != tournament.currency:
        raise TourneyError("money.other_currency", currency=tournament.currency)
    if not 0 <= amount.minor <= MOST:
        raise TourneyError("money.too_much")
