"""Ratings of people who did not let them be published, and the means they could be worked out from.

A mean over a handful of opponents gives away the one rating in it that is not shown, and a performance does as well. So
a number that an unpublished rating is part of is shown to nobody; the place it decided stays, and its explanation says
so. A mean of performances (APRO, APPO) is one step further away, and so are those it is not shown to.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from tourney.kernel.records import History
from tourney.models import Entry, Game, Stage

OWN = frozenset({"RTNG"})  # the rating itself
OF_RATINGS = frozenset({"ARO", "TPR", "PTP"})  # made of the opponents' ratings
OF_PERFORMANCES = frozenset({"APRO", "APPO"})  # made of what the opponents' opponents are rated


@dataclass(frozen=True, slots=True)
class Unpublished:
    """Entries whose rating is nobody's business, who has met one of them, and who has met one of those (ids)."""

    people: frozenset[int] = frozenset()
    met: frozenset[int] = frozenset()
    met_those: frozenset[int] = frozenset()

    def hides(self, code: str, entry: int) -> bool:
        """Return whether an entry's value of a tie-break gives away a rating that is not published."""
        base = code.split("/")[0]
        if base in OWN:
            return entry in self.people
        if base in OF_RATINGS:
            return entry in self.met
        return base in OF_PERFORMANCES and entry in self.met_those

    def hides_part(self, code: str, opponent: int | None) -> bool:
        """Return whether the share of one opponent in a value does."""
        base = code.split("/")[0]
        if base in OF_RATINGS:
            return opponent in self.people
        return base in OF_PERFORMANCES and opponent in self.met


def unpublished(entries: Mapping[int, Entry], pairs: Iterable[tuple[int, int]]) -> Unpublished:
    """Return what must not be shown, from who has met whom (each pair once, in either order)."""
    people = frozenset(pk for pk, entry in entries.items() if not entry.public_name)
    if not people:
        return Unpublished()
    opponents: dict[int, set[int]] = defaultdict(set)
    for one, other in pairs:
        opponents[one].add(other)
        opponents[other].add(one)
    met = frozenset(pk for person in people for pk in opponents[person])
    return Unpublished(people, met, frozenset(pk for person in met for pk in opponents[person]))


def of_history(entries: Mapping[int, Entry], history: History) -> Unpublished:
    """Return what must not be shown of a stage by its history."""
    pairs = (
        (int(record.entry), int(one.opponent))
        for record in history.by_entry.values()
        for one in record.rounds
        if one.opponent is not None
    )
    return unpublished(entries, pairs)


def of_stage(stage: Stage, entries: Mapping[int, Entry]) -> Unpublished:
    """Return the same by the games of a stage: one query, and none where everybody is published."""
    if all(entry.public_name for entry in entries.values()):
        return Unpublished()
    return unpublished(entries, Game.objects.filter(stage=stage).values_list("white", "black"))
