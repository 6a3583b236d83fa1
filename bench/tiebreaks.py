"""How long all tie-breaks of a tournament take, beside the package gacrux when it is there.

    python bench/tiebreaks.py [--sizes 30x7,100x9,300x9,1000x11] [--files 3] [--repeat 9]
                              [--gacrux /path/to/env/bin/python] [--peer-limit 300]

Tournaments are simulated by seed with absences, byes and forfeits; the file is read before the clock starts. Measured
is the whole way from the history to the ranks, with every tie-break a Swiss may have as criteria of one order: from
this engine the values only (what they are made of is worked out when somebody looks), from gacrux its own values.
Medians over files and runs, milliseconds of the CPU; both programs run in the same minute on the same files.
"""

# ruff: noqa: T201 -- a script prints
from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from prizes.engine.ranking import rank  # noqa: E402 -- the folder above must be known first
from swiss.engine.simulate import Habits, simulate  # noqa: E402
from tourney.kernel.trf import dump, parse  # noqa: E402

HABITS = Habits(absent=50, half_bye=20)
MUST = {"300x9": 30, "1000x11": 150}  # milliseconds
FIRST_SEED = 1
# Fore Buchholz stands last: what gacrux computes after it is too low.
ORDER = (
    "PTS DE WIN WON BPG BWG REP STD PS PS/C1 BH BH/C1 BH/C2 BH/M1 BH/M2 AOB SB SB/C1 ARO ARO/C1 TPR PTP APRO APPO RTNG"
    " FB FB/C1"
)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes", default="30x7,100x9,300x9,1000x11", help="players x rounds")
    parser.add_argument("--files", type=int, default=3, help="tournaments of each size")
    parser.add_argument("--repeat", type=int, default=9, help="runs of each; the median counts")
    parser.add_argument("--gacrux", type=Path, help="Python of an environment with gacrux")
    parser.add_argument("--peer-limit", type=int, default=1000, help="most players the other one is asked for")
    asked = parser.parse_args()
    print(f"{len(ORDER.split())} criteria, {asked.files} tournaments each, seeds from {FIRST_SEED}")
    print("    size    own ms   at most" + ("    gacrux   times" if asked.gacrux else ""), flush=True)
    slow = False
    with tempfile.TemporaryDirectory() as folder:
        for size in asked.sizes.split(","):
            players, rounds = (int(number) for number in size.split("x"))
            files = make(Path(folder), players, rounds, asked.files)
            mine = statistics.median(own(file, asked.repeat) for file in files)
            slow = slow or mine > MUST.get(size, mine)
            line = f"{size:>8} {mine:9.1f} {MUST.get(size, ''):>9}"
            if asked.gacrux and players <= asked.peer_limit:
                theirs = statistics.median(gacrux(asked.gacrux, files, 3))
                line += f"{theirs:10.0f} {theirs / mine:7.0f}"
            print(line, flush=True)
    return int(slow)


def make(folder: Path, players: int, rounds: int, count: int) -> list[Path]:
    made = []
    for seed in range(FIRST_SEED, FIRST_SEED + count):
        file = folder / f"n{players}_r{rounds}_s{seed}.trf"
        file.write_text(dump(simulate(players, rounds, seed, HABITS)), encoding="utf-8")
        made.append(file)
    return made


def own(file: Path, repeat: int) -> float:
    history = parse(file.read_bytes()).history()
    order = ORDER.split()
    times = []
    for _ in range(repeat + 1):
        before = time.process_time()
        rank(history, order)
        times.append((time.process_time() - before) * 1000)
    return statistics.median(times[1:])


def gacrux(python: Path, files: list[Path], repeat: int) -> list[float]:
    request: dict[str, Any] = {"system": "swiss", "unrated": None, "orders": [ORDER.split()], "repeat": repeat}
    lines = "".join(f"{json.dumps({**request, 'file': str(file)})}\n" for file in files)
    script = str(Path(__file__).with_name("peer_tiebreaks.py"))
    answer = subprocess.run([str(python), script], input=lines, check=True, capture_output=True, text=True)
    return [statistics.median(json.loads(line)["cpu"][0]) for line in answer.stdout.splitlines()]


if __name__ == "__main__":
    sys.exit(main())
