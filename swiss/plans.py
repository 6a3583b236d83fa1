"""Between the tables and the pairing engine: rules out of a stage's data, a plan out of its history, times out of its schedule."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from datetime import datetime, time, timedelta

from swiss.engine.plan import RoundPlan
from swiss.engine.rounds import pair_round
from swiss.engine.rules import Acceleration, FirstColor, RoundRobinRules, SwissRules
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
        facts.history,
        stage_rules(stage, len(facts.entries)),
        absent=absent,
        first_color=COLORS.get(first_color or ""),
        forbidden=forbidden,
    )
    here = set(available) | set(requested)
    if stage.kind == Stage.Kind.ROUND_ROBIN:
        return plan
    return RoundPlan(plan.number, plan.pairings, tuple(bye for bye in plan.byes if bye.entry in here))


def scheduled_start(stage: Stage, number: int) -> datetime | None:
    """Return when a round begins by the schedule of the regulation (M7.1), None without a schedule."""
    schedule = stage.rules.get("schedule")
    if not schedule:
        return None
    tournament = stage.section.tournament
    per_day = int(schedule.get("rounds_per_day", 1))
    first = time.fromisoformat(schedule.get("first", f"{tournament.start_time:%H:%M}"))
    day = tournament.starts_on + timedelta(days=(number - 1) // per_day)
    in_day = (number - 1) % per_day
    if "minutes_between" in schedule:
        start = datetime.combine(day, first, tournament.zone)
        return start + timedelta(minutes=int(schedule["minutes_between"]) * in_day)
    at = schedule.get("odd" if number % 2 else "even")
    moment = first if number == 1 or at is None else time.fromisoformat(at)
    return datetime.combine(day, moment, tournament.zone)
