"""When rounds begin and who came too late (the blocks ``schedule``, ``lateness`` and ``clock`` of a regulation).

All times are aware datetimes given by the caller; nothing here looks at a clock.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta, tzinfo
from typing import Any

from tourney.kernel.clocks import Clock
from tourney.kernel.errors import TourneyError
from tourney.kernel.node import Node
from tourney.kernel.outcomes import ResultCode


@dataclass(frozen=True, slots=True)
class Schedule:
    """Start times: `first` for round 1, `odd` and `even` for the others, or a fixed distance inside a day.

    `early_even_minutes`: how long after the last game of an odd round the chief arbiter may start the even one, before
    its time (None: never).
    """

    first: time
    odd: time
    even: time
    rounds_per_day: int = 1
    minutes_between: int | None = None
    early_even_minutes: int | None = None

    def start(self, number: int, first_day: date, zone: tzinfo) -> datetime:
        """Return when a round begins when nothing is changed."""
        day = first_day + timedelta(days=(number - 1) // self.rounds_per_day)
        if self.minutes_between is not None:
            in_day = (number - 1) % self.rounds_per_day
            opening = datetime.combine(day, self.first, zone)
            return opening + timedelta(minutes=self.minutes_between * in_day)
        moment = self.first if number == 1 else self.odd if number % 2 else self.even
        return datetime.combine(day, moment, zone)

    def earliest_start(self, number: int, last_game_ended: datetime) -> datetime:
        """Return from when on the chief arbiter may start an even round early, after its odd round has ended."""
        if self.early_even_minutes is None:
            raise TourneyError("schedule.no_early_start")
        if number % 2:
            raise TourneyError("schedule.odd_round_not_early", number=number)
        return last_game_ended + timedelta(minutes=self.early_even_minutes)

    def check_start(self, number: int, start: datetime, planned: datetime, last_game_ended: datetime | None) -> None:
        """Refuse a start before the planned time that the schedule doesn't allow; later is always possible."""
        if start >= planned:
            return
        if last_game_ended is None:
            raise TourneyError("schedule.round_still_played", number=number - 1)
        earliest = self.earliest_start(number, last_game_ended)
        if start < earliest:
            raise TourneyError("schedule.too_early", number=number, earliest=earliest.isoformat())


def parse_schedule(data: Mapping[str, Any], path: str = "schedule") -> Schedule:
    """Return the schedule of a regulation; RuleError names the path of what is wrong."""
    node = Node(data, path)
    first = node.time_of_day("first")
    odd = node.time_of_day("odd") if node.has("odd") else first
    schedule = Schedule(
        first=first,
        odd=odd,
        even=node.time_of_day("even") if node.has("even") else odd,
        rounds_per_day=node.integer("rounds_per_day", 1, low=1, high=30),
        minutes_between=node.optional_integer("minutes_between", low=1, high=24 * 60),
        early_even_minutes=node.optional_integer("early_even_minutes", low=0, high=24 * 60),
    )
    node.text("clause", "")
    node.finish()
    if schedule.rounds_per_day > 1 and schedule.minutes_between is None and schedule.even <= schedule.odd:
        raise node.fail("even", "rule.times_not_in_order", odd=str(schedule.odd), even=str(schedule.even))
    return schedule


@dataclass(frozen=True, slots=True)
class Lateness:
    """Who comes more than `minutes` after the start has lost; `base` says which start counts."""

    minutes: int
    base: str = "announced_start"
    both_absent: str = "double_forfeit"

    def deadline(self, announced_start: datetime, scheduled_start: datetime) -> datetime:
        """Return the last moment in which a player may still come to the board."""
        start = announced_start if self.base == "announced_start" else scheduled_start
        return start + timedelta(minutes=self.minutes)

    def verdict(self, deadline: datetime, white_at: datetime | None, black_at: datetime | None) -> ResultCode | None:
        """Return the forfeit that follows from the arrivals (None: never came), or None when the game is played."""
        white_late = white_at is None or white_at > deadline
        black_late = black_at is None or black_at > deadline
        if white_late and black_late:
            if self.both_absent == "double_forfeit":
                return ResultCode.DOUBLE_FORFEIT
            raise TourneyError("lateness.arbiter_decides")
        if white_late:
            return ResultCode.BLACK_FORFEIT_WIN
        return ResultCode.WHITE_FORFEIT_WIN if black_late else None


def after_pauses(
    start: datetime, deadline: datetime, pauses: Sequence[tuple[datetime, datetime | None]], now: datetime
) -> datetime:
    """Return a deadline put off by the stops of play between `start` and it; one that is not over lasts until `now`.

    What begins when the time was over already puts nothing off.
    """
    for began, ended in sorted(pauses, key=lambda pause: pause[0]):
        until = ended or now
        if began < deadline and until > start:
            deadline += until - max(began, start)
    return deadline


def parse_lateness(data: Mapping[str, Any], path: str = "lateness") -> Lateness:
    """Return the rule on late players; RuleError names the path of what is wrong."""
    node = Node(data, path)
    lateness = Lateness(
        minutes=node.integer("minutes", low=0, high=24 * 60),
        base=node.choice("base", ("announced_start", "scheduled_start"), "announced_start"),
        both_absent=node.choice("both_absent", ("double_forfeit", "arbiter"), "double_forfeit"),
    )
    node.text("clause", "")
    node.finish()
    return lateness


def parse_clock(data: Mapping[str, Any], path: str = "clock") -> Clock:
    """Return the time control of a regulation (``main = "90+30"``)."""
    node = Node(data, path)
    clock = node.clock("main")
    node.text("clause", "")
    node.finish()
    return clock
