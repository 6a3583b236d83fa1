"""When the event will end, and when each match is likely to start.

The rest of the day is played many times over: matches take lengths drawn from a model of the match format, free boards
take the match with the longest way behind it, results are irrelevant because the graph needs the same number of matches
whoever wins. The middle of the simulated ends is the forecast; the spread is shown with it. The model is corrected by
today's matches: if they took a fifth longer, so will the rest. Those still being played count too, for as long as they
have taken so far (Kaplan and Meier's mean): the first to end are the quick ones, and must not pass for all.

What no forecast can know is who will be level: ten matches one after another end twenty minutes sooner or later by
chance alone. So the range given is that of nine days in ten, and only within the last hour is it a quarter of an hour.

Chance comes labelled from the kernel, so the same situation gives the same forecast.
"""

from __future__ import annotations

import heapq
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from brackets.engine.calls import needs_play, remaining_path
from brackets.engine.match_format import Armageddon, GamesPhase, MatchFormat, RoundRobinPhase
from brackets.engine.resolve import BracketState
from brackets.engine.topology import BracketSpec, Seed
from tourney.kernel.chance import Chance
from tourney.kernel.ids import MatchKey

# Assumptions of the model, measured in simulations of blitz days; observed matches correct them.
MOVES = 42
SHARE_OF_TIME = Fraction(4, 5)  # a game of 42 moves leaves about a fifth of the time on the clocks
SIT_DOWN = 30  # from the call to the first move
BREAK_BETWEEN_GAMES = 60
BREAK_BEFORE_ARMAGEDDON = 120
CHANGE_OVER = 240
PERCENT_LEVEL = 31  # a phase of two games ends level
SPREAD_PERCENT = 45
RUNS = 120
PRIOR_MATCHES = 10  # the model weighs as much as so many observed matches
PACE_PERCENT = 9  # whole days are so much quicker or slower than the model, as long as nothing is observed


@dataclass(frozen=True, slots=True)
class Running:
    """A match that is being played: seconds since it was called, and the phase that is on, counted from 0."""

    match: MatchKey
    elapsed: int
    phase: int = 0


@dataclass(frozen=True, slots=True)
class Forecast:
    """Seconds from now: the likely end, its range (one in twenty ends before, one in twenty after), likely starts."""

    end: int
    earliest: int
    latest: int
    starts: Mapping[MatchKey, int]
    slot_ends: Mapping[int, int]  # when the last match of each time slot is likely to end


def phase_seconds(rules: MatchFormat) -> tuple[int, ...]:
    """Return how long each phase of a format takes on average, pauses before it included."""
    lengths = []
    for number, phase in enumerate(rules.phases):
        pause = SIT_DOWN if number == 0 else BREAK_BETWEEN_GAMES
        match phase:
            case GamesPhase(games=games, clock=clock):
                game = int((2 * clock.minutes * 60 + MOVES * 2 * clock.increment) * SHARE_OF_TIME)
                lengths.append(pause + games * game + (games - 1) * BREAK_BETWEEN_GAMES)
            case Armageddon(white_clock=white, black_clock=black):
                minutes = (white.minutes if white else 5) + (black.minutes if black else 4)
                lengths.append(BREAK_BEFORE_ARMAGEDDON + int(minutes * 60 * SHARE_OF_TIME))
            case RoundRobinPhase(clock=clock, cycles=cycles):
                game = int((2 * clock.minutes * 60 + MOVES * 2 * clock.increment) * SHARE_OF_TIME)
                lengths.append(3 * cycles * (game + BREAK_BETWEEN_GAMES))
    return tuple(lengths)


def forecast(
    spec: BracketSpec,
    state: BracketState,
    rules: MatchFormat,
    *,
    boards: int,
    running: Sequence[Running] = (),
    observed: Sequence[int] = (),
    rest: int = 0,
    label: str = "forecast",
) -> Forecast:
    """Return when everything will be over. `observed`: seconds each finished match took from call to result.

    `rest`: the least pause between a player's matches in seconds (a board's change of players takes time as well).
    """
    chance = Chance.labelled(label, f"{len(state.matches)}:{sum(needs_play(view) for view in state.matches.values())}")
    model = _Model(rules, observed, [match.elapsed for match in running])
    path = remaining_path(spec, state)
    todo = [match.key for match in spec.matches if needs_play(state.matches[match.key])]
    feeders = {
        key: [side.match for side in (spec.by_key[key].a, spec.by_key[key].b) if not isinstance(side, Seed)]
        for key in todo
    }
    priority = {key: (-path[key], spec.by_key[key].number) for key in todo}
    elapsed = {match.match: (match.elapsed, match.phase) for match in running}
    ends: list[int] = []
    starts: dict[MatchKey, list[int]] = {key: [] for key in todo}
    slots: dict[int, list[int]] = {}
    for _ in range(RUNS):
        model.new_run(chance)
        start, end = _play_out(todo, feeders, priority, elapsed, boards, max(rest, CHANGE_OVER), model, chance)
        ends.append(max(end.values(), default=0))
        last_of_slot: dict[int, int] = {}
        for key in todo:
            starts[key].append(start[key])
            slot = spec.by_key[key].slot
            last_of_slot[slot] = max(last_of_slot.get(slot, 0), end[key])
        for slot, time in last_of_slot.items():
            slots.setdefault(slot, []).append(time)
    return Forecast(
        end=_middle(ends),
        earliest=sorted(ends)[len(ends) // 20],
        latest=sorted(ends)[-1 - len(ends) // 20],
        starts={key: _middle(times) for key, times in starts.items()},
        slot_ends={slot: _middle(times) for slot, times in sorted(slots.items())},
    )


def _middle(values: Sequence[int]) -> int:
    return sorted(values)[len(values) // 2]


class _Model:
    """Draws the length of a match: the phases it needs, spread, and what today's matches say about the pace."""

    def __init__(self, rules: MatchFormat, observed: Sequence[int], running: Sequence[int]) -> None:
        self.phases = phase_seconds(rules)
        expected = self._expected()
        seen = len(observed)
        # A weighted mean of 1 (the model) and of the observed pace.
        self.middle = Fraction(PRIOR_MATCHES, PRIOR_MATCHES + seen)
        if seen:
            mean = mean_with_running(observed, running, expected)
            self.middle += Fraction(seen, PRIOR_MATCHES + seen) * mean / expected
        self.doubt = PACE_PERCENT * PRIOR_MATCHES // (PRIOR_MATCHES + seen)
        self.pace = self.middle

    def new_run(self, chance: Chance) -> None:
        """Let the rest of the day be a little quicker or slower as a whole: nobody knows its pace exactly."""
        dice = sum(chance.below(2 * self.doubt + 1) - self.doubt for _ in range(3))
        self.pace = self.middle * (100 + dice) / 100

    def _expected(self) -> int:
        total, share = Fraction(0), Fraction(1)
        for length in self.phases:
            total += share * length
            share *= Fraction(PERCENT_LEVEL, 100)
        return max(1, int(total))

    def length(self, chance: Chance, elapsed: int, reached: int = 0) -> int:
        """Return the whole length of a match of which `elapsed` seconds have passed and the phase `reached` is on."""
        total = 0
        for number, length in enumerate(self.phases):
            spread = 100 - SPREAD_PERCENT + chance.below(2 * SPREAD_PERCENT + 1)
            total += int(length * spread * self.pace / 100)
            if number >= reached and total >= elapsed and chance.below(100) >= PERCENT_LEVEL:
                break
        return max(total, elapsed + BREAK_BETWEEN_GAMES)


def mean_with_running(over: Sequence[int], running: Sequence[int], expected: int) -> Fraction:
    """Return the mean length of matches of which some are over and others still run (Kaplan and Meier 1958).

    A running match says only that it takes longer than so far. What no finished match tells, because the longest is
    still running, is taken as another third of the `expected` length.
    """
    seen = sorted([(seconds, 0) for seconds in over] + [(seconds, 1) for seconds in running])
    left, before, mean = Fraction(1), 0, Fraction(0)
    for number, (seconds, runs) in enumerate(seen):
        mean += left * (seconds - before)
        before = seconds
        if not runs:
            left *= 1 - Fraction(1, len(seen) - number)
    return mean + left * Fraction(expected, 3)


def _play_out(
    todo: Sequence[MatchKey],
    feeders: Mapping[MatchKey, Sequence[MatchKey]],
    priority: Mapping[MatchKey, tuple[int, int]],
    elapsed: Mapping[MatchKey, tuple[int, int]],
    boards: int,
    pause: int,
    model: _Model,
    chance: Chance,
) -> tuple[dict[MatchKey, int], dict[MatchKey, int]]:
    """Return the starts and ends of one simulated rest of the day."""
    start: dict[MatchKey, int] = {}
    end: dict[MatchKey, int] = {}
    waiting_for = {key: sum(1 for feeder in feeders[key] if feeder in feeders) for key in todo}
    followers: dict[MatchKey, list[MatchKey]] = {}
    for key in todo:
        for feeder in feeders[key]:
            followers.setdefault(feeder, []).append(key)
    ready = [(priority[key], key) for key in todo if waiting_for[key] == 0 and key not in elapsed]
    heapq.heapify(ready)
    events: list[tuple[int, int, MatchKey]] = []  # (time, 0: its board is free again / 1: it can be called, match)
    for key in todo:
        if key in elapsed:
            passed, reached = elapsed[key]
            start[key] = -passed
            end[key] = model.length(chance, passed, reached) - passed
            heapq.heappush(events, (end[key] + CHANGE_OVER, 0, key))
    free = max(boards - len(end), 0)
    now = 0
    while ready or events:
        while ready and free:
            _, key = heapq.heappop(ready)
            start[key] = now
            end[key] = now + model.length(chance, 0)
            heapq.heappush(events, (end[key] + CHANGE_OVER, 0, key))
            free -= 1
        if not events:
            break
        now, kind, done = heapq.heappop(events)
        if kind == 1:
            heapq.heappush(ready, (priority[done], done))
            continue
        free += 1
        for follower in followers.get(done, ()):
            waiting_for[follower] -= 1
            if waiting_for[follower] == 0:
                heapq.heappush(events, (end[done] + pause, 1, follower))
    return start, end
