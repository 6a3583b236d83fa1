"""Stages ready to be paired, and games in a few words: `play(stage, "1-0 1/2 0-1")`."""

from __future__ import annotations

from datetime import date, datetime, time, timedelta
from typing import Any

from swiss.models import Pairing, Round
from swiss.services import enter_result, pair_next_round, publish_round
from tourney.models import Entry, Game, Section, Stage, StandingRow, Tournament
from tourney.services.stages import close_entries
from tourney.testing import builders


def group(players: int, *, preset: str = "youth-championship", starts_on: date | None = None, **fields: Any) -> Section:
    """Return a section with confirmed entries of falling ratings, start list open."""
    tournament = builders.event(preset, starts_on=starts_on, **fields)
    section = tournament.sections.first()
    assert section is not None
    section.tournament = tournament
    builders.entries(section, players)
    return section


def stage_of(players: int, *, system: str = "", rounds: int | None = None, **options: Any) -> Stage:
    """Return a stage whose start list is closed: round 1 can be paired."""
    section = group(players, **options)
    (stage, *_) = close_entries(
        section, actor=None, system=system, rounds=rounds, reason="test" if system or rounds else ""
    )
    return Stage.objects.select_related("section__tournament").get(pk=stage.pk)


def numbered(stage: Stage) -> dict[int, Entry]:
    """Return the entries of a stage by start number."""
    return {entry.start_number or 0: entry for entry in Entry.objects.filter(section=stage.section)}


def next_round(stage: Stage, *, actor: Any = None) -> Round:
    """Pair and publish the next round."""
    return publish_round(pair_next_round(stage.pk, actor=actor).pk, actor=actor)


def games_of(round_: Round) -> list[Game]:
    """Return the games of a round by board."""
    return [p.game for p in Pairing.objects.filter(round=round_, game__isnull=False).select_related("game")]  # type: ignore[misc]


def enter(round_: Round, results: str = "", *, actor: Any = None) -> Round:
    """Enter results board by board, the last one again and again: `"1-0 1/2"` is a win and then draws.

    Games that were decided when the round was published (somebody has left a round robin) stay as they are.
    """
    codes = results.split() or ["1/2"]
    for index, game in enumerate(games_of(round_)):
        if game.outcome:
            continue
        code = codes[min(index, len(codes) - 1)]
        enter_result(stage_id=round_.stage_id, game_id=game.pk, outcome=code, actor=actor)
    round_.refresh_from_db()
    return round_


def play(stage: Stage, results: str = "") -> Round:
    """Pair, publish and finish the next round."""
    return enter(next_round(stage), results)


def table(stage: Stage, after_round: int | None = None) -> list[tuple[int, int, int]]:
    """Return (place, start number, half-points) of the standings after a round (default: the newest)."""
    rows = StandingRow.objects.filter(stage=stage)
    last = after_round or rows.order_by("-after_round").values_list("after_round", flat=True).first()
    return list(
        rows.filter(after_round=last)
        .order_by("rank", "entry__start_number")
        .values_list("rank", "entry__start_number", "points")
    )


def everything_shown(stage: Stage) -> dict[str, Any]:
    """Return all projections of a stage as plain values, for comparing before and after a rebuild."""
    return {
        "standings": list(
            StandingRow.objects.filter(stage=stage)
            .order_by("after_round", "rank", "entry")
            .values_list("after_round", "entry", "rank", "shared", "points", "values")
        ),
        "games": list(stage.games.order_by("pk").values_list("pk", "outcome", "version", "finished_at")),
        "rounds": list(stage.rounds.order_by("number").values_list("number", "state")),
    }


def at(tournament: Tournament, clock: str, *, day: int = 1) -> datetime:
    """Return a moment of an event: `at(t, "14:00")` is two o'clock of its first day, in its zone."""
    date_of_day = tournament.starts_on + timedelta(days=day - 1)
    return datetime.combine(date_of_day, time.fromisoformat(clock), tournament.zone)
