"""How awards, places and draws are said to people: plain functions for views, letters and prints."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from prizes.models import Award
from prizes.selectors.awards import AwardStatus
from prizes.selectors.places import DISQUALIFIED, LEFT
from prizes.selectors.published import Change
from tourney.formatting import money_text
from tourney.kernel.money import Money
from tourney.models import Category, Section
from tourney.regulation_schema.money import THINGS

NOTES = {
    DISQUALIFIED: gettext_lazy("disqualified"),
    LEFT: gettext_lazy("left the event"),
}


def place_text(place: int | None, place_to: int | None = None) -> str:
    """Return ``5`` or ``5–6``; nothing without a place."""
    if place is None:
        return ""
    return f"{place}–{place_to}" if place_to and place_to != place else str(place)


def things_text(things: Sequence[str]) -> str:
    """Return ``cup, diploma, medal``."""
    return ", ".join(str(THINGS.get(thing, thing)) for thing in things)


def what_text(award: Award) -> str:
    """Return what is handed over: money, things or both."""
    parts = []
    if award.minor:
        parts.append(money_text(Money(award.minor, award.currency)))
    if award.things:
        parts.append(things_text(award.things))
    return ", ".join(parts)


def why_text(award: Award) -> str:
    """Return what it is for: a place, a place in a category, a prize draw."""
    match award.source:
        case Award.Source.LOTTERY:
            return _("prize draw %(number)s, place %(place)s") % {
                "number": int(award.subject or 0) + 1,
                "place": award.place,
            }
        case Award.Source.CATEGORY:
            code = award.subject.rpartition(":")[0]
            where = _("place %(place)s in “%(category)s”") % {
                "place": award.place,
                "category": category_title(award.section, code),
            }
        case _:
            where = _("place %(place)s") % {"place": award.place}
    if award.passed_on_from:
        return _("%(where)s, with the prize of place %(prize)s") % {"where": where, "prize": award.passed_on_from}
    return where


def category_title(section: Section, code: str) -> str:
    """Return what a category of a group is called. One query for each event object."""
    tournament = section.tournament
    titles: dict[tuple[int, str], Any] | None = getattr(tournament, "_category_titles", None)
    if titles is None:
        rows = Category.objects.filter(section__tournament=tournament).values_list("section", "code", "title")
        titles = {(pk, name): title for pk, name, title in rows}
        tournament._category_titles = titles
    return tournament.in_words(titles.get((section.pk, code)) or {}) or code


def award_words(status: AwardStatus) -> str:
    """Return an award in a line: “place 1: cup, diploma, medal”."""
    return f"{why_text(status.award)}: {what_text(status.award)}"


def change_text(change: Change) -> str:
    """Return what a newer list changed about a player."""
    name = change.entry.name
    if change.after is None:
        return _("%(name)s is no longer in the list") % {"name": name}
    if change.after.place is None:
        note = NOTES.get(change.after.note, change.after.note)
        if change.before is not None and change.before.place is not None:
            return _("%(name)s: was %(before)s, now without a place (%(note)s)") % {
                "name": name,
                "before": place_text(change.before.place, change.before.place_to),
                "note": note,
            }
        return _("%(name)s: without a place (%(note)s)") % {"name": name, "note": note}
    after = place_text(change.after.place, change.after.place_to)
    if change.before is None or change.before.place is None:
        return _("%(name)s: now place %(after)s") % {"name": name, "after": after}
    before = place_text(change.before.place, change.before.place_to)
    return _("%(name)s: %(before)s → %(after)s") % {"name": name, "before": before, "after": after}
