"""The deposit of an appeal in the ledger (M7.7): held until the decision, then given back or kept."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from django.utils import timezone

from registration.models import LedgerLine
from registration.services.drawers import drawer_for
from registration.services.money import next_receipt
from tourney.kernel.money import Money
from tourney.models import Appeal


def deposit_of(appeal: Appeal) -> LedgerLine | None:
    """Return the line by which the deposit of an appeal came in; its `reversed_by` says it is no longer held."""
    return (
        LedgerLine.objects.filter(
            tournament=appeal.entry.tournament_id,
            entry=appeal.entry_id,
            kind=LedgerLine.Kind.DEPOSIT_APPEAL,
            paid_at=appeal.filed_at,
            reverses=None,
        )
        .select_related("reversed_by")
        .order_by("pk")
        .first()
    )


def book_deposit(
    appeal: Appeal, amount: Money, clause: str, actor: Any, at: datetime, *, back_of: LedgerLine | None = None
) -> None:
    """Write a deposit into the ledger: in with a receipt, or back as the counterpart of the line it came by."""
    tournament = appeal.entry.tournament
    LedgerLine.objects.create(
        tournament=tournament,
        entry=appeal.entry,
        kind=LedgerLine.Kind.DEPOSIT_APPEAL,
        channel=LedgerLine.Channel.CASH,
        minor=-amount.minor if back_of else amount.minor,
        currency=amount.currency,
        clause=clause,
        paid_at=at,
        reverses=back_of,
        receipt_number=None if back_of else next_receipt(tournament),
        by=actor if getattr(actor, "is_authenticated", False) else None,
        at=timezone.now(),
        drawer=drawer_for(tournament, actor, LedgerLine.Channel.CASH),
    )


def keep_deposit(appeal: Appeal, amount: Money, clause: str, actor: Any, at: datetime, taken: LedgerLine) -> None:
    """Write that a deposit is the organizer's now: it is no longer held, and no money moves."""
    common: dict[str, Any] = {
        "tournament": taken.tournament,
        "entry": appeal.entry,
        "channel": LedgerLine.Channel.NONE,
        "currency": amount.currency,
        "clause": clause,
        "paid_at": at,
        "by": actor if getattr(actor, "is_authenticated", False) else None,
        "at": timezone.now(),
    }
    LedgerLine.objects.create(kind=LedgerLine.Kind.DEPOSIT_APPEAL, minor=-amount.minor, reverses=taken, **common)
    LedgerLine.objects.create(kind=LedgerLine.Kind.KEPT, minor=amount.minor, **common)
