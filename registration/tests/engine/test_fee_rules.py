"""A fees block with a mistake is refused with the path of the key that is wrong."""

from __future__ import annotations

import pytest

from registration.engine.fees import parse
from tourney.kernel.errors import RuleError

BASE = {"kind": "base", "amount": "600", "clause": "4.4"}
DEPOSIT = {"kind": "deposit", "amount": "100", "clause": "4.3"}
EARLY = {"kind": "early", "amount": "100", "until": "2026-01-20", "clause": "4.5"}
LATE = {"kind": "late", "amount": "750", "registered_until": "2026-01-20T20:00", "clause": "5"}
DISCOUNT = {"kind": "discount", "percent": 50, "clause": "6", "bullets": [{"code": "a", "claims": ["one"]}]}
CLAIMS = {"one": {"en": "One"}}


def complaint(*rules, claims=CLAIMS, **extra):
    with pytest.raises(RuleError) as caught:
        parse({"rules": list(rules), "claims": claims, **extra}, "UAH", "Europe/Kyiv")
    return caught.value.path, caught.value.code


@pytest.mark.parametrize(
    ("rule", "path", "code"),
    [
        ({**BASE, "kind": "bribe"}, "fees.rules[0].kind", "rule.not_an_option"),
        ({"kind": "base", "amount": "600"}, "fees.rules[0].clause", "rule.missing"),
        ({"kind": "base", "clause": "4"}, "fees.rules[0].amount", "rule.missing"),
        ({**BASE, "amount": "-1"}, "fees.rules[0].amount", "rule.negative_money"),
        ({**BASE, "amount": "6OO"}, "fees.rules[0].amount", "rule.expected_money"),
        ({**BASE, "amount": 600.5}, "fees.rules[0].amount", "rule.expected_money"),
        ({**BASE, "amount": "0.001"}, "fees.rules[0].amount", "rule.expected_money"),
        ({**BASE, "amonut": "600"}, "fees.rules[0].amonut", "rule.unknown_key"),
        ({**BASE, "clause": "4.4 of the regulation"}, "fees.rules[0].clause", "rule.too_long"),
        ({**BASE, "sections": ["u 8"]}, "fees.rules[0].sections[0]", "rule.not_a_code"),
        ("600", "fees.rules[0]", "rule.expected_table"),
    ],
)
def test_rule_with_a_mistake_is_refused_at_its_key(rule, path, code):
    assert complaint(rule) == (path, code)


@pytest.mark.parametrize(
    ("change", "path", "code"),
    [
        ({"percent": 101}, "percent", "rule.not_a_percentage"),
        ({"percent": -1}, "percent", "rule.not_a_percentage"),
        ({"percent": 12.5}, "percent", "rule.not_a_percentage"),
        ({"percent": "half"}, "percent", "rule.not_a_percentage"),
        ({"percent": None}, "percent", "rule.missing"),
        ({"bullets": []}, "bullets", "rule.missing"),
        ({"combine": "add"}, "combine", "rule.not_an_option"),
        ({"bullets": [{"code": "a", "claims": []}]}, "bullets[0].claims", "rule.missing"),
        ({"bullets": [{"code": "a", "claims": ["two"]}]}, "bullets[0].claims[0]", "rule.unknown_claim"),
        ({"bullets": [{"code": "a", "claims": ["one", "one"]}]}, "bullets[0].claims[1]", "rule.twice"),
        ({"bullets": [{"code": "a", "claims": ["one"]}] * 2}, "bullets[1].code", "rule.twice"),
        ({"bullets": [{"code": "a", "claims": ["one"], "perc": 5}]}, "bullets[0].perc", "rule.unknown_key"),
    ],
)
def test_discount_with_a_mistake_is_refused_at_its_key(change, path, code):
    assert complaint(BASE, {**DISCOUNT, **change}) == (f"fees.rules[1].{path}", code)


@pytest.mark.parametrize(
    ("rules", "path", "code"),
    [
        ([BASE, {**BASE, "sections": ["u8"]}], "fees.rules[1]", "rule.never_applies"),
        ([BASE, {**DEPOSIT, "amount": "601"}], "fees.rules[1].amount", "rule.more_than_the_fee"),
        ([BASE, DEPOSIT, {**EARLY, "amount": "601"}], "fees.rules[2].amount", "rule.more_than_the_fee"),
        ([BASE, EARLY], "fees.rules[1].requires", "rule.no_deposit"),
        ([BASE, DEPOSIT, {**EARLY, "until": "20.01.2026"}], "fees.rules[2].until", "rule.not_a_moment"),
        ([BASE, DEPOSIT, {**EARLY, "until": "2026-02-30"}], "fees.rules[2].until", "rule.not_a_moment"),
        ([BASE, {**LATE, "amount": "599"}], "fees.rules[1].amount", "rule.less_than_the_fee"),
        ([BASE, {"kind": "late", "amount": "750", "clause": ""}], "fees.rules[1].registered_until", "rule.missing"),
        (
            [BASE, {"kind": "sibling", "amount": "300", "at_least": 3, "at_most": 2, "clause": ""}],
            "fees.rules[1].at_most",
            "rule.out_of_range",
        ),
        (
            [BASE, {"kind": "outcome", "when": "no_show", "keep": "deposit", "clause": "7"}],
            "fees.rules[1].keep",
            "rule.no_deposit",
        ),
        (
            [
                {"kind": "outcome", "when": "no_show", "keep": "nothing", "clause": "7"},
                {"kind": "outcome", "when": "no_show", "valid_reason": True, "keep": "fee", "clause": "7"},
            ],
            "fees.rules[1]",
            "rule.never_applies",
        ),
        (
            [{"kind": "outcome", "when": "played", "keep": "fee", "clause": ""}],
            "fees.rules[0].when",
            "rule.not_an_option",
        ),
    ],
)
def test_rules_that_contradict_each_other_are_refused(rules, path, code):
    assert complaint(*rules) == (path, code)


def test_late_price_is_compared_with_the_base_of_its_own_section():
    """A default late price below the base of a section with a late price of its own contradicts nothing."""
    rules = [
        {**BASE, "sections": ["gm"], "amount": "2000"},
        BASE,
        {**LATE, "sections": ["gm"], "amount": "2500"},
        LATE,
    ]

    policy = parse({"rules": rules}, "UAH", "Europe/Kyiv")

    assert len(policy.rules) == 4
    assert policy.sections == frozenset({"gm"})


def test_unknown_keys_and_words_outside_the_rules_are_refused():
    assert complaint(BASE, base="600") == ("fees.base", "rule.unknown_key")
    assert complaint(BASE, claims={"one": "One"}) == ("fees.claims.one", "rule.expected_words")
    assert complaint(BASE, claims={"large family": {"en": "x"}}) == ("fees.claims.large family", "rule.not_a_code")


def test_time_zone_that_does_not_exist_is_refused():
    with pytest.raises(RuleError) as caught:
        parse({}, "UAH", "Europe/Kiyv")

    assert (caught.value.path, caught.value.code) == ("time_zone", "rule.unknown_time_zone")
