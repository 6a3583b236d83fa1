"""Tables about privacy: what was agreed to and when, photographed documents, and who has been erased."""

from __future__ import annotations

from django.conf import settings
from django.db import models

from tourney.models import Entry, Regulation, Tournament


class ConsentRecord(models.Model):
    """One consent given or withdrawn, with the very words that were shown. Append-only: the newest of a code counts."""

    class How(models.TextChoices):
        WEB = "web"
        DESK = "desk"  # on paper or by telephone, as a member of the staff says
        LINK = "link"  # on the personal page

    entry = models.ForeignKey(Entry, on_delete=models.CASCADE, related_name="consents")
    code = models.CharField(max_length=16)  # regulation, processing, publication, media
    given = models.BooleanField()
    words = models.TextField()
    words_hash = models.CharField(max_length=64)  # SHA-256 of the words
    regulation = models.ForeignKey(Regulation, null=True, on_delete=models.PROTECT, related_name="+")
    how = models.CharField(max_length=4, choices=How.choices)
    address = models.GenericIPAddressField(null=True, blank=True)  # erased with the person
    by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+")
    at = models.DateTimeField()

    class Meta:
        ordering = ["entry", "id"]

    def __str__(self) -> str:
        return f"{self.entry_id} {self.code}"


class Document(models.Model):
    """A photograph of a paper that proves a claim. Seen by the desk only, thrown away after the event."""

    claim = models.ForeignKey("registration.Claim", on_delete=models.CASCADE, related_name="documents")
    kind = models.CharField(max_length=4)  # jpeg, png, webp
    content = models.BinaryField()
    size = models.PositiveIntegerField()
    width = models.PositiveIntegerField()
    height = models.PositiveIntegerField()
    at = models.DateTimeField()

    class Meta:
        ordering = ["claim", "id"]

    def __str__(self) -> str:
        return f"{self.claim_id} {self.kind}"


class Erasure(models.Model):
    """Whose data were erased: ids only, so that they can be erased again after a backup is restored."""

    tournament = models.ForeignKey(Tournament, on_delete=models.CASCADE, related_name="erasures")
    entry = models.OneToOneField(Entry, on_delete=models.CASCADE, related_name="erasure")
    asked_at = models.DateTimeField(null=True, blank=True)  # by the personal page
    done_at = models.DateTimeField(null=True, blank=True)
    by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+")

    def __str__(self) -> str:
        return f"{self.entry_id}"
