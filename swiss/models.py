"""Rounds of a stage played in numbered rounds: Swiss and round robin."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models import F, Q
from django.utils.translation import gettext_lazy as _

from tourney.kernel.outcomes import ByeKind, ResultCode
from tourney.models import Entry, Game, Job, Section, Stage


class Round(models.Model):
    """A round: draft until published; real start and end by the clock of the hall."""

    class State(models.TextChoices):
        DRAFT = "draft", _("draft")
        PUBLISHED = "published", _("published")
        RUNNING = "running", _("running")
        DONE = "done", _("all results in")

    stage = models.ForeignKey(Stage, on_delete=models.CASCADE, related_name="rounds")
    number = models.PositiveSmallIntegerField()
    state = models.CharField(max_length=10, choices=State.choices, default=State.DRAFT)
    scheduled_at = models.DateTimeField(null=True, blank=True)
    published_at = models.DateTimeField(null=True, blank=True)
    started_at = models.DateTimeField(null=True, blank=True)  # real start: lateness counts from here (M7.4)
    finished_at = models.DateTimeField(null=True, blank=True)  # last result: appeals count from here (M7.7)
    explanation = models.JSONField(default=dict, blank=True)  # why these pairs, as the engine says it (codes)
    paired_by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+")

    class Meta:
        ordering = ["stage", "number"]
        constraints = [models.UniqueConstraint(fields=["stage", "number"], name="round_number_once")]

    def __str__(self) -> str:
        return f"{self.stage_id} #{self.number}"


class Pause(models.Model):
    """A stop of all play of a stage (an air-raid alarm, no power): its time is nobody's lateness."""

    stage = models.ForeignKey(Stage, on_delete=models.CASCADE, related_name="pauses")
    began_at = models.DateTimeField()
    ended_at = models.DateTimeField(null=True, blank=True)
    reason = models.CharField(max_length=200, blank=True)
    by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+")

    class Meta:
        ordering = ["stage", "began_at"]
        constraints = [
            models.UniqueConstraint(fields=["stage"], condition=Q(ended_at__isnull=True), name="pause_open_once"),
            models.CheckConstraint(
                condition=Q(ended_at__isnull=True) | Q(ended_at__gte=F("began_at")), name="pause_ends_after_start"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.stage_id}: {self.began_at:%H:%M}"


class PairingQuestion(models.Model):
    """What the engine was asked when it paired a round (`swiss.questions`): no later correction changes its reasons."""

    round = models.OneToOneField(Round, on_delete=models.CASCADE, related_name="question")
    data = models.JSONField()

    def __str__(self) -> str:
        return str(self.round)


class Pairing(models.Model):
    """A board of a round, or a player without an opponent (`bye` set, `black` empty)."""

    round = models.ForeignKey(Round, on_delete=models.CASCADE, related_name="pairings")
    board = models.PositiveSmallIntegerField(null=True, blank=True)
    white = models.ForeignKey(Entry, on_delete=models.PROTECT, related_name="+")
    black = models.ForeignKey(Entry, null=True, blank=True, on_delete=models.PROTECT, related_name="+")
    bye = models.CharField(max_length=1, blank=True, choices=[(kind.value, kind.name) for kind in ByeKind])
    game = models.OneToOneField(Game, null=True, blank=True, on_delete=models.SET_NULL, related_name="pairing")
    by_hand = models.BooleanField(default=False)
    absent_white = models.BooleanField(default=False)
    absent_black = models.BooleanField(default=False)
    adjourned = models.BooleanField(default=False)  # to be finished later; a draw for pairing until then

    class Meta:
        ordering = ["round", F("board").asc(nulls_last=True), "id"]
        constraints = [
            models.UniqueConstraint(
                fields=["round", "board"], condition=Q(board__isnull=False), name="pairing_board_once"
            ),
            models.UniqueConstraint(fields=["round", "white"], name="pairing_white_once"),
            models.UniqueConstraint(
                fields=["round", "black"], condition=Q(black__isnull=False), name="pairing_black_once"
            ),
            models.CheckConstraint(
                condition=(Q(black__isnull=True) & ~Q(bye="")) | (Q(black__isnull=False) & Q(bye="")),
                name="pairing_opponent_or_bye",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.board}: {self.white_id} – {self.black_id}"


class ByeRequest(models.Model):
    """A round a player asks to miss: half a point, none, or a whole one by the regulation."""

    stage = models.ForeignKey(Stage, on_delete=models.CASCADE, related_name="bye_requests")
    entry = models.ForeignKey(Entry, on_delete=models.CASCADE, related_name="bye_requests")
    round_number = models.PositiveSmallIntegerField()
    kind = models.CharField(max_length=1, choices=[(kind.value, kind.name) for kind in ByeKind if kind.value != "U"])
    reason = models.CharField(max_length=200, blank=True)
    by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+")
    at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["stage", "entry", "round_number"], name="bye_request_once"),
        ]

    def __str__(self) -> str:
        return f"{self.entry_id} #{self.round_number} {self.kind}"


class ForbiddenPair(models.Model):
    """Two players who must not meet, for all rounds or a range of them.

    A `soft` one is a wish: it is given up, the newest first, when no pairing of a round keeps it.
    """

    stage = models.ForeignKey(Stage, on_delete=models.CASCADE, related_name="forbidden_pairs")
    first = models.ForeignKey(Entry, on_delete=models.CASCADE, related_name="+")
    second = models.ForeignKey(Entry, on_delete=models.CASCADE, related_name="+")
    from_round = models.PositiveSmallIntegerField(default=1)
    to_round = models.PositiveSmallIntegerField(null=True, blank=True)
    reason = models.CharField(max_length=200)
    soft = models.BooleanField(default=False)

    class Meta:
        constraints = [
            models.CheckConstraint(condition=Q(first__lt=F("second")), name="forbidden_pair_ordered"),
            models.UniqueConstraint(fields=["stage", "first", "second"], name="forbidden_pair_once"),
        ]

    def __str__(self) -> str:
        return f"{self.first_id} × {self.second_id}"


class FixedBoard(models.Model):
    """A board where a player always sits (a wheelchair, a board for the blind), whatever his place among the pairs."""

    stage = models.ForeignKey(Stage, on_delete=models.CASCADE, related_name="fixed_boards")
    entry = models.ForeignKey(Entry, on_delete=models.CASCADE, related_name="+")
    board = models.PositiveSmallIntegerField()
    reason = models.CharField(max_length=200)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["stage", "entry"], name="fixed_board_entry_once"),
            models.UniqueConstraint(fields=["stage", "board"], name="fixed_board_once"),
        ]

    def __str__(self) -> str:
        return f"{self.entry_id}: {self.board}"


class ReportResult(models.Model):
    """A result put right for the rating report only (C.04.2, 4.3); pairing and standings keep the one they know.

    One in force a game; a second one, or taking it back, ends the first.
    """

    game = models.ForeignKey(Game, on_delete=models.CASCADE, related_name="report_results")
    outcome = models.CharField(max_length=5)
    reason = models.CharField(max_length=500)
    by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+")
    at = models.DateTimeField()
    ended_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["id"]
        constraints = [
            models.UniqueConstraint(fields=["game"], condition=Q(ended_at__isnull=True), name="report_result_once"),
            models.CheckConstraint(
                condition=Q(outcome__in=[code.value for code in ResultCode]), name="report_result_known"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.game_id}: {self.outcome}"


class TakenBack(models.Model):
    """A published round that was taken back: all its rows as they were, so that it can be brought back unchanged.

    `data` holds the round, its pairs, games and results under their old keys (`swiss.services.taking_back`).
    """

    stage = models.ForeignKey(Stage, on_delete=models.CASCADE, related_name="taken_back")
    number = models.PositiveSmallIntegerField()
    data = models.JSONField()
    results = models.PositiveSmallIntegerField()  # how many boards had one
    reason = models.CharField(max_length=500)
    by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+")
    at = models.DateTimeField(auto_now_add=True)
    undone_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["stage", "-id"]

    def __str__(self) -> str:
        return f"{self.stage_id} #{self.number}"


class ReportImport(models.Model):
    """A large report file on its way into a group: the worker writes it in, all or nothing."""

    section = models.ForeignKey(Section, on_delete=models.CASCADE, related_name="report_imports")
    name = models.CharField(max_length=120, blank=True)
    content = models.BinaryField()
    names_public = models.BooleanField(default=False)  # who brought it in says that names may be published
    job = models.ForeignKey(Job, null=True, on_delete=models.SET_NULL, related_name="+")
    by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+")
    at = models.DateTimeField(auto_now_add=True)
    finished_at = models.DateTimeField(null=True, blank=True)
    refusal = models.JSONField(default=dict, blank=True)  # code, line, column and values of what was in the way

    class Meta:
        ordering = ["-id"]

    def __str__(self) -> str:
        return self.name or str(self.pk)
