"""Where everything stands on the drawn bracket: boxes and elbow lines in whole pixels, one sheet for each page.

Left to right, a column for each round, a match centred between those whose winners come to it. Only winners have lines;
who drops from another part is named in words in the box, because lines across half a page can't be followed. Sheets:
the upper bracket with the final, the lower bracket, the knock-out after a return, one for each placement block.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from brackets.engine.topology import Bracket, BracketSpec, MatchSpec, Places, WinnerOf
from tourney.kernel.ids import MatchKey

_TREES: Final = ("upper", "lower", "knockout")


@dataclass(frozen=True, slots=True)
class Metrics:
    """Sizes in pixels. `box_height` 44 is the least a finger hits."""

    box_width: int = 168
    box_height: int = 44
    gap_x: int = 28
    gap_y: int = 12
    head: int = 28  # above the first box, for the name of the round
    margin: int = 8

    @property
    def pitch_x(self) -> int:
        return self.box_width + self.gap_x

    @property
    def pitch_y(self) -> int:
        return self.box_height + self.gap_y


@dataclass(frozen=True, slots=True)
class Box:
    """A match on the drawing, by its upper left corner."""

    key: MatchKey
    x: int
    y: int
    width: int
    height: int

    @property
    def middle(self) -> int:
        return self.y + self.height // 2


@dataclass(frozen=True, slots=True)
class Line:
    """The way of a winner from one box to another: from the right edge, across, up or down, to the left edge."""

    start: MatchKey
    end: MatchKey
    points: tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class Column:
    """One round on a sheet: its head stands at `x`; the matches are in order from top to bottom."""

    x: int
    stage: str  # "U1", "L4", "GF", "P17" …
    number: int  # of the column on its sheet, from 1
    slot: int
    matches: tuple[MatchKey, ...]


@dataclass(frozen=True, slots=True)
class Sheet:
    """One page. `code`: ``upper``, ``lower``, ``knockout`` or a block (``P17``, ``Kd``); `places`: what it decides."""

    code: str
    bracket: Bracket
    places: Places
    width: int
    height: int
    columns: tuple[Column, ...]
    boxes: tuple[Box, ...]
    lines: tuple[Line, ...]


def layout(spec: BracketSpec, metrics: Metrics | None = None) -> tuple[Sheet, ...]:
    """Return the sheets of a bracket: upper, lower, knock-out, then the placement blocks from the best places down."""
    sizes = metrics or Metrics()
    return tuple(_sheet(code, matches, spec, sizes) for code, matches in _groups(spec))


def _groups(spec: BracketSpec) -> Iterator[tuple[str, list[MatchSpec]]]:
    groups: dict[str, list[MatchSpec]] = {}
    for match in spec.matches:
        groups.setdefault(_page(match), []).append(match)
    trees = [code for code in _TREES if code in groups]
    blocks = [code for code in groups if code not in _TREES]
    blocks.sort(key=lambda code: min(match.places_open.first for match in groups[code]))
    for code in trees + blocks:
        yield code, groups[code]


def _page(match: MatchSpec) -> str:
    """Return the code of the sheet a match is drawn on."""
    match match.bracket:
        case Bracket.UPPER | Bracket.FINAL:
            return "upper"
        case Bracket.LOWER:
            return "lower"
        case Bracket.KNOCKOUT if match.places_open.first == 1:
            return "knockout"
        case Bracket.KNOCKOUT:
            # The first step down opens a block of its own: "Kud" and what follows from it.
            name = match.key.partition(".")[0]
            return name[: name.index("d") + 1]
        case Bracket.PLACE:
            return match.stage


def _sheet(code: str, matches: Sequence[MatchSpec], spec: BracketSpec, sizes: Metrics) -> Sheet:
    columns = _columns(matches)
    tree = code in _TREES
    keys = {match.key for match in matches}
    boxes: dict[MatchKey, Box] = {}
    for index, column in enumerate(columns):
        x = sizes.margin + index * sizes.pitch_x
        for row, match in enumerate(column):
            feeders = [
                boxes[source.match].middle
                for source in (match.a, match.b)
                if isinstance(source, WinnerOf) and source.match in boxes
            ]
            if tree and feeders:
                y = sum(feeders) // len(feeders) - sizes.box_height // 2
            else:
                y = sizes.margin + sizes.head + row * sizes.pitch_y
            boxes[match.key] = Box(match.key, x, y, sizes.box_width, sizes.box_height)
    lines = [
        _line(boxes[source.match], boxes[match.key], sizes)
        for match in matches
        for source in (match.a, match.b)
        if isinstance(source, WinnerOf) and source.match in keys
    ]
    bottom = max(box.y + box.height for box in boxes.values())
    return Sheet(
        code=code,
        bracket=matches[0].bracket,
        places=Places(
            min(match.places_open.first for match in matches), max(match.places_open.last for match in matches)
        ),
        width=2 * sizes.margin + len(columns) * sizes.pitch_x - sizes.gap_x,
        height=bottom + sizes.margin,
        columns=tuple(
            Column(
                x=sizes.margin + index * sizes.pitch_x,
                stage=column[0].stage,
                number=index + 1,
                slot=column[0].slot,
                matches=tuple(match.key for match in column),
            )
            for index, column in enumerate(columns)
        ),
        boxes=tuple(boxes.values()),
        lines=tuple(lines),
    )


def _columns(matches: Sequence[MatchSpec]) -> list[list[MatchSpec]]:
    """Return the rounds from left to right; in a placement block the better places stand above."""
    by_slot: dict[int, list[MatchSpec]] = {}
    for match in matches:
        by_slot.setdefault(match.slot, []).append(match)
    for column in by_slot.values():
        column.sort(key=lambda match: (match.places_open.first, match.number))
    return [column for _, column in sorted(by_slot.items())]


def _line(start: Box, end: Box, sizes: Metrics) -> Line:
    left, right = start.x + start.width, end.x
    turn = right - sizes.gap_x // 2
    points = [(left, start.middle), (turn, start.middle), (turn, end.middle), (right, end.middle)]
    if start.middle == end.middle:
        points = [points[0], points[-1]]
    return Line(start.key, end.key, tuple(points))
