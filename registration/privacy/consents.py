"""The consents: each with its own words, given or not, withdrawn or not, and a record of every such moment."""

from __future__ import annotations

import hashlib
from datetime import datetime
from typing import Any

from django.utils import translation
from django.utils.translation import gettext as _

from registration.privacy.models import ConsentRecord
from tourney.models import Entry, Regulation


def words_of(code: str, regulation: Regulation) -> str:
    """Return the words of a consent in the active language, as the form shows and the record keeps them."""
    return {
        "regulation": _("I have read the regulations, version %(number)s, and agree to them")
        % {"number": regulation.number},
        "processing": _("I agree to the processing of these data for this event"),
        "publication": _(
            "Name, year of birth, town, club, rating and results may be shown on the event's pages "
            "(without this a number is shown instead of the name)"
        ),
        "media": _("Photos and video of the player may be shown"),
    }[code]


def record(
    entry: Entry,
    given: dict[str, bool],
    *,
    regulation: Regulation,
    language: str,
    how: str,
    at: datetime,
    address: str = "",
    by: Any = None,
) -> None:
    """Write down what was agreed to and what not, in the words of the language it was shown in."""
    with translation.override(language):
        texts = {code: words_of(code, regulation) for code in given}
    ConsentRecord.objects.bulk_create(
        ConsentRecord(
            entry=entry,
            code=code,
            given=yes,
            words=texts[code],
            words_hash=hashlib.sha256(texts[code].encode()).hexdigest(),
            regulation=regulation,
            how=how,
            address=address or None,
            by=by if getattr(by, "is_authenticated", False) else None,
            at=at,
        )
        for code, yes in given.items()
    )
