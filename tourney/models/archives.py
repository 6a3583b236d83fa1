"""Archives of events that a worker has written, kept for a while so that they can be fetched."""

from __future__ import annotations

from django.conf import settings
from django.db import models

from tourney.models.job import Job
from tourney.models.tournament import Tournament


class ArchiveFile(models.Model):
    """An archive that was asked for. Its pieces are there once it is whole; the clock throws it away."""

    tournament = models.ForeignKey(Tournament, on_delete=models.CASCADE, related_name="archive_files")
    job = models.ForeignKey(Job, null=True, on_delete=models.SET_NULL, related_name="+")
    size = models.PositiveBigIntegerField(default=0)  # bytes written so far
    as_at = models.DateTimeField(null=True)  # the moment of the event that is in it
    by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+")
    at = models.DateTimeField()
    finished_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ["-pk"]

    def __str__(self) -> str:
        return f"{self.tournament_id} {self.size}"


class ArchivePiece(models.Model):
    """A megabyte of an archive. It is open, as the event's own rows beside it are: a passphrase closes what leaves."""

    file = models.ForeignKey(ArchiveFile, on_delete=models.CASCADE, related_name="pieces")
    number = models.PositiveIntegerField()  # from 0
    content = models.BinaryField()

    class Meta:
        ordering = ["number"]
        constraints = [models.UniqueConstraint(fields=["file", "number"], name="archive_piece_once")]

    def __str__(self) -> str:
        return f"{self.file_id}/{self.number}"
