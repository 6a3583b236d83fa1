"""The bracket on A4 landscape: the upper bracket, the lower one and all placement blocks, one page each.

Made for a pen as much as for a printer: rows high enough to write in, the score in a column of its own, and on a blank
sheet every box says where its loser goes. A bracket of 64 or 128 is cut into pages of sixteen rows at the most.
Lengths are tenths of a millimetre.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from brackets.cards import Card, Cards, SideCard, source_words
from brackets.engine.layout import Sheet, layout
from brackets.engine.topology import Seed, Source, WinnerOf
from brackets.labels import places_words
from brackets.tree import PARTS, column_title, part_of, part_title, sheet_title
from tourney.kernel.ids import MatchKey
from tourney.svg import fit, text_width

RIM = 4  # half a thick line: boxes stand at both edges
WIDTH, HEIGHT = 2790, 1700  # what is left of the paper beside margins, head and foot
ROWS, COLUMNS = 16, 8  # at most on a page
GAP = 60  # between two columns
HEAD = 54  # the names of the rounds
BAND = 26  # above a box: its match and a note
LEAST, MOST = 76, 116  # height of a box
BLOCK_BOX, BLOCK_PITCH, TITLE = 440, 150, 60  # placement blocks share a page
LANES = ((0, 3), (3 * BLOCK_BOX + 3 * GAP, 2))  # left edge, columns that fit
SCORE, NARROW_SCORE = 92, 76
NARROW = 330  # boxes narrower than this have no room for seeds
NAME, HINT, LABEL = 27, 20, 20  # letters: names are 7.6 points

Corner = tuple[int, int]
Feeders = Callable[[MatchKey], Collection[MatchKey]]


@dataclass(frozen=True, slots=True)
class Page:
    """One sheet of paper: its heading and its drawing."""

    title: str
    drawing: SafeString


@dataclass(frozen=True, slots=True)
class _Box:
    x: int
    y: int
    width: int
    height: int

    @property
    def middle(self) -> int:
        return self.y + self.height // 2

    @property
    def is_narrow(self) -> bool:
        return self.width < NARROW

    @property
    def line(self) -> int:
        """Where the column of the score begins."""
        return self.x + self.width - (NARROW_SCORE if self.is_narrow else SCORE)


def pages(cards: Cards, parts: Sequence[str], *, blank: bool) -> list[Page]:
    """Return the pages of some parts ("upper", "lower", "knockout", "places"); `blank`: without results."""
    sheets = layout(cards.table.spec)
    found: list[Page] = []
    for part in PARTS:
        mine = [sheet for sheet in sheets if part_of(sheet) == part] if part in parts else []
        if part == "places":
            found += _block_pages(cards, mine, blank=blank)
        else:
            for sheet in mine:
                found += _tree_pages(cards, sheet, blank=blank)
    return found


# -- what stands on which page ---------------------------------------------------------------------------------------


def _feeders(cards: Cards, sheet: Sheet) -> Feeders:
    """Return who feeds a match by winning, on the same sheet."""
    keys = {box.key for box in sheet.boxes}
    by_key = cards.table.spec.by_key

    def feeders(key: MatchKey) -> set[MatchKey]:
        sources = (by_key[key].a, by_key[key].b)
        return {source.match for source in sources if isinstance(source, WinnerOf) and source.match in keys}

    return feeders


def pieces(columns: Sequence[Sequence[MatchKey]], feeders: Feeders) -> Iterator[tuple[int, list[list[MatchKey]]]]:
    """Cut a tree into pages: the first column of each and its matches by column.

    A match stands on the page of its feeders; one whose feeders are on two pages stands on the later.
    """
    left = [list(column) for column in columns]
    printed: set[MatchKey] = set()
    while any(left):
        start = next(index for index, column in enumerate(left) if column)
        piece = [left[start][:ROWS]]
        here = set(piece[0])
        for column in left[start + 1 : start + COLUMNS]:
            fed = [key for key in column if set(feeders(key)) <= here | printed]
            piece.append([key for key in fed if set(feeders(key)) & here or not feeders(key)])
            here |= set(piece[-1])
        printed |= here
        left = [[key for key in column if key not in here] for column in left]
        while not piece[-1]:
            piece.pop()
        yield start, piece


def _tree_pages(cards: Cards, sheet: Sheet, *, blank: bool) -> Iterator[Page]:
    feeders = _feeders(cards, sheet)
    cut = list(pieces([column.matches for column in sheet.columns], feeders))
    for number, (start, piece) in enumerate(cut, start=1):
        width = (WIDTH - GAP * (len(piece) - 1)) // len(piece)
        width = min(width, 560)
        pitch = min((HEIGHT - HEAD) // max(len(column) for column in piece), 230)
        boxes = _place(piece, feeders, (0, HEAD), width, pitch)
        heads = [(index * (width + GAP), column_title(sheet, start + index, cards)) for index in range(len(piece))]
        title = sheet_title(sheet)
        if len(cut) > 1:
            title = _("%(title)s, sheet %(number)s of %(all)s") % {"title": title, "number": number, "all": len(cut)}
        yield Page(title, _svg(title, _drawn(cards, boxes, feeders, heads, HEAD - 18, blank=blank)))


def _block_pages(cards: Cards, sheets: Iterable[Sheet], *, blank: bool) -> Iterator[Page]:
    """Put the placement blocks side by side: wide ones in the left lane, narrow ones in the right."""
    waiting = list(sheets)
    title = part_title("places")
    while waiting:
        room = [HEIGHT] * len(LANES)
        drawn, later = [], []
        for sheet in waiting:
            lane = next((i for i in (1, 0) if len(sheet.columns) <= LANES[i][1]), None)
            rows = max(len(column.matches) for column in sheet.columns)
            height = TITLE + HEAD + rows * BLOCK_PITCH
            if lane is None:
                yield from _tree_pages(cards, sheet, blank=blank)
            elif height > room[lane] and room[lane] < HEIGHT:
                later.append(sheet)
            else:
                drawn.append(_block(cards, sheet, (LANES[lane][0], HEIGHT - room[lane]), blank=blank))
                room[lane] -= height + GAP // 2
        if drawn:
            yield Page(title, _svg(title, format_html_join("", "{}", ((one,) for one in drawn))))
        waiting = later


def _block(cards: Cards, sheet: Sheet, corner: Corner, *, blank: bool) -> SafeString:
    x, y = corner
    feeders = _feeders(cards, sheet)
    columns = [list(column.matches) for column in sheet.columns]
    boxes = _place(columns, lambda _key: (), (x, y + TITLE + HEAD), BLOCK_BOX, BLOCK_PITCH)
    heads = [(x + i * (BLOCK_BOX + GAP), column_title(sheet, i, cards)) for i in range(len(columns))]
    title = format_html('<text class="pp-title" x="{}" y="{}">{}</text>', x, y + TITLE - 20, sheet_title(sheet))
    return title + _drawn(cards, boxes, feeders, heads, y + TITLE + HEAD - 18, blank=blank)


def _place(
    columns: Sequence[Sequence[MatchKey]], feeders: Feeders, corner: Corner, width: int, pitch: int
) -> dict[MatchKey, _Box]:
    """Place matches in columns, each in the middle of its feeders; boxes are as high as their column allows."""
    boxes: dict[MatchKey, _Box] = {}
    for index, column in enumerate(columns):
        middles: list[int] = []
        for row, key in enumerate(column):
            known = [boxes[feeder].middle for feeder in feeders(key) if feeder in boxes]
            middles.append(sum(known) // len(known) if known else corner[1] + row * pitch + (pitch + BAND) // 2)
        apart = min((after - before for before, after in pairwise(middles)), default=2 * MOST)
        height = max(LEAST, min(MOST, min(apart, 2 * pitch) - BAND - 4))
        for key, middle in zip(column, middles, strict=True):
            boxes[key] = _Box(corner[0] + index * (width + GAP), middle - height // 2, width, height)
    return boxes


# -- the drawing -----------------------------------------------------------------------------------------------------


def _svg(title: str, content: SafeString) -> SafeString:
    return format_html(
        '<svg class="pp" viewBox="-{} 0 {} {}" role="img" aria-label="{}"><title>{}</title>{}</svg>',
        RIM,
        WIDTH + 2 * RIM,
        HEIGHT,
        title,
        title,
        content,
    )


def _drawn(
    cards: Cards,
    boxes: dict[MatchKey, _Box],
    feeders: Feeders,
    heads: Sequence[tuple[int, str]],
    head_y: int,
    *,
    blank: bool,
) -> SafeString:
    wires = format_html_join(
        "",
        '<polyline class="pp-wire" points="{}"/>',
        ((_wire(boxes[feeder], box),) for key, box in boxes.items() for feeder in feeders(key) if feeder in boxes),
    )
    titles = format_html_join("", '<text class="pp-head" x="{}" y="{}">{}</text>', ((x, head_y, t) for x, t in heads))
    drawn = format_html_join("", "{}", ((_box(cards.card(key), box, blank=blank),) for key, box in boxes.items()))
    return wires + titles + drawn


def _wire(start: _Box, end: _Box) -> str:
    left, turn = start.x + start.width, end.x - GAP // 2
    points = ((left, start.middle), (turn, start.middle), (turn, end.middle), (end.x, end.middle))
    return " ".join(f"{x},{y}" for x, y in points)


def _box(card: Card, box: _Box, *, blank: bool) -> SafeString:
    note = _way_of_the_loser(card) if blank else card.note
    room = box.width - int(text_width(card.key, LABEL)) - 20
    # The frame is one path: two rows, and a column for the score.
    return format_html(
        '<text class="pp-key" x="{x}" y="{y}">{key}</text><text class="pp-note" x="{right}" y="{y}">{note}</text>'
        '<path class="pp-box{live}" d="M{x} {top}h{w}v{h}h-{w}zM{x} {middle}h{w}M{line} {top}v{h}"/>{a}{b}',
        x=box.x,
        y=box.y - 6,
        key=card.key,
        right=box.x + box.width,
        note=fit(note, room, LABEL),
        live=" is-live" if card.is_live and not blank else "",
        top=box.y,
        w=box.width,
        h=box.height,
        middle=box.middle,
        line=box.line,
        a=_side(card.a, card.spec.a, box, 0, blank=blank),
        b=_side(card.b, card.spec.b, box, 1, blank=blank),
    )


def _way_of_the_loser(card: Card) -> str:
    """Return where the loser goes, or the place he has then."""
    if card.spec.loser_to is not None:
        return f"↓ {card.spec.loser_to.match}"
    if card.spec.winner_to is not None and card.spec.loser_place is not None:
        return f"↓ {places_words(card.spec.loser_place)}"
    return str(places_words(card.spec.places_open))


def _side(side: SideCard, source: Source, box: _Box, slot: int, *, blank: bool) -> SafeString:
    row = box.height // 2
    base = box.y + slot * row + row // 2 + NAME // 3
    hides = blank and not isinstance(source, Seed)  # on a blank sheet only the draw is known
    if hides or side.placeholder:
        words = source_words(source) if hides else side.name
        hint = fit(words, box.line - box.x - 12, HINT)
        return format_html('<text class="pp-hint" x="{}" y="{}">{}</text>', box.line - 6, base - 2, hint)
    start = box.x + 10
    seed = ""
    if side.seed and not box.is_narrow:
        seed = format_html('<text class="pp-seed" x="{}" y="{}">{}</text>', start, base, side.seed)
        start += 36
    score = "" if blank else side.score
    room = box.line - 8 - start
    name, squeezed = _name(side, room)
    return format_html(
        '{}<text class="pp-name{}" x="{}" y="{}"{}>{}</text>{}',
        seed,
        " is-won" if side.won and not blank else "",
        start,
        base,
        format_html(' textLength="{}" lengthAdjust="spacingAndGlyphs"', room) if squeezed else "",
        name,
        format_html(
            '<text class="pp-score{}" x="{}" y="{}">{}</text>',
            " is-long" if text_width(score, NAME) > box.x + box.width - box.line - 10 else "",
            box.x + box.width - 8,
            base,
            score,
        )
        if score
        else "",
    )


def _name(side: SideCard, room: int) -> tuple[str, bool]:
    """Return the name as it fits, and whether its letters must stand closer: whole, with an initial, or cut."""
    wide = 1.08 if side.won else 1.0
    for name in (side.name, side.short):
        if name and text_width(name, NAME) * wide <= room:
            return name, False
    name = side.short or side.name
    if text_width(name, NAME) * wide <= room * 1.35:
        return name, True
    return fit(name, room / wide, NAME), False
