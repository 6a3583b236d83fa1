"""Chance of the protocol draw/1 is even: a bounded run of what `bench/draws.py` does a million times."""

from __future__ import annotations

import hashlib
from collections import Counter
from math import factorial
from typing import Any

import pytest

from tourney.kernel.chance import Chance, draw

NAMES = ["Anna", "Bohdan", "Вікторія", "Ганна", "Данило"]
DRAWS = 6_000
# Where honest chance gets to once in a hundred thousand times (upper tail of chi-square, by degrees of freedom).
RARE = {1: 19.51, 4: 28.47, 19: 57.46, 11: 43.21}


def chi_square(counts: Counter[str], results: int) -> float:
    expected = counts.total() / results
    return sum((counts[result] - expected) ** 2 for result in counts) / expected + expected * (results - len(counts))


@pytest.mark.parametrize(
    ("manifest", "results"),
    [
        ({"kind": "coin", "entrants": NAMES[:2]}, 2),
        ({"kind": "pick", "k": 1, "entrants": NAMES}, 5),
        ({"kind": "pick", "k": 2, "entrants": NAMES}, 20),
        ({"kind": "pots", "pots": [NAMES[:2], NAMES[2:]]}, factorial(2) * factorial(3)),
    ],
    ids=["coin", "1 of 5", "2 of 5", "pots"],
)
def test_every_result_is_equally_likely(manifest: dict[str, Any], results: int) -> None:
    counts: Counter[str] = Counter()
    for number in range(DRAWS):
        secret = hashlib.sha256(f"secret of {number}".encode()).hexdigest()
        counts[repr(draw({**manifest, "event": "test", "no": number}, secret, [["Anna", str(number)]]))] += 1

    assert len(counts) == results
    assert chi_square(counts, results) < RARE[results - 1]


def test_a_bare_modulo_would_be_noticed() -> None:
    """The test can fail: words of 4 bits with a bare modulo of 5 favour the first result."""
    chance = Chance.labelled(1, "modulo")

    counts = Counter(str(chance.below(16) % 5) for _ in range(DRAWS))

    assert chi_square(counts, 5) > RARE[4]
