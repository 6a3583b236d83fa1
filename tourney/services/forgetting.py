"""A name that must be known no longer, taken out of what is said of games: their moves, reports, the log, kept files.

What people are shown loses the name at once, in the caller's transaction. Kept files may be long and are nobody's page:
workers take the name out of them (`tourney.services.forgetting_files`), and until that is done no part of them is read
into a game, shown in a report, or given out in an archive.
"""

from __future__ import annotations

from django.db import connection
from django.db.models import Q
from django.utils import timezone

from tourney import queue
from tourney.game_finders import finder_of
from tourney.models import ActionLog, BoardFeed, Entry, Game, GameImport, LiveGame, NameToForget, Tournament
from tourney.services.forgetting_words import Forgotten, forgotten, known_of

TASK = "tourney.take_names_out"
_LOCK_CLASS = 7_060_519  # the first half of the two-number advisory lock; the second is the event's id


def let_nobody_read_files(tournament: Tournament) -> None:
    """Wait for who is just putting moves of a file on games, and let nobody begin before this transaction ends.

    Else a part that was read with the name in it could be stored behind the back of who takes the name off the games.
    To be taken before the locks that placing games takes.
    """
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(%s, %s)", [_LOCK_CLASS, tournament.pk % 2**31])


def read_files(tournament: Tournament) -> None:
    """Let nobody take a name off the event's games before this transaction ends; any number may read files."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock_shared(%s, %s)", [_LOCK_CLASS, tournament.pk % 2**31])


def forget_name(entry: Entry, *, instead: str) -> None:
    """Write another name for a player who is still called as before, wherever files of games say it.

    In a transaction. What workers have to do still stands as a row; `forgetting_files` tells how far they are.
    """
    event = entry.tournament
    let_nobody_read_files(event)
    known = known_of(entry.player)
    player = forgotten(entry, known, instead, finder_of(event))
    _on_games(entry, player)
    _in_what_is_told(event, player)
    if GameImport.objects.filter(tournament=event).exists():
        job = queue.enqueue(TASK, event.pk)
        NameToForget.objects.create(
            tournament=event, entry=entry, known=known, instead=instead, job=job, at=timezone.now()
        )


def _on_games(entry: Entry, player: Forgotten) -> None:
    """Take the surname out of comments. Each row is held while it is read and written: nobody's moves are lost."""
    games = Game.objects.select_for_update(of=("self",)).filter(pk__in=player.mine)
    for game in games.filter(Q(pgn__contains="{") | Q(pgn__contains=";")).order_by("pk").only("pk", "pgn"):
        if (text := player.in_comments(game.pgn)) != game.pgn:
            Game.objects.filter(pk=game.pk).update(pgn=text)
    live_ones = LiveGame.objects.select_for_update(of=("self",)).filter(Q(white=entry) | Q(black=entry))
    for live in live_ones.filter(Q(text__contains="{") | Q(text__contains=";")).order_by("pk").only("pk", "text"):
        if (text := player.in_comments(live.text)) != live.text:
            LiveGame.objects.filter(pk=live.pk).update(text=text)


def _in_what_is_told(event: Tournament, player: Forgotten) -> None:
    for feed in BoardFeed.objects.filter(tournament=event):
        problems = [player.in_line(line) for line in feed.problems]
        if problems != feed.problems:
            feed.problems = problems
            feed.save(update_fields=["problems"])
    for line in ActionLog.objects.filter(tournament=event, action__startswith="games."):
        data = player.in_line(line.data, player.mine.get(line.data.get("game", 0), ""))
        if data != line.data or player.means(line.actor_label):
            line.data, line.actor_label = data, player.told(line.actor_label)
            line.save(update_fields=["data", "actor_label"])
