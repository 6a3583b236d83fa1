"""Projections made again from facts alone: slots, the columns of matches, results of games, the pause."""

from __future__ import annotations

from django.db import transaction
from django.db.models import Count

from brackets.models import Match, MatchEvent, MatchSlot
from brackets.selectors import load_table
from brackets.services.acts import file_games
from brackets.services.projecting import COLUMNS, new_slots, project_matches
from tourney.kernel.ids import MatchKey
from tourney.models import Game, ResultRecord, Stage, Tournament
from tourney.services.stages import bump, lock_stage

Kind = MatchEvent.Kind


@transaction.atomic
def rebuild(stage_id: int) -> None:
    """Delete a bracket's projections and build them again. What a match is shown with (its video) is no projection."""
    stage = lock_stage(stage_id)
    table = load_table(stage)
    if table is None:
        return
    MatchSlot.objects.filter(match__bracket=table.bracket).delete()
    blank = {name: Match._meta.get_field(name).get_default() for name in COLUMNS}
    for match in table.matches.values():
        for name, value in blank.items():
            setattr(match, name, value)
    # Boards are unique among open matches: first none has one, then each has its own.
    Match.objects.bulk_update(table.matches.values(), COLUMNS)
    project_matches(table, [MatchKey(key) for key in table.matches])
    Match.objects.bulk_update(table.matches.values(), COLUMNS)
    MatchSlot.objects.bulk_create(new_slots(table))
    _rebuild_games(stage)
    for key in table.matches:
        file_games(table, key)
    stop = next((row for row in reversed(table.standing_rows) if row.kind in (Kind.PAUSED, Kind.RESUMED)), None)
    table.bracket.paused_at = stop.at if stop is not None and stop.kind == Kind.PAUSED else None
    table.bracket.save(update_fields=["paused_at"])
    bump(stage)


def _rebuild_games(stage: Stage) -> None:
    records = ResultRecord.objects.filter(game__stage=stage)
    current = {record.game_id: record for record in records.filter(successor__isnull=True)}
    entered = dict(records.order_by().values_list("game_id").annotate(number=Count("pk")))
    games = list(stage.games.all())
    for game in games:
        record = current.get(game.pk)
        game.outcome = record.outcome if record else ""
        game.version = entered.get(game.pk, 0)
        game.finished_at = record.at if record and record.outcome else None
    Game.objects.bulk_update(games, ["outcome", "version", "finished_at"])


def rebuild_event(tournament: Tournament) -> None:
    """Rebuild every bracket of an event: the provider of the place ``rebuild``."""
    for pk in Stage.objects.filter(section__tournament=tournament, bracket__isnull=False).values_list("pk", flat=True):
        rebuild(pk)
