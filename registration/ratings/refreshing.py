"""An event's ratings compared with the lists: what would change is shown first, and only what is chosen is taken.

A person is found by his number in a list. Who gave no number is found by name and year of birth together, never by name
alone; that is a guess, marked as one, and not chosen beforehand.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

from django.db import transaction

from registration.accounts import ALIVE
from registration.ratings.folding import fold_words
from registration.ratings.suggesting import Suggestion, by_numbers, national_source, suggest
from registration.services.changing import edit_entry
from tourney.models import Entry, Tournament
from tourney.services.log import log


@dataclass(frozen=True, slots=True)
class Difference:
    """What a list says otherwise about an entry. `changes` is what `edit_entry` takes; `rows` are (field, was, is)."""

    entry: Entry
    person: Suggestion
    rows: Sequence[tuple[str, str, str]]
    changes: dict[str, Any]
    guessed: bool  # by name and year, not by a number


@dataclass(frozen=True, slots=True)
class Comparison:
    differences: Sequence[Difference]
    same: int
    unknown: Sequence[Entry]  # nobody in the lists


def compare(tournament: Tournament) -> Comparison:
    """Return where the lists and an event's living entries differ, by name."""
    entries = list(
        tournament.entries.filter(state__in=ALIVE)
        .select_related("player", "section")
        .order_by("player__surname", "player__given_name", "pk")
    )
    people = by_numbers(
        tournament,
        [entry.player.fide_id for entry in entries if entry.player.fide_id],
        [entry.player.national_id for entry in entries if entry.player.national_id],
    )
    by_fide = {one.fide_id: one for one in people if one.fide_id}
    by_national = {one.national_id: one for one in people if one.national_id}
    differences: list[Difference] = []
    unknown: list[Entry] = []
    same = 0
    for entry in entries:
        entry.tournament = entry.section.tournament = tournament
        player = entry.player
        person = by_national.get(player.national_id) or by_fide.get(player.fide_id)
        guess = person is None and not (player.fide_id or player.national_id)
        if guess:
            person = _by_name_and_year(tournament, entry)
        if person is None:
            unknown.append(entry)
        elif found := _difference(entry, person, guessed=guess):
            differences.append(found)
        else:
            same += 1
    return Comparison(differences, same, unknown)


def _by_name_and_year(tournament: Tournament, entry: Entry) -> Suggestion | None:
    """Return the one person of this name and this year; two are no one."""
    player = entry.player
    if not player.birth_year or not player.given_name:
        return None
    typed = f"{player.surname} {player.given_name} {player.birth_year}"
    words = set(fold_words(player.name))
    found = [one for one in suggest(tournament, typed) if words <= set(fold_words(f"{one.name} {one.latin_name}"))]
    return found[0] if len(found) == 1 else None


def _difference(entry: Entry, person: Suggestion, *, guessed: bool) -> Difference | None:
    player = entry.player
    changes: dict[str, Any] = {}
    rows: list[tuple[str, str, str]] = []
    for name, value in (("fide_id", person.fide_id), ("national_id", person.national_id)):
        if value and getattr(player, name) != value:
            rows.append((name, getattr(player, name), value))
            changes[name] = value
    ratings = dict(entry.ratings or {})
    for kind, value in person.ratings.items():
        if ratings.get(kind) != value:
            rows.append((kind, str(ratings.get(kind) or ""), str(value)))
            ratings[kind] = value
    if ratings != (entry.ratings or {}):
        changes["ratings"] = ratings
    return Difference(entry, person, rows, changes, guessed) if rows else None


@transaction.atomic
def take(tournament: Tournament, chosen: Collection[int], *, actor: Any, reason: str = "") -> int:
    """Take over what the lists say about the chosen entries (by their ids); return how many changed.

    A start list that is closed keeps its ratings unless a reason is given (TourneyError ``entry.reason_needed``).
    """
    taken = 0
    for difference in compare(tournament).differences:
        if difference.entry.pk in chosen:
            taken += bool(edit_entry(difference.entry, difference.changes, actor=actor, reason=reason))
    if taken:
        log(tournament, "entry.ratings_taken", actor=actor, reason=reason, entries=taken)
    return taken


def without_number(tournament: Tournament) -> list[Entry]:
    """Return who needs a number of the federation whose list counts here (M7.5), by group and name."""
    column = "national_id" if national_source(tournament) == "fsr" else "fide_id"
    return list(
        tournament.entries.filter(state__in=ALIVE, **{f"player__{column}": ""})
        .select_related("player", "section", "application")
        .order_by("section__ordinal", "player__surname", "player__given_name", "pk")
    )
