"""The ledger: append-only lines whose sum is the balance, and what a treasurer adds up.

Amounts are signed from the event's view of the entrant's account: money received counts for him, what he is charged
counts against him. So a balance of zero is settled, below zero he owes, above zero he has something to get back.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from registration.engine.fees import FeeQuote
from tourney.kernel.errors import TourneyError
from tourney.kernel.money import Money, total


class LineKind(StrEnum):
    """Why money stands on an account."""

    CHARGE = "charge"  # the fee
    PAYMENT = "payment"  # money in
    REFUND = "refund"  # money out
    KEPT = "kept"  # a deposit that stays with the organizer
    WRITE_OFF = "write_off"  # a charge nobody will ask for any more
    TRANSFER = "transfer"  # from or to another entry; both lines are written together
    CORRECTION = "correction"  # of a charge
    APPEAL_DEPOSIT = "appeal_deposit"  # held for a decision; given back it is negative


_AGAINST = frozenset({LineKind.CHARGE, LineKind.REFUND, LineKind.KEPT})
_FOR = frozenset({LineKind.PAYMENT, LineKind.WRITE_OFF})
_CASH = frozenset({LineKind.PAYMENT, LineKind.REFUND, LineKind.APPEAL_DEPOSIT})
_DUE = frozenset({LineKind.CHARGE, LineKind.KEPT, LineKind.WRITE_OFF, LineKind.CORRECTION})


@dataclass(frozen=True, slots=True)
class Line:
    """One movement on one entry's account; `reversal` takes back an earlier line of its kind, with the other sign.

    Raises TourneyError ``ledger.wrong_sign`` when kind and sign contradict each other.
    """

    kind: LineKind
    amount: Money
    clause: str = ""
    reversal: bool = False

    def __post_init__(self) -> None:
        minor = -self.amount.minor if self.reversal else self.amount.minor
        if minor == 0 or (self.kind in _AGAINST and minor > 0) or (self.kind in _FOR and minor < 0):
            raise TourneyError("ledger.wrong_sign", kind=self.kind.value, amount=str(self.amount))


def balance(lines: Iterable[Line], currency: str) -> Money:
    """Return what an entrant has in his favour (below zero: what he owes). Appeal deposits are no fee."""
    return total((line.amount for line in lines if line.kind is not LineKind.APPEAL_DEPOSIT), currency)


def received(lines: Iterable[Line], currency: str) -> Money:
    """Return the money of an entry that counts towards its fee: paid, transferred, less what went back."""
    kinds = (LineKind.PAYMENT, LineKind.REFUND, LineKind.TRANSFER)
    return total((line.amount for line in lines if line.kind in kinds), currency)


def postings(lines: Sequence[Line], quote: FeeQuote) -> tuple[Line, ...]:
    """Return the lines that bring an account in step with a quote; none when it already is.

    Afterwards the balance is what the quote says: refundable less remainder.
    """
    currency = quote.due.currency
    charged = -_sum(lines, (LineKind.CHARGE, LineKind.CORRECTION), currency)
    kept = -_sum(lines, (LineKind.KEPT,), currency)
    written_off = _sum(lines, (LineKind.WRITE_OFF,), currency)
    # A forfeited deposit replaces the charge; everything else that stays due is the charge itself.
    replaces = any(line.kind == "outcome" for line in quote.lines) and not quote.write_off and quote.due != quote.fee
    keep = quote.due if replaces else Money(0, currency)
    want_charged = quote.due - keep + quote.write_off
    clause = quote.basis
    found: list[Line] = []
    if want_charged != charged:
        first = want_charged > charged and not any(line.kind is LineKind.CHARGE for line in lines)
        found.append(Line(LineKind.CHARGE if first else LineKind.CORRECTION, charged - want_charged, clause))
    if keep != kept:
        found.append(Line(LineKind.KEPT, kept - keep, clause, reversal=keep < kept))
    if quote.write_off != written_off:
        back = quote.write_off < written_off
        found.append(Line(LineKind.WRITE_OFF, quote.write_off - written_off, clause, reversal=back))
    return tuple(found)


@dataclass(frozen=True, slots=True)
class TreasurerTotals:
    """The whole event: ``owed`` and ``overpaid`` are sums over entries, the rest sums over lines."""

    due: Money
    cash: Money
    paid: Money
    refunded: Money
    kept: Money
    written_off: Money
    transferred: Money
    appeal_deposits: Money
    owed: Money
    overpaid: Money
    due_by_clause: Mapping[str, Money]


def treasurer_totals(accounts: Iterable[Sequence[Line]], currency: str) -> TreasurerTotals:
    """Return totals of all accounts: ``due`` + ``overpaid`` = ``paid`` - ``refunded`` + ``transferred`` + ``owed``."""
    accounts = list(accounts)
    lines = [line for account in accounts for line in account]
    balances = [balance(account, currency) for account in accounts]
    zero = Money(0, currency)
    clauses = sorted({line.clause for line in lines if line.kind in _DUE})
    return TreasurerTotals(
        due=-_sum(lines, _DUE, currency),
        cash=_sum(lines, _CASH, currency),
        paid=_sum(lines, (LineKind.PAYMENT,), currency),
        refunded=-_sum(lines, (LineKind.REFUND,), currency),
        kept=-_sum(lines, (LineKind.KEPT,), currency),
        written_off=_sum(lines, (LineKind.WRITE_OFF,), currency),
        transferred=_sum(lines, (LineKind.TRANSFER,), currency),
        appeal_deposits=_sum(lines, (LineKind.APPEAL_DEPOSIT,), currency),
        owed=-total((item for item in balances if item < zero), currency),
        overpaid=total((item for item in balances if item > zero), currency),
        due_by_clause={
            clause: -_sum([line for line in lines if line.clause == clause], _DUE, currency) for clause in clauses
        },
    )


def _sum(lines: Iterable[Line], kinds: Iterable[LineKind], currency: str) -> Money:
    wanted = frozenset(kinds)
    return total((line.amount for line in lines if line.kind in wanted), currency)
