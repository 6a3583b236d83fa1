"""The event, who runs it, and its regulation in numbered versions."""

from __future__ import annotations

import uuid
from zoneinfo import ZoneInfo

from django.conf import settings
from django.contrib.postgres.functions import RandomUUID
from django.db import models
from django.db.models import Q
from django.utils.translation import get_language
from django.utils.translation import gettext_lazy as _

from tourney.kernel.text import in_language


class Tournament(models.Model):
    """One event: date, place, money and languages. Everything that is a rule lives in its `Regulation`."""

    class State(models.TextChoices):
        DRAFT = "draft", _("draft")
        REGISTRATION = "registration", _("registration open")
        CLOSED = "closed", _("registration closed")
        RUNNING = "running", _("running")
        FINISHED = "finished", _("finished")
        CANCELLED = "cancelled", _("cancelled")

    slug = models.SlugField(max_length=60, unique=True)
    title = models.JSONField(default=dict)  # {uk, ru, en}
    state = models.CharField(max_length=12, choices=State.choices, default=State.DRAFT)
    starts_on = models.DateField()
    ends_on = models.DateField()
    start_time = models.TimeField()
    time_zone = models.CharField(max_length=40)
    currency = models.CharField(max_length=3)
    language = models.CharField(max_length=2, default="uk")  # the event's own, for print and first visits
    venue = models.JSONField(default=dict)
    address = models.JSONField(default=dict)
    venue_note = models.JSONField(default=dict)
    organizer = models.JSONField(default=dict)
    contact_email = models.EmailField(blank=True)
    contact_phone = models.CharField(max_length=40, blank=True)
    requisites = models.JSONField(default=dict, blank=True)  # instead of the regulation's (`tourney.requisites`)
    broadcast_url = models.URLField(blank=True)
    boards = models.PositiveSmallIntegerField(default=16)
    public = models.BooleanField(default=False)
    players_enter_moves = models.BooleanField(default=False)  # of their own finished games, by their personal link
    rehearsal_of = models.ForeignKey("self", null=True, blank=True, on_delete=models.CASCADE, related_name="rehearsals")
    created_at = models.DateTimeField(auto_now_add=True)
    # The same on every installation; where it goes on, if it moved away from here: then it can only be read.
    uid = models.UUIDField(default=uuid.uuid4, db_default=RandomUUID(), unique=True, editable=False)
    moved_to = models.CharField(max_length=200, blank=True, default="", db_default="")
    moved_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["-starts_on", "slug"]
        constraints = [
            models.CheckConstraint(condition=Q(ends_on__gte=models.F("starts_on")), name="tournament_ends_after_start"),
        ]

    def __str__(self) -> str:
        return self.title_text

    def in_words(self, text: dict[str, str]) -> str:
        """Return user text in the active language, falling back to the event's own."""
        return in_language(text or {}, (get_language() or self.language)[:2], self.language)

    @property
    def title_text(self) -> str:
        return self.in_words(self.title)

    @property
    def venue_text(self) -> str:
        return self.in_words(self.venue)

    @property
    def address_text(self) -> str:
        return self.in_words(self.address)

    @property
    def zone(self) -> ZoneInfo:
        return ZoneInfo(self.time_zone)

    @property
    def is_rehearsal(self) -> bool:
        return self.rehearsal_of_id is not None


class StaffRole(models.Model):
    """What a user may do in one event."""

    class Role(models.TextChoices):
        ORGANIZER = "organizer", _("organizer")
        CHIEF_ARBITER = "chief_arbiter", _("chief arbiter")
        ARBITER = "arbiter", _("arbiter")
        DESK = "desk", _("registration desk")
        TREASURER = "treasurer", _("treasurer")

    tournament = models.ForeignKey(Tournament, on_delete=models.CASCADE, related_name="staff")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="staff_roles")
    role = models.CharField(max_length=16, choices=Role.choices)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["tournament", "user", "role"], name="staff_role_once")]

    def __str__(self) -> str:
        return f"{self.user} – {self.get_role_display()}"


class Regulation(models.Model):
    """A published version of an event's rules. Append-only: a change is the next number, with a reason (K1.4)."""

    tournament = models.ForeignKey(Tournament, on_delete=models.CASCADE, related_name="regulations")
    number = models.PositiveSmallIntegerField()
    spec = models.JSONField()
    author = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+")
    reason = models.TextField(blank=True)
    published_at = models.DateTimeField()

    class Meta:
        ordering = ["tournament", "-number"]
        constraints = [models.UniqueConstraint(fields=["tournament", "number"], name="regulation_number_once")]

    def __str__(self) -> str:
        return f"{self.tournament} № {self.number}"


class RegulationDraft(models.Model):
    """The organizer's working copy; publishing turns it into the next `Regulation`."""

    tournament = models.OneToOneField(Tournament, on_delete=models.CASCADE, related_name="regulation_draft")
    spec = models.JSONField()
    based_on = models.ForeignKey(Regulation, null=True, on_delete=models.SET_NULL, related_name="+")
    author = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+")
    changed_at = models.DateTimeField(auto_now=True)

    def __str__(self) -> str:
        return f"{self.tournament} (draft)"
