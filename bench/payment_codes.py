"""A thousand made-up payees: each payment code is drawn, read by an independent reader, and must say the same.

``python bench/payment_codes.py [COUNT]``. Half the orders are Russian (GOST R 56042-2014), half Ukrainian (NBU 003,
with the white disc for the sign of the hryvnia cut out of the middle).
"""

# ruff: noqa: S311, T201 -- a script: chance needs a seed, and it prints
from __future__ import annotations

import random
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from registration.engine.payment_codes import russian_code, ukrainian_link
from registration.qr import DISC, dots
from registration.tests.payment_codes import random_order, read_picture

SEED = 20260125


def main(count: int) -> int:
    started, wrong, largest = time.perf_counter(), 0, 0
    for number in range(count):
        currency = ("RUB", "UAH")[number % 2]
        order = random_order(random.Random(f"{SEED} {number}"), currency)
        text = russian_code(order) if currency == "RUB" else ukrainian_link(order)
        rows = dots(text)
        largest = max(largest, len(rows))
        if read_picture(rows, hole=DISC if currency == "UAH" else 0.0) != [text]:
            wrong += 1
            print(f"order {number}: {text!r} came back differently")
    print(f"{count} codes, {wrong} wrong, largest {largest} dots a side, {time.perf_counter() - started:.1f} s")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else 1000))
