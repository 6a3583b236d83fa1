"""What diplomas say: the event's own words with blanks in braces, or the usual words in the event's language."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from django.utils import timezone, translation
from django.utils.translation import gettext as _

from prizes.diploma_pdf import Diploma, Sheet
from prizes.models import Award, DiplomaDesign
from prizes.selectors.awards import AwardStatus
from prizes.words import category_title, what_text, why_text
from tourney.formatting import days_text
from tourney.kernel.errors import TourneyError
from tourney.models import Tournament

BLANKS = ("name", "place", "group", "event", "days", "venue", "city", "award", "for")
_BLANK = re.compile(r"\{([^{}]*)\}")


def check_words(text: str) -> None:
    """Refuse a blank nobody knows. Raises TourneyError ``diploma.unknown_blank``."""
    for name in _BLANK.findall(text):
        if name not in BLANKS:
            raise TourneyError("diploma.unknown_blank", blank=name, known=", ".join(BLANKS))
    if "{" in _BLANK.sub("", text) or "}" in _BLANK.sub("", text):
        raise TourneyError("diploma.lone_brace")


def sheet_of(tournament: Tournament, design: DiplomaDesign) -> Sheet:
    with translation.override(tournament.language):
        word = _("Diplomas")
        title = f"{word} · {tournament.title_text}"
    return Sheet(
        design.shape == DiplomaDesign.Shape.LANDSCAPE,
        tournament.language,
        title,
        bytes(design.picture) if design.picture else None,
    )


def diplomas_of(tournament: Tournament, design: DiplomaDesign, statuses: Iterable[AwardStatus]) -> list[Diploma]:
    """Return the words of everybody's diploma, in the event's language."""
    with translation.override(tournament.language):
        return [_diploma(tournament, design, status.award) for status in statuses]


def _diploma(tournament: Tournament, design: DiplomaDesign, award: Award) -> Diploma:
    values = _values(tournament, award)
    body = design.body or usual_body(award)
    return Diploma(
        event=tournament.title_text,
        heading=_filled(design.heading or _("Diploma"), values),
        intro=_filled(design.intro or _("is awarded to"), values),
        name=values["name"],
        body=_filled(body, values),
        closing=_filled(design.closing or "{days} · {venue}", values).strip(" ·"),
        signers=(
            _filled(design.left_signer or tournament.in_words(tournament.organizer) or _("Organizer"), values),
            _filled(design.right_signer or _("Chief arbiter"), values),
        ),
    )


def usual_body(award: Award) -> str:
    """Return the line of a diploma that has no words of the event's own."""
    if award.source == Award.Source.LOTTERY:
        return "{for}"
    return _("for place {place} in the group “{group}”")


def _values(tournament: Tournament, award: Award) -> dict[str, str]:
    group = award.section.title_text
    code = award.subject.rpartition(":")[0]
    if award.source == Award.Source.CATEGORY and code:
        group = f"{group}, {category_title(award.section, code)}"
    player: Any = award.entry.player
    return {
        "name": player.full_name,
        "place": str(award.place or ""),
        "group": group,
        "event": tournament.title_text,
        "days": days_text(tournament.starts_on, tournament.ends_on or tournament.starts_on),
        "venue": tournament.venue_text,
        "city": player.city,
        "award": what_text(award),
        "for": why_text(award),
    }


def _filled(text: str, values: dict[str, str]) -> str:
    return " ".join(_BLANK.sub(lambda found: values.get(found[1], ""), text).split())


def today(tournament: Tournament) -> str:
    """Return the day for the name of a file."""
    return f"{timezone.localtime(timezone.now(), tournament.zone):%Y-%m-%d}"
