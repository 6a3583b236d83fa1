"""Made-up payees, and a picture of a payment code for an independent reader (zxing-cpp)."""

from __future__ import annotations

import random

import zxingcpp

from registration.engine.payee import Payee
from registration.engine.payment_codes import PaymentOrder
from registration.qr import QUIET
from tourney.kernel.money import Money

RUSSIAN = "абвгдеёжзийклмнопрстуфхцчшщъыьэюя"
UKRAINIAN = "абвгґдеєжзиіїйклмнопрстуфхцчшщьюя’"
REFERENCE = "23456789ACEFGHJKLMNPQRTWXY"


def random_order(chance: random.Random, currency: str) -> PaymentOrder:
    """Return an order as organizers write them: quotes, numbers, long names, the odd separator."""
    letters = RUSSIAN if currency == "RUB" else UKRAINIAN

    def word(low: int, high: int) -> str:
        text = "".join(chance.choice(letters) for _ in range(chance.randint(low, high)))
        return text.capitalize()

    def figures(count: int) -> str:
        return "".join(chance.choice("0123456789") for _ in range(count))

    title = " ".join(word(3, 12) for _ in range(chance.randint(1, 4)))
    reference = "".join(chance.choice(REFERENCE) for _ in range(6))
    sign = chance.choice(["", "|", ";", " № 7", " – “B”", " = 5 %"])
    payee = Payee(
        name=f"ГО «{title}»",
        short_name=f"«{word(3, 8)}»",
        bank=f"{word(4, 14)} № {figures(4)}, г. {word(4, 10)}",
        inn=figures(10),
        kpp=figures(9),
        bic=figures(9),
        account=figures(20),
        correspondent=figures(20),
        iban=f"UA{figures(27)}",
        edrpou=figures(8),
    )
    purpose = f"Внесок за {word(3, 14)} {word(3, 10)}{sign}, {reference}"
    return PaymentOrder(payee, Money(chance.randint(1, 9_999_999), currency), purpose, reference)


def read_picture(rows: tuple[bytes, ...], *, scale: int = 3, hole: float = 0.0) -> list[str]:
    """Return what an independent reader finds in the drawn rows; `hole`: a white disc of this part of the side."""
    side = (len(rows) + 2 * QUIET) * scale
    pixels = bytearray(b"\xff" * (side * side))
    middle, radius = side / 2, len(rows) * scale * hole / 2
    for y, row in enumerate(rows):
        for x, dot in enumerate(row):
            for dy in range(scale if dot else 0):
                top = (y + QUIET) * scale + dy
                for left in range((x + QUIET) * scale, (x + QUIET + 1) * scale):
                    if (left + 0.5 - middle) ** 2 + (top + 0.5 - middle) ** 2 >= radius**2:
                        pixels[top * side + left] = 0
    picture = memoryview(bytes(pixels)).cast("B", (side, side))
    return [found.text for found in zxingcpp.read_barcodes(picture, formats=zxingcpp.BarcodeFormat.QRCode)]
