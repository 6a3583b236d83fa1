"""Draw `tourney/pieces.png` anew, by a browser: the pieces of the pages in a row.

`python -m tourney.testing.piece_strip`
"""

from __future__ import annotations

from playwright.sync_api import sync_playwright

from tourney.board_picture import CELL, ORDER, STRIP
from tourney.board_svg import SQUARE
from tourney.pgn_replay import piece_symbols
from tourney.testing import browser


def main() -> None:
    """Write the file."""
    uses = "".join(f'<use href="#{name}" x="{index * SQUARE}"/>' for index, name in enumerate(ORDER))
    width = len(ORDER) * CELL
    drawing = (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{CELL}" viewBox="0 0 {len(ORDER) * SQUARE} '
        f'{SQUARE}"><defs>{"".join(piece_symbols().values())}</defs>{uses}</svg>'
    )
    with sync_playwright() as play:
        program = play.chromium.launch(executable_path=browser.find(), args=browser.ARGUMENTS)
        page = program.new_page(viewport={"width": width, "height": CELL})
        page.set_content(f'<body style="margin:0;background:none">{drawing}</body>')
        page.screenshot(path=STRIP, omit_background=True)
        program.close()


if __name__ == "__main__":
    main()
