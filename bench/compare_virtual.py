"""Buchholz with the virtual opponent of the rules before September 2023, worked out by two programs.

    npm install --prefix ../peer tiebreak@0.4.0
    python bench/compare_virtual.py --modules ../peer [--first 1] [--count 400] [--sizes 5-60]

The events are those of `compare_tiebreaks.py`, without what the other package doesn't know: round robins, full-point
byes, byes worth less than a point, three points for a win. What differs is printed; exit status 1 when anything does.
"""

# ruff: noqa: T201 -- a script prints
from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import sys
from fractions import Fraction
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from random_events import event  # noqa: E402

from prizes.engine.ranking import rank  # noqa: E402 -- the folder above must be known first
from tourney.kernel.colors import Color  # noqa: E402
from tourney.kernel.outcomes import STANDARD  # noqa: E402
from tourney.kernel.trf import Trf  # noqa: E402

ORDER = ["PTS", "BH", "BH/C1", "BH/C2", "BH/M1"]
WORTH = {"1": 1.0, "W": 1.0, "+": 1.0, "=": 0.5, "D": 0.5}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--modules", type=Path, required=True, help="folder with node_modules")
    parser.add_argument("--first", type=int, default=1, help="the first seed")
    parser.add_argument("--count", type=int, default=400)
    parser.add_argument("--sizes", default="5-60", help="fewest and most players")
    asked = parser.parse_args()
    low, high = (int(size) for size in asked.sizes.split("-"))
    events = []
    for seed in range(asked.first, asked.first + asked.count):
        made = event(seed, low, high)
        if made.system == "swiss" and made.trf.scoring == STANDARD and not has_full_byes(made.trf):
            events.append((seed, made.trf))
    script = shutil.copy(Path(__file__).with_name("peer_virtual.mjs"), asked.modules)
    lines = "".join(f"{json.dumps(as_rounds(trf))}\n" for _, trf in events)
    answer = subprocess.run(["node", script], input=lines, check=True, capture_output=True, text=True)
    values = different = 0
    for (seed, trf), line in zip(events, answer.stdout.splitlines(), strict=True):
        theirs = json.loads(line)
        for ranked in rank(trf.history(), ORDER, edition="virtual_opponent"):
            for value, other in zip(ranked.values[1:], theirs[str(ranked.entry)], strict=True):
                values += 1
                if value.value != Fraction(other):
                    different += 1
                    print(f"seed {seed}: {value.code} of {ranked.entry}: here {value.value}, there {other}")
    print(f"{len(events)} events, {values} values, {different} differences")
    return int(different > 0)


def has_full_byes(trf: Trf) -> bool:
    return any(cell.result == "F" for player in trf.players for cell in player.cells)


def as_rounds(trf: Trf) -> dict[str, Any]:
    """Return an event as the other package wants it."""
    rounds = []
    for number in range(1, trf.rounds_done + 1):
        cells = {player.number: trf.cell(player.number, number) for player in trf.players}
        rounds.append(
            {
                "pairings": [
                    {
                        "white": player,
                        "black": cell.opponent,
                        "scoreWhite": WORTH.get(cell.result, 0),
                        "scoreBlack": WORTH.get(cells[cell.opponent].result, 0),
                        "forfeited": cell.result in "+-",
                    }
                    for player, cell in cells.items()
                    if cell.is_game and cell.color is Color.WHITE
                ],
                "pairingAllocatedByes": [player for player, cell in cells.items() if cell.result == "U"],
                "halfPointByes": [player for player, cell in cells.items() if cell.result == "H"],
            }
        )
    return {"rounds": rounds, "players": [player.number for player in trf.players]}


if __name__ == "__main__":
    sys.exit(main())
