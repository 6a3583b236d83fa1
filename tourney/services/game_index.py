"""Keeping the index of games true: at once for moves typed by hand, in the background for whatever else changed."""

from __future__ import annotations

from hashlib import md5

from django.db import connection, transaction
from django.db.models import F, Q
from django.db.models.functions import MD5

from tourney.game_index import findings_of
from tourney.models import Game, GameIndex, IndexedStage, Stage

TASK = "tourney.index_games"
BATCH = 100
_LOCK = 7_060_513_001


def write_moves(game: Game, stored: str, plies: int | None) -> None:
    """Save the moves of a game and what it is found by; the caller holds the stage's lock."""
    game.pgn, game.ply_count = stored, plies
    game.save(update_fields=["pgn", "ply_count"])
    _index([game])


def index_changed() -> int:
    """Index the games of every stage that has changed since; return how many games were read. One worker at a time."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_try_advisory_lock(%s)", [_LOCK])
        if not cursor.fetchone()[0]:
            return 0
        try:
            return _index_changed()
        finally:
            cursor.execute("SELECT pg_advisory_unlock(%s)", [_LOCK])


def _index_changed() -> int:
    changed = Stage.objects.exclude(indexed__version=F("version")).filter(
        Q(indexed__isnull=False) | Q(games__ply_count__isnull=False)
    )
    return sum(index_stage(pk) for pk in changed.distinct().values_list("pk", flat=True))


def index_stage(pk: int) -> int:
    """Index the games of a stage whose moves differ from what the index was made from; return how many.

    Takes no lock on play: it notes the version it saw first, so that a change meanwhile is found the next time.
    """
    version = Stage.objects.filter(pk=pk).values_list("version", flat=True).first()
    if version is None:
        return 0
    GameIndex.objects.filter(game__stage=pk, game__pgn="").delete()
    stale = list(
        Game.objects.filter(stage=pk)
        .exclude(pgn="")
        .annotate(now=MD5("pgn"))
        .exclude(index__digest=F("now"))
        .values_list("pk", flat=True)
    )
    for start in range(0, len(stale), BATCH):
        _index(list(Game.objects.filter(pk__in=stale[start : start + BATCH]).only("pk", "pgn")))
    IndexedStage.objects.update_or_create(stage_id=pk, defaults={"version": version})
    return len(stale)


@transaction.atomic
def _index(games: list[Game]) -> None:
    GameIndex.objects.filter(game__in=[game.pk for game in games if not game.pgn]).delete()
    rows = []
    for game in games:
        if not game.pgn:
            continue
        found = findings_of(game.pgn)
        rows.append(
            GameIndex(
                game_id=game.pk,
                digest=md5(game.pgn.encode(), usedforsecurity=False).hexdigest(),
                eco=found.eco,
                opening=found.opening,
                end=found.end.value,
                material=found.material,
                positions=list(found.positions),
            )
        )
    GameIndex.objects.bulk_create(
        rows,
        update_conflicts=True,
        unique_fields=["game"],
        update_fields=["digest", "eco", "opening", "end", "material", "positions"],
    )
