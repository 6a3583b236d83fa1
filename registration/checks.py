"""Reads the blocks this app owns in every regulation: who may enter, how, for how much; sanctions and appeals.

Each block is read alone first, so that one mistake doesn't hide the others; then all together.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from registration.engine import appeals, eligibility, fees, rules, sanctions
from registration.engine.blocks import Block
from registration.engine.fee_rules import Early, Late
from tourney import regulation_checks
from tourney.kernel.errors import RuleError
from tourney.regulation_checks import Problem, Proposal, error, warning


def read_sections(proposal: Proposal) -> Iterator[Problem]:
    if not proposal.sections:
        raise RuleError("sections", "rule.missing")
    common = proposal.block("eligibility") or {}
    if not isinstance(common, Mapping):
        raise RuleError("eligibility", "rule.expected_table", got=type(common).__name__)
    for node in Block({"sections": proposal.block("sections")}).nodes("sections"):
        rule = eligibility.parse_section(
            common,
            node.node("eligibility").value,
            node.code("code"),
            node.at("eligibility"),
        )
        if rule.born_to is not None and rule.born_to > proposal.starts_on.year:
            yield warning(
                f"{node.at('eligibility')}.birth_years",
                "sections.not_born_yet",
                year=rule.born_to,
            )


def read_fees(proposal: Proposal) -> Iterator[Problem]:
    """A price that could only count after the event began contradicts the day of the event."""
    policy = fees.parse(proposal.block("fees"), proposal.spec.currency, proposal.spec.time_zone)
    for index, rule in enumerate(policy.rules):
        path = f"fees.rules[{index}]"
        if isinstance(rule, Early) and rule.until.last_day > proposal.starts_on:
            yield error(f"{path}.until", "deadline.after_start")
        if isinstance(rule, Late) and rule.registered_until and rule.registered_until.moment > proposal.starts_at:
            yield error(f"{path}.registered_until", "deadline.after_start")


def read_payment(proposal: Proposal) -> Iterator[Problem]:
    payment = rules.parse_payment(proposal.block("payment"))
    if rules.Method.TRANSFER in payment.methods and not payment.purpose:
        yield warning("payment.purpose", "payment.no_purpose")


def read_registration(proposal: Proposal) -> Iterator[Problem]:
    """Everything together: levels, grounds and sections that other blocks name must exist."""
    entry = rules.parse(proposal.spec.blocks).entry
    for key, deadline in (
        ("closes_at", entry.closes_at),
        ("arrival.until", entry.arrival_until),
    ):
        if deadline is not None and deadline.last_day > proposal.ends_on:
            yield error(f"registration.{key}", "deadline.after_end")
        elif deadline is not None and deadline.moment > proposal.starts_at:
            yield warning(f"registration.{key}", "deadline.after_start")


def read_sanctions(proposal: Proposal) -> None:
    sanctions.parse(proposal.block("sanctions"), proposal.spec.time_zone)


def read_appeals(proposal: Proposal) -> None:
    appeals.parse(proposal.block("appeals"), proposal.spec.currency)


for _block, _reader in (
    ("sections", read_sections),
    ("registration", read_registration),
    ("fees", read_fees),
    ("payment", read_payment),
    ("sanctions", read_sanctions),
    ("appeals", read_appeals),
):
    regulation_checks.register(_block, _reader)
