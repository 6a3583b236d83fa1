"""Photographed papers of claims: taken in from the personal page, seen by the desk, thrown away after the event."""

from __future__ import annotations

from django.db import transaction
from django.utils import timezone

from registration.models import Claim
from registration.privacy.models import Document
from registration.privacy.pictures import MOST_BYTES, read_picture
from registration.services.places import lock_entry
from tourney.kernel.errors import TourneyError
from tourney.models import Entry
from tourney.services.entries import record_entry_event
from tourney.services.log import refuse_if_moved

MOST_OF_A_CLAIM = 4

__all__ = ["MOST_BYTES", "MOST_OF_A_CLAIM", "add_paper", "remove_paper"]


@transaction.atomic
def add_paper(entry: Entry, code: str, content: bytes) -> Document:
    """Keep a photograph for a claim of an entry.

    Raises TourneyError ``claim.unknown``, ``claim.decided``, ``picture.too_many`` and what `read_picture` says.
    """
    picture = read_picture(content)
    floor, _found = lock_entry(entry)
    refuse_if_moved(floor.section.tournament)
    claim = Claim.objects.filter(entry=entry, code=code).first()
    if claim is None:
        raise TourneyError("claim.unknown")
    if claim.state != Claim.State.CLAIMED:
        raise TourneyError("claim.decided")
    if claim.documents.count() >= MOST_OF_A_CLAIM:
        raise TourneyError("picture.too_many", most=MOST_OF_A_CLAIM)
    made = Document.objects.create(
        claim=claim,
        kind=picture.kind,
        content=picture.content,
        size=len(picture.content),
        width=picture.width,
        height=picture.height,
        at=timezone.now(),
    )
    record_entry_event(entry, "paper_sent")
    return made


@transaction.atomic
def remove_paper(entry: Entry, pk: int) -> None:
    """Throw a photograph away that the entrant has sent by mistake. TourneyError ``claim.unknown``."""
    if not Document.objects.filter(claim__entry=entry, pk=pk).delete()[0]:
        raise TourneyError("claim.unknown")
    record_entry_event(entry, "paper_removed")
