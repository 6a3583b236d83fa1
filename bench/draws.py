"""A million draws by the protocol draw/1: is every result equally likely?

    python bench/draws.py [--draws 1000000] [--first 1]

Every draw is a whole one: manifest, secret and public numbers of its own, numbered from `--first`. Results are counted
and held against an even spread by Pearson's chi-square; `p` is how often honest chance is at least that uneven. Exit
status 1 when one p lies below 0.0001.
"""

# ruff: noqa: T201 -- a script prints
from __future__ import annotations

import argparse
import hashlib
import sys
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from math import erfc, exp, factorial, lgamma, log, sqrt
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from tourney.kernel.chance import draw  # noqa: E402 -- the folder above must be known first

TOO_UNEVEN = 0.0001
NAMES = ["Anna", "Bohdan", "Вікторія", "Ганна", "Данило", "Elena", "Фёдор"]
# What is drawn, the manifest, and how many results there are.
KINDS: list[tuple[str, dict[str, Any], int]] = [
    ("colour: one of two", {"kind": "coin", "entrants": NAMES[:2]}, 2),
    ("lottery: 1 of 7", {"kind": "pick", "k": 1, "entrants": NAMES}, 7),
    ("lottery: 2 of 5, in order", {"kind": "pick", "k": 2, "entrants": NAMES[:5]}, 20),
    ("pots of 3 and 4", {"kind": "pots", "pots": [NAMES[:3], NAMES[3:]]}, factorial(3) * factorial(4)),
]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--draws", type=int, default=1_000_000, help="draws of each kind")
    parser.add_argument("--first", type=int, default=1, help="the number of the first draw")
    asked = parser.parse_args()
    print(f"{'drawn':28} {'draws':>9} {'results':>8} {'rarest':>8} {'commonest':>9} {'chi²':>8} {'p':>7}  seconds")
    bad = False
    for title, manifest, results in KINDS:
        before = time.perf_counter()
        counts = spread(manifest, asked.draws, asked.first)
        chi = chi_square(list(counts.values()), results)
        p = tail(chi, results - 1)
        bad = bad or p < TOO_UNEVEN or len(counts) > results
        rarest = min(counts.values()) if len(counts) == results else 0
        print(
            f"{title:28} {asked.draws:9} {results:8} {rarest:8} {max(counts.values()):9} {chi:8.1f} {p:7.4f} "
            f"{time.perf_counter() - before:8.0f}",
            flush=True,
        )
    return int(bad)


def spread(manifest: Mapping[str, Any], draws: int, first: int) -> Counter[str]:
    """Return how often each result came out of draws numbered from `first`."""
    counts: Counter[str] = Counter()
    for number in range(first, first + draws):
        secret = hashlib.sha256(f"secret of {number}".encode()).hexdigest()
        numbers = [{"who": "Anna", "n": number}, {"who": "Bohdan", "n": number % 97}]
        counts[repr(draw({**manifest, "event": "bench", "no": number}, secret, numbers))] += 1
    return counts


def chi_square(counts: Sequence[int], results: int) -> float:
    """Return Pearson's statistic of counts against an even spread; results that never came count as nought."""
    expected = sum(counts) / results
    return sum((count - expected) ** 2 for count in counts) / expected + expected * (results - len(counts))


def tail(chi: float, degrees: int) -> float:
    """Return the probability that honest chance gives at least this statistic (the upper incomplete gamma function)."""
    half = chi / 2
    if degrees % 2:
        total, term = erfc(sqrt(half)), exp(-half + 0.5 * log(half) - lgamma(1.5)) if half else 0.0
        steps = [k + 1.5 for k in range((degrees - 1) // 2)]
    else:
        total, term = 0.0, exp(-half)
        steps = [k + 1.0 for k in range(degrees // 2)]
    for step in steps:
        total += term
        term *= half / step
    return min(1.0, total)


if __name__ == "__main__":
    sys.exit(main())
