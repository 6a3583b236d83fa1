"""The tables of rating lists: the files that came, the people they name, and the index that forgives a slip."""

from __future__ import annotations

from django.conf import settings
from django.contrib.postgres.indexes import GinIndex
from django.contrib.postgres.search import SearchVectorField
from django.db import models
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from tourney.models import Job


class Source(models.TextChoices):
    """Whose list it is."""

    FIDE = "fide", _("FIDE list")
    RUSSIA = "fsr", _("Russian list")
    UKRAINE = "ucf", _("Ukrainian list")


class RatingList(models.Model):
    """One file of a federation: who sent it, how far its loading is, and what it changed."""

    class State(models.TextChoices):
        WAITING = "waiting", pgettext_lazy("rating list", "waiting")
        READING = "reading", _("being read")
        MERGING = "merging", _("being compared with what was there")
        LOADED = "loaded", _("loaded")
        FAILED = "failed", _("not loaded")

    name = models.CharField(max_length=120)
    source = models.CharField(max_length=4, choices=Source.choices, blank=True)  # known once the file is opened
    kind = models.CharField(max_length=8, blank=True)  # "all", or the one kind of rating a Russian file holds
    state = models.CharField(max_length=8, choices=State.choices, default=State.WAITING)
    partial = models.BooleanField(default=False)  # people who are not in it stay in the database
    size = models.BigIntegerField(default=0)  # bytes of the file as it came
    job = models.ForeignKey(Job, null=True, on_delete=models.SET_NULL, related_name="+")
    by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+")
    at = models.DateTimeField()
    finished_at = models.DateTimeField(null=True, blank=True)
    report = models.JSONField(default=dict, blank=True)  # rows, fresh, changed, gone, faults, problems [...]

    class Meta:
        ordering = ["-id"]

    def __str__(self) -> str:
        return f"{self.source} {self.name}"


class RatingListPiece(models.Model):
    """A megabyte of a file that waits to be loaded: in the database, because a worker may run on another machine."""

    list = models.ForeignKey(RatingList, on_delete=models.CASCADE, related_name="pieces")
    number = models.PositiveIntegerField()
    content = models.BinaryField()

    class Meta:
        ordering = ["list", "number"]
        constraints = [models.UniqueConstraint(fields=["list", "number"], name="rating_list_piece_once")]

    def __str__(self) -> str:
        return f"{self.list_id} {self.number}"


class RatedPerson(models.Model):
    """Somebody in a list, with exactly what the federation publishes. No tie to anybody who is registered here."""

    source = models.CharField(max_length=4, choices=Source.choices)
    number = models.CharField(max_length=12)  # the list's own: ID FIDE, national number
    name = models.CharField(max_length=120)
    federation = models.CharField(max_length=3, blank=True)
    sex = models.CharField(max_length=1, blank=True)
    birth_year = models.PositiveSmallIntegerField(null=True)
    title = models.CharField(max_length=8, blank=True)
    standard = models.PositiveSmallIntegerField(null=True)
    rapid = models.PositiveSmallIntegerField(null=True)
    blitz = models.PositiveSmallIntegerField(null=True)
    fide_number = models.CharField(max_length=12, blank=True)  # as a national list names it
    fide_standard = models.PositiveSmallIntegerField(null=True)
    fide_rapid = models.PositiveSmallIntegerField(null=True)
    fide_blitz = models.PositiveSmallIntegerField(null=True)
    inactive = models.BooleanField(default=False)
    # Folded words of the name (`registration.ratings.folding`). A tsvector, because a GIN index of PostgreSQL's core
    # answers "begins with" by it, without the extension pg_trgm, which the embedded server does not have.
    words = SearchVectorField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["source", "number"], name="rated_person_once")]
        indexes = [
            models.Index(fields=["fide_number"], name="rated_person_fide", condition=~models.Q(fide_number="")),
            GinIndex(fields=["words"], name="rated_person_words"),
        ]

    def __str__(self) -> str:
        return f"{self.source} {self.number}"


class NameWord(models.Model):
    """A folded word that occurs in names."""

    word = models.CharField(max_length=120, unique=True, db_collation="C")

    def __str__(self) -> str:
        return self.word


class NameCut(models.Model):
    """A word and what is left of it without one letter: words one slip apart share a cut."""

    pk = models.CompositePrimaryKey("cut", "word_id")
    cut = models.CharField(max_length=120, db_collation="C")
    word = models.ForeignKey(NameWord, on_delete=models.CASCADE, related_name="cuts", db_index=False)

    def __str__(self) -> str:
        return self.cut
