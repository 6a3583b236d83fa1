"""The usual run leaves out what takes long, but never what is being worked on."""

from __future__ import annotations

import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tourney.testing import quick


@dataclass(frozen=True)
class Item:
    nodeid: str
    marks: tuple[str, ...] = ()

    def get_closest_marker(self, name: str) -> str | None:
        return name if name in self.marks else None


RULE = Item("swiss/tests/engine/test_pairing.py::test_rule")
DAY = Item("tourney/tests/flows/test_day.py::test_whole_day", ("slow",))
TAP = Item("swiss/tests/web/test_entry.py::test_tap", ("browser",))
FORM = Item("swiss/tests/web/test_entry.py::test_form")


def chosen(files: set[str]) -> Any:
    return quick.choose([RULE, DAY, TAP, FORM], files)  # type: ignore[list-item]


def test_what_takes_long_or_a_browser_is_left_out() -> None:
    assert chosen(set()) == ([RULE, FORM], [DAY, TAP])


def test_every_test_of_a_changed_file_runs_and_before_the_others() -> None:
    assert chosen({"swiss/tests/web/test_entry.py", "swiss/views.py"}) == ([TAP, FORM, RULE], [DAY])


def test_changed_files_are_those_that_differ_from_the_last_commit_and_new_ones(tmp_path: Path) -> None:
    def git(*words: str) -> None:
        who = ("-c", "user.name=x", "-c", "user.email=x@example.org", "-c", "commit.gpgsign=false")
        subprocess.run(["git", *who, *words], cwd=tmp_path, check=True, capture_output=True)

    git("init")
    for name in ("same", "edited", "staged"):
        (tmp_path / name).write_text("before")
    git("add", ".")
    git("commit", "-m", "x")
    for name in ("edited", "staged", "new"):
        (tmp_path / name).write_text("after")
    git("add", "staged")

    assert sorted(quick.changed(tmp_path)) == ["edited", "new", "staged"]


def test_without_a_repository_nothing_has_changed(tmp_path: Path) -> None:
    assert quick.changed(tmp_path) == []
