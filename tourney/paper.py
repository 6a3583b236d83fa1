"""Sheets for the wall and the tables, as values: what stands on them, not how it is drawn (`tourney.paper_pdf`).

The core and the apps (`sheets` in `tourney.panels`) say which sheets a group has; each sheet has a key, so that the
next print of the same sheet can say which one it replaces.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from tourney import panels
from tourney.models import Entry, Section

Align = Literal["left", "right", "center"]


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a table on paper. `strong` in bold; `write` leaves room for a pen; `dark` cells are a diagonal."""

    head: str
    align: Align = "left"
    strong: bool = False
    write: bool = False


DARK = "\N{FULL BLOCK}"  # a cell that is one dark square: the diagonal of a crosstable


@dataclass(frozen=True, slots=True)
class Table:
    """Rows of text under heads. `side_by_side`: two halves of a list beside each other where they fit."""

    columns: tuple[Column, ...]
    rows: tuple[tuple[str, ...], ...]
    side_by_side: bool = False
    legend: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Slip:
    """A result slip: where, and the two who sign it."""

    head: str
    white: str
    black: str
    results: tuple[str, ...]
    signers: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Card:
    """A name card for a table: the name large, lines under it."""

    name: str
    lines: tuple[str, ...]
    corner: str = ""


@dataclass(frozen=True, slots=True)
class Box:
    """A match of a tree: left edge, top edge, its two names with scores, a label above."""

    x: float
    y: float
    sides: tuple[tuple[str, str], tuple[str, str]]
    label: str = ""
    note: str = ""


@dataclass(frozen=True, slots=True)
class Tree:
    """Pieces of a bracket: boxes of one size, lines between them, heads at (x, y). Lengths are relative."""

    boxes: tuple[Box, ...]
    wires: tuple[tuple[tuple[float, float], ...], ...]
    heads: tuple[tuple[float, float, str], ...]
    box_width: float
    box_height: float


Content = Table | tuple[Slip, ...] | tuple[Card, ...] | Tree


@dataclass(frozen=True, slots=True)
class Sheet:
    """One sheet of one page or several. `key` names it inside its event; empty: nothing that hangs on a wall."""

    key: str
    title: str
    content: Content
    subtitle: str = ""
    group: str = ""

    @property
    def digest(self) -> str:
        """SHA-256 of what stands on it."""
        return hashlib.sha256(repr((self.title, self.subtitle, self.group, self.content)).encode()).hexdigest()


@dataclass(frozen=True, slots=True)
class SheetKind:
    """Something a group can print. `draw` gives its sheets in the active language; none when there is nothing yet."""

    key: str
    label: Any
    draw: Callable[[Section], list[Sheet]]
    order: int = 50
    usual: bool = True


def kinds_of(section: Section) -> list[SheetKind]:
    """Return what a group can print, in order."""
    return sorted([*CORE, *panels.collect("sheets", section)], key=lambda kind: kind.order)


def sheets_of(section: Section, chosen: Sequence[str]) -> list[Sheet]:
    """Return the sheets of the kinds chosen, in their order."""
    return [sheet for kind in kinds_of(section) if kind.key in chosen for sheet in kind.draw(section)]


# -- the core's own ---------------------------------------------------------------------------------------------------


def _playing(section: Section) -> list[Entry]:
    """Return those who play in a group and its guests, by start number, else by name. One query."""
    entries = Entry.objects.filter(tournament=section.tournament, state__in=Entry.IN_PLAY)
    found = [
        entry
        for entry in entries.select_related("player", "section")
        if section.pk in (entry.section_id, entry.section.merged_into_id)
    ]
    return sorted(found, key=lambda entry: (entry.start_number or 10**6, -(entry.rating or 0), entry.player.name))


def _start_list(section: Section) -> list[Sheet]:
    rows = tuple(
        (
            str(entry.start_number or index),
            f"{entry.shown.title} {entry.name}".strip(),
            str(entry.shown.rating or "–"),
            entry.shown.from_where,
        )
        for index, entry in enumerate(_playing(section), start=1)
    )
    if not rows:
        return []
    columns = (Column("№", "right"), Column(_("Player"), strong=True), Column(_("Rating"), "right"))
    columns += (Column(_("Club, town")),)
    return [Sheet(f"{section.code}:start_list", _("Start list"), Table(columns, rows), group=section.title_text)]


def _cards(section: Section) -> list[Sheet]:
    event = section.tournament.title_text
    cards = tuple(
        Card(
            entry.player.name,
            tuple(
                line
                for line in (
                    " · ".join(part for part in (entry.player.title, str(entry.rating or "")) if part),
                    ", ".join(part for part in (entry.player.club, entry.player.city) if part),
                    section.title_text,
                    event,
                )
                if line
            ),
            corner=str(entry.start_number or ""),
        )
        for entry in _playing(section)
    )
    return [Sheet("", _("Name cards"), cards, group=section.title_text)] if cards else []


CORE = (
    SheetKind("start_list", gettext_lazy("Start list"), _start_list, order=5, usual=False),
    SheetKind("cards", gettext_lazy("Name cards"), _cards, order=90, usual=False),
)
