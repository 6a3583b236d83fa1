"""A bracket on the table: its graph, its matches and what happened to them.

Facts are `BracketSeed` (the order as drawn), `MatchEvent` in the order of its keys, and the `ResultRecord` each entered
game points to. An event row is one thing: a *fact* of the bracket (`data["fact"]`, `brackets.engine.facts`), a *step*
of one match (`data["step"]`, `brackets.engine.match_steps`; the result of a game stands only in its record), or a
happening beside the board (called, cancelled, paused). Replayed in order the facts give the bracket, the steps of a
match since its last cancellation give that match. Nothing is ever deleted: `voids` takes a row back, and `act` names
the rows one act of the arbiter wrote, so that it can be taken back as a whole.

`MatchSlot` and all columns of `Match` from `state` to `version` are projections, made again by
`brackets.services.rebuild`.
"""

from __future__ import annotations

import uuid

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from tourney.models import Entry, Lot, ResultRecord, Stage


class Bracket(models.Model):
    """The graph of a knockout stage (engine's JSON), fixed at the draw. Public once `drawn_at` is set.

    `params`: how the draw was made: `players`, `method`, `pots` (entry ids, best pot first).
    """

    stage = models.OneToOneField(Stage, on_delete=models.CASCADE, related_name="bracket")
    spec = models.JSONField()
    params = models.JSONField(default=dict)
    draw_lot = models.ForeignKey(Lot, null=True, blank=True, on_delete=models.SET_NULL, related_name="+")
    drawn_at = models.DateTimeField(null=True, blank=True)
    paused_at = models.DateTimeField(null=True, blank=True)

    def __str__(self) -> str:
        return f"{self.stage_id}"


class BracketSeed(models.Model):
    """Who was drawn on which seed. Exchanges and a reserve in a no-show's place (K3.4) are events on top of it."""

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
        CUT = "cut", _("not played: the bracket was cut short")

    bracket = models.ForeignKey(Bracket, on_delete=models.CASCADE, related_name="matches")
    key = models.CharField(max_length=16)
    number = models.PositiveSmallIntegerField()
    state = models.CharField(max_length=10, choices=State.choices, default=State.LOCKED)
    board = models.PositiveSmallIntegerField(null=True, blank=True)
    called_at = models.DateTimeField(null=True, blank=True)
    started_at = models.DateTimeField(null=True, blank=True)
    finished_at = models.DateTimeField(null=True, blank=True)
    winner_side = models.CharField(max_length=1, blank=True)  # a or b
    how = models.CharField(max_length=24, blank=True)  # `brackets.labels.HOW`
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
    """One row of what happened (see the top of this module). Append-only; `voids` takes an earlier row back.

    The kind names the fact or step for people: games and their corrections carry a `record`, lots a `lot`.
    """

    class Kind(models.TextChoices):
        # beside the board
        CALLED = "called", _("called to the board")
        CANCELLED = "cancelled", _("call and games taken back")
        BOARD_LEFT = "board_left", _("board given up")
        PAUSED = "paused", _("play stopped")
        RESUMED = "resumed", _("play goes on")
        NOTE = "note", _("note")
        UNDONE = "undone", _("taken back")
        # steps of a match
        COLOR = "color_chosen", _("colour chosen")
        LOT = "lot", _("lot drawn")
        GAME = "game", _("game")
        CORRECTED = "corrected", _("result corrected")
        NO_SHOW = "no_show", _("did not come")
        BOTH_ABSENT = "both_absent", _("neither came")
        DECISION = "decision", _("decided by the arbiter")
        LEFT_MATCH = "left_match", _("left the match")
        REOPENED = "reopened", _("opened again")
        CLAIM = "claim", _("result disputed")
        SETTLED = "settled", _("dispute settled")
        # facts of the bracket
        RESULT = "result", _("match decided")
        VOIDED = "voided", _("result of the match taken back")
        ON_PAPER = "on_paper", _("winner corrected on paper only")
        WITHDRAWN = "withdrawn", _("left the event")
        DISQUALIFIED = "disqualified", _("disqualified")
        RETURNED = "returned", _("came back")
        SEEDS_SWAPPED = "seeds_swapped", _("seeds exchanged")
        REPLACED = "replaced", _("reserve took the seed")
        CUT = "cut", _("cut short")

    bracket = models.ForeignKey(Bracket, on_delete=models.CASCADE, related_name="events")
    match = models.ForeignKey(Match, null=True, blank=True, on_delete=models.CASCADE, related_name="events")
    entry = models.ForeignKey(Entry, null=True, blank=True, on_delete=models.PROTECT, related_name="+")
    kind = models.CharField(max_length=16, choices=Kind.choices)
    data = models.JSONField(default=dict, blank=True)
    record = models.OneToOneField(
        ResultRecord, null=True, blank=True, on_delete=models.PROTECT, related_name="match_event"
    )
    lot = models.ForeignKey(Lot, null=True, blank=True, on_delete=models.SET_NULL, related_name="+")
    voids = models.OneToOneField("self", null=True, blank=True, on_delete=models.PROTECT, related_name="voided_by")
    reason = models.TextField(blank=True)
    by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+")
    at = models.DateTimeField()
    act = models.UUIDField(default=uuid.uuid4, db_index=True)  # the rows of one act
    operation = models.UUIDField(null=True, blank=True, unique=True)  # the same tap sent twice counts once

    class Meta:
        ordering = ["bracket", "id"]

    def __str__(self) -> str:
        return f"{self.match_id} {self.kind}"
