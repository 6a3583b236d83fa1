"""A position as PNG, with the players beside the board: what messengers show beside a link (they draw no SVG).

`pieces.png` holds the twelve pieces of the boards of the pages side by side; `python -m tourney.testing.piece_strip`
makes it with a browser.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from io import BytesIO
from pathlib import Path

from django.conf import settings
from PIL import Image, ImageDraw, ImageFont

from tourney.board_svg import SQUARE, corner, pieces

STRIP = Path(__file__).with_name("pieces.png")
ORDER = tuple(
    f"{color}-{kind}" for color in ("white", "black") for kind in ("king", "queen", "rook", "bishop", "knight", "pawn")
)
CELL = 72  # pixels of a square, and of a piece in the strip
WIDTH, HEIGHT = 1200, 630  # what previews of links expect
_MARGIN = (HEIGHT - 8 * CELL) // 2
_LEFT = 2 * _MARGIN + 8 * CELL
_LIGHT, _DARK, _LAST_LIGHT, _LAST_DARK = "#ebe3cc", "#6f8f62", "#efd08a", "#b9ac57"
_PAPER, _INK, _QUIET = "#faf6ec", "#1c1a16", "#5a5347"


@dataclass(frozen=True, slots=True)
class Words:
    """What is written beside the board."""

    white: str
    black: str
    result: str
    move: str
    opening: str
    event: str


@cache
def _strip() -> dict[str, Image.Image]:
    with Image.open(STRIP) as whole:
        strip = whole.convert("RGBA")
    return {name: strip.crop((index * CELL, 0, (index + 1) * CELL, CELL)) for index, name in enumerate(ORDER)}


@cache
def _font(size: int, *, bold: bool = False) -> ImageFont.FreeTypeFont:
    file = "DejaVuSerif-Bold.ttf" if bold else "DejaVuSerif.ttf"
    return ImageFont.truetype(str(Path(settings.BASE_DIR) / "static" / "vendor" / "dejavu" / file), size)


def draw(placement: str, words: Words, *, squares: tuple[str, ...] = ()) -> bytes:
    """Return the picture; `squares` are those of the last move."""
    image = Image.new("RGB", (WIDTH, HEIGHT), _PAPER)
    pen = ImageDraw.Draw(image)
    last = {corner(square) for square in squares}
    for row in range(8):
        for file in range(8):
            light = (file + row) % 2 == 0
            marked = (file * SQUARE, row * SQUARE) in last
            color = (_LAST_LIGHT if light else _LAST_DARK) if marked else (_LIGHT if light else _DARK)
            x, y = _MARGIN + file * CELL, _MARGIN + row * CELL
            pen.rectangle((x, y, x + CELL - 1, y + CELL - 1), fill=color)
    strip = _strip()
    for name, x, y in pieces(placement):
        image.paste(strip[name], (_MARGIN + x // SQUARE * CELL, _MARGIN + y // SQUARE * CELL), strip[name])
    _write(pen, words)
    out = BytesIO()
    image.save(out, "PNG", compress_level=6)
    return out.getvalue()


def _write(pen: ImageDraw.ImageDraw, words: Words) -> None:
    """Write Black above, White below, the rest between, as the board stands."""
    room = WIDTH - _LEFT - _MARGIN
    y = _MARGIN
    for text, wanted, bold, color, most in (
        (words.event, 24, False, _QUIET, 2),
        (words.white, 40, True, _INK, 2),
        (words.result, 40, False, _INK, 1),
        (words.black, 40, True, _INK, 2),
        (words.move, 34, False, _INK, 1),
        (words.opening, 24, False, _QUIET, 3),
    ):
        widest = max((_font(wanted, bold=bold).getlength(word) for word in text.split()), default=0)
        size = wanted if widest <= room else max(8, int(wanted * room / widest))
        font = _font(size, bold=bold)
        for line in _lines(text, font, room)[:most]:
            pen.text((_LEFT, y), line, font=font, fill=color)
            y += size + size // 4
        y += 14 if text else 0


def _lines(text: str, font: ImageFont.FreeTypeFont, room: int) -> list[str]:
    """Return a text in lines that fit."""
    lines: list[str] = []
    for word in text.split():
        longer = f"{lines[-1]} {word}" if lines else word
        if lines and font.getlength(longer) <= room:
            lines[-1] = longer
            continue
        lines.append(word)
    return lines
