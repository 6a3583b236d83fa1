"""Places in rule data: ``stages[0].options[1].rounds`` names one value of a regulation."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

_STEP = re.compile(r"([^.\[\]]+)|\[(\d+)\]")


def steps(path: str) -> list[str | int]:
    """Return the keys and positions a path goes through."""
    return [int(index) if index else key for key, index in _STEP.findall(path)]


def block_of(path: str) -> str:
    """Return the block of the regulation a path begins with."""
    return next((step for step in steps(path) if isinstance(step, str)), "")


def into(value: Any, step: str | int) -> Any:
    """Return what stands at a key of a table or a position of a list; None where there is nothing."""
    if isinstance(step, int):
        return value[step] if isinstance(value, list) and step < len(value) else None
    return value.get(step) if isinstance(value, Mapping) else None


def value_at(data: Any, path: str) -> Any:
    """Return what stands at a path, or None."""
    for step in steps(path):
        data = into(data, step)
    return data


def has_path(data: Any, path: str) -> bool:
    """Return whether a path leads somewhere; its last key may be new."""
    for step in steps(path)[:-1]:
        data = into(data, step)
    return isinstance(data, Mapping | list)


def set_at(data: Mapping[str, Any], path: str, value: Any) -> dict[str, Any]:
    """Return a copy of rule data with the value at a path replaced (None removes a key); KeyError for a bad path."""

    def put(item: Any, rest: list[str | int]) -> Any:
        if not rest:
            return value
        step, *after = rest
        if isinstance(step, int):
            if not isinstance(item, list) or step >= len(item):
                raise KeyError(path)
            return [put(inner, after) if i == step else inner for i, inner in enumerate(item)]
        if not isinstance(item, Mapping):
            raise KeyError(path)
        changed = dict(item)
        new = put(item.get(step, {}), after)
        if new is None:
            changed.pop(step, None)
        else:
            changed[step] = new
        return changed

    result: dict[str, Any] = put(data, steps(path))
    return result
