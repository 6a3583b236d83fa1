"""A table as a picture of 1200 × 630: what messengers show beside a link (Open Graph). Values in, PNG out.

Our own typeface with Cyrillic letters; a name too long for its line is cut with a mark.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from io import BytesIO
from pathlib import Path

from django.conf import settings
from PIL import Image, ImageDraw, ImageFont

WIDTH, HEIGHT = 1200, 630
ROWS = 8  # what is read in a message on a telephone
MARGIN = 56
SQUARE = 14  # of the row of chess squares at the top
_PAPER, _SHEET, _INK, _QUIET, _RULE = "#faf6ec", "#fffdf7", "#1c1a16", "#5a5347", "#ddd3bf"
_GREEN, _LIGHT, _DARK = "#1f5c3c", "#ebe3cc", "#6f8f62"
_CUT = "…"


@dataclass(frozen=True, slots=True)
class Row:
    """A line of the table: place, name, and at the right its points or what is played for."""

    place: str
    name: str
    value: str


@dataclass(frozen=True, slots=True)
class Picture:
    """Everything on the picture, from top to bottom."""

    event: str
    title: str
    note: str
    rows: tuple[Row, ...]


@cache
def _font(size: int, *, bold: bool = False) -> ImageFont.FreeTypeFont:
    file = "DejaVuSerif-Bold.ttf" if bold else "DejaVuSerif.ttf"
    return ImageFont.truetype(str(Path(settings.BASE_DIR) / "static" / "vendor" / "dejavu" / file), size)


def draw(picture: Picture) -> bytes:
    """Return the picture as PNG."""
    image = Image.new("RGB", (WIDTH, HEIGHT), _PAPER)
    pen = ImageDraw.Draw(image)
    for column in range(WIDTH // SQUARE + 1):
        color = _DARK if column % 2 else _LIGHT
        pen.rectangle((column * SQUARE, 0, (column + 1) * SQUARE - 1, SQUARE - 1), fill=color)
    _write(pen, MARGIN, 66, picture.event, _font(28), _QUIET, WIDTH - 2 * MARGIN)
    note = _font(26)
    room = WIDTH - 2 * MARGIN - int(note.getlength(picture.note)) - 30
    _write(pen, MARGIN, 122, picture.title, _font(44, bold=True), _INK, room)
    _write(pen, WIDTH - MARGIN, 122, picture.note, note, _QUIET, WIDTH // 2, right=True)
    _table(pen, picture.rows[:ROWS])
    written = BytesIO()
    image.save(written, "PNG", optimize=True)
    return written.getvalue()


def _table(pen: ImageDraw.ImageDraw, rows: Sequence[Row]) -> None:
    top, high = 146, 56
    bold = _font(32, bold=True)
    value_room = min(max((int(bold.getlength(row.value)) for row in rows), default=0), WIDTH // 3)
    place_room = min(max((int(bold.getlength(row.place)) for row in rows), default=0) + 1, WIDTH // 6)
    names = MARGIN + place_room + 44
    for index, row in enumerate(rows):
        y = top + index * high
        pen.rectangle((MARGIN, y, WIDTH - MARGIN, y + high - 2), fill=_SHEET)
        pen.line((MARGIN, y + high - 1, WIDTH - MARGIN, y + high - 1), fill=_RULE)
        base = y + 40
        _write(pen, MARGIN + 18 + place_room, base, row.place, bold, _GREEN, place_room, right=True)
        _write(pen, names, base, row.name, _font(32), _INK, WIDTH - MARGIN - names - value_room - 40)
        _write(pen, WIDTH - MARGIN - 18, base, row.value, bold, _INK, value_room + 1, right=True)


def _write(
    pen: ImageDraw.ImageDraw,
    x: int,
    base: int,
    text: str,
    font: ImageFont.FreeTypeFont,
    color: str,
    room: int,
    *,
    right: bool = False,
) -> None:
    """Write a text on a base line, cut where it is wider than its room."""
    shown = text
    while shown and font.getlength(shown if shown == text else shown + _CUT) > room:
        shown = shown[:-1]
    shown = shown if shown == text else shown.rstrip() + _CUT
    pen.text((x, base), shown, font=font, fill=color, anchor="rs" if right else "ls")
