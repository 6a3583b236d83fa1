"""The typeface of PDF files: our own files with Cyrillic letters, so that paper looks alike on every machine."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from django.conf import settings
from reportlab.lib.utils import simpleSplit
from reportlab.pdfbase.pdfmetrics import registerFont, stringWidth
from reportlab.pdfbase.ttfonts import TTFont

TEXT, BOLD = "TourneyText", "TourneyBold"
_FILES = {TEXT: "DejaVuSerif.ttf", BOLD: "DejaVuSerif-Bold.ttf"}


@cache
def register_fonts() -> None:
    """Make TEXT and BOLD known to the PDF library; once is enough."""
    for name, file in _FILES.items():
        registerFont(TTFont(name, str(Path(settings.BASE_DIR) / "static" / "vendor" / "dejavu" / file)))


def wrapped(text: str, font: str, size: float, width: float) -> list[str]:
    """Return a text in lines no wider than `width` points; a single word that is wider is cut between letters."""
    lines: list[str] = []
    for line in simpleSplit(text, font, size, width):
        while stringWidth(line, font, size) > width:
            fits = next(n for n in range(len(line), 0, -1) if n == 1 or stringWidth(line[:n], font, size) <= width)
            lines.append(line[:fits])
            line = line[fits:]
        lines.append(line)
    return lines
