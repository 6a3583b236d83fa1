"""Many small boards on one page: pieces and squares are drawn once and used by all."""

from __future__ import annotations

from functools import cache

from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString, mark_safe

from tourney.board_svg import SQUARE, corner, pieces
from tourney.pgn_replay import piece_symbols


@cache
def drawings() -> SafeString:
    """Return the hidden drawing that the boards of the page use: the pieces, and the squares as one path each."""
    dark = "".join(
        f"M{file * SQUARE} {row * SQUARE}h{SQUARE}v{SQUARE}h-{SQUARE}z"
        for row in range(8)
        for file in range(8)
        if (file + row) % 2
    )
    squares = (
        f'<g id="bd-squares"><rect class="bd-light" width="360" height="360"/><path class="bd-dark" d="{dark}"/></g>'
    )
    defs = "".join(piece_symbols().values())
    return mark_safe(  # noqa: S308 -- constants of a package
        '<svg width="0" height="0" aria-hidden="true" focusable="false" class="bd-drawings">'
        f"<defs>{squares}{defs}</defs></svg>"
    )


def small_board(placement: str, *, label: str, squares: str = "", check: str = "") -> SafeString:
    """Draw a position; `squares` are from and to of the last move (e2e4), `check` the square of a king in check."""
    marked = [("bd-last", *corner(squares[at : at + 2])) for at in (0, 2) if len(squares) == 4]
    if check:
        marked.append(("bd-check", *corner(check)))
    marks = format_html_join("", '<rect class="{}" x="{}" y="{}" width="45" height="45"/>', marked)
    drawn = format_html_join("", '<use href="#{}" x="{}" y="{}"/>', pieces(placement))
    return format_html(
        '<svg class="chessboard" viewBox="0 0 360 360" role="img" aria-label="{}"><use href="#bd-squares"/>'
        '<g class="bd-marks">{}</g><g class="bd-pieces">{}</g></svg>',
        label,
        marks,
        drawn,
    )
