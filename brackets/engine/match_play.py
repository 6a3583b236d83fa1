"""One match as it is played: what is awaited now, what is refused, who has won.

The state is the steps replayed over the format. A correction changes one game's result and replays: games that come
after the end are struck out (and count again if a later correction makes the match level), a match that is level again
is open again. Rules: a phase is played only if the one before was level, and to its end unless the format lets it be
clinched; the colour of the first game is settled before any result; White is never entered, it follows from the rules.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from brackets.engine.facts import How, Result
from brackets.engine.match_fold import (
    AwaitClaim,
    AwaitColor,
    AwaitDecision,
    AwaitGame,
    AwaitGroup,
    Awaiting,
    AwaitLot,
    Finished,
    Fold,
    LotFor,
    MatchEnd,
    PhaseScore,
    PlayedGame,
    Record,
)
from brackets.engine.match_format import Armageddon, DrawnArmageddon, MatchFormat, RoundRobinPhase
from brackets.engine.match_steps import (
    BothAbsent,
    ChooseColor,
    Claim,
    Correct,
    Decide,
    Game,
    GroupGame,
    Leave,
    LotChooser,
    LotColor,
    NoShow,
    Reopen,
    Repeat,
    SettleClaim,
    Start,
    Step,
)
from tourney.kernel.errors import TourneyError
from tourney.kernel.ids import EntryId, MatchKey
from tourney.kernel.outcomes import STANDARD, ResultCode
from tourney.kernel.points import Points

__all__ = [
    "AwaitClaim",
    "AwaitColor",
    "AwaitDecision",
    "AwaitGame",
    "AwaitGroup",
    "AwaitLot",
    "Finished",
    "LotFor",
    "MatchEnd",
    "MatchState",
    "apply",
    "begin",
    "bracket_result",
    "next_step",
    "replay",
]

_ENDINGS = (NoShow, BothAbsent, Leave, Decide)


@dataclass(frozen=True, slots=True)
class MatchState:
    """A match after some steps. `players` maps names to ratings (None: unrated), in the order of the sides."""

    rules: MatchFormat
    players: Mapping[str, int | None]
    advantage: str | None  # who needs only a level first phase (a final with advantage)
    log: tuple[Step, ...]  # every accepted step
    records: tuple[Record, ...]  # what is in force after corrections
    games: tuple[PlayedGame, ...]
    struck: tuple[PlayedGame, ...]  # really played, but after a correction they come after the end
    phase: int  # the phase that is on, or that decided; counts from 0
    scores: tuple[PhaseScore, ...]  # of finished phases
    score: Mapping[str, Points]  # of the phase that is on, or of the last one when the match is over
    contenders: tuple[str, ...]  # who plays in that phase
    awaiting: Awaiting

    @property
    def winner(self) -> str | None:
        return self.awaiting.winner if isinstance(self.awaiting, Finished) else None

    @property
    def is_done(self) -> bool:
        return isinstance(self.awaiting, Finished)

    @property
    def played(self) -> bool:
        """At least one game that counts was played over the board."""
        return any(STANDARD.outcome(game.result).played for game in self.games)


def begin(rules: MatchFormat, players: Mapping[str, int | None], advantage: str | None = None) -> MatchState:
    """Return a match in which nothing has happened; TourneyError ``match.wrong_number`` if the format can't seat them.

    Two players fit every format; three or more need one that starts with a round robin.
    """
    group = isinstance(rules.phases[0], RoundRobinPhase)
    if len(players) < 2 or (len(players) > 2 and not group):
        raise TourneyError("match.wrong_number", players=len(players))
    return _state(rules, players, advantage, (), ())


def replay(
    rules: MatchFormat, players: Mapping[str, int | None], steps: Iterable[Step], advantage: str | None = None
) -> MatchState:
    """Return the match after these steps; TourneyError if one of them would have been refused."""
    state = begin(rules, players, advantage)
    for step in steps:
        state = apply(state, step)
    return state


def next_step(state: MatchState) -> Awaiting:
    """Return what the match waits for: a colour, a lot, a game with its White and clocks, the arbiter, or nothing."""
    return state.awaiting


def _state(
    rules: MatchFormat,
    players: Mapping[str, int | None],
    advantage: str | None,
    log: tuple[Step, ...],
    records: tuple[Record, ...],
) -> MatchState:
    fold = Fold(rules, players, advantage)
    fold.take_all(records)
    return MatchState(
        rules,
        players,
        advantage,
        log,
        records,
        tuple(fold.games),
        tuple(fold.struck),
        fold.phase,
        tuple(fold.scores),
        fold.scores[-1].score if fold.phase_over else fold.phase_score(),
        fold.contenders,
        fold.awaiting(),
    )


def apply(state: MatchState, step: Step) -> MatchState:
    """Return the match after one more step, or raise TourneyError; the old state is never changed.

    Codes: ``match.finished``, ``match.disputed``, ``match.color_first``, ``match.lot_first``,
    ``match.not_chooser``, ``match.color_not_now``, ``match.lot_not_now``, ``match.game_not_now``,
    ``match.out_of_order``, ``match.draw_not_possible``, ``match.no_such_game``, ``match.not_paired``,
    ``match.reason_needed``, ``match.unknown_player``, ``match.already_started``, ``match.too_early``,
    ``match.nothing_to_repeat``, ``match.nothing_to_reopen``, ``match.not_disputed``, ``match.arbiter_decides``.
    """
    _check_names(state, step)
    match step:
        case Correct():
            records = _corrected(state, step)
        case Reopen():
            records = _reopened(state, step)
        case Game() | GroupGame():
            records = (*state.records, _game(state, step))
        case _:
            _check(state, step)
            records = (*state.records, step)
    return _state(state.rules, state.players, state.advantage, (*state.log, step), records)


def _check_names(state: MatchState, step: Step) -> None:
    for name in ("by", "white", "black", "chooser", "absent", "player", "winner"):
        player = getattr(step, name, None)
        # A claim may come from an arbiter or a captain, everything else from those who play.
        if player is not None and player not in state.players and not isinstance(step, Claim):
            raise TourneyError("match.unknown_player", player=player)


def _check(state: MatchState, step: Step) -> None:
    awaited = state.awaiting
    if isinstance(awaited, Finished):
        raise TourneyError("match.finished", winner=awaited.winner)
    if isinstance(awaited, AwaitClaim) and not isinstance(step, (SettleClaim, Decide)):
        raise TourneyError("match.disputed", by=awaited.by)
    match step:
        case Start(minutes_after_last_game=minutes):
            if state.games:
                raise TourneyError("match.already_started")
            if minutes < state.rules.start_after_minutes:
                raise TourneyError("match.too_early", minutes=minutes, needed=state.rules.start_after_minutes)
        case ChooseColor(by=by):
            if not isinstance(awaited, AwaitColor):
                raise _not_now(awaited, "match.color_not_now")
            if by != awaited.by:
                raise TourneyError("match.not_chooser", by=by, chooser=awaited.by)
        case LotColor(white=player) | LotChooser(chooser=player):
            gives = LotFor.WHITE if isinstance(step, LotColor) else LotFor.CHOOSER
            if not isinstance(awaited, AwaitLot) or awaited.gives is not gives:
                raise TourneyError("match.lot_not_now")
            if player not in state.contenders:
                raise TourneyError("match.not_paired", white=player, black="")
        case NoShow() | BothAbsent():
            if state.games or len(state.players) != 2:
                raise TourneyError("match.already_started")
            _needs(step.reason)
        case Decide():
            _needs(step.reason)
        case Leave(player=player):
            if player not in state.contenders or any(
                isinstance(old, Leave) and old.player == player for old in state.log
            ):
                raise TourneyError("match.not_paired", white=player, black="")
        case Repeat():
            _needs(step.reason)
            if not (isinstance(awaited, AwaitDecision) and isinstance(_phase(state), RoundRobinPhase)):
                raise TourneyError("match.nothing_to_repeat")
        case SettleClaim():
            if not isinstance(awaited, AwaitClaim):
                raise TourneyError("match.not_disputed")
            _needs(step.reason)


def _phase(state: MatchState) -> object:
    return state.rules.phases[state.phase]


def _needs(reason: str) -> None:
    if not reason.strip():
        raise TourneyError("match.reason_needed")


def _not_now(awaited: Awaiting, code: str) -> TourneyError:
    """Say what has to come first, or else that this step isn't due."""
    match awaited:
        case AwaitColor(by=by):
            return TourneyError("match.color_first", chooser=by)
        case AwaitLot():
            return TourneyError("match.lot_first")
        case AwaitDecision():
            return TourneyError("match.arbiter_decides")
        case AwaitClaim(by=by):
            return TourneyError("match.disputed", by=by)
        case Finished(winner=winner):
            return TourneyError("match.finished", winner=winner)
    return TourneyError(code)


def _game(state: MatchState, step: Game | GroupGame) -> PlayedGame:
    awaited = state.awaiting
    match awaited, step:
        case AwaitGame(), Game(number=number, result=result):
            if number != awaited.number:
                raise TourneyError("match.out_of_order", number=number, next=awaited.number)
            _check_draw(state, result)
            return PlayedGame(number, awaited.white, awaited.black, result)
        case AwaitGroup(left=left), GroupGame(white=white, black=black, result=result):
            if {white, black} not in map(set, left):
                raise TourneyError("match.not_paired", white=white, black=black)
            taken = [record.number for record in state.records if isinstance(record, PlayedGame)]
            return PlayedGame(max(taken, default=0) + 1, white, black, result)
        case AwaitGroup(left=left), _:
            raise TourneyError("match.group_first", left=len(left))
        case AwaitGame(), GroupGame():
            raise TourneyError("match.not_paired", white=step.white, black=step.black)
    raise _not_now(awaited, "match.game_not_now")


def _check_draw(state: MatchState, result: ResultCode, phase: object = None) -> None:
    phase = phase or _phase(state)
    if isinstance(phase, Armageddon) and phase.draw is DrawnArmageddon.FORBIDDEN and result is ResultCode.DRAW:
        raise TourneyError("match.draw_not_possible")


def _corrected(state: MatchState, step: Correct) -> tuple[Record, ...]:
    _needs(step.reason)
    for game in state.games:
        if game.number == step.number:
            last = state.rules.phases[-1]
            if isinstance(last, Armageddon) and game == state.games[-1] and state.phase == len(state.rules.phases) - 1:
                _check_draw(state, step.result, last)
            return tuple(replace(record, result=step.result) if record is game else record for record in state.records)
    raise TourneyError("match.no_such_game", number=step.number)


def _reopened(state: MatchState, step: Reopen) -> tuple[Record, ...]:
    _needs(step.reason)
    for index in range(len(state.records) - 1, -1, -1):
        if isinstance(state.records[index], _ENDINGS):
            return (*state.records[:index], *state.records[index + 1 :])
    raise TourneyError("match.nothing_to_reopen")


_HOW = {
    MatchEnd.GAMES: How.PLAYED,
    MatchEnd.ARMAGEDDON: How.PLAYED,
    MatchEnd.ADVANTAGE: How.PLAYED,
    MatchEnd.NO_SHOW: How.WALKOVER,
    MatchEnd.BOTH_ABSENT: How.DOUBLE_ABSENCE,
    MatchEnd.LEFT: How.LEFT_DURING,
    MatchEnd.DECISION: How.DECISION,
}


def bracket_result(state: MatchState, match: MatchKey, entries: Mapping[str, EntryId]) -> Result:
    """Return what a finished match of two means for its bracket; `entries` maps the sides to the players."""
    if not isinstance(state.awaiting, Finished):
        raise TourneyError("match.not_finished")
    winner = state.awaiting.winner
    (loser,) = (name for name in state.players if name != winner)
    return Result(match, entries[winner], entries[loser], _HOW[state.awaiting.how], state.played)
