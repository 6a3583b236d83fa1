"""Random finished tournaments, every tie-break of them worked out by two programs: this engine and the package gacrux.

    python bench/compare_tiebreaks.py --gacrux /path/to/env/bin/python [--first 1] [--count 100] [--sizes 5-150]
                                      [--keep DIR]

A seed says everything about its event: Swiss or round robin, size (spread evenly over the logarithms), every kind of
absence, what the bye is worth, unrated players. Each is ranked under both editions of the rules; every tie-break the
two programs share is compared for every player, and so are the ranks of two random orders with direct encounter in
them.

What differs is printed with its seed, edition and code; exit status 1 when anything does. Nothing is filtered; only
two habits of the other program are allowed for: after Fore Buchholz it computes other kinds of Buchholz too low, so
Fore Buchholz is asked for last, and it calls the rank of a player alone in direct encounter 0.
"""

# ruff: noqa: T201 -- a script prints
from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from decimal import ROUND_HALF_UP, Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from random_events import Event, event  # noqa: E402

from prizes.engine.ranking import Ranking, rank  # noqa: E402 -- the folder above must be known first
from prizes.engine.tiebreaks import Edition  # noqa: E402
from tourney.kernel.chance import Chance  # noqa: E402
from tourney.kernel.trf import dump, parse  # noqa: E402

BATCH = 10
EDITIONS: dict[Edition, str] = {"2026": "2026/03/01", "2023": "2026/02/28"}  # with the start dates that choose them

SWISS = (
    "PTS DE DE/P WIN WON BPG BWG REP STD PS PS/C1 PS/C2 PS/C3 BH BH/C1 BH/C2 BH/M1 BH/M2 BH/P AOB "
    "SB SB/C1 SB/C2 SB/M1 SB/M2 SB/P ARO ARO/C1 ARO/C2 TPR PTP APRO APPO RTNG RTNG/R TPN TPN/R"
)
LAST = "FB FB/C1 FB/C2 FB/M1 FB/M2"  # whatever is computed after these is wrong over there
ROUND_ROBIN = "PTS DE WIN WON BPG BWG STD PS PS/C1 SB SB/C1 SB/C2 KS ARO ARO/C1 TPR PTP APRO APPO RTNG TPN"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--gacrux", type=Path, required=True, help="Python of an environment with gacrux")
    parser.add_argument("--first", type=int, default=1, help="the first seed")
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--sizes", default="5-150", help="fewest and most players of a Swiss")
    parser.add_argument("--keep", type=Path, help="folder for the files that differ")
    parser.add_argument("--progress", type=int, default=500, help="say how far it is after so many events")
    asked = parser.parse_args()
    low, high = (int(size) for size in asked.sizes.split("-"))
    seeds = range(asked.first, asked.first + asked.count)
    total: Counter[str] = Counter()
    started = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        for seed, made, edition, answer in answers(asked.gacrux, Path(folder), seeds, low, high):
            found = compare(seed, made, edition, answer, total)
            for line in found:
                total["differences"] += 1
                print(f"seed {seed} {made.kind} {edition}: {line}", flush=True)
            if found and asked.keep:
                asked.keep.mkdir(parents=True, exist_ok=True)
                (asked.keep / f"seed_{seed}_{edition}.trf").write_text(text_of(made, edition), encoding="utf-8")
            if edition == "2023":
                total["events"] += 1
                total[made.kind] += 1
                if total["events"] % asked.progress == 0:
                    print(f"… {summary(total)}, {time.monotonic() - started:.0f} s", flush=True)
    print(f"seeds {seeds[0]}–{seeds[-1]}: {summary(total)}")
    return int(total["differences"] > 0)


def summary(total: Counter[str]) -> str:
    kinds = ", ".join(f"{total[kind]} {kind}" for kind in ("paired", "wild", "round_robin"))
    return (
        f"{total['events']} events in both editions ({kinds}), {total['values']} values, "
        f"{total['ranks']} ranks, {total['differences']} differences"
    )


def orders_of(seed: int, made: Event, edition: Edition) -> list[list[str]]:
    """Return every shared tie-break as one order, then two random orders in which direct encounter has a say."""
    chance = Chance.labelled(seed, f"bench.orders/{edition}")
    swiss = made.system == "swiss"
    codes = (SWISS if swiss else ROUND_ROBIN).split()
    last = LAST.split() if swiss else []
    whole = [*codes, *last]
    if edition == "2023":  # the other edition changes nothing else, and ratings are what takes the time over there
        whole = [code for code in whole if code.split("/")[0] in ("PTS", "DE", "BH", "FB", "AOB", "SB", "STD", "WIN")]
    orders = [whole]
    others = [code for code in codes if code not in ("PTS", "DE", "DE/P")]
    for _ in range(2):
        order = chance.shuffle(others)[: 1 + chance.below(4)]
        order.insert(chance.below(2), ("DE", "DE", "DE/P" if swiss else "DE")[chance.below(3)])
        if chance.below(3) == 0 and "DE" in order:
            order.append("DE")
        if swiss and chance.below(4) == 0:
            order.append(last[chance.below(len(last))])
        orders.append((["PTS"] if chance.below(8) else []) + order)
    return orders


def text_of(made: Event, edition: Edition) -> str:
    return dump(replace(made.trf, header={**made.trf.header, "042": EDITIONS[edition]}))


def answers(
    python: Path, folder: Path, seeds: range, low: int, high: int
) -> Iterator[tuple[int, Event, Edition, dict[str, Any]]]:
    script = str(Path(__file__).with_name("peer_tiebreaks.py"))
    with subprocess.Popen(
        [str(python), script], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as other:
        if other.stdin is None or other.stdout is None:
            raise SystemExit("the other program has no pipes")
        for start in range(0, len(seeds), BATCH):
            waiting: list[tuple[int, Event, Edition, Path]] = []
            for seed in seeds[start : start + BATCH]:
                made = event(seed, low, high)
                for edition in EDITIONS:
                    file = folder / f"seed_{seed}_{edition}.trf"
                    file.write_text(text_of(made, edition), encoding="utf-8")
                    request = {"file": str(file), "system": made.system, "unrated": made.unrated}
                    other.stdin.write(f"{json.dumps({**request, 'orders': orders_of(seed, made, edition)})}\n")
                    waiting.append((seed, made, edition, file))
            other.stdin.flush()
            for seed, made, edition, file in waiting:
                line = other.stdout.readline()
                if not line:
                    raise SystemExit(f"the other program ended at seed {seed}")
                yield seed, made, edition, json.loads(line)
                file.unlink()


def compare(seed: int, made: Event, edition: Edition, answer: dict[str, Any], total: Counter[str]) -> list[str]:
    """Return what differs in an event, one line each."""
    if "error" in answer:
        return [answer["error"]]
    history = parse(text_of(made, edition).encode()).history()
    found = []
    for order, theirs in zip(orders_of(seed, made, edition), answer["answers"], strict=True):
        ranking = rank(history, order, edition=edition, system=made.system, unrated=made.unrated)  # type: ignore[arg-type]
        if ranking.dropped:
            raise SystemExit(f"seed {seed}: {ranking.dropped} dropped")
        found += differences(ranking, order, theirs, history.rounds_done, total)
    return found


def differences(
    ranking: Ranking,
    order: Sequence[str],
    theirs: dict[str, Any],
    rounds: int,
    total: Counter[str],
) -> list[str]:
    found = []
    for line in ranking:
        other = theirs[str(line.entry)]
        for value, text in zip(line.values, other["values"], strict=True):
            total["values"] += 1
            mine = digits(value.code, value.value, rounds)
            if value.code in ("DE", "DE/P") and text == "0":
                text = "1"  # alone in the group, or a group the rule can't part
            if mine != text:
                within = f" ({' '.join(order)})" if len(order) < 10 else ""
                found.append(f"{value.code} of {line.entry}: here {mine}, there {text}{within}")
        total["ranks"] += 1
        if other["rank"] != line.rank:
            found.append(f"rank of {line.entry} ({' '.join(order)}): here {line.rank}, there {other['rank']}")
    return found


def digits(code: str, value: int | Fraction | None, rounds: int) -> str | None:
    """Return a value as the other program writes it: means of Buchholz with two decimals, from 9 rounds on three."""
    if value is None:
        return None
    exact = Fraction(value)
    number = Decimal(exact.numerator) / Decimal(exact.denominator)
    if code == "AOB":
        number = number.quantize(Decimal("0.001") if rounds >= 9 else Decimal("0.01"), ROUND_HALF_UP)
    return format(number.normalize(), "f")


if __name__ == "__main__":
    sys.exit(main())
