"""Where plain data names rows by their keys.

An event gets new keys on another installation. Foreign keys say themselves what they point at; data in JSON fields
doesn't, so the apps say it here: a field, and paths into it. A path is a row of steps with dots between: a name, a
number (place in a list), `*` (everything in a list or an object), or `keys` (the names of an object are the keys).

    ids.register("brackets.MatchEvent.data", ("pair.*", "tourney.Entry"), ("fact.winner", "tourney.Entry"))

What lots were drawn among must never change, it is bound by hashes: lots keep their words and say beside them whose
they are (`Lot.tokens`).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

Swap = Callable[[str, Any], Any]  # (model label, key) -> what stands for it
Rewriter = Callable[[Any, Swap], Any]

_paths: dict[str, list[tuple[list[str], str]]] = {}
_rewriters: dict[str, Rewriter] = {}
_tasks: dict[str, str] = {}


def register(field: str, *paths: tuple[str, str]) -> None:
    """Say which keys stand where in a JSON field ("app.Model.field")."""
    known = _paths.setdefault(field, [])
    known += [(path.split("."), label) for path, label in paths if (path.split("."), label) not in known]


def register_rewriter(field: str, rewriter: Rewriter) -> None:
    """Let a function exchange the keys in a field that paths can't describe; also in text that holds a key."""
    _rewriters[field] = rewriter


def register_task(name: str, label: str, more: Rewriter | None = None) -> None:
    """Say that a task's first argument is a key: an open job goes with the event. `more` exchanges keys in the rest."""
    _tasks[name] = label
    if more is not None:
        _rewriters[name] = more


def tasks() -> dict[str, str]:
    """Return the model whose key each task is given."""
    return dict(_tasks)


def exchanged(field: str, value: Any, swap: Swap) -> Any:
    """Return a field's data with every key in it exchanged; the data given stays as it is."""
    if field in _rewriters:
        value = _rewriters[field](value, swap)
    for steps, label in _paths.get(field, ()):
        value = _walk(value, steps, label, swap)
    return value


def _walk(value: Any, steps: list[str], label: str, swap: Swap) -> Any:
    if not steps:
        return _exchange(value, label, swap)
    step, rest = steps[0], steps[1:]
    if isinstance(value, dict):
        if step == "keys":
            return {str(_exchange(key, label, swap)): one for key, one in value.items()}
        if step == "*":
            return {key: _walk(one, rest, label, swap) for key, one in value.items()}
        return {key: _walk(one, rest, label, swap) if key == step else one for key, one in value.items()}
    if isinstance(value, list):
        if step == "*":
            return [_walk(one, rest, label, swap) for one in value]
        if step.isdecimal():
            return [_walk(one, rest, label, swap) if index == int(step) else one for index, one in enumerate(value)]
    return value


def _exchange(value: Any, label: str, swap: Swap) -> Any:
    if isinstance(value, bool):
        return value
    if isinstance(value, int):
        return swap(label, value)
    if isinstance(value, str) and value.lstrip("-").isdecimal():
        return str(swap(label, int(value)))
    return value
