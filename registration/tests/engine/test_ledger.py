"""Balances are sums of lines, and a treasurer's totals are sums of balances."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from registration.engine.fees import Claim, FeeFacts, Manual, Outcome, Payment, quote
from registration.engine.ledger import Line, LineKind, balance, charges, treasurer_totals
from registration.tests.engine.presets import kyiv, moscow, parsed, rub, uah
from tourney.kernel.money import Money, total

KNOCKOUT = parsed("second-chance-32").fees
YOUTH = parsed("youth-championship").fees
START = kyiv("2026-01-25T11:00")
EARLY = FeeFacts(
    registered_at=kyiv("2026-01-10T12:00"), payments=(Payment(uah(100), kyiv("2026-01-11T09:00")),), starts_at=START
)
CHARGE, REDUCTION, KEPT_FEE = LineKind.CHARGE, LineKind.REDUCTION, LineKind.KEPT_FEE
PAYMENT, REFUND, TRANSFER = LineKind.PAYMENT, LineKind.REFUND, LineKind.TRANSFER


@pytest.mark.clause("K4.4", "K4.5")
def test_charges_stand_by_their_clauses_and_follow_the_deadline():
    unpaid = replace(EARLY, payments=())

    before = charges(quote(KNOCKOUT, unpaid, kyiv("2026-01-15T10:00")))
    after = charges(quote(KNOCKOUT, unpaid, kyiv("2026-01-22T10:00")))

    assert before == (Line(CHARGE, uah(-600), "4.4"), Line(REDUCTION, uah(100), "4.5"))
    assert after == (Line(CHARGE, uah(-600), "4.4"),)


@pytest.mark.clause("K4.7")
def test_no_show_keeps_the_deposit_and_charges_nothing_else():
    answer = quote(KNOCKOUT, replace(EARLY, outcome=Outcome.NO_SHOW), START)

    assert charges(answer) == (Line(KEPT_FEE, uah(-100), "4.7"),)
    assert charges(quote(KNOCKOUT, replace(EARLY, outcome=Outcome.NO_SHOW, valid_reason=True), START)) == ()


@pytest.mark.clause("M10.5")
def test_withdrawal_keeps_what_was_paid_and_asks_for_no_more():
    registered = moscow("2021-08-20T12:00")
    facts = FeeFacts(registered_at=registered, payments=(Payment(rub(200), registered),), outcome=Outcome.WITHDRAWN)

    assert charges(quote(YOUTH, facts, registered)) == (Line(KEPT_FEE, rub(-200), "10.5"),)


@pytest.mark.clause("K10.3")
def test_disqualified_player_still_owes_the_fee_by_its_own_clauses():
    answer = quote(KNOCKOUT, replace(EARLY, outcome=Outcome.DISQUALIFIED), START)

    assert charges(answer) == (Line(CHARGE, uah(-600), "4.4"), Line(REDUCTION, uah(100), "4.5"))


def test_totals_of_some_accounts():
    accounts = [
        [Line(CHARGE, uah(-600), "4.4"), Line(PAYMENT, uah(100), "4.6", "cash")],
        [Line(CHARGE, uah(-600), "4.4"), Line(REDUCTION, uah(100), "4.5"), Line(PAYMENT, uah(600), "4.6", "transfer")],
        [Line(KEPT_FEE, uah(-100), "4.7"), Line(PAYMENT, uah(100), "4.6", "cash")],
        [Line(PAYMENT, uah(300), "", "cash"), Line(REFUND, uah(-50), "", "card"), Line(TRANSFER, uah(-250))],
        [Line(TRANSFER, uah(250)), Line(CHARGE, uah(-500), "4.4")],
        [Line(LineKind.APPEAL_DEPOSIT, uah(1000), "7.7", "cash")],
        [Line(LineKind.APPEAL_DEPOSIT, uah(0), "7.7"), Line(LineKind.KEPT_DEPOSIT, uah(1000), "7.7")],
    ]

    totals = treasurer_totals(accounts, "UAH")

    assert (totals.due, totals.kept) == (uah(1700), uah(100))
    assert totals.due_by_clause == {"4.4": uah(1700), "4.5": uah(-100), "4.7": uah(100)}
    assert (totals.received, totals.refunded, totals.paid) == (uah(1100), uah(50), uah(1050))
    assert totals.by_channel == {"card": uah(-50), "cash": uah(500), "transfer": uah(600)}
    assert (totals.owed, totals.credit) == (uah(750), uah(100))
    assert (totals.appeals_held, totals.appeals_kept) == (uah(1000), uah(1000))


def payments(currency: str) -> st.SearchStrategy[tuple[Payment, ...]]:
    moments = st.integers(-20, 3).map(lambda days: START + timedelta(days=days))
    one = st.builds(Payment, st.integers(1, 90_000).map(lambda minor: Money(minor, currency)), moments)
    return st.lists(one, max_size=4).map(tuple)


def facts(currency: str) -> st.SearchStrategy[FeeFacts]:
    return st.builds(
        FeeFacts,
        registered_at=st.integers(-30, 0).map(lambda days: START + timedelta(days=days)),
        arrived_at=st.none() | st.integers(-90, 90).map(lambda minutes: START + timedelta(minutes=minutes)),
        claims=st.lists(
            st.builds(Claim, st.sampled_from(["team_member", "large_family", "city_winner"]), st.booleans()), max_size=3
        ).map(tuple),
        family_children=st.integers(1, 3),
        payments=payments(currency),
        on_reserve=st.booleans(),
        outcome=st.sampled_from(list(Outcome)),
        valid_reason=st.booleans(),
        withdrawn_at=st.integers(-5, 5).map(lambda hours: START + timedelta(hours=hours)),
        starts_at=st.just(START),
        replaced=st.booleans(),
        manual=st.none()
        | st.builds(Manual, st.integers(0, 90_000).map(lambda minor: Money(minor, currency)), st.just("x")),
    )


@given(st.lists(facts("UAH"), max_size=6), st.integers(-25, 3))
def test_totals_are_the_sum_of_the_balances_at_any_moment_of_the_knockout(people: list[FeeFacts], day: int):
    _balances_add_up(KNOCKOUT, people, day)


@given(st.lists(facts("RUB"), max_size=6), st.integers(-25, 3))
def test_totals_are_the_sum_of_the_balances_at_any_moment_of_the_youth_championship(people: list[FeeFacts], day: int):
    _balances_add_up(YOUTH, people, day)


def _balances_add_up(policy, people: list[FeeFacts], day: int) -> None:
    currency, at = policy.currency, START + timedelta(days=day)
    accounts, balances = [], []
    for one in people:
        answer = quote(policy, one, at)
        moved = [Line(PAYMENT, payment.amount, channel="cash") for payment in one.payments]
        account = [*moved, *charges(answer)]
        assert balance(account, currency) == answer.refundable - answer.remainder
        assert total((line.amount for line in charges(answer)), currency) == -answer.due
        accounts.append(account)
        balances.append(balance(account, currency))

    totals = treasurer_totals(accounts, currency)

    assert totals.credit - totals.owed == total(balances, currency)
    assert totals.due + totals.credit == totals.paid + totals.owed
    assert total(totals.due_by_clause.values(), currency) == totals.due
    assert total(totals.by_channel.values(), currency) == totals.paid
