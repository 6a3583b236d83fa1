"""The bracket drawn: parts, sheets, the tree of each, and the same as a list by rounds."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from brackets.cards import Card, Cards
from brackets.crosstables import CrossTable, crosstables
from brackets.engine.layout import Metrics, Sheet, layout
from brackets.engine.topology import BracketSpec, Places
from brackets.labels import place_text
from tourney import svg
from tourney.kernel.ids import MatchKey

SCREEN = Metrics(svg.BOX_WIDTH, svg.BOX_HEIGHT, 26, 22, head=46, margin=1)
HALL = Metrics(svg.BOX_WIDTH, svg.BOX_HEIGHT, 26, 24, head=46, margin=1)
PARTS = ("upper", "lower", "knockout", "places")


@dataclass(frozen=True, slots=True)
class RoundList:
    """A column of the tree as a list."""

    id: str
    title: str
    cards: tuple[Card, ...]

    @property
    def open(self) -> int:
        return sum(1 for card in self.cards if card.is_live)


@dataclass(frozen=True, slots=True)
class Drawn:
    """One sheet: its title, the drawing, the rounds, the little tables played on it."""

    id: str
    title: str
    drawing: svg.Bracket
    rounds: tuple[RoundList, ...]
    tables: tuple[CrossTable, ...] = ()


def parts_of(spec: BracketSpec) -> list[str]:
    """Return which parts a bracket has."""
    return [part for part in PARTS if sheets_of(spec, part)]


def sheets_of(spec: BracketSpec, part: str, metrics: Metrics = SCREEN) -> list[Sheet]:
    """Return the sheets of a part; placement blocks are one part together."""
    return [sheet for sheet in layout(spec, metrics) if part_of(sheet) == part]


def part_of(sheet: Sheet) -> str:
    return sheet.code if sheet.code in PARTS else "places"


def part_title(part: str) -> str:
    return {
        "upper": _("Upper bracket"),
        "lower": _("Lower bracket"),
        "knockout": _("Knockout"),
        "places": _("Placement matches"),
    }[part]


def sheet_title(sheet: Sheet) -> str:
    if sheet.code in ("upper", "lower", "knockout"):
        return part_title(sheet.code)
    return _("Places %(places)s") % {"places": place_text(sheet.places)}


def draw_sheet(cards: Cards, sheet: Sheet, *, player: int | None = None) -> Drawn:
    """Return a sheet with its drawing. `player`: whose path is marked."""
    found = {box.key: cards.card(box.key) for box in sheet.boxes}
    path = {key for key, card in found.items() if player is not None and player in (card.view.a, card.view.b)}
    boxes = tuple(
        svg.Box(
            box.x,
            box.y,
            _sides(found[box.key]),
            label=box.key,
            note=found[box.key].note,
            href=found[box.key].href,
            look="path" if box.key in path else "live" if found[box.key].is_live else "",
        )
        for box in sheet.boxes
    )
    wires = tuple(svg.Wire(line.points, on_path=line.start in path and line.end in path) for line in sheet.lines)
    columns = [(column.x, column_title(sheet, index, cards)) for index, column in enumerate(sheet.columns)]
    title = sheet_title(sheet)
    matches = len(sheet.boxes)
    drawing = svg.Bracket(
        title,
        ngettext("%(n)d match, from left to right", "%(n)d matches, from left to right", matches) % {"n": matches},
        boxes,
        wires,
        tuple(columns),
        sheet.width,
        sheet.height,
    )
    rounds = tuple(
        RoundList(
            f"r-{sheet.code}-{column.number}",
            words if sheet.code in ("upper", "lower", "knockout") else f"{title}, {words}",
            tuple(found[key] for key in column.matches),
        )
        for column, (_x, words) in zip(sheet.columns, columns, strict=True)
    )
    tables = crosstables(cards, tuple(found))
    return Drawn(f"tree-{sheet.code}", title, drawing, rounds, tables)


def column_title(sheet: Sheet, index: int, cards: Cards) -> str:
    """Return the head of a column: its round, or the final."""
    stage = sheet.columns[index].stage
    if stage == "GF":
        return _("Final")
    if sheet.code in ("upper", "lower") and stage[0] in "UL":
        return _("Round %(number)s") % {"number": stage[1:]}
    if sheet.code == "knockout" and index == len(sheet.columns) - 1:
        return _("Final")
    return _("Round %(number)s") % {"number": index + 1}


def box_of(card: Card, x: int, y: int, *, linked: bool = True) -> svg.Box:
    """Return the box of a match as everybody sees it."""
    return svg.Box(
        x,
        y,
        _sides(card),
        label=card.key,
        note=card.note,
        href=card.href if linked else "",
        look="live" if card.is_live else "",
    )


def placed(
    columns: Sequence[Sequence[MatchKey]], feeders: Callable[[MatchKey], Collection[MatchKey]], metrics: Metrics
) -> tuple[dict[MatchKey, tuple[int, int]], tuple[svg.Wire, ...]]:
    """Place a piece of a tree by itself: corners of the boxes, and the wires between them.

    A box stands in the middle of its feeders, but never on the box above it.
    """
    corners: dict[MatchKey, tuple[int, int]] = {}
    wires = []
    for index, column in enumerate(columns):
        x, free = metrics.margin + index * metrics.pitch_x, metrics.margin + metrics.head
        for key in column:
            found = [corners[feeder] for feeder in feeders(key) if feeder in corners]
            y = max(free, sum(corner[1] for corner in found) // len(found)) if found else free
            corners[key], free = (x, y), y + metrics.pitch_y
            wires += [_elbow(corner, (x, y), metrics) for corner in found]
    return corners, tuple(wires)


def _elbow(start: tuple[int, int], end: tuple[int, int], metrics: Metrics) -> svg.Wire:
    left, right = start[0] + metrics.box_width, end[0]
    turn, half = right - metrics.gap_x // 2, metrics.box_height // 2
    points = ((left, start[1] + half), (turn, start[1] + half), (turn, end[1] + half), (right, end[1] + half))
    return svg.Wire(points)


def _sides(card: Card) -> tuple[svg.Side, svg.Side]:
    first, second = (
        svg.Side(
            side.name,
            score=side.score,
            seed=str(side.seed or ""),
            placeholder=side.placeholder,
            won=side.won,
            lost=side.lost,
            short=side.short,
        )
        for side in card.sides
    )
    return first, second


def place_rows(cards: Cards, order: Sequence[tuple[Places, int]], players: int) -> list[tuple[str, int | None]]:
    """Return places from first to last with who has them; a place nobody has yet has None."""
    rows: list[tuple[str, int | None]] = []
    taken = {place for places, _entry in order for place in range(places.first, places.last + 1)}
    for places, entry in order:
        rows.append((place_text(places), entry))
    rows += [(str(place), None) for place in range(1, players + 1) if place not in taken]
    return sorted(rows, key=lambda row: int(row[0].partition("–")[0]))
