"""Everything the program knows about one entrant, as he may ask for it: plain values under plain names."""

from __future__ import annotations

from typing import Any

from registration.models import Application, Claim, LedgerLine, Letter, PairingSubscription, ReserveOffer
from registration.privacy.models import ConsentRecord, Document
from tourney.models import Entry, EntryEvent

_PLAYER = ("surname", "given_name", "patronymic", "latin_name", "sex", "birth_date", "birth_year", "title", "level")
_PLAYER += ("club", "city", "district", "federation", "fide_id", "national_id")
_FORM = ("email", "phone", "guardian_name", "guardian_relation", "note", "answers", "language", "online", "onsite_at")
_FORM += ("reference", "consented_at")


def everything_about(entry: Entry) -> dict[str, Any]:
    """Return all there is, ready for JSON (moments and days in ISO 8601). Names of staff are left out."""
    form = Application.objects.filter(entry=entry).first()
    return {
        "event": entry.tournament.title_text,
        "group": entry.section.title_text,
        "player": _values(entry.player, _PLAYER),
        "entry": _values(entry, ("state", "start_number", "seat", "ratings", "level", "registered_at", "present"))
        | {"name_is_public": entry.public_name},
        "form": _values(form, _FORM) if form else {},
        "consents": [
            _values(one, ("code", "given", "words", "how", "address", "at"))
            for one in ConsentRecord.objects.filter(entry=entry)
        ],
        "grounds": [
            _values(one, ("code", "state", "evidence", "decided_at")) for one in Claim.objects.filter(entry=entry)
        ],
        "photographs": [
            _values(one, ("kind", "size", "at")) for one in Document.objects.filter(claim__entry=entry).defer("content")
        ],
        "offers": [
            _values(one, ("offered_at", "expires_at", "answer", "answered_at"))
            for one in ReserveOffer.objects.filter(entry=entry)
        ],
        "money": [
            _values(one, ("kind", "channel", "minor", "currency", "clause", "paid_at", "receipt_number"))
            for one in LedgerLine.objects.filter(entry=entry)
        ],
        "letters": [
            _values(one, ("kind", "state", "asked_at", "sent_at")) for one in Letter.objects.filter(entry=entry)
        ],
        "letters_about_pairings": [
            _values(one, ("started_at", "stopped_at", "language"))
            | {"sent_at": [at.isoformat() for at in one.notices.filter(state="sent").values_list("sent_at", flat=True)]}
            for one in PairingSubscription.objects.filter(entry=entry, channel=PairingSubscription.Channel.EMAIL)
        ],
        "history": [
            _values(one, ("kind", "state", "at", "reason", "data")) for one in EntryEvent.objects.filter(entry=entry)
        ],
    }


def _values(row: Any, names: tuple[str, ...]) -> dict[str, Any]:
    found = {name: getattr(row, name) for name in names}
    return {name: value.isoformat() if hasattr(value, "isoformat") else value for name, value in found.items()}
