"""A round paired or changed by hand: which rules it bends, beside the engine's own pairing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from swiss.engine.dutch.cards import VirtualPoints
from swiss.engine.dutch.colors import allocate
from swiss.engine.dutch.field import Field
from swiss.engine.dutch.pairing import pair_field
from swiss.engine.plan import NoValidPairing, Pairing, RoundPlan
from swiss.engine.rounds import Absent, ForbiddenPairs, plan_of, swiss_field
from swiss.engine.rules import SwissRules
from tourney.kernel.colors import Color
from tourney.kernel.errors import TourneyError
from tourney.kernel.ids import EntryId
from tourney.kernel.outcomes import ByeKind
from tourney.kernel.records import History


@dataclass(frozen=True, slots=True)
class Bent:
    """A rule that a round bends, and who is concerned.

    Rules: "twice" (a player sits on two boards), "missing" (a player who is there has no game and no bye), "absent" (a
    game for somebody who isn't there), "byes" (more than one bye of the pairing, or one nobody needs), "C1",
    "forbidden", "C3", "C2" (the bye), "color" (colours against the article in `detail`), and "choice": the pair is
    legal, but the rules choose another one.
    """

    rule: str
    entries: tuple[EntryId, ...]
    detail: str = ""

    @property
    def is_absolute(self) -> bool:
        """A rule nobody may bend, unlike a choice or a colour."""
        return self.rule not in ("choice", "color")


@dataclass(frozen=True, slots=True)
class Verdict:
    """What is bent, worst first, and how the engine pairs the round (None: it can't be paired by the rules)."""

    bent: tuple[Bent, ...]
    by_engine: RoundPlan | None


def judge(
    history: History,
    rules: SwissRules,
    plan: RoundPlan,
    *,
    absent: Absent | None = None,
    first_color: Color | None = None,
    forbidden: ForbiddenPairs = (),
    virtual_points: VirtualPoints | None = None,
) -> Verdict:
    """Return the rules that a round paired by hand bends; the other arguments are those of `pair_round`."""
    absent = absent or {}
    first = rules.first_color.color or first_color
    if first is None:
        raise TourneyError("pairing.first_color_needed")
    field = swiss_field(history, rules, absent=absent, forbidden=forbidden, virtual_points=virtual_points)
    try:
        by_engine = plan_of(field, pair_field(field), first, history.rounds_done + 1, absent)
    except NoValidPairing:
        by_engine = None
    bent = [*_seats(field, plan), *_byes(field, plan)]
    for pairing in plan.pairings:
        bent.extend(_pair(field, pairing, first, by_engine))
    return Verdict(tuple(sorted(bent, key=lambda one: not one.is_absolute)), by_engine)


def _seats(field: Field, plan: RoundPlan) -> Iterator[Bent]:
    here = {card.entry for card in field.cards}
    seats = Counter(entry for pairing in plan.pairings for entry in (pairing.white, pairing.black))
    seats.update(bye.entry for bye in plan.byes if bye.kind is ByeKind.PAIRING)
    for entry, count in seats.items():
        if count > 1:
            yield Bent("twice", (entry,))
        if entry not in here:
            yield Bent("absent", (entry,))
    for card in field.cards:
        if card.entry not in seats:
            yield Bent("missing", (card.entry,))


def _byes(field: Field, plan: RoundPlan) -> Iterator[Bent]:
    given = [bye.entry for bye in plan.byes if bye.kind is ByeKind.PAIRING]
    if len(given) > field.size % 2:
        yield Bent("byes", tuple(given))
    for card in field.cards:
        if card.entry in given and not card.may_get_bye:
            yield Bent("C2", (card.entry,))


def _pair(field: Field, pairing: Pairing, first_color: Color, by_engine: RoundPlan | None) -> Iterator[Bent]:
    position = {card.entry: index for index, card in enumerate(field.cards)}
    if pairing.white not in position or pairing.black not in position or pairing.white == pairing.black:
        return
    higher, lower = sorted((position[pairing.white], position[pairing.black]))
    entries = (pairing.white, pairing.black)
    broken = False
    for rule, barred in (("C1", field.met), ("forbidden", field.forbidden)):
        if barred[higher] >> lower & 1:
            broken = True
            yield Bent(rule, entries)
    if not broken and not field.legal[higher] >> lower & 1:
        broken = True
        yield Bent("C3", entries)
    color, reason = allocate(field.cards[higher], field.cards[lower], first_color)
    given = Color.WHITE if position[pairing.white] == higher else Color.BLACK
    if color is not given:
        yield Bent("color", entries, reason.value)
    if not broken and by_engine is not None:
        chosen = {frozenset((one.white, one.black)) for one in by_engine.pairings}
        if frozenset(entries) not in chosen:
            yield Bent("choice", entries)
