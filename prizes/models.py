"""Prize money, awards and prize draws."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from tourney.kernel.money import Money
from tourney.models import Entry, Job, Lot, PlacementList, Section, Stage, Tournament


class FundLine(models.Model):
    """Other income (sponsor, subsidy) and expenses beside the fees (M10.7). Append-only; `minor` is signed."""

    class Kind(models.TextChoices):
        SPONSOR = "sponsor", _("sponsor")
        SUBSIDY = "subsidy", _("subsidy")
        OTHER_INCOME = "income", _("other income")
        EXPENSE = "expense", _("expense")

    tournament = models.ForeignKey(Tournament, on_delete=models.PROTECT, related_name="fund_lines")
    kind = models.CharField(max_length=10, choices=Kind.choices)
    label = models.CharField(max_length=160)
    minor = models.BigIntegerField()
    currency = models.CharField(max_length=3)
    reverses = models.OneToOneField("self", null=True, blank=True, on_delete=models.PROTECT, related_name="reversed_by")
    by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+")
    at = models.DateTimeField()
    operation = models.UUIDField(null=True, blank=True, unique=True)  # a form sent twice counts once

    class Meta:
        ordering = ["tournament", "id"]
        constraints = [models.CheckConstraint(condition=~Q(minor=0), name="fund_line_moves_money")]

    def __str__(self) -> str:
        return self.label


class Award(models.Model):
    """What one player gets from one placing list or draw. A projection of list, rules and draws until handed out."""

    class Source(models.TextChoices):
        PLACE = "place", _("for the place")
        LOTTERY = "lottery", _("prize draw")
        CATEGORY = "category", _("category prize")

    section = models.ForeignKey(Section, on_delete=models.CASCADE, related_name="awards")
    placement_list = models.ForeignKey(PlacementList, null=True, on_delete=models.CASCADE, related_name="awards")
    entry = models.ForeignKey(Entry, on_delete=models.PROTECT, related_name="awards")
    source = models.CharField(max_length=10, choices=Source.choices)
    subject = models.CharField(max_length=40, blank=True)  # place, "category:place" or number of the lottery
    place = models.PositiveSmallIntegerField(null=True, blank=True)
    minor = models.BigIntegerField(default=0)
    currency = models.CharField(max_length=3)
    things = models.JSONField(default=list, blank=True)  # cup, diploma, medal
    clause = models.CharField(max_length=12, blank=True)
    draw = models.ForeignKey("Draw", null=True, blank=True, on_delete=models.CASCADE, related_name="awards")

    class Meta:
        ordering = ["section", "place", "id"]
        constraints = [
            models.UniqueConstraint(fields=["section", "entry", "source", "subject"], name="award_subject_once"),
        ]

    def __str__(self) -> str:
        return f"{self.entry_id} {self.minor}"

    @property
    def passed_on_from(self) -> str:
        """The better place whose prize this is, because somebody above has another one instead; empty otherwise."""
        if self.source == self.Source.LOTTERY:
            return ""
        meant = self.subject.rpartition(":")[2]
        return meant if meant.isdecimal() and int(meant) != self.place else ""


class AwardEvent(models.Model):
    """What became of an award (M9.1–9.3). Append-only and tied to the entry, so that a recomputed list keeps it."""

    class Kind(models.TextChoices):
        NOTIFIED = "notified", _("told place and time")
        HANDED = "handed", _("handed out")
        REPRESENTATIVE = "representative", _("handed to a representative")
        ABSENT = "absent", _("absent: not handed out")
        UNDONE = "undone", _("taken back")

    section = models.ForeignKey(Section, on_delete=models.CASCADE, related_name="award_events")
    entry = models.ForeignKey(Entry, on_delete=models.PROTECT, related_name="award_events")
    source = models.CharField(max_length=10, choices=Award.Source.choices)
    subject = models.CharField(max_length=40, blank=True)  # as in `Award`
    kind = models.CharField(max_length=16, choices=Kind.choices)
    signed_by = models.CharField(max_length=120, blank=True)
    note = models.TextField(blank=True)
    by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+")
    at = models.DateTimeField()

    class Meta:
        ordering = ["section", "id"]

    def __str__(self) -> str:
        return f"{self.entry_id} {self.kind}"


class Draw(models.Model):
    """A prize draw among named places (K8.3), tied to the lot that decides it."""

    class Beacon(models.TextChoices):
        NUMBERS = "numbers", _("numbers that people give")
        DRAND = "drand", _("the public beacon drand")
        NAMED = "named", _("another public value, named beforehand")

    section = models.ForeignKey(Section, on_delete=models.CASCADE, related_name="draws")
    index = models.PositiveSmallIntegerField()  # which of the regulation's lotteries
    placement_list = models.ForeignKey(PlacementList, on_delete=models.PROTECT, related_name="draws")
    lot = models.OneToOneField(Lot, on_delete=models.PROTECT, related_name="prize_draw")
    minor = models.BigIntegerField()
    currency = models.CharField(max_length=3)
    winners = models.PositiveSmallIntegerField(default=1)
    scheduled_at = models.DateTimeField(null=True, blank=True)  # decided by the worker at this second
    beacon = models.CharField(max_length=8, choices=Beacon.choices, default=Beacon.NUMBERS)
    beacon_text = models.CharField(max_length=160, blank=True)  # the future value a named beacon gives
    job = models.ForeignKey(Job, null=True, blank=True, on_delete=models.SET_NULL, related_name="+")

    class Meta:
        ordering = ["section", "index", "-id"]

    def __str__(self) -> str:
        return f"{self.section_id} #{self.index}"


class DrawNumber(models.Model):
    """A public number for a draw at a set moment, as it was given. Append-only; one for each who."""

    draw = models.ForeignKey(Draw, on_delete=models.CASCADE, related_name="numbers")
    who = models.CharField(max_length=120)
    number = models.CharField(max_length=200)
    source = models.CharField(max_length=200, blank=True)  # where a beacon's value was read
    by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+")
    at = models.DateTimeField()

    class Meta:
        ordering = ["draw", "id"]
        constraints = [models.UniqueConstraint(fields=["draw", "who"], name="draw_number_once")]

    def __str__(self) -> str:
        return f"{self.who}: {self.number}"


class Ticket(models.Model):
    """Who takes part in a prize draw, and by which place."""

    draw = models.ForeignKey(Draw, on_delete=models.CASCADE, related_name="tickets")
    entry = models.ForeignKey(Entry, on_delete=models.PROTECT, related_name="tickets")
    place = models.PositiveSmallIntegerField()
    label = models.CharField(max_length=200)  # how the manifest names this entrant: both names and the place
    won = models.BooleanField(default=False)

    class Meta:
        ordering = ["draw", "place"]
        constraints = [models.UniqueConstraint(fields=["draw", "entry"], name="ticket_entry_once")]

    def __str__(self) -> str:
        return self.label


class PlayoffRecord(models.Model):
    """How a tie for first place was played off (M8.2), told by the arbiter. Append-only: a newer one of the same
    players takes the place of an older one.
    """

    class Kind(models.TextChoices):
        TWO_GAMES = "two_games", _("two blitz games, then Armageddon")
        BLITZ_TOURNAMENT = "blitz_tournament", _("blitz round robin")
        LOTS = "lots", _("drawing of lots")

    section = models.ForeignKey(Section, on_delete=models.CASCADE, related_name="playoff_records")
    stage = models.ForeignKey(Stage, null=True, on_delete=models.SET_NULL, related_name="playoff_records")
    kind = models.CharField(max_length=16, choices=Kind.choices)
    between = models.JSONField()  # entry ids of all claimants
    winner = models.ForeignKey(Entry, on_delete=models.PROTECT, related_name="+")
    runner_up = models.ForeignKey(Entry, null=True, blank=True, on_delete=models.PROTECT, related_name="+")
    started_at = models.DateTimeField()
    games = models.TextField()  # the results in the arbiter's words: "1–0, ½–½"
    reason = models.TextField(blank=True)  # why it was settled otherwise, or began before its time
    by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+")
    at = models.DateTimeField()
    operation = models.UUIDField(null=True, blank=True, unique=True)

    class Meta:
        ordering = ["section", "id"]

    def __str__(self) -> str:
        return f"{self.section_id}: {self.winner_id}"


class PlayoffMatch(models.Model):
    """A play-off for first place that is played game by game on its page (M8.2).

    `rules` is what the regulation said when it began. `winner`, `runner_up` and `ended_at` are projections of the
    events; `version` grows with each of them, so that two tablets see each other.
    """

    section = models.ForeignKey(Section, on_delete=models.CASCADE, related_name="playoff_matches")
    stage = models.ForeignKey(Stage, null=True, on_delete=models.SET_NULL, related_name="playoff_matches")
    between = models.JSONField()  # entry ids of all claimants; of three or more by their numbers in the table
    rules = models.JSONField()  # {"format": …, "three": {"clock", "cycles", "level_again"} or null, "pause_minutes"}
    lot = models.ForeignKey(Lot, null=True, blank=True, on_delete=models.PROTECT, related_name="+")  # of the numbers
    started_at = models.DateTimeField()
    reason = models.TextField(blank=True)  # why it began before its time
    version = models.PositiveIntegerField(default=0)
    winner = models.ForeignKey(Entry, null=True, blank=True, on_delete=models.PROTECT, related_name="+")
    runner_up = models.ForeignKey(Entry, null=True, blank=True, on_delete=models.PROTECT, related_name="+")
    ended_at = models.DateTimeField(null=True, blank=True)
    dropped_at = models.DateTimeField(null=True, blank=True)
    drop_reason = models.TextField(blank=True)
    by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+")
    operation = models.UUIDField(null=True, blank=True, unique=True)

    class Meta:
        ordering = ["section", "id"]

    def __str__(self) -> str:
        return f"{self.section_id}: {self.between}"


class PlayoffEvent(models.Model):
    """One step of a play-off: a colour, a lot, a game, a correction. Append-only; `voids` takes an earlier one back."""

    match = models.ForeignKey(PlayoffMatch, on_delete=models.CASCADE, related_name="events")
    step = models.JSONField(null=True, blank=True)  # as `brackets.engine.match_steps.step_to_json` writes it
    lot = models.ForeignKey(Lot, null=True, blank=True, on_delete=models.PROTECT, related_name="+")
    voids = models.OneToOneField("self", null=True, blank=True, on_delete=models.PROTECT, related_name="voided_by")
    reason = models.TextField(blank=True)
    by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+")
    at = models.DateTimeField()
    operation = models.UUIDField(null=True, blank=True, unique=True)  # the same tap sent twice counts once

    class Meta:
        ordering = ["match", "id"]
        constraints = [
            models.CheckConstraint(
                condition=Q(step__isnull=False) ^ Q(voids__isnull=False), name="playoff_event_step_or_void"
            )
        ]

    def __str__(self) -> str:
        return f"{self.match_id} {self.pk}"


class DiplomaDesign(models.Model):
    """How the diplomas of an event look: its own words (empty: the usual ones) and a picture in the background."""

    class Shape(models.TextChoices):
        PORTRAIT = "portrait", _("upright")
        LANDSCAPE = "landscape", _("lying")

    tournament = models.OneToOneField(Tournament, on_delete=models.CASCADE, related_name="diploma_design")
    shape = models.CharField(max_length=10, choices=Shape.choices, default=Shape.PORTRAIT)
    heading = models.CharField(max_length=60, blank=True)
    intro = models.CharField(max_length=160, blank=True)
    body = models.CharField(max_length=300, blank=True)
    closing = models.CharField(max_length=160, blank=True)
    left_signer = models.CharField(max_length=80, blank=True)
    right_signer = models.CharField(max_length=80, blank=True)
    picture = models.BinaryField(null=True, blank=True)  # JPEG, as `prizes.pictures` wrote it anew
    picture_name = models.CharField(max_length=120, blank=True)

    def __str__(self) -> str:
        return self.heading or str(self.tournament_id)


class DiplomaFile(models.Model):
    """A PDF of diplomas that was asked for, and once a worker has made it, its bytes."""

    tournament = models.ForeignKey(Tournament, on_delete=models.CASCADE, related_name="diploma_files")
    section = models.ForeignKey(Section, null=True, blank=True, on_delete=models.CASCADE, related_name="+")  # null: all
    job = models.ForeignKey(Job, null=True, on_delete=models.SET_NULL, related_name="+")
    pages = models.PositiveIntegerField(default=0)
    content = models.BinaryField(null=True, blank=True)
    by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+")
    at = models.DateTimeField()
    finished_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["-at", "-id"]

    def __str__(self) -> str:
        return f"{self.tournament_id} {self.pages}"


class PrizePot(models.Model):
    """What percentage prizes are shares of: fixed when the first places of an event are published, never changed."""

    class Base(models.TextChoices):
        FEES = "fees", _("of the entry fees")
        INCOME = "income", _("of all income")
        LEFT = "left", _("of what is left after expenses and fixed prizes")

    tournament = models.ForeignKey(Tournament, on_delete=models.CASCADE, related_name="prize_pots")
    base = models.CharField(max_length=8, choices=Base.choices)
    minor = models.BigIntegerField()
    currency = models.CharField(max_length=3)
    at = models.DateTimeField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["tournament", "base"], name="prize_pot_once")]

    def __str__(self) -> str:
        return f"{self.tournament_id} {self.base}: {self.minor} {self.currency}"

    @property
    def money(self) -> Money:
        return Money(self.minor, self.currency)
