"""Every sentence can be found by the program that collects them for translation."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
APPS = ("tourney", "registration", "swiss", "brackets", "prizes")
CALLS = {"_", "_t", "gettext", "gettext_lazy", "ngettext", "ngettext_lazy", "pgettext", "pgettext_lazy"}


def hidden(source: str) -> Iterator[int]:
    """Give the lines where a sentence is called for inside an f-string: there the collector can't see it."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.JoinedStr):
            calls = [one for one in ast.walk(node) if isinstance(one, ast.Call)]
            yield from (one.lineno for one in calls if isinstance(one.func, ast.Name) and one.func.id in CALLS)


def test_no_sentence_hides_inside_another_string() -> None:
    found = [
        f"{path.relative_to(ROOT)}:{line}"
        for app in APPS
        for path in sorted((ROOT / app).rglob("*.py"))
        for line in hidden(path.read_text(encoding="utf-8"))
    ]
    assert found == []


def test_hidden_sentence_is_found() -> None:
    assert list(hidden("x = f\"{n} {_('kop.')}\"")) == [1]
    assert list(hidden("cents = _('kop.')\nx = f'{n} {cents}'")) == []
