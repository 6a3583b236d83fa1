"""Those who play together, and the steps they go through."""

from __future__ import annotations

from django.db import models
from django.utils.translation import gettext_lazy as _

from tourney.models.tournament import Tournament


class Section(models.Model):
    """A group with its own placings. A merged section plays inside its host but keeps its own placings (M7.8)."""

    tournament = models.ForeignKey(Tournament, on_delete=models.CASCADE, related_name="sections")
    code = models.SlugField(max_length=30)
    title = models.JSONField(default=dict)
    ordinal = models.PositiveSmallIntegerField(default=0)
    capacity = models.PositiveSmallIntegerField(null=True, blank=True)
    eligibility = models.JSONField(default=dict, blank=True)  # the regulation's block, resolved for this section
    merged_into = models.ForeignKey("self", null=True, blank=True, on_delete=models.PROTECT, related_name="guests")
    entries_closed_at = models.DateTimeField(null=True, blank=True)  # start list frozen
    first_board = models.PositiveSmallIntegerField(default=1)
    # After which round the group stopped playing by the book (0: before the first); set once, never emptied.
    left_book_round = models.PositiveSmallIntegerField(null=True, blank=True)

    class Meta:
        ordering = ["tournament", "ordinal"]
        constraints = [models.UniqueConstraint(fields=["tournament", "code"], name="section_code_once")]

    def __str__(self) -> str:
        return self.title_text

    @property
    def title_text(self) -> str:
        return self.tournament.in_words(self.title)


class Category(models.Model):
    """An extra list of placings over a section's entries (best under 12, best of a district)."""

    section = models.ForeignKey(Section, on_delete=models.CASCADE, related_name="categories")
    code = models.SlugField(max_length=30)
    title = models.JSONField(default=dict)
    rule = models.JSONField(default=dict)  # {sex, birth_years, district, level}: all must hold

    class Meta:
        constraints = [models.UniqueConstraint(fields=["section", "code"], name="category_code_once")]
        verbose_name_plural = "categories"

    def __str__(self) -> str:
        return self.section.tournament.in_words(self.title)


class Stage(models.Model):
    """One step of a section: a round robin, a Swiss, a bracket or a play-off for first place.

    `version` grows by one with every change the public can see; live pages use it as their ETag. The stage row is
    also the one lock of every service that enters results.
    """

    class Kind(models.TextChoices):
        ROUND_ROBIN = "round_robin", _("round robin")
        SWISS = "swiss", _("Swiss system")
        BRACKET = "bracket", _("knockout")
        PLAYOFF = "playoff", _("play-off for first place")

    class State(models.TextChoices):
        PLANNED = "planned", _("planned")
        READY = "ready", _("ready to start")
        RUNNING = "running", _("running")
        FINISHED = "finished", _("all played")
        CLOSED = "closed", _("closed, places published")

    section = models.ForeignKey(Section, on_delete=models.CASCADE, related_name="stages")
    ordinal = models.PositiveSmallIntegerField(default=1)
    code = models.SlugField(max_length=30)
    title = models.JSONField(default=dict)
    kind = models.CharField(max_length=12, choices=Kind.choices)
    state = models.CharField(max_length=10, choices=State.choices, default=State.PLANNED)
    rules = models.JSONField(default=dict)  # the chosen option of the regulation plus rating, clock, schedule, lateness
    rounds_total = models.PositiveSmallIntegerField(default=0)
    version = models.PositiveIntegerField(default=0)
    override_reason = models.TextField(blank=True)  # why system or rounds differ from the head-count rule (M7.2)
    started_at = models.DateTimeField(null=True, blank=True)
    finished_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["section", "ordinal"]
        constraints = [models.UniqueConstraint(fields=["section", "ordinal"], name="stage_ordinal_once")]

    def __str__(self) -> str:
        return f"{self.section} – {self.get_kind_display()}"

    @property
    def title_text(self) -> str:
        return self.section.tournament.in_words(self.title)
