"""What staff says about live boards: where they write, how long the public waits."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.db import IntegrityError, transaction
from django.db.models import Q

from tourney import feeds, outside
from tourney.kernel.errors import TourneyError
from tourney.kernel.trf.decoding import decode
from tourney.live_boards import over_only
from tourney.models import BoardFeed, Broadcast, GameImport, Tournament
from tourney.services.game_imports import request_import
from tourney.services.log import log

MOST_FEEDS = 8
LONGEST_DELAY = 240  # minutes
MOST_HALF_MOVES = 40


@transaction.atomic
def add_feed(tournament: Tournament, *, kind: str, place: str, seconds: int = 5, actor: Any) -> BoardFeed:
    """Follow a folder or an address from now on.

    Refusals: those of `feeds.folder_of` and `outside.check_address`, ``feed.twice``, ``feed.too_many``.
    """
    if kind == BoardFeed.Kind.FOLDER:
        place = place.strip().strip("/\\") or "."
        own = feeds.folder_of(tournament.slug, ".")
        place = str(feeds.folder_of(tournament.slug, place).relative_to(own))
    else:
        place = place.strip()
        outside.check_address(place, private=settings.LIVE_PRIVATE_ADDRESSES)
    if tournament.board_feeds.count() >= MOST_FEEDS:
        raise TourneyError("feed.too_many", limit=MOST_FEEDS)
    try:
        with transaction.atomic():
            feed = BoardFeed.objects.create(
                tournament=tournament, kind=kind, place=place, seconds=min(60, max(2, seconds))
            )
    except IntegrityError:
        raise TourneyError("feed.twice") from None
    log(tournament, "games.feed_added", actor=actor, place=feed.where)
    return feed


@transaction.atomic
def switch_feed(feed: BoardFeed, *, on: bool, actor: Any) -> None:
    """Follow a feed again, or leave it alone; what it brought stays."""
    if BoardFeed.objects.filter(pk=feed.pk, active=not on).update(active=on, error="", error_values={}):
        log(feed.tournament, "games.feed_on" if on else "games.feed_off", actor=actor, place=feed.where)


@transaction.atomic
def remove_feed(feed: BoardFeed, *, actor: Any) -> None:
    """Forget a feed; what it brought stays."""
    feed.delete()
    log(feed.tournament, "games.feed_removed", actor=actor, place=feed.where)


@transaction.atomic
def set_delay(tournament: Tournament, *, minutes: int, half_moves: int, actor: Any) -> Broadcast:
    """Say how long the public waits for moves (``feed.delay_range``)."""
    if not (0 <= minutes <= LONGEST_DELAY and 0 <= half_moves <= MOST_HALF_MOVES):
        raise TourneyError("feed.delay_range", minutes=LONGEST_DELAY, moves=MOST_HALF_MOVES // 2)
    Broadcast.objects.get_or_create(tournament=tournament)
    broadcast = Broadcast.objects.select_for_update(no_key=True).get(tournament=tournament)
    if (broadcast.delay_minutes, broadcast.delay_half_moves) != (minutes, half_moves):
        broadcast.delay_minutes, broadcast.delay_half_moves = minutes, half_moves
        broadcast.save(update_fields=["delay_minutes", "delay_half_moves"])
        log(tournament, "games.delay_set", actor=actor, minutes=minutes, moves=half_moves // 2)
    return broadcast


def import_feed(feed: BoardFeed, *, actor: Any) -> GameImport:
    """Hand in what a feed holds now as a file, for its report and for records somebody has to place.

    Where the public waits for moves, only games that are over are handed in: those that are played are followed
    already, and a game of a match that is played has no row yet its moves could be held for. What is handed in is held
    as any file's moves are (`tourney.services.held_games`). Refusals: those of the feed, and of `request_import`.
    """
    if feed.kind == BoardFeed.Kind.FOLDER:
        texts = [
            reading.text for reading in feeds.FolderSource(feed.tournament.slug, feed.place).readings(float("inf"))
        ]
    else:
        answer = outside.fetch(feed.place, private=settings.LIVE_PRIVATE_ADDRESSES)
        texts = [decode(answer.content or b"")[0]]
    if Broadcast.objects.filter(
        Q(delay_minutes__gt=0) | Q(delay_half_moves__gt=0), tournament=feed.tournament
    ).exists():
        texts = [text for read in texts for text in over_only(read)]
    content = "\n\n".join(texts).encode(errors="replace")
    name = f"{feed.where.rstrip('/').rpartition('/')[2] or feed.where}.pgn".replace(".pgn.pgn", ".pgn")
    return request_import(feed.tournament, content, name=name[-120:], actor=actor)[0]
