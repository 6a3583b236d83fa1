"""Between the tables and the pairing engine: rules out of a stage's data, a plan out of its history, and times."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from datetime import datetime

from swiss.engine.plan import RoundPlan
from swiss.engine.rounds import pair_round
from swiss.engine.rules import Acceleration, FirstColor, RoundRobinRules, SwissRules
from swiss.engine.schedule import Lateness, Schedule, parse_lateness, parse_schedule
from swiss.models import ForbiddenPair
from swiss.selectors import StageFacts, scoring_of
from tourney.kernel.colors import Color
from tourney.kernel.ids import EntryId
from tourney.kernel.outcomes import ByeKind
from tourney.models import Stage

COLORS = {"white": Color.WHITE, "black": Color.BLACK}


def stage_rules(stage: Stage, players: int) -> SwissRules | RoundRobinRules:
    """Return the engine's rules of a stage; the number of rounds is the stage's own, which the arbiter may change."""
    scoring = scoring_of(stage)
    if stage.kind == Stage.Kind.ROUND_ROBIN:
        per_cycle = players - 1 + players % 2
        return RoundRobinRules(cycles=max(1, stage.rounds_total // max(1, per_cycle)), scoring=scoring)
    return SwissRules(
        rounds=stage.rounds_total,
        first_color=FirstColor(stage.rules.get("first_color", FirstColor.LOT)),
        acceleration=Acceleration(stage.rules.get("acceleration", Acceleration.NONE)),
        scoring=scoring,
    )


def ask_engine(
    stage: Stage,
    facts: StageFacts,
    number: int,
    available: Collection[int],
    requested: Mapping[int, ByeKind],
    first_color: str | None,
) -> RoundPlan:
    """Return the engine's plan for a round; byes of who has left or isn't there yet are left out of it."""
    absent = {
        EntryId(pk): requested.get(pk, ByeKind.ZERO)
        for pk in facts.entries
        if pk in requested or (pk not in available and stage.kind != Stage.Kind.ROUND_ROBIN)
    }
    forbidden = [
        frozenset((EntryId(pair.first_id), EntryId(pair.second_id)))
        for pair in ForbiddenPair.objects.filter(stage=stage)
        if pair.from_round <= number and (pair.to_round is None or number <= pair.to_round)
    ]
    plan = pair_round(
        facts.record.history(for_pairing=True),
        stage_rules(stage, len(facts.entries)),
        absent=absent,
        first_color=COLORS.get(first_color or ""),
        forbidden=forbidden,
    )
    here = set(available) | set(requested)
    if stage.kind == Stage.Kind.ROUND_ROBIN:
        return plan
    return RoundPlan(plan.number, plan.pairings, tuple(bye for bye in plan.byes if bye.entry in here))


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
