"""Payment codes: the published examples byte for byte, the limits, and what an independent reader reads back."""

from __future__ import annotations

import base64
import random
from dataclasses import replace

import pytest

from registration.engine.payee import Payee
from registration.engine.payment_codes import NBU_HOST, PaymentOrder, russian_code, ukrainian_link
from registration.qr import DISC, HRYVNIA, dots, drawn
from registration.tests.engine.presets import parsed, rub, uah
from registration.tests.payment_codes import random_order, read_picture
from tourney.kernel.errors import TourneyError

FEDERATION = parsed("youth-championship").payment.payee
CLUB = Payee(name='ГО "Приклад"', iban="UA213223130000026007233566001", edrpou="40720198")
PURPOSE = "Турнирный взнос за Иванова Петра Сергеевича, НДС не облагается. K7Q2M"
RUSSIAN_EXAMPLE = (
    "ST00012|Name=РСОО «ФШ РМЭ»|PersonalAcc=40703810837000000411|BankName=Отделение Марий Эл № 8614 ПАО Сбербанк"
    "|BIC=048860630|CorrespAcc=30101810300000000630|PayeeINN=1215193594|KPP=121501001|Sum=50000|Purpose=" + PURPOSE
)
UKRAINIAN_EXAMPLE = (
    "https://qr.bank.gov.ua/QkNECjAwMwoxClVDVAoK0JPQniAi0J_RgNC40LrQu9Cw0LQiClVBMjEzMjIzMTMwMDAwMDI2MDA3MjMzNTY2MDAx"
    "ClVBSDEwMAo0MDcyMDE5OAoKSzdRMk0K0J_QvtC_0LXRgNC10LTQvdGW0Lkg0LLQvdC10YHQvtC6INC30LAg0YPRh9Cw0YHRgtGMINGDINGC0YPR"
    "gNC90ZbRgNGWLCDQhtCy0LDQvdC10L3QutC-INCe0LvQtdCzLCBLN1EyTQoKCgoK"
)


def federation_order(**changes: object) -> PaymentOrder:
    return replace(PaymentOrder(FEDERATION, rub(500), PURPOSE, "K7Q2M"), **changes)  # type: ignore[arg-type]


def club_order(**changes: object) -> PaymentOrder:
    purpose = "Попередній внесок за участь у турнірі, Іваненко Олег, K7Q2M"
    return replace(PaymentOrder(CLUB, uah(100), purpose, "K7Q2M"), **changes)  # type: ignore[arg-type]


def refused(code: str, act: object, *args: object) -> None:
    with pytest.raises(TourneyError) as caught:
        act(*args)  # type: ignore[operator]
    assert caught.value.code == code


def lines_of(link: str) -> list[str]:
    """Return the lines of a link, read without the code under test."""
    packed = link.removeprefix(NBU_HOST)
    raw = base64.urlsafe_b64decode(packed + "=" * (-len(packed) % 4))
    return raw.decode("cp1251" if raw.split(b"\n")[2] == b"2" else "utf-8").split("\n")


@pytest.mark.clause("M10.3.5", "M10.4")
def test_russian_example():
    # The federation's full name makes the required block longer than 300 bytes, so the short one is taken.
    assert russian_code(federation_order()) == RUSSIAN_EXAMPLE
    assert read_picture(dots(RUSSIAN_EXAMPLE)) == [RUSSIAN_EXAMPLE]


@pytest.mark.clause("K4.3")
def test_ukrainian_example():
    assert ukrainian_link(club_order()) == UKRAINIAN_EXAMPLE
    assert read_picture(dots(UKRAINIAN_EXAMPLE), hole=DISC) == [UKRAINIAN_EXAMPLE]


def test_format_002_has_thirteen_lines_and_003_seventeen():
    common = ["1", "UCT", "", 'ГО "Приклад"', CLUB.iban, "UAH100.50", "40720198", "", "K7Q2M"]
    order = club_order(amount=uah("100.50"), purpose="Внесок")
    assert lines_of(ukrainian_link(order, "002")) == ["BCD", "002", *common, "Внесок", ""]
    assert lines_of(ukrainian_link(order, "003")) == ["BCD", "003", *common, "Внесок", "", "", "", "", ""]


@pytest.mark.parametrize(("amount", "written"), [("0.05", "5"), ("600", "60000"), ("1234567.89", "123456789")])
def test_russian_sum_is_whole_kopecks(amount: str, written: str):
    assert f"|Sum={written}|" in russian_code(federation_order(amount=rub(amount)))


def test_open_amount_is_left_to_the_payer():
    assert "Sum" not in russian_code(federation_order(amount=None))
    assert lines_of(ukrainian_link(club_order(amount=None)))[7] == ""


def test_separator_moves_out_of_the_way_everywhere():
    code = russian_code(federation_order(purpose="Взнос | Иванов"))
    assert code.startswith("ST00012;Name=РСОО «ФШ РМЭ»;PersonalAcc=")
    assert code.endswith(";Sum=50000;Purpose=Взнос | Иванов")
    assert code.count(";") == 9


def test_long_ukrainian_text_is_packed_in_the_smaller_encoding():
    lines = lines_of(ukrainian_link(club_order(purpose="Внесок " * 22)))
    assert (lines[2], lines[11]) == ("2", "Внесок " * 22)


def test_russian_code_in_windows_1251_measures_its_bytes():
    code = russian_code(federation_order(), "1")
    assert code.startswith("ST00011|Name=Региональная спортивная общественная организация")


def test_what_cannot_be_a_code_is_refused():
    refused("code.incomplete", russian_code, federation_order(payee=CLUB))
    refused("code.incomplete", ukrainian_link, club_order(payee=FEDERATION))
    refused("code.other_currency", russian_code, federation_order(amount=uah(500)))
    refused("code.other_currency", ukrainian_link, club_order(amount=rub(500)))
    refused("code.bad_sign", russian_code, federation_order(purpose="Взнос\nSum=1"))
    refused("code.bad_sign", ukrainian_link, club_order(purpose="Внесок\nUAH1"))
    refused("code.bad_sign", russian_code, federation_order(purpose="|;~#^"))
    refused("code.too_long", russian_code, federation_order(purpose="в" * 161))
    refused("code.too_long", ukrainian_link, club_order(purpose="в" * 421))
    refused("code.too_long", ukrainian_link, club_order(purpose="в" * 400))


@pytest.mark.parametrize("currency", ["RUB", "UAH"])
def test_random_payees_survive_paper(currency: str):
    """A few here; `bench/payment_codes.py` reads a thousand."""
    for number in range(15):
        order = random_order(random.Random(f"{currency}{number}"), currency)
        text = russian_code(order) if currency == "RUB" else ukrainian_link(order)
        assert read_picture(dots(text), hole=DISC if currency == "UAH" else 0) == [text]


def test_drawing_needs_no_styles_and_escapes_its_title():
    picture = drawn(UKRAINIAN_EXAMPLE, "Code <of> the bank", sign=HRYVNIA)
    assert "style" not in picture
    assert 'aria-label="Code &lt;of&gt; the bank"' in picture
    assert ">₴</text>" in picture
