"""Sure bank payments go into the ledger in batches: a whole statement in seconds, the desk waiting for none of it.

One batch is one transaction and opens each of its sections once; what its payments change is carried along, not read
again. It holds its locks for a fraction of a second, so the desk and the form go on between two batches. A worker
killed in a batch leaves nothing of it behind, and books it whole when it starts again.
"""

from __future__ import annotations

import uuid
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import Any

from django.db import transaction
from django.utils import timezone

from registration.accounts import Books, read_books
from registration.engine.statements import Decision
from registration.models import BankRow, LedgerLine
from registration.rooms import Floor, open_floor
from registration.services.money import next_receipt
from registration.services.places import Teller, settle
from tourney.kernel.money import Money
from tourney.models import ActionLog, Entry, Tournament

State = BankRow.State
BATCH = 100  # rows
_NAMESPACE = uuid.UUID("5c1f3b0e-6a54-4d0f-9a0c-2f6c0f5b7a11")  # of the operations that book rows


def book_in_batches(
    tournament: Tournament,
    decided: Sequence[tuple[BankRow, Decision]],
    entries: Mapping[str, Entry],
    *,
    actor: Any,
    progress: Callable[[int], None],
) -> int:
    """Book the sure ones of decided rows, in their order, and write down why the others wait.

    `entries` are the event's entries with their players, by the keys of the decisions. `progress` hears after each
    batch how many rows are dealt with. Returns how many rows were booked.
    """
    booked = 0
    for start in range(0, len(decided), BATCH):
        part = decided[start : start + BATCH]
        booked += _Batch(tournament, part, entries, actor).run()
        progress(start + len(part))
    return booked


class _Batch:
    """One transaction: the rows, the opened sections and the books of the entries they are for."""

    def __init__(
        self,
        tournament: Tournament,
        decided: Sequence[tuple[BankRow, Decision]],
        entries: Mapping[str, Entry],
        actor: Any,
    ) -> None:
        self.tournament = tournament
        self.decided = decided
        self.entries = entries
        self.actor = actor if getattr(actor, "is_authenticated", False) else None
        self.now: datetime = timezone.now()
        self.floors: dict[int, Floor] = {}
        self.lines: list[LedgerLine] = []
        self.log: list[ActionLog] = []
        self.rows: list[BankRow] = []

    @transaction.atomic
    def run(self) -> int:
        keys = sorted({key for _row, decision in self.decided for key, _amount in decision.parts}, key=int)
        # The sections first, in the order of their rows, then the payments: as everything locks that books.
        for pk in sorted({self.entries[key].section_id for key in keys}):
            self.floors[pk] = open_floor(pk)
        ids = [row.pk for row, _decision in self.decided]
        waiting = BankRow.objects.select_for_update().filter(pk__in=ids, state=State.WAITING).order_by("pk").in_bulk()
        touched = set(LedgerLine.objects.filter(bank_row__in=ids, reversed_by=None).values_list("bank_row", flat=True))
        self.now = timezone.now()
        books = self._books(keys)
        receipt = next_receipt(self.tournament) if keys else 0
        booked = 0
        for row, decision in self.decided:
            locked = waiting.get(row.pk)
            if locked is None or row.pk in touched:
                continue  # a person was quicker; what is left of it is for the person too
            self.rows.append(locked)
            if not decision.parts:
                locked.why = decision.why
                locked.suggested = [[int(one.key), one.why] for one in decision.suggestions]
            elif any(amount > books.account(self._entry(key)).to_ask for key, amount in decision.parts):
                locked.why = "too_much"  # the account has changed since the row was decided
                locked.suggested = [[int(key), "reference"] for key, _amount in decision.parts]
            else:
                for key, amount in decision.parts:
                    self._book(locked, self._entry(key), amount, books, receipt)
                    receipt += 1
                locked.state, locked.why = State.BOOKED, ""
                booked += 1
        LedgerLine.objects.bulk_create(self.lines)
        ActionLog.objects.bulk_create(self.log)
        self._write_rows()
        return booked

    def _write_rows(self) -> None:
        """Write what has become of the rows, in a statement for all that became the same."""
        alike: dict[tuple[str, str], list[int]] = defaultdict(list)
        for row in self.rows:
            alike[row.state, row.why].append(row.pk)
        for (state, why), ids in alike.items():
            BankRow.objects.filter(pk__in=ids).update(state=state, why=why)
        BankRow.objects.bulk_update([row for row in self.rows if row.suggested], ["suggested"])

    def _books(self, keys: Sequence[str]) -> Books:
        """Read the accounts of everybody the batch is about, as the locks have frozen them."""
        return read_books(self.tournament, [self._entry(key) for key in keys], at=self.now)

    def _entry(self, key: str) -> Entry:
        """Return an entry as it is under the lock, with the person who was read before."""
        known = self.entries[key]
        found = self.floors[known.section_id].entry(key)
        found.player = known.player
        return found

    def _book(self, row: BankRow, entry: Entry, amount: Money, books: Books, receipt: int) -> None:
        floor = self.floors[entry.section_id]
        line = LedgerLine(
            tournament=self.tournament,
            entry=entry,
            kind=LedgerLine.Kind.PAYMENT,
            channel=LedgerLine.Channel.TRANSFER,
            minor=amount.minor,
            currency=amount.currency,
            clause=floor.rules.payment.clause,
            paid_at=row.paid_at,
            note=row.purpose[:200],
            receipt_number=receipt,
            by=self.actor,
            at=self.now,
            operation=uuid.uuid5(_NAMESPACE, f"{row.pk} {entry.pk}"),
            bank_row=row,
        )
        self.lines.append(line)
        books.add(line)
        settle(floor, entry, now=self.now, by=self.actor, tell=Teller(), account=books.account(entry))
        self.log.append(
            ActionLog(
                tournament=self.tournament,
                actor=self.actor,
                action="money.received",
                data={
                    "entry": entry.pk,
                    "name": entry.name,
                    "amount": str(amount),
                    "receipt": receipt,
                    "channel": LedgerLine.Channel.TRANSFER.value,
                    "row": row.pk,
                },
                at=self.now,
            )
        )
