"""Who stands on which seed: by strict order, by lots inside pots, or by hand; and who chooses the first colour.

A draw has two halves. `prepare` sorts the entrants into pots (a pot of one is a fixed seed) and gives the manifest that
is published; the lot shuffles every pot; `seed_order` turns the result into seeds 1, 2, 3 … The fold of the first round
(first against last) then takes seeds, so pots of any sizes are fine. Where there is no chance there is no manifest.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import groupby
from typing import Any

from brackets.engine import orders
from brackets.engine.topology import Side
from tourney.kernel.chance import PROTOCOL
from tourney.kernel.errors import TourneyError
from tourney.kernel.ids import EntryId


class SeedingMethod(StrEnum):
    """How players come to their seeds."""

    FOLD = "fold"  # strictly by rating, no lot
    TENNIS = "tennis"  # 1 and 2 fixed, lots inside 3–4, 5–8, 9–16 …
    RANK_POTS = "rank_pots"  # a pot for every rank, lots inside
    TWO_POTS = "two_pots"  # the better and the weaker half
    FREE = "free"  # one pot
    MANUAL = "manual"  # by the organizer's hand


@dataclass(frozen=True, slots=True)
class Entrant:
    """Somebody who will be seeded. `groups` are what to keep apart in the first round: club, town, family."""

    entry: EntryId
    rating: int | None = None
    rank: str = ""
    groups: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class SeedingRules:
    """How a regulation seeds. `ranks`: best first. `apart`: kinds of groups that shouldn't meet in round 1."""

    method: SeedingMethod = SeedingMethod.RANK_POTS
    ranks: tuple[str, ...] = ()
    apart: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class SeedingPlan:
    """The pots of a draw, best first; inside a pot the order is the published one."""

    method: SeedingMethod
    pots: tuple[tuple[EntryId, ...], ...]

    @property
    def needs_lot(self) -> bool:
        return any(len(pot) > 1 for pot in self.pots)

    def manifest(self, *, event: str, number: int, previous: str, purpose: str, entropy: str) -> dict[str, Any]:
        """Return what is published before the draw; entrants are named by their entry numbers."""
        return {
            "v": PROTOCOL,
            "event": event,
            "no": number,
            "prev": previous,
            "purpose": purpose,
            "kind": "pots",
            "pots": [[str(entry) for entry in pot] for pot in self.pots],
            "entropy": entropy,
        }


def by_rating(entrants: Iterable[Entrant]) -> list[Entrant]:
    """Return the entrants, best rating first, unrated last; equal ratings keep the order they came in."""
    return sorted(entrants, key=lambda entrant: (entrant.rating is None, -(entrant.rating or 0)))


def prepare(entrants: Sequence[Entrant], rules: SeedingRules, by_hand: Sequence[EntryId] | None = None) -> SeedingPlan:
    """Return the pots for these entrants.

    Raises TourneyError ``seeding.unknown_rank`` (values: entries), ``seeding.order_needed`` and
    ``seeding.not_everybody_once`` for a manual order that names somebody twice or not at all.
    """
    ranked = by_rating(entrants)
    pots: list[list[EntryId]]
    match rules.method:
        case SeedingMethod.FOLD:
            pots = [[entrant.entry] for entrant in ranked]
        case SeedingMethod.TENNIS:
            pots = _tennis([entrant.entry for entrant in ranked])
        case SeedingMethod.RANK_POTS:
            pots = _rank_pots(entrants, rules.ranks)
        case SeedingMethod.TWO_POTS:
            half = (len(ranked) + 1) // 2
            pots = [[entrant.entry for entrant in part] for part in (ranked[:half], ranked[half:])]
        case SeedingMethod.FREE:
            pots = [[entrant.entry for entrant in entrants]]
        case SeedingMethod.MANUAL:
            if by_hand is None:
                raise TourneyError("seeding.order_needed")
            if sorted(by_hand) != sorted(entrant.entry for entrant in entrants):
                raise TourneyError("seeding.not_everybody_once")
            pots = [[entry] for entry in by_hand]
    return SeedingPlan(rules.method, tuple(tuple(pot) for pot in pots if pot))


def _tennis(ranked: Sequence[EntryId]) -> list[list[EntryId]]:
    pots = [[entry] for entry in ranked[:2]]
    start, width = 2, 2
    while start < len(ranked):
        pots.append(list(ranked[start : start + width]))
        start, width = start + width, start + width
    return pots


def _rank_pots(entrants: Sequence[Entrant], ranks: Sequence[str]) -> list[list[EntryId]]:
    unknown = [entrant.entry for entrant in entrants if entrant.rank not in ranks]
    if unknown:
        raise TourneyError("seeding.unknown_rank", entries=unknown, ranks=list(ranks))
    return [[entrant.entry for entrant in entrants if entrant.rank == rank] for rank in ranks]


def seed_order(plan: SeedingPlan, drawn: Sequence[Sequence[str]] | None = None) -> tuple[EntryId, ...]:
    """Return the entries in seed order. `drawn` is the result of the lot; without a lot the pots are the order.

    Raises TourneyError ``seeding.lot_needed``, ``seeding.result_of_other_draw``.
    """
    if drawn is None:
        if plan.needs_lot:
            raise TourneyError("seeding.lot_needed")
        return tuple(entry for pot in plan.pots for entry in pot)
    pots = [[EntryId(int(name)) for name in pot] for pot in drawn]
    if [sorted(pot) for pot in pots] != [sorted(pot) for pot in plan.pots]:
        raise TourneyError("seeding.result_of_other_draw")
    return tuple(entry for pot in pots for entry in pot)


@dataclass(frozen=True, slots=True)
class SeedMove:
    """A player who was moved to another seed, and the reason code."""

    entry: EntryId
    old_seed: int
    new_seed: int
    reason: str


def moves(before: Sequence[EntryId], after: Sequence[EntryId], reason: str) -> tuple[SeedMove, ...]:
    """Return who moved between two orders: the public record of changes by hand."""
    old = {entry: seed for seed, entry in enumerate(before, start=1)}
    return tuple(
        SeedMove(entry, old[entry], seed, reason) for seed, entry in enumerate(after, start=1) if old[entry] != seed
    )


def first_round_pairs(size: int) -> list[tuple[int, int]]:
    """Return the pairs of seeds of the first round, from top to bottom."""
    seeds = orders.first_round(size)
    return list(zip(seeds[::2], seeds[1::2], strict=True))


@dataclass(frozen=True, slots=True)
class Separation:
    """An order in which clashes were avoided as far as possible."""

    order: tuple[EntryId, ...]
    moves: tuple[SeedMove, ...]
    clashes: tuple[tuple[EntryId, EntryId], ...]  # pairs of round 1 that still share a group


def keep_apart(
    order: Sequence[EntryId], size: int, groups: Mapping[EntryId, frozenset[str]], plan: SeedingPlan
) -> Separation:
    """Return an order in which those who share a group don't meet in round 1, if exchanges inside the pots allow it.

    Exchanges of two, then of three players, always the nearest seeds first, so the order follows from the draw alone.
    """
    current = list(order)
    pot_of = {entry: number for number, pot in enumerate(plan.pots) for entry in pot}
    opponent = {seed: other for pair in first_round_pairs(size) for seed, other in (pair, pair[::-1])}

    def clash(seed: int) -> bool:
        other = opponent[seed]
        if other > len(current):
            return False
        nothing: frozenset[str] = frozenset()
        return bool(groups.get(current[seed - 1], nothing) & groups.get(current[other - 1], nothing))

    def improve(seed: int) -> bool:
        """Exchange this seed with one or two others of its pot so that fewer pairs clash."""
        mates = [
            other
            for other in range(1, len(current) + 1)
            if other != seed and pot_of[current[other - 1]] == pot_of[current[seed - 1]]
        ]
        mates.sort(key=lambda other: (abs(other - seed), other))
        cycles = [(seed, mate) for mate in mates] + [(seed, one, two) for one in mates for two in mates if one != two]
        for cycle in cycles:
            touched = {*cycle, *(opponent[place] for place in cycle)}
            touched = {place for place in touched if place <= len(current)}
            before = sum(clash(place) for place in touched)
            held = [current[place - 1] for place in cycle]
            for place, entry in zip(cycle, [*held[1:], held[0]], strict=True):
                current[place - 1] = entry
            if sum(clash(place) for place in touched) < before:
                return True
            for place, entry in zip(cycle, held, strict=True):
                current[place - 1] = entry
        return False

    # Every exchange leaves fewer clashes, so this ends.
    while any(clash(seed) and improve(seed) for seed in range(len(current), 0, -1)):
        pass
    clashes = [(a, b) for a, b in first_round_pairs(size) if max(a, b) <= len(current) and clash(a)]
    return Separation(
        tuple(current),
        moves(order, current, "seeding.kept_apart"),
        tuple((current[a - 1], current[b - 1]) for a, b in clashes),
    )


_SURNAME_ENDINGS = ("ий", "ій", "ый", "ой", "ая", "яя", "я", "а", "y", "a")


def family_of(surname: str) -> str:
    """Return what members of one family share: the surname without the ending that tells men's from women's.

    "Ковальський" and "Ковальська" are one family, "Петров" and "Петрова" as well. Namesakes who are no relatives are
    kept apart too: that costs nothing.
    """
    plain = surname.strip().casefold()
    for ending in _SURNAME_ENDINGS:
        if plain.endswith(ending) and len(plain) - len(ending) >= 3:
            return plain.removesuffix(ending)
    return plain


def rating_ties(entrants: Iterable[Entrant]) -> list[tuple[EntryId, ...]]:
    """Return the groups of entrants with one and the same rating, whose order the rating doesn't settle."""
    groups = [
        tuple(entrant.entry for entrant in same)
        for _, same in groupby(by_rating(entrants), key=lambda entrant: entrant.rating)
    ]
    return [group for group in groups if len(group) > 1]


def lower_rated(ratings: Mapping[str, int | None]) -> str | None:
    """Return who has the lowest rating: no rating counts as lowest; None if the lowest is shared (then a lot)."""
    lowest = min(-1 if rating is None else rating for rating in ratings.values())
    lowest_rated = [player for player, rating in ratings.items() if (-1 if rating is None else rating) == lowest]
    return lowest_rated[0] if len(lowest_rated) == 1 else None


def color_chooser(rating_a: int | None, rating_b: int | None) -> Side | None:
    """Return the side that chooses the colour of game 1: the lower-rated; None if a lot must name it."""
    chooser = lower_rated({"a": rating_a, "b": rating_b})
    return Side(chooser) if chooser else None
