"""Playing off first place (clause 8.2 of the youth regulation, but every number is the regulation's).

Who is level on points *and* every tie-break for first place plays on, not before a pause after the last game of all
claimants. Two play a short match and, when it is drawn, an Armageddon. Three or more play a blitz round robin; a clear
winner has won, the best two meet in a deciding Armageddon, and what happens when three or more are level again is a
setting. Ties for lower places are never played off.

Every function is stateless: it reads what was played so far and says what comes next.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Literal

from prizes.engine.placings import Placing, groups, settled
from tourney.kernel.colors import Color
from tourney.kernel.errors import TourneyError
from tourney.kernel.ids import EntryId
from tourney.kernel.outcomes import STANDARD, ResultCode

LevelAgain = Literal["repeat_blitz", "drawing_of_lots"]
LowerPlaces = Literal["shared_place", "drawing_of_lots"]


class Kind(StrEnum):
    TWO_GAMES = "two_games"
    BLITZ_TOURNAMENT = "blitz_tournament"


@dataclass(frozen=True, slots=True)
class ArmageddonPlan:
    """The deciding game: minutes of either side, who chooses or draws the colour, whose a draw is."""

    white: str = "5"
    black: str = "4"
    color: str = "lot_winner_chooses"
    draw: Color = Color.BLACK


@dataclass(frozen=True, slots=True)
class PlayoffRules:
    """The play-off block of a regulation. The names of match formats lead to the match-play engine."""

    two_format: str
    two_games: int
    two_clock: str
    two_armageddon: ArmageddonPlan
    three_clock: str
    decider_format: str
    decider: ArmageddonPlan
    three_cycles: int = 1
    pause_minutes: int = 15
    level_again: LevelAgain = "repeat_blitz"
    lower_places: LowerPlaces = "shared_place"


@dataclass(frozen=True, slots=True)
class Playoff:
    """A play-off that has to be held."""

    kind: Kind
    between: tuple[EntryId, ...]
    clock: str
    earliest_start: datetime | None  # None while a claimant's game is still going on


class StepKind(StrEnum):
    """What a play-off asks for next."""

    GAMES = "games"  # the match (or the blitz round robin) goes on
    ARMAGEDDON = "armageddon"
    REPEAT_BLITZ = "repeat_blitz"
    DRAWING_OF_LOTS = "drawing_of_lots"
    WINNER = "winner"


@dataclass(frozen=True, slots=True)
class Step:
    """What comes next, and between whom; for `WINNER` the one who has won."""

    kind: StepKind
    between: tuple[EntryId, ...]

    @property
    def winner(self) -> EntryId | None:
        return self.between[0] if self.kind is StepKind.WINNER else None


@dataclass(frozen=True, slots=True)
class PlayoffGame:
    """One finished game of a play-off."""

    white: EntryId
    black: EntryId
    result: ResultCode


def claimants(placings: Sequence[Placing]) -> tuple[EntryId, ...]:
    """Return who shares first place after all tie-breaks; empty when it belongs to one alone."""
    first = groups(placings)[0] if placings else []
    return tuple(placing.entry for placing in first) if len(first) > 1 else ()


def playoff_for(
    placings: Sequence[Placing], rules: PlayoffRules | None, last_games_ended: Collection[datetime | None] = ()
) -> Playoff | None:
    """Return the play-off these final standings call for, or None.

    `last_games_ended` are the ends of the claimants' last games (None: still going on).
    """
    tied = claimants(placings)
    if rules is None or not tied:
        return None
    start = earliest_start(last_games_ended, rules)
    if len(tied) == 2:
        return Playoff(Kind.TWO_GAMES, tied, rules.two_clock, start)
    return Playoff(Kind.BLITZ_TOURNAMENT, tied, rules.three_clock, start)


def earliest_start(last_games_ended: Collection[datetime | None], rules: PlayoffRules) -> datetime | None:
    """Return when a play-off may begin: the pause after the last game of all claimants."""
    ended = [moment for moment in last_games_ended if moment is not None]
    if not ended or len(ended) < len(last_games_ended):
        return None
    return max(ended) + timedelta(minutes=rules.pause_minutes)


def after_games(between: Sequence[EntryId], games: Sequence[PlayoffGame], rules: PlayoffRules) -> Step:
    """Return what follows the games two players have finished: more games, a winner, or the Armageddon.

    Raises TourneyError ``playoff.foreign_player`` and ``playoff.too_many_games``.
    """
    first, second = between
    if len(games) > rules.two_games:
        raise TourneyError("playoff.too_many_games", games=len(games), planned=rules.two_games)
    scores = _scores(between, games)
    lead, left = scores[first] - scores[second], rules.two_games - len(games)
    if abs(lead) > 2 * left:
        return Step(StepKind.WINNER, (first if lead > 0 else second,))
    return Step(StepKind.GAMES if left else StepKind.ARMAGEDDON, (first, second))


def after_blitz(between: Sequence[EntryId], scores: Mapping[EntryId, int], rules: PlayoffRules) -> Step:
    """Return what follows the finished blitz round robin; `scores` in half-points.

    Raises TourneyError ``playoff.score_missing``.
    """
    for entry in between:
        if entry not in scores:
            raise TourneyError("playoff.score_missing", entry=entry)
    best = max(scores[entry] for entry in between)
    top = tuple(entry for entry in between if scores[entry] == best)
    if len(top) == 1:
        return Step(StepKind.WINNER, top)
    if len(top) == 2:
        return Step(StepKind.ARMAGEDDON, top)
    return Step(StepKind(rules.level_again), top)


def blitz_scores(between: Sequence[EntryId], games: Sequence[PlayoffGame]) -> dict[EntryId, int]:
    """Return the half-points of a blitz round robin from its games."""
    return _scores(between, games)


def after_armageddon(game: PlayoffGame, plan: ArmageddonPlan) -> Step:
    """Return the winner of the deciding game; a draw is the win of the side the plan names.

    Raises TourneyError ``playoff.no_winner`` for a result in which nobody scored.
    """
    outcome = STANDARD.outcome(game.result)
    if outcome.white == outcome.black == 0:
        raise TourneyError("playoff.no_winner", result=str(game.result))
    if outcome.white == outcome.black:
        return Step(StepKind.WINNER, (game.white if plan.draw is Color.WHITE else game.black,))
    return Step(StepKind.WINNER, (game.white if outcome.white > outcome.black else game.black,))


def places_after(placings: Sequence[Placing], winner: EntryId, runner_up: EntryId | None = None) -> tuple[Placing, ...]:
    """Return the placings after the play-off: the winner first, who lost the deciding game second, the rest share.

    Raises TourneyError ``placing.not_one_group`` when one of them didn't share first place.
    """
    tied = claimants(placings)
    named = [winner] if runner_up is None else [winner, runner_up]
    if len(tied) == 2 and runner_up is None:
        named += [entry for entry in tied if entry != winner]
    rest = [entry for entry in tied if entry not in named]
    order: list[list[EntryId]] = [[entry] for entry in named]
    return settled(placings, [*order, rest] if rest else order)


def _scores(between: Sequence[EntryId], games: Sequence[PlayoffGame]) -> dict[EntryId, int]:
    scores = dict.fromkeys(between, 0)
    for game in games:
        for entry in (game.white, game.black):
            if entry not in scores:
                raise TourneyError("playoff.foreign_player", entry=entry)
        outcome = STANDARD.outcome(game.result)
        scores[game.white] += outcome.white
        scores[game.black] += outcome.black
    return scores
