"""What erasing and the end of keeping do to money: the sums stay, the words beside them go."""

from __future__ import annotations

import datetime as dt
import io
from typing import Any

import pytest
from django.core.management import call_command
from django.utils import timezone

from registration.models import BankRow, LedgerLine
from registration.privacy.erasing import erase
from registration.services import bank, move_money, replace_in_place, reverse_line, withdraw_entry
from registration.tests.db.test_bank import people, read, reference, row, uah
from registration.tests.people import enter, kyiv, moment, pay, section
from tourney.models import ActionLog, Entry, EntryEvent, Tournament
from tourney.services.log import log

pytestmark = pytest.mark.django_db


def leave_and_erase(entry: Entry) -> None:
    withdraw_entry(entry, by_entrant=True)
    erase(entry, actor=None)


def words(event: Tournament) -> list[tuple[str, str, str]]:
    rows = BankRow.objects.filter(tournament=event).order_by("pk")
    return list(rows.values_list("payer", "payer_account", "purpose"))


def everything(event: Tournament) -> str:
    """All words the event's tables of money and history hold."""
    tables: list[Any] = [BankRow.objects.filter(tournament=event), LedgerLine.objects.filter(tournament=event)]
    tables += [ActionLog.objects.filter(tournament=event), EntryEvent.objects.filter(entry__tournament=event)]
    return " ".join(str(list(table.values_list())) for table in tables)


def test_an_erased_entry_takes_payer_account_and_purpose_with_it_and_leaves_the_money() -> None:
    event = kyiv()
    adam, vira = people(event, "Адаменко", "Вірич")
    read(
        event,
        row("100", f"за Адаменка {reference(adam)}", payer="Адаменко Петро", account="UA11"),
        row("100", f"за Вірич {reference(vira)}", payer="Вірич Павло", account="UA22"),
    )
    assert all(one in everything(event) for one in ("Адаменк", "UA11", "Вірич Павло"))

    leave_and_erase(adam)

    assert [one for one in ("Адаменк", "UA11") if one in everything(event)] == []
    assert words(event)[1] == ("Вірич Павло", "UA22", f"за Вірич {reference(vira)}")
    assert list(LedgerLine.objects.order_by("pk").values_list("minor", "bank_row__minor", "bank_row__state")) == [
        (10_000, 10_000, "booked"),
        (10_000, 10_000, "booked"),
    ]
    again = read(event, row("100", f"за Адаменка {reference(adam)}", payer="Адаменко Петро", account="UA11"))
    assert (again.outcome["new"], words(event)[0]) == (0, ("", "", ""))  # the file once more brings nothing back


def test_of_a_payment_for_two_the_payer_stays_until_the_last_is_erased() -> None:
    event = kyiv()
    adam, vira = people(event, "Адаменко", "Вірич")
    read(event, row("200", "за Адаменка і Вірич", payer="Тато", account="UA33"))
    found = BankRow.objects.get()
    for entry in (adam, vira):
        bank.book_row(found, entry, uah("100"), actor=None)

    leave_and_erase(adam)
    assert words(event) == [("Тато", "UA33", "")]
    leave_and_erase(vira)
    assert words(event) == [("", "", "")]


def test_a_booking_taken_back_makes_the_payment_nobodys_and_its_words_stay() -> None:
    event = kyiv()
    (adam,) = people(event, "Адаменко")
    read(event, row("100", "за Борисенка", payer="Борисенко", account="UA44"))
    line = bank.book_row(BankRow.objects.get(), adam, uah("100"), actor=None)
    reverse_line(line, reason="not his", actor=None)

    leave_and_erase(adam)

    assert words(event) == [("Борисенко", "UA44", "за Борисенка")]
    assert set(LedgerLine.objects.values_list("note", flat=True)) == {""}


def test_the_other_entry_of_moved_money_and_of_a_place_forgets_the_name_too() -> None:
    event = kyiv()
    at = moment(event, "2026-01-10T12:00")
    adam, vira = (enter(section(event), name, at).entry for name in ("Адаменко", "Вірич"))
    pay(adam, "700", at)
    move_money(adam, vira, uah("100"), reason="Адаменко за Вірич", actor=None, now=at)
    reserve = enter(section(event), "Запасний", at).entry
    withdraw_entry(vira, now=at)
    Entry.objects.filter(pk=reserve.pk).update(state=Entry.State.RESERVE)
    replace_in_place(vira, reserve, actor=None, reason="Вірич не прийде", now=at)
    assert everything(event).count("Вірич") > 2

    erase(vira, actor=None)

    assert "Вірич" not in everything(event)
    assert sum(LedgerLine.objects.values_list("minor", flat=True)) == 70_000


def test_retention_takes_foreign_payments_words_with_the_contacts_and_all_with_the_books() -> None:
    event = kyiv()
    (adam,) = people(event, "Адаменко")
    read(
        event,
        row("100", f"Внесок {reference(adam)}", payer="Адаменко Петро", account="UA11"),
        row("900", "оренда", payer="Чужий", account="UA55"),
        row("300", "невідомо за кого", payer="Хтось", account="UA66"),
    )
    bank.set_row_aside(BankRow.objects.get(payer="Чужий"), reason="not ours", actor=None)

    def after(days: int) -> list[str]:
        ends = timezone.localdate() - dt.timedelta(days=days)
        Tournament.objects.filter(pk=event.pk).update(starts_on=ends, ends_on=ends)
        told = io.StringIO()
        call_command("retention", stdout=told)
        return [payer for payer, _account, _purpose in words(event)]

    assert after(90) == ["Адаменко Петро", "Чужий", "Хтось"]
    assert after(91) == ["Адаменко Петро", "", "Хтось"]
    assert after(5 * 365) == ["Адаменко Петро", "", "Хтось"]
    assert after(5 * 365 + 1) == ["", "", ""]
    assert words(event) == [("", "", "")] * 3
    assert list(LedgerLine.objects.values_list("minor", "note")) == [(10_000, "")]


def test_an_erased_entry_is_named_by_no_line_about_its_games() -> None:
    event = kyiv()
    adam, vira = people(event, "Адаменко", "Вірич")
    log(event, "games.moves_by_player", label=adam.name, white=adam.name, black=vira.name, moves=3)
    leave_and_erase(adam)
    assert "Адаменко" not in everything(event)
    assert "Вірич" in everything(event)
