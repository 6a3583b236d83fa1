"""The two colours."""

from __future__ import annotations

from enum import StrEnum


class Color(StrEnum):
    WHITE = "w"
    BLACK = "b"

    @property
    def other(self) -> Color:
        return Color.BLACK if self is Color.WHITE else Color.WHITE
