"""Runs a folder of fee cases through the fee engine and compares every value a case names.

A case file describes a regime by policy keys. Here each regime becomes a ``fees`` block of the very form a regulation
holds, so that the cases test the block's parser and the engine, not a second copy of the rules.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from datetime import date, datetime
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

from registration.engine.fees import Claim, FeeFacts, FeePolicy, FeeQuote, Outcome, Payment, parse, quote
from tourney.kernel.case import CaseResult
from tourney.kernel.money import Money

Json = Mapping[str, Any]

_KEEP_BY_OPTION = {
    "refund_all": "nothing",
    "refund_deposit": "nothing",
    "refund": "nothing",
    "keep_deposit": "deposit",
    "no_refund": "paid_fee",
}
_OUTCOMES = {"organizer_cancel": Outcome.EVENT_CANCELLED, "entry_rejected": Outcome.REJECTED}


def run_fees(folder: Path) -> list[CaseResult]:
    """Return one result a case of ``cases.json`` in a folder (or in its ``fees`` subfolder)."""
    path = folder / "cases.json"
    source = json.loads((path if path.exists() else folder / "fees" / "cases.json").read_text(encoding="utf-8"))
    return [run_case(case, source["regimes"][case["regime"]]) for case in source["cases"]]


def run_case(case: Json, regime: Json) -> CaseResult:
    """Return the comparison of one case; only the keys it expects are looked at."""
    options = {**regime["default_policy"], **case.get("policy", {})}
    deposit_regime = "deposit" in options
    block = deposit_block(options) if deposit_regime else discount_block(options, regime["claim_bullets"])
    policy = parse(block, regime["currency"], regime["timezone"])
    facts = _facts(case["input"], policy, options)
    answer = quote(policy, facts, _asked_at(case["input"], facts))
    expected = dict(case["expect"])
    return CaseResult(case["id"], expected, {key: _SHOWN[key](answer) for key in expected})


# -- from policy keys to a fees block --------------------------------------------------------------------------------


def deposit_block(options: Json) -> dict[str, Any]:
    """Return the ``fees`` block of a regime with a deposit and an early discount."""
    no_valid_reason = "all_paid" if options["prepaid_above_deposit_on_no_show"] == "keep" else "deposit"
    valid = _KEEP_BY_OPTION[options["no_show_valid_reason"]]
    late_withdrawal = [
        _outcome("withdrawn", valid, "4.7", before_start=False, valid_reason=True),
        _outcome("withdrawn", no_valid_reason, "4.7", before_start=False),
    ]
    return {
        "rules": [
            {"kind": "base", "amount": options["fee"], "clause": "4.4"},
            {"kind": "deposit", "amount": options["deposit"], "clause": "4.3"},
            {
                "kind": "early",
                "amount": options["early_discount"],
                "until": options["early_deadline_date"],
                "inclusive": options["early_deadline_inclusive"],
                "requires": options["early_requires"],
                "clause": "4.5",
            },
            _outcome("no_show", valid, "4.7", valid_reason=True),
            _outcome("no_show", no_valid_reason, "4.7"),
            *_before_start(options["withdrawal_before_start"]),
            *late_withdrawal,
            _outcome("event_cancelled", _KEEP_BY_OPTION[options["event_cancelled"]], "1.4"),
            _outcome("not_admitted", _KEEP_BY_OPTION[options["not_admitted_reserve"]], "3.3"),
            _outcome("disqualified", "fee", "10.3"),
            _outcome("rejected", "nothing", "4.1"),
        ]
    }


def _before_start(option: str) -> list[dict[str, Any]]:
    if option == "refund_if_replaced":
        return [
            _outcome("withdrawn", "nothing", "4.7", before_start=True, replaced=True),
            _outcome("withdrawn", "deposit", "4.7", before_start=True),
        ]
    return [_outcome("withdrawn", _KEEP_BY_OPTION[option], "4.7", before_start=True)]


def discount_block(options: Json, claim_bullets: Mapping[str, list[str]]) -> dict[str, Any]:
    """Return the ``fees`` block of a regime with discounts by claim, a family price and a late price."""
    free = claim_bullets["10.3.4"]
    bullets = [{"code": name[-1], "claims": claims} for name, claims in claim_bullets.items() if name != "10.3.4"]
    sibling = {
        "kind": "sibling",
        "amount": options["sibling_price"],
        "at_least": options["sibling_min"],
        "at_most": options["sibling_max"],
        "combine": options["sibling_combine"],
        "clause": "10.3.3",
    }
    withdrawal = _KEEP_BY_OPTION[options["withdrawal"]]
    return {
        "claims": {claim: {"en": claim} for claims in claim_bullets.values() for claim in claims},
        "rules": [
            {"kind": "base", "amount": options["base"], "clause": "10.3.1"},
            {
                "kind": "discount",
                "percent": options["discount_pct"],
                "combine": options["discount_mode"],
                "unit": options["discount_unit"],
                "bullets": bullets,
                "clause": "10.3.2",
            },
            {key: value for key, value in sibling.items() if value is not None},
            {"kind": "exempt", "claims": free, "clause": "10.3.4"},
            {
                "kind": "late",
                "amount": options["late_price"],
                "mode": options["late_mode"],
                "registered_until": options["ereg_deadline"],
                "arrived_until": options["onsite_close"],
                "inclusive": options["deadline_inclusive"],
                "applies_to_exempt": options["late_applies_to_exempt"],
                "clause": "10.3.5",
            },
            _outcome("withdrawn", withdrawal, "10.5"),
            _outcome("no_show", withdrawal, "10.5"),
            _outcome("event_cancelled", _KEEP_BY_OPTION[options["organizer_cancel"]], ""),
            _outcome("rejected", _KEEP_BY_OPTION[options["rejected"]], ""),
        ],
    }


def _outcome(when: str, keep: str, clause: str, **conditions: bool) -> dict[str, Any]:
    return {"kind": "outcome", "when": when, "keep": keep, "clause": clause, **conditions}


# -- from a case's input to facts ------------------------------------------------------------------------------------


def _facts(given: Json, policy: FeePolicy, options: Json) -> FeeFacts:
    registered_at = _instant(given.get("registered_at", given.get("e_registered_at")), policy)
    outcome = str(given.get("outcome") or "open")
    ended = _OUTCOMES.get(outcome) or Outcome(outcome)
    if registered_at is None and options.get("walk_in") == "refuse":
        ended = Outcome.REJECTED
    return FeeFacts(
        registered_at=registered_at,
        arrived_at=_instant(given.get("onsite_at"), policy),
        claims=tuple(Claim(claim["kind"], claim["verified"]) for claim in given.get("claims", ())),
        family_children=given.get("family_children", 1),
        payments=tuple(_payment(payment, policy) for payment in given.get("payments", ())),
        on_reserve=given.get("place") == "reserve",
        outcome=ended,
        valid_reason=given.get("valid_reason", False),
        withdrawn_at=_instant(given.get("withdrawn_at"), policy),
        starts_at=_instant(options.get("start"), policy),
        replaced=given.get("replaced", False),
    )


def _payment(given: Json, policy: FeePolicy) -> Payment:
    on = date.fromisoformat(given["date"]) if "date" in given else _instant(given["at"], policy)
    if on is None:
        raise ValueError("a payment has neither a moment nor a day")
    return Payment(Money.parse(given["amount"], policy.currency), on)


def _instant(text: str | None, policy: FeePolicy) -> datetime | None:
    return None if text is None else datetime.fromisoformat(text).astimezone(policy.zone)


def _asked_at(given: Json, facts: FeeFacts) -> datetime:
    """Return when the question is asked: as stated, else the last thing that happened."""
    if given.get("as_of"):
        return datetime.fromisoformat(given["as_of"])
    moments = [facts.registered_at, facts.arrived_at, facts.withdrawn_at]
    moments += [payment.on for payment in facts.payments if isinstance(payment.on, datetime)]
    known = [moment for moment in moments if moment is not None]
    return max(known) if known else datetime(1970, 1, 1, tzinfo=ZoneInfo("UTC"))


_SHOWN: Mapping[str, Callable[[FeeQuote], object]] = {
    "status": lambda answer: answer.status,
    "early": lambda answer: answer.early,
    "late": lambda answer: answer.late,
    "confirmed": lambda answer: answer.confirmed,
    "basis": lambda answer: answer.basis,
    "amount_due": lambda answer: str(answer.due.major),
    "deposit_due": lambda answer: str(answer.deposit_due.major),
    "remainder": lambda answer: str(answer.remainder.major),
    "refundable": lambda answer: str(answer.refundable.major),
    "kept": lambda answer: str(answer.kept.major),
    "write_off": lambda answer: str(answer.write_off.major),
}
