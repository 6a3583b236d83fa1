"""Money on the table: prices by the clauses, receipts without gaps, lines that are only ever added."""

from __future__ import annotations

import datetime as dt
import uuid
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from registration.accounts import account_of, accounts, totals
from registration.engine.fees import Outcome
from registration.models import Claim, LedgerLine
from registration.paying import payment_words, purpose_text
from registration.services import (
    add_claim,
    decide_claim,
    join_family,
    mark_arrived,
    mark_no_show,
    record_payment,
    record_refund,
    reverse_line,
    set_price,
    withdraw_entry,
)
from registration.tests.people import enter, kyiv, mari_el, moment, pay, section, states
from tourney.kernel.errors import TourneyError
from tourney.kernel.money import Money
from tourney.models import ActionLog, Entry, Tournament
from tourney.testing import builders

pytestmark = pytest.mark.django_db


def refused(code: str, act: Any, *args: Any, **kwargs: Any) -> None:
    with pytest.raises(TourneyError) as caught:
        act(*args, **kwargs)
    assert caught.value.code == code


def rub(major: str) -> Money:
    return Money.parse(major, "RUB")


def now_is(entry: Entry) -> Entry:
    return Entry.objects.select_related("player", "section", "tournament").get(pk=entry.pk)


def child(event: Tournament, surname: str, at: dt.datetime, *claims: str, checked: bool = True, **fields: Any) -> Entry:
    entry = enter(section(event, fields.pop("code", "u11-boys")), surname, at, claims=claims, **fields).entry
    for claim in Claim.objects.filter(entry=entry) if checked else ():
        decide_claim(claim, verified=True, actor=None, now=at)
    return now_is(entry)


@pytest.mark.clause("M10.3.1", "M10.3.2", "M10.3.4")
@pytest.mark.parametrize(
    ("claims", "fee", "basis"),
    [
        ((), "500", "10.3.1"),
        (("district_prizewinner",), "250", "10.3.2"),
        (("team_candidate", "large_family"), "0", "10.3.2"),
        (("single_parent", "large_family"), "250", "10.3.2"),
        (("city_winner",), "0", "10.3.4"),
        (("orphanage", "team_member"), "0", "10.3.4"),
    ],
)
def test_checked_grounds_lower_the_fee(claims: tuple[str, ...], fee: str, basis: str) -> None:
    event = mari_el()
    at = moment(event, "2021-08-20T12:00")
    quote = account_of(child(event, "Смирнов", at, *claims), at=at).quote
    assert (quote.fee, quote.basis) == (rub(fee), basis)


@pytest.mark.clause("M10.3.2")
def test_grounds_nobody_has_checked_lower_nothing() -> None:
    event = mari_el()
    at = moment(event, "2021-08-20T12:00")
    entry = child(event, "Смирнов", at, "large_family", checked=False)
    assert account_of(entry, at=at).quote.fee == rub("500")
    claim = Claim.objects.get(entry=entry)
    decide_claim(claim, verified=False, actor=None, now=at)
    assert account_of(entry, at=at).quote.fee == rub("500")
    decide_claim(claim, verified=True, actor=None, evidence="certificate seen", now=at)
    assert account_of(entry, at=at).quote.fee == rub("250")
    assert not any("large_family" in str(line.data) for line in ActionLog.objects.filter(tournament=event))


@pytest.mark.clause("M10.3.3")
def test_two_children_of_one_family_pay_the_family_price_even_if_one_does_not_come() -> None:
    event = mari_el()
    at = moment(event, "2021-08-20T12:00")
    brother, sister = child(event, "Смирнов", at), child(event, "Смирнова", at, code="u11-girls")
    join_family(sister, brother, actor=None)
    fees = {a.entry.player.surname: (a.quote.fee, a.quote.basis) for a in accounts(event, at=at)}
    assert fees == {"Смирнов": (rub("300"), "10.3.3"), "Смирнова": (rub("300"), "10.3.3")}
    mark_no_show(brother, actor=None, now=at)
    assert account_of(sister, at=at).quote.fee == rub("300")
    withdraw_entry(sister, now=at)
    assert account_of(now_is(sister), at=at).quote.due == rub("0")


@pytest.mark.clause("M10.3.5")
@pytest.mark.parametrize(
    ("registered", "arrived", "fee"),
    [
        ("2021-08-23T20:00", "2021-08-26T09:45", "500"),
        ("2021-08-23T20:00:01", "2021-08-26T09:30", "750"),
        ("2021-08-20T12:00", "2021-08-26T09:45:01", "750"),
    ],
)
def test_late_at_the_form_or_at_the_desk_costs_more(registered: str, arrived: str, fee: str) -> None:
    event = mari_el()
    entry = child(event, "Смирнов", moment(event, registered))
    at = moment(event, arrived)
    mark_arrived(entry, actor=None, now=at)
    assert account_of(entry, at=moment(event, "2021-08-26T10:30")).quote.fee == rub(fee)


@pytest.mark.clause("M10.3.5")
def test_a_backdated_arrival_takes_the_late_price_off() -> None:
    event = mari_el()
    entry = child(event, "Смирнов", moment(event, "2021-08-20T12:00"))
    at = moment(event, "2021-08-26T09:52")
    assert account_of(entry, at=at).quote.fee == rub("750")
    mark_arrived(entry, actor=None, at=moment(event, "2021-08-26T09:44"), reason="stood in the queue", now=at)
    assert account_of(entry, at=at).quote.fee == rub("500")


@pytest.mark.clause("M10.3.5", "M10.4")
def test_a_transfer_names_the_player_as_the_regulation_wants_and_carries_the_reference() -> None:
    event = mari_el()
    entry = child(event, "Смирнов", moment(event, "2021-08-20T12:00"), patronymic="Петрович")
    account = account_of(entry)
    assert account.application is not None
    reference = account.application.reference
    event.language = "ru"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("tourney.models.tournament.get_language", lambda: "ru")
        text = purpose_text(entry, reference)
    assert text == f"Турнирный взнос за Смирнов Олег Петрович, НДС не облагается. {reference}"
    words = payment_words(account)
    assert words is not None
    assert {row["value"] for row in words.requisites} >= {"40703810837000000411", "048860630"}


def test_wrong_bank_details_are_not_shown_to_anybody() -> None:
    event = mari_el(requisites={"name": "Club", "iban": "UA223223130000026007233566001"})
    entry = child(event, "Смирнов", moment(event, "2021-08-20T12:00"))
    words = payment_words(account_of(entry))
    assert words is not None
    assert words.requisites == []


@pytest.mark.clause("M10.5")
@pytest.mark.parametrize(("paid", "due", "back"), [("500", "500", "0"), ("200", "200", "0"), ("600", "500", "100")])
def test_who_withdraws_gets_nothing_of_the_fee_back(paid: str, due: str, back: str) -> None:
    event = mari_el()
    at = moment(event, "2021-08-20T12:00")
    entry = child(event, "Смирнов", at)
    pay(entry, paid, at)
    withdraw_entry(entry, now=at)
    account = account_of(now_is(entry), at=at)
    assert (account.quote.due, account.to_return, account.owes) == (rub(due), rub(back), rub("0"))


@pytest.mark.clause("K4.5")
@pytest.mark.parametrize(
    ("registered", "paid", "fee"),
    [
        ("2026-01-20T23:59:59.999999", "2026-01-20T23:59:59.999999", "500"),
        ("2026-01-20T12:00", "2026-01-21T00:00", "600"),
        ("2026-01-21T00:00", "2026-01-21T00:00", "600"),
    ],
)
def test_the_early_price_needs_both_before_midnight(registered: str, paid: str, fee: str) -> None:
    event = kyiv()
    entry = enter(section(event), "Адам", moment(event, registered)).entry
    # The bank's statement comes on the 22nd; the payer's own moment counts.
    pay(entry, "100", moment(event, paid), now=moment(event, "2026-01-22T10:00"))
    at = moment(event, "2026-01-25T10:00")
    assert account_of(now_is(entry), at=at).quote.fee == Money.parse(fee, "UAH")


def test_receipts_have_no_gaps_and_a_refused_payment_takes_no_number() -> None:
    event, other = kyiv(), kyiv()
    at = moment(event, "2026-01-10T09:00")
    entry = enter(section(event), "Адам", at).entry
    stranger = enter(section(other), "Богдан", at).entry
    pay(entry, "100", at)
    refused("money.not_positive", pay, entry, "0", at)
    refused("money.not_positive", pay, entry, "-5", at)
    refused("money.too_much", pay, entry, "100000000", at)
    refused("money.other_currency", record_payment, entry, rub("100"))
    refused("money.unknown_channel", pay, entry, "100", at, channel="shells")
    refused("money.in_the_future", pay, entry, "100", at + dt.timedelta(days=1), now=at)
    pay(stranger, "100", at)
    pay(entry, "400", at)
    rows = LedgerLine.objects.order_by("pk").values_list("tournament", "receipt_number")
    assert list(rows) == [(event.pk, 1), (other.pk, 1), (event.pk, 2)]


def test_a_payment_sent_twice_counts_once() -> None:
    event = kyiv()
    at = moment(event, "2026-01-10T09:00")
    entry = enter(section(event), "Адам", at).entry
    operation = uuid.uuid4()
    lines = [pay(entry, "100", at, operation=operation) for _ in range(2)]
    assert lines[0] == lines[1]
    assert LedgerLine.objects.count() == 1


def test_a_payment_is_taken_back_by_another_line_and_only_once() -> None:
    event = kyiv()
    at = moment(event, "2026-01-10T09:00")
    entry = enter(section(event), "Адам", at).entry
    line = pay(entry, "500", at)
    refused("money.say_why", reverse_line, line, reason="  ", actor=None)
    back = reverse_line(line, reason="wrong child", actor=builders.user("desk"), now=at + dt.timedelta(hours=1))
    refused("money.reversed_already", reverse_line, line, reason="again", actor=None)
    refused("money.not_reversible", reverse_line, back, reason="back", actor=None)
    assert [(row.minor, row.receipt_number) for row in LedgerLine.objects.order_by("pk")] == [
        (50000, 1),
        (-50000, None),
    ]
    account = account_of(now_is(entry), at=at)
    assert (account.quote.paid, account.entry.state) == (Money(0, "UAH"), "confirmed")


def test_a_refund_is_bounded_by_what_was_paid_and_by_the_rules() -> None:
    event = kyiv()
    at = moment(event, "2026-01-10T09:00")
    entry = enter(section(event), "Адам", at).entry
    pay(entry, "700", at)
    uah = {major: Money.parse(major, "UAH") for major in ("200", "300", "800")}
    refused("money.more_than_paid", record_refund, entry, uah["800"], now=at)
    refused("money.reason_needed", record_refund, entry, uah["300"], now=at)
    record_refund(entry, uah["200"], now=at, actor=None)  # the overpayment, as the rules say
    record_refund(entry, uah["300"], now=at, actor=None, reason="moved to another city")
    assert account_of(now_is(entry), at=at).quote.paid == Money.parse("200", "UAH")


def test_a_price_set_by_hand_holds_until_it_is_taken_back_and_may_confirm_a_place() -> None:
    event = kyiv()
    at = moment(event, "2026-01-10T09:00")
    entry = enter(section(event), "Адам", at).entry
    refused("money.say_why", set_price, entry, Money(0, "UAH"), reason="", actor=None)
    set_price(entry, Money(0, "UAH"), reason="last year's winner", actor=builders.user("org"), now=at)
    account = account_of(now_is(entry), at=at)
    assert (account.quote.fee, account.entry.state) == (Money(0, "UAH"), "confirmed")
    set_price(entry, None, reason="a mistake", actor=None, now=at)
    assert account_of(now_is(entry), at=at).quote.fee == Money.parse("500", "UAH")


def test_grounds_told_at_the_desk_are_added_once_and_only_known_ones() -> None:
    event = mari_el()
    entry = child(event, "Смирнов", moment(event, "2021-08-20T12:00"))
    assert add_claim(entry, "large_family", actor=None) == add_claim(entry, "large_family", actor=None)
    refused("claim.unknown", add_claim, entry, "nobility", actor=None)


def test_totals_balance_at_any_moment() -> None:
    event = mari_el()
    at = moment(event, "2021-08-20T12:00")
    children = [child(event, f"Смирнов{n}", at) for n in range(8)]
    acts: list[Any] = [
        lambda: pay(children[0], "500", at),
        lambda: pay(children[1], "700", at, channel="transfer"),
        lambda: withdraw_entry(children[1], now=at),
        lambda: pay(children[2], "100", at),
        lambda: mark_no_show(children[2], actor=None, now=at),
        lambda: set_price(children[3], rub("1"), reason="x", actor=None, now=at),
        lambda: record_refund(children[1], rub("200"), now=at),
        lambda: reverse_line(LedgerLine.objects.earliest("pk"), reason="x", actor=None, now=at),
        lambda: Tournament.objects.filter(pk=event.pk).update(state="cancelled"),
    ]
    for act in acts:
        act()
        event.refresh_from_db()
        found = accounts(event, at=at)
        whole = totals(event, found)
        assert whole.due + whole.credit == whole.paid + whole.owed
        lines = LedgerLine.objects.filter(tournament=event).values_list("minor", flat=True)
        assert whole.paid == Money(sum(lines), "RUB") == sum(whole.by_channel.values(), rub("0"))
    assert whole.due == rub("600")  # a cancelled event: only what 10.5 keeps of the two that had left before
    assert {a.facts.outcome for a in found} == {Outcome.EVENT_CANCELLED, Outcome.WITHDRAWN, Outcome.NO_SHOW}


def test_a_payment_for_somebody_who_has_left_is_booked_and_brings_nobody_back() -> None:
    event = kyiv()
    at = moment(event, "2026-01-10T09:00")
    entry = enter(section(event), "Адам", at).entry
    withdraw_entry(entry, now=at)
    pay(entry, "100", at)
    assert states(event) == {"Адам": "withdrawn"}
    assert account_of(now_is(entry), at=at).to_return == Money.parse("100", "UAH")


def test_paying_takes_the_same_number_of_queries_in_a_small_and_in_a_large_group() -> None:
    counts = []
    for size in (2, 40):
        event = mari_el()
        at = moment(event, "2021-08-20T12:00")
        entry = child(event, "Смирнов", at)
        for number in range(size):
            builders.entry(section(event, "u11-boys"), f"Гравець{number}")
        with CaptureQueriesContext(
            connection,
        ) as queries:
            pay(entry, "500", at)
        counts.append(len(queries))
    assert counts[0] == counts[1]
