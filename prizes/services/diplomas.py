"""Diplomas: the design an event keeps, one page at once, and all of them as work for the queue."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.db import transaction
from django.utils import timezone

from prizes.diploma_pdf import draw_diplomas
from prizes.diploma_words import check_words, diplomas_of, sheet_of
from prizes.models import DiplomaDesign, DiplomaFile
from prizes.pictures import MOST_BYTES, background
from prizes.selectors.awards import AwardStatus, awards_of
from tourney import queue
from tourney.kernel.errors import TourneyError
from tourney.models import Section, Tournament
from tourney.services.log import log

TASK = "prizes.make_diplomas"
KEPT = 5  # files of an event; older ones go when a new one is asked for
TELL_EVERY = 10  # pages
MOST_READ = MOST_BYTES + 1  # of an upload: one byte more says that it is too large
PICTURE_CODES = ("diploma.not_a_picture", "diploma.broken", "diploma.picture_too_large")
WORDS = ("heading", "intro", "body", "closing", "left_signer", "right_signer")


def design_of(tournament: Tournament) -> DiplomaDesign:
    """Return an event's design; one with the usual words where none was saved."""
    return DiplomaDesign.objects.filter(tournament=tournament).first() or DiplomaDesign(tournament=tournament)


@transaction.atomic
def save_design(
    tournament: Tournament,
    *,
    words: Mapping[str, str],
    shape: str,
    actor: Any,
    picture: bytes | None = None,
    picture_name: str = "",
    drop_picture: bool = False,
) -> DiplomaDesign:
    """Save words and picture. Raises TourneyError ``diploma.unknown_blank`` and those of `prizes.pictures`."""
    for text in words.values():
        check_words(text)
    made = background(picture) if picture is not None else None
    design = design_of(tournament)
    for name in WORDS:
        setattr(design, name, words.get(name, "").strip())
    design.shape = shape
    if made is not None:
        design.picture, design.picture_name = made, picture_name[:120]
    elif drop_picture:
        design.picture, design.picture_name = None, ""
    design.save()
    log(tournament, "prizes.diploma_design", actor=actor)
    return design


def with_diploma(tournament: Tournament, section: Section | None = None) -> list[AwardStatus]:
    """Return the awards that come with a diploma, in the order of the list."""
    return [one for one in awards_of(tournament, section).statuses if "diploma" in one.award.things]


def one_diploma(tournament: Tournament, award_id: int) -> tuple[bytes, AwardStatus]:
    """Return the PDF of one player's diploma. Raises TourneyError ``award.gone``."""
    status = next((one for one in awards_of(tournament).statuses if one.award.pk == award_id), None)
    if status is None:
        raise TourneyError("award.gone")
    design = design_of(tournament)
    return draw_diplomas(sheet_of(tournament, design), diplomas_of(tournament, design, [status])), status


@transaction.atomic
def request_diplomas(tournament: Tournament, section: Section | None, *, actor: Any) -> DiplomaFile:
    """Ask a worker for the diplomas of an event or a group. Raises TourneyError ``diploma.nobody``."""
    pages = len(with_diploma(tournament, section))
    if not pages:
        raise TourneyError("diploma.nobody")
    old = DiplomaFile.objects.filter(tournament=tournament).order_by("-id").values_list("pk", flat=True)[KEPT - 1 :]
    DiplomaFile.objects.filter(pk__in=list(old)).delete()
    made = DiplomaFile.objects.create(
        tournament=tournament,
        section=section,
        pages=pages,
        by=actor if getattr(actor, "is_authenticated", False) else None,
        at=timezone.now(),
    )
    made.job = queue.enqueue(TASK, made.pk)
    made.save(update_fields=["job"])
    log(tournament, "prizes.diplomas_asked", actor=actor, pages=pages)
    return made


def make_diplomas(file_id: int) -> None:
    """Make one file. Repeatable: a second run writes the same bytes again."""
    made = DiplomaFile.objects.select_related("tournament", "section").filter(pk=file_id).first()
    if made is None:
        return
    tournament = made.tournament
    if made.section is not None:
        made.section.tournament = tournament
    design = design_of(tournament)
    diplomas = diplomas_of(tournament, design, with_diploma(tournament, made.section))
    queue.report_progress(0, len(diplomas))

    def told(done: int) -> None:
        if done % TELL_EVERY == 0:
            queue.report_progress(done, len(diplomas))

    content = draw_diplomas(sheet_of(tournament, design), diplomas, told)
    DiplomaFile.objects.filter(pk=file_id).update(content=content, pages=len(diplomas), finished_at=timezone.now())
