"""Checking a finished or running event: every round is paired again and compared with what was played."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from swiss.engine.dutch.cards import VirtualPoints
from swiss.engine.plan import RoundPlan
from swiss.engine.refusals import refusal_text
from swiss.engine.rounds import pair_round
from swiss.engine.rules import Acceleration, SwissRules
from tourney.kernel.colors import Color
from tourney.kernel.errors import TourneyError
from tourney.kernel.ids import EntryId
from tourney.kernel.trf import Trf

BYE = 0
Pair = tuple[int, int]  # white and black; a bye of the pairing is (number, 0)


@dataclass(frozen=True, slots=True)
class RoundCheck:
    """A round as it stands in the file and as the engine pairs it, by pairing number.

    `unknown_colors` are pairs of the file without colours (some programs leave them out of forfeits): they agree when
    the engine has the same two players.
    """

    number: int
    in_file: frozenset[Pair]
    by_engine: frozenset[Pair]
    unknown_colors: frozenset[frozenset[int]] = frozenset()
    error: str = ""

    @property
    def agrees(self) -> bool:
        return not self.error and not self.only_in_file and not self.only_by_engine

    @property
    def only_in_file(self) -> tuple[Pair, ...]:
        """Pairs of the file that the engine doesn't have, in order."""
        return tuple(sorted(pair for pair in self.in_file - self.by_engine if not self._same(pair)))

    @property
    def only_by_engine(self) -> tuple[Pair, ...]:
        """Pairs of the engine that the file doesn't have, in order."""
        return tuple(sorted(pair for pair in self.by_engine - self.in_file if not self._same(pair)))

    def _same(self, pair: Pair) -> bool:
        both = frozenset(pair)
        return both in self.unknown_colors and any(frozenset(other) == both for other in self.by_engine)


def rules_of(trf: Trf) -> SwissRules:
    """Return the rules a report was played by; without a total the rounds played are all there are."""
    return SwissRules(
        rounds=trf.rounds_total or trf.rounds_done,
        # A file may name the method alone (record 192); explicit points (250, XXA) go before it.
        acceleration=Acceleration.BAKU if names_baku(trf) else Acceleration.NONE,
        scoring=trf.scoring,
    )


def names_baku(trf: Trf) -> bool:
    """Return whether a report says "Baku acceleration" without saying who gets which points."""
    return not trf.accelerations and trf.header.get("192", "").strip().upper().endswith("_BAKU")


def virtual_points_of(trf: Trf, rounds: int) -> VirtualPoints | None:
    """Return the explicit virtual points of a report, None when its rules give them, if any."""
    return trf.virtual_points(rounds) if trf.accelerations else None


def first_color_of(trf: Trf) -> Color:
    """Return the first colour: the file's, else what the first game of the top half shows."""
    if trf.first_color is not None:
        return trf.first_color
    paired = [player for player in trf.players if player.cells and player.cells[0].shows_pairing]
    for index, player in enumerate(paired):
        cell = player.cells[0]
        if cell.color is not None and cell.opponent > player.number:
            return cell.color if index % 2 == 0 else cell.color.other
    return Color.WHITE


def pair_next(trf: Trf, number: int | None = None, *, open_as_draws: bool = False) -> RoundPlan:
    """Return the engine's pairing of a round (None: the one after the last paired).

    A round that was paired in the file although games before it were open took those as draws; a round to come does so
    only with `open_as_draws` (else TourneyError ``pairing.results_missing``).
    """
    number = trf.rounds_done + 1 if number is None else number
    rules = rules_of(trf)
    return pair_round(
        trf.history(number - 1, open_as_draws=open_as_draws or number <= trf.rounds_done),
        # A file that doesn't say how many rounds there are can still be paired; it has no last round then.
        rules if trf.rounds_total or number <= rules.rounds else replace(rules, rounds=number + 1),
        absent={EntryId(player): kind for player, kind in trf.byes_of_round(number).items()},
        first_color=first_color_of(trf),
        forbidden=trf.forbidden_pairs(number),
        virtual_points=virtual_points_of(trf, max(number, rules.rounds)),
    )


def played_pairs(trf: Trf, number: int) -> tuple[frozenset[Pair], frozenset[frozenset[int]]]:
    """Return a round's pairs as they stand in the file, and those of them without colours."""
    pairs = set()
    unknown = set()
    for player in trf.players:
        cell = trf.cell(player.number, number)
        if cell.result == "U" and not cell.is_game:
            pairs.add((player.number, BYE))
        elif cell.is_game and cell.color is None:
            unknown.add(frozenset((player.number, cell.opponent)))
            pairs.add((min(player.number, cell.opponent), max(player.number, cell.opponent)))
        elif cell.is_game:
            white = cell.color is Color.WHITE
            pairs.add((player.number, cell.opponent) if white else (cell.opponent, player.number))
    return frozenset(pairs), frozenset(unknown)


def planned_pairs(plan: RoundPlan) -> frozenset[Pair]:
    """Return a plan's pairs with the bye of the pairing as (number, 0)."""
    pairs = {(int(pairing.white), int(pairing.black)) for pairing in plan.pairings}
    if plan.pairing_bye is not None:
        pairs.add((int(plan.pairing_bye), BYE))
    return frozenset(pairs)


def check_round(trf: Trf, number: int) -> RoundCheck:
    """Return the comparison of one round."""
    in_file, unknown = played_pairs(trf, number)
    try:
        plan = pair_next(trf, number)
    except TourneyError as error:
        return RoundCheck(number, in_file, frozenset(), unknown, refusal_text(error))
    return RoundCheck(number, in_file, planned_pairs(plan), unknown)


def check(trf: Trf) -> Iterator[RoundCheck]:
    """Yield the comparison of every round that was paired."""
    for number in range(1, trf.rounds_done + 1):
        yield check_round(trf, number)
