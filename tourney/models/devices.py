"""Tablets of the hall: links handed out for them, what they sent, and where two of them disagree (ADR 0015)."""

from __future__ import annotations

from datetime import datetime

from django.conf import settings
from django.db import models
from django.db.models import F, Q
from django.utils.translation import gettext_lazy as _

from tourney.models.play import Game, ResultRecord
from tourney.models.sections import Section, Stage
from tourney.models.tournament import Tournament


class DeviceLink(models.Model):
    """A link that lets one tablet enter results of an event, a group or a range of boards for a while.

    Only hashes are stored: of the token in the link, and of the secret the first device that opened it got as a cookie.
    """

    class Role(models.TextChoices):
        ARBITER = "arbiter", _("arbiter's tablet")
        PLAYERS = "players", _("players' tablet: both confirm")

    tournament = models.ForeignKey(Tournament, on_delete=models.CASCADE, related_name="device_links")
    section = models.ForeignKey(Section, null=True, blank=True, on_delete=models.CASCADE, related_name="+")
    first_board = models.PositiveSmallIntegerField(null=True, blank=True)
    last_board = models.PositiveSmallIntegerField(null=True, blank=True)
    role = models.CharField(max_length=8, choices=Role.choices, default=Role.ARBITER)
    label = models.CharField(max_length=40)
    token_hash = models.CharField(max_length=64, unique=True)
    valid_from = models.DateTimeField()
    valid_until = models.DateTimeField()
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+")
    created_at = models.DateTimeField()
    device_hash = models.CharField(max_length=64, blank=True)
    browser = models.CharField(max_length=60, blank=True)
    bound_at = models.DateTimeField(null=True, blank=True)
    last_seen_at = models.DateTimeField(null=True, blank=True)
    skew_seconds = models.IntegerField(default=0)  # how far the tablet's clock is ahead, as last seen
    revoked_at = models.DateTimeField(null=True, blank=True)
    revoked_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL, related_name="+"
    )

    class Meta:
        ordering = ["tournament", "id"]
        constraints = [
            models.CheckConstraint(condition=Q(valid_until__gt=F("valid_from")), name="device_link_ends_after_start"),
            models.CheckConstraint(
                condition=Q(last_board__isnull=True) | Q(last_board__gte=F("first_board")), name="device_link_range"
            ),
        ]

    def __str__(self) -> str:
        return self.label

    def covers(self, section_id: int, board: int | None) -> bool:
        """Return whether a board of a group is within the link's reach."""
        if self.section_id is not None and self.section_id != section_id:
            return False
        low, high = self.first_board, self.last_board
        return (low is None or (board or 0) >= low) and (high is None or (board or 0) <= high)

    def state_at(self, now: datetime) -> str:
        """Return what the link is worth: early, open, ended or revoked."""
        if self.revoked_at is not None:
            return "revoked"
        if now < self.valid_from:
            return "early"
        return "open" if now < self.valid_until else "ended"


class ResultConflict(models.Model):
    """A board two people disagree about, until an arbiter decides it. One open conflict a game.

    `standing` is the record in force when the second claim arrived. `hidden`: it was taken out of force, so that the
    public and the pairing see a board without a result; a claim that comes when the next round is out hides nothing.
    """

    game = models.ForeignKey(Game, on_delete=models.CASCADE, related_name="conflicts")
    standing = models.ForeignKey(ResultRecord, null=True, on_delete=models.CASCADE, related_name="+")
    hidden = models.BooleanField(default=True)
    opened_at = models.DateTimeField()
    resolved_at = models.DateTimeField(null=True, blank=True)
    resolved_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL, related_name="+"
    )
    outcome = models.CharField(max_length=5, blank=True)
    reason = models.TextField(blank=True)

    class Meta:
        ordering = ["game", "id"]
        constraints = [
            models.UniqueConstraint(fields=["game"], condition=Q(resolved_at__isnull=True), name="conflict_open_once"),
        ]

    def __str__(self) -> str:
        return f"{self.game_id}: {self.outcome or '?'}"


class ResultOperation(models.Model):
    """One entry as a device sent it, with the answer it got. The same operation sent again gets the same answer.

    `entered_at` is the tablet's own clock put right by how far it was ahead when it sent (`skew_seconds`); `arrived_at`
    is the server's. An entry that could not be taken (`held`) keeps its words in `claim`, even if its game is gone.
    """

    class State(models.TextChoices):
        APPLIED = "applied", _("entered")
        SAME = "same", _("the same result")
        CONFLICT = "conflict", _("results differ")
        HELD = "held", _("kept for the arbiter")
        REPLACED = "replaced", _("replaced by a later entry")

    id = models.UUIDField(primary_key=True)
    tournament = models.ForeignKey(Tournament, on_delete=models.CASCADE, related_name="operations")
    stage = models.ForeignKey(Stage, null=True, on_delete=models.CASCADE, related_name="+")
    game = models.ForeignKey(Game, null=True, on_delete=models.SET_NULL, related_name="operations")
    conflict = models.ForeignKey(
        ResultConflict, null=True, blank=True, on_delete=models.SET_NULL, related_name="operations"
    )
    state = models.CharField(max_length=8, choices=State.choices)
    outcome = models.CharField(max_length=5, blank=True)
    claim = models.JSONField(default=dict)  # what was sent: round, board, names, version, reason, moves
    answer = models.JSONField(default=dict)  # {"code": …, values} where it was not simply entered
    link = models.ForeignKey(DeviceLink, null=True, on_delete=models.SET_NULL, related_name="operations")
    by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+")
    both_confirmed = models.BooleanField(default=False)
    entered_at = models.DateTimeField(null=True, blank=True)
    arrived_at = models.DateTimeField()
    skew_seconds = models.IntegerField(default=0)
    settled_at = models.DateTimeField(null=True, blank=True)  # a held entry somebody has dealt with
    settled_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL, related_name="+"
    )

    class Meta:
        ordering = ["arrived_at"]
        indexes = [models.Index(fields=["tournament", "state", "settled_at"])]

    def __str__(self) -> str:
        return f"{self.game_id}: {self.outcome or '…'} ({self.state})"
