"""Players, and their entries in sections."""

from __future__ import annotations

from dataclasses import dataclass

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from tourney.models.sections import Section
from tourney.models.tournament import Tournament


class Player(models.Model):
    """A person who plays. Public pages show name, club, ratings and the birth *year*; the rest is private."""

    class Sex(models.TextChoices):
        MALE = "M", _("male")
        FEMALE = "F", _("female")

    surname = models.CharField(max_length=80)
    given_name = models.CharField(max_length=80, blank=True)
    patronymic = models.CharField(max_length=80, blank=True)  # private: never on public pages
    latin_name = models.CharField(max_length=120, blank=True)
    sex = models.CharField(max_length=1, choices=Sex.choices, blank=True)
    birth_date = models.DateField(null=True, blank=True)  # private
    birth_year = models.PositiveSmallIntegerField(null=True, blank=True)
    title = models.CharField(max_length=4, blank=True)  # GM, IM …
    level = models.CharField(max_length=8, blank=True)  # national class: KMS, 1, 2, 3, 1y …
    club = models.CharField(max_length=80, blank=True)
    city = models.CharField(max_length=80, blank=True)
    district = models.CharField(max_length=80, blank=True)
    federation = models.CharField(max_length=3, blank=True)
    fide_id = models.CharField(max_length=12, blank=True)
    national_id = models.CharField(max_length=12, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        indexes = [models.Index(fields=["surname", "given_name"])]

    def __str__(self) -> str:
        return self.name

    @property
    def name(self) -> str:
        """Surname and given name as the public sees them."""
        return f"{self.surname} {self.given_name}".strip()

    @property
    def full_name(self) -> str:
        """Name with patronymic: for receipts and diplomas only."""
        return f"{self.surname} {self.given_name} {self.patronymic}".strip()


@dataclass(frozen=True, slots=True)
class PublicPerson:
    """The allow-list: everything public pages, files and feeds may say of a player besides name and results."""

    title: str = ""
    level: str = ""
    birth_year: int | None = None
    rating: int | None = None
    club: str = ""
    city: str = ""
    federation: str = ""
    fide_id: str = ""
    national_id: str = ""

    @property
    def from_where(self) -> str:
        return self.club or self.city


class Entry(models.Model):
    """A player in a section. `state` is a projection of the entry's events."""

    class State(models.TextChoices):
        APPLIED = "applied", _("waits for the organizer's word")
        AWAITING_DEPOSIT = "awaiting_deposit", _("waits for the deposit")
        CONFIRMED = "confirmed", _("confirmed")
        RESERVE = "reserve", _("reserve list")
        OFFERED = "offered", _("place offered")
        WITHDRAWN = "withdrawn", _("withdrawn")
        NO_SHOW = "no_show", _("did not come")
        REJECTED = "rejected", _("rejected")
        EXPIRED = "expired", _("expired")
        DISQUALIFIED = "disqualified", _("disqualified")

    # Who is in the start list; the others are on the way in or out.
    IN_PLAY = (State.CONFIRMED,)

    tournament = models.ForeignKey(Tournament, on_delete=models.CASCADE, related_name="entries")
    section = models.ForeignKey(Section, on_delete=models.PROTECT, related_name="entries")
    player = models.ForeignKey(Player, on_delete=models.PROTECT, related_name="entries")
    state = models.CharField(max_length=18, choices=State.choices, default=State.APPLIED)
    seat = models.PositiveSmallIntegerField(null=True, blank=True)  # 1..capacity, unique: the last place goes once
    start_number = models.PositiveSmallIntegerField(null=True, blank=True)
    ratings = models.JSONField(default=dict, blank=True)  # {"national": 1650, "fide_blitz": 1712}; frozen at close
    rating = models.PositiveSmallIntegerField(null=True, blank=True)  # the one the regulation pairs by
    level = models.CharField(max_length=8, blank=True)  # class at the time of entry
    registered_at = models.DateTimeField()
    present = models.BooleanField(default=False)  # roll-call on the day
    joined_round = models.PositiveSmallIntegerField(default=1)  # late entries: first round they can be paired in
    left_after_round = models.PositiveSmallIntegerField(null=True, blank=True)
    public_name = models.BooleanField(default=True)  # consent to publish; without it pages say "Player 17"

    class Meta:
        ordering = ["section", "start_number", "registered_at"]
        verbose_name_plural = "entries"
        constraints = [
            models.UniqueConstraint(fields=["section", "player"], name="entry_player_once"),
            models.UniqueConstraint(
                fields=["section", "seat"], condition=Q(seat__isnull=False), name="entry_seat_once"
            ),
            models.UniqueConstraint(
                fields=["section", "start_number"], condition=Q(start_number__isnull=False), name="entry_number_once"
            ),
        ]
        indexes = [models.Index(fields=["tournament", "state"])]

    def __str__(self) -> str:
        return self.name

    @property
    def name(self) -> str:
        """The name public pages may show."""
        if self.public_name:
            return self.player.name
        return _("Player %(number)s") % {"number": self.start_number or self.pk}

    @property
    def shown(self) -> PublicPerson:
        """What the public may see besides `name`: of somebody without consent to publish, nothing."""
        if not self.public_name:
            return PublicPerson()
        player = self.player
        return PublicPerson(
            player.title,
            self.level,
            player.birth_year,
            self.rating,
            player.club,
            player.city,
            player.federation,
            player.fide_id,
            player.national_id,
        )

    @property
    def is_active(self) -> bool:
        return self.state in self.IN_PLAY


class EntryEvent(models.Model):
    """What happened to an entry. Append-only; `Entry.state` is rebuilt from the last event that changes it."""

    entry = models.ForeignKey(Entry, on_delete=models.CASCADE, related_name="events")
    kind = models.CharField(max_length=24)  # registered, confirmed, reserved, offered, withdrawn, arrived, edited …
    state = models.CharField(max_length=18, choices=Entry.State.choices, blank=True)  # the state it leads to, if any
    by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL, related_name="+")
    at = models.DateTimeField()
    reason = models.TextField(blank=True)
    data = models.JSONField(default=dict, blank=True)

    class Meta:
        ordering = ["entry", "id"]

    def __str__(self) -> str:
        return f"{self.entry_id} {self.kind}"
