"""Money pages of the staff: bank payments, drawers, the treasurer; and the payer's own page with its codes."""

from __future__ import annotations

import datetime as dt
import io
import re
import uuid
import zipfile
from collections.abc import Iterator
from typing import Any
from xml.etree import ElementTree

import pytest
from django.core import mail
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone, translation
from python_calamine import CalamineWorkbook

from registration.accounts import account_of
from registration.models import BankRow, BankStatement, Drawer, LedgerLine
from registration.notices import send_notice
from registration.services import bank, mark_no_show, open_drawer, record_payment, record_refund, withdraw_entry
from registration.services.entering import application_of
from registration.tests.db.test_bank import file_of, row
from registration.tests.people import enter, section
from registration.treasury import treasury_of
from tourney.kernel.money import Money, total
from tourney.models import ActionLog, Entry, Job, Tournament
from tourney.testing import builders

pytestmark = pytest.mark.django_db
PAGES = ["manage_bank", "manage_treasury", "manage_treasury_list", "manage_treasury_xlsx", "manage_cash"]


@pytest.fixture(autouse=True)
def english(client: Client) -> Iterator[None]:
    client.cookies["django_language"] = "en"
    with translation.override("en"):
        yield


@pytest.fixture
def event() -> Tournament:
    details = {"name": "ГО Приклад", "iban": "UA213223130000026007233566001", "edrpou": "40720198"}
    day = timezone.localdate() + dt.timedelta(days=20)
    return builders.event("second-chance-32", starts_on=day, requisites=details)


def made(event: Tournament, surname: str = "Бондар", code: str = "", **fields: Any) -> Entry:
    return enter(section(event, code), surname, timezone.now(), **fields).entry


def staff(client: Client, event: Tournament, role: str = "desk") -> Any:
    user = builders.user(f"{role}-{event.pk}", event, role)
    client.force_login(user)
    return user


def uah(major: str) -> Money:
    return Money.parse(major, "UAH")


def url(name: str, event: Tournament, *args: Any) -> str:
    return reverse(name, args=[event.slug, *args])


def text_of(response: Any) -> str:
    body = re.sub(r"<[^>]+>", " ", response.content.decode())
    return " ".join(body.replace("\u00a0", " ").split())


def upload(client: Client, event: Tournament, content: bytes, name: str = "privat.csv") -> Any:
    return client.post(url("manage_bank", event), {"file": SimpleUploadedFile(name, content)})


def sent_in(client: Client, event: Tournament, *rows: str) -> BankStatement:
    assert upload(client, event, file_of(*rows)).status_code == 302
    statement = BankStatement.objects.latest("pk")
    bank.read_statement(statement.pk)
    return statement


@pytest.mark.parametrize(
    ("role", "status"),
    [("organizer", 200), ("desk", 200), ("treasurer", 200), ("chief_arbiter", 403), ("arbiter", 403)],
)
def test_money_is_for_those_who_handle_it(client: Client, event: Tournament, role: str, status: int) -> None:
    staff(client, event, role)
    assert {client.get(url(name, event)).status_code for name in PAGES} == {status}
    stranger = builders.event("second-chance-32")
    assert {client.get(url(name, stranger)).status_code for name in PAGES} == {404}
    row_of_another = reverse("manage_bank_row", args=[stranger.slug, 1])
    assert client.get(row_of_another).status_code == 404


# -- bank ------------------------------------------------------------------------------------------------------------


def test_a_statement_is_sent_in_read_and_shown_with_its_faults(client: Client, event: Tournament) -> None:
    staff(client, event)
    adam = made(event, "Адаменко")
    page = upload(client, event, file_of(row("100", application_of(adam).reference), row("x", "y"), row("5", "кава")))
    statement = BankStatement.objects.get()
    assert page.url == f"{url('manage_bank', event)}?statement={statement.pk}"
    assert statement.job.name == bank.TASK
    waiting = client.get(page.url)
    assert b'hx-trigger="load delay' in waiting.content
    bank.read_statement(statement.pk)
    Job.objects.update(state="done")
    shown = text_of(client.get(page.url))
    assert "2 new payments" in shown
    assert "1 row could not be read" in shown
    assert "Line 3, “Сума”: “x” is no amount of money" in shown
    assert "Booked: 1. Waiting for you: 1." in shown
    fragment = client.get(page.url, headers={"hx-request": "true"})
    assert fragment.content.strip().startswith(b'<section id="statement"')
    assert b"hx-trigger" not in fragment.content


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"%PDF-1.7\n\0", "This is no statement we can read."),
        (b"\x89PNG\r\n\x1a\n\0\0", "This is no statement we can read."),
        ("ім’я;рік\n".encode(), "This is no statement we can read."),
        (b"1" * 5_000_001, "The file is too large"),
        (b"", "empty"),
    ],
)
def test_what_is_no_statement_is_refused_in_words(
    client: Client, event: Tournament, content: bytes, words: str
) -> None:
    staff(client, event)
    refused = upload(client, event, content)
    assert refused.status_code == 422
    assert words in text_of(refused)
    assert BankStatement.objects.count() == 0


def test_a_doubtful_payment_is_booked_by_one_tap_for_whom_it_is_suggested(client: Client, event: Tournament) -> None:
    user = staff(client, event)
    adam = made(event, "Адаменко")
    sent_in(client, event, row("100", "за Адаменка О."), row("5", "<b>кава</b>"))
    page = client.get(url("manage_bank", event))
    shown = text_of(page)
    assert "No payment reference; somebody fits." in shown
    assert "named in the purpose, the very sum" in shown
    assert b"<b>\xd0\xba\xd0\xb0\xd0\xb2\xd0\xb0</b>" not in page.content
    one = BankRow.objects.earliest("pk")
    data = {"act": "book", "entry": adam.pk, "amount": "100", "operation": str(uuid.uuid4())}
    for _twice in range(2):
        assert client.post(url("manage_bank_row", event, one.pk), data).status_code == 302
    line = LedgerLine.objects.get()
    assert (line.entry, line.minor, line.by, line.bank_row) == (adam, 10_000, user, one)
    booked = text_of(client.get(url("manage_bank", event) + "?state=booked"))
    assert "Адаменко" in booked
    assert "№ 1" in booked


def test_a_person_divides_a_payment_or_sets_it_aside(client: Client, event: Tournament) -> None:
    staff(client, event)
    adam, bohdan = made(event, "Адаменко"), made(event, "Богданенко")
    sent_in(client, event, row("300", "за двох"), row("5", "кава"))
    first, coffee = BankRow.objects.order_by("pk")
    address = url("manage_bank_row", event, first.pk)

    def post(**data: Any) -> Any:
        return client.post(address, {"operation": str(uuid.uuid4()), **data})

    nobody = post(act="book", entry="", amount="100")
    assert (nobody.status_code, "Choose the entry" in text_of(nobody)) == (422, True)
    assert "Only 300 ₴ of this payment is left" in text_of(post(act="book", entry=adam.pk, amount="301"))
    assert "“сто” is not an amount" in text_of(post(act="book", entry=adam.pk, amount="сто"))
    assert post(act="book", entry=adam.pk, amount="100").url == address
    assert "200 ₴ left" in text_of(client.get(address))
    assert "can't be set aside" in text_of(post(act="set_aside", reason="x")).replace("&#x27;", "'")
    assert post(act="book", entry=bohdan.pk, amount="200").url == url("manage_bank", event)

    address = url("manage_bank_row", event, coffee.pk)
    assert "Say why" in text_of(post(act="set_aside", reason=" "))
    assert post(act="set_aside", reason="not ours").status_code == 302
    assert "not ours" in text_of(client.get(url("manage_bank", event) + "?state=set_aside"))
    assert post(act="take_up").status_code == 302
    assert BankRow.objects.get(pk=coffee.pk).state == "waiting"
    assert post(act="nonsense").status_code == 404
    actions = ActionLog.objects.filter(action__startswith="money.bank_row").values_list("action", flat=True)
    assert sorted(actions) == [
        "money.bank_row_booked",
        "money.bank_row_booked",
        "money.bank_row_set_aside",
        "money.bank_row_taken_up",
    ]


def test_the_staff_home_says_that_payments_wait(client: Client, event: Tournament) -> None:
    staff(client, event)
    assert "bank payment waits" not in text_of(client.get(reverse("manage_event", args=[event.slug])))
    sent_in(client, event, row("5", "кава"))
    assert "1 bank payment waits" in text_of(client.get(reverse("manage_event", args=[event.slug])))


def test_a_statement_whose_worker_gave_up_can_be_read_again(client: Client, event: Tournament) -> None:
    staff(client, event)
    upload(client, event, file_of(row("5", "кава")))
    statement = BankStatement.objects.get()
    again = reverse("manage_bank_retry", args=[event.slug, statement.pk])
    client.post(again)
    assert Job.objects.count() == 1  # it has not given up yet
    Job.objects.update(state="failed")
    assert "could not be read to its end" in text_of(
        client.get(f"{url('manage_bank', event)}?statement={statement.pk}")
    )
    client.post(again)
    assert Job.objects.count() == 2
    bank.read_statement(statement.pk)
    assert BankRow.objects.count() == 1


def test_the_bank_page_asks_the_same_number_of_questions_for_one_and_for_many(
    client: Client, event: Tournament
) -> None:
    staff(client, event)
    counts = []
    for number in range(2):
        for one in range(1 if number == 0 else 12):
            made(event, f"Гравець{number}{one}")
        names = Entry.objects.values_list("player__surname", flat=True)
        sent_in(client, event, *(row(f"{number + 1}", f"за {name} О.") for name in names))
        with CaptureQueriesContext(connection) as queries:
            client.get(url("manage_bank", event))
        counts.append(len(queries))
    assert counts[0] == counts[1]


# -- cash ------------------------------------------------------------------------------------------------------------


@pytest.mark.clause("K4.6")
def test_a_drawer_is_opened_filled_counted_and_closed(client: Client, event: Tournament) -> None:
    user = staff(client, event)
    adam = made(event, "Адаменко")
    cash, drawer = url("manage_cash", event), url("manage_drawer", event)
    assert client.post(drawer, {"act": "open", "amount": "150"}).url == f"{cash}#drawer"
    client.post(
        url("manage_desk", event),
        {
            "entry": adam.pk,
            "act": "pay",
            "amount": "500",
            "channel": "cash",
            "operation": str(uuid.uuid4()),
            "seen": "0",
        },
    )
    assert "Must be in it now: 650 ₴" in text_of(client.get(cash))
    mine = Drawer.objects.get(by=user)
    data = {"act": "close", "drawer": mine.pk, "amount": "640", "explanation": ""}
    refused = client.post(drawer, data, follow=True)
    assert "650 ₴ must be in the drawer; say where the difference of −10 ₴ comes from." in text_of(refused)
    assert b'value="640"' in refused.content
    client.post(drawer, data | {"explanation": "wrong change"})
    closed = text_of(client.get(cash))
    assert "wrong change" in closed
    assert "−10 ₴" in closed
    assert client.post(drawer, {"act": "nonsense", "amount": "1"}).status_code == 404


def test_only_an_organizer_closes_the_drawer_of_somebody_else(client: Client, event: Tournament) -> None:
    olena = builders.user("olena", event, "desk")
    theirs = open_drawer(event, actor=olena, change=uah("10"))
    data = {"act": "close", "drawer": theirs.pk, "amount": "10", "explanation": ""}
    staff(client, event, "desk")
    assert client.post(url("manage_drawer", event), data).status_code == 403
    staff(client, event, "organizer")
    assert client.post(url("manage_drawer", event), data).status_code == 302
    theirs.refresh_from_db()
    assert theirs.closed_at is not None


@pytest.mark.parametrize("page", ["desk", "entry"])
def test_two_tabs_that_take_the_same_fee_take_it_once_and_say_so(client: Client, event: Tournament, page: str) -> None:
    staff(client, event)
    adam = made(event, "Адаменко")

    def send() -> Any:
        operation = str(uuid.uuid4())
        if page == "desk":
            data = {"entry": adam.pk, "act": "pay", "amount": "500", "channel": "cash"}
            sent = data | {"operation": operation, "seen": "0"}
            return client.post(url("manage_desk", event), sent, headers={"hx-request": "true"})
        data = {"payment-amount": "500", "payment-channel": "cash", "payment-operation": operation, "payment-seen": "0"}
        return client.post(url("manage_entry", event, adam.pk), {"act": "payment", **data})

    first, second = send(), send()
    assert "Meanwhile" not in text_of(first)
    assert "Meanwhile 500 ₴ has been taken (receipt № 1)" in text_of(second)
    assert LedgerLine.objects.count() == 1


def test_money_is_moved_to_a_brother_on_the_entrys_page(client: Client, event: Tournament) -> None:
    staff(client, event)
    adam, bohdan = made(event, "Адаменко"), made(event, "Богданенко")
    record_payment(adam, uah("800"))
    page = client.get(url("manage_entry", event, adam.pk))
    assert b'id="act-move_money"' in page.content
    data = {"move_money-other": bohdan.pk, "move_money-amount": "300", "move_money-reason": "brothers"}
    operation = {"move_money-operation": str(uuid.uuid4())}
    assert (
        client.post(url("manage_entry", event, adam.pk), {"act": "move_money", **data, **operation}).status_code == 302
    )
    paid = [account_of(Entry.objects.get(pk=one.pk)).quote.paid for one in (adam, bohdan)]
    assert paid == [uah("500"), uah("300")]
    assert "moved between entries" in text_of(client.get(url("manage_cash", event)))


# -- the treasurer ---------------------------------------------------------------------------------------------------


def busy(event: Tournament) -> dict[str, Entry]:
    """An event with everything in it: paid, half paid, overpaid, withdrawn, absent, waiting, a payment at the bank."""
    people = {name: made(event, name) for name in ("Адаменко", "Богданенко", "Вірич", "Гриценко", "Дуб", "Ємець")}
    record_payment(people["Адаменко"], uah("500"), channel="card")
    record_payment(people["Богданенко"], uah("100"))
    record_payment(people["Вірич"], uah("700"))
    record_payment(people["Гриценко"], uah("500"))
    withdraw_entry(people["Гриценко"])
    record_payment(people["Дуб"], uah("100"))
    mark_no_show(people["Дуб"], actor=None)
    record_payment(people["Ємець"], uah("50"))
    record_refund(people["Вірич"], uah("50"), reason="part of it", actor=None)
    return people


@pytest.mark.clause("K4.7", "M10.7")
def test_the_treasurers_page_adds_up(client: Client, event: Tournament) -> None:
    staff(client, event, "organizer")
    busy(event)
    bank.send_in(event, name="a.csv", content=file_of(row("77", "кава")), actor=None)
    bank.read_statement(BankStatement.objects.get().pk)
    found = treasury_of(event)
    whole = found.whole
    assert (whole.due, whole.kept) == (uah("1600"), uah("100"))
    assert {one.clause: (one.amount, one.entries) for one in found.by_clause} == {
        "4.4": (uah("1800"), 3),
        "4.5": (uah("-300"), 3),
        "4.7": (uah("100"), 1),
    }
    assert (whole.paid, whole.owed, found.to_return, found.held) == (uah("1900"), uah("400"), uah("650"), uah("50"))
    assert {one.account.entry.player.surname: one.why for one in found.refunds} == {
        "Вірич": "overpaid",
        "Гриценко": "Withdrawn",
    }
    assert found.waiting_at_bank == uah("77")
    shown = text_of(client.get(url("manage_treasury", event)))
    assert "Check: due 1,600 ₴ + to give back or held 700 ₴ = received 1,900 ₴ + still to come 400 ₴." in shown
    assert "Prizes promised" in shown
    assert "Left when all prizes are handed out" in shown


def test_the_desk_sees_no_fund(client: Client, event: Tournament) -> None:
    staff(client, event, "desk")
    assert "Prizes promised" not in text_of(client.get(url("manage_treasury", event)))


def cells(content: bytes) -> dict[str, list[list[Any]]]:
    """Read a workbook with another program's reader."""
    book = CalamineWorkbook.from_filelike(io.BytesIO(content))
    return {name: book.get_sheet_by_name(name).to_python() for name in book.sheet_names}


def test_the_workbook_holds_what_the_page_shows_and_no_formula(client: Client, event: Tournament) -> None:
    staff(client, event, "organizer")
    busy(event)
    evil = made(event, "Зло")
    evil.player.surname = '=HYPERLINK("http://x","y")'
    evil.player.given_name = "+7\u0007𝕏"
    evil.player.save()
    response = client.get(url("manage_treasury_xlsx", event))
    assert response["Content-Disposition"] == f'attachment; filename="{event.slug}-money.xlsx"'
    book = cells(response.content)
    found = treasury_of(event)
    assert list(book) == ["Totals", "By clause", "Entries", "To give back", "Cash book"]
    assert ["Due", 1600.0] in book["Totals"]
    assert book["By clause"][-1] == ["", "Total", "", 1600.0]
    rows = book["Entries"][1:]
    assert sum(one[4] for one in rows) == float(found.whole.due.major)
    assert sum(one[5] for one in rows) == float(found.whole.paid.major)
    assert sum(one[6] for one in rows) == float(found.whole.owed.major)
    assert [one[0] for one in rows if one[0].startswith("=")] == ['=HYPERLINK("http://x","y") +7𝕏']
    with zipfile.ZipFile(io.BytesIO(response.content)) as parts:
        sheets = [ElementTree.fromstring(parts.read(name)) for name in parts.namelist() if "sheet" in name]
    names = {element.tag.rpartition("}")[2] for sheet in sheets for element in sheet.iter()}
    assert "is" in names
    assert "f" not in names  # no cell is a formula
    assert ActionLog.objects.get(action="money.treasury_exported").data == {"rows": 7}


def test_treasury_asks_the_same_number_of_questions_for_one_and_for_many(event: Tournament) -> None:
    counts = []
    for size in (1, 12):
        for number in range(size):
            record_payment(made(event, f"Гравець{size}{number}"), uah("700"))
        with CaptureQueriesContext(connection) as queries:
            found = treasury_of(event)
        counts.append(len(queries))
    assert counts[0] == counts[1]
    assert total((account.balance for account in found.accounts), "UAH") == found.whole.credit - found.whole.owed


# -- the payer -------------------------------------------------------------------------------------------------------


def personal(client: Client, entry: Entry, name: str = "entrant") -> Any:
    from registration.links import token_of  # noqa: PLC0415

    return client.get(reverse(name, args=[token_of(entry.pk, application_of(entry).link_version)]))


@pytest.mark.clause("K4.3", "K11.1")
def test_the_payers_page_has_a_code_a_button_and_details_to_copy(client: Client, event: Tournament) -> None:
    adam = made(event, "Адаменко")
    page = personal(client, adam)
    links = re.findall(r'href="(https://qr\.bank\.gov\.ua/[\w-]+)"', page.content.decode())
    assert len(links) == 2
    assert page.content.count(b'class="pay-picture"') == 2
    shown = text_of(page)
    assert "Pay in the bank’s app" in shown
    assert "UA213223130000026007233566001" in shown
    assert application_of(adam).reference in shown
    record_payment(adam, uah("500"))
    assert b'class="pay-picture"' not in personal(client, adam).content


@pytest.mark.clause("K4.3")
def test_the_letter_has_the_same_link_and_the_details(client: Client, event: Tournament) -> None:
    adam = made(event, "Адаменко")
    assert send_notice(adam.pk, "registered", "https://example.org")
    links = re.findall(r'href="(https://qr\.bank\.gov\.ua/[\w-]+)"', personal(client, adam).content.decode())
    body = mail.outbox[-1].body
    # The letter is in the event's language, so its purpose may be another's; the page shows the reader's.
    assert re.findall(r"https://qr\.bank\.gov\.ua/[\w-]+", body)[0][:60] == links[0][:60]
    assert "UA213223130000026007233566001" in body
    assert application_of(adam).reference in body


@pytest.mark.clause("M10.4")
def test_the_slip_is_a_pdf_while_there_is_something_to_pay(client: Client, event: Tournament) -> None:
    adam = made(event, "А" * 80)
    page = personal(client, adam, "entrant_slip")
    assert (page["Content-Type"], page.content[:5], page["Cache-Control"]) == ("application/pdf", b"%PDF-", "no-store")
    assert page.content.count(b"/Type /Page\n") == 1
    record_payment(adam, uah("500"))
    assert personal(client, adam, "entrant_slip").status_code == 404


def test_without_complete_details_there_is_no_code_but_there_are_the_details(client: Client, event: Tournament) -> None:
    Tournament.objects.filter(pk=event.pk).update(requisites={"iban": "UA213223130000026007233566001"})
    page = personal(client, made(event, "Адаменко"))
    assert b'class="pay-picture"' not in page.content
    assert "UA213223130000026007233566001" in text_of(page)
