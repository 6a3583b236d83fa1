"""Sheets on A4: values in, PDF out. Black and white, our own fonts, no clock, no database.

A table takes the largest letters at which its widest rows fit, between `LEAST` and `MOST`; what does not fit upright is
laid across, and what does not fit even so is cut with a mark. Every page says when it was made, and which sheet it
replaces. Lengths are points from the lower left corner.
"""

from __future__ import annotations

import io
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from reportlab.lib.pagesizes import A4, landscape
from reportlab.pdfbase.pdfmetrics import stringWidth
from reportlab.pdfgen.canvas import Canvas

from tourney.paper import DARK, Align, Card, Column, Sheet, Slip, Table, Tree
from tourney.pdf_fonts import BOLD, TEXT, register_fonts, wrapped

MARGIN = 36.0  # half an inch: what every office printer reaches
MOST, LEAST, SIDE_BY_SIDE_LEAST = 14.0, 7.0, 9.0  # sizes of letters in a table
UPRIGHT_LEAST = 9.0  # smaller letters than these, and the table is laid across
HEADS = 0.75  # of a table, in sizes of its letters
PAD = 5.0  # beside a cell's text
MOST_SCALE = 0.75  # points for a unit of a tree
CLOSEST = 1.2  # the same where that saves a page
LEADING = 1.55  # height of a row in sizes of its letters
CUT = "…"
SLIPS_ACROSS, SLIPS_DOWN = 2, 4
CARDS_ACROSS, CARDS_DOWN = 2, 5
GREY = 0.85  # of heads: still black on white for a copier


@dataclass(frozen=True, slots=True)
class Stamped:
    """A sheet to print with its words at the foot: when it was made, what it replaces (empty: nothing)."""

    sheet: Sheet
    made: str
    replaces: str = ""


@dataclass(frozen=True, slots=True)
class Pack:
    """Everything of one print, and the words every page shares. `page_words` has two blanks: ``page {} of {}``."""

    event: str
    language: str
    title: str
    page_words: str
    sheets: tuple[Stamped, ...]


def draw_pack(pack: Pack) -> bytes:
    """Return the PDF of a pack."""
    register_fonts()
    written = io.BytesIO()
    canvas = Canvas(written, pagesize=A4, lang=pack.language, invariant=True, pageCompression=1)
    canvas.setTitle(pack.title)
    canvas.setAuthor(pack.event)
    for stamped in pack.sheets:
        _Drawing(canvas, pack, stamped).draw()
    canvas.save()
    return written.getvalue()


class _Drawing:
    """Draws one sheet page by page."""

    def __init__(self, canvas: Canvas, pack: Pack, stamped: Stamped) -> None:
        self.canvas, self.pack, self.stamped, self.sheet = canvas, pack, stamped, stamped.sheet
        self.width, self.height = A4

    def draw(self) -> None:
        content = self.sheet.content
        self.canvas.bookmarkPage(self.sheet.key or self.sheet.title)
        if isinstance(content, Table):
            self._table(content)
        elif isinstance(content, Tree):
            self._tree(content)
        elif content and isinstance(content[0], Slip):
            self._pieces(content, SLIPS_ACROSS, SLIPS_DOWN)
        else:
            self._pieces(content, CARDS_ACROSS, CARDS_DOWN)

    # -- head and foot -----------------------------------------------------------------------------------------------

    def _page(self, number: int, count: int, *, lying: bool = False) -> float:
        """Begin a page with head and foot; return where its content begins."""
        self.width, self.height = landscape(A4) if lying else A4
        self.canvas.setPageSize((self.width, self.height))
        right, y = self.width - MARGIN, self.height - MARGIN - 8
        self._text(MARGIN, y, self.pack.event, TEXT, 9, right - MARGIN - 150)
        if self.sheet.group:
            self._text(right, y, self.sheet.group, TEXT, 9, 150, "right")
        self.canvas.setLineWidth(0.8)
        self.canvas.line(MARGIN, y - 5, right, y - 5)
        y -= 28
        title = f"{self.sheet.group} · {self.sheet.title}" if self.sheet.group else self.sheet.title
        room = right - MARGIN
        size = min(20.0, 20.0 * room / max(stringWidth(title, BOLD, 20), 1))
        self._text(MARGIN, y, title, BOLD, size, room)
        if self.sheet.subtitle:
            y -= 15
            self._text(MARGIN, y, self.sheet.subtitle, TEXT, 10, room)
        if self.stamped.replaces:
            y -= 20
            width = min(stringWidth(self.stamped.replaces, BOLD, 10) + 12, room)
            self.canvas.rect(MARGIN, y - 5, width, 17, stroke=1, fill=0)
            self._text(MARGIN + 6, y, self.stamped.replaces, BOLD, 10, room - 12)
        self._text(MARGIN, MARGIN - 10, self.stamped.made, TEXT, 8, room - 120)
        if count > 1:
            self._text(right, MARGIN - 10, self.pack.page_words.format(number, count), TEXT, 8, 120, "right")
        return y - 12

    def _text(self, x: float, y: float, text: str, font: str, size: float, room: float, align: Align = "left") -> None:
        shown = cut(text, font, size, room)
        self.canvas.setFont(font, size)
        if align == "right":
            self.canvas.drawRightString(x, y, shown)
        elif align == "center":
            self.canvas.drawCentredString(x, y, shown)
        else:
            self.canvas.drawString(x, y, shown)

    def _head_height(self) -> float:
        return 56.0 + (15 if self.sheet.subtitle else 0) + (20 if self.stamped.replaces else 0)

    # -- tables ------------------------------------------------------------------------------------------------------

    def _table(self, table: Table) -> None:
        room = A4[0] - 2 * MARGIN
        half = (room - 18) / 2
        widths = natural_widths(table)
        lying, halves = False, 1
        size = fitting(widths, room)
        if table.side_by_side and len(table.rows) > 12 and fitting(widths, half) >= SIDE_BY_SIDE_LEAST:
            halves, room = 2, half
            size = fitting(widths, half)
        elif size < UPRIGHT_LEAST:
            lying, room = True, A4[1] - 2 * MARGIN
            size = fitting(widths, room)
        size = max(size, LEAST)
        edges = _edges(widths, size, room)
        row = size * LEADING
        paper = A4[0] if lying else A4[1]
        legend = self._legend_lines(table, (A4[1] if lying else A4[0]) - 2 * MARGIN)
        space = paper - 2 * MARGIN - self._head_height() - row - 8
        fits = max(1, int(space / row))
        last = max(1, int((space - 11 * len(legend) - 6) / row)) if legend else fits
        # A little too long for one page: closer rows, down to where lines would touch, save a second sheet.
        per_page, lines = halves * fits, -(-len(table.rows) // halves)
        room_for_rows = space - (11 * len(legend) + 6 if legend else 0)
        if lines > last and lines * size * CLOSEST <= room_for_rows:
            row = room_for_rows / lines
            per_page, fits, last = halves * lines, lines, lines
        pages = self._paged(table.rows, per_page, halves * last)
        for number, rows in enumerate(pages, start=1):
            top = self._page(number, len(pages), lying=lying)
            # A last page is filled evenly, a full one from top to bottom.
            column = fits if len(rows) > fits or halves == 1 else -(-len(rows) // halves)
            if halves == 2:
                column = min(fits, -(-len(rows) // 2)) if number == len(pages) else fits
            for part in range(halves):
                mine = rows[part * column : (part + 1) * column]
                if mine:
                    bottom = self._rows(table, mine, MARGIN + part * (room + 18), top, edges, size, row)
            if number == len(pages):
                for index, line in enumerate(legend):
                    self._text(MARGIN, bottom - 14 - 11 * index, line, TEXT, 8, self.width - 2 * MARGIN)
            self.canvas.showPage()

    def _paged(self, rows: Sequence[tuple[str, ...]], most: int, last: int) -> list[Sequence[tuple[str, ...]]]:
        """Cut rows into pages; the last one has room for `last` only."""
        pages: list[Sequence[tuple[str, ...]]] = []
        start = 0
        while len(rows) - start > last:
            end = min(start + most, len(rows) - 1) if len(rows) - start <= most else start + most
            pages.append(rows[start:end])
            start = end
        pages.append(rows[start:])
        return pages

    def _legend_lines(self, table: Table, room: float) -> list[str]:
        return wrapped(" · ".join(table.legend), TEXT, 8, room) if table.legend else []

    def _rows(
        self,
        table: Table,
        rows: Sequence[tuple[str, ...]],
        left: float,
        top: float,
        edges: Sequence[float],
        size: float,
        row: float,
    ) -> float:
        """Draw heads and rows from a top edge; return the bottom edge."""
        canvas = self.canvas
        right, y = left + edges[-1], top - row
        canvas.setFillGray(GREY)
        canvas.rect(left, y, right - left, row, stroke=0, fill=1)
        canvas.setFillGray(0)
        for index, column in enumerate(table.columns):
            self._cell(column, column.head, left, edges, index, y, row, TEXT, size * HEADS)
        canvas.setLineWidth(0.4)
        for cells in rows:
            y -= row
            canvas.line(left, y, right, y)
            for index, (column, text) in enumerate(zip(table.columns, cells, strict=True)):
                if text == DARK:
                    canvas.setFillGray(0.25)
                    canvas.rect(left + edges[index], y, edges[index + 1] - edges[index], row, stroke=0, fill=1)
                    canvas.setFillGray(0)
                    continue
                self._cell(column, text, left, edges, index, y, row, BOLD if column.strong else TEXT, size)
        self._uprights(table, left, edges, top, y)
        return y

    def _cell(
        self,
        column: Column,
        text: str,
        left: float,
        edges: Sequence[float],
        index: int,
        y: float,
        row: float,
        font: str,
        size: float,
    ) -> None:
        start, end = left + edges[index], left + edges[index + 1]
        x = {"left": start + PAD, "right": end - PAD, "center": (start + end) / 2}[column.align]
        self._text(x, y + (row - size) / 2 + size * 0.17, text, font, size, end - start - 1.2 * PAD, column.align)

    def _uprights(self, table: Table, left: float, edges: Sequence[float], top: float, bottom: float) -> None:
        """Draw the frame of the cells to be written in."""
        for index, column in enumerate(table.columns):
            if column.write:
                for edge in (edges[index], edges[index + 1]):
                    self.canvas.line(left + edge, top, left + edge, bottom)

    # -- trees -------------------------------------------------------------------------------------------------------

    def _tree(self, tree: Tree) -> None:
        top = self._page(1, 1, lying=True)
        wide = max((box.x for box in tree.boxes), default=0) + tree.box_width
        high = max((box.y for box in tree.boxes), default=0) + tree.box_height
        # Wide and flat, as long names and many boxes want it; never larger than letters of ten points need.
        across = min((self.width - 2 * MARGIN) / wide, MOST_SCALE)
        down = min((top - MARGIN - 6) / high, MOST_SCALE)
        width, height = tree.box_width * across, tree.box_height * down

        def place(x: float, y: float) -> tuple[float, float]:
            return MARGIN + x * across, top - y * down

        widest = max((stringWidth(name, TEXT, 1.0) for box in tree.boxes for name, _score in box.sides), default=1.0)
        size = max(5.5, min(10.0, height * 0.36, width * 0.76 / widest))
        for x, y, words in tree.heads:
            self._text(*place(x, y), words, BOLD, min(size + 1, 10), width)
        self.canvas.setLineWidth(0.6)
        for wire in tree.wires:
            points = [place(x, y) for x, y in wire]
            for (x1, y1), (x2, y2) in pairwise(points):
                self.canvas.line(x1, y1, x2, y2)
        for box in tree.boxes:
            x, y = place(box.x, box.y)
            self.canvas.setFillGray(1)
            self.canvas.rect(x, y - height, width, height, stroke=1, fill=1)
            self.canvas.setFillGray(0)
            self.canvas.line(x, y - height / 2, x + width, y - height / 2)
            note = size * 0.72
            self._text(x, y + 1.5, box.label, TEXT, note, width / 2)
            self._text(x + width, y + 1.5, box.note, TEXT, note, width / 2, "right")
            for index, (name, score) in enumerate(box.sides):
                line = y - height * (0.25 + 0.5 * index) - size * 0.35
                self._text(x + 3, line, name, TEXT, size, width * 0.8)
                self._text(x + width - 3, line, score, BOLD, size, width * 0.2, "right")
        self.canvas.showPage()

    # -- slips and cards ---------------------------------------------------------------------------------------------

    def _pieces(self, pieces: Sequence[Slip | Card], across: int, down: int) -> None:
        """Draw pieces to be cut apart, with dashed lines between them and nothing else on the paper."""
        per_page = across * down
        width, height = A4[0] / across, A4[1] / down
        for start in range(0, len(pieces), per_page):
            self.canvas.setPageSize(A4)
            self._cutting_lines(across, down, width, height)
            for index, piece in enumerate(pieces[start : start + per_page]):
                x = (index % across) * width
                y = A4[1] - (index // across + 1) * height
                if isinstance(piece, Slip):
                    self._slip(piece, x, y, width, height)
                else:
                    self._card(piece, x, y, width, height)
            self.canvas.showPage()

    def _cutting_lines(self, across: int, down: int, width: float, height: float) -> None:
        self.canvas.setLineWidth(0.3)
        self.canvas.setDash(2, 3)
        for column in range(1, across):
            self.canvas.line(column * width, 0, column * width, A4[1])
        for line in range(1, down):
            self.canvas.line(0, line * height, A4[0], line * height)
        self.canvas.setDash()

    def _slip(self, slip: Slip, x: float, y: float, width: float, height: float) -> None:
        left, room = x + 22, width - 44
        top = y + height - 30
        self._text(left, top, slip.head, TEXT, 9, room)
        self.canvas.setLineWidth(0.8)
        for index, (sign, name) in enumerate((("○", slip.white), ("●", slip.black))):
            line = top - 27 - 24 * index
            self._text(left, line, sign, TEXT, 13, 16)
            self._text(left + 20, line, name, BOLD, 13, room - 20)
        box = room / len(slip.results)
        base = top - 92
        for index, words in enumerate(slip.results):
            self.canvas.rect(left + index * box + 3, base, box - 6, 28, stroke=1, fill=0)
            self._text(left + (index + 0.5) * box, base + 10, words, BOLD, 13, box - 10, "center")
        part = room / len(slip.signers)
        for index, who in enumerate(slip.signers):
            start = left + index * part
            self.canvas.line(start + 3, y + 30, start + part - 6, y + 30)
            self._text(start + 3, y + 20, who, TEXT, 7, part - 8)

    def _card(self, card: Card, x: float, y: float, width: float, height: float) -> None:
        middle, room = x + width / 2, width - 36
        size = min(22.0, 22.0 * room / max(stringWidth(card.name, BOLD, 22), 1))
        lines = [card.name] if size >= 14 else wrapped(card.name, BOLD, 16, room)[:2]
        size = size if len(lines) == 1 else 16.0
        line = y + height - 52
        for text in lines:
            self._text(middle, line, text, BOLD, size, room, "center")
            line -= size * 1.2
        line -= 4
        for text in card.lines:
            size = max(7.5, min(10.0, 10.0 * room / max(stringWidth(text, TEXT, 10), 1)))
            self._text(middle, line, text, TEXT, size, room, "center")
            line -= 14
        if card.corner:
            self._text(x + width - 14, y + height - 24, card.corner, BOLD, 13, 40, "right")


# -- measuring --------------------------------------------------------------------------------------------------------


def natural_widths(table: Table) -> list[float]:
    """Return how wide each column is at size 1, its padding left out."""
    widths = []
    for index, column in enumerate(table.columns):
        font = BOLD if column.strong else TEXT
        texts = {row[index] for row in table.rows if row[index] != DARK}
        widest = max((stringWidth(text, font, 1.0) for text in texts), default=0.0)
        head = stringWidth(column.head, TEXT, HEADS)
        widths.append(max(widest, head, 2.6 if column.write else 1.0))
    return widths


def fitting(widths: Sequence[float], room: float) -> float:
    """Return the size of letters at which columns of these natural widths fill the room, `MOST` at most."""
    return min(MOST, (room - 2 * PAD * len(widths)) / max(sum(widths), 0.01))


def _edges(widths: Sequence[float], size: float, room: float) -> list[float]:
    """Return the left edges of the columns and the right edge of the last; room left over goes to the wide ones."""
    own = [width * size + 2 * PAD for width in widths]
    left = room - sum(own)
    total = sum(widths)
    if left > 0:
        own = [width + left * natural / total for width, natural in zip(own, widths, strict=True)]
    else:  # even the smallest letters don't fit: the widest columns give way
        own = [width * room / sum(own) for width in own]
    edges = [0.0]
    for width in own:
        edges.append(edges[-1] + width)
    return edges


def cut(text: str, font: str, size: float, room: float) -> str:
    """Return a text that fits, its end replaced by a mark where it doesn't."""
    if stringWidth(text, font, size) <= room:
        return text
    low, high = 0, len(text)
    while low < high:
        middle = (low + high + 1) // 2
        if stringWidth(text[:middle].rstrip() + CUT, font, size) <= room:
            low = middle
        else:
            high = middle - 1
    return text[:low].rstrip() + CUT if low else ""
