"""Counts of tries, for `tourney.sign_in.knocks` where there is no Redis; and invitations to work at an event."""

from __future__ import annotations

from django.conf import settings
from django.db import models

from tourney.models import StaffRole, Tournament


class Knock(models.Model):
    """How often something was tried since the count began. `key` is a digest: no name and no address is kept."""

    key = models.CharField(max_length=64, primary_key=True)
    count = models.PositiveIntegerField()
    ends_at = models.DateTimeField(db_index=True)

    def __str__(self) -> str:
        return f"{self.key[:8]} {self.count}"


class Invitation(models.Model):
    """A link by which a person takes a role in an event: once, for some days, until it is taken back."""

    tournament = models.ForeignKey(Tournament, on_delete=models.CASCADE, related_name="invitations")
    role = models.CharField(max_length=16, choices=StaffRole.Role.choices)
    label = models.CharField(max_length=80)  # for whom, in the organizer's words
    token_hash = models.CharField(max_length=64, unique=True)  # SHA-256; the token itself is in the link only
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+")
    created_at = models.DateTimeField()
    ends_at = models.DateTimeField()
    taken_by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+")
    taken_at = models.DateTimeField(null=True, blank=True)
    revoked_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["-id"]

    def __str__(self) -> str:
        return self.label
