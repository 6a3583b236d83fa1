"""Runs the engines over a folder of cases with known answers, without a database.

    python -m tourney.cases DIR [swiss|tiebreaks|roundrobin|brackets|draws|fees|rules …]

`DIR` holds a folder per family. One line a family says how many agree, the first ten differences follow with both
values, and the exit code is 0 only when everything agrees. A family that isn't in the folder is skipped and said; one
that is there but holds no case fails, because a check of nothing proves nothing.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from brackets.engine.cases import run as run_brackets
from brackets.engine.cases import run_draws
from prizes.engine.cases import run_tiebreaks
from registration.engine.cases import run_fees
from swiss.engine.cases import run_roundrobin, run_swiss
from tourney.cases.rules import run_rules
from tourney.kernel.case import CaseResult

SHOWN_DIFFERENCES = 10
_LONGEST_VALUE = 400


@dataclass(frozen=True, slots=True)
class Family:
    """A kind of cases: where it lies, the pattern of a file it can't be without, and the engine that answers."""

    folder: str
    needs: str
    run: Callable[[Path], Iterable[CaseResult]]


FAMILIES = {
    "swiss": Family("swiss", "pairings.json", run_swiss),
    "tiebreaks": Family("tiebreaks", "*.expected.json", run_tiebreaks),
    "roundrobin": Family("roundrobin", "berger.json", run_roundrobin),
    "brackets": Family("brackets", "*.json", run_brackets),
    "draws": Family("brackets", "draw_vectors.json", run_draws),
    "fees": Family("fees", "cases.json", run_fees),
    "rules": Family("rules", "cases.json", run_rules),
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the families asked for (default: all) and return the exit code."""
    parser = argparse.ArgumentParser(prog="python -m tourney.cases", description="Run cases with known answers.")
    parser.add_argument("folder", type=Path, metavar="DIR")
    parser.add_argument("families", nargs="*", metavar="FAMILY", help=", ".join(FAMILIES))
    options = parser.parse_args(arguments)
    unknown = [name for name in options.families if name not in FAMILIES]
    if unknown:
        parser.error(f"unknown family: {', '.join(unknown)} (there are {', '.join(FAMILIES)})")
    if not options.folder.is_dir():
        parser.error(f"not a folder: {options.folder}")
    verdicts = [run_family(options.folder, name) for name in options.families or FAMILIES]
    if all(verdict is None for verdict in verdicts):
        print("nothing was checked")
        return 1
    return 1 if False in verdicts else 0


def run_family(root: Path, name: str) -> bool | None:
    """Print one family's line and differences; return whether all agree, or None when it isn't in the folder."""
    family = FAMILIES[name]
    folder = root / family.folder
    if not any(folder.glob(family.needs)):
        print(f"{name}: skipped, {folder / family.needs} is not there", flush=True)
        return None
    results = list(family.run(folder))
    if not results:
        print(f"{name}: no case in {folder}", flush=True)
        return False
    print(f"{name}: {', '.join(counts(results))}", flush=True)
    different = [result for result in results if not result.agrees]
    for result in different[:SHOWN_DIFFERENCES]:
        print(f"  {result.name}\n    expected {short(result.expected)}\n    got      {short(result.got)}")
    if len(different) > SHOWN_DIFFERENCES:
        print(f"  … and {len(different) - SHOWN_DIFFERENCES} more")
    sys.stdout.flush()
    return not different


def counts(results: Sequence[CaseResult]) -> list[str]:
    """Return how many agree of each unit: "64 of 64 cases"; for rounds also how many whole files agree."""
    total = Counter(result.unit for result in results)
    agreeing = Counter(result.unit for result in results if result.agrees)
    lines = [f"{agreeing[unit]} of {total[unit]} {unit}s" for unit in total]
    if "round" in total:
        rounds = [result for result in results if result.unit == "round"]
        files = {file_of(result) for result in rounds}
        wrong = {file_of(result) for result in rounds if not result.agrees}
        lines.append(f"{len(files) - len(wrong)} of {len(files)} files")
    return lines


def file_of(result: CaseResult) -> str:
    """Return the file a round is from; its name is "FILE round NUMBER"."""
    return result.name.rpartition(" round ")[0]


def short(value: object) -> str:
    """Return a value as one line that fits a terminal."""
    text = repr(value)
    return text if len(text) <= _LONGEST_VALUE else text[: _LONGEST_VALUE - 1] + "…"


if __name__ == "__main__":
    raise SystemExit(main())
