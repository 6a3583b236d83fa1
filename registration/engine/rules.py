"""Reads every block of a regulation that concerns entering and paying, and refuses what contradicts itself across them.

`parse` is the one door: the Django check of shipped presets, the editor in the browser and every selector use it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any

from registration.engine import appeals, eligibility, fees, payee, purpose, sanctions
from registration.engine.blocks import Block
from registration.engine.capacity import PlaceRules, SeatTakenBy, parse_places
from registration.engine.fee_rules import Deposit, FeePolicy, Outcome
from registration.engine.moments import Deadline
from tourney.kernel.errors import RuleError
from tourney.kernel.regulation import read_zone


class FormField(StrEnum):
    """What the entry form may ask for besides the name, the level and the claims."""

    BIRTH_DATE = "birth_date"
    SEX = "sex"
    CLUB = "club"
    CITY = "city"
    FIDE_ID = "fide_id"
    NATIONAL_ID = "national_id"
    RESIDENCE = "residence"
    GUARDIAN = "guardian"
    PHONE = "phone"
    EMAIL = "email"
    COACH = "coach"


class Method(StrEnum):
    """A way to pay."""

    CASH = "cash"
    TRANSFER = "transfer"
    CARD = "card"


@dataclass(frozen=True, slots=True)
class EntryRules:
    """When and how one enters. `levels` and `grounds` are codes with the words a form shows."""

    required_beforehand: bool
    opens_at: Deadline | None
    closes_at: Deadline | None
    arrival_from: Deadline | None
    arrival_until: Deadline | None
    fields: tuple[FormField, ...]
    required_fields: tuple[FormField, ...]
    levels: Mapping[str, Mapping[str, str]]
    grounds: Mapping[str, Mapping[str, str]]
    consents: tuple[str, ...]
    clause: str


@dataclass(frozen=True, slots=True)
class PaymentRules:
    """How the fee is paid and what the payer writes; `payee` is the organizer's own."""

    methods: tuple[Method, ...]
    purpose: Mapping[str, str]
    payee: payee.Payee
    clause: str


@dataclass(frozen=True, slots=True)
class SectionPlaces:
    """One section: who may enter, and how many."""

    code: str
    title: Mapping[str, str]
    who: eligibility.SectionRule
    places: PlaceRules


@dataclass(frozen=True, slots=True)
class RegistrationRules:
    """Everything a regulation says about entering and paying."""

    entry: EntryRules
    sections: tuple[SectionPlaces, ...]
    fees: FeePolicy
    payment: PaymentRules
    appeals: appeals.AppealRules
    sanctions: sanctions.SanctionRules

    def section(self, code: str) -> SectionPlaces:
        """Return a section by its code; KeyError for a code the regulation does not name."""
        for section in self.sections:
            if section.code == code:
                return section
        raise KeyError(code)


def parse(regulation: Mapping[str, Any]) -> RegistrationRules:
    """Return this app's part of a whole regulation with absolute dates.

    Raises RuleError with the path of what is wrong.
    """
    currency = str(regulation.get("currency", "UAH"))
    zone = str(regulation.get("time_zone", "Europe/Kyiv"))
    entry_node = Block(regulation.get("registration", {}), "registration")
    places = parse_places(entry_node)
    rules = RegistrationRules(
        entry=_entry(entry_node, zone),
        sections=_sections(regulation, places),
        fees=fees.parse(regulation.get("fees", {}), currency, zone),
        payment=parse_payment(regulation.get("payment", {})),
        appeals=appeals.parse(regulation.get("appeals", {}), currency),
        sanctions=sanctions.parse(regulation.get("sanctions", {}), zone),
    )
    _check(rules)
    return rules


def _entry(node: Block, time_zone: str) -> EntryRules:
    zone = read_zone(time_zone)
    arrival = node.node("arrival")
    rules = EntryRules(
        required_beforehand=node.flag("required_beforehand", False),
        opens_at=node.optional_deadline("opens_at", zone, inclusive=False),
        closes_at=node.optional_deadline("closes_at", zone),
        arrival_from=arrival.optional_deadline("from", zone, inclusive=False),
        arrival_until=arrival.optional_deadline("until", zone),
        fields=node.choices("fields", FormField, []),
        required_fields=node.choices("required_fields", FormField, []),
        levels=node.titles("levels"),
        grounds=node.titles("grounds"),
        consents=node.codes("consents", ["regulation", "processing"]),
        clause=node.text("clause", ""),
    )
    arrival.finish()
    node.finish()
    _in_order(node.at("closes_at"), rules.opens_at, rules.closes_at)
    _in_order(arrival.at("until"), rules.arrival_from, rules.arrival_until)
    for index, wanted in enumerate(rules.required_fields):
        if wanted not in rules.fields:
            raise RuleError(f"{node.at('required_fields')}[{index}]", "rule.not_on_the_form", got=wanted.value)
    return rules


def _in_order(path: str, first: Deadline | None, last: Deadline | None) -> None:
    if first is not None and last is not None and last.moment < first.moment:
        raise RuleError(path, "rule.ends_before_it_begins")


def _sections(regulation: Mapping[str, Any], places: PlaceRules) -> tuple[SectionPlaces, ...]:
    common = regulation.get("eligibility", {})
    Block(common, "eligibility")
    found: list[SectionPlaces] = []
    for node in Block(regulation).nodes("sections"):
        code = node.code("code")
        own = node.raw("eligibility")
        path = node.at("eligibility") if own else "eligibility"
        who = eligibility.parse_section(common, {} if own is None else own, code, path)
        capacity = node.optional_integer("capacity", low=1, high=10_000)
        section_places = replace(places, capacity=capacity) if capacity is not None else places
        found.append(SectionPlaces(code, node.words("title"), who, section_places))
        node.finish()
    eligibility.check_sections([section.who for section in found])
    return tuple(found)


def parse_payment(block: Mapping[str, Any], path: str = "payment") -> PaymentRules:
    """Return how the fee is paid; an empty block means cash at the desk."""
    node = Block(block, path)
    methods = node.choices("methods", Method, [Method.CASH.value])
    words = node.words("purpose", {})
    for language, template in words.items():
        purpose.check_template(template, f"{node.at('purpose')}.{language}")
    requisites = payee.parse(node.node("payee").value, node.at("payee"))
    rules = PaymentRules(methods, words, requisites, node.text("clause", ""))
    node.finish()
    return rules


# -- contradictions between blocks -----------------------------------------------------------------------------------


def _check(rules: RegistrationRules) -> None:
    codes = [section.code for section in rules.sections]
    for index, rule in enumerate(rules.fees.rules):
        for code in sorted(rule.sections):
            if code not in codes:
                raise RuleError(f"fees.rules[{index}].sections", "rule.unknown_section", got=code)
    for index, section in enumerate(rules.sections):
        path = f"sections[{index}]"
        _check_known(section.who.levels, rules.entry.levels, f"{path}.eligibility.levels", "rule.unknown_level")
        _check_known(section.who.playing_up, rules.entry.grounds, "eligibility.playing_up", "rule.unknown_ground")
        girls = section.who.girls_among_boys
        _check_known(girls, rules.entry.grounds, "eligibility.girls_among_boys", "rule.unknown_ground")
        by_deposit = section.places.seat_taken_by is SeatTakenBy.DEPOSIT or section.places.hold_hours is not None
        if by_deposit and rules.fees.first(Deposit, section.code) is None:
            raise RuleError("registration.seat_taken_by", "rule.no_deposit", section=section.code)


def _check_known(used: Sequence[str], known: Mapping[str, object], path: str, code: str) -> None:
    for index, value in enumerate(used):
        if value not in known:
            raise RuleError(f"{path}[{index}]", code, got=value)


# Outcomes a regulation should say something about; the editor asks for those it does not.
OUTCOMES_TO_SETTLE = tuple(outcome for outcome in Outcome if outcome not in (Outcome.OPEN, Outcome.PLAYED))


def unsettled_outcomes(policy: FeePolicy) -> tuple[Outcome, ...]:
    """Return the ends of an entry for which a paid event's regulation leaves the money open."""
    if not policy.rules:
        return ()
    settled = {getattr(rule, "when", None) for rule in policy.rules}
    return tuple(outcome for outcome in OUTCOMES_TO_SETTLE if outcome not in settled)
