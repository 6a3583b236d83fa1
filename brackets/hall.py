"""The hall screen: a bracket in letters that are read from ten metres, a screenful at a time.

First who plays now on which board, then who comes next, then the parts of the tree where something happens – never
more than a few matches of a column, because a whole tree would be too small – and at last the places decided. Every
screenful has a name, so that a second screen can be held on one of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from brackets.cards import Card, Cards
from brackets.day import BoardLine, Ready, calls, playing
from brackets.engine.layout import Column, Sheet, layout
from brackets.engine.topology import LoserOf, SideOf, WinnerOf
from brackets.tree import HALL, box_of, column_title, placed, sheet_title
from tourney import svg
from tourney.kernel.ids import MatchKey

SECONDS = 15  # a screenful stays so long
BOARDS = 8  # lines of a screenful
NEXT = 8
COLUMN = 4  # matches in the first column of a piece of the tree
ROUNDS = 3  # columns of a piece of the tree
PLACES = 16


@dataclass(frozen=True, slots=True)
class Screenful:
    """What stands on the screen at one time: boards, matches to come, a piece of the tree, or places."""

    slug: str
    title: str
    boards: Sequence[BoardLine] = ()
    ready: Sequence[Ready] = ()
    drawing: svg.Bracket | None = None
    places: Sequence[tuple[str, str]] = ()
    is_empty: bool = False  # nobody is at a board: a word instead of a list


def screenfuls(cards: Cards, now: datetime, places: Iterable[tuple[str, str]]) -> list[Screenful]:
    """Return everything the screen shows in turn. `places`: place and name of those who have theirs, best first."""
    return [*_boards(cards, now), *_next(cards, now), *_pieces(cards), *_places(list(places))]


def _numbered(title: str, index: int, count: int) -> str:
    return f"{title} {index + 1}/{count}" if count > 1 else title


def _boards(cards: Cards, now: datetime) -> Iterator[Screenful]:
    lines = playing(cards, now)
    title = _("Now at the boards")
    if not lines and not cards.table.state.is_complete:
        yield Screenful("now", title, is_empty=True)
    pages = [lines[start : start + BOARDS] for start in range(0, len(lines), BOARDS)]
    for index, page in enumerate(pages):
        yield Screenful("now" if not index else f"now-{index + 1}", _numbered(title, index, len(pages)), boards=page)


def _next(cards: Cards, now: datetime) -> Iterator[Screenful]:
    ready = calls(cards, now)
    if ready and cards.table.bracket.paused_at is None:
        yield Screenful("next", _("Next to the boards"), ready=ready[:NEXT])


def _places(decided: list[tuple[str, str]]) -> Iterator[Screenful]:
    pages = [decided[start : start + PLACES] for start in range(0, len(decided), PLACES)]
    for index, page in enumerate(pages):
        slug = "places" if not index else f"places-{index + 1}"
        yield Screenful(slug, _numbered(_("Places decided"), index, len(pages)), places=page)


# -- pieces of the tree ----------------------------------------------------------------------------------------------


def _pieces(cards: Cards) -> Iterator[Screenful]:
    """Cut the sheets into pieces of three rounds; those where nobody plays or is about to are left out."""
    for sheet in layout(cards.table.spec, HALL):
        found: list[tuple[str, svg.Bracket]] = []
        start = 0
        while start < len(sheet.columns):
            if not any(_is_on(cards.card(key)) for key in sheet.columns[start].matches):
                start += 1
                continue
            found += _cut(cards, sheet, start)
            start += ROUNDS
        for index, (slug, drawing) in enumerate(found):
            yield Screenful(slug, _numbered(drawing.title, index, len(found)), drawing=drawing)


def _is_on(card: Card) -> bool:
    return card.is_live or card.view.is_open


def _cut(cards: Cards, sheet: Sheet, start: int) -> Iterator[tuple[str, svg.Bracket]]:
    columns = sheet.columns[start : start + ROUNDS]
    first = columns[0].matches
    for index in range(0, len(first), COLUMN):
        keys = _piece(cards, columns, first[index : index + COLUMN])
        if any(_is_on(cards.card(key)) for column in keys for key in column):
            yield f"{sheet.code}-{start + 1}-{index // COLUMN + 1}", _drawing(cards, sheet, start, keys)


def _piece(cards: Cards, columns: Sequence[Column], first: Sequence[MatchKey]) -> list[list[MatchKey]]:
    """Return the matches of a piece by column: those of the first, and the rest that their players come to."""
    found = [list(first)]
    for column in columns[1:]:
        before = set(found[-1])
        found.append([key for key in column.matches if before & _feeders(cards, key, losers=True)])
    return found


def _feeders(cards: Cards, key: MatchKey, *, losers: bool = False) -> set[MatchKey]:
    """Return the matches whose winners come here; with `losers` those whose losers, or both players, do as well."""
    spec = cards.table.spec.by_key[key]
    kinds = (WinnerOf, LoserOf, SideOf) if losers else (WinnerOf,)
    return {source.match for source in (spec.a, spec.b) if isinstance(source, kinds)}


def _drawing(cards: Cards, sheet: Sheet, start: int, keys: list[list[MatchKey]]) -> svg.Bracket:
    boxes, wires = placed(keys, lambda key: _feeders(cards, key), HALL)
    columns = [(index, column) for index, column in enumerate(keys) if column]
    number = len(boxes)
    return svg.Bracket(
        sheet_title(sheet),
        ngettext("%(n)d match, from left to right", "%(n)d matches, from left to right", number) % {"n": number},
        tuple(box_of(cards.card(key), x, y, linked=False) for key, (x, y) in boxes.items()),
        wires,
        tuple((HALL.margin + index * HALL.pitch_x, column_title(sheet, start + index, cards)) for index, _c in columns),
    )
