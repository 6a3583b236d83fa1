"""Placing lists and awards as rows of a page; shared by public pages, panels and prints."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import uuid4

from django.urls import reverse
from django.utils import timezone

from prizes.selectors.awards import AwardStatus
from prizes.selectors.draws import LotteryState
from prizes.selectors.places import DraftList, Line
from prizes.words import NOTES, place_text, what_text, why_text
from tourney.models import Entry, Placement

MEDALS = 3


@dataclass(frozen=True, slots=True)
class PlaceRow:
    """One line of a final table."""

    entry: Entry
    place: int | None
    text: str
    href: str
    points: int | None
    note: Any
    prizes: tuple[str, ...] = ()
    ticket: str = ""  # a draw still to be held, or its outcome

    @property
    def medal(self) -> int:
        return self.place if self.place is not None and self.place <= MEDALS else 0

    @property
    def more(self) -> str:
        """The quiet second line of the player's chip."""
        shown = self.entry.shown
        return " · ".join(text for text in (shown.club, shown.city) if text)


def place_rows(
    lines: Sequence[Placement | Line],
    awards: Mapping[int, Sequence[AwardStatus]] | None = None,
    tickets: Mapping[int, str] | None = None,
) -> list[PlaceRow]:
    """Return a list's lines as rows, with what each player won; the entries know their section and event."""
    return [
        PlaceRow(
            line.entry,
            line.place,
            place_text(line.place, line.place_to),
            reverse("player", args=[line.entry.tournament.slug, line.entry.section.code, line.entry.pk]),
            line.points,
            NOTES.get(line.note, line.note),
            tuple(what_text(one.award) for one in (awards or {}).get(line.entry.pk, ())),
            (tickets or {}).get(line.entry.pk, ""),
        )
        for line in lines
    ]


def by_entry(statuses: Iterable[AwardStatus]) -> dict[int, list[AwardStatus]]:
    """Return awards by player."""
    found: dict[int, list[AwardStatus]] = {}
    for one in statuses:
        found.setdefault(one.award.entry_id, []).append(one)
    return found


def open_tickets(states: Iterable[LotteryState], word: str) -> dict[int, str]:
    """Return who holds a ticket of a draw that has not been held, with the word for it."""
    return {holder.entry.pk: word for state in states if state.state in ("ready", "open") for holder in state.holders}


def podium(rows: Sequence[PlaceRow]) -> list[PlaceRow]:
    """Return who stands on the podium: places 1 to 3."""
    return [row for row in rows if row.medal]


def award_row(status: AwardStatus) -> dict[str, Any]:
    """Return an award as a row of a list."""
    return {
        "status": status,
        "award": status.award,
        "what": what_text(status.award),
        "why": why_text(status.award),
        "over": status.state != "due",
    }


def claimants(draft: DraftList) -> list[Entry]:
    """Return who has to play off first place."""
    between = draft.playoff.between if draft.playoff else ()
    return [line.entry for line in draft.lines if line.entry.pk in between]


def playoff_row(draft: DraftList) -> dict[str, Any]:
    """Return a play-off that is to be held: who plays what, and when it may begin (M8.2)."""
    players = claimants(draft)
    earliest = draft.playoff.earliest_start if draft.playoff else None
    left = max(0, int((earliest - timezone.now()).total_seconds())) if earliest else 0
    return {
        "draft": draft,
        "operation": uuid4(),
        "players": players,
        "clock": draft.playoff.clock if draft.playoff else "",
        "two": len(players) == 2,
        "earliest": earliest,
        "seconds_left": left,
        "minutes_left": -(-left // 60),
    }
