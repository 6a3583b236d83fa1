"""Diplomas on paper: values in, PDF out. Own fonts with Cyrillic letters, no network, no clock.

A4, measured in points from the lower left corner. Text that is too wide for the sheet is set smaller, and in two lines
when even that does not fit. Without a picture the sheet gets a frame of chess squares.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from django.conf import settings
from reportlab.lib.colors import HexColor
from reportlab.lib.pagesizes import A4, landscape
from reportlab.lib.utils import ImageReader, simpleSplit
from reportlab.pdfbase.pdfmetrics import registerFont, stringWidth
from reportlab.pdfbase.ttfonts import TTFont
from reportlab.pdfgen.canvas import Canvas

TEXT, BOLD = "DiplomaText", "DiplomaBold"
FONTS = {TEXT: "DejaVuSerif.ttf", BOLD: "DejaVuSerif-Bold.ttf"}
INK, GREEN, LIGHT, DARK = HexColor("#1c1a16"), HexColor("#1f5c3d"), HexColor("#f0e8d6"), HexColor("#6f8f6a")
SQUARE = 12.0  # of the frame
MARGIN = 70.0
BACKGROUND = "background"
LEAST = 8.0


@dataclass(frozen=True, slots=True)
class Sheet:
    """How all diplomas look. `picture` is a JPEG or None."""

    landscape: bool
    language: str
    title: str  # of the document
    picture: bytes | None


@dataclass(frozen=True, slots=True)
class Diploma:
    """The words of one diploma, from top to bottom."""

    event: str
    heading: str
    intro: str
    name: str
    body: str
    closing: str
    signers: tuple[str, str]


def draw_diplomas(sheet: Sheet, diplomas: Sequence[Diploma], told: Callable[[int], Any] = lambda _done: None) -> bytes:
    """Return a PDF with a page for each diploma; `told` hears how many are done."""
    _fonts()
    size = landscape(A4) if sheet.landscape else A4
    written = io.BytesIO()
    canvas = Canvas(written, pagesize=size, lang=sheet.language, invariant=True, pageCompression=1)
    canvas.setTitle(sheet.title)
    canvas.beginForm(BACKGROUND, 0, 0, *size)  # drawn once, laid under every page
    _background(canvas, size, ImageReader(io.BytesIO(sheet.picture)) if sheet.picture else None)
    canvas.endForm()
    for done, diploma in enumerate(diplomas, start=1):
        canvas.doForm(BACKGROUND)
        _words(canvas, size, diploma)
        canvas.showPage()
        told(done)
    canvas.save()
    return written.getvalue()


@cache
def _fonts() -> None:
    for name, file in FONTS.items():
        registerFont(TTFont(name, str(Path(settings.BASE_DIR) / "static" / "vendor" / "dejavu" / file)))


def _background(canvas: Canvas, size: tuple[float, float], picture: ImageReader | None) -> None:
    width, height = size
    if picture is None:
        _frame(canvas, width, height)
        return
    # The picture covers the sheet; what is too long of it hangs over on both sides alike.
    own_width, own_height = picture.getSize()
    scale = max(width / own_width, height / own_height)
    drawn = (own_width * scale, own_height * scale)
    canvas.drawImage(picture, (width - drawn[0]) / 2, (height - drawn[1]) / 2, *drawn)


def _frame(canvas: Canvas, width: float, height: float) -> None:
    """Draw two rows of chess squares around the sheet; their size is trimmed so that they meet at the corners."""
    inset = 26.0
    across, up = round((width - 2 * inset) / SQUARE), round((height - 2 * inset) / SQUARE)
    wide, high = (width - 2 * inset) / across, (height - 2 * inset) / up
    for column in range(across):
        for row in range(up):
            if min(column, row, across - 1 - column, up - 1 - row) < 2:
                canvas.setFillColor(DARK if (column + row) % 2 else LIGHT)
                canvas.rect(inset + column * wide, inset + row * high, wide, high, stroke=0, fill=1)
    canvas.setStrokeColor(GREEN)
    canvas.setLineWidth(0.8)
    edge = inset + 2 * SQUARE + 6
    canvas.rect(edge, edge, width - 2 * edge, height - 2 * edge, stroke=1, fill=0)


def _words(canvas: Canvas, size: tuple[float, float], diploma: Diploma) -> None:
    width, height = size
    room, middle = width - 2 * MARGIN - 20, width / 2
    low = height < width  # a lying sheet has less room between the lines
    y = height - (90 if low else 132)
    canvas.setFillColor(INK)
    y = _block(canvas, middle, y, diploma.event, TEXT, 15, room, gap=26 if low else 78)
    canvas.setFillColor(GREEN)
    y = _block(canvas, middle, y, diploma.heading, BOLD, 46, room, gap=22 if low else 58)
    canvas.setFillColor(INK)
    y = _block(canvas, middle, y, diploma.intro, TEXT, 15, room, gap=18 if low else 36)
    y = _block(canvas, middle, y, diploma.name, BOLD, 30, room, gap=16 if low else 34)
    y = _block(canvas, middle, y, diploma.body, TEXT, 17, room, gap=16 if low else 40)
    _block(canvas, middle, y, diploma.closing, TEXT, 12, room, gap=0)
    _signers(canvas, width, 96 if low else 132, diploma.signers)


def _block(canvas: Canvas, x: float, y: float, text: str, font: str, size: float, room: float, *, gap: float) -> float:
    """Write centred lines from a top edge downwards and return the top edge of what comes next."""
    if not text:
        return y
    size, lines = fitted(text, font, size, room)
    for line in lines:
        y -= size
        canvas.setFont(font, size)
        canvas.drawCentredString(x, y, line)
        y -= size * 0.3
    return y - gap


def fitted(text: str, font: str, size: float, room: float, most_lines: int = 3) -> tuple[float, list[str]]:
    """Return the largest size up to `size` at which a text fits, and its lines; one line if it only needs a little."""
    _fonts()
    single = min(size, size * room / max(stringWidth(text, font, size), 1.0))
    if single >= size * 0.75:
        return single, [text]
    while size > LEAST:
        lines = simpleSplit(text, font, size, room)
        if len(lines) <= most_lines and all(stringWidth(line, font, size) <= room for line in lines):
            return size, lines
        size -= 1
    return LEAST, simpleSplit(text, font, LEAST, room)


def _signers(canvas: Canvas, width: float, y: float, signers: Iterable[str]) -> None:
    shown = [signer for signer in signers if signer]
    part = (width - 2 * MARGIN) / max(len(shown), 1)
    canvas.setStrokeColor(INK)
    canvas.setLineWidth(0.6)
    for index, signer in enumerate(shown):
        middle = MARGIN + part * (index + 0.5)
        half = min(part / 2 - 18, 100)
        canvas.line(middle - half, y, middle + half, y)
        size, lines = fitted(signer, TEXT, 10, 2 * half + 20, 2)
        canvas.setFont(TEXT, size)
        for number, line in enumerate(lines):
            canvas.drawCentredString(middle, y - 4 - size - number * size * 1.25, line)
