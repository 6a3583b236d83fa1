"""Lotteries among named places (clause 8.3 of the knockout regulation): who holds a ticket, and the draw's manifest.

A ticket belongs to whoever holds one of the places at the end; nobody can be drawn while such a place may still change
hands. Whether a player who withdrew or was disqualified keeps the ticket is a setting, settled before the draw. One
ticket alone wins (and is recorded as a draw); without tickets the lottery is void. The draw itself is protocol
``draw/1`` of `tourney.kernel.chance`.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from prizes.engine.allocation import Award, PrizeList, Source
from prizes.engine.placings import Placing, groups
from tourney.kernel.errors import TourneyError
from tourney.kernel.ids import EntryId
from tourney.kernel.money import Money


@dataclass(frozen=True, slots=True)
class Lottery:
    """One lottery of a regulation: `amount` goes to each of `winners` drawn among the holders of `places`."""

    places: tuple[int, ...]
    amount: Money
    winners: int = 1
    withdrawn_keep: bool = True
    disqualified_keep: bool = False
    sections: tuple[str, ...] = ()
    clause: str = ""

    @property
    def total(self) -> Money:
        return Money(self.amount.minor * self.winners, self.amount.currency)


@dataclass(frozen=True, slots=True)
class Ticket:
    """The right to take part in a lottery, by place."""

    entry: EntryId
    place: int


def tickets(
    lottery: Lottery,
    placings: Sequence[Placing],
    *,
    withdrawn: Collection[EntryId] = (),
    disqualified: Collection[EntryId] = (),
) -> tuple[Ticket, ...]:
    """Return who takes part, in the order of places. Places beyond the field have no holder.

    Raises TourneyError ``lottery.place_shared`` when a place of the lottery is not one player's own.
    """
    found = []
    for group in groups(placings):
        first = group[0].place
        covered = [place for place in range(first, first + len(group)) if place in lottery.places]
        if covered and len(group) > 1:
            raise TourneyError("lottery.place_shared", place=covered[0], entries=[placing.entry for placing in group])
        if covered and _keeps(lottery, group[0].entry, withdrawn, disqualified):
            found.append(Ticket(group[0].entry, first))
    return tuple(found)


def _keeps(lottery: Lottery, entry: EntryId, withdrawn: Collection[EntryId], disqualified: Collection[EntryId]) -> bool:
    if entry in disqualified:
        return lottery.disqualified_keep
    return lottery.withdrawn_keep or entry not in withdrawn


def manifest(
    held: Sequence[Ticket],
    lottery: Lottery,
    *,
    event: str,
    number: int,
    purpose: str,
    labels: Mapping[EntryId, str],
    entropy: str,
    previous: str | None = None,
) -> dict[str, Any] | None:
    """Return the manifest of the draw, or None when there is no ticket and the lottery is void.

    `number` counts the draws of the event and `previous` is the hash of the transcript before this one, so that no
    draw can be left out or repeated unseen; `entropy` says how the public numbers will be collected. Raises
    TourneyError ``draw.entrant_twice`` when two tickets have the same label.
    """
    if not held:
        return None
    entrants = [labels[ticket.entry] for ticket in held]
    for label in entrants:
        if entrants.count(label) > 1:
            raise TourneyError("draw.entrant_twice", entrant=label)
    return {
        "event": event,
        "no": number,
        "prev": previous,
        "purpose": purpose,
        "kind": "pick",
        "k": min(lottery.winners, len(held)),
        "entrants": entrants,
        "entropy": entropy,
    }


def awards_of_draw(
    lottery: Lottery,
    held: Sequence[Ticket],
    result: Sequence[str],
    labels: Mapping[EntryId, str],
    index: int = 0,
) -> tuple[Award, ...]:
    """Return the awards a finished draw gives, in the order drawn.

    Raises TourneyError ``lottery.unknown_winner`` when the result names somebody without a ticket.
    """
    by_label = {labels[ticket.entry]: ticket for ticket in held}
    awards = []
    for label in result:
        ticket = by_label.get(label)
        if ticket is None:
            raise TourneyError("lottery.unknown_winner", entrant=label)
        awards.append(
            Award(ticket.entry, ticket.place, Source.LOTTERY, lottery.amount, clause=lottery.clause, index=index)
        )
    return tuple(awards)


def places_without_anything(
    places: Collection[int], prizes: Sequence[PrizeList], lotteries: Sequence[Lottery]
) -> tuple[int, ...]:
    """Return which of these places have neither a prize nor a ticket."""
    served = {place for prize in prizes if not prize.category for place in prize.numbers}
    served.update(place for lottery in lotteries for place in lottery.places)
    return tuple(sorted(place for place in places if place not in served))


def places_served_twice(prizes: Sequence[PrizeList], lotteries: Sequence[Lottery]) -> tuple[int, ...]:
    """Return the places that have both a prize and a ticket: allowed, but worth a question to the organizer."""
    paid = {place for prize in prizes if not prize.category for place in prize.numbers}
    return tuple(sorted(paid & {place for lottery in lotteries for place in lottery.places}))
