"""Reads the block ``fees`` of a regulation into a fee policy, and refuses rules that contradict one another.

``[[fees.rules]]`` is a tagged union: each table has a `kind` and the clause it comes from.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from datetime import tzinfo
from decimal import Decimal
from typing import Any

from registration.engine.blocks import Block
from registration.engine.fee_rules import (
    Base,
    Bullet,
    Combine,
    Deposit,
    Discount,
    Early,
    EarlyNeeds,
    Exempt,
    FeePolicy,
    Keep,
    Late,
    LateMode,
    Outcome,
    OutcomeRule,
    Rule,
    Sibling,
    SiblingCombine,
    Special,
    Unit,
)
from tourney.kernel.errors import RuleError
from tourney.kernel.regulation import read_zone


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
