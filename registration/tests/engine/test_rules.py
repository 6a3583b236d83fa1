"""Whole regulations: the shipped presets are read, and a contradiction between two blocks is found."""

from __future__ import annotations

import copy

import pytest

from registration.engine.capacity import SeatTakenBy
from registration.engine.eligibility import Merge
from registration.engine.fee_rules import Late, Outcome
from registration.engine.rules import FormField, Method, parse, unsettled_outcomes
from registration.tests.engine.presets import PRESETS, kyiv, moscow, parsed, regulation
from tourney.kernel.errors import RuleError


@pytest.mark.parametrize("code", sorted(path.stem for path in PRESETS.glob("*.toml")))
def test_every_shipped_preset_is_read(code):
    rules = parsed(code)

    assert rules.sections
    assert rules.fees.currency == rules.appeals.deposit.currency


@pytest.mark.clause("K3.1")
@pytest.mark.clause("K4.1")
def test_knockout_preset_says_who_enters_and_when():
    rules = parsed("second-chance-32")

    assert rules.entry.required_beforehand
    assert rules.entry.closes_at.moment == kyiv("2026-01-25T10:30")
    assert list(rules.entry.levels) == ["KMS", "1", "2"]
    assert rules.section("main").places.capacity == 32
    assert rules.section("main").places.seat_taken_by is SeatTakenBy.DEPOSIT
    assert rules.payment.methods == (Method.CASH, Method.TRANSFER)
    assert unsettled_outcomes(rules.fees) == ()
    with pytest.raises(KeyError):
        rules.section("second")


@pytest.mark.clause("M10.3.5")
def test_youth_preset_has_both_deadlines_of_late_entries():
    rules = parsed("youth-championship")

    assert rules.entry.arrival_from.moment == moscow("2021-08-26T09:00")
    assert rules.entry.arrival_until.moment == moscow("2021-08-26T09:45")
    late = rules.fees.first(Late, "u11-boys")
    assert late.registered_until.moment == moscow("2021-08-23T20:00")
    assert late.arrived_until.moment == moscow("2021-08-26T09:45")
    assert FormField.RESIDENCE in rules.entry.required_fields
    assert len(rules.sections) == 10


def test_rule_of_a_section_has_the_common_one_merged_in():
    section = parse(regulation("youth-championship")).sections[0].who

    assert (section.group, section.born_from, section.born_to, section.merge) == ("U11", 2012, 2013, Merge.SAME_GROUP)


def test_outcomes_the_regulation_leaves_open_are_listed():
    data = regulation("empty")
    data["fees"] = {"rules": [{"kind": "base", "amount": "10", "clause": ""}]}

    assert unsettled_outcomes(parse(regulation("empty")).fees) == ()
    assert len(unsettled_outcomes(parse(data).fees)) == len(Outcome) - 2


def change(data, path, value):
    *steps, last = path
    for step in steps:
        data = data[step]
    if value is None:
        del data[last]
    else:
        data[last] = value


@pytest.mark.parametrize(
    ("path", "value", "where", "code"),
    [
        (("fees", "rules", 11, "sections"), ["juniors"], "fees.rules[11].sections", "rule.unknown_section"),
        (("fees", "rules", 0, "amount"), "-1", "fees.rules[0].amount", "rule.negative_money"),
        (("fees", "base"), "600", "fees.base", "rule.unknown_key"),
        (
            ("sections", 0, "eligibility", "levels"),
            ["GM"],
            "sections[0].eligibility.levels[0]",
            "rule.unknown_level",
        ),
        (("sections", 0, "capacity"), 0, "sections[0].capacity", "rule.out_of_range"),
        (("sections", 0, "kapacity"), 3, "sections[0].kapacity", "rule.unknown_key"),
        (
            ("eligibility",),
            {"playing_up": ["bribe"]},
            "eligibility.playing_up[0]",
            "rule.unknown_ground",
        ),
        (("eligibility",), ["playing_up"], "eligibility", "rule.expected_table"),
        (("registration", "hold_hours"), 48, "registration.hold_hours", "rule.never_applies"),
        (("registration", "opens_at"), "2026-01-26T00:00", "registration.closes_at", "rule.ends_before_it_begins"),
        (("registration", "closes_at"), "half past ten", "registration.closes_at", "rule.not_a_moment"),
        (("registration", "fields"), ["shoe_size"], "registration.fields[0]", "rule.not_an_option"),
        (("registration", "fields"), ["sex"], "registration.required_fields[0]", "rule.not_on_the_form"),
        (("payment", "methods"), ["barter"], "payment.methods[0]", "rule.not_an_option"),
        (("payment", "purpose", "uk"), "Внесок", "payment.purpose.uk", "rule.missing_field"),
        (("payment", "payee"), {"inn": "1215193595"}, "payment.payee.inn", "rule.bad_check_digit"),
        (("sanctions", "kinds"), ["exile"], "sanctions.kinds[0]", "rule.not_an_option"),
        (("appeals", "committee"), True, "appeals.window_minutes", "rule.missing"),
        (("time_zone",), "Europe/Nowhere", "time_zone", "rule.unknown_time_zone"),
    ],
)
def test_broken_regulation_is_refused_at_its_key(path, value, where, code):
    data = copy.deepcopy(regulation("second-chance-32"))
    change(data, path, value)

    with pytest.raises(RuleError) as caught:
        parse(data)

    assert (caught.value.path, caught.value.code) == (where, code)


def test_place_by_deposit_needs_a_deposit():
    data = regulation("open-swiss")
    data["registration"]["seat_taken_by"] = "confirmed_deposit"

    with pytest.raises(RuleError) as caught:
        parse(data)

    assert (caught.value.path, caught.value.code) == ("registration.seat_taken_by", "rule.no_deposit")
