"""The regulations the product ships: starting points an organizer copies and edits."""

from __future__ import annotations

import tomllib
from functools import cache
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).resolve().parent
ORDER = ("second-chance-32", "youth-championship", "open-swiss", "empty")


@cache
def preset(code: str) -> dict[str, Any]:
    """Return a preset's plain data, dates still relative; KeyError for an unknown code."""
    path = FOLDER / f"{code}.toml"
    if code not in ORDER or not path.is_file():
        raise KeyError(code)
    return tomllib.loads(path.read_text(encoding="utf-8"))


def presets() -> list[dict[str, Any]]:
    """Return every preset in the order the wizard shows them."""
    return [preset(code) for code in ORDER]
