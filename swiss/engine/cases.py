"""The engine held against folders of tournaments with known pairings, and against tables with known rounds."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

from swiss.engine.berger import berger_table
from swiss.engine.check import pair_next
from tourney.kernel.case import CaseResult
from tourney.kernel.errors import TourneyError
from tourney.kernel.trf import parse

# Files whose reference sorts boards by real points only; the rules in force count virtual ones too (C.04.2, 3.6).
_BOARDS_BY_REAL_POINTS = "baku"


def run_swiss(folder: Path) -> Iterator[CaseResult]:
    """Yield one result for every round of every file named in ``pairings.json``: [white, black] in board order."""
    expected = json.loads((folder / "pairings.json").read_text(encoding="utf-8"))
    for name in sorted(expected):
        trf = parse((folder / name).read_bytes())
        for number, pairs in enumerate(expected[name], 1):
            try:
                plan = pair_next(trf, number)
                got = [[int(pairing.white), int(pairing.black)] for pairing in plan.pairings]
                if plan.pairing_bye is not None:
                    got.append([int(plan.pairing_bye), 0])
            except TourneyError as error:
                yield CaseResult(f"{name} round {number}", pairs, str(error), "round")
                continue
            if name.startswith(_BOARDS_BY_REAL_POINTS):
                pairs, got = sorted(pairs), sorted(got)
            yield CaseResult(f"{name} round {number}", pairs, got, "round")


def run_roundrobin(folder: Path) -> Iterator[CaseResult]:
    """Yield one result for every table of ``berger.json``: single, and double with the last two rounds exchanged."""
    tables = json.loads((folder / "berger.json").read_text(encoding="utf-8"))["tables"]
    for players, table in sorted(tables.items(), key=lambda item: int(item[0])):
        for key, cycles in (("single", 1), ("double_last_two_swapped", 2)):
            if key in table:
                got = [
                    {"round": row.number, "pairs": [list(pair) for pair in row.pairs], "bye": row.free}
                    for row in berger_table(int(players), cycles)
                ]
                yield CaseResult(f"{players} players, {key}", table[key], got, "table")
