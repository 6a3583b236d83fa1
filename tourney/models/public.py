"""What the organizer shows to the public beside results: news, screens of the hall, printed sheets."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from tourney.models.sections import Section
from tourney.models.tournament import Tournament


class NewsItem(models.Model):
    """Something the organizer tells everybody, in the languages it was written in. Plain text; addresses become links.

    What was said stays as a row: a piece of news that is taken back keeps `withdrawn_at`.
    """

    tournament = models.ForeignKey(Tournament, on_delete=models.CASCADE, related_name="news")
    title = models.JSONField(default=dict)  # {uk, ru, en}
    text = models.JSONField(default=dict, blank=True)  # the same
    pinned = models.BooleanField(default=False)
    published_at = models.DateTimeField()
    changed_at = models.DateTimeField()
    withdrawn_at = models.DateTimeField(null=True, blank=True)
    author = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+")

    class Meta:
        ordering = ["-pinned", "-published_at", "-id"]
        indexes = [models.Index(fields=["tournament", "withdrawn_at"])]

    def __str__(self) -> str:
        return self.title_text

    @property
    def title_text(self) -> str:
        return self.tournament.in_words(self.title)

    @property
    def body_text(self) -> str:
        return self.tournament.in_words(self.text)


class HallScreen(models.Model):
    """A screen of the hall: its pages in rotation, and what the organizer's remote control has told it last.

    `pages` is a list of {"kind", "section", "seconds", "text"}; kinds are those of `tourney.hall`. Commands are
    counters, so that a screen that heard nothing for a while does each once: it goes on `steps` pages in all, and
    jumps to page `jump` when `jumps` has grown. `version` grows with every change.
    """

    class Look(models.TextChoices):
        AUTO = "auto", _("as the screen is set")
        LIGHT = "light", _("light")
        DARK = "dark", _("dark")

    tournament = models.ForeignKey(Tournament, on_delete=models.CASCADE, related_name="screens")
    code = models.CharField(max_length=12, unique=True)  # of the short address; no secret: the pages are public
    name = models.CharField(max_length=60)
    language = models.CharField(max_length=2)
    look = models.CharField(max_length=5, choices=Look.choices, default=Look.AUTO)
    pages = models.JSONField(default=list)
    version = models.PositiveIntegerField(default=1)
    steps = models.IntegerField(default=0)
    jumps = models.PositiveIntegerField(default=0)
    jump = models.CharField(max_length=60, blank=True)  # the page the last jump went to
    held = models.BooleanField(default=False)
    blank = models.BooleanField(default=False)
    message = models.CharField(max_length=160, blank=True)
    seen_at = models.DateTimeField(null=True, blank=True)  # when a browser last asked for it
    created_at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ["tournament", "id"]

    def __str__(self) -> str:
        return self.name


class PrintedSheet(models.Model):
    """A sheet that was printed for the wall: the next print of the same sheet says which one it replaces.

    `key` names the sheet inside its event: ``U10:pairings:4`` is the pairings by board of round 4 of U10. `digest` is
    a SHA-256 of what stood on it.
    """

    tournament = models.ForeignKey(Tournament, on_delete=models.CASCADE, related_name="printed_sheets")
    section = models.ForeignKey(Section, null=True, blank=True, on_delete=models.CASCADE, related_name="+")
    key = models.CharField(max_length=80)
    language = models.CharField(max_length=2)
    digest = models.CharField(max_length=64)
    made_at = models.DateTimeField()
    made_by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+")

    class Meta:
        ordering = ["-id"]
        indexes = [models.Index(fields=["tournament", "key", "language", "-id"])]
        constraints = [models.CheckConstraint(condition=~Q(key=""), name="printed_sheet_has_key")]

    def __str__(self) -> str:
        return f"{self.key} {self.made_at:%H:%M}"
