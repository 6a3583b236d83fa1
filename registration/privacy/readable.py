"""Everything known about one entrant, in words: the same as `registration.privacy.export`, for people to read."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, pgettext

from registration.fields import RATING_WORDS
from registration.models import Application, Claim, LedgerLine, Letter, ReserveOffer
from registration.notices import SUBJECTS
from registration.privacy.models import ConsentRecord, Document
from registration.staff_forms import claim_words
from registration.words import FIELD_WORDS, METHODS, STATES, history, line_words
from tourney.formatting import money_text
from tourney.kernel.money import Money
from tourney.models import Entry

_ANSWERS: dict[str, Any] = {
    "coach": FIELD_WORDS["coach"],
    "lives_in_region": gettext_lazy("lives in the region"),
    "registered_in_region": gettext_lazy("is registered there (official address)"),
}
_HOW: dict[str, Any] = {
    ConsentRecord.How.WEB: gettext_lazy("on the form"),
    ConsentRecord.How.DESK: gettext_lazy("at the desk"),
    ConsentRecord.How.LINK: gettext_lazy("on the personal page"),
}


@dataclass(frozen=True, slots=True)
class Part:
    """A heading with facts ({label, value, note}) or with things that happened ({at, what, why}) under it."""

    title: str
    rows: list[dict[str, Any]] = field(default_factory=list)
    log: list[dict[str, Any]] = field(default_factory=list)


def in_words(entry: Entry) -> list[Part]:
    """Return all there is, heading by heading; nobody of the staff is named. Headings without anything are left out."""
    form = Application.objects.filter(entry=entry).first()
    parts = [
        Part(_("Player"), rows=_player(entry)),
        Part(_("Entry"), rows=_entry(entry, form)),
        Part(_("Contacts"), rows=_contacts(form) if form else []),
        Part(_("Consents"), log=_consents(entry)),
        Part(_("Grounds and papers"), rows=_grounds(entry)),
        Part(_("Payments"), log=_payments(entry)),
        Part(_("Letters"), log=_letters(entry)),
        Part(_("Offered places"), log=_offers(entry)),
        Part(_("What happened"), log=[{**one, "who": ""} for one in history(entry, entry.events.order_by("pk"))]),
    ]
    return [part for part in parts if part.log or any(row["value"] not in (None, "") for row in part.rows)]


def _fact(label: Any, value: Any, note: Any = "") -> dict[str, Any]:
    return {"label": str(label)[:1].upper() + str(label)[1:], "value": value, "note": note}


def _yes(value: bool) -> str:
    return _("yes") if value else _("no")


def _player(entry: Entry) -> list[dict[str, Any]]:
    player = entry.player
    names = ("surname", "given_name", "patronymic", "latin_name", "title", "club", "city", "district", "federation")
    born = f"{player.birth_date:%d.%m.%Y}" if player.birth_date else player.birth_year
    return [
        *(_fact(FIELD_WORDS.get(name, name), getattr(player, name)) for name in names[:4]),
        _fact(_("Born"), born),
        _fact(_("Sex"), player.get_sex_display() if player.sex else ""),
        *(_fact(FIELD_WORDS[name], getattr(player, name)) for name in (*names[4:], "fide_id", "national_id")),
        _fact(_("Class"), player.level if player.level != entry.level else ""),
    ]


def _entry(entry: Entry, form: Application | None) -> list[dict[str, Any]]:
    answers = form.answers if form else {}
    ratings = [f"{RATING_WORDS.get(kind, kind)}: {value}" for kind, value in (entry.ratings or {}).items() if value]
    return [
        _fact(_("Event"), entry.tournament.title_text),
        _fact(_("Group"), entry.section.title_text),
        _fact(_("State"), STATES[entry.state][1] if entry.state in STATES else entry.state),
        _fact(_("Entered"), _moment(entry, entry.registered_at)),
        _fact(_("Start number"), entry.start_number),
        _fact(_("Seat"), entry.seat),
        _fact(_("Class"), entry.level),
        _fact(_("Ratings"), ", ".join(ratings)),
        _fact(pgettext("present", "Here"), _yes(entry.present)),
        _fact(_("Name on public pages"), _yes(entry.public_name)),
        *(
            _fact(_ANSWERS.get(code, code), _yes(value) if isinstance(value, bool) else value)
            for code, value in answers.items()
        ),
    ]


def _contacts(form: Application) -> list[dict[str, Any]]:
    names = ("email", "phone", "guardian_name", "guardian_relation", "note", "language")
    return [
        *(_fact(FIELD_WORDS[name], getattr(form, name)) for name in names),
        _fact(_("Payment reference"), form.reference),
        _fact(_("Family"), _("joined with a brother or sister") if form.family_key else ""),
    ]


def _consents(entry: Entry) -> list[dict[str, Any]]:
    given, withheld = pgettext("consent", "given"), pgettext("consent", "not given")
    return [
        {
            "at": one.at,
            "what": f"{given if one.given else withheld}: {one.words}",
            "who": " · ".join(filter(None, [str(_HOW.get(one.how, one.how)), one.address or ""])),
        }
        for one in ConsentRecord.objects.filter(entry=entry)
    ]


def _grounds(entry: Entry) -> list[dict[str, Any]]:
    words = claim_words(entry.tournament)
    photographs = Document.objects.filter(claim__entry=entry).values_list("claim", flat=True)
    counted = list(photographs)
    return [
        _fact(
            words.get(one.code, one.code),
            one.get_state_display(),
            " · ".join(
                filter(
                    None,
                    [
                        one.evidence,
                        _("photographs: %(n)s") % {"n": counted.count(one.pk)} if one.pk in counted else "",
                    ],
                )
            ),
        )
        for one in Claim.objects.filter(entry=entry).order_by("pk")
    ]


def _payments(entry: Entry) -> list[dict[str, Any]]:
    clause = _("clause")
    return [
        {
            "at": one.paid_at,
            "what": f"{line_words(one)}: {money_text(Money(one.minor, one.currency))}",
            "who": " · ".join(
                filter(
                    None,
                    [
                        str(METHODS.get(one.channel, one.get_channel_display())),
                        f"№ {one.receipt_number}" if one.receipt_number else "",
                        f"{clause} {one.clause}" if one.clause else "",
                    ],
                )
            ),
        }
        for one in LedgerLine.objects.filter(entry=entry).order_by("pk")
    ]


def _letters(entry: Entry) -> list[dict[str, Any]]:
    return [
        {
            "at": one.sent_at or one.asked_at,
            "what": str(SUBJECTS.get(one.kind, one.kind)).replace(": %(event)s", ""),
            "who": str(one.get_state_display()),
        }
        for one in Letter.objects.filter(entry=entry).order_by("pk")
    ]


def _offers(entry: Entry) -> list[dict[str, Any]]:
    return [
        {"at": one.offered_at, "what": str(one.get_answer_display())}
        for one in ReserveOffer.objects.filter(entry=entry).order_by("pk")
    ]


def _moment(entry: Entry, at: Any) -> str:
    return f"{at.astimezone(entry.tournament.zone):%d.%m.%Y %H:%M}"
