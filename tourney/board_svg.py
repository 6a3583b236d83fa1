"""A chess position as a drawing made on the server. Classes only: its colours are in `static/tourney/replay.css`.

The script of the replay page moves the same pieces (`<use href="#white-pawn">`) to other squares.
"""

from __future__ import annotations

from functools import cache

from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString, mark_safe

from tourney.pgn_replay import piece_symbols

SQUARE = 45
FILES = "abcdefgh"
_COLORS = {True: "white", False: "black"}
_KINDS = {"p": "pawn", "n": "knight", "b": "bishop", "r": "rook", "q": "queen", "k": "king"}


@cache
def _symbols() -> SafeString:
    return mark_safe(f"<defs>{''.join(piece_symbols().values())}</defs>")  # noqa: S308 -- constants of a package


@cache
def _squares() -> SafeString:
    return format_html_join(
        "",
        '<rect class="{}" x="{}" y="{}" width="45" height="45"/>',
        (
            ("bd-light" if (file + row) % 2 == 0 else "bd-dark", file * SQUARE, row * SQUARE)
            for row in range(8)
            for file in range(8)
        ),
    )


@cache
def _labels() -> SafeString:
    """Return the names of ranks and files: over the pieces, so that none hides them."""
    ranks = format_html_join(
        "",
        '<text class="{}" x="2" y="{}">{}</text>',
        (("bd-on-light" if row % 2 == 0 else "bd-on-dark", row * SQUARE + 10, 8 - row) for row in range(8)),
    )
    files = format_html_join(
        "",
        '<text class="{}" x="{}" y="357">{}</text>',
        (
            ("bd-on-dark" if file % 2 == 0 else "bd-on-light", file * SQUARE + 37, letter)
            for file, letter in enumerate(FILES)
        ),
    )
    return format_html('<g class="bd-ranks">{}</g><g class="bd-files">{}</g>', ranks, files)


def corner(square: str) -> tuple[int, int]:
    """Return the top left corner of a square, White below."""
    return FILES.index(square[0]) * SQUARE, (8 - int(square[1])) * SQUARE


def pieces(placement: str) -> list[tuple[str, int, int]]:
    """Return (name of the drawing, x, y) of every piece of a placement (first field of a FEN)."""
    found = []
    for row, rank in enumerate(placement.split("/")):
        file = 0
        for letter in rank:
            if letter.isdigit():
                file += int(letter)
                continue
            found.append((f"{_COLORS[letter.isupper()]}-{_KINDS[letter.lower()]}", file * SQUARE, row * SQUARE))
            file += 1
    return found


def board(placement: str, *, title: str, squares: tuple[str, ...] = (), check: str = "") -> SafeString:
    """Draw a position; `squares` are those of the last move, `check` that of a king in check."""
    marks = format_html_join(
        "",
        '<rect class="{}" x="{}" y="{}" width="45" height="45"/>',
        [("bd-last", *corner(square)) for square in squares] + ([("bd-check", *corner(check))] if check else []),
    )
    drawn = format_html_join("", '<use href="#{}" x="{}" y="{}"/>', pieces(placement))
    return format_html(
        '<svg class="chessboard" viewBox="0 0 360 360" role="img" aria-labelledby="board-title">'
        '<title id="board-title">{}</title>{}{}<g class="bd-marks">{}</g><g class="bd-pieces">{}</g>{}</svg>',
        title,
        _symbols(),
        _squares(),
        marks,
        drawn,
        _labels(),
    )


# Colours of a drawing that stands alone: a page's stylesheet doesn't reach it.
_PAINT = {
    "bd-light": "#ebe3cc",
    "bd-dark": "#6f8f62",
    "bd-on-light": "#3f5a36",
    "bd-on-dark": "#f7f2e2",
    "bd-last": "#f2c14e",
}


def picture(placement: str, *, title: str, squares: tuple[str, ...] = ()) -> str:
    """Draw a position as a file of its own, with its colours in it; `squares` are those of the last move."""
    drawn = str(board(placement, title=title, squares=squares))
    for name, color in _PAINT.items():
        more = ' fill-opacity=".55"' if name == "bd-last" else ""
        drawn = drawn.replace(f'class="{name}"', f'fill="{color}"{more}')
    font = 'font-family="sans-serif" font-weight="700" font-size="9"'
    size = 'xmlns="http://www.w3.org/2000/svg" width="720" height="720"'
    return drawn.replace('class="chessboard"', size).replace("<text ", f"<text {font} ")
