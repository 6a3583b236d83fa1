"""Names of openings, looked up by position, so that a transposition has its name too.

`openings.tsv` is made by `python -m tourney.openings.make` from lichess-org/chess-openings (CC0); its first line says
from which state of it. A position is an EPD: placement, side to move, castling, en passant only where it is legal.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

FILE = Path(__file__).with_name("openings.tsv")
LAST_PLY = 40  # no named line is longer: later positions need not be looked up


@dataclass(frozen=True, slots=True)
class Opening:
    """A named opening: its ECO code (A00–E99) and English name ("Sicilian Defense: Najdorf Variation")."""

    eco: str
    name: str


@cache
def openings() -> dict[str, Opening]:
    """Return all named positions by EPD."""
    lines = FILE.read_text(encoding="utf-8").splitlines()
    rows = (line.split("\t") for line in lines if not line.startswith("#"))
    return {epd: Opening(eco, name) for eco, name, epd in rows}


def opening_of(epds: Iterable[str]) -> Opening | None:
    """Return the name of the last named position of a game, given its first positions in order."""
    known = openings()
    found = None
    for epd in epds:
        found = known.get(epd, found)
    return found
