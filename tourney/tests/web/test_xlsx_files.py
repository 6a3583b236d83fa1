"""Workbooks, read back by another reader: text stays text, amounts are numbers, nothing is a formula."""

from __future__ import annotations

import io
import re
import zipfile
from datetime import date
from typing import Any

import pytest
from python_calamine import CalamineWorkbook

from tourney.kernel.money import Money
from tourney.xlsx_files import Sheet, workbook


def read(content: bytes) -> dict[str, list[list[Any]]]:
    book = CalamineWorkbook.from_filelike(io.BytesIO(content))
    return {name: book.get_sheet_by_name(name).to_python() for name in book.sheet_names}


def parts(content: bytes) -> dict[str, str]:
    with zipfile.ZipFile(io.BytesIO(content)) as found:
        return {name: found.read(name).decode() for name in found.namelist()}


def test_values_come_back_as_what_they_were() -> None:
    row = ["Гравець & <b>", -5, Money(-120_050, "UAH"), date(2026, 1, 25), None, "00123", "  two  spaces"]
    book = read(workbook([Sheet("Список", list("abcdefg"), [row])]))
    assert book == {
        "Список": [list("abcdefg"), ["Гравець & <b>", -5, -1200.5, date(2026, 1, 25), "", "00123", "  two  spaces"]]
    }


@pytest.mark.parametrize("text", ["=1+1", "+7900", "-12 points", "@SUM(A1)", "\tx", "=cmd|' /C calc'!A0"])
def test_text_like_a_formula_is_text_and_stays_text_when_edited(text: str) -> None:
    content = workbook([Sheet("x", ["head"], [[text]])])
    assert read(content)["x"][1] == [text]
    sheet = parts(content)["xl/worksheets/sheet1.xml"]
    assert "<f>" not in sheet
    assert re.search(r'<c r="A2" s="3" t="inlineStr">', sheet)  # format 3 carries the mark of a leading apostrophe
    assert '<xf quotePrefix="1"/>' in parts(content)["xl/styles.xml"]


def test_signs_xml_can_not_hold_are_left_out_and_long_texts_end() -> None:
    book = read(workbook([Sheet("x", ["head"], [["a\u0000\u0008\ufffeб𝕏"], ["я" * 40_000]])]))
    assert book["x"][1] == ["aб𝕏"]
    assert len(book["x"][2][0]) == 32_767


def test_titles_are_ones_a_spreadsheet_accepts_and_each_is_there_once() -> None:
    sheets = [Sheet(title, ["h"], []) for title in ("[A/B]*?:\\", "", "Довга" * 10, "довга" * 10, "'")]
    titles = list(read(workbook(sheets)))
    assert titles == ["A B", "2", ("Довга" * 10)[:31], f"{('довга' * 10)[:27]} 4", "5"]


def test_columns_after_z_have_two_letters() -> None:
    assert read(workbook([Sheet("x", [str(n) for n in range(60)], [list(range(60))])]))["x"][1] == list(range(60))
