"""Quotes of the shipped presets, line by line, and the rules no regulation of ours uses yet."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from itertools import product

import pytest

from registration.engine.fees import (
    Claim,
    FeeFacts,
    FeeLine,
    Manual,
    Outcome,
    Payment,
    parse,
    players_to_cover,
    price_range,
    quote,
)
from registration.tests.engine.presets import kyiv, moscow, parsed, rub, uah
from tourney.kernel.money import Money, total

KNOCKOUT = parsed("second-chance-32").fees
YOUTH = parsed("youth-championship").fees
START = kyiv("2026-01-25T11:00")
EARLY = FeeFacts(
    registered_at=kyiv("2026-01-10T12:00"), payments=(Payment(uah(100), kyiv("2026-01-11T09:00")),), starts_at=START
)
CHILD = FeeFacts(registered_at=moscow("2021-08-20T12:00"), arrived_at=moscow("2021-08-26T09:20"))
DESK = moscow("2021-08-26T09:20")


def lines(answer):
    return [(line.clause, line.kind, line.amount.minor // 100, line.why) for line in answer.lines]


@pytest.mark.clause("K4.3")
@pytest.mark.clause("K4.4")
@pytest.mark.clause("K4.5")
@pytest.mark.clause("K4.6")
def test_quote_of_an_early_player_names_every_clause():
    answer = quote(KNOCKOUT, EARLY, kyiv("2026-01-25T10:00"))

    assert lines(answer) == [
        ("4.4", "base", 600, "base"),
        ("4.5", "early", -100, "early.registration_and_deposit"),
    ]
    assert (answer.due, answer.deposit, answer.deposit_clause) == (uah(500), uah(100), "4.3")
    assert (answer.paid, answer.remainder, answer.status) == (uah(100), uah(400), "confirmed")
    assert answer.confirmed_at == kyiv("2026-01-11T09:00")


@pytest.mark.clause("K4.5")
def test_quote_moves_at_local_midnight_when_nothing_is_paid():
    unpaid = replace(EARLY, payments=())

    before = quote(KNOCKOUT, unpaid, kyiv("2026-01-20T23:59:59.999999"))
    after = quote(KNOCKOUT, unpaid, kyiv("2026-01-21T00:00"))

    assert (before.due, before.status) == (uah(500), "awaiting_deposit")
    assert (after.due, after.status) == (uah(600), "awaiting_deposit")


@pytest.mark.clause("K4.5")
def test_statement_of_the_last_day_read_two_days_later_still_counts():
    facts = replace(EARLY, payments=(Payment(uah(100), date(2026, 1, 20)),))

    assert quote(KNOCKOUT, facts, kyiv("2026-01-22T15:00")).due == uah(500)


def test_reversed_payment_takes_the_early_price_away():
    payments = (
        Payment(uah(100), kyiv("2026-01-11T09:00")),
        Payment(uah(-100), kyiv("2026-01-12T09:00")),
        Payment(uah(100), kyiv("2026-01-22T09:00")),
    )

    answer = quote(KNOCKOUT, replace(EARLY, payments=payments), kyiv("2026-01-23T10:00"))

    assert (answer.due, answer.confirmed_at) == (uah(600), kyiv("2026-01-22T09:00"))


@pytest.mark.clause("K4.7")
@pytest.mark.parametrize(
    ("paid", "valid_reason", "kept", "refundable"),
    [(0, False, 0, 0), (60, False, 60, 0), (100, False, 100, 0), (500, False, 100, 400), (100, True, 0, 100)],
)
def test_no_show_keeps_the_deposit_only_without_a_valid_reason(paid, valid_reason, kept, refundable):
    payments = (Payment(uah(paid), kyiv("2026-01-11T09:00")),) if paid else ()
    facts = replace(EARLY, payments=payments, outcome=Outcome.NO_SHOW, valid_reason=valid_reason)

    answer = quote(KNOCKOUT, facts, kyiv("2026-01-26T10:00"))

    assert (answer.due, answer.kept, answer.refundable) == (uah(kept), uah(kept), uah(refundable))
    assert (answer.remainder, answer.deposit_due, answer.write_off) == (uah(0), uah(0), uah(0))
    assert (answer.basis, answer.confirmed) == ("4.7", False)
    assert total((line.amount for line in answer.lines), "UAH") == answer.due


@pytest.mark.clause("K4.7")
def test_withdrawal_is_a_no_show_from_the_first_second_of_the_event():
    gone = replace(EARLY, outcome=Outcome.WITHDRAWN)

    in_time = quote(KNOCKOUT, replace(gone, withdrawn_at=kyiv("2026-01-25T10:59:59")), START)
    too_late = quote(KNOCKOUT, replace(gone, withdrawn_at=START), START)

    assert (in_time.refundable, in_time.kept) == (uah(100), uah(0))
    assert (too_late.refundable, too_late.kept) == (uah(0), uah(100))


def test_withdrawal_without_the_moments_it_depends_on_is_a_mistake():
    with pytest.raises(ValueError, match="before the start"):
        quote(KNOCKOUT, replace(EARLY, outcome=Outcome.WITHDRAWN), START)


def test_refunded_money_is_not_refundable_again():
    facts = replace(EARLY, outcome=Outcome.EVENT_CANCELLED, refunded=uah(100))

    answer = quote(KNOCKOUT, facts, START)

    assert (answer.paid, answer.refundable, answer.kept) == (uah(0), uah(0), uah(0))


def test_disqualified_player_still_owes_the_fee():
    answer = quote(KNOCKOUT, replace(EARLY, outcome=Outcome.DISQUALIFIED), START)

    assert (answer.due, answer.remainder, answer.kept) == (uah(500), uah(400), uah(100))


@pytest.mark.clause("K3.3")
def test_reserve_with_a_deposit_is_not_confirmed_and_gets_all_back():
    waiting = quote(KNOCKOUT, replace(EARLY, on_reserve=True), kyiv("2026-01-24T10:00"))
    over = quote(KNOCKOUT, replace(EARLY, on_reserve=True, outcome=Outcome.NOT_ADMITTED), START)

    assert (waiting.status, waiting.confirmed) == ("reserve", False)
    assert (over.status, over.refundable, over.basis) == ("not_admitted", uah(100), "3.3")


# -- the youth championship ------------------------------------------------------------------------------------------


@pytest.mark.clause("M10.3.2")
def test_three_discounts_stop_at_nothing_and_say_so():
    claims = tuple(Claim(code, True) for code in ("team_member", "large_family", "member_child"))

    answer = quote(YOUTH, replace(CHILD, claims=claims), DESK)

    assert answer.lines == (
        FeeLine("10.3.1", "base", rub(500), "base"),
        FeeLine("10.3.2", "discount", rub(-250), "discount", ("team_member",)),
        FeeLine("10.3.2", "discount", rub(-250), "discount", ("large_family",)),
        FeeLine("10.3.2", "discount", rub(0), "discount.nothing_left", ("member_child",)),
    )
    assert answer.due == rub(0)


@pytest.mark.clause("M10.3.3")
def test_sibling_price_is_one_line_with_the_difference():
    answer = quote(YOUTH, replace(CHILD, family_children=2), DESK)

    assert lines(answer) == [("10.3.1", "base", 500, "base"), ("10.3.3", "sibling", -200, "sibling")]


@pytest.mark.clause("M10.3.4")
def test_exempt_child_pays_nothing_even_when_late():
    late = FeeFacts(arrived_at=moscow("2021-08-26T10:30"), claims=(Claim("orphanage", True),))

    answer = quote(YOUTH, late, moscow("2021-08-26T10:30"))

    assert (answer.due, answer.late, answer.basis) == (rub(0), True, "10.3.4")
    assert answer.lines[-1] == FeeLine("10.3.4", "exempt", rub(-500), "exempt", ("orphanage",))


@pytest.mark.clause("M10.3.5")
def test_late_price_applies_once_the_arrival_deadline_passed_without_him():
    coming = replace(CHILD, arrived_at=None)

    assert quote(YOUTH, coming, moscow("2021-08-26T09:45")).due == rub(500)
    assert quote(YOUTH, coming, moscow("2021-08-26T09:45:01")).due == rub(750)


@pytest.mark.clause("M10.3.5")
def test_arrival_dated_back_by_the_desk_brings_the_ordinary_price():
    late = replace(CHILD, arrived_at=moscow("2021-08-26T09:46"))

    assert quote(YOUTH, late, moscow("2021-08-26T09:50")).due == rub(750)
    assert quote(YOUTH, replace(late, arrived_at=moscow("2021-08-26T09:44")), moscow("2021-08-26T09:50")).due == rub(
        500
    )


@pytest.mark.clause("M10.5")
def test_withdrawal_keeps_what_was_paid_and_writes_off_the_rest():
    facts = replace(
        CHILD,
        arrived_at=None,
        payments=(Payment(rub(200), moscow("2021-08-22T10:00")),),
        outcome=Outcome.WITHDRAWN,
        withdrawn_at=moscow("2021-08-25T10:00"),
    )

    answer = quote(YOUTH, facts, moscow("2021-08-27T10:00"))

    assert (answer.fee, answer.due, answer.kept, answer.write_off) == (rub(500), rub(200), rub(200), rub(300))
    assert (answer.remainder, answer.refundable, answer.basis) == (rub(0), rub(0), "10.5")


@pytest.mark.clause("M10.5")
def test_withdrawal_returns_an_overpayment():
    facts = replace(CHILD, payments=(Payment(rub(600), DESK),), outcome=Outcome.WITHDRAWN)

    answer = quote(YOUTH, facts, DESK)

    assert (answer.kept, answer.refundable, answer.write_off) == (rub(500), rub(100), rub(0))


def test_unverified_claim_changes_nothing():
    claims = (Claim("large_family", False), Claim("city_winner", False))

    assert quote(YOUTH, replace(CHILD, claims=claims), DESK) == quote(YOUTH, CHILD, DESK)


def test_price_set_by_hand_is_a_line_of_its_own():
    answer = quote(YOUTH, replace(CHILD, manual=Manual(rub(100), "trainer's family")), DESK)

    assert lines(answer) == [("10.3.1", "base", 500, "base"), ("", "manual", -400, "manual")]
    assert (answer.fee, answer.due) == (rub(100), rub(100))


def test_lines_always_add_up_and_nothing_is_lost_between_kept_and_refundable():
    """Every outcome with every amount paid: due is the sum of the lines, and paid money is either due or refundable."""
    for policy, facts in ((KNOCKOUT, EARLY), (YOUTH, CHILD)):
        moment = facts.registered_at
        for outcome, paid, reason, replaced in product(Outcome, (0, 60, 100, 500, 900), (False, True), (False, True)):
            amount = Money(paid * 100, policy.currency)
            case = replace(
                facts,
                payments=(Payment(amount, moment),) if paid else (),
                outcome=outcome,
                valid_reason=reason,
                replaced=replaced,
                withdrawn_at=START,
                starts_at=START,
            )
            answer = quote(policy, case, START)
            label = (policy.currency, outcome, paid, reason, replaced)
            assert total((line.amount for line in answer.lines), policy.currency) == answer.due, label
            assert answer.paid - answer.refundable + answer.remainder == answer.due, label
            assert answer.remainder.minor == 0 or answer.refundable.minor == 0, label
            if outcome not in (Outcome.OPEN, Outcome.PLAYED):
                assert answer.kept + answer.refundable == answer.paid, label


# -- other regulations -----------------------------------------------------------------------------------------------


def policy_of(*rules, claims=()):
    return parse({"claims": {code: {"en": code} for code in claims}, "rules": list(rules)}, "EUR", "Europe/Paris")


def eur(amount):
    return Money.parse(amount, "EUR")


NOON = kyiv("2026-03-01T12:00")
BASE = {"kind": "base", "amount": "40", "clause": "1"}


def test_no_rules_mean_a_free_event_where_registration_confirms():
    answer = quote(policy_of(), FeeFacts(registered_at=NOON), NOON)

    assert (answer.due, answer.lines, answer.status, answer.basis) == (eur(0), (), "confirmed", "")


def test_base_by_section_and_the_default_for_the_others():
    policy = policy_of({**BASE, "amount": "25", "sections": ["u10"], "clause": "2"}, BASE)

    assert quote(policy, FeeFacts(registered_at=NOON, section="u10"), NOON).due == eur(25)
    assert quote(policy, FeeFacts(registered_at=NOON, section="open"), NOON).due == eur(40)


def test_special_price_competes_with_discounts_and_the_lowest_wins():
    policy = policy_of(
        BASE,
        {"kind": "special", "amount": "15", "claims": ["junior"], "clause": "3"},
        {"kind": "discount", "percent": "62.5", "bullets": [{"code": "a", "claims": ["club"]}], "clause": "4"},
        claims=("junior", "club"),
    )
    junior, club = Claim("junior", True), Claim("club", True)

    assert quote(policy, FeeFacts(registered_at=NOON, claims=(junior,)), NOON).basis == "3"
    both = quote(policy, FeeFacts(registered_at=NOON, claims=(junior, club)), NOON)
    assert (both.due, both.basis) == (eur(15), "4")


def test_best_single_takes_the_largest_percentage_of_unequal_bullets():
    bullets = [{"code": "a", "claims": ["one"], "percent": 10}, {"code": "b", "claims": ["two"], "percent": 30}]
    rule = {"kind": "discount", "combine": "best_single", "bullets": bullets, "clause": "4"}
    claims = (Claim("one", True), Claim("two", True))

    answer = quote(policy_of(BASE, rule, claims=("one", "two")), FeeFacts(registered_at=NOON, claims=claims), NOON)

    assert (answer.due, answer.lines[-1].claims) == (eur(28), ("two",))


def test_percentage_rounds_half_a_cent_up():
    rule = {"kind": "discount", "percent": 50, "bullets": [{"code": "a", "claims": ["one"]}], "clause": "4"}
    policy = policy_of({**BASE, "amount": "0.01"}, rule, claims=("one",))

    assert quote(policy, FeeFacts(registered_at=NOON, claims=(Claim("one", True),)), NOON).due == eur(0)


def test_early_price_for_full_payment_needs_the_discounted_price_in_time():
    early = {
        "kind": "early",
        "amount": "10",
        "until": "2026-03-01",
        "requires": "registration_and_full_payment",
        "clause": "2",
    }
    policy = policy_of(BASE, early)
    facts = FeeFacts(registered_at=NOON)
    later = kyiv("2026-03-05T12:00")

    assert quote(policy, facts, NOON).due == eur(30)
    assert quote(policy, replace(facts, payments=(Payment(eur(29), NOON),)), later).due == eur(40)
    assert quote(policy, replace(facts, payments=(Payment(eur(30), NOON),)), later).due == eur(30)


def test_surcharge_is_counted_over_the_full_price():
    late = {
        "kind": "late",
        "amount": "50",
        "registered_until": "2026-03-01T20:00",
        "mode": "surcharge",
        "clause": "5",
    }
    rule = {"kind": "discount", "percent": 50, "bullets": [{"code": "a", "claims": ["one"]}], "clause": "4"}
    policy = policy_of(BASE, late, rule, claims=("one",))
    facts = FeeFacts(registered_at=kyiv("2026-03-02T12:00"), claims=(Claim("one", True),))

    answer = quote(policy, facts, facts.registered_at)

    assert [(line.clause, line.amount) for line in answer.lines] == [("1", eur(40)), ("4", eur(-20)), ("5", eur(10))]


def test_deposit_asks_for_no_more_than_the_fee():
    policy = policy_of(
        BASE,
        {"kind": "deposit", "amount": "20", "clause": "2"},
        {"kind": "exempt", "claims": ["gm"], "clause": "3"},
        claims=("gm",),
    )

    answer = quote(policy, FeeFacts(registered_at=NOON, claims=(Claim("gm", True),)), NOON)

    assert (answer.deposit, answer.deposit_due, answer.status) == (eur(0), eur(0), "confirmed")


def test_silent_regulation_returns_what_the_organizer_is_to_blame_for():
    facts = FeeFacts(registered_at=NOON, payments=(Payment(eur(40), NOON),))
    kept = {
        outcome: quote(policy_of(BASE), replace(facts, outcome=outcome), NOON).kept.major
        for outcome in Outcome
        if outcome not in (Outcome.OPEN, Outcome.PLAYED)
    }

    assert kept == {
        Outcome.NO_SHOW: 40,
        Outcome.WITHDRAWN: 40,
        Outcome.DISQUALIFIED: 40,
        Outcome.EVENT_CANCELLED: 0,
        Outcome.REJECTED: 0,
        Outcome.NOT_ADMITTED: 0,
    }


def test_autumn_hour_that_comes_twice_is_told_apart():
    """The deadline is the first 3:30 of the night the clocks go back; the second 3:30 is an hour too late."""
    late = {"kind": "late", "amount": "50", "registered_until": "2026-10-25T03:30", "clause": "5"}
    policy = parse({"rules": [BASE, late]}, "EUR", "Europe/Kyiv")
    first = kyiv("2026-10-25T03:30")

    assert quote(policy, FeeFacts(registered_at=first), first).late is False
    assert quote(policy, FeeFacts(registered_at=first.replace(fold=1)), first).late is True


def test_price_range_and_players_needed_for_a_prize_fund():
    lowest, highest = price_range(KNOCKOUT)

    assert (lowest, highest) == (uah(500), uah(600))
    assert players_to_cover(uah(11_300), lowest) == 23
    assert players_to_cover(uah(11_300), highest) == 19
    assert players_to_cover(uah(11_300), uah(0)) is None
    assert players_to_cover(uah(0), uah(0)) == 0
