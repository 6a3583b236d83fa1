"""What stored games are found by: opening, end, every position. A projection of `Game.pgn`, rebuilt at will."""

from __future__ import annotations

from django.contrib.postgres.fields import ArrayField
from django.contrib.postgres.indexes import GinIndex
from django.db import models

from tourney.models.play import Game
from tourney.models.sections import Stage


class GameIndex(models.Model):
    """What one game is found by; `tourney.game_index` says how it is computed."""

    game = models.OneToOneField(Game, on_delete=models.CASCADE, primary_key=True, related_name="index")
    digest = models.CharField(max_length=32)  # MD5 of the text it was made from
    eco = models.CharField(max_length=3, blank=True)
    opening = models.CharField(max_length=160, blank=True)
    end = models.CharField(max_length=12)  # of `tourney.game_index.End`
    material = models.CharField(max_length=33)  # of the last position, White's first: KRPPvKRP
    positions = ArrayField(models.BigIntegerField(), default=list)  # keys of them after each half-move, in order

    class Meta:
        indexes = [GinIndex(fields=["positions"], name="game_positions")]

    def __str__(self) -> str:
        return f"{self.game_id}: {self.eco}"


class IndexedStage(models.Model):
    """Up to which version of a stage its games are indexed: every change of moves raises the stage's version."""

    stage = models.OneToOneField(Stage, on_delete=models.CASCADE, primary_key=True, related_name="indexed")
    version = models.PositiveIntegerField()

    def __str__(self) -> str:
        return f"{self.stage_id}: {self.version}"
