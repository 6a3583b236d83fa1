"""Bank files of four layouts, in their encodings and with their traps: what is read, and what is a fault and where."""

from __future__ import annotations

import datetime as dt
import unicodedata

import pytest

from registration.engine.statements import Fault, Movement, Statement, keys_of, read
from registration.engine.statements.texts import minor_units, moment
from registration.tests.engine.presets import KYIV, MOSCOW, rub, uah
from tourney.kernel.errors import TourneyError

OURS = "40703810837000000411"
EXCHANGE = f"""1CClientBankExchange
ВерсияФормата=1.03
Кодировка=Windows
РасчСчет={OURS}
СекцияРасчСчет
ДатаНачала=19.08.2021
РасчСчет={OURS}
НачальныйОстаток=1000.00
ВсегоПоступило=750.00
ВсегоСписано=100.00
КонечныйОстаток=1650.00
КонецРасчСчет
СекцияДокумент=Платежное поручение
Номер=17
Дата=20.08.2021
Сумма=500.00
ДатаСписано=
ДатаПоступило=23.08.2021
Плательщик=ИНН 121500000000 Смирнова Анна Ивановна
ПлательщикСчет=40817810000000000001
ПолучательСчет={OURS}
НазначениеПлатежа=Турнирный взнос за Смирнова О=К, НДС не облагается. K7Q2M
КонецДокумента
СекцияДокумент=Банковский ордер
Номер=18
Дата=24.08.2021
Сумма=250.00
ДатаПоступило=24.08.2021
Плательщик1=Кузнецов П.
ПлательщикРасчСчет=40817810000000000002
ПолучательРасчСчет={OURS}
НазначениеПлатежа=
НазначениеПлатежа1=Взнос
НазначениеПлатежа2=за Кузнецова
КонецДокумента
СекцияДокумент=Платежное поручение
Номер=19
Дата=24.08.2021
Сумма=100.00
ДатаСписано=24.08.2021
ПлательщикСчет={OURS}
ПолучательСчет=40702810000000000003
НазначениеПлатежа=Аренда зала
КонецДокумента
КонецФайла
"""
SMIRNOVA = Movement(
    line=13,
    paid_on=dt.date(2021, 8, 20),
    amount=rub(500),
    payer="Смирнова Анна Ивановна",
    payer_account="40817810000000000001",
    purpose="Турнирный взнос за Смирнова О=К, НДС не облагается. K7Q2M",
    number="17",
    account=OURS,
)
KUZNETSOV = Movement(
    line=24,
    paid_on=dt.date(2021, 8, 24),
    amount=rub(250),
    payer="Кузнецов П.",
    payer_account="40817810000000000002",
    purpose="Взнос за Кузнецова",
    number="18",
    account=OURS,
)
IBAN = "UA213223130000026007233566001"
PRIVAT_HEAD = (
    "ЄДРПОУ;МФО;Рахунок;Валюта;Номер документу;Дата операції;МФО банку;Назва банку;Рахунок кореспондента;"
    "ЄДРПОУ кореспондента;Кореспондент;Сума;Призначення платежу"
)


def privat(*rows: str) -> str:
    return "\n".join([PRIVAT_HEAD, *rows, ""])


def privat_row(amount: str, payer: str, purpose: str, *, on: str = "20.01.2026", currency: str = "UAH") -> str:
    return f"40720198;305299;{IBAN};{currency};5;{on};305299;Банк;UA00;1234567890;{payer};{amount};{purpose}"


def read_ru(raw: bytes) -> Statement:
    return read(raw, currency="RUB", zone=MOSCOW)


def read_ua(text: str, encoding: str = "utf-8") -> Statement:
    return read(text.encode(encoding), currency="UAH", zone=KYIV)


@pytest.mark.clause("M10.4")
@pytest.mark.parametrize(
    ("declared", "encoding"),
    [("Windows", "cp1251"), ("DOS", "cp866"), ("Windows", "utf-8-sig"), ("UTF-8", "utf-8"), ("Windows", "utf-8")],
)
def test_exchange_of_1c_in_every_encoding(declared: str, encoding: str):
    text = EXCHANGE.replace("Кодировка=Windows", f"Кодировка={declared}")
    assert read_ru(text.encode(encoding)) == Statement("1c", (SMIRNOVA, KUZNETSOV), outgoing=1)


def test_exchange_with_windows_line_ends():
    assert read_ru(EXCHANGE.replace("\n", "\r\n").encode("cp1251")).movements == (SMIRNOVA, KUZNETSOV)


def test_cut_off_exchange_keeps_what_it_has_and_says_so():
    cut = EXCHANGE[: EXCHANGE.index("НазначениеПлатежа1=")]
    found = read_ru(cut.encode("cp1251"))
    assert [movement.number for movement in found.movements] == ["17", "18"]
    assert [(warning.code, warning.line) for warning in found.warnings] == [("statement.cut_off", 32)]


def test_exchange_whose_balances_do_not_follow_warns():
    lost = EXCHANGE.replace("ВсегоПоступило=750.00", "ВсегоПоступило=950.00")
    codes = [(warning.column, warning.line) for warning in read_ru(lost.encode("cp1251")).warnings]
    assert codes == [("КонечныйОстаток", 5), ("ВсегоПоступило", 5)]


def test_exchange_faults_name_line_and_key():
    wrong = EXCHANGE.replace("Сумма=500.00", "Сумма=5OO").replace(
        "Дата=24.08.2021\nСумма=250", "Дата=32.08.2021\nСумма=250"
    )
    found = read_ru(wrong.encode("cp1251"))
    assert found.movements == ()
    assert found.faults == (
        Fault(16, "Сумма", "statement.no_amount", "5OO"),
        Fault(26, "Дата", "statement.no_date", "32.08.2021"),
    )


def test_exchange_without_our_account_goes_by_the_dates():
    text = EXCHANGE.replace(f"РасчСчет={OURS}\n", "")
    assert [movement.number for movement in read_ru(text.encode("cp1251")).movements] == ["17", "18"]


@pytest.mark.clause("K4.3")
@pytest.mark.parametrize("encoding", ["cp1251", "utf-8", "utf-8-sig", "utf-16"])
def test_privatbank_with_signs_and_separators(encoding: str):
    text = privat(
        privat_row("1 100,50", '"Іваненко ""Олег"""', '"Внесок; K7Q2M"'),
        privat_row("-300,00", "Орендар", "оренда"),
        "",
    )
    movement = Movement(
        line=2,
        paid_on=dt.date(2026, 1, 20),
        amount=uah("1100.50"),
        payer='Іваненко "Олег"',
        payer_account="UA00",
        purpose="Внесок; K7Q2M",
        number="5",
        account=IBAN,
    )
    assert read_ua(text, encoding) == Statement("privatbank", (movement,), outgoing=1)


def test_monobank_with_the_latin_letter_of_its_heading():
    text = (
        '"Дата i час операції","Деталі операції",MCC,"Сума в валюті картки (UAH)","Сума в валюті операції",Валюта\n'
        '"20.01.2026 23:59:59","Від: Олег Іваненко K7Q2M",4829,100.0,100.0,UAH\n'
        '"21.01.2026 00:00:01","Кава",5814,-85.5,-85.5,UAH\n'
    )
    moment_paid = dt.datetime(2026, 1, 20, 23, 59, 59, tzinfo=KYIV)
    found = read_ua(text)
    assert found == Statement(
        "monobank", (Movement(2, moment_paid, uah(100), purpose="Від: Олег Іваненко K7Q2M"),), outgoing=1
    )


def test_ibank_with_debit_and_credit_apart():
    head = (
        "ЄДРПОУ;МФО;Рахунок;Валюта;Дата операції;Код операції;МФО банка;Назва банка;Рахунок кореспондента;"
        "ЄДРПОУ кореспондента;Назва кореспондента;Номер документа;Дата документа;Дебет;Кредит;Призначення платежу"
    )
    row = "40720198;322313;{0};980;20.01.2026;6;305299;Банк;UA11;;Іваненко;9;20.01.2026;{1};{2};Внесок"
    text = "\n".join([head, row.format(IBAN, "", "600.00"), row.format(IBAN, "20.00", "")])
    found = read_ua(text, "cp1251")
    assert (found.form, found.outgoing) == ("ibank", 1)
    assert found.movements == (
        Movement(2, dt.date(2026, 1, 20), uah(600), "Іваненко", "UA11", "Внесок", number="9", account=IBAN),
    )


def test_letters_in_two_pieces_and_of_another_script_are_the_same_heading():
    mixed = PRIVAT_HEAD.replace("Призначення", "Пpизнaчeння").replace(
        "операції", unicodedata.normalize("NFD", "операції")
    )
    assert read_ua(privat(privat_row("1", "А", "Б")).replace(PRIVAT_HEAD, mixed)).form == "privatbank"


def test_lines_above_the_heading_and_a_foot_below_do_no_harm():
    text = "Виписка за рахунком;;;\n;;;\n" + privat(privat_row("1", "А", "Б"), ";;;;;;;;;;;1,00;Разом")
    found = read_ua(text)
    assert ([movement.line for movement in found.movements], found.faults) == ([4], ())


def test_table_faults_name_line_and_column_and_zero_is_no_payment():
    text = privat(
        privat_row("сто", "А", "Б"),
        privat_row("0,00", "А", "Б"),
        privat_row("—", "А", "Б"),
        privat_row("10", "А", "Б", on="вчора"),
        privat_row("10,005", "А", "Б"),
    )
    found = read_ua(text)
    assert found.movements == ()
    assert [(fault.line, fault.column, fault.code, fault.got) for fault in found.faults] == [
        (2, "Сума", "statement.no_amount", "сто"),
        (3, "Сума", "statement.no_amount", "0,00"),
        (4, "Сума", "statement.no_amount", "—"),
        (5, "Дата операції", "statement.no_date", "вчора"),
        (6, "Сума", "statement.no_amount", "10,005"),
    ]


@pytest.mark.parametrize(
    ("raw", "code"),
    [
        (b"", "statement.empty"),
        (b" \r\n ", "statement.empty"),
        (b"%PDF-1.7\n\0\0", "statement.unknown_form"),
        (b"PK\x03\x04\0\0", "statement.unknown_form"),
        (b"\x89PNG\r\n\x1a\n\0\0", "statement.unknown_form"),
        ("ім’я;рік\nОлег;2010\n".encode(), "statement.unknown_form"),
        (b"x" * 5_000_001, "statement.too_large"),
    ],
)
def test_what_is_no_statement_is_refused_in_words(raw: bytes, code: str):
    with pytest.raises(TourneyError) as caught:
        read(raw, currency="UAH", zone=KYIV)
    assert caught.value.code == code


@pytest.mark.parametrize(
    ("text", "minor"),
    [
        ("10 000,50", 1_000_050),
        ("10\u00a0000,5", 1_000_050),
        ("10\u2009000", 1_000_000),
        ("1,234.56", 123_456),
        ("1.234,56", 123_456),
        ("−5", -500),
        ("-5.00", -500),
        ("—", None),
        ("", None),
    ],
)
def test_amounts_in_every_notation(text: str, minor: int | None):
    assert minor_units(text) == minor


@pytest.mark.parametrize("text", ["NaN", "1e99", "12,345", "Infinity", "1 000 грн", "1-2"])
def test_what_is_no_amount(text: str):
    with pytest.raises(ValueError):
        minor_units(text)


def test_dates_in_every_notation():
    assert moment("01.02.26", KYIV) == dt.date(2026, 2, 1) == moment("2026-02-01", KYIV)
    assert moment("1/2/2026 9:05", KYIV) == dt.datetime(2026, 2, 1, 9, 5, tzinfo=KYIV)
    with pytest.raises(ValueError):
        moment("2026-02-30", KYIV)


def test_two_payers_alike_in_sum_and_day_have_different_keys():
    text = privat(
        privat_row("100", "Іваненко Олег", "Внесок"),
        privat_row("100", "Петренко Олег", "Внесок"),
        privat_row("100", "Петренко Олег", "Внесок"),
    )
    keys = keys_of(read_ua(text).movements)
    assert len(set(keys)) == 3


def test_the_same_payments_in_another_file_have_the_same_keys_whatever_stands_around_them():
    rows = [privat_row("100", "Петренко Олег", "Внесок"), privat_row("100", "Петренко Олег", "Внесок")]
    other = privat_row("55", "Іваненко Олег", "Внесок")
    twice = [row.replace("Внесок", unicodedata.normalize("NFD", "ВНЕСОК")) for row in rows]
    first = keys_of(read_ua(privat(*rows)).movements)
    again = keys_of(read_ua(privat(other, *twice)).movements)
    assert again[1:] == first


def test_the_number_of_the_bank_decides_where_there_is_one():
    def one(payer: str, number: str) -> Movement:
        return Movement(1, dt.date(2026, 1, 20), uah(100), payer=payer, account=IBAN, bank_id=number)

    keys = keys_of([one("А", "R1"), one("Б", "R1"), one("А", "R2")])
    assert len({keys[0], keys[2]}) == 2
    assert keys_of([one("Б", "R1")]) == keys[:1]
