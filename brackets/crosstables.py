"""A little table as a cross table: who has beaten whom, and the place once all is played."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import pgettext

from brackets.cards import Cards
from brackets.engine.tables import table_lines
from brackets.engine.topology import TableSpec
from brackets.labels import TABLE_RULE, place_text


@dataclass(frozen=True, slots=True)
class Cell:
    """What is between two players: 1, 0, or the match they will play; empty where a player meets himself."""

    text: str = ""
    href: str = ""
    words: str = ""


@dataclass(frozen=True, slots=True)
class CrossRow:
    name: str
    href: str
    cells: tuple[Cell, ...]
    won: int
    place: str


@dataclass(frozen=True, slots=True)
class CrossTable:
    """`rule`: who stands before whom, in a sentence."""

    id: str
    title: str
    rule: Any
    rows: tuple[CrossRow, ...]


def crosstables(cards: Cards, keys: Sequence[str]) -> tuple[CrossTable, ...]:
    """Return the little tables among these matches, the best places first, without those nobody is known in yet."""
    tables = [table for table in cards.table.spec.tables if table.matches[0] in keys]
    tables.sort(key=lambda table: table.places.first)
    return tuple(drawn for table in tables if (drawn := _crosstable(cards, table)).rows)


def _crosstable(cards: Cards, table: TableSpec) -> CrossTable:
    rows = []
    for line in table_lines(table, cards.table.state):
        cells = []
        for meeting in line.results:
            if meeting is None:
                cells.append(Cell())
                continue
            won = meeting.won
            text = meeting.match if won is None else "1" if won else "0"
            words = (
                _("not played yet")
                if won is None
                else pgettext("match in a table", "won")
                if won
                else pgettext("match in a table", "lost")
            )
            cells.append(Cell(str(text), cards.match_url(meeting.match), f"{meeting.match}: {words}"))
        place = place_text(line.places) if line.places is not None else ""
        rows.append(CrossRow(cards.name_of(line.player), cards.player_url(line.player), tuple(cells), line.won, place))
    title = _("Places %(places)s") % {"places": place_text(table.places)}
    return CrossTable(f"table-{table.code}", title, TABLE_RULE[table.ties.value], tuple(rows))
