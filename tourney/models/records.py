"""Lots anyone can check, the event's log, and what bent the rules of a group. Append-only."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _

from tourney.models.sections import Stage
from tourney.models.tournament import Tournament


class Lot(models.Model):
    """A draw of lots, committed to before anybody knows its outcome (`tourney.kernel.chance`, protocol draw/1).

    Draws of an event are numbered without gaps and chained by hash: a repeated or dropped draw is visible.
    """

    class Purpose(models.TextChoices):
        INITIAL_DRAW = "initial_draw", _("initial draw")
        FIRST_COLOR = "first_color", _("colour of the first board")
        START_NUMBERS = "start_numbers", _("start numbers")
        GAME_COLOR = "game_color", _("colours of a game")
        COLOR_CHOICE = "color_choice", _("who chooses the colour")
        WALKOVER = "walkover", _("who goes on")
        LOTTERY = "lottery", _("prize draw")
        TIE = "tie", _("order of equals")

    tournament = models.ForeignKey(Tournament, on_delete=models.CASCADE, related_name="lots")
    number = models.PositiveSmallIntegerField()
    previous_hash = models.CharField(max_length=64, blank=True)
    purpose = models.CharField(max_length=16, choices=Purpose.choices)
    subject = models.CharField(max_length=80, blank=True)  # what exactly: section code, match key, lottery index
    manifest = models.JSONField()
    commitment = models.CharField(max_length=64)
    secret = models.CharField(max_length=64)  # shown only once the result exists
    committed_by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+")
    committed_at = models.DateTimeField()
    # Of an event from another installation: the entry (its key here) of each word of the list, which never changes.
    tokens = models.JSONField(default=dict, db_default={}, blank=True)

    class Meta:
        ordering = ["tournament", "number"]
        constraints = [models.UniqueConstraint(fields=["tournament", "number"], name="lot_number_once")]

    def __str__(self) -> str:
        return f"{self.get_purpose_display()} № {self.number}"

    @property
    def names_entries(self) -> bool:
        """Whether words of the list that are numbers are keys of entries, and not start numbers."""
        return self.purpose != self.Purpose.START_NUMBERS or ":playoff" in self.subject

    def entry_id(self, word: str) -> int:
        """Return the key of the entry a word of the list stands for; 0 where it is no key."""
        known = self.tokens.get(word)
        if known is not None:
            return int(known)
        return int(word) if word.isdecimal() and len(word) < 19 and self.names_entries else 0


class LotResult(models.Model):
    """The outcome of a lot: public numbers and what follows from them. `void_reason` says why a draw was dropped."""

    lot = models.OneToOneField(Lot, on_delete=models.CASCADE, related_name="outcome")
    entropy = models.JSONField()
    result = models.JSONField(null=True)
    transcript_hash = models.CharField(max_length=64)
    void_reason = models.TextField(blank=True)
    by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+")
    at = models.DateTimeField()

    def __str__(self) -> str:
        return f"{self.lot_id}"


class ActionLog(models.Model):
    """Who did what, when and why. Written by services in the same transaction as the act itself."""

    tournament = models.ForeignKey(Tournament, on_delete=models.CASCADE, related_name="log")
    actor = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+")
    actor_label = models.CharField(max_length=80, blank=True)  # entrant, device or task when there is no user
    action = models.CharField(max_length=60)  # dotted code: swiss.round_published
    data = models.JSONField(default=dict, blank=True)
    reason = models.TextField(blank=True)
    at = models.DateTimeField(db_index=True)

    class Meta:
        ordering = ["-id"]

    def __str__(self) -> str:
        return self.action


class BentRule(models.Model):
    """An act that bent the rules of a group played by the book: what was before and after, and who confirmed it.

    `act` is a key of `tourney.kernel.by_the_book.RULES`. `before` and `after` are tokens as the report file writes
    them (start numbers, results); `words` is the question as it was answered; `snapshot` is what undoing needs.
    """

    stage = models.ForeignKey(Stage, on_delete=models.CASCADE, related_name="bent_rules")
    round_number = models.PositiveSmallIntegerField(default=0)
    act = models.CharField(max_length=20)
    level = models.PositiveSmallIntegerField()
    before = models.JSONField(default=list)
    after = models.JSONField(default=list)
    snapshot = models.JSONField(default=dict)
    words = models.TextField(blank=True)
    reason = models.TextField(blank=True)
    by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+")
    at = models.DateTimeField()
    undone_at = models.DateTimeField(null=True, blank=True)
    undone_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL, related_name="+"
    )

    class Meta:
        ordering = ["stage", "id"]

    def __str__(self) -> str:
        return f"{self.stage_id} #{self.round_number} {self.act}"
