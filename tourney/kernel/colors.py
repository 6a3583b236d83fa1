"""The two colours."""

from __future__ import annotations

from enum import StrEnum


class Color(StrEnum):
    """White or Black; the value is the letter of report files."""

    WHITE = "w"
    BLACK = "b"

    @property
    def other(self) -> Color:
        return Color.BLACK if self is Color.WHITE else Color.WHITE
