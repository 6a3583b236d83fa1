"""The usual run while one works (`make quick`): every test that needs neither a browser nor long.

Tests in a file that was changed since the last commit, or is new, run all the same, and before the others.
"""

from __future__ import annotations

import subprocess
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Any

import pytest

LEFT_OUT = ("slow", "browser")
CHANGED = pytest.StashKey[list[str]]()


def changed(root: Path) -> list[str]:
    """Return the files that differ from the last commit, new ones too; none where there is no git to ask."""
    found: list[str] = []
    for question in (("diff", "--name-only", "HEAD"), ("ls-files", "--others", "--exclude-standard")):
        try:
            said = subprocess.run(["git", *question], cwd=root, capture_output=True, text=True, check=False)
        except OSError:
            return []
        found += said.stdout.splitlines()
    return found


def note(config: pytest.Config) -> None:
    """Keep what has changed: asked once, in the first process, for all workers must choose the same tests."""
    handed = getattr(config, "workerinput", {}).get("changed")
    config.stash[CHANGED] = changed(config.rootpath) if handed is None else handed


def hand_to(node: Any) -> None:
    """In the first process: tell a worker what has changed."""
    if CHANGED in node.config.stash:
        node.workerinput["changed"] = node.config.stash[CHANGED]


def choose(items: Sequence[pytest.Item], files: Collection[str]) -> tuple[list[pytest.Item], list[pytest.Item]]:
    """Return the tests of a quick run in their order, and those left out."""
    touched = [item for item in items if _file(item) in files]
    rest = [item for item in items if _file(item) not in files]
    long = {item for item in rest if any(item.get_closest_marker(name) for name in LEFT_OUT)}
    return touched + [item for item in rest if item not in long], [item for item in rest if item in long]


def _file(item: pytest.Item) -> str:
    return item.nodeid.partition("::")[0]
