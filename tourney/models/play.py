"""Games and their results: the facts standings and brackets are computed from."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models import F, Q
from django.utils.translation import gettext_lazy as _

from tourney.kernel.outcomes import ResultCode
from tourney.models.people import Entry
from tourney.models.sections import Section, Stage
from tourney.models.tournament import Regulation, Tournament


class Game(models.Model):
    """A game of a stage: board `board` of round `round_number`, or game `game_number` of match `match_key`.

    `outcome` is a projection of the current `ResultRecord` ("" while there is none).
    """

    stage = models.ForeignKey(Stage, on_delete=models.CASCADE, related_name="games")
    round_number = models.PositiveSmallIntegerField(null=True, blank=True)
    match_key = models.CharField(max_length=16, blank=True)
    game_number = models.PositiveSmallIntegerField(default=1)
    board = models.PositiveSmallIntegerField(null=True, blank=True)
    white = models.ForeignKey(Entry, on_delete=models.PROTECT, related_name="games_white")
    black = models.ForeignKey(Entry, on_delete=models.PROTECT, related_name="games_black")
    time_control = models.CharField(max_length=20, blank=True)
    scheduled_at = models.DateTimeField(null=True, blank=True)
    outcome = models.CharField(max_length=5, blank=True)
    version = models.PositiveIntegerField(default=0)  # grows with every result: two devices see each other
    pgn = models.TextField(blank=True)
    ply_count = models.PositiveSmallIntegerField(null=True, blank=True)
    finished_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["stage", "round_number", "match_key", "game_number", "board"]
        constraints = [
            models.CheckConstraint(condition=~Q(white=F("black")), name="game_two_players"),
            models.CheckConstraint(
                condition=Q(outcome__in=["", *[code.value for code in ResultCode]]), name="game_known_outcome"
            ),
            models.UniqueConstraint(
                fields=["stage", "match_key", "game_number"],
                condition=~Q(match_key=""),
                name="game_number_in_match_once",
            ),
        ]
        indexes = [models.Index(fields=["stage", "round_number", "board"])]

    def __str__(self) -> str:
        return f"{self.white} – {self.black}"


class ResultRecord(models.Model):
    """One entry of a result. Append-only: a correction supersedes the record before it and says why.

    A game has one chain: one record supersedes none, and no record is superseded twice. An empty outcome takes the
    result back (the game is open again).
    """

    game = models.ForeignKey(Game, on_delete=models.CASCADE, related_name="results")
    outcome = models.CharField(max_length=5, blank=True)
    entered_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL, related_name="+"
    )
    at = models.DateTimeField()
    supersedes = models.OneToOneField("self", null=True, blank=True, on_delete=models.PROTECT, related_name="successor")
    reason = models.TextField(blank=True)
    moves = models.PositiveSmallIntegerField(null=True, blank=True)  # M7.6: a draw's move number
    device = models.CharField(max_length=60, blank=True)
    operation = models.UUIDField(null=True, blank=True, unique=True)  # the same tap sent twice counts once

    class Meta:
        ordering = ["game", "id"]
        constraints = [
            models.UniqueConstraint(fields=["game"], condition=Q(supersedes__isnull=True), name="result_one_chain"),
            models.CheckConstraint(
                condition=Q(outcome__in=["", *[code.value for code in ResultCode]]), name="result_known_outcome"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.game_id}: {self.outcome or '…'}"


class StandingRow(models.Model):
    """A line of the standings after a round. A projection: deleted and rebuilt from results at will."""

    stage = models.ForeignKey(Stage, on_delete=models.CASCADE, related_name="standings")
    after_round = models.PositiveSmallIntegerField()
    entry = models.ForeignKey(Entry, on_delete=models.CASCADE, related_name="standings")
    rank = models.PositiveSmallIntegerField()
    shared = models.BooleanField(default=False)  # equal on everything with a neighbour
    points = models.SmallIntegerField()  # half-points
    values = models.JSONField(default=list)  # [{"code": "BH", "text": "31½"}, …] in the order of the regulation

    class Meta:
        ordering = ["stage", "after_round", "rank"]
        constraints = [
            models.UniqueConstraint(fields=["stage", "after_round", "entry"], name="standing_entry_once"),
        ]

    def __str__(self) -> str:
        return f"{self.rank}. {self.entry_id}"


class PlacementList(models.Model):
    """Published places of a section (or a category). Numbered: a disqualification writes the next list (M7.9)."""

    section = models.ForeignKey(Section, on_delete=models.CASCADE, related_name="placement_lists")
    category = models.ForeignKey(
        "tourney.Category", null=True, blank=True, on_delete=models.CASCADE, related_name="lists"
    )
    stage = models.ForeignKey(Stage, null=True, on_delete=models.SET_NULL, related_name="placement_lists")
    number = models.PositiveSmallIntegerField()
    regulation = models.ForeignKey(Regulation, null=True, on_delete=models.PROTECT, related_name="+")
    reason = models.TextField(blank=True)
    author = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+")
    published_at = models.DateTimeField()

    class Meta:
        ordering = ["section", "-number"]
        constraints = [
            models.UniqueConstraint(
                fields=["section", "category", "number"], nulls_distinct=False, name="placement_list_number_once"
            )
        ]

    def __str__(self) -> str:
        return f"{self.section} № {self.number}"


class Placement(models.Model):
    """A line of a placing list. `place` is empty for who is listed without a place (disqualified)."""

    list = models.ForeignKey(PlacementList, on_delete=models.CASCADE, related_name="lines")
    entry = models.ForeignKey(Entry, on_delete=models.PROTECT, related_name="placements")
    place = models.PositiveSmallIntegerField(null=True, blank=True)
    place_to = models.PositiveSmallIntegerField(null=True, blank=True)  # shared places: 5–6
    points = models.SmallIntegerField(null=True, blank=True)
    note = models.CharField(max_length=120, blank=True)

    class Meta:
        ordering = ["list", "place"]
        constraints = [models.UniqueConstraint(fields=["list", "entry"], name="placement_entry_once")]

    def __str__(self) -> str:
        return f"{self.place}. {self.entry_id}"


class Sanction(models.Model):
    """A decision against a player (K10.3, M7.6, M7.9), or what an arbiter notes of one: an incident, an illegal move.

    Append-only; `revokes` takes an earlier one back.
    """

    class Kind(models.TextChoices):
        INCIDENT = "incident", _("incident")
        ILLEGAL_MOVE = "illegal_move", _("illegal move")
        WARNING = "warning", _("warning")
        GAME_LOSS = "game_loss", _("loss of the game")
        MATCH_LOSS = "match_loss", _("loss of the match")
        REMOVAL = "removal", _("removal from the event")

    entry = models.ForeignKey(Entry, on_delete=models.PROTECT, related_name="sanctions")
    kind = models.CharField(max_length=12, choices=Kind.choices)
    clause = models.CharField(max_length=12, blank=True)
    reason = models.TextField()
    game = models.ForeignKey(Game, null=True, blank=True, on_delete=models.SET_NULL, related_name="sanctions")
    stage = models.ForeignKey(Stage, null=True, blank=True, on_delete=models.SET_NULL, related_name="sanctions")
    round_number = models.PositiveSmallIntegerField(null=True, blank=True)
    revokes = models.OneToOneField("self", null=True, blank=True, on_delete=models.PROTECT, related_name="revoked_by")
    by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+")
    at = models.DateTimeField()

    class Meta:
        ordering = ["-at"]

    def __str__(self) -> str:
        return f"{self.entry_id} {self.kind}"

    @property
    def changes_nothing(self) -> bool:
        """Return whether play goes on as it was: such a row can simply be taken back."""
        return self.kind in (self.Kind.INCIDENT, self.Kind.ILLEGAL_MOVE, self.Kind.WARNING)


class CommitteeMember(models.Model):
    """A member or reserve of the appeals committee (M7.7)."""

    tournament = models.ForeignKey(Tournament, on_delete=models.CASCADE, related_name="committee")
    name = models.CharField(max_length=120)
    reserve = models.BooleanField(default=False)
    related_entries = models.ManyToManyField(Entry, blank=True, related_name="+")  # own cases: may not judge them

    class Meta:
        ordering = ["tournament", "reserve", "id"]

    def __str__(self) -> str:
        return self.name


class Appeal(models.Model):
    """An appeal against an arbiter's decision (M7.7): in time or not by the clock, with a deposit."""

    class State(models.TextChoices):
        FILED = "filed", _("filed")
        UPHELD = "upheld", _("upheld")
        PARTLY = "partly", _("upheld in part")
        REFUSED = "refused", _("not upheld")
        WITHDRAWN = "withdrawn", _("withdrawn")

    entry = models.ForeignKey(Entry, on_delete=models.PROTECT, related_name="appeals")
    stage = models.ForeignKey(Stage, null=True, on_delete=models.SET_NULL, related_name="appeals")
    round_number = models.PositiveSmallIntegerField(null=True, blank=True)
    match_key = models.CharField(max_length=24, blank=True)  # of a knockout, with `game_number` one game of it
    game_number = models.PositiveSmallIntegerField(null=True, blank=True)
    subject = models.CharField(max_length=20)  # result, conduct, sanction, other; never pairing
    text = models.TextField()
    filed_by = models.CharField(max_length=120)
    filed_at = models.DateTimeField()
    deadline = models.DateTimeField(null=True, blank=True)
    panel = models.ManyToManyField(CommitteeMember, blank=True, related_name="appeals")
    state = models.CharField(max_length=10, choices=State.choices, default=State.FILED)
    decision = models.TextField(blank=True)
    decided_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["-filed_at"]

    def __str__(self) -> str:
        return f"{self.entry_id} {self.state}"

    @property
    def place(self) -> str:
        """What the appeal is about: the round, the match, or a game of the match; "" for none."""
        if self.match_key:
            return f"{self.match_key}/{self.game_number}" if self.game_number else self.match_key
        return str(self.round_number or "")
