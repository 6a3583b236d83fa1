"""Money: lines are only ever added. Payments have receipt numbers without gaps; a mistake is taken back by a line."""

from __future__ import annotations

import uuid
from datetime import datetime
from typing import Any

from django.db import connection, transaction
from django.db.models import Max
from django.utils import timezone

from registration.accounts import account_of
from registration.models import BankRow, Claim, LedgerLine
from registration.rooms import Floor, open_floor
from registration.services.drawers import drawer_for
from registration.services.entering import admit_if_proven, application_of
from registration.services.places import Teller, lock_entry, settle
from tourney.kernel.errors import TourneyError
from tourney.kernel.money import Money
from tourney.models import Entry, Tournament
from tourney.services.entries import record_entry_event
from tourney.services.log import log, refuse_if_moved

Kind = LedgerLine.Kind
Channel = LedgerLine.Channel
MOST = 100_000_000  # minor units; a figure above it is a slip of the keyboard
_RECEIPT_LOCK = 7_205_102  # first half of the advisory lock; the second is the event


@transaction.atomic
def record_payment(
    entry: Entry,
    amount: Money,
    *,
    channel: str = Channel.CASH,
    paid_at: datetime | None = None,
    actor: Any = None,
    note: str = "",
    operation: uuid.UUID | None = None,
    seen: int | None = None,
    now: datetime | None = None,
    base_url: str = "",
    notify: bool = True,
) -> LedgerLine:
    """Book money received; it is always booked, and confirms the place if the deposit is reached and there is one.

    `paid_at` is the payer's moment (decides the early discount), `now` the moment of booking. `seen` is the newest line
    of the account the cashier had before him (0: none): if somebody else has taken a payment meanwhile, this one is
    refused, so that two tabs or two desks don't take the same fee twice. Raises TourneyError ``money.not_positive``,
    ``money.too_much``, ``money.other_currency``, ``money.unknown_channel``, ``money.in_the_future``,
    ``money.paid_meanwhile``.
    """
    moment = now or timezone.now()
    floor, found = lock_entry(entry)
    if operation is not None and (again := LedgerLine.objects.filter(operation=operation).first()) is not None:
        return again
    if seen is not None:
        _refuse_second_payment(found, seen)
    return take_payment(
        floor,
        found,
        amount,
        channel=channel,
        paid_at=paid_at,
        actor=actor,
        note=note,
        operation=operation,
        now=moment,
        tell=Teller(base_url, notify=notify),
    )


def take_payment(
    floor: Floor,
    entry: Entry,
    amount: Money,
    *,
    channel: str,
    paid_at: datetime | None,
    actor: Any,
    note: str,
    operation: uuid.UUID | None,
    bank_row: BankRow | None = None,
    now: datetime | None = None,
    tell: Teller | None = None,
) -> LedgerLine:
    """Book money received for an entry of a section that is open already; the rest is as in `record_payment`."""
    moment, tournament = now or timezone.now(), floor.section.tournament
    _check(amount, tournament, channel)
    if paid_at is not None and paid_at > moment:
        raise TourneyError("money.in_the_future")
    line = LedgerLine.objects.create(
        tournament=tournament,
        entry=entry,
        kind=Kind.PAYMENT,
        channel=channel,
        minor=amount.minor,
        currency=amount.currency,
        clause=floor.rules.payment.clause,
        paid_at=paid_at or moment,
        note=note[:200],
        receipt_number=next_receipt(tournament),
        by=_user(actor),
        at=moment,
        operation=operation,
        drawer=drawer_for(tournament, actor, channel),
        bank_row=bank_row,
    )
    settle(floor, entry, now=moment, by=actor, tell=tell or Teller())
    log(
        tournament,
        "money.received",
        actor=actor,
        entry=entry.pk,
        name=entry.name,
        amount=str(amount),
        receipt=line.receipt_number,
        channel=channel,
    )
    return line


@transaction.atomic
def record_refund(
    entry: Entry,
    amount: Money,
    *,
    channel: str = Channel.CASH,
    actor: Any = None,
    reason: str = "",
    operation: uuid.UUID | None = None,
    now: datetime | None = None,
) -> LedgerLine:
    """Give money back: never more than was paid, and more than the rules give back only with a reason.

    Raises TourneyError ``money.more_than_paid``, ``money.reason_needed`` and those of `record_payment`.
    """
    moment = now or timezone.now()
    floor, found = lock_entry(entry)
    if operation is not None and (again := LedgerLine.objects.filter(operation=operation).first()) is not None:
        return again
    _check(amount, floor.section.tournament, channel)
    account = account_of(found, at=moment)
    if amount > account.quote.paid:
        raise TourneyError("money.more_than_paid", paid=str(account.quote.paid))
    if amount > account.to_return and not reason.strip():
        raise TourneyError("money.reason_needed", refundable=str(account.to_return))
    line = LedgerLine.objects.create(
        tournament=floor.section.tournament,
        entry=found,
        kind=Kind.REFUND,
        channel=channel,
        minor=-amount.minor,
        currency=amount.currency,
        clause=account.quote.basis[:12],
        paid_at=moment,
        note=reason[:200],
        by=_user(actor),
        at=moment,
        operation=operation,
        drawer=drawer_for(floor.section.tournament, actor, channel),
    )
    _log(floor.section.tournament, "money.refunded", actor, found, amount, reason)
    return line


@transaction.atomic
def reverse_line(
    line: LedgerLine,
    *,
    reason: str,
    actor: Any,
    operation: uuid.UUID | None = None,
    now: datetime | None = None,
) -> LedgerLine:
    """Take back a line by another with the other sign. The first one stays, with its receipt number.

    Raises TourneyError ``money.reason_needed``, ``money.reversed_already``, ``money.not_reversible``.
    """
    if not reason.strip():
        raise TourneyError("money.say_why")
    moment = now or timezone.now()
    if line.entry is None:
        raise TourneyError("money.not_reversible")
    floor, found = lock_entry(line.entry)
    if operation is not None and (again := LedgerLine.objects.filter(operation=operation).first()) is not None:
        return again
    # An appeal deposit follows the committee's decision; money moved between entries is moved back.
    if line.reverses_id is not None or line.kind not in (Kind.PAYMENT, Kind.REFUND):
        raise TourneyError("money.not_reversible")
    if LedgerLine.objects.filter(reverses=line).exists():
        raise TourneyError("money.reversed_already")
    back = LedgerLine.objects.create(
        tournament=line.tournament,
        entry=found,
        kind=line.kind,
        channel=line.channel,
        minor=-line.minor,
        currency=line.currency,
        clause=line.clause,
        paid_at=moment,
        note=reason[:200],
        reverses=line,
        by=_user(actor),
        at=moment,
        operation=operation,
        drawer=drawer_for(line.tournament, actor, line.channel),
    )
    if line.bank_row_id is not None:  # the money lies in the account: a person says again whose it is
        BankRow.objects.filter(pk=line.bank_row_id).update(state=BankRow.State.WAITING, why="taken_back")
    _log(floor.section.tournament, "money.reversed", actor, found, Money(line.minor, line.currency), reason)
    return back


@transaction.atomic
def move_money(
    source: Entry,
    target: Entry,
    amount: Money,
    *,
    reason: str,
    actor: Any,
    operation: uuid.UUID | None = None,
    now: datetime | None = None,
) -> tuple[LedgerLine, LedgerLine]:
    """Move money that one entry has paid to another: a brother's overpayment, a payment for the wrong child.

    It keeps the moment it was paid, so an early payment stays early. Raises TourneyError ``money.say_why``,
    ``money.same_entry``, ``money.more_than_paid`` and those of `record_payment`.
    """
    if not reason.strip():
        raise TourneyError("money.say_why")
    if source.pk == target.pk or source.tournament_id != target.tournament_id:
        raise TourneyError("money.same_entry")
    moment = now or timezone.now()
    # Both sections in the order of their rows, or two desks that move money crosswise would wait for each other.
    floors = {pk: open_floor(pk) for pk in sorted({source.section_id, target.section_id})}
    given, taking = floors[source.section_id], floors[target.section_id]
    giver, taker = given.entries[str(source.pk)], taking.entries[str(target.pk)]
    tournament = given.section.tournament
    if operation is not None and (again := LedgerLine.objects.filter(operation=operation).first()) is not None:
        return again, LedgerLine.objects.get(reverses=again)
    _check(amount, tournament, Channel.TRANSFER)
    account = account_of(giver, at=moment)
    if amount > account.quote.paid:
        raise TourneyError("money.more_than_paid", paid=str(account.quote.paid))
    paid_at = max(line.paid_at for line in account.lines if line.minor > 0)
    common: dict[str, Any] = {
        "tournament": tournament,
        "kind": Kind.TRANSFER,
        "channel": Channel.NONE,
        "currency": amount.currency,
        "paid_at": paid_at,
        "note": reason[:200],
        "by": _user(actor),
        "at": moment,
    }
    out = LedgerLine.objects.create(entry=giver, minor=-amount.minor, operation=operation, **common)
    back = LedgerLine.objects.create(entry=taker, minor=amount.minor, reverses=out, **common)
    for floor, entry in ((given, giver), (taking, taker)):
        settle(floor, entry, now=moment, by=actor, tell=Teller())
    log(
        tournament,
        "money.moved",
        actor=actor,
        reason=reason,
        entry=giver.pk,
        name=giver.name,
        to=taker.name,
        to_entry=taker.pk,
        amount=str(amount),
    )
    return out, back


@transaction.atomic
def set_price(entry: Entry, amount: Money | None, *, reason: str, actor: Any, now: datetime | None = None) -> None:
    """Set the price of one entry by hand, or (None) go back to the rules; who and why stay in the record."""
    if not reason.strip():
        raise TourneyError("money.say_why")
    moment = now or timezone.now()
    floor, found = lock_entry(entry)
    if amount is not None and (amount.minor < 0 or amount.minor > MOST):
        raise TourneyError("money.too_much")
    data = {"minor": amount.minor, "currency": amount.currency} if amount is not None else {"minor": None}
    record_entry_event(found, "price_set", by=actor, reason=reason, at=moment, **data)
    settle(floor, found, now=moment, by=actor, tell=Teller())
    _log(floor.section.tournament, "money.price_set", actor, found, amount, reason)


@transaction.atomic
def decide_claim(claim: Claim, *, verified: bool, actor: Any, evidence: str = "", now: datetime | None = None) -> Claim:
    """Say that a document was seen, or that it was not good enough; the fee and the place follow by the rules.

    The event's log says only that grounds were checked: why a child pays less is no business of the hall.
    """
    moment = now or timezone.now()
    floor, found = lock_entry(claim.entry)
    locked = Claim.objects.select_for_update().get(pk=claim.pk)
    locked.state = Claim.State.VERIFIED if verified else Claim.State.REFUSED
    locked.evidence = evidence[:160] or locked.evidence
    locked.decided_by, locked.decided_at = _user(actor), moment
    locked.save()
    record_entry_event(found, "claim_verified" if verified else "claim_refused", by=actor, at=moment, claim=locked.pk)
    if not admit_if_proven(floor, found, application_of(found), now=moment, by=actor):
        settle(floor, found, now=moment, by=actor, tell=Teller())
    action = "money.claim_verified" if verified else "money.claim_refused"
    log(floor.section.tournament, action, actor=actor, entry=found.pk, name=found.name)
    return locked


@transaction.atomic
def add_claim(entry: Entry, code: str, *, actor: Any) -> Claim:
    """Write down grounds told at the desk (TourneyError ``claim.unknown`` for what the regulation does not know)."""
    floor, found = lock_entry(entry)
    refuse_if_moved(floor.section.tournament)
    if code not in floor.rules.fees.claims and code not in floor.rules.entry.grounds:
        raise TourneyError("claim.unknown")
    claim, created = Claim.objects.get_or_create(entry=found, code=code)
    if created:
        record_entry_event(found, "claim_told", by=actor, claim=claim.pk)
    return claim


def next_receipt(tournament: Tournament) -> int:
    """Return the next receipt number of an event. The lock ends with the transaction, so a number is never lost."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(%s, %s)", [_RECEIPT_LOCK, tournament.pk % 2**31])
    last = LedgerLine.objects.filter(tournament=tournament).aggregate(last=Max("receipt_number"))["last"]
    return int(last or 0) + 1


def _refuse_second_payment(entry: Entry, seen: int) -> None:
    newer = LedgerLine.objects.filter(entry=entry, pk__gt=seen, kind=Kind.PAYMENT, reverses=None)
    for line in newer.order_by("-pk"):
        if not LedgerLine.objects.filter(reverses=line).exists():
            amount = Money(line.minor, line.currency)
            raise TourneyError("money.paid_meanwhile", amount=str(amount), receipt=line.receipt_number)


def _check(amount: Money, tournament: Tournament, channel: str) -> None:
    if amount.currency != tournament.currency:
        raise TourneyError("money.other_currency", currency=tournament.currency)
    if amount.minor <= 0:
        raise TourneyError("money.not_positive")
    if amount.minor > MOST:
        raise TourneyError("money.too_much")
    if channel not in (Channel.CASH, Channel.TRANSFER, Channel.CARD):
        raise TourneyError("money.unknown_channel")


def _log(tournament: Tournament, action: str, actor: Any, entry: Entry, amount: Money | None, reason: str) -> None:
    log(
        tournament,
        action,
        actor=actor,
        reason=reason,
        entry=entry.pk,
        name=entry.name,
        amount=str(amount) if amount is not None else "",
    )


def _user(actor: Any) -> Any:
    return actor if getattr(actor, "is_authenticated", False) else None
