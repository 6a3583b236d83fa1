"""Random tournaments, every round of them paired by two programs: this engine and the package gacrux.

    python bench/compare_pairing.py --gacrux /path/to/env/bin/python [--first 1] [--count 100] [--sizes 5-60]
                                    [--small-more] [--keep DIR]
    python bench/compare_pairing.py --own [--first 1] [--count 100] [--sizes 5-60] [--small-more]

A seed says everything about its tournament: size, rounds, how often somebody is absent, asks for a bye, comes late or
leaves, forfeits, forbidden pairs, acceleration, what the bye is worth. Each is simulated with this engine and then
checked by the other one; what differs is printed with its seed and round. `--own` checks with this engine instead: the
file is written, read and paired again, so that nothing the pairing depends on is lost in the file. With `--small-more`
sizes are spread evenly over their logarithms: as many of 5–10 players as of 100–200 (hard rounds are the small ones,
and the other program's time goes to the large). Exit status 1 when anything differs.
"""

# ruff: noqa: T201 -- a script prints
from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from swiss.engine.check import check  # noqa: E402 -- the folder above must be known first
from swiss.engine.simulate import Habits, simulate  # noqa: E402
from tourney.kernel.chance import Chance  # noqa: E402
from tourney.kernel.points import HALF, ONE, ZERO  # noqa: E402
from tourney.kernel.trf import Trf, dump, parse  # noqa: E402

BATCH = 20


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--gacrux", type=Path, help="Python of an environment with gacrux")
    parser.add_argument("--own", action="store_true", help="check with this engine instead")
    parser.add_argument("--first", type=int, default=1, help="the first seed")
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--sizes", default="5-60", help="fewest and most players")
    parser.add_argument("--small-more", action="store_true", help="spread the sizes evenly over their logarithms")
    parser.add_argument("--keep", type=Path, help="folder for the files that differ")
    asked = parser.parse_args()
    if bool(asked.gacrux) == asked.own:
        parser.error("give --gacrux PYTHON or --own")
    low, high = (int(size) for size in asked.sizes.split("-"))
    seeds = range(asked.first, asked.first + asked.count)
    tournaments = rounds = different = 0
    with tempfile.TemporaryDirectory() as folder:
        answers = (
            by_own(seeds, low, high, asked.small_more)
            if asked.own
            else by_gacrux(asked.gacrux, Path(folder), seeds, low, high, asked.small_more)
        )
        for seed, trf, answer in answers:
            tournaments += 1
            if "error" in answer:
                different += 1
                print(f"seed {seed}: {answer['error']}", flush=True)
                continue
            rounds += answer["rounds"]
            for number, in_file, by_other in answer["differences"]:
                different += 1
                print(f"seed {seed} round {number}: here {in_file}, there {by_other}", flush=True)
            if answer["differences"] and asked.keep:
                asked.keep.mkdir(parents=True, exist_ok=True)
                (asked.keep / f"seed_{seed}.trf").write_text(dump(trf), encoding="utf-8")
    print(
        f"seeds {seeds[0]}–{seeds[-1]}, {low}–{high} players: "
        f"{tournaments} tournaments, {rounds} rounds, {different} differences"
    )
    return int(different > 0)


def tournament(seed: int, low: int, high: int, small_more: bool) -> Trf:
    """Return the tournament of a seed."""
    chance = Chance.labelled(seed, "bench.compare")

    def one_of(*values: Any) -> Any:
        return values[chance.below(len(values))]

    if small_more:
        players = round(low * (high / low) ** (chance.below(10**6) / 10**6))
    else:
        players = low + chance.below(high - low + 1)
    most = max(3, players - 1 + players % 2 - one_of(0, 1, 2, 3))
    rounds = min(one_of(4, 5, 6, 7, 8, 9, 9, 11), most)
    habits = Habits(
        draw=one_of(100, 300, 600),
        forfeit=one_of(0, 20, 60),
        absent=one_of(0, 30, 80),
        half_bye=one_of(0, 15, 50),
        full_bye=one_of(0, 0, 5, 20),
        late=one_of(0, 30, 150),
        withdraw=one_of(0, 10, 40),
        forbidden_groups=one_of(0, 0, 0, 1, 3),
        baku=chance.below(100) < 15,
        pairing_bye=one_of(ONE, ONE, ONE, ONE, HALF, ZERO),
    )
    return simulate(players, rounds, seed, habits)


def by_own(seeds: range, low: int, high: int, small_more: bool) -> Iterator[tuple[int, Trf, dict[str, Any]]]:
    for seed in seeds:
        made = tournament(seed, low, high, small_more)
        trf = parse(dump(made).encode())
        results = list(check(trf))
        differences = [
            [result.number, list(result.only_in_file), result.error or list(result.only_by_engine)]
            for result in results
            if not result.agrees
        ]
        yield seed, made, {"rounds": len(results), "differences": differences}


def by_gacrux(
    python: Path, folder: Path, seeds: range, low: int, high: int, small_more: bool
) -> Iterator[tuple[int, Trf, dict[str, Any]]]:
    script = str(Path(__file__).with_name("peer_gacrux.py"))
    with subprocess.Popen(
        [str(python), script], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as other:
        if other.stdin is None or other.stdout is None:
            raise SystemExit("the other program has no pipes")
        for start in range(0, len(seeds), BATCH):
            made = []
            for seed in seeds[start : start + BATCH]:
                trf = tournament(seed, low, high, small_more)
                file = folder / f"seed_{seed}.trf"
                file.write_text(dump(trf), encoding="utf-8")
                other.stdin.write(f"{json.dumps({'file': str(file)})}\n")
                made.append((seed, trf, file))
            other.stdin.flush()
            for seed, trf, file in made:
                line = other.stdout.readline()
                if not line:
                    raise SystemExit(f"the other program ended at seed {seed}")
                yield seed, trf, json.loads(line)
                file.unlink()


if __name__ == "__main__":
    sys.exit(main())
