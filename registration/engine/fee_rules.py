"""What a regulation says about money, as data: each rule is a table with a `kind` and the clause it comes from.

``[[fees.rules]]`` is a tagged union. Prices: `base`, `early`, `discount`, `special`, `sibling`, `exempt`, `late`.
Payment: `deposit`. What is kept and returned when somebody does not play: `outcome` (the first that fits decides).
A rule may be limited to some sections; of several rules of one kind the first that applies to the section counts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import tzinfo
from decimal import Decimal
from enum import StrEnum
from typing import Any, TypeVar

from registration.engine.blocks import Block
from registration.engine.moments import Deadline
from tourney.kernel.errors import RuleError
from tourney.kernel.money import Money
from tourney.kernel.regulation import read_zone


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

    @property
    def instants(self) -> tuple[Deadline, ...]:
        """The deadlines after which a quote may change, in order of time: when to quote again."""
        found = [rule.until for rule in self.rules if isinstance(rule, Early)]
        for rule in self.rules:
            if isinstance(rule, Late):
                found += [moment for moment in (rule.registered_until, rule.arrived_until) if moment]
        return tuple(sorted(found, key=lambda deadline: deadline.moment))


def parse(block: Mapping[str, Any], currency: str, time_zone: str, path: str = "fees") -> FeePolicy:
    """Return the fee policy of a regulation's ``fees`` block.

    Raises RuleError with the path of the key that is wrong; an unknown key is wrong.
    """
    zone = read_zone(time_zone)
    root = Block(block, path)
    claims = root.titles("claims")
    rules = tuple(_rule(node, currency, zone) for node in root.nodes("rules"))
    root.finish()
    policy = FeePolicy(currency, zone, rules, claims)
    _check(policy, f"{path}.rules")
    return policy


def _rule(node: Block, currency: str, zone: tzinfo) -> Rule:
    kind = node.choice("kind", _KINDS)
    common = {"clause": node.clause(), "sections": frozenset(node.codes("sections", []))}
    rule = _KINDS[kind](node, common, currency, zone)
    node.finish()
    return rule


def _base(node: Block, common: Any, currency: str, zone: tzinfo) -> Rule:
    return Base(**common, amount=node.amount("amount", currency))


def _deposit(node: Block, common: Any, currency: str, zone: tzinfo) -> Rule:
    return Deposit(**common, amount=node.amount("amount", currency))


def _early(node: Block, common: Any, currency: str, zone: tzinfo) -> Rule:
    return Early(
        **common,
        amount=node.amount("amount", currency),
        until=node.deadline("until", zone, inclusive=node.flag("inclusive", True)),
        requires=node.choice("requires", EarlyNeeds, EarlyNeeds.BOTH),
    )


def _discount(node: Block, common: Any, currency: str, zone: tzinfo) -> Rule:
    usual = node.percent("percent") if node.has("percent") else None
    bullets: list[Bullet] = []
    for inner in node.nodes("bullets"):
        if usual is None and not inner.has("percent"):
            raise node.fail("percent", "rule.missing")
        percent = inner.percent("percent") if inner.has("percent") else usual
        bullet = Bullet(inner.code("code"), _claims(inner), percent or Decimal(0))
        inner.finish()
        if bullet.code in [other.code for other in bullets]:
            raise inner.fail("code", "rule.twice", got=bullet.code)
        bullets.append(bullet)
    if not bullets:
        raise node.fail("bullets", "rule.missing")
    return Discount(
        **common,
        bullets=tuple(bullets),
        combine=node.choice("combine", Combine, Combine.SUM),
        unit=node.choice("unit", Unit, Unit.BULLET),
    )


def _special(node: Block, common: Any, currency: str, zone: tzinfo) -> Rule:
    return Special(**common, amount=node.amount("amount", currency), claims=_claims(node))


def _sibling(node: Block, common: Any, currency: str, zone: tzinfo) -> Rule:
    at_least = node.integer("at_least", 2, low=2)
    return Sibling(
        **common,
        amount=node.amount("amount", currency),
        at_least=at_least,
        at_most=node.optional_integer("at_most", low=at_least),
        combine=node.choice("combine", SiblingCombine, SiblingCombine.LOWEST),
    )


def _exempt(node: Block, common: Any, currency: str, zone: tzinfo) -> Rule:
    return Exempt(**common, claims=_claims(node))


def _late(node: Block, common: Any, currency: str, zone: tzinfo) -> Rule:
    inclusive = node.flag("inclusive", True)
    rule = Late(
        **common,
        amount=node.amount("amount", currency),
        registered_until=node.optional_deadline("registered_until", zone, inclusive=inclusive),
        arrived_until=node.optional_deadline("arrived_until", zone, inclusive=inclusive),
        mode=node.choice("mode", LateMode, LateMode.FLAT),
        applies_to_exempt=node.flag("applies_to_exempt", False),
    )
    if rule.registered_until is None and rule.arrived_until is None:
        raise node.fail("registered_until", "rule.missing")
    return rule


def _outcome(node: Block, common: Any, currency: str, zone: tzinfo) -> Rule:
    options = [outcome for outcome in Outcome if outcome not in (Outcome.OPEN, Outcome.PLAYED)]
    return OutcomeRule(
        **common,
        when=node.choice("when", options),
        keep=node.choice("keep", Keep),
        valid_reason=node.optional_flag("valid_reason"),
        before_start=node.optional_flag("before_start"),
        replaced=node.optional_flag("replaced"),
    )


def _claims(node: Block) -> tuple[str, ...]:
    claims = node.codes("claims")
    if not claims:
        raise node.fail("claims", "rule.missing")
    return claims


_KINDS: Mapping[str, Callable[[Block, Any, str, tzinfo], Rule]] = {
    "base": _base,
    "deposit": _deposit,
    "early": _early,
    "discount": _discount,
    "special": _special,
    "sibling": _sibling,
    "exempt": _exempt,
    "late": _late,
    "outcome": _outcome,
}

# Of these the first that covers a section counts; a later one for the same sections could never apply.
_SINGLE = (Base, Deposit, Early, Discount, Sibling, Late)


def _check(policy: FeePolicy, path: str) -> None:
    """Refuse rules that contradict each other."""
    for index, rule in enumerate(policy.rules):
        at = f"{path}[{index}]"
        _check_reachable(policy.rules[:index], rule, at)
        _check_claims(policy, rule, at)
        for section in sorted(rule.sections or policy.sections | {""}):
            if not isinstance(rule, _SINGLE) or policy.first(type(rule), section) is rule:
                _check_amount(policy, rule, section, at)


def _check_reachable(before: Iterable[Rule], rule: Rule, at: str) -> None:
    for earlier in before:
        same_kind = type(earlier) is type(rule)
        covered = not earlier.sections or (bool(rule.sections) and rule.sections <= earlier.sections)
        if same_kind and covered and (isinstance(rule, _SINGLE) or _shadows(earlier, rule)):
            raise RuleError(at, "rule.never_applies")


def _shadows(earlier: Rule, rule: Rule) -> bool:
    if not isinstance(earlier, OutcomeRule) or not isinstance(rule, OutcomeRule) or earlier.when is not rule.when:
        return False
    pairs = [
        (earlier.valid_reason, rule.valid_reason),
        (earlier.before_start, rule.before_start),
        (earlier.replaced, rule.replaced),
    ]
    return all(wide is None or wide is narrow for wide, narrow in pairs)


def _check_claims(policy: FeePolicy, rule: Rule, at: str) -> None:
    named: list[tuple[str, tuple[str, ...]]] = []
    if isinstance(rule, Discount):
        named = [(f"{at}.bullets[{number}]", bullet.claims) for number, bullet in enumerate(rule.bullets)]
    elif isinstance(rule, Special | Exempt):
        named = [(at, rule.claims)]
    for where, claims in named:
        for number, claim in enumerate(claims):
            if claim not in policy.claims:
                raise RuleError(f"{where}.claims[{number}]", "rule.unknown_claim", got=claim)


def _check_amount(policy: FeePolicy, rule: Rule, section: str, at: str) -> None:
    base_rule = policy.first(Base, section)
    base = base_rule.amount if base_rule else policy.zero
    match rule:
        case Deposit(amount=amount) | Early(amount=amount) if amount > base:
            raise RuleError(f"{at}.amount", "rule.more_than_the_fee", got=str(amount), fee=str(base))
        case Early(requires=EarlyNeeds.BOTH | EarlyNeeds.DEPOSIT) if policy.first(Deposit, section) is None:
            raise RuleError(f"{at}.requires", "rule.no_deposit")
        case Late(amount=amount) if amount < base:
            raise RuleError(f"{at}.amount", "rule.less_than_the_fee", got=str(amount), fee=str(base))
        case OutcomeRule(keep=Keep.DEPOSIT) if policy.first(Deposit, section) is None:
            raise RuleError(f"{at}.keep", "rule.no_deposit")
