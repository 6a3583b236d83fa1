"""What a regulation says about money, as values: each rule has its clause. `fee_reading` makes them from rule data.

Prices: `base`, `early`, `discount`, `special`, `sibling`, `exempt`, `late`.
Payment: `deposit`. What is kept and returned when somebody does not play: `outcome` (the first that fits decides).
A rule may be limited to some sections; of several rules of one kind the first that applies to the section counts.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import tzinfo
from decimal import Decimal
from enum import StrEnum
from typing import TypeVar

from registration.engine.moments import Deadline
from tourney.kernel.money import Money


class EarlyNeeds(StrEnum):
    """What must have happened before the early deadline."""

    BOTH = "registration_and_deposit"
    DEPOSIT = "deposit_only"
    REGISTRATION = "registration_only"
    FULL_PAYMENT = "registration_and_full_payment"


class Combine(StrEnum):
    """What several proven discounts make together."""

    SUM = "sum"
    BEST = "best_single"
    MULTIPLY = "multiply"


class Unit(StrEnum):
    """What a discount is counted by: a bullet of the text once, or every reason inside it."""

    BULLET = "bullet"
    REASON = "reason"


class SiblingCombine(StrEnum):
    """How the family price meets other discounts."""

    LOWEST = "min"
    DISCOUNT_ON_SIBLING = "discount_on_sibling"
    SIBLING_ONLY = "sibling_only"


class LateMode(StrEnum):
    """What the late price is: the whole price, a new base for discounts, or a surcharge over the base."""

    FLAT = "flat"
    BASE = "base"
    SURCHARGE = "surcharge"


class Outcome(StrEnum):
    """How an entry ended; `OPEN` while it has not."""

    OPEN = "open"
    PLAYED = "played"
    NO_SHOW = "no_show"
    WITHDRAWN = "withdrawn"
    DISQUALIFIED = "disqualified"
    EVENT_CANCELLED = "event_cancelled"
    REJECTED = "rejected"
    NOT_ADMITTED = "not_admitted"  # stayed on the reserve list to the end


class Keep(StrEnum):
    """What the organizer keeps: nothing; the deposit; what was paid of the fee (the rest is written off);
    everything paid; or the whole fee, which stays owed."""

    NOTHING = "nothing"
    DEPOSIT = "deposit"
    PAID_FEE = "paid_fee"
    ALL_PAID = "all_paid"
    FEE = "fee"


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """What every rule has: its clause, and the sections it is limited to (none named: all)."""

    clause: str
    sections: frozenset[str] = frozenset()

    def covers(self, section: str) -> bool:
        """Return whether the rule holds for a section."""
        return not self.sections or section in self.sections


@dataclass(frozen=True, slots=True, kw_only=True)
class Base(Rule):
    """The ordinary fee."""

    amount: Money


@dataclass(frozen=True, slots=True, kw_only=True)
class Deposit(Rule):
    """A part of the fee that confirms the place; it counts towards the fee."""

    amount: Money


@dataclass(frozen=True, slots=True, kw_only=True)
class Early(Rule):
    """A lower fee until a deadline."""

    amount: Money  # taken off the base
    until: Deadline
    requires: EarlyNeeds


@dataclass(frozen=True, slots=True)
class Bullet:
    """One line of a list of discounts; any of its claims proves it."""

    code: str
    claims: tuple[str, ...]
    percent: Decimal


@dataclass(frozen=True, slots=True, kw_only=True)
class Discount(Rule):
    """A lower fee for a proven reason."""

    bullets: tuple[Bullet, ...]
    combine: Combine
    unit: Unit


@dataclass(frozen=True, slots=True, kw_only=True)
class Special(Rule):
    """A price of its own for a proven claim (a titled player, a junior, a member)."""

    amount: Money
    claims: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Sibling(Rule):
    """A lower fee for children of one family."""

    amount: Money
    at_least: int
    at_most: int | None
    combine: SiblingCombine

    def fits(self, children: int) -> bool:
        """Return whether so many children are enough."""
        return children >= self.at_least and (self.at_most is None or children <= self.at_most)


@dataclass(frozen=True, slots=True, kw_only=True)
class Exempt(Rule):
    """No fee for a proven reason."""

    claims: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Late(Rule):
    """A higher fee after a deadline."""

    amount: Money  # the price of a late entry, not what is added
    registered_until: Deadline | None
    arrived_until: Deadline | None
    mode: LateMode
    applies_to_exempt: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class OutcomeRule(Rule):
    """Conditions left out (None) fit either way."""

    when: Outcome
    keep: Keep
    valid_reason: bool | None = None
    before_start: bool | None = None
    replaced: bool | None = None


R = TypeVar("R", bound=Rule)


@dataclass(frozen=True, slots=True)
class FeePolicy:
    """All fee rules of an event, in the order they were written; no rule at all means a free event."""

    currency: str
    zone: tzinfo
    rules: tuple[Rule, ...] = ()
    claims: Mapping[str, Mapping[str, str]] = field(default_factory=dict)  # offered on the form: code and its words

    def all(self, kind: type[R], section: str) -> list[R]:
        """Return every rule of a kind that covers a section, in order."""
        return [rule for rule in self.rules if isinstance(rule, kind) and rule.covers(section)]

    def first(self, kind: type[R], section: str) -> R | None:
        """Return the rule of a kind that counts for a section."""
        return next(iter(self.all(kind, section)), None)

    @property
    def zero(self) -> Money:
        return Money(0, self.currency)

    @property
    def sections(self) -> frozenset[str]:
        """The sections that some rule is limited to."""
        return frozenset().union(*(rule.sections for rule in self.rules))
