"""What a statement says, in one shape for every bank, and by what a payment is recognised when it comes again."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date, datetime

from registration.engine.statements.texts import folded
from tourney.kernel.money import Money


@dataclass(frozen=True, slots=True)
class Movement:
    """Money that came in. `paid_on` is the payer's moment, or the whole day where the bank tells no more."""

    line: int  # of the file, counted from 1
    paid_on: datetime | date
    amount: Money
    payer: str = ""
    payer_account: str = ""
    purpose: str = ""
    number: str = ""  # of the document; the payer's bank gives it, so two payers may well have the same
    account: str = ""  # ours
    bank_id: str = ""  # the bank's own, where there is one

    @property
    def day(self) -> date:
        return self.paid_on.date() if isinstance(self.paid_on, datetime) else self.paid_on


@dataclass(frozen=True, slots=True)
class Fault:
    """A row that can't be read: where it is, what is wrong (a code), and what stands there."""

    line: int
    column: str
    code: str
    got: str = ""


@dataclass(frozen=True, slots=True)
class Statement:
    """Everything a file says. `form` is a code of the layout; `outgoing` counts what left the account."""

    form: str
    movements: tuple[Movement, ...]
    faults: tuple[Fault, ...] = ()
    warnings: tuple[Fault, ...] = ()
    outgoing: int = 0


def keys_of(movements: Iterable[Movement]) -> list[str]:
    """Return a key for each movement: the same payment in another file has the same key, another payment another.

    The bank's own number decides where there is one. Elsewhere it is everything that tells payments apart (account,
    day, sum, payer, purpose, number, in the letters of any script), and the how-manieth of its kind in the file: two
    payments that are equal in everything are two payments.
    """
    seen: Counter[str] = Counter()
    keys = []
    for movement in movements:
        if movement.bank_id:
            content = f"id\0{movement.account}\0{movement.bank_id}"
        else:
            content = "\0".join(
                (
                    movement.account,
                    movement.day.isoformat(),
                    str(movement.amount.minor),
                    movement.amount.currency,
                    folded(movement.payer),
                    movement.payer_account,
                    folded(movement.purpose),
                    movement.number,
                )
            )
        digest = hashlib.sha256(content.encode()).hexdigest()
        seen[digest] += 1
        keys.append(digest if seen[digest] == 1 else hashlib.sha256(f"{digest}\0{seen[digest]}".encode()).hexdigest())
    return keys
