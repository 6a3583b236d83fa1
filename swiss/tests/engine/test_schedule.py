"""Start times, the early even round, late players and the time control."""

from __future__ import annotations

from datetime import date, datetime, time, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from swiss.engine.schedule import Lateness, Schedule, after_pauses, parse_clock, parse_lateness, parse_schedule
from tourney.kernel.clocks import Clock
from tourney.kernel.errors import RuleError, TourneyError
from tourney.kernel.outcomes import ResultCode

MOSCOW = ZoneInfo("Europe/Moscow")
DAY = date(2021, 8, 26)
YOUTH = {"first": "10:00", "odd": "10:00", "even": "14:00", "rounds_per_day": 2, "early_even_minutes": 30}


def at(hour: int, minute: int, day: int = 26, second: int = 0) -> datetime:
    return datetime(2021, 8, day, hour, minute, second, tzinfo=MOSCOW)


@pytest.mark.clause("M7.1")
def test_rounds_begin_at_ten_and_at_two() -> None:
    schedule = parse_schedule(YOUTH)

    starts = [schedule.start(number, DAY, MOSCOW) for number in (1, 2, 3, 4, 8)]

    assert starts == [at(10, 0), at(14, 0), at(10, 0, 27), at(14, 0, 27), at(14, 0, 29)]


@pytest.mark.clause("M7.1")
def test_even_round_may_begin_half_an_hour_after_the_last_game() -> None:
    schedule = parse_schedule(YOUTH)
    planned, ended = at(14, 0), at(12, 50)

    schedule.check_start(2, at(13, 20), planned, ended)
    with pytest.raises(TourneyError) as refused:
        schedule.check_start(2, at(13, 19), planned, ended)

    assert (refused.value.code, refused.value.values) == (
        "schedule.too_early",
        {"number": 2, "earliest": at(13, 20).isoformat()},
    )


@pytest.mark.clause("M7.1")
def test_odd_round_keeps_its_time() -> None:
    schedule = parse_schedule(YOUTH)

    with pytest.raises(TourneyError) as refused:
        schedule.check_start(3, at(9, 30, 27), at(10, 0, 27), at(18, 0))

    assert (refused.value.code, refused.value.values) == ("schedule.odd_round_not_early", {"number": 3})


def test_round_never_begins_early_while_the_one_before_is_played() -> None:
    with pytest.raises(TourneyError) as refused:
        parse_schedule(YOUTH).check_start(2, at(13, 0), at(14, 0), None)

    assert (refused.value.code, refused.value.values) == ("schedule.round_still_played", {"number": 1})


def test_later_start_is_always_possible() -> None:
    Schedule(time(10), time(10), time(14)).check_start(3, at(11, 0), at(10, 0), None)


def test_rounds_of_a_rapid_event_follow_each_other() -> None:
    schedule = parse_schedule({"first": "10:00", "rounds_per_day": 5, "minutes_between": 60})

    starts = [schedule.start(number, DAY, MOSCOW) for number in (1, 2, 5, 6)]

    assert starts == [at(10, 0), at(11, 0), at(14, 0), at(10, 0, 27)]


@pytest.mark.parametrize(
    ("change", "path", "code"),
    [
        ({"even": "2 pm"}, "schedule.even", "rule.not_a_time"),
        ({"even": "09:00"}, "schedule.even", "rule.times_not_in_order"),
        ({"evening": "18:00"}, "schedule.evening", "rule.unknown_key"),
        ({"rounds_per_day": 0}, "schedule.rounds_per_day", "rule.out_of_range"),
    ],
)
def test_wrong_schedule_is_refused_with_its_path(change: dict[str, object], path: str, code: str) -> None:
    with pytest.raises(RuleError) as refused:
        parse_schedule(YOUTH | change)

    assert (refused.value.path, refused.value.code) == (path, code)


@pytest.mark.clause("M7.4")
@pytest.mark.parametrize(
    ("white", "black", "verdict"),
    [
        (at(10, 0), at(10, 30), None),
        (at(10, 0), at(10, 30, second=1), ResultCode.WHITE_FORFEIT_WIN),
        (at(10, 31), at(10, 0), ResultCode.BLACK_FORFEIT_WIN),
        (None, at(10, 0), ResultCode.BLACK_FORFEIT_WIN),
        (None, None, ResultCode.DOUBLE_FORFEIT),
    ],
)
def test_more_than_thirty_minutes_late_loses(
    white: datetime | None, black: datetime | None, verdict: ResultCode | None
) -> None:
    lateness = parse_lateness({"minutes": 30, "base": "announced_start", "both_absent": "double_forfeit"})
    deadline = lateness.deadline(announced_start=at(10, 0), scheduled_start=at(10, 0))

    assert lateness.verdict(deadline, white, black) is verdict


@pytest.mark.clause("M7.4")
def test_lateness_counts_from_the_announced_start() -> None:
    announced, scheduled = at(13, 20), at(14, 0)

    assert Lateness(30).deadline(announced, scheduled) == at(13, 50)
    assert Lateness(30, base="scheduled_start").deadline(announced, scheduled) == at(14, 30)


def test_arbiter_decides_when_the_rule_says_so() -> None:
    with pytest.raises(TourneyError) as refused:
        Lateness(30, both_absent="arbiter").verdict(at(10, 30), None, None)

    assert refused.value.code == "lateness.arbiter_decides"


@pytest.mark.clause("M7.3")
def test_time_control_is_ninety_minutes_and_thirty_seconds_a_move() -> None:
    clock = parse_clock({"main": "90+30"})

    assert (clock, str(clock), clock.in_seconds) == (Clock(90, 30), "90+30", "5400+30")


@pytest.mark.parametrize("text", ["", "0+3", "90 minutes", "90+", "-5"])
def test_unreadable_time_control_is_refused(text: str) -> None:
    with pytest.raises(RuleError) as refused:
        parse_clock({"main": text})

    assert (refused.value.path, refused.value.code) == ("clock.main", "rule.not_a_clock")


def test_clock_of_ninety_minutes_lasts_as_long_as_its_report_says() -> None:
    assert timedelta(seconds=int(Clock(90, 30).in_seconds.split("+")[0])) == timedelta(minutes=90)


@pytest.mark.clause("M7.4")
@pytest.mark.parametrize(
    ("pauses", "deadline"),
    [
        ([], at(10, 30)),
        ([((10, 10), (10, 40))], at(11, 0)),
        ([((9, 50), (10, 5))], at(10, 35)),  # only what lies after the start
        ([((9, 0), (9, 30))], at(10, 30)),
        ([((10, 30), (10, 50))], at(10, 30)),  # the time was over
        ([((10, 40), (10, 50)), ((10, 20), (10, 45))], at(11, 5)),  # in order: the first one lets the second one count
        ([((10, 25), None)], at(12, 5)),  # still going on at noon
    ],
)
def test_stops_of_play_put_a_deadline_off(pauses: list[tuple[Any, Any]], deadline: datetime) -> None:
    stops = [(at(*began), at(*ended) if ended else None) for began, ended in pauses]

    assert after_pauses(at(10, 0), at(10, 30), stops, at(12, 0)) == deadline
