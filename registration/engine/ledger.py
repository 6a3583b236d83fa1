"""An account in lines: what moved (stored, only ever added) and what the quote charges, clause by clause.

Amounts are signed from the event's view of the entrant's account: money received counts for him, what he is charged
counts against him. So a balance of zero is settled, below zero he owes, above zero he has something to get back. What a
treasurer adds up are sums of these lines and nothing else.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from registration.engine.fee_rules import Keep
from registration.engine.fees import FeeQuote
from tourney.kernel.money import Money, total


class LineKind(StrEnum):
    """Why money stands on an account. The values of what moved are those of the stored lines."""

    CHARGE = "charge"  # by a clause of the fee
    REDUCTION = "reduction"  # by a clause that takes something off
    KEPT_FEE = "kept_fee"  # stays with the organizer after an entry has ended; replaces its charges
    PAYMENT = "payment"  # money in
    REFUND = "refund"  # money out
    TRANSFER = "transfer"  # from or to another entry; both lines are written together
    APPEAL_DEPOSIT = "appeal_deposit"  # held for a decision; given back or kept it is negative
    KEPT_DEPOSIT = "kept"  # an appeal deposit that stays with the organizer


CHARGED = frozenset({LineKind.CHARGE, LineKind.REDUCTION, LineKind.KEPT_FEE})
MOVED = frozenset({LineKind.PAYMENT, LineKind.REFUND, LineKind.TRANSFER})
APPEALS = frozenset({LineKind.APPEAL_DEPOSIT, LineKind.KEPT_DEPOSIT})  # no part of what the fee is about


@dataclass(frozen=True, slots=True)
class Line:
    """One movement or charge. `channel` says how money came or went; charges have none."""

    kind: LineKind
    amount: Money
    clause: str = ""
    channel: str = ""


def charges(quote: FeeQuote) -> tuple[Line, ...]:
    """Return what a quote charges, a line per clause; they add up to minus what is due.

    Of an entry that has ended only what the regulation lets the organizer keep is charged, by that clause; where the
    whole fee stays owed the fee's own clauses go on.
    """
    ending = next((line for line in quote.lines if line.kind == "outcome"), None)
    if ending is not None and not ending.why.endswith(f".{Keep.FEE}"):
        return (Line(LineKind.KEPT_FEE, -quote.due, ending.clause),) if quote.due else ()
    return tuple(
        Line(LineKind.CHARGE if line.amount.minor > 0 else LineKind.REDUCTION, -line.amount, line.clause)
        for line in quote.lines
        if line.amount
    )


def balance(lines: Iterable[Line], currency: str) -> Money:
    """Return what an entrant has in his favour (below zero: what he owes). Appeal deposits are no fee."""
    return total((line.amount for line in lines if line.kind not in APPEALS), currency)


@dataclass(frozen=True, slots=True)
class TreasurerTotals:
    """The whole event: `due` + `credit` = `paid` + `owed`, always.

    `owed` and `credit` (to give back, or held for somebody who waits) are sums over accounts, the rest over lines.
    """

    due: Money
    due_by_clause: Mapping[str, Money]
    kept: Money  # of what is due: from entries that ended
    paid: Money  # received less refunded
    received: Money
    refunded: Money
    by_channel: Mapping[str, Money]  # of what is paid
    owed: Money
    credit: Money
    appeals_held: Money
    appeals_kept: Money


def treasurer_totals(accounts: Iterable[Sequence[Line]], currency: str) -> TreasurerTotals:
    """Return the totals of accounts, each given by its lines."""
    accounts = list(accounts)
    lines = [line for account in accounts for line in account]
    balances = [balance(account, currency) for account in accounts]
    zero = Money(0, currency)
    by_clause: dict[str, Money] = defaultdict(lambda: zero)
    by_channel: dict[str, Money] = defaultdict(lambda: zero)
    for line in lines:
        if line.kind in CHARGED:
            by_clause[line.clause] -= line.amount
        elif line.kind in MOVED and line.kind is not LineKind.TRANSFER:
            by_channel[line.channel] += line.amount
    return TreasurerTotals(
        due=-_sum(lines, CHARGED, currency),
        due_by_clause=dict(sorted(by_clause.items())),
        kept=-_sum(lines, {LineKind.KEPT_FEE}, currency),
        paid=_sum(lines, MOVED, currency),
        received=_sum(lines, {LineKind.PAYMENT}, currency),
        refunded=-_sum(lines, {LineKind.REFUND}, currency),
        by_channel=dict(sorted(by_channel.items())),
        owed=-total((item for item in balances if item < zero), currency),
        credit=total((item for item in balances if item > zero), currency),
        appeals_held=_sum(lines, {LineKind.APPEAL_DEPOSIT}, currency),
        appeals_kept=_sum(lines, {LineKind.KEPT_DEPOSIT}, currency),
    )


def _sum(lines: Iterable[Line], kinds: Iterable[LineKind], currency: str) -> Money:
    wanted = frozenset(kinds)
    return total((line.amount for line in lines if line.kind in wanted), currency)
