"""Make `openings.tsv` from a checkout of https://github.com/lichess-org/chess-openings (public domain, CC0).

    python -m tourney.openings.make FOLDER [COMMIT]

FOLDER holds `a.tsv` … `e.tsv` with eco, name and the moves in PGN. Of two names of one position the first stays.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

from tourney.openings import FILE, LAST_PLY
from tourney.pgn_moves import Kind, start_board, walk


def rows(folder: Path) -> Iterator[tuple[str, str, str]]:
    """Yield (eco, name, EPD) of every line. Raises ValueError for moves that can't be followed or are too many."""
    for volume in "abcde":
        for line in (folder / f"{volume}.tsv").read_text(encoding="utf-8").splitlines()[1:]:
            eco, name, moves = line.split("\t")
            board = start_board({})
            if any(event.kind is Kind.WRONG for event in walk(moves, board)) or len(board.move_stack) > LAST_PLY:
                raise ValueError(line)
            yield eco, name, board.epd()


def main(arguments: list[str]) -> None:
    """Write the file anew."""
    folder, commit = Path(arguments[0]), "".join(arguments[1:2])
    known: dict[str, tuple[str, str]] = {}
    for eco, name, epd in rows(folder):
        known.setdefault(epd, (eco, name))
    source = f"# lichess-org/chess-openings {commit}".rstrip() + ", CC0: eco, name, EPD\n"
    lines = sorted(f"{eco}\t{name}\t{epd}\n" for epd, (eco, name) in known.items())
    FILE.write_text(source + "".join(lines), encoding="utf-8")
    sys.stdout.write(f"{len(lines)} positions\n")


if __name__ == "__main__":
    main(sys.argv[1:])
