"""In which line of a JSON text a path stands, so that an error can be shown where it was typed."""

from __future__ import annotations

import re
from json.decoder import JSONDecoder, scanstring  # type: ignore[attr-defined]
from typing import Any

from tourney.kernel.paths import steps

_SPACE = re.compile(r"[ \t\n\r]*")
_decode = JSONDecoder().raw_decode


def line_of(text: str, path: str) -> int | None:
    """Return the line (from 1) of the value at a path, or of the nearest table around it; None for broken text."""
    try:
        position = _find(text, _skip(text, 0), steps(path))
    except (ValueError, IndexError):
        return None
    return text.count("\n", 0, position) + 1


def _skip(text: str, position: int) -> int:
    found = _SPACE.match(text, position)
    return found.end() if found else position


def _find(text: str, position: int, steps: list[Any]) -> int:
    if not steps:
        return position
    step, *after = steps
    opening = position
    if text[position] not in "{[":
        return opening
    is_table = text[position] == "{"
    position = _skip(text, position + 1)
    index = 0
    while text[position] not in "}]":
        start, key = position, index if not is_table else None
        if is_table:
            name, position = scanstring(text, position + 1, True)
            key = name
            position = _skip(text, _skip(text, position) + 1)
        if key == step or str(key) == str(step):
            return _find(text, position, after) if after else start
        _value, position = _decode(text, position)
        position = _skip(text, position)
        if text[position] == ",":
            position = _skip(text, position + 1)
        index += 1
    return opening
