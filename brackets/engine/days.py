"""Whole days played at random, game by game: what the forecast is held against.

Nothing here is taken from the model of `forecast`: games have a number of moves and a share of the clock of their own,
pairs and days are slow or quick as a whole, somebody is late, an arbiter is busy. A day is played on real boards with
the call list of `calls`; at chosen moments the forecast is asked with what an arbiter would know by then.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from brackets.engine.calls import remaining_path
from brackets.engine.facts import Fact, Result
from brackets.engine.forecast import Forecast, Running, forecast
from brackets.engine.match_format import Armageddon, GamesPhase, MatchFormat
from brackets.engine.resolve import BracketState, resolve
from brackets.engine.topology import BracketSpec
from tourney.kernel.chance import Chance
from tourney.kernel.clocks import Clock
from tourney.kernel.ids import EntryId, MatchKey

LEVEL_PERCENT = 31
BOARD, RESTED = "a board is free again", "a player has rested"
AGREE_QUICKLY_PERCENT = 12  # a short draw, a blunder in the opening


@dataclass(frozen=True, slots=True)
class Asked:
    """A forecast given during a day. Times are seconds from the start; `done`: matches finished by then."""

    moment: int
    done: int
    forecast: Forecast


@dataclass(frozen=True, slots=True)
class PlayedDay:
    """A day as it went: when each match was called and ended, when each time slot was over, what was forecast when."""

    starts: Mapping[MatchKey, int]
    ends: Mapping[MatchKey, int]
    slot_ends: Mapping[int, int]
    asked: tuple[Asked, ...]

    @property
    def end(self) -> int:
        return max(self.ends.values())


@dataclass
class _Hall:
    """The day while it goes on."""

    now: int = 0
    free: int = 0
    playing: dict[MatchKey, tuple[int, ...]] = field(default_factory=dict)  # when each phase of it began
    starts: dict[MatchKey, int] = field(default_factory=dict)
    ends: dict[MatchKey, int] = field(default_factory=dict)
    rested: dict[EntryId, int] = field(default_factory=dict)  # when each player may be called again


def play_day(
    spec: BracketSpec,
    players: int,
    rules: MatchFormat,
    *,
    boards: int,
    rest: int,
    chance: Chance,
    ask_after: Sequence[int] = (),
) -> PlayedDay:
    """Return a day played at random. `rest`: seconds between a player's matches; `ask_after`: numbers of finished
    matches after which the forecast is asked.
    """
    seeds = [EntryId(number) for number in range(1, players + 1)]
    facts: list[Fact] = []
    state = resolve(spec, seeds, facts)
    pace = 100 + _spread(chance, 9)
    hall = _Hall(free=boards)
    events: list[tuple[int, int, str]] = []  # (time, order, a match that ends, or what is over)
    asked: list[Asked] = []
    observed: list[int] = []
    order = iter(range(10**9))
    while True:
        if len(hall.ends) in ask_after and (not asked or asked[-1].done < len(hall.ends)):
            asked.append(_ask(spec, state, rules, boards, rest, hall, observed))
        for key in _callable(spec, state, hall):
            if not hall.free:
                break
            hall.free -= 1
            lengths = _phase_lengths(rules, pace, chance)
            hall.starts[key] = hall.now
            hall.playing[key] = tuple(hall.now + sum(lengths[:number]) for number in range(len(lengths)))
            heapq.heappush(events, (hall.now + sum(lengths), next(order), key))
        if not events:
            return PlayedDay(hall.starts, hall.ends, _slot_ends(spec, hall.ends), tuple(asked))
        hall.now, _, name = heapq.heappop(events)
        if name == BOARD:
            hall.free += 1
        if name in (BOARD, RESTED):
            continue
        key = MatchKey(name)
        view = state.matches[key]
        winner, loser = chance.shuffle(view.players)
        facts.append(Result(key, winner, loser))
        state = resolve(spec, seeds, facts)
        observed.append(hall.now - hall.playing.pop(key)[0])
        hall.ends[key] = hall.now
        for player in view.players:
            hall.rested[player] = hall.now + max(rest, 120 + chance.below(240))
            heapq.heappush(events, (hall.rested[player], next(order), RESTED))
        heapq.heappush(events, (hall.now + 150 + chance.below(180), next(order), BOARD))


def _spread(chance: Chance, percent: int) -> int:
    """Return about a bell: the sum of three dice, of which two thirds lie within `percent` of 0."""
    return sum(chance.below(2 * percent + 1) - percent for _ in range(3))


def _callable(spec: BracketSpec, state: BracketState, hall: _Hall) -> Iterator[MatchKey]:
    path = remaining_path(spec, state)
    ready = [
        view.key
        for view in state.open_matches
        if view.key not in hall.playing and all(hall.rested.get(player, 0) <= hall.now for player in view.players)
    ]
    yield from sorted(ready, key=lambda key: (-path[key], spec.by_key[key].number))


def _game_seconds(white: Clock, black: Clock, pace: int, chance: Chance) -> int:
    """Return how long a game takes: a number of moves, and what each side uses of its clock for them."""
    moves = max(12, 42 + _spread(chance, 11))
    if chance.below(100) < AGREE_QUICKLY_PERCENT:
        moves = 10 + chance.below(12)
    used = 0
    for clock in (white, black):
        share = min(100, max(25, 78 + _spread(chance, 12))) * min(100, 40 + moves * 3 // 2) // 100
        used += (clock.minutes * 60 + moves * clock.increment) * share // 100
    return used * pace // 100


def _phase_lengths(rules: MatchFormat, pace: int, chance: Chance) -> list[int]:
    """Return the seconds each phase takes that a match needs; the first from the call."""
    slow = pace * (100 + _spread(chance, 5)) // 100
    lengths: list[int] = []
    for phase in rules.phases:
        seconds = 0 if lengths else 20 + chance.below(90)  # to the board
        match phase:
            case GamesPhase(games=games, clock=clock):
                seconds += sum(40 + chance.below(60) + _game_seconds(clock, clock, slow, chance) for _ in range(games))
            case Armageddon(white_clock=white, black_clock=black):
                seconds += 90 + chance.below(90) + _game_seconds(white or Clock(5), black or Clock(4), slow, chance)
        lengths.append(seconds)
        if chance.below(100) >= LEVEL_PERCENT:
            break
    return lengths


def _ask(
    spec: BracketSpec,
    state: BracketState,
    rules: MatchFormat,
    boards: int,
    rest: int,
    hall: _Hall,
    observed: Sequence[int],
) -> Asked:
    running = [
        Running(key, hall.now - began[0], sum(moment <= hall.now for moment in began) - 1)
        for key, began in hall.playing.items()
    ]
    found = forecast(spec, state, rules, boards=boards, running=running, observed=observed, rest=rest, label="day")
    return Asked(hall.now, len(hall.ends), found)


def _slot_ends(spec: BracketSpec, ends: Mapping[MatchKey, int]) -> dict[int, int]:
    found: dict[int, int] = {}
    for key, end in ends.items():
        slot = spec.by_key[key].slot
        found[slot] = max(found.get(slot, 0), end)
    return found


@dataclass(frozen=True, slots=True)
class Accuracy:
    """How far forecasts were from the truth, in seconds: one value for each, signed (late is positive)."""

    errors: tuple[int, ...]

    def percent_within(self, seconds: int) -> int:
        """Return how many of a hundred were at most so far off (rounded down)."""
        return 100 * sum(abs(error) <= seconds for error in self.errors) // max(1, len(self.errors))

    @property
    def bias(self) -> int:
        return sum(self.errors) // max(1, len(self.errors))


def end_errors(days: Sequence[PlayedDay], ahead: range) -> Accuracy:
    """Return the errors of the end forecast so many seconds before it."""
    return Accuracy(
        tuple(a.moment + a.forecast.end - day.end for day in days for a in day.asked if day.end - a.moment in ahead)
    )


def slot_errors(days: Sequence[PlayedDay], ahead: range) -> Accuracy:
    """Return the errors of the ends of time slots forecast so many seconds before them."""
    return Accuracy(
        tuple(
            a.moment + seconds - day.slot_ends[slot]
            for day in days
            for a in day.asked
            for slot, seconds in a.forecast.slot_ends.items()
            if day.slot_ends[slot] - a.moment in ahead
        )
    )


def start_errors(days: Sequence[PlayedDay], ahead: range) -> Accuracy:
    """Return the errors of the starts of matches forecast so many seconds before them."""
    return Accuracy(
        tuple(
            a.moment + seconds - day.starts[key]
            for day in days
            for a in day.asked
            for key, seconds in a.forecast.starts.items()
            if day.starts[key] > a.moment and day.starts[key] - a.moment in ahead
        )
    )


def percent_in_range(days: Sequence[PlayedDay]) -> int:
    """Return in how many of a hundred forecasts the day ended between the earliest and the latest end given."""
    hits = [a.forecast.earliest <= day.end - a.moment <= a.forecast.latest for day in days for a in day.asked]
    return 100 * sum(hits) // max(1, len(hits))
