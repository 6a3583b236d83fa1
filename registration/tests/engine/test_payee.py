"""Requisites: the printed ones are accepted, and any one wrong digit of theirs is not."""

from __future__ import annotations

import pytest

from registration.engine.payee import is_account, is_correspondent, is_iban, is_inn, is_ogrn, parse
from registration.tests.engine.presets import parsed
from tourney.kernel.errors import RuleError

PRINTED = parsed("youth-championship").payment.payee
IBAN = "UA213223130000026007233566001"


@pytest.mark.clause("M10.4")
def test_printed_requisites_are_accepted():
    assert (PRINTED.inn, PRINTED.kpp, PRINTED.bic) == ("1215193594", "121501001", "048860630")
    assert is_inn(PRINTED.inn)
    assert is_ogrn(PRINTED.ogrn)
    assert is_account(PRINTED.account, PRINTED.bic)
    assert is_correspondent(PRINTED.correspondent, PRINTED.bic)


@pytest.mark.parametrize(
    ("right", "check"),
    [
        (PRINTED.inn, is_inn),
        (PRINTED.account, lambda text: is_account(text, PRINTED.bic)),
        (PRINTED.correspondent, lambda text: is_correspondent(text, PRINTED.bic)),
        (IBAN, is_iban),
    ],
)
def test_one_wrong_digit_is_noticed(right, check):
    assert check(right)
    for place, digit in enumerate(right):
        if digit.isdigit():
            assert not check(right[:place] + str((int(digit) + 1) % 10) + right[place + 1 :])


def test_numbers_of_persons_are_known_too():
    assert is_inn("500100732259")
    assert not is_inn("500100732258")
    assert not is_inn("12345")


def test_iban_is_stored_without_blanks_and_in_capitals():
    assert parse({"iban": "ua21 3223 1300 0002 6007 2335 6600 1"}).iban == IBAN
    assert not is_iban(IBAN[:-1])


@pytest.mark.parametrize("key", ["inn", "kpp", "ogrn", "bic", "account", "correspondent", "iban", "edrpou"])
def test_number_that_cannot_be_right_is_refused_at_its_key(key):
    with pytest.raises(RuleError) as caught:
        parse({key: "12345"})

    assert (caught.value.path, caught.value.code) == (f"payment.payee.{key}", "rule.bad_check_digit")
