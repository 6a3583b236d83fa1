"""A bracket on the table: its graph, its matches and what happened to them."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from tourney.models import Entry, Lot, Stage


class Bracket(models.Model):
    """The graph of a knockout stage (engine's JSON), fixed at the draw."""

    stage = models.OneToOneField(Stage, on_delete=models.CASCADE, related_name="bracket")
    spec = models.JSONField()
    params = models.JSONField(default=dict)
    draw_lot = models.ForeignKey(Lot, null=True, blank=True, on_delete=models.SET_NULL, related_name="+")
    drawn_at = models.DateTimeField(null=True, blank=True)
    paused_at = models.DateTimeField(null=True, blank=True)

    def __str__(self) -> str:
        return f"{self.stage_id}"


class BracketSeed(models.Model):
    """Who stands on which seed. Frozen with the first result; a reserve may take a no-show's seed before (K3.4)."""

    bracket = models.ForeignKey(Bracket, on_delete=models.CASCADE, related_name="seeds")
    seed = models.PositiveSmallIntegerField()
    entry = models.ForeignKey(Entry, on_delete=models.PROTECT, related_name="+")

    class Meta:
        ordering = ["bracket", "seed"]
        constraints = [
            models.UniqueConstraint(fields=["bracket", "seed"], name="bracket_seed_once"),
            models.UniqueConstraint(fields=["bracket", "entry"], name="bracket_seed_entry_once"),
        ]

    def __str__(self) -> str:
        return f"{self.seed}: {self.entry_id}"


class Match(models.Model):
    """A match of the graph. State, winner and score are projections of its games and events."""

    class State(models.TextChoices):
        LOCKED = "locked", _("waits for earlier matches")
        READY = "ready", _("can start")
        CALLED = "called", _("called to the board")
        PLAYING = "playing", _("playing")
        DONE = "done", _("finished")
        WALKOVER = "walkover", _("decided without play")
        BYE = "bye", _("no opponent")
        SKIPPED = "skipped", _("not needed")

    bracket = models.ForeignKey(Bracket, on_delete=models.CASCADE, related_name="matches")
    key = models.CharField(max_length=16)
    number = models.PositiveSmallIntegerField()
    state = models.CharField(max_length=10, choices=State.choices, default=State.LOCKED)
    board = models.PositiveSmallIntegerField(null=True, blank=True)
    called_at = models.DateTimeField(null=True, blank=True)
    started_at = models.DateTimeField(null=True, blank=True)
    finished_at = models.DateTimeField(null=True, blank=True)
    winner_side = models.CharField(max_length=1, blank=True)  # a or b
    how = models.CharField(max_length=24, blank=True)  # games, armageddon, walkover, lot, decision
    score = models.JSONField(default=dict, blank=True)  # {"a": 3, "b": 1, "phases": [[3, 1]]} half-points
    awaits = models.JSONField(default=dict, blank=True)  # the engine's next step, for the tablet
    version = models.PositiveIntegerField(default=0)
    video_url = models.URLField(blank=True)  # broadcast (K1.3, K9.1)
    featured = models.BooleanField(default=False)

    class Meta:
        ordering = ["bracket", "number"]
        verbose_name_plural = "matches"
        constraints = [
            models.UniqueConstraint(fields=["bracket", "key"], name="match_key_once"),
            models.UniqueConstraint(
                fields=["bracket", "board"],
                condition=Q(board__isnull=False) & Q(state__in=["called", "playing"]),
                name="match_board_busy_once",
            ),
        ]

    def __str__(self) -> str:
        return self.key


class MatchSlot(models.Model):
    """Who stands on a side of a match: a projection, rebuilt by resolving the graph."""

    match = models.ForeignKey(Match, on_delete=models.CASCADE, related_name="slots")
    side = models.CharField(max_length=1)  # a or b
    entry = models.ForeignKey(Entry, null=True, blank=True, on_delete=models.PROTECT, related_name="match_slots")
    is_bye = models.BooleanField(default=False)

    class Meta:
        ordering = ["match", "side"]
        constraints = [models.UniqueConstraint(fields=["match", "side"], name="match_slot_side_once")]

    def __str__(self) -> str:
        return f"{self.match_id}{self.side}"


class MatchEvent(models.Model):
    """A fact about a match or a player that is not a game's result. Append-only; `voids` takes an earlier one back.

    Kinds: called, color_chosen, lot, walkover, decision, note, cancelled (the match's games no longer count),
    withdrawn, disqualified, returned (about `entry`, match empty), paused, resumed.
    """

    bracket = models.ForeignKey(Bracket, on_delete=models.CASCADE, related_name="events")
    match = models.ForeignKey(Match, null=True, blank=True, on_delete=models.CASCADE, related_name="events")
    entry = models.ForeignKey(Entry, null=True, blank=True, on_delete=models.PROTECT, related_name="+")
    kind = models.CharField(max_length=16)
    data = models.JSONField(default=dict, blank=True)
    lot = models.ForeignKey(Lot, null=True, blank=True, on_delete=models.SET_NULL, related_name="+")
    voids = models.OneToOneField("self", null=True, blank=True, on_delete=models.PROTECT, related_name="voided_by")
    reason = models.TextField(blank=True)
    by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+")
    at = models.DateTimeField()
    operation = models.UUIDField(null=True, blank=True, unique=True)

    class Meta:
        ordering = ["bracket", "id"]

    def __str__(self) -> str:
        return f"{self.match_id} {self.kind}"
