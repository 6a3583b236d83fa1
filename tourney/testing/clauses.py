"""The account of the regulations' clauses: which have a test that names them, which have none.

A test names a clause by `@pytest.mark.clause("K4.5")`. Collected marks are counted before any test is deselected, in
every worker, and added up in the first process.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

FILE = Path(__file__).resolve().parents[1] / "tests" / "data" / "clauses.json"
NAMED = pytest.StashKey[set[str]]()
_from_workers: set[str] = set()


def known() -> dict[str, str]:
    """Return the promise of every clause, by its id."""
    return {clause["id"]: clause["promise"] for clause in json.loads(FILE.read_text(encoding="utf-8"))}


def note(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Keep which clauses the collected tests name."""
    config.stash[NAMED] = {str(name) for item in items for mark in item.iter_markers("clause") for name in mark.args}


def hand_over(config: pytest.Config) -> None:
    """In a worker: give the first process what was collected here."""
    if hasattr(config, "workeroutput"):
        config.workeroutput["clauses"] = sorted(config.stash.get(NAMED, set()))


def take_over(node: Any) -> None:
    """In the first process: take what a worker collected."""
    _from_workers.update(getattr(node, "workeroutput", {}).get("clauses", ()))


def report(terminal: Any, config: pytest.Config) -> None:
    """Print the figure, and the clauses that still wait for a test."""
    named = config.stash.get(NAMED, set()) | _from_workers
    if not named:
        return
    promises = known()
    without = [clause for clause in promises if clause not in named]
    terminal.section("clauses of the regulations")
    terminal.write_line(f"{len(promises) - len(without)} of {len(promises)} clauses have a test among those collected")
    if without:
        terminal.write_line("without: " + " ".join(without))
