"""Why a round was paired as it was: brackets, floaters, places, colours, and what speaks against any other pair.

Everything is codes and numbers, for the command line and the pages to put into words. A reason is the first rule in
which the other pairing is worse: "C1", "C3", "forbidden" (the pair itself), "C2", "C5" (the bye), "C4" (nobody could be
paired any more), "C6" to "C21" with both values, or "order": equally good, but generated later (art. 3.6–3.8, 4.2–4.4).
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from swiss.engine.dutch.bits import bit_set
from swiss.engine.dutch.bracket import Bracket
from swiss.engine.dutch.cards import Card, Strength, VirtualPoints
from swiss.engine.dutch.colors import ColorReason, allocate
from swiss.engine.dutch.exact import solve_values, solve_values_near
from swiss.engine.dutch.field import Field
from swiss.engine.dutch.pairing import FieldPairing
from swiss.engine.dutch.quick import unbeaten_pairing
from swiss.engine.dutch.values import Value, bracket_values, near_values
from swiss.engine.plan import RoundPlan
from swiss.engine.rounds import Absent, ForbiddenPairs, plan_of, solve_round
from swiss.engine.rules import SwissRules
from tourney.kernel.colors import Color
from tourney.kernel.errors import TourneyError
from tourney.kernel.ids import EntryId
from tourney.kernel.records import History


@dataclass(frozen=True, slots=True)
class PlayerView:
    """What the pairing knew about a player: `half` is S1 or S2 (S1R, S2R in a remainder), `place` counts in it."""

    entry: EntryId
    score: int
    half: str
    place: int
    moved_down: bool
    preference: Color | None
    strength: Strength
    color: Color
    colors: tuple[Color, ...]


@dataclass(frozen=True, slots=True)
class PairView:
    """A pair of a round: its bracket (counted from 1), both players, and the article that gave the colours."""

    bracket: int
    higher: PlayerView
    lower: PlayerView
    color_reason: ColorReason


@dataclass(frozen=True, slots=True)
class BracketView:
    """A bracket: the residents' score, who moved down into it, its pairs, who floats on, and the values of C6–C21."""

    number: int
    score: int
    moved_down: tuple[EntryId, ...]
    residents: tuple[EntryId, ...]
    pairs: tuple[tuple[EntryId, EntryId], ...]
    floaters: tuple[EntryId, ...]
    values: dict[str, Value]


@dataclass(frozen=True, slots=True)
class ByeView:
    """Who gets the bye and with what score; `barred` may not get it (C2) although the score is not higher."""

    entry: EntryId
    score: int
    unplayed: int
    barred: tuple[EntryId, ...]


@dataclass(frozen=True, slots=True)
class Reason:
    """Why not another pair: the rule, the bracket it was decided in (0: none), the value as paired and otherwise."""

    rule: str
    bracket: int = 0
    value: Value = 0
    other: Value = 0


class Explanation:
    """A paired round with the reasons for it."""

    def __init__(self, field: Field, pairing: FieldPairing, first_color: Color, number: int, absent: Absent) -> None:
        self.field = field
        self.pairing = pairing
        self.first_color = first_color
        self.plan: RoundPlan = plan_of(field, pairing, first_color, number, absent)
        self._values: dict[int, dict[str, Value]] = {}
        self._index = {card.entry: index for index, card in enumerate(field.cards)}
        self._step = {
            index: number for number, step in enumerate(pairing.steps) for pair in step.paired.pairs for index in pair
        }

    # --- what happened -------------------------------------------------------------------------------------------

    def brackets(self) -> tuple[BracketView, ...]:
        """Return the brackets from the top."""
        return tuple(self._bracket(number) for number in range(len(self.pairing.steps)))

    def _bracket(self, number: int) -> BracketView:
        step = self.pairing.steps[number]
        return BracketView(
            number=number + 1,
            score=self.field.cards[step.bracket.residents[0]].score,
            moved_down=self._entries(step.bracket.moved_down),
            residents=self._entries(step.bracket.residents),
            pairs=tuple((self._entry(first), self._entry(second)) for first, second in step.paired.pairs),
            floaters=self._entries(step.paired.floaters),
            values=self._actual(number),
        )

    def pair(self, entry: EntryId) -> PairView | None:
        """Return the pair of a player; None when he has none in this round."""
        index = self._index.get(entry)
        number = None if index is None else self._step.get(index)
        if index is None or number is None:
            return None
        step = self.pairing.steps[number]
        higher, lower = next(pair for pair in step.paired.pairs if index in pair)
        cards = self.field.cards
        color, reason = allocate(cards[higher], cards[lower], self.first_color)
        places = _places(step.bracket, step.paired.pairs)
        return PairView(
            number + 1,
            self._view(cards[higher], places[higher], color, higher in step.bracket.moved_down),
            self._view(cards[lower], places[lower], color.other, lower in step.bracket.moved_down),
            reason,
        )

    def pairs(self) -> tuple[PairView, ...]:
        """Return all pairs in board order."""
        views = (self.pair(pairing.white) for pairing in self.plan.pairings)
        return tuple(view for view in views if view is not None)

    def bye(self) -> ByeView | None:
        """Return who got the bye of the pairing, and who was barred from it."""
        if self.pairing.bye < 0:
            return None
        card = self.field.cards[self.pairing.bye]
        barred = [other for other in self.field.cards if not other.may_get_bye and other.score <= card.score]
        unplayed = self.field.rounds_done - card.games
        return ByeView(card.entry, card.score, unplayed, tuple(other.entry for other in barred))

    # --- what speaks against another pairing ----------------------------------------------------------------------

    def against(self, entry: EntryId, other: EntryId) -> Reason | None:
        """Return why these two don't meet; None when they do."""
        first, second = sorted((self._known(entry), self._known(other)))
        if first == second:
            raise TourneyError("explain.same_player", entry=entry)
        if (first, second) in self.pairing.pairs:
            return None
        if self.field.met[first] >> second & 1:
            return Reason("C1")
        if self.field.forbidden[first] >> second & 1:
            return Reason("forbidden")
        if not self.field.legal[first] >> second & 1:
            return Reason("C3")
        last = len(self.pairing.steps) - 1
        number = min(self._step.get(first, last), self._step.get(second, last))
        bracket = self.pairing.steps[number].bracket
        if first in bracket.members and second in bracket.members:
            legal = self._without(bit_set((first, second)), self.field.everybody)
            legal[first], legal[second] = 1 << second, 1 << first
            return self._worse(number, legal, bracket.bye_candidates & ~bit_set((first, second)))
        # One of them was paired before the other's bracket was reached: he would have to float down from it.
        floater = first if first in bracket.members else second
        legal = self._without(1 << floater, bit_set(bracket.members))
        return self._worse(number, legal, bracket.bye_candidates & ~(1 << floater))

    def against_floating(self, entry: EntryId) -> Reason:
        """Return why a player isn't the one who goes down from his bracket."""
        index = self._known(entry)
        number = self._step.get(index, len(self.pairing.steps) - 1)
        bracket = self.pairing.steps[number].bracket
        candidates = bracket.bye_candidates
        if candidates & bit_set(bracket.members):
            # The bye goes to somebody of this bracket: to float from it is to get the bye.
            if not candidates >> index & 1:
                return Reason("C2" if not self.field.cards[index].may_get_bye else "C5", number + 1)
            return self._worse(number, list(self.field.legal), 1 << index)
        legal = self._without(1 << index, bit_set(bracket.members))
        return self._worse(number, legal, candidates)

    def _without(self, some: int, others: int) -> list[int]:
        """Return who may meet whom when some players may meet none of the others, nor be met by them."""
        return [
            legal & ~others if some >> index & 1 else legal & ~some if others >> index & 1 else legal
            for index, legal in enumerate(self.field.legal)
        ]

    def against_bye(self, entry: EntryId) -> Reason | None:
        """Return why this player doesn't get the bye; None when he does, or "even" when nobody needs one."""
        index = self._known(entry)
        if index == self.pairing.bye:
            return None
        if self.pairing.bye < 0:
            return Reason("even")
        card, actual = self.field.cards[index], self.field.cards[self.pairing.bye]
        if not card.may_get_bye:
            return Reason("C2")
        if card.score > actual.score:
            return Reason("C5", value=actual.score, other=card.score)
        if not self.field.completes(self.field.everybody, 1 << index):
            return Reason("C4")
        number = next(n for n, step in enumerate(self.pairing.steps) if index in step.bracket.members)
        return self._worse(number, self.field.legal, 1 << index)

    def _worse(self, number: int, legal: list[int], bye_candidates: int) -> Reason:
        """Return the first criterion in which a bracket is worse under other possibilities."""
        actual = self._actual(number)
        bracket = self.pairing.steps[number].bracket
        odd = bool(bracket.bye_candidates)
        if odd and not bye_candidates:
            return Reason("C5", number + 1)
        field = self.field.with_legal(legal)
        changed = replace(bracket, bye_candidates=bye_candidates)
        values = self._best_values(field, changed)
        if values is None:
            return Reason("C4", number + 1)
        for criterion, value in actual.items():
            if criterion in values and values[criterion] != value:
                return Reason(criterion, number + 1, value, values[criterion])
        return Reason("order", number + 1)

    def _actual(self, number: int) -> dict[str, Value]:
        if (known := self._values.get(number)) is None:
            step = self.pairing.steps[number]
            known = near_values(self.field, step.bracket, step.paired) or self._best_values(self.field, step.bracket)
            if known is None:
                raise AssertionError("a paired bracket can be paired")
            self._values[number] = known
        return known

    def _best_values(self, field: Field, bracket: Bracket) -> dict[str, Value] | None:
        """Return the best values a bracket can reach, None when nobody could be paired any more.

        What meets every lower bound has the values its numbers allow; else the bracket alone is tried, and at last
        everybody behind it as well.
        """
        for solve in (unbeaten_pairing, solve_values_near):
            paired = solve(field, bracket)
            values = None if paired is None else near_values(field, bracket, paired)
            if values is not None:
                return values
        following = bit_set((*bracket.members, *bracket.next_group)) | bracket.below
        if not field.completes(following, bracket.bye_candidates):
            return None
        partners = solve_values(field, bracket)
        return None if partners is None else bracket_values(field, bracket, partners)

    # --- small things --------------------------------------------------------------------------------------------

    def _known(self, entry: EntryId) -> int:
        if entry not in self._index:
            raise TourneyError("explain.not_in_round", entry=entry)
        return self._index[entry]

    def _entry(self, index: int) -> EntryId:
        return self.field.cards[index].entry

    def _entries(self, indexes: tuple[int, ...]) -> tuple[EntryId, ...]:
        return tuple(self._entry(index) for index in indexes)

    @staticmethod
    def _view(card: Card, place: tuple[str, int], color: Color, moved_down: bool) -> PlayerView:
        return PlayerView(
            entry=card.entry,
            score=card.score,
            half=place[0],
            place=place[1],
            moved_down=moved_down,
            preference=card.preference,
            strength=card.strength,
            color=color,
            colors=card.colors,
        )


def _places(bracket: Bracket, pairs: tuple[tuple[int, int], ...]) -> dict[int, tuple[str, int]]:
    """Return the half and the place of everybody in a bracket before any exchange (art. 3.2, 3.3)."""
    paired_moved = [index for index in bracket.moved_down if any(index in pair for pair in pairs)]
    places: dict[int, tuple[str, int]] = dict.fromkeys(bracket.moved_down, ("limbo", 0))
    places |= {index: ("S1", place) for place, index in enumerate(paired_moved, 1)}
    opponents = {second for first, second in pairs if first in paired_moved}
    rest = [index for index in bracket.residents if index not in opponents]
    suffix = "R" if bracket.moved_down else ""
    places |= {index: ("S2", place) for place, index in enumerate(bracket.residents, 1) if index in opponents}
    upper = len(pairs) - len(paired_moved)
    for position, index in enumerate(rest):
        places[index] = (f"S1{suffix}", position + 1) if position < upper else (f"S2{suffix}", position + 1 - upper)
    return places


def explain_round(
    history: History,
    rules: SwissRules,
    *,
    absent: Absent | None = None,
    first_color: Color | None = None,
    forbidden: ForbiddenPairs = (),
    virtual_points: VirtualPoints | None = None,
) -> Explanation:
    """Return the explanation of the next round; the arguments are those of `pair_round`."""
    first = rules.first_color.color or first_color
    if first is None:
        raise TourneyError("pairing.first_color_needed")
    field, pairing = solve_round(
        history, rules, absent=absent or {}, forbidden=forbidden, virtual_points=virtual_points
    )
    return Explanation(field, pairing, first, history.rounds_done + 1, absent or {})
