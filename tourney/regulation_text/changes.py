"""What changed between two versions, in words: which rule, what it said, what it says.

Rows of a list are matched by what they are before they are compared, so that a rule put in front of others doesn't
look like a change of all of them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Any

from django.utils.translation import gettext as _

from tourney.kernel.chance import canonical
from tourney.kernel.regulation import BLOCKS
from tourney.regulation_schema.paths import path_labels, value_words

HIDDEN = ("schema", "readings")  # no rules


@dataclass(frozen=True, slots=True)
class Difference:
    """One change; `old` or `new` is None where the rule was not there."""

    path: str
    label: str
    old: str | None
    new: str | None

    @property
    def kind(self) -> str:
        return "added" if self.old is None else "removed" if self.new is None else "changed"

    @property
    def kind_words(self) -> str:
        return {"added": _("added"), "removed": _("removed"), "changed": _("changed")}[self.kind]


@dataclass(frozen=True, slots=True)
class _Change:
    old_path: str
    new_path: str
    old: Any
    new: Any


def differences(old: Mapping[str, Any], new: Mapping[str, Any]) -> list[Difference]:
    """Return the changes in the order of the blocks."""
    found: list[Difference] = []
    order = list(BLOCKS)
    keys = sorted({*old, *new}, key=lambda key: (order.index(key) if key in order else len(order), key))
    for key in keys:
        if key in HIDDEN:
            continue
        for change in _compare(old.get(key), new.get(key), key, key):
            if change.old in (None, "", [], {}) and change.new in (None, "", [], {}):
                continue
            gone = change.new is None
            path, data = (change.old_path, old) if gone else (change.new_path, new)
            found.append(
                Difference(
                    path=path,
                    label=" › ".join(path_labels(path, data)),
                    old=None if change.old is None else value_words(change.old_path, change.old, old),
                    new=None if change.new is None else value_words(change.new_path, change.new, new),
                )
            )
    return found


def _compare(old: Any, new: Any, old_path: str, new_path: str) -> Iterator[_Change]:
    if old == new:
        return
    words = _is_words(old) or _is_words(new)
    if isinstance(old, Mapping) and isinstance(new, Mapping) and not words:
        for key in dict.fromkeys([*old, *new]):
            yield from _compare(old.get(key), new.get(key), f"{old_path}.{key}", f"{new_path}.{key}")
    elif _is_rows(old) and _is_rows(new):
        yield from _compare_rows(old, new, old_path, new_path)
    elif isinstance(new, Mapping) and old is None and not words:
        yield _Change(old_path, new_path, None, new)
    else:
        yield _Change(old_path, new_path, old, new)


def _is_words(value: Any) -> bool:
    return isinstance(value, Mapping) and bool(value) and all(key in ("uk", "ru", "en") for key in value)


def _is_rows(value: Any) -> bool:
    return isinstance(value, list) and any(isinstance(row, Mapping) for row in value)


def _compare_rows(old: list[Any], new: list[Any], old_path: str, new_path: str) -> Iterator[_Change]:
    matcher = SequenceMatcher(None, [canonical(row) for row in old], [canonical(row) for row in new], autojunk=False)
    for kind, a, b, c, d in matcher.get_opcodes():
        if kind == "equal":
            continue
        pairs = _paired(old[a:b], new[c:d])
        for i, j in pairs:
            old_at = f"{old_path}[{a + i}]" if i is not None else f"{old_path}[{c + (j or 0)}]"
            new_at = f"{new_path}[{c + j}]" if j is not None else f"{new_path}[{a + (i or 0)}]"
            before = old[a + i] if i is not None else None
            after = new[c + j] if j is not None else None
            yield from _compare(before, after, old_at, new_at)


def _paired(old: list[Any], new: list[Any]) -> list[tuple[int | None, int | None]]:
    """Return which replaced row became which: the same code or name, else the same kind, in order."""
    pairs: list[tuple[int | None, int | None]] = []
    free = list(range(len(new)))
    for i, before in enumerate(old):
        match = next((j for j in free if _same(before, new[j])), None)
        if match is not None:
            free.remove(match)
        pairs.append((i, match))
    return pairs + [(None, j) for j in free]


def _same(one: Any, other: Any) -> bool:
    if not isinstance(one, Mapping) or not isinstance(other, Mapping):
        return False
    for key in ("code", "id", "place"):
        if key in one or key in other:
            return bool(one.get(key) == other.get(key))
    if one.get("kind") != other.get("kind") or one.get("when") != other.get("when"):
        return False
    # Phases of a match have no kind: what they consist of tells them apart.
    return {"games", "armageddon", "round_robin"} & set(one) == {"games", "armageddon", "round_robin"} & set(other)
