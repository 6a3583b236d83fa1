"""How long the pairing of one round takes, from 12 to 5,000 players, beside other programs when they are there.

    python bench/pairing.py [--sizes 12,30,60,120,250,500,1000,5000] [--files 3] [--repeat 5]
                            [--gacrux /path/to/env/bin/python] [--bbp /path/to/bbpPairings] [--worst]

Tournaments are simulated by seed (5 % absences, forfeits, byes, late entries); the middle round is paired again and
again after one run to warm up, and medians are printed: milliseconds by the clock, of this process's CPU, and peak
memory of a process that does nothing else. `--gacrux` is the Python of an environment with that package (its time is
that of pairing in process, without reading and writing files); `--bbp` a binary (the time of its whole process). Both
are left out above the size of `--peer-limit`. `--worst` adds tournaments in which pairing is hard.
"""

# ruff: noqa: T201 -- a script prints
from __future__ import annotations

import argparse
import json
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import replace
from itertools import pairwise
from math import log
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from swiss.engine.check import pair_next, planned_pairs  # noqa: E402 -- the folder above must be known first
from swiss.engine.simulate import Habits, simulate  # noqa: E402
from tourney.kernel.errors import TourneyError  # noqa: E402
from tourney.kernel.trf import ForbiddenGroup, Trf, TrfPlayer, dump, parse  # noqa: E402

HABITS = Habits(absent=50)
MUST = {12: 2, 30: 3, 60: 8, 120: 20, 250: 60, 500: 200, 1000: 800, 5000: 10_000}  # milliseconds
FIRST_SEED = 1


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes", default="12,30,60,120,250,500,1000,5000")
    parser.add_argument("--files", type=int, default=3, help="tournaments of each size")
    parser.add_argument("--repeat", type=int, default=5, help="runs of each round; the median counts")
    parser.add_argument("--gacrux", type=Path, help="Python of an environment with gacrux")
    parser.add_argument("--bbp", type=Path, help="bbpPairings binary")
    parser.add_argument("--peer-limit", type=int, default=1000, help="largest size the others are asked for")
    parser.add_argument("--worst", action="store_true", help="also tournaments that are hard to pair")
    parser.add_argument("--child", help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.child:
        print(json.dumps(own_times(Path(asked.child), asked.repeat)))
        return 0
    sizes = [int(size) for size in asked.sizes.split(",")]
    with tempfile.TemporaryDirectory() as folder:
        measure(Path(folder), sizes, asked)
        if asked.worst:
            worst(Path(folder), asked.repeat)
    return 0


def rounds_for(players: int) -> int:
    return 7 if players <= 12 else 9


def make(folder: Path, players: int, count: int) -> list[tuple[Path, int]]:
    """Return simulated files of a size with the round to pair; each file says in its header by which seed."""
    rounds = rounds_for(players)
    middle = rounds // 2 + 1
    made = []
    for seed in range(FIRST_SEED, FIRST_SEED + count):
        file = folder / f"n{players}_s{seed}.trf"
        file.write_text(dump(simulate(players, rounds, seed, HABITS)), encoding="utf-8")
        made.append((file, middle))
    return made


# -- one program each ------------------------------------------------------------------------------------------------


def own_times(listing: Path, repeat: int) -> dict[str, Any]:
    """Pair the rounds named in a file of requests; return times, pairs and the peak of memory."""
    results = []
    for one in json.loads(listing.read_text(encoding="utf-8")):
        trf = parse(Path(one["file"]).read_bytes())
        plan = pair_next(trf, one["round"])  # to warm up
        wall, cpu = [], []
        for _ in range(repeat):
            before = time.perf_counter(), time.process_time()
            plan = pair_next(trf, one["round"])
            wall.append((time.perf_counter() - before[0]) * 1000)
            cpu.append((time.process_time() - before[1]) * 1000)
        results.append({"wall": wall, "cpu": cpu, "pairs": sorted(planned_pairs(plan))})
    return {"results": results, "peak": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024}


def own(folder: Path, made: list[tuple[Path, int]], repeat: int) -> dict[str, Any]:
    listing = folder / "listing.json"
    listing.write_text(json.dumps([{"file": str(file), "round": number} for file, number in made]), encoding="utf-8")
    command = [sys.executable, __file__, "--child", str(listing), "--repeat", str(repeat)]
    answer = subprocess.run(command, check=True, capture_output=True, text=True)
    found: dict[str, Any] = json.loads(answer.stdout)
    return found


def gacrux(python: Path, made: list[tuple[Path, int]], repeat: int) -> list[dict[str, Any]]:
    requests = [{"file": str(file), "round": number, "repeat": repeat + 1} for file, number in made]
    lines = "".join(f"{json.dumps(request)}\n" for request in requests)
    script = str(Path(__file__).with_name("peer_gacrux.py"))
    answer = subprocess.run([str(python), script], input=lines, check=True, capture_output=True, text=True)
    return [json.loads(line) for line in answer.stdout.splitlines()]


def bbp(binary: Path, folder: Path, made: list[tuple[Path, int]], repeat: int) -> list[dict[str, Any]]:
    """Time the whole process on a file that ends before the round, with its absences in record 240."""
    results: list[dict[str, Any]] = []
    for file, number in made:
        trf = parse(file.read_bytes())
        cut = replace(trf, players=tuple(shortened(one, number) for one in trf.players), remarks=())
        cut = replace(cut, byes={number: dict(trf.byes_of_round(number))})
        source, out = folder / "bbp.trf", folder / "bbp.txt"
        source.write_text(dump(cut), encoding="utf-8")
        wall, cpu = [], []
        for _ in range(repeat + 1):
            before = time.perf_counter(), resource.getrusage(resource.RUSAGE_CHILDREN)
            done = subprocess.run(
                [str(binary), "--dutch", str(source), "-p", str(out)], check=False, capture_output=True, text=True
            )
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            wall.append((time.perf_counter() - before[0]) * 1000)
            cpu.append((after.ru_utime + after.ru_stime - before[1].ru_utime - before[1].ru_stime) * 1000)
        if done.returncode:
            results.append({"error": (done.stdout + done.stderr).strip()[:200]})
            continue
        rows = [line.split() for line in out.read_text().splitlines()[1:]]
        results.append({"wall": wall, "cpu": cpu, "pairs": [[int(white), int(black)] for white, black in rows]})
    return results


def shortened(player: TrfPlayer, number: int) -> TrfPlayer:
    return replace(player, cells=player.cells[: number - 1], points=None, rank=None)


# -- tables ----------------------------------------------------------------------------------------------------------


def measure(folder: Path, sizes: list[int], asked: argparse.Namespace) -> None:
    print(f"middle round of {asked.files} tournaments each, seeds from {FIRST_SEED}, median of {asked.repeat} runs")
    print(
        "players    own ms      CPU  peak MB   at most"
        + ("    gacrux   times" if asked.gacrux else "")
        + ("       bbp   times" if asked.bbp else ""),
        flush=True,
    )
    growth: list[tuple[int, float]] = []
    for size in sizes:
        made = make(folder, size, asked.files if size < 1000 else 1)
        mine = own(folder, made, asked.repeat if size < 5000 else 1)
        time_of = median(mine["results"], "wall")
        growth.append((size, median(mine["results"], "cpu")))
        line = (
            f"{size:7} {time_of:9.1f} {median(mine['results'], 'cpu'):8.1f} {mine['peak']:8.0f} {MUST.get(size, 0):9}"
        )
        peers = []
        if asked.gacrux and size <= asked.peer_limit:
            peers.append(("gacrux", gacrux(asked.gacrux, made, asked.repeat if size < 500 else 1)))
        if asked.bbp and size <= asked.peer_limit:
            peers.append(("bbp", bbp(asked.bbp, folder, made, asked.repeat if size < 250 else 1)))
        notes = []
        for name, answers in peers:
            good = [answer for answer in answers if "error" not in answer]
            if not good:
                line += f"{'–':>10}{'':>8}"
            else:
                theirs = median(good, "wall", warm=True)
                line += f"{theirs:10.1f} {theirs / time_of:7.1f}"
            for (file, _), answer, result in zip(made, answers, mine["results"], strict=True):
                if "error" in answer:
                    notes.append(f"        {name} on {file.name}: {answer['error']}")
                elif sorted(map(tuple, answer["pairs"])) != sorted(map(tuple, result["pairs"])):
                    notes.append(f"        {name} on {file.name}: other pairs")
        print(line, *notes, sep="\n", flush=True)
    exponents(growth)


def median(results: list[dict[str, Any]], what: str, *, warm: bool = False) -> float:
    """Return the median over files of the median over runs; `warm` leaves the first run out."""
    return float(statistics.median(statistics.median(one[what][1:] if warm else one[what]) for one in results))


def exponents(growth: list[tuple[int, float]]) -> None:
    """Print how CPU time grows between the sizes: it is like n to this power."""
    steps = [
        f"{small}–{large}: {log(late / early) / log(large / small):.1f}"
        for (small, early), (large, late) in pairwise(growth)
        if small >= 60
    ]
    if steps:
        print("growth like n to the power of", ", ".join(steps))


# -- hard ones -------------------------------------------------------------------------------------------------------


def worst(folder: Path, repeat: int) -> None:
    """Time tournaments in which few pairings are left, or hardly anything tells players apart."""
    quiet = Habits(forfeit=0, absent=0, half_bye=0, full_bye=0, late=0, withdraw=0)
    drawn = replace(quiet, draw=1000)
    cases: list[tuple[str, Trf, int]] = [
        ("30 players, round 25 of 25", simulate(30, 25, FIRST_SEED, quiet), 25),
        ("200 players, all drawn, round 5", simulate(200, 9, FIRST_SEED, drawn), 5),
        ("7 players, round 6 of 6", simulate(7, 6, FIRST_SEED, quiet), 6),
        ("60 players, one way left, round 1", one_way(60), 1),
    ]
    print("\nhard rounds                            ms      CPU")
    for name, trf, number in cases:
        file = folder / "worst.trf"
        file.write_text(dump(trf), encoding="utf-8")
        if trf.rounds_done + 1 < number:
            print(f"{name:34} ended after round {trf.rounds_done}: nobody could be paired")
            continue
        try:
            result = own(folder, [(file, min(number, trf.rounds_done or 1))], repeat)
        except (subprocess.CalledProcessError, TourneyError) as error:
            print(f"{name:34} {error}")
            continue
        print(f"{name:34} {median(result['results'], 'wall'):8.1f} {median(result['results'], 'cpu'):8.1f}", flush=True)


def one_way(players: int) -> Trf:
    """Return a list in which everybody may meet only one other: 1 and 2, 3 and 4, and so on."""
    trf = simulate(players, 3, FIRST_SEED, Habits(late=0, absent=0, half_bye=0, full_bye=0))
    groups = tuple(
        ForbiddenGroup((first, second))
        for first in range(1, players + 1)
        for second in range(first + 1, players + 1)
        if not (first % 2 and second == first + 1)
    )
    return replace(trf, players=tuple(replace(one, cells=(), points=None) for one in trf.players), forbidden=groups)


if __name__ == "__main__":
    sys.exit(main())
