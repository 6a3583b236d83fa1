"""Bank statements: read in the background, sure payments booked, the others kept until a person says whose they are.

Nothing is lost: every payment of a file is a row before anything is booked, and a booking taken back makes its row wait
again. Nothing counts twice: a row is known by its payment, not by its file. The worker may be killed at any line and
start again: rows that are there stay, rows that are booked are left alone.
"""

from __future__ import annotations

import hashlib
import uuid
from collections import defaultdict
from collections.abc import Sequence
from datetime import date, datetime
from typing import Any

from django.db import transaction
from django.db.models import Sum
from django.utils import timezone

from registration.accounts import ALIVE, accounts
from registration.engine import statements
from registration.engine.moments import start_of_day
from registration.engine.statements import Candidate, Fault, Movement
from registration.models import BankRow, BankStatement, LedgerLine
from registration.regulations import payee_of, rules_of
from registration.services.booking import book_in_batches
from registration.services.money import take_payment
from registration.services.places import lock_entry
from tourney.kernel.errors import TourneyError
from tourney.kernel.money import Money
from tourney.models import Entry, Job, Tournament
from tourney.queue import enqueue, report_progress, wait_if_moved
from tourney.services.log import log

TASK = "registration.read_statement"
State = BankRow.State
_FAULTS_KEPT = 200
_OVERLAP_SHOWS = 3  # so many known days' payments, all new, look like another layout of the same export


@transaction.atomic
def send_in(tournament: Tournament, *, name: str, content: bytes, actor: Any) -> BankStatement:
    """Take a bank's file in and ask the worker to read it.

    What can't be a statement is refused here, so that the person sees it at once. Raises TourneyError
    ``statement.read_already`` and those of `registration.engine.statements.read`.
    """
    Tournament.objects.select_for_update().get(pk=tournament.pk)
    digest = hashlib.sha256(content).hexdigest()
    before = BankStatement.objects.filter(tournament=tournament, digest=digest).first()
    if before is not None:
        raise TourneyError("statement.read_already", name=before.name)
    _read(tournament, content)
    statement = BankStatement.objects.create(
        tournament=tournament,
        name=name[:120],
        digest=digest,
        content=content,
        by=actor if getattr(actor, "is_authenticated", False) else None,
        at=timezone.now(),
    )
    statement.job = enqueue(TASK, statement.pk)
    statement.save(update_fields=["job"])
    return statement


@transaction.atomic
def read_again(statement: BankStatement) -> None:
    """Ask the worker once more for a statement it has given up; one being read or done is left alone."""
    locked = BankStatement.objects.select_for_update(of=("self",)).select_related("job").get(pk=statement.pk)
    job = locked.job
    if locked.read_at is None and (job is None or job.state in (Job.State.FAILED, Job.State.DONE)):
        locked.job = enqueue(TASK, locked.pk)
        locked.save(update_fields=["job"])


def read_statement(pk: int) -> None:
    """Read a file that was sent in: keep its payments, book the sure ones, say what could not be read."""
    statement = BankStatement.objects.select_related("tournament", "by").get(pk=pk)
    if statement.read_at is not None or statement.content is None:
        return
    tournament = statement.tournament
    wait_if_moved(tournament)
    found = _read(tournament, bytes(statement.content))
    warnings = list(found.warnings)
    new = _keep(statement, found.movements)
    if _looks_like_another_layout(statement, found.movements, new):
        warnings.append(Fault(0, "", "statement.nothing_known"))
    rows = list(BankRow.objects.filter(statement=statement).order_by("pk"))
    report_progress(len(found.movements) - len(rows), len(found.movements))
    booked = _book_sure_ones(tournament, rows, actor=statement.by, known=len(found.movements) - len(rows))
    with transaction.atomic():
        statement.form = found.form
        statement.content = None  # names and accounts of strangers are not kept longer than needed
        statement.read_at = timezone.now()
        statement.outcome = {
            "new": len(rows),
            "known": len(found.movements) - len(rows),
            "outgoing": found.outgoing,
            "faults": [_told(fault) for fault in found.faults[:_FAULTS_KEPT]],
            "faults_in_all": len(found.faults),
            "warnings": [_told(fault) for fault in warnings],
        }
        statement.save()
        log(tournament, "money.statement_read", actor=statement.by, name=statement.name, new=len(rows), booked=booked)


@transaction.atomic
def book_row(
    row: BankRow, entry: Entry, amount: Money, *, actor: Any, operation: uuid.UUID | None = None
) -> LedgerLine:
    """Book a bank payment, or a part of it, for an entry a person has chosen; more than is open is an overpayment.

    Raises TourneyError ``bank.booked_already``, ``bank.more_than_came``, ``money.other_currency`` and those of
    `registration.services.record_payment`.
    """
    if entry.tournament_id != row.tournament_id:
        raise TourneyError("entry.unknown")
    floor, found = lock_entry(entry)  # the section first, then the row: the order of everything that books
    locked = BankRow.objects.select_for_update().get(pk=row.pk)
    if operation is not None and (again := LedgerLine.objects.filter(operation=operation).first()) is not None:
        return again
    left = left_of(locked)
    if locked.state != State.WAITING or left.minor <= 0:
        raise TourneyError("bank.booked_already")
    if locked.currency != row.tournament.currency:
        raise TourneyError("money.other_currency", currency=row.tournament.currency)
    if amount > left:
        raise TourneyError("bank.more_than_came", left=str(left))
    line = take_payment(
        floor,
        found,
        amount,
        channel=LedgerLine.Channel.TRANSFER,
        paid_at=locked.paid_at,
        actor=actor,
        note=locked.purpose,
        operation=operation,
        bank_row=locked,
    )
    if amount == left:
        locked.state, locked.why = State.BOOKED, ""
        locked.save(update_fields=["state", "why"])
    log(
        row.tournament,
        "money.bank_row_booked",
        actor=actor,
        entry=found.pk,
        name=found.name,
        amount=str(amount),
        row=row.pk,
    )
    return line


@transaction.atomic
def set_row_aside(row: BankRow, *, reason: str, actor: Any) -> BankRow:
    """Say that a payment is not for this event; it stays in the list with the reason, and can be taken up again.

    Raises TourneyError ``money.say_why``, ``bank.booked_already``, ``bank.in_part``.
    """
    if not reason.strip():
        raise TourneyError("money.say_why")
    locked = BankRow.objects.select_for_update().get(pk=row.pk)
    if locked.state != State.WAITING:
        raise TourneyError("bank.booked_already")
    if left_of(locked).minor != locked.minor:
        raise TourneyError("bank.in_part")
    locked.state, locked.note = State.SET_ASIDE, reason.strip()[:300]
    locked.save(update_fields=["state", "note"])
    amount = Money(locked.minor, locked.currency)
    log(row.tournament, "money.bank_row_set_aside", actor=actor, reason=reason, amount=str(amount), row=row.pk)
    return locked


@transaction.atomic
def take_row_up(row: BankRow, *, actor: Any) -> BankRow:
    """Let a payment that was set aside wait again."""
    locked = BankRow.objects.select_for_update().get(pk=row.pk)
    if locked.state == State.SET_ASIDE:
        locked.state = State.WAITING
        locked.save(update_fields=["state"])
        amount = Money(locked.minor, locked.currency)
        log(row.tournament, "money.bank_row_taken_up", actor=actor, amount=str(amount), row=row.pk)
    return locked


def left_of(row: BankRow) -> Money:
    """Return what of a bank payment is not booked yet; lines taken back count as not booked."""
    booked = LedgerLine.objects.filter(bank_row=row, reversed_by=None).aggregate(sum=Sum("minor"))["sum"] or 0
    return Money(row.minor - booked, row.currency)


# -- inside ----------------------------------------------------------------------------------------------------------


def _read(tournament: Tournament, content: bytes) -> statements.Statement:
    payee = payee_of(tournament, rules_of(tournament))
    own = frozenset({payee.account, payee.iban} - {""}) if payee else frozenset()
    return statements.read(content, currency=tournament.currency, zone=tournament.zone, own_accounts=own)


def _keep(statement: BankStatement, movements: Sequence[Movement]) -> int:
    """Write the payments nobody knows yet; return how many there are."""
    rows = [
        BankRow(
            tournament=statement.tournament,
            statement=statement,
            key=key,
            line=movement.line,
            paid_at=_moment(movement.paid_on, statement.tournament),
            minor=movement.amount.minor,
            currency=movement.amount.currency,
            payer=movement.payer[:300],
            payer_account=movement.payer_account[:40],
            purpose=movement.purpose[:1000],
        )
        for movement, key in zip(movements, statements.keys_of(movements), strict=True)
    ]
    BankRow.objects.bulk_create(rows, batch_size=1000, ignore_conflicts=True)
    return BankRow.objects.filter(statement=statement).count()


def _moment(paid_on: datetime | date, tournament: Tournament) -> datetime:
    """Return the payer's moment; a day counts as a whole, and never later than now (a clock or a bank may be ahead)."""
    at = paid_on if isinstance(paid_on, datetime) else start_of_day(paid_on, tournament.zone)
    return min(at, timezone.now())


def _looks_like_another_layout(statement: BankStatement, movements: Sequence[Movement], new: int) -> bool:
    """Say whether days that were read before come again with nothing known in them: the export may have changed."""
    if new < _OVERLAP_SHOWS or new < len(movements):
        return False
    days = [movement.day for movement in movements]
    zone = statement.tournament.zone
    others = BankRow.objects.filter(tournament=statement.tournament).exclude(statement=statement)
    return others.filter(
        paid_at__gte=start_of_day(min(days), zone), paid_at__lte=start_of_day(max(days), zone)
    ).exists()


def _book_sure_ones(tournament: Tournament, rows: Sequence[BankRow], *, actor: Any, known: int) -> int:
    """Decide every row that waits and book the sure ones; return how many were booked."""
    waiting = [row for row in rows if row.state == State.WAITING and not row.why]
    entries = {str(entry.pk): entry for entry in _entries(tournament)}
    movements = [
        Movement(row.line, row.paid_at, Money(row.minor, row.currency), row.payer, row.payer_account, row.purpose)
        for row in waiting
    ]
    decisions = statements.match(movements, candidates(tournament, list(entries.values())), tournament.currency)
    return book_in_batches(
        tournament,
        list(zip(waiting, decisions, strict=True)),
        entries,
        actor=actor,
        progress=lambda done: report_progress(known + done, known + len(rows)),
    )


def candidates(tournament: Tournament, entries: Sequence[Entry]) -> list[Candidate]:
    """Return the entries as the engine looks them up, with what each may be asked for and who has paid for it."""
    payers: dict[int, set[str]] = defaultdict(set)
    lines = LedgerLine.objects.filter(tournament=tournament, bank_row__isnull=False, reversed_by=None)
    for entry_id, payer in lines.exclude(bank_row__payer_account="").values_list("entry", "bank_row__payer_account"):
        payers[int(entry_id or 0)].add(payer)
    found = []
    for account in accounts(tournament, entries):
        quote, entry = account.quote, account.entry
        found.append(
            Candidate(
                key=str(entry.pk),
                reference=account.application.reference if account.application else "",
                surname=entry.player.surname,
                given=entry.player.given_name,
                open=account.to_ask,
                asks=tuple({quote.deposit_due, quote.remainder} - {Money(0, tournament.currency)}),
                alive=entry.state in ALIVE,
                accounts=frozenset(payers[entry.pk]),
            )
        )
    return found


def _entries(tournament: Tournament) -> list[Entry]:
    found = list(tournament.entries.select_related("player", "section"))
    for entry in found:
        entry.tournament = entry.section.tournament = tournament
    return found


def _told(fault: Fault) -> dict[str, Any]:
    return {"line": fault.line, "column": fault.column, "code": fault.code, "got": fault.got}
