"""Boards that send their moves while they are played."""

from __future__ import annotations

from django.db import models
from django.db.models import Q

from tourney.models.people import Entry
from tourney.models.play import Game
from tourney.models.sections import Stage
from tourney.models.tournament import Tournament


class Broadcast(models.Model):
    """How an event's games are shown while they are played, and what the public may see of them now.

    `boards` is a projection (`tourney.services.live`): the page asks for it many times a second.
    """

    tournament = models.OneToOneField(Tournament, on_delete=models.CASCADE, related_name="broadcast")
    delay_minutes = models.PositiveSmallIntegerField(default=0)
    delay_half_moves = models.PositiveSmallIntegerField(default=0)
    version = models.PositiveIntegerField(default=0)
    boards = models.JSONField(default=list)
    changed_at = models.DateTimeField(null=True, blank=True)

    def __str__(self) -> str:
        return f"{self.tournament_id} v{self.version}"


class BoardFeed(models.Model):
    """Where boards write their games: a folder of the event under the configured root, or an address that is polled."""

    class Kind(models.TextChoices):
        FOLDER = "folder"
        ADDRESS = "address"

    tournament = models.ForeignKey(Tournament, on_delete=models.CASCADE, related_name="board_feeds")
    kind = models.CharField(max_length=8, choices=Kind.choices)
    place = models.CharField(max_length=500)  # the path below the event's folder ("." is that itself), or the address
    active = models.BooleanField(default=True)
    seconds = models.PositiveSmallIntegerField(default=5)  # between two polls of an address
    looked_at = models.DateTimeField(null=True, blank=True)
    changed_at = models.DateTimeField(null=True, blank=True)
    error = models.CharField(max_length=60, blank=True)  # code of what went wrong last
    error_values = models.JSONField(default=dict, blank=True)
    games = models.PositiveIntegerField(default=0)  # in what was read last
    problems = models.JSONField(default=list, blank=True)  # games nobody could place, as lines of a report

    class Meta:
        ordering = ["pk"]
        constraints = [models.UniqueConstraint(fields=["tournament", "kind", "place"], name="board_feed_once")]

    def __str__(self) -> str:
        return self.place

    @property
    def where(self) -> str:
        """The address, or the folder's path below that of the installation."""
        if self.kind == self.Kind.ADDRESS:
            return self.place
        return f"{self.tournament.slug}/{self.place}".removesuffix("/.")


class LiveGame(models.Model):
    """A game boards have sent moves of. The moves reach `Game.pgn` when it is over and nothing is kept back any more.

    It names its place in the event, not a `Game`: a game of a match has no row before its result.
    """

    stage = models.ForeignKey(Stage, on_delete=models.CASCADE, related_name="live_games")
    round_number = models.PositiveSmallIntegerField(null=True, blank=True)
    match_key = models.CharField(max_length=16, blank=True)
    game_number = models.PositiveSmallIntegerField(default=1)
    board = models.PositiveSmallIntegerField(null=True, blank=True)
    white = models.ForeignKey(Entry, on_delete=models.CASCADE, related_name="+")
    black = models.ForeignKey(Entry, on_delete=models.CASCADE, related_name="+")
    game = models.OneToOneField(Game, null=True, blank=True, on_delete=models.SET_NULL, related_name="live")
    start = models.CharField(max_length=100, blank=True)  # FEN, if it isn't the usual position
    moves = models.JSONField(default=list)  # `tourney.live_boards.Move` rows
    text = models.TextField(blank=True, default="", db_default="")  # as a record stores it: comments, variations
    result = models.CharField(max_length=8, blank=True)
    result_came = models.FloatField(default=0)
    began_at = models.DateTimeField()
    changed_at = models.DateTimeField()
    stored = models.PositiveSmallIntegerField(null=True, blank=True)  # half-moves that are in `Game.pgn`
    conflict = models.CharField(max_length=60, blank=True)  # code of why they are not

    class Meta:
        ordering = ["stage", "round_number", "match_key", "board", "pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["stage", "round_number", "match_key", "game_number", "white", "black"],
                nulls_distinct=False,
                name="live_game_once",
            ),
            models.CheckConstraint(condition=~Q(white=models.F("black")), name="live_game_two_players"),
        ]

    def __str__(self) -> str:
        return f"{self.white_id} – {self.black_id}"
