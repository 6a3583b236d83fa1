"""What an entry owes at a moment, by which clause, and what is kept or returned when it ends.

`quote` is a function of the policy, the facts of one entry and an instant: the same question asked again after a
deadline, a sibling's entry, a verified claim or an arrival gives the new answer. Nothing here reads a clock.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime

from registration.engine.fee_price import Claim, FeeLine, Paid, Price, Situation, price, reached_at
from registration.engine.fee_reading import parse
from registration.engine.fee_rules import (
    Base,
    Deposit,
    Early,
    FeePolicy,
    Keep,
    Outcome,
    OutcomeRule,
)
from registration.engine.moments import start_of_day
from tourney.kernel.money import Money, total

__all__ = [
    "Claim",
    "FeeFacts",
    "FeeLine",
    "FeePolicy",
    "FeeQuote",
    "FeeStatus",
    "Manual",
    "Outcome",
    "Payment",
    "parse",
    "players_to_cover",
    "price_range",
    "quote",
]

FeeStatus = str  # "awaiting_deposit", "confirmed", "reserve", or the value of an Outcome

# Where a regulation is silent: who could not play through no fault of his own gets everything back.
_SILENT = {
    Outcome.EVENT_CANCELLED: Keep.NOTHING,
    Outcome.REJECTED: Keep.NOTHING,
    Outcome.NOT_ADMITTED: Keep.NOTHING,
    Outcome.DISQUALIFIED: Keep.FEE,
    Outcome.NO_SHOW: Keep.PAID_FEE,
    Outcome.WITHDRAWN: Keep.PAID_FEE,
}


@dataclass(frozen=True, slots=True)
class Payment:
    """Money received; `on` is the payer's moment, or the day of a statement that gives no more.

    A day counts as a whole local day, in the payer's favour. A negative amount is a payment reversed.
    """

    amount: Money
    on: datetime | date


@dataclass(frozen=True, slots=True)
class Manual:
    """A price set by hand for one entry; the service records who and why."""

    amount: Money
    reason: str


@dataclass(frozen=True, slots=True)
class FeeFacts:
    """Everything about one entry that money depends on. `registered_at` None: never registered beforehand."""

    registered_at: datetime | None = None
    arrived_at: datetime | None = None
    section: str = ""
    claims: tuple[Claim, ...] = ()
    family_children: int = 1
    payments: tuple[Payment, ...] = ()
    refunded: Money | None = None
    on_reserve: bool = False
    outcome: Outcome = Outcome.OPEN
    valid_reason: bool = False
    withdrawn_at: datetime | None = None
    starts_at: datetime | None = None  # the event's start; needed where withdrawing before it matters
    replaced: bool = False  # somebody else took the place
    manual: Manual | None = None


@dataclass(frozen=True, slots=True)
class FeeQuote:
    """The answer. `due` is what the organizer may have in the end; the lines add up to it.

    `fee` is the price of an entry that plays; `kept` the part of the money already paid that stays with the organizer
    after an entry has ended; `write_off` the part of the fee that nobody will be asked for any more.
    """

    lines: tuple[FeeLine, ...]
    fee: Money
    due: Money
    deposit: Money
    deposit_clause: str
    deposit_due: Money
    paid: Money
    remainder: Money
    kept: Money
    refundable: Money
    write_off: Money
    confirmed: bool
    confirmed_at: datetime | None
    status: FeeStatus
    early: bool
    late: bool

    @property
    def basis(self) -> str:
        """The clause, or clauses joined by "+", that decided the amount."""
        for kind in ("outcome", "manual", "exempt", "late"):
            clauses = [line.clause for line in self.lines if line.kind == kind]
            if clauses:
                return clauses[-1]
        applied = {line.clause for line in self.lines if line.kind != "base"}
        return "+".join(sorted(applied)) or next((line.clause for line in self.lines), "")


def quote(policy: FeePolicy, facts: FeeFacts, at: datetime) -> FeeQuote:
    """Return what an entry owes at an instant, with one line per clause applied."""
    payments = _in_order(policy, facts.payments)
    paid = total((payment.amount for payment in payments), policy.currency) - (facts.refunded or policy.zero)
    situation = Situation(
        section=facts.section,
        registered_at=facts.registered_at,
        arrived_at=facts.arrived_at,
        claims=frozenset(claim.code for claim in facts.claims if claim.verified),
        family_children=facts.family_children,
        payments=payments,
        at=at,
        still_coming=facts.outcome is Outcome.OPEN,
    )
    priced = _with_manual(price(policy, situation), facts.manual)
    deposit_rule = policy.first(Deposit, facts.section)
    # Nobody is asked for a larger deposit than the whole of his fee.
    deposit = min(deposit_rule.amount, priced.fee) if deposit_rule else policy.zero
    confirmed_at = reached_at(payments, deposit) if deposit else facts.registered_at
    ended = facts.outcome not in (Outcome.OPEN, Outcome.PLAYED)
    confirmed = confirmed_at is not None and not facts.on_reserve and not ended
    line, kept = _ending(policy, facts, priced.fee, deposit, paid) if ended else (None, policy.zero)
    lines = (*priced.lines, line) if line else priced.lines
    due = total((item.amount for item in lines), policy.currency)
    return FeeQuote(
        lines=lines,
        fee=priced.fee,
        due=due,
        deposit=deposit,
        deposit_clause=deposit_rule.clause if deposit_rule else "",
        deposit_due=policy.zero if ended else _positive(deposit - paid),
        paid=paid,
        remainder=_positive(due - paid),
        kept=kept,
        refundable=_positive(paid - due),
        write_off=-line.amount if line and line.why.endswith(Keep.PAID_FEE) else policy.zero,
        confirmed=confirmed,
        confirmed_at=confirmed_at if confirmed else None,
        status=_status(facts, confirmed_at),
        early=priced.early,
        late=priced.late,
    )


def _in_order(policy: FeePolicy, payments: Sequence[Payment]) -> tuple[Paid, ...]:
    def instant(moment: datetime | date) -> datetime:
        return moment if isinstance(moment, datetime) else start_of_day(moment, policy.zone)

    return tuple(sorted((Paid(item.amount, instant(item.on)) for item in payments), key=lambda item: item.on))


def _with_manual(priced: Price, manual: Manual | None) -> Price:
    if manual is None:
        return priced
    line = FeeLine("", "manual", manual.amount - priced.fee, "manual")
    return Price((*priced.lines, line), manual.amount, priced.early, priced.late, priced.exempt)


def _status(facts: FeeFacts, confirmed_at: datetime | None) -> FeeStatus:
    if facts.outcome is not Outcome.OPEN:
        return facts.outcome.value
    if confirmed_at is None:
        return "awaiting_deposit"
    return "reserve" if facts.on_reserve else "confirmed"


# -- how an entry ended ----------------------------------------------------------------------------------------------


def _ending(policy: FeePolicy, facts: FeeFacts, fee: Money, deposit: Money, paid: Money) -> tuple[FeeLine, Money]:
    """Return the line that turns the fee into what is kept, and what is kept of the money already paid."""
    rule = _outcome_rule(policy, facts)
    keep = rule.keep if rule else _SILENT[facts.outcome]
    available = _positive(paid)
    match keep:
        case Keep.NOTHING:
            due = policy.zero
        case Keep.DEPOSIT:
            due = min(available, deposit)
        case Keep.PAID_FEE:
            due = min(available, fee)
        case Keep.ALL_PAID:
            due = available
        case Keep.FEE:
            due = fee
    line = FeeLine(rule.clause if rule else "", "outcome", due - fee, f"{facts.outcome}.{keep}")
    return line, min(available, due)


def _outcome_rule(policy: FeePolicy, facts: FeeFacts) -> OutcomeRule | None:
    for rule in policy.all(OutcomeRule, facts.section):
        if rule.when is facts.outcome and _fits(rule, facts):
            return rule
    return None


def _fits(rule: OutcomeRule, facts: FeeFacts) -> bool:
    if rule.valid_reason not in (None, facts.valid_reason) or rule.replaced not in (None, facts.replaced):
        return False
    if rule.before_start is None:
        return True
    if facts.withdrawn_at is None or facts.starts_at is None:
        raise ValueError(
            "a rule asks whether somebody withdrew before the start, and one of the two moments is unknown"
        )
    return rule.before_start is (facts.withdrawn_at < facts.starts_at)


def _positive(amount: Money) -> Money:
    return amount if amount.minor > 0 else Money(0, amount.currency)


# -- the money of a whole event --------------------------------------------------------------------------------------


def price_range(policy: FeePolicy, section: str = "") -> tuple[Money, Money]:
    """Return the lowest and the highest price of somebody in time who proves nothing."""
    base = policy.first(Base, section)
    if base is None:
        return policy.zero, policy.zero
    early = policy.first(Early, section)
    return (base.amount - early.amount if early else base.amount), base.amount


def players_to_cover(fund: Money, fee: Money) -> int | None:
    """Return from how many players on the fees pay for a prize fund; None when no number of players does."""
    if fund.minor <= 0:
        return 0
    return None if fee.minor <= 0 else -(-fund.minor // fee.minor)
