"""Between the tables and the pairing engine: rules out of a stage's data, and times."""

from __future__ import annotations

from datetime import datetime

from swiss.engine.dutch.cards import VirtualPoints
from swiss.engine.rules import Acceleration, FirstColor, RoundRobinRules, SwissRules
from swiss.engine.schedule import Lateness, Schedule, parse_lateness, parse_schedule
from swiss.engine.virtual import points_of_runs, runs_of_rules
from swiss.selectors import StageRecord, scoring_of
from tourney.kernel.colors import Color
from tourney.kernel.ids import EntryId
from tourney.models import Stage

COLORS = {"white": Color.WHITE, "black": Color.BLACK}


def stage_rules(stage: Stage, players: int, *, rounds: int | None = None) -> SwissRules | RoundRobinRules:
    """Return the engine's rules of a stage; the number of rounds is the stage's own, which the arbiter may change."""
    scoring = scoring_of(stage)
    rounds = stage.rounds_total if rounds is None else rounds
    if stage.kind == Stage.Kind.ROUND_ROBIN:
        per_cycle = players - 1 + players % 2
        return RoundRobinRules(cycles=max(1, rounds // max(1, per_cycle)), scoring=scoring)
    return SwissRules(
        rounds=rounds,
        first_color=FirstColor(stage.rules.get("first_color", FirstColor.LOT)),
        acceleration=Acceleration(stage.rules.get("acceleration", Acceleration.NONE)),
        scoring=scoring,
    )


def given_points(record: StageRecord, rounds: int) -> VirtualPoints | None:
    """Return the virtual points a stage's rules give by number; None when they give none, and a method may hold."""
    runs = runs_of_rules(record.stage.rules)
    if not runs:
        return None
    return points_of_runs(runs, {EntryId(one.pk): one.number for one in record.people}, rounds)


def schedule_of(stage: Stage) -> Schedule | None:
    """Return the schedule of a stage's regulation (M7.1), None without one; without a first hour it is the event's."""
    block = stage.rules.get("schedule")
    if not block:
        return None
    return parse_schedule({"first": f"{stage.section.tournament.start_time:%H:%M}", **block})


def scheduled_start(stage: Stage, number: int) -> datetime | None:
    """Return when a round begins by the schedule, None without a schedule."""
    schedule = schedule_of(stage)
    tournament = stage.section.tournament
    return schedule.start(number, tournament.starts_on, tournament.zone) if schedule else None


def lateness_of(stage: Stage) -> Lateness | None:
    """Return the rule on late players (M7.4), None without one."""
    block = stage.rules.get("lateness")
    return parse_lateness(block) if block else None
