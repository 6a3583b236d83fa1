"""Files of game records as they were handed in."""

from __future__ import annotations

from django.conf import settings
from django.db import models

from tourney.models.job import Job
from tourney.models.people import Entry
from tourney.models.play import Game
from tourney.models.tournament import Tournament


class GameImport(models.Model):
    """A PGN file or text and what became of its games. The same bytes again are the same row: nothing is done twice.

    `report` is a projection of the last run: counts, and a line for each game that wants somebody's eye.
    """

    tournament = models.ForeignKey(Tournament, on_delete=models.CASCADE, related_name="game_imports")
    name = models.CharField(max_length=120, blank=True)  # of the file; empty for pasted text
    sha256 = models.CharField(max_length=64)
    size = models.PositiveBigIntegerField(default=0)  # bytes of all parts
    replace = models.BooleanField(default=False)  # may put these moves in the place of other ones
    job = models.ForeignKey(Job, null=True, on_delete=models.SET_NULL, related_name="+")
    report = models.JSONField(default=dict, blank=True)
    by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+")
    at = models.DateTimeField()
    finished_at = models.DateTimeField(null=True, blank=True)
    stopped_at = models.DateTimeField(null=True, blank=True)  # by somebody; what was read until then stays

    class Meta:
        ordering = ["-at", "-id"]
        constraints = [models.UniqueConstraint(fields=["tournament", "sha256"], name="game_import_once")]

    def __str__(self) -> str:
        return self.name or self.sha256[:8]


class GameImportPart(models.Model):
    """Some whole games of a file (`tourney.pgn_files`), read and placed in one transaction.

    A worker holds the row while it works on it: another takes the next one, and what a killed worker had in hand is
    free again. `counts` and `lines` are the report's share, the games numbered from 1 within the part.
    """

    game_import = models.ForeignKey(GameImport, on_delete=models.CASCADE, related_name="parts")
    number = models.PositiveIntegerField()  # from 0
    line = models.PositiveIntegerField()  # of the file, where the part begins
    cut = models.PositiveIntegerField(default=0)  # the line from which a game without end was left out
    size = models.PositiveIntegerField()
    content = models.BinaryField()
    games = models.PositiveIntegerField(null=True)  # known once it was read
    done_at = models.DateTimeField(null=True)
    counts = models.JSONField(default=dict)
    lines = models.JSONField(default=list)

    class Meta:
        ordering = ["number"]
        constraints = [models.UniqueConstraint(fields=["game_import", "number"], name="game_import_part_once")]

    def __str__(self) -> str:
        return f"{self.game_import_id}/{self.number}"


class GamePlacing(models.Model):
    """Where somebody said that a record of a file belongs; without a game: to none. Only added, the newest counts."""

    game_import = models.ForeignKey(GameImport, on_delete=models.CASCADE, related_name="placings")
    number = models.PositiveIntegerField()  # of the record in the file
    game = models.ForeignKey(Game, null=True, on_delete=models.CASCADE, related_name="+")
    by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+")
    at = models.DateTimeField()

    class Meta:
        ordering = ["pk"]

    def __str__(self) -> str:
        return f"{self.number}: {self.game_id or '–'}"


class NameToForget(models.Model):
    """A name somebody has no longer, until it is out of the event's kept files: never shown, gone with the work.

    The files can't be read for a name nobody knows, so it stays here as long as that lasts (`known`: fields of the
    player). An archive is written when none is left.
    """

    tournament = models.ForeignKey(Tournament, on_delete=models.CASCADE, related_name="names_to_forget")
    entry = models.ForeignKey(Entry, on_delete=models.CASCADE, related_name="+")
    known = models.JSONField()
    instead = models.CharField(max_length=200)  # what stands in the files afterwards
    up_to = models.BigIntegerField(default=0)  # the key of the last part the name is out of
    job = models.ForeignKey(Job, null=True, on_delete=models.SET_NULL, related_name="+")
    at = models.DateTimeField()

    class Meta:
        ordering = ["pk"]

    def __str__(self) -> str:
        return f"{self.entry_id} → {self.instead}"
