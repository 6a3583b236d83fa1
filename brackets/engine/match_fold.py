"""The values of a match being played and the fold that makes them from its steps (used through `match_play`)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import combinations

from brackets.engine.match_format import (
    Armageddon,
    ArmageddonColor,
    DrawnArmageddon,
    FirstColor,
    GamesPhase,
    MatchFormat,
    RoundRobinPhase,
    StillTied,
)
from brackets.engine.match_steps import (
    BothAbsent,
    ChooseColor,
    Claim,
    Decide,
    Leave,
    LotChooser,
    LotColor,
    NoShow,
    Repeat,
    SettleClaim,
    Step,
)
from brackets.engine.seeding import lower_rated
from tourney.kernel.clocks import Clock
from tourney.kernel.colors import Color
from tourney.kernel.outcomes import STANDARD, ResultCode
from tourney.kernel.points import ONE, ZERO, Points


@dataclass(frozen=True, slots=True)
class PlayedGame:
    """A game with its result and, unlike the step that was entered, with its colours."""

    number: int
    white: str
    black: str
    result: ResultCode

    def points(self, player: str) -> Points:
        """Return what this game gave a player, in half-points."""
        outcome = STANDARD.outcome(self.result)
        return outcome.points(Color.WHITE if player == self.white else Color.BLACK)


Record = Step | PlayedGame


@dataclass(frozen=True, slots=True)
class AwaitColor:
    """Somebody has to choose the colour of a game."""

    number: int
    by: str


class LotFor(StrEnum):
    """What a lot decides."""

    WHITE = "white"  # the lot gives White
    CHOOSER = "chooser"  # the lot names who chooses


@dataclass(frozen=True, slots=True)
class AwaitLot:
    """A lot must be drawn first."""

    number: int
    gives: LotFor


@dataclass(frozen=True, slots=True)
class AwaitGame:
    """A game of two is due."""

    number: int
    white: str
    black: str
    white_clock: Clock | None
    black_clock: Clock | None
    armageddon: bool = False


@dataclass(frozen=True, slots=True)
class AwaitGroup:
    """Games of a play-off tournament still to be played, in any order and with any colours."""

    left: tuple[tuple[str, str], ...]
    clock: Clock


@dataclass(frozen=True, slots=True)
class AwaitDecision:
    """The rules are silent: the arbiter awards the match, lets these play again or has a lot drawn."""

    tied: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class AwaitClaim:
    """A claim must be settled first."""

    by: str


class MatchEnd(StrEnum):
    """How a match ended."""

    GAMES = "games"
    ARMAGEDDON = "armageddon"
    ADVANTAGE = "advantage"  # level, and one side needed no more
    NO_SHOW = "no_show"
    BOTH_ABSENT = "both_absent"
    LEFT = "left"
    DECISION = "decision"


@dataclass(frozen=True, slots=True)
class Finished:
    """Nothing is due: the match is decided."""

    winner: str
    how: MatchEnd


Awaiting = AwaitColor | AwaitLot | AwaitGame | AwaitGroup | AwaitDecision | AwaitClaim | Finished


@dataclass(frozen=True, slots=True)
class PhaseScore:
    """The score of one phase (each repetition is one more): ``phase`` counts the format's phases from 0."""

    phase: int
    score: Mapping[str, Points]


def other_of(players: Sequence[str], player: str) -> str:
    """Return the opponent in a match of two."""
    first, second = players
    return second if player == first else first


class Fold:
    """The match after some records; `take` adds one if it fits, and says whether it did."""

    def __init__(self, rules: MatchFormat, players: Mapping[str, int | None], advantage: str | None) -> None:
        self.rules = rules
        self.players = players
        self.advantage = advantage
        self.phase = 0
        self.contenders: tuple[str, ...] = tuple(players)
        self.games: list[PlayedGame] = []
        self.struck: list[PlayedGame] = []
        self.phase_games: list[PlayedGame] = []
        self.scores: list[PhaseScore] = []
        self.phase_over = False  # the last kept score is that of the phase that is on
        self.gone: set[str] = set()
        self.white: str | None = None  # of the next game, if a choice or a lot has just settled it
        self.chooser: str | None = None
        self.tied: tuple[str, ...] = ()
        self.claim: Claim | None = None
        self.finished: Finished | None = None

    def take_all(self, records: Iterable[Record]) -> None:
        """Take steps one after another; games that have lost their place are struck."""
        for record in records:
            if not self.take(record) and isinstance(record, PlayedGame):
                self.struck.append(record)

    def awaiting(self) -> Awaiting:
        """Return what has to come next."""
        if self.finished:
            return self.finished
        if self.claim:
            return AwaitClaim(self.claim.by)
        if self.tied:
            return AwaitDecision(self.tied)
        phase = self.rules.phases[self.phase]
        if isinstance(phase, RoundRobinPhase):
            return AwaitGroup(tuple(self._pairs_left(phase)), phase.clock)
        number = self.games[-1].number + 1 if self.games else 1
        rule = phase.color if isinstance(phase, Armageddon) else self.rules.first_color
        white = self._next_white(phase, rule)
        if white is not None:
            black = other_of(self.contenders, white)
            if isinstance(phase, Armageddon):
                return AwaitGame(number, white, black, phase.white_clock, phase.black_clock, armageddon=True)
            return AwaitGame(number, white, black, phase.clock, phase.clock)
        if rule in (FirstColor.LOT, ArmageddonColor.LOT):
            return AwaitLot(number, LotFor.WHITE)
        chooser = self.chooser
        if rule is FirstColor.LOWER_RATED_CHOOSES and chooser is None:
            chooser = lower_rated({player: self.players[player] for player in self.contenders})
        return AwaitColor(number, chooser) if chooser else AwaitLot(number, LotFor.CHOOSER)

    def _next_white(self, phase: GamesPhase | Armageddon, rule: FirstColor | ArmageddonColor) -> str | None:
        if self.white is not None:
            return self.white
        if isinstance(phase, GamesPhase) and (
            self.phase_games or (phase.colors_continue and self._last_was_ordinary())
        ):
            return self.games[-1].black
        if rule is FirstColor.HIGHER_SEED_WHITE:
            return self.contenders[0]
        return self.contenders[1] if rule is FirstColor.LOWER_SEED_WHITE else None

    def _last_was_ordinary(self) -> bool:
        return bool(self.scores) and isinstance(self.rules.phases[self.scores[-1].phase], GamesPhase)

    def _pairs_left(self, phase: RoundRobinPhase) -> Iterable[tuple[str, str]]:
        for pair in combinations(self.contenders, 2):
            played = sum(1 for game in self.phase_games if {game.white, game.black} == set(pair))
            if not self.gone & set(pair):
                yield from [pair] * (phase.cycles - played)

    def take(self, record: Record) -> bool:
        """Take one step; False when it has no place here: the match is over, or something else is due."""
        awaited = self.awaiting()
        if isinstance(awaited, Finished):
            return False
        match record:
            case NoShow(absent=absent):
                return self._finish(other_of(self.contenders, absent), MatchEnd.NO_SHOW)
            case BothAbsent(winner=winner):
                return self._finish(winner, MatchEnd.BOTH_ABSENT)
            case Decide(winner=winner):
                return self._finish(winner, MatchEnd.DECISION)
            case Leave(player=player):
                return self._leave(player)
            case Claim():
                self.claim = record
                return True
            case SettleClaim():
                self.claim = None
                return True
        return self._take_awaited(awaited, record)

    def _take_awaited(self, awaited: Awaiting, record: Record) -> bool:
        match awaited, record:
            case AwaitColor(by=by), ChooseColor(by=chooser, color=color) if by == chooser:
                self.white = by if color is Color.WHITE else other_of(self.contenders, by)
            case AwaitLot(gives=LotFor.WHITE), LotColor(white=white) if white in self.contenders:
                self.white = white
            case AwaitLot(gives=LotFor.CHOOSER), LotChooser(chooser=chooser) if chooser in self.contenders:
                self.chooser = chooser
            case AwaitGame(), PlayedGame() if (awaited.number, awaited.white, awaited.black) == (
                record.number,
                record.white,
                record.black,
            ):
                self._add(record)
                self._after_game()
            case AwaitGroup(left=left), PlayedGame(white=white, black=black) if {white, black} in map(set, left):
                self._add(record)
                self._after_group()
            case AwaitDecision(tied=tied), Repeat() if isinstance(self.rules.phases[self.phase], RoundRobinPhase):
                self._begin(self.phase, tied)
            case _:
                return False
        return True

    def _add(self, game: PlayedGame) -> None:
        self.games.append(game)
        self.phase_games.append(game)
        self.white = None

    def _begin(self, phase: int, contenders: tuple[str, ...]) -> None:
        self.phase = phase
        self.contenders = contenders
        self.phase_games = []
        self.white = self.chooser = None
        self.tied = ()
        self.phase_over = False

    def _finish(self, winner: str, how: MatchEnd) -> bool:
        self.finished = Finished(winner, how)
        return True

    def _leave(self, player: str) -> bool:
        if player not in self.contenders or player in self.gone:
            return False
        self.gone.add(player)
        here = [other for other in self.contenders if other not in self.gone]
        if len(here) == 1:
            return self._finish(here[0], MatchEnd.LEFT)
        self._after_group()
        return True

    def phase_score(self) -> dict[str, Points]:
        """Return the score of the phase that is on; an opponent's departure counts as a win for each game left."""
        score = dict.fromkeys(self.contenders, ZERO)
        for game in self.phase_games:
            for player in (game.white, game.black):
                score[player] = Points(score[player] + game.points(player))
        phase = self.rules.phases[self.phase]
        if isinstance(phase, RoundRobinPhase):
            for pair in combinations(self.contenders, 2):
                played = sum(1 for game in self.phase_games if {game.white, game.black} == set(pair))
                for player in pair:
                    if player not in self.gone and other_of(pair, player) in self.gone:
                        score[player] = Points(score[player] + ONE * (phase.cycles - played))
        return score

    def _after_game(self) -> None:
        phase = self.rules.phases[self.phase]
        score = self.phase_score()
        high, low = sorted(score.values(), reverse=True)
        leader = max(score, key=score.__getitem__)
        if not isinstance(phase, GamesPhase):
            self._keep(score)
            self._after_armageddon()
            return
        left = phase.games - len(self.phase_games)
        if left and not (phase.clinch and high - low > left * ONE):
            return
        self._keep(score)
        if high != low:
            self._finish(leader, MatchEnd.GAMES)
        elif self.advantage:
            self._finish(self.advantage, MatchEnd.ADVANTAGE)
        elif phase.repeat:
            self._begin(self.phase, self.contenders)
        else:
            self._next_phase(self.contenders)

    def _after_armageddon(self) -> None:
        phase, game = self.rules.phases[self.phase], self.phase_games[-1]
        drawn = phase.draw if isinstance(phase, Armageddon) else DrawnArmageddon.FORBIDDEN
        white, black = game.points(game.white), game.points(game.black)
        if white != black:
            self._finish(game.white if white > black else game.black, MatchEnd.ARMAGEDDON)
        elif white == ZERO or drawn is DrawnArmageddon.FORBIDDEN:
            self.tied = self.contenders  # nobody came, or both lost: no rule names a winner
        else:
            self._finish(game.black if drawn is DrawnArmageddon.BLACK else game.white, MatchEnd.ARMAGEDDON)

    def _after_group(self) -> None:
        phase = self.rules.phases[self.phase]
        if not isinstance(phase, RoundRobinPhase) or any(True for _ in self._pairs_left(phase)):
            return
        score = self.phase_score()
        self._keep(score)
        best = max(points for player, points in score.items() if player not in self.gone)
        leaders = tuple(player for player in self.contenders if player not in self.gone and score[player] == best)
        if len(leaders) == 1:
            self._finish(leaders[0], MatchEnd.GAMES)
        elif len(leaders) == 2:
            self._next_phase(leaders)
        elif phase.still_tied is StillTied.REPEAT:
            self._begin(self.phase, leaders)
        else:
            self.tied = leaders

    def _next_phase(self, contenders: tuple[str, ...]) -> None:
        if self.phase + 1 < len(self.rules.phases):
            self._begin(self.phase + 1, contenders)
        else:
            self.tied = contenders

    def _keep(self, score: dict[str, Points]) -> None:
        self.scores.append(PhaseScore(self.phase, score))
        self.phase_over = True
