"""Balances are sums of lines, and a treasurer's totals are sums of balances."""

from __future__ import annotations

import random
from dataclasses import replace
from datetime import timedelta

import pytest

from registration.engine.fees import Claim, FeeFacts, Outcome, Payment, quote
from registration.engine.ledger import Line, LineKind, balance, postings, received, treasurer_totals
from registration.tests.engine.presets import kyiv, moscow, parsed, rub, uah
from tourney.kernel.errors import TourneyError
from tourney.kernel.money import Money, total

KNOCKOUT = parsed("second-chance-32").fees
YOUTH = parsed("youth-championship").fees
START = kyiv("2026-01-25T11:00")
EARLY = FeeFacts(
    registered_at=kyiv("2026-01-10T12:00"), payments=(Payment(uah(100), kyiv("2026-01-11T09:00")),), starts_at=START
)
CHARGE, PAYMENT, REFUND, KEPT = LineKind.CHARGE, LineKind.PAYMENT, LineKind.REFUND, LineKind.KEPT


def test_balance_is_the_sum_of_the_lines_without_appeal_deposits():
    lines = [Line(CHARGE, uah(-600)), Line(PAYMENT, uah(100)), Line(LineKind.APPEAL_DEPOSIT, uah(1000))]

    assert balance(lines, "UAH") == uah(-500)
    assert received(lines, "UAH") == uah(100)


@pytest.mark.parametrize(
    ("kind", "minor"),
    [(CHARGE, 1), (REFUND, 1), (KEPT, 1), (PAYMENT, -1), (LineKind.WRITE_OFF, -1), (LineKind.CORRECTION, 0)],
)
def test_line_with_the_wrong_sign_is_refused_and_its_reversal_is_not(kind, minor):
    with pytest.raises(TourneyError) as caught:
        Line(kind, Money(minor, "UAH"))

    assert caught.value.code == "ledger.wrong_sign"
    if minor:
        assert Line(kind, Money(minor, "UAH"), reversal=True).amount.minor == minor


def test_postings_charge_once_and_correct_when_the_deadline_passes():
    unpaid = replace(EARLY, payments=())
    first = postings([], quote(KNOCKOUT, unpaid, kyiv("2026-01-15T10:00")))
    assert first == (Line(CHARGE, uah(-500), "4.5"),)

    late = quote(KNOCKOUT, unpaid, kyiv("2026-01-22T10:00"))
    then = postings(first, late)

    assert then == (Line(LineKind.CORRECTION, uah(-100), "4.4"),)
    assert postings([*first, *then], late) == ()


@pytest.mark.clause("K4.7")
def test_no_show_turns_the_charge_into_a_kept_deposit():
    lines = [Line(CHARGE, uah(-500), "4.5"), Line(PAYMENT, uah(100))]

    answer = quote(KNOCKOUT, replace(EARLY, outcome=Outcome.NO_SHOW), START)
    posted = postings(lines, answer)

    assert posted == (Line(LineKind.CORRECTION, uah(500), "4.7"), Line(KEPT, uah(-100), "4.7"))
    assert balance([*lines, *posted], "UAH") == uah(0)


@pytest.mark.clause("M10.5")
def test_withdrawal_writes_off_what_was_not_paid():
    registered = moscow("2021-08-20T12:00")
    facts = FeeFacts(registered_at=registered, payments=(Payment(rub(200), registered),), outcome=Outcome.WITHDRAWN)
    lines = [Line(CHARGE, rub(-500), "10.3.1"), Line(PAYMENT, rub(200))]

    posted = postings(lines, quote(YOUTH, facts, registered))

    assert posted == (Line(LineKind.WRITE_OFF, rub(300), "10.5"),)
    assert balance([*lines, *posted], "RUB") == rub(0)


@pytest.mark.parametrize("seed", range(30))
def test_postings_bring_any_history_in_step_with_the_quote(seed):
    """Payments, deadlines, claims and ends of an entry in random order: the balance is always what the quote says."""
    chance = random.Random(seed)
    policy = chance.choice([KNOCKOUT, YOUTH])
    start = START if policy is KNOCKOUT else moscow("2021-08-26T10:00")
    facts = FeeFacts(registered_at=start - timedelta(days=12), starts_at=start, withdrawn_at=start - timedelta(hours=1))
    lines: list[Line] = []
    for step in range(12):
        moment = start - timedelta(days=11 - step)
        match chance.randint(0, 3):
            case 0:
                paid = Money(chance.choice([5_000, 10_000, 50_000]), policy.currency)
                facts = replace(facts, payments=(*facts.payments, Payment(paid, moment)))
                lines.append(Line(PAYMENT, paid))
            case 1 if policy is YOUTH:
                facts = replace(facts, claims=(Claim("team_member", chance.random() < 0.5),))
            case 2:
                facts = replace(facts, outcome=chance.choice(list(Outcome)), valid_reason=chance.random() < 0.5)
            case _:
                facts = replace(facts, withdrawn_at=start + timedelta(hours=chance.choice([-1, 1])))
        answer = quote(policy, facts, moment)
        lines += postings(lines, answer)

        assert balance(lines, policy.currency) == answer.refundable - answer.remainder, (seed, step)
        assert postings(lines, answer) == (), (seed, step)


def test_treasurer_totals_are_the_sum_of_the_balances_at_any_moment():
    accounts = [
        [Line(CHARGE, uah(-600), "4.4"), Line(PAYMENT, uah(100))],
        [Line(CHARGE, uah(-500), "4.5"), Line(PAYMENT, uah(600))],
        [Line(CHARGE, uah(-600), "4.4"), Line(LineKind.CORRECTION, uah(600), "4.7"), Line(KEPT, uah(-100), "4.7")],
        [Line(PAYMENT, uah(300)), Line(REFUND, uah(-50)), Line(LineKind.TRANSFER, uah(-250))],
        [Line(LineKind.TRANSFER, uah(250)), Line(CHARGE, uah(-500), "4.5"), Line(LineKind.WRITE_OFF, uah(250), "10.5")],
        [Line(LineKind.APPEAL_DEPOSIT, uah(1000), "7.7")],
    ]

    totals = treasurer_totals(accounts, "UAH")

    assert (totals.paid, totals.refunded, totals.transferred) == (uah(1000), uah(50), uah(0))
    assert (totals.kept, totals.written_off, totals.appeal_deposits) == (uah(100), uah(250), uah(1000))
    assert (totals.due, totals.owed, totals.overpaid) == (uah(1450), uah(600), uah(100))
    assert totals.cash == uah(1950)
    assert totals.due_by_clause == {"10.5": uah(-250), "4.4": uah(1200), "4.5": uah(1000), "4.7": uah(-500)}
    sums = total((balance(account, "UAH") for account in accounts), "UAH")
    assert totals.overpaid - totals.owed == sums
    assert totals.due + sums == totals.paid - totals.refunded + totals.transferred
