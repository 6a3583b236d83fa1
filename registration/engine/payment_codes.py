"""What a payment code says: the Russian GOST R 56042-2014 text and the Ukrainian NBU link, from plain values.

Both are texts a bank's app reads from a square of dots; drawing the square is not decided here. Limits are those on
which the public libraries for both formats agree; a text that breaks one is refused or shortened, never cut in the
middle of what a payment is found by.
"""

from __future__ import annotations

import base64
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from registration.engine.payee import Payee
from tourney.kernel.errors import TourneyError
from tourney.kernel.money import Money

# -- Russia: GOST R 56042-2014 ---------------------------------------------------------------------------------------

RussianEncoding = Literal["1", "2", "3"]
_RUSSIAN_CODECS: dict[RussianEncoding, str] = {"1": "cp1251", "2": "utf-8", "3": "koi8-r"}
_REQUIRED_BYTES = 300  # of the block of five required fields, without the header
_SEPARATORS = "|;~#^"  # the standard lets the separator be chosen; apps have seen the first one most
_LONGEST = {"Name": 160, "BankName": 45, "Purpose": 160}


@dataclass(frozen=True, slots=True)
class PaymentOrder:
    """What a payer is asked to send. `amount` None leaves the sum to the payer."""

    payee: Payee
    amount: Money | None
    purpose: str
    reference: str = ""


def russian_code(order: PaymentOrder, encoding: RussianEncoding = "2") -> str:
    """Return the text of a Russian payment code (``ST00012|Name=…``); the sum is in kopecks.

    The full name of the payee is used where it fits into the required block, else the short one. Raises TourneyError
    ``code.incomplete`` (a required field is missing), ``code.too_long``, ``code.other_currency``, ``code.bad_sign``.
    """
    payee = order.payee
    if order.amount is not None and order.amount.currency != "RUB":
        raise TourneyError("code.other_currency", currency="RUB")
    if not (payee.name or payee.short_name) or not (payee.account and payee.bank and payee.bic):
        raise TourneyError("code.incomplete")
    optional = [("PayeeINN", payee.inn), ("KPP", payee.kpp)]
    if order.amount is not None:
        optional.append(("Sum", str(order.amount.minor)))
    optional.append(("Purpose", order.purpose))
    for name in dict.fromkeys(name for name in (payee.name, payee.short_name) if name):
        required = [
            ("Name", name),
            ("PersonalAcc", payee.account),
            ("BankName", _short_bank(payee.bank)),
            ("BIC", payee.bic),
            ("CorrespAcc", payee.correspondent or "0"),
        ]
        text = _joined(required, [pair for pair in optional if pair[1]], encoding)
        if text is not None:
            return text
    raise TourneyError("code.too_long")


def _joined(
    required: Sequence[tuple[str, str]], optional: Sequence[tuple[str, str]], encoding: RussianEncoding
) -> str | None:
    """Return the whole text, or None when the required block is too long for the standard."""
    values = [value for _key, value in (*required, *optional)]
    if any(sign in value for value in values for sign in "\r\n"):
        raise TourneyError("code.bad_sign")
    separator = next((sign for sign in _SEPARATORS if not any(sign in value for value in values)), None)
    if separator is None:
        raise TourneyError("code.bad_sign")
    if any(len(value) > _LONGEST.get(key, len(value)) for key, value in (*required, *optional)):
        return None
    codec = _RUSSIAN_CODECS[encoding]
    block = separator.join(f"{key}={value}" for key, value in required)
    try:
        size = len(block.encode(codec))
    except UnicodeEncodeError as error:
        raise TourneyError("code.bad_sign") from error
    if size > _REQUIRED_BYTES:
        return None
    rest = "".join(f"{separator}{key}={value}" for key, value in optional)
    return f"ST0001{encoding}{separator}{block}{rest}"


def _short_bank(name: str) -> str:
    """Return a bank's name within the limit: without its town first, else cut; the BIC says which bank it is."""
    while len(name) > _LONGEST["BankName"] and "," in name:
        name = name.rpartition(",")[0].rstrip()
    return name[: _LONGEST["BankName"]].rstrip()


# -- Ukraine: the link of the National Bank --------------------------------------------------------------------------

NbuVersion = Literal["002", "003"]
NbuEncoding = Literal["1", "2"]
_NBU_CODECS: dict[NbuEncoding, str] = {"1": "utf-8", "2": "cp1251"}
NBU_HOST = "https://qr.bank.gov.ua/"
_LONGEST_LINK = 507
_NBU_LONGEST = {"name": 140, "reference": 35, "purpose": 420}


def ukrainian_link(order: PaymentOrder, version: NbuVersion = "003", encoding: NbuEncoding = "1") -> str:
    """Return the link of the National Bank of Ukraine (resolution 97 of 2025) that opens a bank's app.

    A link that is too long in UTF-8 is tried with the short name, and then in windows-1251. Raises TourneyError
    ``code.incomplete``, ``code.too_long``, ``code.other_currency``, ``code.bad_sign``.
    """
    payee = order.payee
    if order.amount is not None and order.amount.currency != "UAH":
        raise TourneyError("code.other_currency", currency="UAH")
    if not (payee.name or payee.short_name) or not (payee.iban and payee.edrpou):
        raise TourneyError("code.incomplete")
    encodings: tuple[NbuEncoding, ...] = ("1", "2") if encoding == "1" else ("2",)
    names = [name for name in dict.fromkeys((payee.name, payee.short_name)) if name]
    for chosen in encodings:
        for name in names:
            link = _link(order, name, version, chosen)
            if link is not None:
                return link
    raise TourneyError("code.too_long")


def _link(order: PaymentOrder, name: str, version: NbuVersion, encoding: NbuEncoding) -> str | None:
    """Return the link, or None when it, or a field of it, is too long or can't be written in this encoding."""
    fields = list(_nbu_fields(order, name, version, encoding))
    if any(sign in field for field in fields for sign in "\r\n"):
        raise TourneyError("code.bad_sign")
    longest = _NBU_LONGEST
    if len(name) > longest["name"] or len(order.reference) > longest["reference"]:
        return None
    if len(order.purpose) > longest["purpose"]:
        return None
    try:
        packed = "\n".join(fields).encode(_NBU_CODECS[encoding])
    except UnicodeEncodeError:
        return None
    link = NBU_HOST + base64.urlsafe_b64encode(packed).decode("ascii").rstrip("=")
    return link if len(link) <= _LONGEST_LINK else None


def _nbu_fields(order: PaymentOrder, name: str, version: NbuVersion, encoding: NbuEncoding) -> Iterator[str]:
    """Yield the lines in the bank's order: 13 of format 002, 17 of format 003."""
    yield from ("BCD", version, encoding, "UCT", "")
    yield name
    yield order.payee.iban
    yield _amount(order.amount)
    yield order.payee.edrpou
    yield ""  # category and purpose code
    yield order.reference
    yield order.purpose
    yield ""  # a text for showing
    if version == "003":
        # Field locks, valid until, created, signature: a bank may let the payer change everything whatever is locked,
        # so nothing here is relied upon.
        yield from ("", "", "", "")


def _amount(amount: Money | None) -> str:
    if amount is None:
        return ""
    whole, minor = divmod(amount.minor, 100)
    return f"{amount.currency}{whole}.{minor:02d}" if minor else f"{amount.currency}{whole}"
