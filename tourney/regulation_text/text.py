"""The chapters in their order, numbered; an empty one is left out."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from tourney.regulation_schema.blocks import GENERAL_KEYS
from tourney.regulation_text import fees, money, people, play, rounds
from tourney.regulation_text.writer import Chapter, Item, Writer

# Key, title, who writes it.
CHAPTERS: tuple[tuple[str, Any, Callable[[Writer], None]], ...] = (
    ("general", gettext_lazy("General"), people.general),
    ("event", gettext_lazy("Time and place"), people.time_and_place),
    ("sections", gettext_lazy("Who may play"), people.players),
    ("registration", gettext_lazy("Registration"), people.registration),
    ("fees", gettext_lazy("Fees and payment"), fees.fees),
    ("stages", gettext_lazy("System and places"), play.stages),
    ("match_formats", gettext_lazy("Matches"), play.matches),
    ("schedule", gettext_lazy("Rating, clocks and rounds"), rounds.rounds),
    ("playoff", gettext_lazy("Play-off for first place"), rounds.playoff),
    ("prizes", gettext_lazy("Prizes and awards"), money.prizes),
    ("broadcast", gettext_lazy("Broadcast and games"), money.broadcast),
    ("conduct", gettext_lazy("Conduct and sanctions"), money.conduct),
    ("appeals", gettext_lazy("Disputes and appeals"), money.appeals),
    ("readings", gettext_lazy("How open questions are settled"), money.readings),
)


def regulation_text(data: Mapping[str, Any], event: Any = None) -> list[Chapter]:
    """Return the whole text in the active language; `event` gives the days and the place of a real event."""
    chapters: list[Chapter] = []
    for key, title, write in CHAPTERS:
        items = _written(data, event, key, write)
        if items:
            number = len(chapters) + 1
            numbered = tuple(replace(item, number=f"{number}.{place}") for place, item in enumerate(items, start=1))
            chapters.append(Chapter(key, str(title), numbered, number))
    return chapters


def _written(data: Mapping[str, Any], event: Any, key: str, write: Callable[[Writer], None]) -> list[Item]:
    writer = Writer(data, event)
    try:
        write(writer)
    except (AttributeError, KeyError, TypeError, ValueError):
        # A draft may hold rules of the wrong form; its errors are listed beside the text, which goes on.
        writer.say(_("This part can't be written out until its errors are put right."), key)
    return writer.items


def block_items(chapters: list[Chapter], block: str) -> list[Item]:
    """Return the clauses that tell a block of the data."""

    names = GENERAL_KEYS if block == "general" else (block,)
    return [item for chapter in chapters for item in chapter.items if item.block in names]
