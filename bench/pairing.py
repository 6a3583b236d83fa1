"""How long the pairing of one round takes, from 12 to 5,000 players, beside other programs when they are there.

    python bench/pairing.py [--sizes 12,30,60,120,250,500,1000,5000] [--files 3] [--repeat 5]
                            [--gacrux /path/to/env/bin/python] [--gacrux-limit 5000]
                            [--bbp /path/to/bbpPairings] [--bbp-limit 1000] [--worst]

Tournaments are simulated by seed (5 % absences, forfeits, byes, late entries); the middle round is paired again and
again after one run to warm up, and medians are printed: milliseconds by the clock, of this process's CPU, and peak
memory of a process that does nothing else. `--gacrux` is the Python of an environment with that package (its time is
that of pairing in process, without reading and writing files); `--bbp` a binary (the time of its whole process). Each
is left out above its limit. `--worst` adds tournaments in which pairing is hard, and holds each against the usual time
of its size.
"""

# ruff: noqa: T201 -- a script prints
from __future__ import annotations

import argparse
import json
import os
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
from tourney.kernel.trf import ForbiddenGroup, Trf, dump, parse  # noqa: E402

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
    parser.add_argument("--gacrux-limit", type=int, default=1000, help="largest size gacrux is asked for")
    parser.add_argument("--bbp-limit", type=int, default=1000, help="largest size bbpPairings is asked for")
    parser.add_argument("--worst", action="store_true", help="also tournaments that are hard to pair")
    parser.add_argument("--child", help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.child:
        print(json.dumps(own_times(Path(asked.child), asked.repeat)))
        return 0
    sizes = [int(size) for size in asked.sizes.split(",")]
    with tempfile.TemporaryDirectory() as folder:
        usual = measure(Path(folder), sizes, asked)
        if asked.worst:
            worst(Path(folder), usual, asked)
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
    return {"results": results, "peak": peak_memory()}


def peak_memory() -> float:
    """Return the most memory this process has held since it began to be this program, in megabytes."""
    for line in Path("/proc/self/status").read_text(encoding="ascii").splitlines():
        if line.startswith("VmHWM:"):
            return int(line.split()[1]) / 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


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
        cut = before_round(trf, number)
        source, out = folder / "bbp.trf", folder / "bbp.txt"
        source.write_text(dump(cut), encoding="utf-8")
        said = folder / "bbp.log"
        wall, cpu, peak, status = [], [], 0.0, 0
        for _ in range(repeat):
            before = time.perf_counter()
            with said.open("w") as sink:
                child = subprocess.Popen(
                    [str(binary), "--dutch", str(source), "-p", str(out)], stdout=sink, stderr=sink
                )
                # The process's own use, not that of all children together.
                _, status, used = os.wait4(child.pid, 0)
                child.returncode = os.waitstatus_to_exitcode(status)
            wall.append((time.perf_counter() - before) * 1000)
            cpu.append((used.ru_utime + used.ru_stime) * 1000)
            peak = max(peak, used.ru_maxrss / 1024)
        if status:
            results.append({"error": said.read_text().strip()[:200]})
            continue
        rows = [line.split() for line in out.read_text().splitlines()[1:]]
        pairs = [[int(white), int(black)] for white, black in rows]
        results.append({"wall": wall, "cpu": cpu, "pairs": pairs, "peak": peak})
    return results


def before_round(trf: Trf, number: int) -> Trf:
    """Return the file as it was before a round, with points and places, which that program insists on."""
    players = tuple(replace(one, cells=one.cells[: number - 1]) for one in trf.players)
    cut = replace(trf, players=players, byes={number: dict(trf.byes_of_round(number))}, remarks=())
    scores = {int(one.entry): one.score for one in cut.history(number - 1).players}
    order = sorted(scores, key=lambda player: (-scores[player], player))
    place = {player: rank for rank, player in enumerate(order, 1)}
    players = tuple(replace(one, points=scores[one.number], rank=place[one.number]) for one in players)
    return replace(cut, players=players)


# -- tables ----------------------------------------------------------------------------------------------------------


def asked_peers(
    folder: Path, made: list[tuple[Path, int]], size: int, asked: argparse.Namespace
) -> list[tuple[str, list[dict[str, Any]]]]:
    """Return the other programs' answers; large rounds are paired once, for they take minutes."""
    answers = []
    if asked.gacrux and size <= asked.gacrux_limit:
        answers.append(("gacrux", gacrux(asked.gacrux, made, asked.repeat if size < 500 else int(size < 5000))))
    if asked.bbp and size <= asked.bbp_limit:
        answers.append(("bbp", bbp(asked.bbp, folder, made, asked.repeat if size < 250 else 1)))
    return answers


def compared(
    made: list[tuple[Path, int]], mine: dict[str, Any], peers: list[tuple[str, list[dict[str, Any]]]]
) -> tuple[str, list[str]]:
    """Return the columns of the other programs (milliseconds, how many times ours, megabytes), and what differs."""
    time_of = median(mine["results"], "wall")
    line, notes = "", []
    for name, answers in peers:
        good = [answer for answer in answers if "error" not in answer]
        if good:
            theirs = median(good, "wall", warm=name == "gacrux")
            line += f"   {name} {theirs:8.0f} ms {theirs / time_of:6.1f}x {max(one['peak'] for one in good):5.0f} MB"
        else:
            line += f"   {name} {'–':>8}"
        for (file, _), answer, result in zip(made, answers, mine["results"], strict=True):
            if "error" in answer:
                notes.append(f"        {name} on {file.name}: {answer['error']}")
            elif sorted(map(tuple, answer["pairs"])) != sorted(map(tuple, result["pairs"])):
                notes.append(f"        {name} on {file.name}: other pairs")
    return line, notes


def measure(folder: Path, sizes: list[int], asked: argparse.Namespace) -> dict[int, float]:
    """Print a line for every size; return its usual time in milliseconds."""
    print(f"middle round of {asked.files} tournaments each, seeds from {FIRST_SEED}, median of {asked.repeat} runs")
    print("players    own ms      CPU  peak MB   at most", flush=True)
    growth: list[tuple[int, float]] = []
    usual = {}
    for size in sizes:
        made = make(folder, size, asked.files if size < 1000 else 1)
        mine = own(folder, made, asked.repeat if size < 5000 else 3)
        usual[size] = median(mine["results"], "wall")
        cpu = median(mine["results"], "cpu")
        growth.append((size, cpu))
        line = f"{size:7} {usual[size]:9.1f} {cpu:8.1f} {mine['peak']:8.0f} {MUST.get(size, 0):9}"
        more, notes = compared(made, mine, asked_peers(folder, made, size, asked))
        print(line + more, *notes, sep="\n", flush=True)
    exponents(growth)
    return usual


def median(results: list[dict[str, Any]], what: str, *, warm: bool = False) -> float:
    """Return the median over files of the median over runs; `warm` leaves the first of several runs out."""
    return float(statistics.median(statistics.median(one[what][warm and len(one[what]) > 1 :]) for one in results))


def exponents(growth: list[tuple[int, float]]) -> None:
    """Print how CPU time grows between the sizes: it is like n to this power."""
    large_enough = [one for one in growth if one[0] >= 250]
    whole = [(large_enough[0], large_enough[-1])] if len(large_enough) > 2 else []
    steps = [
        f"{small}–{large}: {log(late / early) / log(large / small):.2f}"
        for (small, early), (large, late) in [*pairwise(growth), *whole]
        if small >= 60
    ]
    if steps:
        print("growth like n to the power of", ", ".join(steps))


# -- hard ones -------------------------------------------------------------------------------------------------------


def worst(folder: Path, usual: dict[int, float], asked: argparse.Namespace) -> None:
    """Time tournaments in which few pairings are left, or hardly anything tells players apart."""
    quiet = Habits(forfeit=0, absent=0, half_bye=0, full_bye=0, late=0, withdraw=0)
    drawn = replace(quiet, draw=1000)
    cases: list[tuple[str, Trf, int]] = [
        *(
            (f"30 players, round {number} of 25", simulate(30, 25, FIRST_SEED, quiet), number)
            for number in (23, 24, 25)
        ),
        ("200 players, all drawn, round 5", simulate(200, 9, FIRST_SEED, drawn), 5),
        ("7 players, round 6 of 6", simulate(7, 6, FIRST_SEED, quiet), 6),
        ("60 players, one way left, round 1", one_way(60), 1),
    ]
    print("\nhard rounds                            ms      CPU   usual of the size")
    for name, trf, number in cases:
        if trf.rounds_done and trf.rounds_done < number:
            print(f"{name:34} ended after round {trf.rounds_done}: nobody could be paired")
            continue
        file = folder / "worst.trf"
        file.write_text(dump(trf), encoding="utf-8")
        made = [(file, number)]
        mine = own(folder, made, asked.repeat)
        time_of = median(mine["results"], "wall")
        near = min(usual, key=lambda size: abs(log(size / len(trf.players))))
        line = (
            f"{name:34} {time_of:8.1f} {median(mine['results'], 'cpu'):8.1f}   {time_of / usual[near]:5.1f}x ({near})"
        )
        more, notes = compared(made, mine, asked_peers(folder, made, len(trf.players), asked))
        print(line + more, *notes, sep="\n", flush=True)


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
