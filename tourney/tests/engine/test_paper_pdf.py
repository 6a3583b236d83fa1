"""Sheets on paper: letters as large as the paper allows, whole pages, nothing over the edge."""

from __future__ import annotations

import re

import pytest
from reportlab.pdfbase.pdfmetrics import stringWidth

from tourney.paper import Box, Card, Column, Content, Sheet, Slip, Table, Tree
from tourney.paper_pdf import CUT, LEAST, MOST, Pack, Stamped, cut, draw_pack, fitting, natural_widths
from tourney.pdf_fonts import TEXT, register_fonts


@pytest.fixture(autouse=True)
def _fonts() -> None:
    register_fonts()


def pack(*contents: Content, replaces: str = "") -> bytes:
    sheets = tuple(Stamped(Sheet("x", "Тур 4", content), "Printed 10:42", replaces) for content in contents)
    return draw_pack(Pack("Кубок", "uk", "Кубок", "page {} of {}", sheets))


def pages(pdf: bytes) -> list[tuple[int, int]]:
    """Return the sizes of the pages in whole points, in order."""
    boxes = re.findall(rb"/MediaBox \[ 0 0 ([\d.]+) ([\d.]+) \]", pdf)
    return [(round(float(width)), round(float(height))) for width, height in boxes]


def table(rows: int, *, columns: int = 3, width: int = 12, **more: object) -> Table:
    heads = tuple(Column(f"h{index}") for index in range(columns))
    return Table(heads, tuple(("Ж" * width,) * columns for _row in range(rows)), **more)  # type: ignore[arg-type]


UPRIGHT, LYING = (595, 842), (842, 595)


def test_a_short_table_is_one_page_upright_and_a_long_one_several() -> None:
    assert pages(pack(table(20))) == [UPRIGHT]
    assert len(pages(pack(table(300)))) > 5


def test_a_row_too_many_moves_the_rows_closer_instead_of_taking_a_page() -> None:
    counts = {rows: len(pages(pack(table(rows)))) for rows in range(28, 70)}

    assert counts[28] == 1
    assert max(rows for rows, count in counts.items() if count == 1) >= 34
    assert list(counts.values()) == sorted(counts.values())


def test_a_wide_table_is_laid_across() -> None:
    assert pages(pack(table(5, columns=14, width=7))) == [LYING]


def test_two_halves_of_names_stand_side_by_side_where_they_fit() -> None:
    names = table(60, columns=2, width=8)
    beside = Table(names.columns, names.rows, side_by_side=True)

    assert len(pages(pack(names))) == 2
    assert len(pages(pack(beside))) == 1


def test_every_row_is_on_paper_also_with_a_legend() -> None:
    for rows in range(1, 90, 7):
        numbers = tuple((f"row{number}x", "", "") for number in range(rows))
        heads = (Column("a"), Column("b"), Column("c"))
        drawn = _texts(Table(heads, numbers, legend=("a long legend " * 30,)))
        assert [text for text in drawn if text.startswith("row")] == [row[0] for row in numbers]


def _texts(content: Table) -> list[str]:
    """Return the texts of a table in the order they are drawn."""
    from tourney import paper_pdf  # noqa: PLC0415 -- the drawing is listened to

    heard: list[str] = []
    drawing = paper_pdf._Drawing
    original = drawing._text

    def listen(self: object, x: float, y: float, text: str, *rest: object) -> None:
        heard.append(text)
        original(self, x, y, text, *rest)  # type: ignore[arg-type]

    drawing._text = listen  # type: ignore[method-assign,assignment]
    try:
        pack(content)
    finally:
        drawing._text = original  # type: ignore[method-assign]
    return heard


def test_letters_fill_the_room_but_stay_within_bounds() -> None:
    narrow, wide = natural_widths(table(3, columns=2, width=4)), natural_widths(table(3, columns=12, width=12))

    assert fitting(narrow, 500) == MOST
    assert fitting(wide, 500) < LEAST


def test_a_text_too_long_is_cut_with_a_mark_and_never_wider_than_its_room() -> None:
    for text in ("Константинопольський Олександр-Максиміліан", "x", "", "аб"):
        for room in (0, 5, 40, 100, 1000):
            shown = cut(text, TEXT, 12, room)
            assert shown == text or shown == "" or shown.endswith(CUT)
            assert stringWidth(shown, TEXT, 12) <= max(room, 0.0)


def test_slips_and_cards_fill_sheets_to_be_cut() -> None:
    slip = Slip("Тур 1, дошка 1", "Біла А.", "Чорна Б.", ("1–0", "½–½", "0–1"), ("Білі", "Чорні", "Суддя"))
    card = Card("Константинопольський Олександр-Максиміліан", ("КМС · 2100", "Клуб"), "17")

    assert len(pages(pack((slip,) * 8))) == 1
    assert len(pages(pack((slip,) * 9))) == 2
    assert len(pages(pack((card,) * 21))) == 3


def test_a_tree_is_one_page_across() -> None:
    boxes = tuple(Box(0, 80.0 * row, (("Білий", "1"), ("Чорний", "0")), f"U1.{row}") for row in range(16))
    tree = Tree(boxes, (((208, 26), (240, 26)),), ((0.0, 10.0, "Тур 1"),), 208, 52)

    assert pages(pack(tree)) == [LYING]


def test_the_same_sheets_give_the_same_bytes_and_other_words_others() -> None:
    assert pack(table(3)) == pack(table(3))
    assert pack(table(3)) != pack(table(3), replaces="Replaces the sheet of 10:42")
