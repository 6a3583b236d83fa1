"""Money after acts in any order: a balance is the sum of its lines, the totals are the sum of the balances, always."""

from __future__ import annotations

import datetime as dt
import random
from collections.abc import Callable
from typing import Any

import pytest
from django.db.models import Sum

from registration.accounts import account_of, accounts, totals
from registration.models import BankRow, BankStatement, Claim, LedgerLine
from registration.services import (
    add_claim,
    bank,
    decide_claim,
    join_family,
    mark_arrived,
    mark_no_show,
    move_money,
    record_payment,
    record_refund,
    return_entry,
    reverse_line,
    set_price,
    take_back_arrival,
    withdraw_entry,
)
from registration.tests.people import enter, kyiv, mari_el, moment, section
from registration.treasury import treasury_of
from tourney.kernel.errors import TourneyError
from tourney.kernel.money import Money, total
from tourney.models import Entry, Tournament

pytestmark = pytest.mark.django_db
FEE_KINDS = ("payment", "refund", "transfer")


class Desk:
    """Somebody who does one thing after another, chosen by chance; what is refused must change nothing."""

    def __init__(self, event: Tournament, entries: list[Entry], at: dt.datetime, seed: int) -> None:
        self.event, self.entries, self.at = event, entries, at
        self.chance = random.Random(seed)
        self.done: list[str] = []

    def act(self) -> None:
        self.at += dt.timedelta(hours=self.chance.randint(1, 9))
        name, act = self.chance.choice(list(self.acts().items()))
        before = LedgerLine.objects.count()
        try:
            act()
        except TourneyError:
            assert LedgerLine.objects.count() == before, name
        else:
            self.done.append(name)

    def acts(self) -> dict[str, Callable[[], Any]]:
        one, other = self.chance.sample(self.entries, 2)
        amount = self.amount()
        channel = self.chance.choice(["cash", "card", "transfer"])
        return {
            "pay": lambda: record_payment(one, amount, channel=channel, paid_at=self.at, now=self.at),
            "pay once more": lambda: record_payment(other, amount, channel=channel, paid_at=self.at, now=self.at),
            "bank": lambda: bank.book_row(self.bank_row(amount), one, amount, actor=None),
            "refund": lambda: record_refund(one, amount, channel=channel, reason="asked", now=self.at),
            "take back": self.take_back,
            "move": lambda: move_money(one, other, amount, reason="a brother's", actor=None, now=self.at),
            "withdraw": lambda: withdraw_entry(one, now=self.at, valid_reason=self.chance.random() < 0.5),
            "return": lambda: return_entry(one, actor=None, now=self.at),
            "no show": lambda: mark_no_show(one, actor=None, now=self.at),
            "price": lambda: set_price(one, amount, reason="guest", actor=None, now=self.at),
            "price by the rules": lambda: set_price(one, None, reason="no guest", actor=None, now=self.at),
            "claim": lambda: add_claim(one, "large_family", actor=None),
            "paper": self.paper,
            "family": lambda: join_family(one, other, actor=None),
            "here": lambda: mark_arrived(one, actor=None, now=self.at),
            "not here": lambda: take_back_arrival(one, actor=None),
        }

    def amount(self) -> Money:
        return Money(self.chance.choice([1, 5_000, 10_000, 30_050, 50_000, 75_000]), self.event.currency)

    def take_back(self) -> None:
        lines = list(LedgerLine.objects.filter(tournament=self.event).order_by("pk"))
        if lines:
            reverse_line(self.chance.choice(lines), reason="a slip", actor=None, now=self.at)

    def paper(self) -> None:
        claim = Claim.objects.filter(entry__in=self.entries).order_by("?").first()
        if claim is not None:
            decide_claim(claim, verified=self.chance.random() < 0.7, actor=None, now=self.at)

    def bank_row(self, amount: Money) -> BankRow:
        statement, _made = BankStatement.objects.get_or_create(
            tournament=self.event, digest="0" * 64, defaults={"name": "bank", "at": self.at}
        )
        return BankRow.objects.create(
            tournament=self.event,
            statement=statement,
            key=str(BankRow.objects.count()),
            line=1,
            paid_at=self.at,
            minor=amount.minor,
            currency=amount.currency,
        )


def check(event: Tournament, at: dt.datetime) -> None:
    """Hold balances and totals against sums the database makes by itself."""
    currency = event.currency
    moved = dict(
        LedgerLine.objects.filter(tournament=event, kind__in=FEE_KINDS)
        .order_by()
        .values_list("entry")
        .annotate(sum=Sum("minor"))
    )
    found = accounts(event, at=at)
    for one in found:
        paid = Money(moved.get(one.entry.pk, 0), currency)
        assert one.quote.paid == paid
        assert one.balance == paid - one.charge == total((line.amount for line in one.ledger), currency)
        assert account_of(one.entry, at=at).balance == one.balance
    whole = totals(event, found)
    assert whole.credit - whole.owed == total((one.balance for one in found), currency)
    assert whole.due + whole.credit == whole.paid + whole.owed
    assert whole.paid == Money(sum(moved.values()), currency)
    assert total(whole.by_channel.values(), currency) == whole.received - whole.refunded == whole.paid
    assert total(whole.due_by_clause.values(), currency) == whole.due
    receipts = LedgerLine.objects.filter(tournament=event, receipt_number__isnull=False).order_by("pk")
    numbers = list(receipts.values_list("receipt_number", flat=True))
    assert numbers == list(range(1, len(numbers) + 1))


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("youth", [False, True], ids=["knockout", "youth championship"])
def test_after_every_act_the_totals_are_the_sum_of_the_balances(youth: bool, seed: int) -> None:
    event = mari_el() if youth else kyiv()
    at = moment(event, "2021-08-15T12:00" if youth else "2026-01-10T12:00")
    code = "u11-boys" if youth else ""
    entries = [enter(section(event, code), name, at).entry for name in ("Адам", "Богдан", "Віра")]
    desk = Desk(event, entries, at, seed)
    for _ in range(30):
        desk.act()
        check(event, desk.at)
    assert len(set(desk.done)) >= 6  # chance has not spent the day on refusals
    shown = treasury_of(event)
    assert shown.whole.paid == Money(
        sum(LedgerLine.objects.filter(tournament=event, kind__in=FEE_KINDS).values_list("minor", flat=True)),
        event.currency,
    )
