"""Draws a payment code as a square of dots, for a page (SVG without styles) or for a slip of paper (rows of dots)."""

from __future__ import annotations

from functools import lru_cache

import segno
from django.utils.html import format_html
from django.utils.safestring import SafeString, mark_safe

QUIET = 4  # dots of white around the square, as the standard of the code asks
HRYVNIA = "₴"
# The sign of the hryvnia stands in a white circle in the middle (NBU resolution 97); a circle this wide, in dots per
# dot of the side, hides about 2 % of the square, and level M repairs 15 %.
DISC = 0.17


@lru_cache(maxsize=512)
def dots(text: str) -> tuple[bytes, ...]:
    """Return the rows of the code at level M, a byte a dot (1 is black), without the white around."""
    return tuple(bytes(row) for row in segno.make(text, error="m", boost_error=False, micro=False).matrix)


def drawn(text: str, title: str, *, sign: str = "") -> SafeString:
    """Return the code as an SVG that stays black on white in the dark; `sign` stands in the middle."""
    rows = dots(text)
    side = len(rows) + 2 * QUIET
    middle = side / 2
    radius = len(rows) * DISC / 2
    mark = (
        format_html(
            '<circle cx="{0}" cy="{0}" r="{1}" fill="#fff"/><text x="{0}" y="{0}" dy="0.36em" text-anchor="middle"'
            ' font-size="{2}" font-family="sans-serif" font-weight="700" fill="#000">{3}</text>',
            f"{middle:g}",
            f"{radius:g}",
            f"{radius * 1.5:g}",
            sign,
        )
        if sign
        else ""
    )
    return format_html(
        '<svg class="qr" viewBox="0 0 {0} {0}" role="img" aria-label="{1}" shape-rendering="crispEdges">'
        '<rect width="{0}" height="{0}" fill="#fff"/><path fill="#000" d="{2}"/>{3}</svg>',
        side,
        title,
        mark_safe(_path(rows)),  # noqa: S308 -- only figures and letters of a path
        mark,
    )


def _path(rows: tuple[bytes, ...]) -> str:
    """Return the black runs of each row as one path."""
    steps = []
    for y, row in enumerate(rows):
        x = 0
        while x < len(row):
            if not row[x]:
                x += 1
                continue
            start = x
            while x < len(row) and row[x]:
                x += 1
            steps.append(f"M{start + QUIET} {y + QUIET}h{x - start}v1h-{x - start}z")
    return "".join(steps)
