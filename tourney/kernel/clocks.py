"""Time controls as regulations write them: ``90+30`` is 90 minutes and 30 seconds a move, ``5`` is 5 minutes."""

from __future__ import annotations

import re
from dataclasses import dataclass

_NOTATION = re.compile(r"(\d{1,3})(?:\+(\d{1,3}))?")


@dataclass(frozen=True, slots=True)
class Clock:
    """Time for one side: minutes for the game and seconds a move."""

    minutes: int
    increment: int = 0

    @classmethod
    def parse(cls, text: str) -> Clock:
        """Return the clock a text names; ValueError for anything else, and for one without minutes."""
        found = _NOTATION.fullmatch(text)
        if found is None or int(found[1]) == 0:
            raise ValueError(f"not a time control: {text!r}")
        return cls(int(found[1]), int(found[2] or 0))

    def __str__(self) -> str:
        return f"{self.minutes}+{self.increment}" if self.increment else str(self.minutes)

    @property
    def in_seconds(self) -> str:
        """The form of game and report files: ``5400+30``, ``300``."""
        return f"{self.minutes * 60}+{self.increment}" if self.increment else str(self.minutes * 60)
