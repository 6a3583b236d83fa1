"""Reading report files: TRF16, the TRFx extensions and TRF26, forgiving in form and strict in meaning.

A line that can't be understood stops the reading with its line and column (`ImportFileError`): half a tournament is
worse than none. What can be understood but contradicts itself (points that don't fit the results, a game with two
different results) is read as written and listed in `Trf.remarks`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any

from tourney.kernel.colors import Color
from tourney.kernel.errors import ImportFileError
from tourney.kernel.outcomes import ByeKind, Scoring
from tourney.kernel.points import HALF, ONE, ZERO, Points, parse_points
from tourney.kernel.trf.decoding import by_bytes, decode, from_bytes, numbered_lines
from tourney.kernel.trf.values import ForbiddenGroup, NationalData, Trf, TrfCell, TrfPlayer, TrfRemark

MAX_NUMBER = 9999
MAX_ROUNDS = 99
MAX_RATING = 4000
FIRST_ROUND_COLUMN = 92
ROUND_WIDTH = 10

_TITLES = {
    "g": "GM",
    "m": "IM",
    "f": "FM",
    "c": "CM",
    "wg": "WGM",
    "wm": "WIM",
    "wf": "WFM",
    "wc": "WCM",
    **{title.lower(): title for title in ("GM", "IM", "FM", "CM", "WGM", "WIM", "WFM", "WCM")},
}
_SEXES = {"m": "m", "w": "w", "f": "w", "": ""}
_COLORS = {"w": Color.WHITE, "b": Color.BLACK}
_RESULTS = frozenset("1=0WDL+-HFUZ")
_NO_OPPONENT = {"+": "U", "1": "F", "=": "H", "0": "Z", "-": "Z", "": "Z", "W": "F", "D": "H", "L": "Z"}
_NATIONAL = re.compile(r"^[A-Z]{3} +\d+ ")
_HEADERS = frozenset(f"{code:03}" for code in (*range(12, 132, 10), 172, 182, 192, 202, 212, 222, 352, 362))
