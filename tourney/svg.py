"""Drawings made on the server: bracket trees, score charts, lottery drums. Pure functions of plain values.

A drawing carries classes only; its colours are in `static/tourney/components.css`, so light, dark and print work. Each
has a `<title>` and a `<desc>`; pages put the same facts beside it as a list.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString, mark_safe

from tourney.kernel.points import format_points

BOX_WIDTH = 208
BOX_HEIGHT = 52
ROW_GAP = 30  # between two boxes of a column: room for the note above each box
COLUMN_GAP = 36
HEAD = 28

Point = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Side:
    """One line of a box: a player, or with `placeholder` the words that say who will come ("winner of U2.3")."""

    name: str
    score: str = ""
    seed: str = ""
    placeholder: bool = False
    won: bool = False
    lost: bool = False
    short: str = ""  # shown where the name doesn't fit
    moved: bool = False  # comes here, or leaves, by what the page is about


@dataclass(frozen=True, slots=True)
class Box:
    """A match: its top left corner, two sides, and its look.

    `look`: "" or "need" (waits for the arbiter), "live", "path"; on a tree that shows a change before it is made "fix",
    "again", "move", "stay".
    """

    x: int
    y: int
    sides: tuple[Side, Side]
    label: str = ""
    note: str = ""
    href: str = ""
    look: str = ""


@dataclass(frozen=True, slots=True)
class Wire:
    """A connector through points; `on_path` marks the way of one player."""

    points: tuple[Point, ...]
    on_path: bool = False


@dataclass(frozen=True, slots=True)
class Bracket:
    """A tree ready to draw."""

    title: str
    desc: str
    boxes: tuple[Box, ...]
    wires: tuple[Wire, ...] = ()
    heads: tuple[tuple[int, str], ...] = ()  # (x, words) over a column
    width: int = 0  # 0: as large as the boxes need
    height: int = 0


@dataclass(frozen=True, slots=True)
class Progress:
    """Points (in half-points) after each round; `main` is the player the page is about, others are quiet lines."""

    title: str
    desc: str
    main: tuple[int, ...]
    others: tuple[tuple[str, tuple[int, ...]], ...] = ()
    rounds: int = 0  # planned; 0: as many as played
    round_word: str = ""


@dataclass(frozen=True, slots=True)
class Drum:
    """The numbers in the drum and those drawn, in the order drawn."""

    title: str
    desc: str
    numbers: tuple[str, ...]
    drawn: tuple[str, ...] = field(default=())


# -- geometry ------------------------------------------------------------------------------------------------------


def column_x(column: int) -> int:
    """Return the left edge of a column of boxes (0 is the first)."""
    return 1 + column * (BOX_WIDTH + COLUMN_GAP)


def slot_y(row: float, *, heads: bool = True) -> int:
    """Return the top edge of a box; `row` counts boxes of the fullest column and may end in .5, .25 …"""
    return round((HEAD if heads else 0) + 16 + row * (BOX_HEIGHT + ROW_GAP))


def elbow(source: Box, target: Box, slot: int, *, on_path: bool = False) -> Wire:
    """Return the connector from a box to line `slot` (0 or 1) of another box."""
    start = (source.x + BOX_WIDTH, source.y + BOX_HEIGHT // 2)
    end = (target.x, target.y + BOX_HEIGHT // 4 + slot * BOX_HEIGHT // 2)
    middle = end[0] - COLUMN_GAP // 2
    return Wire((start, (middle, start[1]), (middle, end[1]), end), on_path)


_WIDE = set("ЖМШЩЮФЫжмшщюфыmwMWQ@—")
_NARROW = set("іїІЇijlItfr.,:;'’|!()[] -1")


def text_width(text: str, size: int = 13) -> float:
    """Return a careful guess of a text's width in a sans-serif face (there is no font on the server)."""
    units = sum(
        0.86 if char in _WIDE else 0.36 if char in _NARROW else 0.7 if char.isupper() else 0.58 for char in text
    )
    return units * size


def fit(text: str, width: float, size: int = 13) -> str:
    """Return the text, shortened with an ellipsis if it would not fit."""
    if text_width(text, size) <= width:
        return text
    short = text
    while short and text_width(short + "…", size) > width:
        short = short[:-1]
    return short.rstrip(" ,.") + "…"


# -- drawings ------------------------------------------------------------------------------------------------------


def _svg(width: int, height: int, title: str, desc: str, content: SafeString, *, fluid: bool = False) -> SafeString:
    """Wrap a drawing. One that holds links is a group, so that readers reach them; others are an image."""
    size = SafeString("") if fluid else format_html(' width="{}" height="{}"', width, height)
    return format_html(
        '<svg{} class="{}" viewBox="0 0 {} {}" role="{}" aria-label="{}"><title>{}</title><desc>{}</desc>{}</svg>',
        size,
        "fluid" if fluid else "full",
        width,
        height,
        "img" if "<a " not in content else "group",
        title,
        title,
        desc,
        content,
    )


def _side(side: Side, y: int) -> SafeString:
    """Draw a line of a box; the box is at the origin, so that the same line is the same text everywhere (gzip)."""
    score_room = text_width(side.score) + 10 if side.score else 0
    seed_room = 24 if side.seed else 0
    seed = format_html('<text class="dr-label" x="8" y="{}">{}</text>', y, side.seed) if side.seed else ""
    room = BOX_WIDTH - 18 - score_room - seed_room
    room = round(room * 0.85) if side.won or side.moved else room  # these names are bold
    shown = side.name
    if text_width(side.name) > room:
        shown = fit(side.short or side.name, room)
    full = format_html("<title>{}</title>", side.name) if shown != side.name else ""
    score = (
        format_html('<text class="dr-score" x="{}" y="{}">{}</text>', BOX_WIDTH - 8, y, side.score)
        if side.score
        else ""
    )
    look = " dr-won" if side.won else " dr-lost" if side.lost else ""
    look += " dr-moved" if side.moved else ""
    inside = format_html(
        '{}<text class="dr-name{}" x="{}" y="{}">{}{}</text>{}',
        seed,
        " dr-place" if side.placeholder else "",
        8 + seed_room,
        y,
        full,
        shown,
        score,
    )
    return format_html('<g class="dr-side{}">{}</g>', look, inside) if look else inside


def _box(box: Box) -> SafeString:
    note_room = BOX_WIDTH - text_width(box.label, 11) - 14
    note = fit(box.note, note_room, 11)
    inside = format_html(
        '<text class="dr-label" y="-5">{}</text>{}'
        '<rect class="dr-box" width="{w}" height="{h}" rx="4"/><path class="dr-split" d="M0 {middle}h{w}"/>{}{}',
        box.label,
        format_html('<text class="dr-note" x="{}" y="-5">{}</text>', BOX_WIDTH, note) if note else "",
        _side(box.sides[0], 18),
        _side(box.sides[1], 18 + BOX_HEIGHT // 2),
        w=BOX_WIDTH,
        h=BOX_HEIGHT,
        middle=BOX_HEIGHT // 2,
    )
    if box.href:
        words = f"{box.label}: {box.sides[0].name} – {box.sides[1].name}"
        inside = format_html('<a href="{}" aria-label="{}">{}</a>', box.href, words, inside)
    look = f" dr-{box.look}" if box.look else ""
    return format_html('<g class="dr-match{}" transform="translate({} {})">{}</g>', look, box.x, box.y, inside)


def _wires(wires: Sequence[Wire]) -> SafeString:
    """Draw all connectors as one path, and those on a player's way as another one above it."""
    drawn = []
    for look, on_path in (("dr-wire", False), ("dr-wire is-path", True)):
        way = "".join(_way(wire.points) for wire in wires if wire.on_path is on_path)
        if way:
            drawn.append((look, way))
    return format_html_join("", '<path class="{}" d="{}"/>', drawn)


def _way(points: Sequence[Point]) -> str:
    """Return a connector's path: absolute at its start, then steps across and up or down."""
    (x, y), steps = points[0], []
    for here, there in pairwise(points):
        across, down = there[0] - here[0], there[1] - here[1]
        steps.append(f"h{across}" if not down else f"v{down}" if not across else f"l{across} {down}")
    return f"M{x} {y}{''.join(steps)}"


def bracket(drawing: Bracket) -> SafeString:
    """Draw a bracket tree at its natural size; the page scrolls it."""
    width = drawing.width or max((box.x for box in drawing.boxes), default=0) + BOX_WIDTH + 1
    height = drawing.height or max((box.y for box in drawing.boxes), default=0) + BOX_HEIGHT + 2
    heads = format_html_join("", '<text class="dr-head" x="{}" y="14">{}</text>', drawing.heads)
    boxes = format_html_join("", "{}", ((_box(box),) for box in drawing.boxes))
    return _svg(width, height, drawing.title, drawing.desc, format_html("{}{}{}", _wires(drawing.wires), heads, boxes))


def progress(chart: Progress) -> SafeString:
    """Draw points after each round as lines that start at nought."""
    rounds = max(chart.rounds, len(chart.main), *(len(line) for _, line in chart.others), 1)
    top = max([2, *chart.main, *(point for _, line in chart.others for point in line)])
    top += top % 2
    left, right, width, height = 34, 120 if chart.others else 40, 640, 260
    floor, ceiling = height - 30, 16

    def at(number: int, value: int) -> Point:
        x = left + (width - left - right) * number / rounds
        return round(x), round(floor - (floor - ceiling) * value / top)

    def line(values: tuple[int, ...]) -> str:
        return " ".join(f"{x},{y}" for x, y in (at(number, value) for number, value in enumerate((0, *values))))

    step = 2 * max(1, math.ceil(top / 2 / 6))
    grid = format_html_join(
        "",
        '<path class="dr-grid" d="M{} {}H{}"/><text class="dr-axis dr-end" x="{}" y="{}">{}</text>',
        (
            (left, at(0, value)[1], width - right, left - 8, at(0, value)[1] + 4, format_points(value))
            for value in range(0, top + 1, step)
        ),
    )
    every = max(1, math.ceil(rounds / 12))
    axis = format_html_join(
        "",
        '<text class="dr-axis dr-mid" x="{}" y="{}">{}</text>',
        ((at(number, 0)[0], height - 10, number) for number in range(every, rounds + 1, every)),
    )
    others = format_html_join(
        "",
        '<polyline class="dr-line" points="{}"/><text class="dr-axis" x="{}" y="{}">{}</text>',
        (
            (line(values), at(len(values), values[-1])[0] + 8, at(0, values[-1])[1] + 4, fit(name, right - 12, 12))
            for name, values in chart.others
            if values
        ),
    )
    dots = format_html_join(
        "",
        '<circle class="dr-dot" cx="{}" cy="{}" r="5"><title>{}</title></circle>',
        (
            (*at(number, value), f"{chart.round_word} {number}: {format_points(value)}".strip())
            for number, value in enumerate(chart.main, 1)
        ),
    )
    last = (
        format_html(
            '<text class="dr-score" x="{}" y="{}">{}</text>',
            at(len(chart.main), 0)[0] + 8,
            max(12, at(0, chart.main[-1])[1] - 10),
            format_points(chart.main[-1]),
        )
        if chart.main
        else ""
    )
    word = format_html(
        '<text class="dr-axis" x="{}" y="{}">{}</text>', width - right + 12, height - 10, chart.round_word
    )
    content = format_html(
        '{}{}{}{}<polyline class="dr-line is-main" points="{}"/>{}{}',
        grid,
        axis,
        word,
        others,
        line(chart.main),
        dots,
        last,
    )
    return _svg(width, height, chart.title, chart.desc, content, fluid=True)


def drum(value: Drum) -> SafeString:
    """Draw a drum: every number is a ball, the drawn ones leave it to a row on the right, in their order."""
    inside = [number for number in value.numbers if number not in value.drawn]
    radius, ball = 118, 15
    balls = []
    for index, number in enumerate(inside):
        # A sunflower spiral fills the disc evenly with any count of balls.
        distance = (radius - ball - 8) * math.sqrt((index + 0.5) / max(len(inside), 1))
        angle = index * math.pi * (3 - math.sqrt(5))
        balls.append((round(130 + distance * math.cos(angle)), round(130 + distance * math.sin(angle)), number))
    size = 9 if len(inside) > 40 else ball
    disc = format_html_join(
        "",
        '<circle class="dr-ball" cx="{}" cy="{}" r="{}"/><text class="dr-axis dr-mid" x="{}" y="{}">{}</text>'
        if len(inside) <= 40
        else '<circle class="dr-ball" cx="{}" cy="{}" r="{}"><title>{}</title></circle>',
        ((x, y, size, x, y + 4, number) if len(inside) <= 40 else (x, y, size, number) for x, y, number in balls),
    )
    drawn = format_html_join(
        "",
        '<g class="dr-drawn"><circle class="dr-ball is-won" cx="{}" cy="{}" r="26"/>'
        '<text class="dr-won-text dr-mid" x="{}" y="{}">{}</text></g>',
        (
            (310 + 66 * (index % 5), 70 + 66 * (index // 5), 310 + 66 * (index % 5), 75 + 66 * (index // 5), number)
            for index, number in enumerate(value.drawn)
        ),
    )
    balls_group = format_html('<g class="dr-balls">{}</g>', disc)
    stand = mark_safe('<path class="dr-drum" d="M60 256h140M130 248v8M248 130h22"/>')  # a constant
    shell = format_html('<circle class="dr-drum" cx="130" cy="130" r="{}"/>', radius)
    height = max(262, 104 + 66 * ((len(value.drawn) - 1) // 5))
    return _svg(
        620, height, value.title, value.desc, format_html("{}{}{}{}", stand, shell, balls_group, drawn), fluid=True
    )
