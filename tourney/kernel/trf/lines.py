"""A line of a report file, read by columns; what isn't what it should be names its line and column."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from tourney.kernel.errors import ImportFileError
from tourney.kernel.points import Points, parse_points

MAX_NUMBER = 9999


@dataclass
class Line:
    """One line with access by column, counted from 1 as the format's description does."""

    number: int
    text: str

    def cut(self, first: int, last: int) -> str:
        return self.text[first - 1 : last].strip()

    def misread(self, code: str, column: int, **values: Any) -> ImportFileError:
        return ImportFileError(f"trf.{code}", self.number, column, **values)

    def whole(self, first: int, last: int, code: str, low: int, high: int) -> int:
        text = self.cut(first, last)
        if not (text.isascii() and text.isdigit()) or not low <= int(text) <= high:
            raise self.misread(code, first, found=text, low=low, high=high)
        return int(text)

    def words(self, start: int) -> Iterator[tuple[int, str]]:
        """Yield column and text of every word from a column on."""
        for match in re.finditer(r"\S+", self.text[start - 1 :]):
            yield start + match.start(), match.group()

    def numbers(self, start: int, high: int = MAX_NUMBER) -> list[int]:
        found = []
        for column, word in self.words(start):
            if not (word.isascii() and word.isdigit()) or not 1 <= int(word) <= high:
                raise self.misread("bad_number", column, found=word, low=1, high=high)
            found.append(int(word))
        return found

    def points(self, column: int, text: str) -> Points:
        if not re.fullmatch(r"\d{0,4}([.,]\d{0,3})?", text) or not any(letter.isdigit() for letter in text):
            raise self.misread("bad_points", column, found=text)
        try:
            return parse_points(text)
        except ValueError:
            raise self.misread("bad_points", column, found=text) from None
