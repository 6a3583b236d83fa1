"""The price of one entry, clause by clause, before anything is said about how the entry ended.

Order of the text: who pays nothing (exempt), who is late, what claims and family take off, and the lowest of the
prices that apply. Early payment lowers the base first; percentages are taken from what the base then is.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal

from registration.engine.fee_rules import (
    Base,
    Combine,
    Deposit,
    Discount,
    Early,
    EarlyNeeds,
    Exempt,
    FeePolicy,
    Late,
    LateMode,
    Sibling,
    SiblingCombine,
    Special,
    Unit,
)
from tourney.kernel.money import Money, total


@dataclass(frozen=True, slots=True)
class FeeLine:
    """One clause applied: the amounts of a quote's lines add up to what is due.

    `why` is a code the page turns into words; `claims` are the reasons proven (never shown in public).
    """

    clause: str
    kind: str
    amount: Money
    why: str
    claims: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Claim:
    """A reason for a lower price; it counts once somebody has seen the document."""

    code: str
    verified: bool


@dataclass(frozen=True, slots=True)
class Paid:
    """Money received (negative: a payment reversed); `on` is an instant in the event's time zone."""

    amount: Money
    on: datetime


@dataclass(frozen=True, slots=True)
class Situation:
    """What the price depends on, already reduced to plain values."""

    section: str
    registered_at: datetime | None
    arrived_at: datetime | None
    claims: frozenset[str]  # verified only
    family_children: int
    payments: tuple[Paid, ...]  # in order of time
    at: datetime
    still_coming: bool  # may yet arrive: an arrival deadline that passes makes him late


@dataclass(frozen=True, slots=True)
class Price:
    """The fee of an entry that plays."""

    lines: tuple[FeeLine, ...]
    fee: Money
    early: bool
    late: bool
    exempt: bool


def price(policy: FeePolicy, situation: Situation) -> Price:
    """Return the price of an entry with one line per clause applied."""
    late = is_late(policy, situation)
    exempt = _exemption(policy, situation, late=late)
    early = exempt is None and _is_early(policy, situation, late=late)
    base = _base_lines(policy, situation.section, early=early)
    fee = total((line.amount for line in base), policy.currency)
    if exempt is not None:
        proven = tuple(claim for claim in exempt.claims if claim in situation.claims)
        free = FeeLine(exempt.clause, "exempt", -fee, "exempt", proven)
        return Price((*base, free), policy.zero, early, late, exempt=True)
    lines = _late_or_reduced(policy, situation, base, late=late)
    return Price(tuple(lines), total((line.amount for line in lines), policy.currency), early, late, exempt=False)


def _late_or_reduced(policy: FeePolicy, situation: Situation, base: list[FeeLine], *, late: bool) -> list[FeeLine]:
    rule = policy.first(Late, situation.section)
    if rule is None or not late:
        return _reduced(policy, situation, base)
    fee = total((line.amount for line in base), policy.currency)
    surcharge = FeeLine(rule.clause, "late", rule.amount - fee, f"late.{rule.mode}")
    match rule.mode:
        case LateMode.FLAT:
            return [*base, surcharge]
        case LateMode.BASE:
            return _reduced(policy, situation, [*base, surcharge])
        case LateMode.SURCHARGE:
            # Over the full price, so that who paid early adds no more than anybody else.
            full = policy.first(Base, situation.section)
            extra = rule.amount - (full.amount if full else policy.zero)
            return [*_reduced(policy, situation, base), FeeLine(rule.clause, "late", extra, surcharge.why)]


def _base_lines(policy: FeePolicy, section: str, *, early: bool) -> list[FeeLine]:
    rule = policy.first(Base, section)
    lines = [FeeLine(rule.clause, "base", rule.amount, "base")] if rule else []
    early_rule = policy.first(Early, section)
    if early and early_rule is not None:
        lines.append(FeeLine(early_rule.clause, "early", -early_rule.amount, f"early.{early_rule.requires}"))
    return lines


# -- lateness and exemption ------------------------------------------------------------------------------------------


def is_late(policy: FeePolicy, situation: Situation) -> bool:
    """Say whether an entry was, or by now is, too late for the ordinary price."""
    rule = policy.first(Late, situation.section)
    if rule is None:
        return False
    registered = situation.registered_at or situation.at
    if rule.registered_until and not rule.registered_until.allows(registered):
        return True
    arrived = situation.arrived_at or (situation.at if situation.still_coming else None)
    return bool(rule.arrived_until and arrived and not rule.arrived_until.allows(arrived))


def _exemption(policy: FeePolicy, situation: Situation, *, late: bool) -> Exempt | None:
    rule = policy.first(Late, situation.section)
    if late and rule is not None and rule.applies_to_exempt:
        return None
    for exempt in policy.all(Exempt, situation.section):
        if situation.claims.intersection(exempt.claims):
            return exempt
    return None


# -- the early price -------------------------------------------------------------------------------------------------


def _is_early(policy: FeePolicy, situation: Situation, *, late: bool) -> bool:
    """Say whether the early price holds: earned, or still within reach because its deadline is open."""
    rule = policy.first(Early, situation.section)
    if rule is None:
        return False
    registered = rule.until.allows(situation.registered_at or situation.at)
    needed = _needed_payment(policy, situation, rule, late=late)
    reached = reached_at(situation.payments, needed)
    paid = rule.until.allows(reached or situation.at)
    match rule.requires:
        case EarlyNeeds.REGISTRATION:
            return registered
        case EarlyNeeds.DEPOSIT:
            return paid
        case EarlyNeeds.BOTH | EarlyNeeds.FULL_PAYMENT:
            return registered and paid


def _needed_payment(policy: FeePolicy, situation: Situation, rule: Early, *, late: bool) -> Money:
    if rule.requires is EarlyNeeds.FULL_PAYMENT:
        base = _base_lines(policy, situation.section, early=True)
        return total(
            (line.amount for line in _late_or_reduced(policy, situation, base, late=late)),
            policy.currency,
        )
    deposit = policy.first(Deposit, situation.section)
    return deposit.amount if deposit else policy.zero


def reached_at(payments: Sequence[Paid], needed: Money) -> datetime | None:
    """Return when the running total came to an amount and stayed there; None while it has not.

    For an amount of zero the first payment counts; nothing needs to be waited for.
    """
    running, since = Money(0, needed.currency), None
    for payment in payments:
        running = running + payment.amount
        if running < needed:
            since = None
        elif since is None:
            since = payment.on
    return since


# -- discounts, family, prices of one's own --------------------------------------------------------------------------


def _reduced(policy: FeePolicy, situation: Situation, base: list[FeeLine]) -> list[FeeLine]:
    """Return the lines of the lowest price that applies; of equal prices the one named first in this list."""
    discount = policy.first(Discount, situation.section)
    sibling = policy.first(Sibling, situation.section)
    if sibling is not None and not sibling.fits(situation.family_children):
        sibling = None
    start = total((line.amount for line in base), policy.currency)
    family = [*base, FeeLine(sibling.clause, "sibling", sibling.amount - start, "sibling")] if sibling else base
    if sibling is not None and sibling.combine is SiblingCombine.SIBLING_ONLY:
        return family
    on_sibling = sibling is not None and sibling.combine is SiblingCombine.DISCOUNT_ON_SIBLING
    offers = [_discounted(discount, situation.claims, family if on_sibling else base, policy)]
    for special in policy.all(Special, situation.section):
        proven = tuple(claim for claim in special.claims if claim in situation.claims)
        if proven:
            offers.append([*base, FeeLine(special.clause, "special", special.amount - start, "special", proven)])
    offers += [family, base]
    return min(offers, key=lambda lines: total((line.amount for line in lines), policy.currency).minor)


def _discounted(rule: Discount | None, claims: frozenset[str], base: list[FeeLine], policy: FeePolicy) -> list[FeeLine]:
    """Return the base with every proven discount taken off; never below zero."""
    if rule is None:
        return base
    start = left = total((line.amount for line in base), policy.currency)
    found = _proven(rule, claims)
    if rule.combine is Combine.BEST:
        found = sorted(found, key=lambda item: item[0], reverse=True)[:1]
    lines = list(base)
    for percent, reasons in found:
        of = left if rule.combine is Combine.MULTIPLY else start
        off = min(of.times(percent / 100), left)
        why = "discount" if off or not percent else "discount.nothing_left"
        lines.append(FeeLine(rule.clause, "discount", -off, why, reasons))
        left = left - off
    return lines


def _proven(rule: Discount, claims: frozenset[str]) -> list[tuple[Decimal, tuple[str, ...]]]:
    """Return percentage and reasons of each discount that counts."""
    found: list[tuple[Decimal, tuple[str, ...]]] = []
    for bullet in rule.bullets:
        reasons = tuple(claim for claim in bullet.claims if claim in claims)
        if reasons and rule.unit is Unit.BULLET:
            found.append((bullet.percent, reasons))
        elif reasons:
            found += [(bullet.percent, (reason,)) for reason in reasons]
    return found
