"""Who is paid: bank requisites and their check digits, so that a wrong figure is found before somebody pays with it."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

from registration.engine.blocks import Block


@dataclass(frozen=True, slots=True)
class Payee:
    """The requisites of an organizer, as text with leading zeros; what a country does not use stays empty."""

    name: str = ""
    short_name: str = ""  # for payment codes, where a long name does not fit
    bank: str = ""
    inn: str = ""
    kpp: str = ""
    ogrn: str = ""
    bic: str = ""
    account: str = ""
    correspondent: str = ""
    iban: str = ""
    edrpou: str = ""


def parse(block: Mapping[str, Any], path: str = "payment.payee") -> Payee:
    """Return the requisites; RuleError ``rule.bad_check_digit`` names a number that cannot be right."""
    node = Block(block, path)
    payee = Payee(**{field.name: node.text(field.name, "").strip() for field in fields(Payee)})
    node.finish()
    compact = re.sub(r"\s", "", payee.iban).upper()
    checks: list[tuple[str, bool]] = [
        ("inn", not payee.inn or is_inn(payee.inn)),
        ("kpp", not payee.kpp or bool(re.fullmatch(r"\d{4}[\dA-Z]{2}\d{3}", payee.kpp))),
        ("ogrn", not payee.ogrn or is_ogrn(payee.ogrn)),
        ("bic", not payee.bic or bool(re.fullmatch(r"\d{9}", payee.bic))),
        ("account", not payee.account or is_account(payee.account, payee.bic)),
        ("correspondent", not payee.correspondent or is_correspondent(payee.correspondent, payee.bic)),
        ("iban", not compact or is_iban(compact)),
        ("edrpou", not payee.edrpou or bool(re.fullmatch(r"\d{8}|\d{10}", payee.edrpou))),
    ]
    for key, right in checks:
        if not right:
            raise node.fail(key, "rule.bad_check_digit", got=getattr(payee, key))
    return Payee(
        **{field.name: getattr(payee, field.name) for field in fields(Payee) if field.name != "iban"}, iban=compact
    )


def is_inn(text: str) -> bool:
    """Say whether a Russian tax number of an organization (10 digits) or a person (12) can be right."""
    head = (3, 7, 2, 4, 10, 3, 5, 9, 4, 6, 8)
    if re.fullmatch(r"\d{10}", text):
        return _weighted(text, head[2:]) % 11 % 10 == int(text[9])
    if re.fullmatch(r"\d{12}", text):
        return _weighted(text, head[1:]) % 11 % 10 == int(text[10]) and _weighted(text, head) % 11 % 10 == int(text[11])
    return False


def is_ogrn(text: str) -> bool:
    """Say whether a Russian registration number (13 digits, 15 for a person in business) can be right."""
    if not re.fullmatch(r"\d{13}|\d{15}", text):
        return False
    return int(text[:-1]) % (len(text) - 2) % 10 == int(text[-1])


def is_account(account: str, bic: str) -> bool:
    """Say whether a Russian account of 20 digits fits its bank."""
    return _keyed(account, bic[-3:], bic)


def is_correspondent(account: str, bic: str) -> bool:
    """Say whether a bank's correspondent account fits its code."""
    return _keyed(account, "0" + bic[4:6], bic)


def is_iban(text: str) -> bool:
    """Say whether an IBAN can be right; a Ukrainian one has 29 characters."""
    if not re.fullmatch(r"[A-Z]{2}\d{2}[A-Z0-9]{11,30}", text) or (text.startswith("UA") and len(text) != 29):
        return False
    return int("".join(str(int(character, 36)) for character in text[4:] + text[:4])) % 97 == 1


def _keyed(account: str, prefix: str, bic: str) -> bool:
    if not re.fullmatch(r"\d{20}", account) or not re.fullmatch(r"\d{9}", bic):
        return False
    return sum(int(digit) * (7, 1, 3)[index % 3] for index, digit in enumerate(prefix + account)) % 10 == 0


def _weighted(text: str, weights: Sequence[int]) -> int:
    return sum(int(digit) * weight for digit, weight in zip(text, weights, strict=False))
