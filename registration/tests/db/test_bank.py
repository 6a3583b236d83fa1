"""Bank statements in the database: sure payments booked, the others kept, nothing lost and nothing twice."""

from __future__ import annotations

import uuid
from typing import Any
from unittest import mock

import pytest

from registration.accounts import account_of
from registration.models import BankRow, BankStatement, LedgerLine
from registration.services import bank, booking, reverse_line, withdraw_entry
from registration.services.places import settle
from registration.tests.people import enter, kyiv, moment, pay, section, states
from tourney.kernel.errors import TourneyError
from tourney.kernel.money import Money
from tourney.models import ActionLog, Entry, Job, Tournament
from tourney.testing import builders

pytestmark = pytest.mark.django_db

HEAD = "Рахунок;Валюта;Номер документу;Дата операції;Рахунок кореспондента;Кореспондент;Сума;Призначення платежу"
IBAN = "UA213223130000026007233566001"


def row(amount: str, purpose: str, *, on: str = "12.01.2026", payer: str = "Батько", account: str = "UA77") -> str:
    return f"{IBAN};UAH;5;{on};{account};{payer};{amount};{purpose}"


def file_of(*rows: str) -> bytes:
    return "\n".join([HEAD, *rows, ""]).encode("cp1251")


def uah(major: str) -> Money:
    return Money.parse(major, "UAH")


def people(event: Tournament, *names: str) -> list[Entry]:
    at = moment(event, "2026-01-10T09:00")
    return [enter(section(event), name, at).entry for name in names]


def reference(entry: Entry) -> str:
    account = account_of(entry)
    assert account.application is not None
    return account.application.reference


def read(event: Tournament, *rows: str, name: str = "privat.csv") -> BankStatement:
    statement = bank.send_in(
        event, name=name, content=file_of(*rows), actor=builders.user(f"desk{uuid.uuid4().hex[:6]}")
    )
    bank.read_statement(statement.pk)
    statement.refresh_from_db()
    return statement


def shown(event: Tournament) -> list[tuple[str, str]]:
    return list(BankRow.objects.filter(tournament=event).order_by("pk").values_list("state", "why"))


def refused(code: str, act: Any, *args: Any, **kwargs: Any) -> None:
    with pytest.raises(TourneyError) as caught:
        act(*args, **kwargs)
    assert caught.value.code == code


@pytest.mark.clause("K4.3", "M10.4")
def test_a_reference_books_and_confirms_and_the_rest_waits_with_suggestions() -> None:
    event = kyiv()
    adam, bohdan, vira = people(event, "Адаменко", "Богданенко", "Вірич")
    statement = read(
        event,
        row("100", f"Внесок {reference(adam)}"),
        row("100", "за Богданенка О."),
        row("100", "за навчання"),
        row("700,00", reference(vira)),
        row("сто", reference(vira)),
        row("-5", "комісія"),
    )
    assert states(event) == {"Адаменко": "confirmed", "Богданенко": "awaiting_deposit", "Вірич": "awaiting_deposit"}
    assert shown(event) == [
        ("booked", ""),
        ("waiting", "no_reference"),
        ("waiting", "unknown"),
        ("waiting", "too_much"),
    ]
    suggested = list(BankRow.objects.order_by("pk").values_list("suggested", flat=True))
    assert suggested == [[], [[bohdan.pk, "name_and_sum"]], [], [[vira.pk, "reference"]]]
    line = LedgerLine.objects.get()
    assert (line.minor, line.channel, line.receipt_number, line.bank_row.line) == (10_000, "transfer", 1, 2)
    assert statement.content is None
    assert statement.outcome == {
        "new": 4,
        "known": 0,
        "outgoing": 1,
        "faults": [{"line": 6, "column": "Сума", "code": "statement.no_amount", "got": "сто"}],
        "faults_in_all": 1,
        "warnings": [],
    }
    logged = ActionLog.objects.get(action="money.statement_read").data
    assert logged == {"name": "privat.csv", "new": 4, "booked": 1}


@pytest.mark.clause("K4.5")
def test_a_payment_of_the_last_early_day_keeps_the_early_price_however_late_the_statement_comes() -> None:
    event = kyiv()
    adam, bohdan = people(event, "Адаменко", "Богданенко")
    read(
        event,
        row("100", reference(adam), on="20.01.2026"),
        row("100", reference(bohdan), on="21.01.2026"),
    )
    at = moment(event, "2026-01-25T10:00")
    assert [account_of(Entry.objects.get(pk=one.pk), at=at).quote.fee for one in (adam, bohdan)] == [
        uah("500"),
        uah("600"),
    ]


def test_the_same_file_twice_changes_nothing() -> None:
    event = kyiv()
    (adam,) = people(event, "Адаменко")
    rows = [row("100", reference(adam)), row("5", "кава")]
    read(event, *rows)
    refused("statement.read_already", bank.send_in, event, name="again.csv", content=file_of(*rows), actor=None)
    again = read(event, *rows, row("7", "нове"))
    assert (again.outcome["new"], again.outcome["known"]) == (1, 2)
    assert LedgerLine.objects.count() == 1
    assert list(BankRow.objects.order_by("pk").values_list("minor", flat=True)) == [10_000, 500, 700]


def test_two_payers_alike_in_sum_and_day_are_both_kept() -> None:
    event = kyiv()
    adam, bohdan = people(event, "Адаменко", "Богданенко")
    rows = [
        row("100", f"внесок {reference(adam)}", payer="Іваненко"),
        row("100", f"внесок {reference(bohdan)}", payer="Петренко"),
        row("50", "внесок", payer="Іваненко"),
        row("50", "внесок", payer="Іваненко"),
    ]
    read(event, *rows)
    assert BankRow.objects.count() == 4
    assert states(event) == {"Адаменко": "confirmed", "Богданенко": "confirmed"}


def test_days_read_before_with_nothing_known_in_them_are_pointed_out() -> None:
    event = kyiv()
    read(event, *(row(str(n), "x") for n in range(1, 5)))
    other = read(event, *(row(str(n), "x", payer="Інше подання") for n in range(1, 5)))
    assert [warning["code"] for warning in other.outcome["warnings"]] == ["statement.nothing_known"]


def test_a_worker_killed_on_the_way_books_nothing_twice() -> None:
    event = kyiv()
    entries = people(event, "Адаменко", "Богданенко", "Вірич")
    content = file_of(*(row("100", reference(one)) for one in entries))
    statement = bank.send_in(event, name="a.csv", content=content, actor=None)
    calls = 0

    def dies(*args: Any, **kwargs: Any) -> Any:
        nonlocal calls
        calls += 1
        if calls == 3:
            raise OSError("the power went")
        return settle(*args, **kwargs)

    with (
        mock.patch.object(booking, "BATCH", 2),
        mock.patch.object(booking, "settle", dies),
        pytest.raises(OSError),
    ):
        bank.read_statement(statement.pk)
    assert LedgerLine.objects.count() == 2
    bank.read_statement(statement.pk)
    bank.read_statement(statement.pk)
    assert sorted(LedgerLine.objects.values_list("receipt_number", flat=True)) == [1, 2, 3]
    assert set(states(event).values()) == {"confirmed"}


def test_a_person_who_booked_a_part_meanwhile_keeps_the_rest() -> None:
    event = kyiv()
    adam, bohdan = people(event, "Адаменко", "Богданенко")
    decisions = bank.statements.match

    def part_by_hand(*args: Any) -> Any:
        found = decisions(*args)
        bank.book_row(BankRow.objects.get(), bohdan, uah("100"), actor=None)
        return found

    with mock.patch.object(bank.statements, "match", part_by_hand):
        read(event, row("500", reference(adam)))
    assert [(line.entry_id, line.minor) for line in LedgerLine.objects.all()] == [(bohdan.pk, 10_000)]
    assert [state for state, _why in shown(event)] == ["waiting"]


def test_a_batch_costs_queries_by_batch_and_not_by_row(django_assert_max_num_queries: Any) -> None:
    event = kyiv()
    entries = people(event, "Адаменко", "Богданенко", "Вірич")
    for one in entries:  # places are given already: only money is left to book
        pay(one, "100", moment(event, "2026-01-10T09:00"))
    rows = [row(f"{n}", reference(entries[n % 3])) for n in range(1, 31)]
    statement = bank.send_in(event, name="a.csv", content=file_of(*rows), actor=None)
    with django_assert_max_num_queries(60):
        bank.read_statement(statement.pk)
    assert LedgerLine.objects.exclude(bank_row=None).count() == 30
    assert sorted(LedgerLine.objects.values_list("receipt_number", flat=True)) == list(range(1, 34))
    received = ActionLog.objects.filter(action="money.received").order_by("pk").last()
    assert received is not None
    assert received.data["receipt"] == 33


def test_what_the_desk_took_meanwhile_makes_the_row_wait() -> None:
    event = kyiv()
    (adam,) = people(event, "Адаменко")
    decisions = bank.statements.match

    def late_payment(*args: Any) -> Any:
        found = decisions(*args)
        pay(adam, "500", moment(event, "2026-01-12T09:00"))
        return found

    with mock.patch.object(bank.statements, "match", late_payment):
        read(event, row("500", reference(adam)))
    assert shown(event) == [("waiting", "too_much")]
    assert LedgerLine.objects.count() == 1


def test_a_person_books_a_row_in_parts_and_no_more_than_came() -> None:
    event = kyiv()
    adam, bohdan = people(event, "Адаменко", "Богданенко")
    read(event, row("800", "за дітей"))
    one = BankRow.objects.get()
    desk = builders.user("desk")
    refused("bank.more_than_came", bank.book_row, one, adam, uah("801"), actor=desk)
    operation = uuid.uuid4()
    for _twice in range(2):
        bank.book_row(one, adam, uah("500"), actor=desk, operation=operation)
    refused("bank.in_part", bank.set_row_aside, one, reason="not ours", actor=desk)
    refused("bank.more_than_came", bank.book_row, one, bohdan, uah("301"), actor=desk)
    assert bank.left_of(one) == uah("300")
    bank.book_row(one, bohdan, uah("300"), actor=desk)
    refused("bank.booked_already", bank.book_row, one, bohdan, uah("1"), actor=desk)
    assert shown(event) == [("booked", "")]
    assert [(line.entry_id, line.minor) for line in LedgerLine.objects.order_by("pk")] == [
        (adam.pk, 50_000),
        (bohdan.pk, 30_000),
    ]


def test_a_booking_taken_back_makes_the_row_wait_again() -> None:
    event = kyiv()
    adam, bohdan = people(event, "Адаменко", "Богданенко")
    read(event, row("100", reference(adam)))
    reverse_line(LedgerLine.objects.get(), reason="for the brother", actor=None)
    assert shown(event) == [("waiting", "taken_back")]
    one = BankRow.objects.get()
    bank.book_row(one, bohdan, uah("100"), actor=None)
    assert account_of(Entry.objects.get(pk=bohdan.pk)).quote.paid == uah("100")
    assert bank.left_of(one) == uah("0")


def test_a_row_set_aside_says_why_and_can_be_taken_up_again() -> None:
    event = kyiv()
    read(event, row("5", "кава"))
    one = BankRow.objects.get()
    refused("money.say_why", bank.set_row_aside, one, reason=" ", actor=None)
    bank.set_row_aside(one, reason="not ours", actor=None)
    refused("bank.booked_already", bank.set_row_aside, one, reason="again", actor=None)
    assert shown(event) == [("set_aside", "unknown")]
    bank.take_row_up(one, actor=None)
    assert shown(event) == [("waiting", "unknown")]


def test_a_payer_known_from_before_is_suggested_and_who_has_left_is_not_booked() -> None:
    event = kyiv()
    adam, bohdan = people(event, "Адаменко", "Богданенко")
    read(event, row("100", reference(adam), account="UA11"))
    withdraw_entry(bohdan, now=moment(event, "2026-01-11T09:00"))
    read(event, row("7", "доплата", account="UA11"), row("100", reference(bohdan), account="UA12"))
    rows = list(BankRow.objects.order_by("pk").values_list("why", "suggested"))
    assert rows[1:] == [("no_reference", [[adam.pk, "account"]]), ("left", [[bohdan.pk, "reference"]])]


def test_a_file_of_another_kind_is_refused_before_anything_is_kept() -> None:
    event = kyiv()
    refused("statement.unknown_form", bank.send_in, event, name="photo.png", content=b"\x89PNG\0\0", actor=None)
    assert (BankStatement.objects.count(), Job.objects.count()) == (0, 0)
