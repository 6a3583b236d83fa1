"""The bracket drawn: parts, sheets, the tree of each, and the same as a list by rounds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from brackets.cards import Card, Cards, source_words
from brackets.engine.layout import Metrics, Sheet, layout
from brackets.engine.topology import BracketSpec, Places
from brackets.labels import place_text
from tourney import svg

SCREEN = Metrics(svg.BOX_WIDTH, svg.BOX_HEIGHT, 26, 22, head=46, margin=1)
PAPER = Metrics(svg.BOX_WIDTH, svg.BOX_HEIGHT, 24, 16, head=40, margin=1)
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
    """One sheet: its title, the drawing, the rounds."""

    id: str
    title: str
    drawing: svg.Bracket
    rounds: tuple[RoundList, ...]


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


def draw_sheet(cards: Cards, sheet: Sheet, *, player: int | None = None, blank: bool = False) -> Drawn:
    """Return a sheet with its drawing. `player`: whose path is marked; `blank`: nothing but the graph, for a pen."""
    found = {box.key: cards.card(box.key) for box in sheet.boxes}
    path = {key for key, card in found.items() if player is not None and player in (card.view.a, card.view.b)}
    boxes = tuple(
        svg.Box(
            box.x,
            box.y,
            _blank_sides(found[box.key]) if blank else _sides(found[box.key]),
            label=box.key,
            note="" if blank else found[box.key].note,
            href="" if blank else found[box.key].href,
            look="path" if box.key in path else "live" if found[box.key].is_live and not blank else "",
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
    return Drawn(f"tree-{sheet.code}", title, drawing, rounds)


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


def _blank_sides(card: Card) -> tuple[svg.Side, svg.Side]:
    """Return the sides of a sheet filled in by hand: drawn players of the first round, else where they come from."""
    first, second = (
        svg.Side(side.name, seed=str(side.seed or ""), short=side.short)
        if hasattr(source, "number")
        else svg.Side(source_words(source), placeholder=True)
        for side, source in ((card.a, card.spec.a), (card.b, card.spec.b))
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
