"""Published places: a list with its lines in order, the lists before it, and what a newer one changed."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from typing import Any

from tourney.models import Entry, Placement, PlacementList, Section


@dataclass(frozen=True, slots=True)
class Change:
    """What a newer list says about one player that the list before did not."""

    entry: Entry
    before: Placement | None
    after: Placement | None


@dataclass(frozen=True, slots=True)
class PublishedList:
    """A published list with its lines in order, and what it changed."""

    list: PlacementList
    lines: tuple[Placement, ...]
    changes: tuple[Change, ...] = ()
    previous: PlacementList | None = None


@dataclass(frozen=True, slots=True)
class PublishedPlaces:
    """All that is published for one group: the list asked for (default the newest) and the newest of each category."""

    section: Section
    shown: PublishedList | None
    numbers: tuple[PlacementList, ...] = ()
    categories: tuple[PublishedList, ...] = field(default=())

    @property
    def is_newest(self) -> bool:
        return self.shown is None or not self.numbers or self.shown.list.number == self.numbers[0].number


def published_places(section: Section, number: int | None = None) -> PublishedPlaces | None:
    """Return what is published for a group; None when the list asked for does not exist. Three queries at most."""
    lists = list(
        PlacementList.objects.filter(section=section).select_related("category", "regulation").order_by("-number")
    )
    own = [one for one in lists if one.category_id is None]
    if not own:
        return PublishedPlaces(section, None) if number is None else None
    shown = next((one for one in own if number is None or one.number == number), None)
    if shown is None:
        return None
    previous = next((one for one in own if one.number == shown.number - 1), None)
    newest: dict[int, PlacementList] = {}
    for one in lists:
        if one.category_id is not None:
            newest.setdefault(one.category_id, one)
    wanted = [shown, *([previous] if previous else []), *newest.values()]
    lines = lines_of(wanted, section)
    return PublishedPlaces(
        section,
        PublishedList(
            shown,
            lines[shown.pk],
            changes_between(lines[previous.pk], lines[shown.pk]) if previous else (),
            previous,
        ),
        tuple(own),
        tuple(PublishedList(one, lines[one.pk]) for one in newest.values() if lines[one.pk]),
    )


def lines_of(lists: Collection[PlacementList], section: Section) -> dict[int, tuple[Placement, ...]]:
    """Return the lines of several lists of a group in order, by list; players without a place come last."""
    found: dict[int, list[Placement]] = {one.pk: [] for one in lists}
    rows = Placement.objects.filter(list__in=lists).select_related("entry__player")
    for row in rows:
        row.entry.section, row.entry.tournament = section, section.tournament
        found[row.list_id].append(row)
    return {
        pk: tuple(sorted(of, key=lambda row: (row.place is None, row.place or 0, row.entry.start_number or 0)))
        for pk, of in found.items()
    }


def changes_between(before: Sequence[Placement], after: Sequence[Placement]) -> tuple[Change, ...]:
    """Return whose place is another one, in the order of the newer list; then who has left it."""
    old = {line.entry_id: line for line in before}
    changes = [
        Change(line.entry, old.get(line.entry_id), line)
        for line in after
        if _place(old.get(line.entry_id)) != _place(line)
    ]
    listed = {line.entry_id for line in after}
    return (*changes, *(Change(line.entry, line, None) for line in before if line.entry_id not in listed))


def _place(line: Placement | None) -> Any:
    return None if line is None else (line.place, line.place_to)
