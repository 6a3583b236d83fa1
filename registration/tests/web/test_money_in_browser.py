"""Money pages in a browser: the payer's telephone, the desk's tablet, the treasurer's screen; by language and light."""

from __future__ import annotations

import datetime as dt
import io
import os
from pathlib import Path
from typing import Any

import pytest
import zxingcpp
from django.contrib.auth import get_user_model
from django.urls import reverse
from django.utils import timezone
from PIL import Image
from playwright.sync_api import expect

from registration.links import token_of
from registration.models import BankRow, BankStatement, Drawer, LedgerLine
from registration.services import bank, record_payment, withdraw_entry
from registration.services.entering import application_of
from registration.tests.db.test_bank import file_of, row
from registration.tests.people import enter, section
from tourney.kernel.money import Money
from tourney.models import Entry, StaffRole, Tournament
from tourney.testing import builders
from tourney.testing.pages import sign_in, stays_inside, unfit_for_all

pytestmark = pytest.mark.django_db(transaction=True)
LOOKS = [("uk", "light"), ("ru", "dark")]
PASSWORD = "desk-desk-desk"
DETAILS = {"name": "ГО «Шаховий клуб Приклад»", "iban": "UA213223130000026007233566001", "edrpou": "40720198"}


def page_of(browser: Any, live_server: Any, width: int, height: int, look: tuple[str, str]) -> Any:
    language, scheme = look
    context = browser.new_context(
        base_url=live_server.url,
        viewport={"width": width, "height": height},
        locale={"uk": "uk-UA", "ru": "ru-RU"}[language],
        color_scheme=scheme,
    )
    return context.new_page()


def looked_at(page: Any, name: str, look: tuple[str, str]) -> None:
    """No serious fault, nothing wider than the screen; the picture is kept where TOURNEY_LOOKS says."""
    assert unfit_for_all(page) == []
    assert stays_inside(page)
    if folder := os.environ.get("TOURNEY_LOOKS"):
        page.screenshot(path=str(Path(folder) / f"{name}-{look[0]}-{look[1]}.png"), full_page=True)


def codes_of(photo: Image.Image) -> list[str]:
    """Return what is read in the QR codes of a picture (a reader asked for every kind sees bars in the letters)."""
    return [found.text for found in zxingcpp.read_barcodes(photo, formats=zxingcpp.BarcodeFormat.QRCode)]


def kyiv() -> Tournament:
    day = timezone.localdate() + dt.timedelta(days=20)
    return builders.event("second-chance-32", starts_on=day, requisites=DETAILS)


def cashier(event: Tournament, role: str = "organizer") -> Any:
    user = get_user_model().objects.create_user("desk", password=PASSWORD)
    StaffRole.objects.create(tournament=event, user=user, role=role)
    return user


def made(event: Tournament, surname: str) -> Entry:
    return enter(section(event), surname, timezone.now()).entry


def uah(major: str) -> Money:
    return Money.parse(major, "UAH")


@pytest.mark.clause("K4.3")
@pytest.mark.parametrize("look", LOOKS)
def test_the_code_on_a_telephone_is_read_by_another_program(
    browser: Any, live_server: Any, look: tuple[str, str]
) -> None:
    event = kyiv()
    adam = made(event, "Адаменко")
    application = application_of(adam)
    page = page_of(browser, live_server, 390, 844, look)
    page.goto(reverse("entrant", args=[token_of(adam.pk, application.link_version)]))
    button = page.locator(".pay-how a.btn-primary")
    expect(button).to_be_visible()
    assert button.bounding_box()["height"] >= 44
    photo = Image.open(io.BytesIO(page.locator(".pay-picture").first.screenshot()))
    assert codes_of(photo) == [button.get_attribute("href")]
    looked_at(page, "payer-390", look)
    page.context.close()


@pytest.mark.clause("M10.4")
@pytest.mark.parametrize("look", LOOKS)
def test_the_russian_code_on_a_telephone(browser: Any, live_server: Any, look: tuple[str, str]) -> None:
    event = builders.event("youth-championship", starts_on=timezone.localdate() + dt.timedelta(days=20))
    child = enter(section(event, "u11-boys"), "Смирнов", timezone.now(), patronymic="Петрович").entry
    page = page_of(browser, live_server, 390, 844, look)
    page.goto(reverse("entrant", args=[token_of(child.pk, application_of(child).link_version)]))
    photo = Image.open(io.BytesIO(page.locator(".pay-picture").first.screenshot()))
    (read,) = codes_of(photo)
    assert read.startswith("ST00012|Name=РСОО «ФШ РМЭ»|PersonalAcc=40703810837000000411|")
    assert read.endswith(application_of(child).reference)
    looked_at(page, "payer-rub-390", look)
    page.context.close()


@pytest.mark.parametrize("look", LOOKS)
def test_a_doubtful_payment_is_booked_by_one_tap_on_the_tablet(
    browser: Any, live_server: Any, look: tuple[str, str]
) -> None:
    event = kyiv()
    cashier(event, "desk")
    adam, bohdan = made(event, "Адаменко"), made(event, "Богданенко")
    rows = [
        row("100", "за Адаменка О., турнірний внесок", payer="Адаменко Ірина Василівна"),
        row("1 000", f"внесок {application_of(bohdan).reference}", payer="ФОП Довге Ім’я Платника"),
        row("55,50", "оплата послуг", payer="ТОВ «Інше»"),
        row("сто", "x"),
    ]
    statement = bank.send_in(event, name="privat-2026-01.csv", content=file_of(*rows), actor=None)
    bank.read_statement(statement.pk)
    page = page_of(browser, live_server, 820, 1180, look)
    sign_in(page, "desk", PASSWORD)
    page.goto(f"{reverse('manage_bank', args=[event.slug])}?statement={statement.pk}")
    looked_at(page, "bank-820", look)
    first = BankRow.objects.earliest("pk")
    page.click(f"#row-{first.pk} .bank-fit button")
    expect(page.locator(f"#row-{first.pk}")).to_have_count(0)
    assert LedgerLine.objects.get().entry_id == adam.pk
    page.goto(reverse("manage_bank_row", args=[event.slug, BankRow.objects.latest("pk").pk]))
    looked_at(page, "bank-row-820", look)
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto(reverse("manage_bank", args=[event.slug]))
    looked_at(page, "bank-390", look)
    page.context.close()


def test_a_statement_is_sent_in_by_the_form(browser: Any, live_server: Any) -> None:
    event = kyiv()
    cashier(event, "desk")
    page = page_of(browser, live_server, 1280, 900, LOOKS[0])
    sign_in(page, "desk", PASSWORD)
    page.goto(reverse("manage_bank", args=[event.slug]))
    content = file_of(row("5", "кава"))
    page.set_input_files("[name=file]", {"name": "privat.csv", "mimeType": "text/csv", "buffer": content})
    page.click("form[enctype] button")
    expect(page.locator("#statement h2")).to_have_text("privat.csv")
    bank.read_statement(BankStatement.objects.get().pk)
    expect(page.locator("#statement progress, #statement a")).to_have_count(0, timeout=15_000)
    page.context.close()


@pytest.mark.clause("K4.6")
@pytest.mark.parametrize("look", LOOKS)
def test_drawer_and_cash_book_on_the_tablet(browser: Any, live_server: Any, look: tuple[str, str]) -> None:
    event = kyiv()
    user = cashier(event, "desk")
    adam = made(event, "Адаменко")
    page = page_of(browser, live_server, 820, 1180, look)
    sign_in(page, "desk", PASSWORD)
    page.goto(reverse("manage_cash", args=[event.slug]))
    page.fill("#change", "200")
    page.click("#drawer button")
    expect(page.locator("#counted")).to_be_visible()
    record_payment(adam, uah("500"), actor=user)
    made(event, "Богданенко")
    page.reload()
    looked_at(page, "cash-820", look)
    page.fill("#counted", "690")
    page.click("#drawer button")
    expect(page.locator(".callout-bad")).to_contain_text("700")
    page.fill("#explanation", "здача")
    page.click("#drawer .drawer-form button")
    expect(page.locator("#change")).to_be_visible()
    page.click("#drawer details summary")
    looked_at(page, "drawer-closed-820", look)
    assert Drawer.objects.get().counted_minor == 69_000
    page.context.close()


@pytest.mark.clause("K4.7", "M10.7")
@pytest.mark.parametrize("look", LOOKS)
def test_the_treasurers_page_on_a_screen_and_a_tablet(browser: Any, live_server: Any, look: tuple[str, str]) -> None:
    event = kyiv()
    cashier(event)
    for number, paid in enumerate(["500", "100", "700", "500", "500"]):
        entry = made(event, f"Гравець{'абвгд'[number]}")
        record_payment(entry, uah(paid), channel=("cash", "card", "transfer")[number % 3])
        if number == 3:
            withdraw_entry(entry)
    bank.send_in(event, name="a.csv", content=file_of(row("77", "кава")), actor=None)
    bank.read_statement(BankStatement.objects.get().pk)
    page = page_of(browser, live_server, 1440, 900, look)
    sign_in(page, "desk", PASSWORD)
    page.goto(reverse("manage_treasury", args=[event.slug]))
    looked_at(page, "treasury-1440", look)
    page.set_viewport_size({"width": 820, "height": 1180})
    looked_at(page, "treasury-820", look)
    with page.expect_download() as download:
        page.click("a[download]")
    assert download.value.suggested_filename == f"{event.slug}-money.xlsx"
    page.goto(reverse("manage_desk", args=[event.slug]))
    looked_at(page, "desk-820", look)
    page.context.close()
