"""Entering people: the form from the web, the desk's late entries, the organizer's word, changes, presence."""

from __future__ import annotations

import secrets
import uuid
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.conf import settings
from django.db import transaction
from django.utils import timezone

from registration.engine import capacity, reference
from registration.engine.capacity import Standing
from registration.engine.eligibility import COMMITTEE, Decision, Verdict
from registration.engine.rules import RegistrationRules
from registration.links import hash_of, token_of
from registration.models import Application, Claim
from registration.privacy import consents
from registration.privacy.models import ConsentRecord
from registration.regulations import rating_by_rule, regulation_in_force, section_rules
from registration.rooms import Floor, open_floor, write
from registration.services.applicants import Applicant, applicant_of, find_same_person, judge
from registration.services.places import Teller, lock_entry, settle
from tourney.kernel.errors import TourneyError
from tourney.models import Entry, Player, Section, Tournament
from tourney.services.entries import record_entry_event
from tourney.services.log import log

State = Entry.State
CONSENTS = ("regulation", "processing", "publication", "media")


@dataclass(frozen=True, slots=True)
class Registered:
    """What came of a form. `token` opens the personal page; `created` is False for a form sent twice."""

    entry: Entry
    application: Application
    token: str
    created: bool
    verdict: Verdict | None = None


@transaction.atomic
def register_entry(
    section: Section,
    applicant: Applicant,
    *,
    operation: uuid.UUID | None = None,
    online: bool = True,
    actor: Any = None,
    reason: str = "",
    now: datetime | None = None,
    base_url: str = "",
    notify: bool = True,
    check_open: bool = True,
) -> Registered:
    """Enter a person: with a place, on the reserve list, waiting for the deposit or for the organizer's word.

    `online` False: taken at the desk (K4.1: refused when the regulation wants registration beforehand and its time is
    over). `operation` makes a form that is sent twice count once. `check_open` False lets the demo and imports enter
    people whatever the clock says. Raises TourneyError ``entry.not_open``, ``entry.closed``,
    ``entry.required_beforehand``, ``entry.section_closed``, ``entry.list_closed``, ``entry.refused.<reason>``,
    ``entry.known_already``.
    """
    moment = now or timezone.now()
    floor = open_floor(section.pk)
    if operation is not None and (again := _sent_before(operation)) is not None:
        return again
    tournament = floor.section.tournament
    if check_open:
        check_is_open(floor.section, floor.rules, moment, online=online)
    if known := find_same_person(tournament, applicant):
        raise TourneyError("entry.known_already", entry=known.pk)
    verdict = judge(floor.section, floor.rules, applicant, tournament)
    if verdict.decision is Decision.REFUSE:
        raise TourneyError(f"entry.refused.{verdict.reason}", **_refusal_values(floor, verdict))
    entry, application = _write_down(floor, applicant, operation=operation, online=online, now=moment, by=actor)
    floor.entries[str(entry.pk)] = entry
    by = actor
    if verdict.decision is Decision.NEEDS_DECISION:
        record_entry_event(
            entry, "registered", state=State.APPLIED, by=by, reason=reason, at=moment, why=verdict.reason
        )
    else:
        _take_in(floor, entry, moment, kind="registered", by=by, reason=reason)
    Teller(base_url, notify=notify)(entry, "registered")
    log(
        tournament,
        "entry.registered",
        actor=actor,
        label="" if getattr(actor, "is_authenticated", False) else "entrant",
        reason=reason,
        entry=entry.pk,
        name=entry.name,
        section=floor.section.code,
        online=online,
    )
    return Registered(entry, application, token_of(entry.pk, application.link_version), True, verdict)


def check_is_open(section: Section, rules: RegistrationRules, now: datetime, *, online: bool) -> None:
    """Refuse an entry out of time; the online form is stricter than the desk.

    Raises TourneyError ``entry.not_open``, ``entry.closed``, ``entry.required_beforehand``, ``entry.list_closed``.
    """
    tournament = section.tournament
    over = rules.entry.closes_at is not None and not rules.entry.closes_at.allows(now)
    if tournament.state in (Tournament.State.FINISHED, Tournament.State.CANCELLED):
        raise TourneyError("entry.closed")
    if not online:
        if over and rules.entry.required_beforehand:
            raise TourneyError("entry.required_beforehand")
        return
    if tournament.state == Tournament.State.DRAFT:
        raise TourneyError("entry.not_open")
    if tournament.state != Tournament.State.REGISTRATION or over:
        raise TourneyError("entry.closed")
    if rules.entry.opens_at is not None and rules.entry.opens_at.allows(now):
        raise TourneyError("entry.not_open")
    if section.entries_closed_at is not None:
        raise TourneyError("entry.list_closed", section=section.title_text)


@transaction.atomic
def decide_application(
    entry: Entry, *, accept: bool, reason: str, actor: Any, now: datetime | None = None, base_url: str = ""
) -> Entry:
    """The organizer's word on an entry that waits for it (K3.2, M7.8): let in, or refused; always with a reason.

    Raises TourneyError ``entry.not_waiting``, ``entry.reason_needed``.
    """
    if not reason.strip():
        raise TourneyError("entry.reason_needed")
    moment = now or timezone.now()
    floor, found = lock_entry(entry)
    if found.state != State.APPLIED:
        raise TourneyError("entry.not_waiting")
    tell = Teller(base_url)
    if accept:
        Claim.objects.update_or_create(
            entry=found,
            code=COMMITTEE,
            defaults={"state": Claim.State.VERIFIED, "decided_by": _user(actor), "decided_at": moment},
        )
        tell(found, "admitted")
        _take_in(floor, found, moment, kind="admitted", by=actor, reason=reason)
    else:
        record_entry_event(found, "rejected", state=State.REJECTED, by=actor, reason=reason, at=moment)
        tell(found, "rejected")
    action = "entry.admitted" if accept else "entry.rejected"
    log(floor.section.tournament, action, actor=actor, reason=reason, entry=found.pk, name=found.name)
    return found


def admit_if_proven(floor: Floor, entry: Entry, application: Application | None, *, now: datetime, by: Any) -> bool:
    """Let in an entry that waited for a right which has now been checked; False when it still waits."""
    if entry.state != State.APPLIED or application is None:
        return False
    proven = entry.claims.filter(state=Claim.State.VERIFIED).values_list("code", flat=True)
    applicant = applicant_of(entry, application)
    if not judge(floor.section, floor.rules, applicant, floor.section.tournament, proven).is_accepted:
        return False
    _take_in(floor, entry, now, kind="admitted", by=by, reason="")
    return True


def application_of(entry: Entry) -> Application:
    """Return an entry's application, making an empty one for an entry that came without a form (copied, imported)."""
    found = Application.objects.filter(entry=entry).first()
    if found is None:
        found = Application.objects.create(
            entry=entry,
            language=entry.tournament.language,
            link_hash=hash_of(token_of(entry.pk)),
            reference=_free_reference(entry.tournament),
        )
    return found


# Columns of the person and of the form that an edit may change, and who asks for them.
PLAYER_FIELDS = [
    "surname",
    "given_name",
    "patronymic",
    "latin_name",
    "sex",
    "birth_date",
    "birth_year",
    "title",
    "club",
    "city",
    "district",
    "federation",
    "fide_id",
    "national_id",
]
APPLICATION_FIELDS = ["email", "phone", "guardian_name", "guardian_relation", "note", "language"]


# -- inside ----------------------------------------------------------------------------------------------------------


def _sent_before(operation: uuid.UUID) -> Registered | None:
    application = (
        Application.objects.select_related("entry__player", "entry__section", "entry__tournament")
        .filter(operation=operation)
        .first()
    )
    if application is None:
        return None
    token = token_of(application.entry_id, application.link_version)
    return Registered(application.entry, application, token, False)


def _write_down(
    floor: Floor, applicant: Applicant, *, operation: uuid.UUID | None, online: bool, now: datetime, by: Any
) -> tuple[Entry, Application]:
    tournament = floor.section.tournament
    player = Player.objects.create(
        birth_year=applicant.year,
        level=applicant.level,
        **{
            name: getattr(applicant, name)
            for name in PLAYER_FIELDS
            if name != "birth_year" and hasattr(applicant, name)
        },
    )
    ratings = {key: int(value) for key, value in applicant.ratings.items() if value}
    regulation = regulation_in_force(tournament)
    entry = Entry.objects.create(
        tournament=tournament,
        section=floor.section,
        player=player,
        level=applicant.level,
        ratings=ratings,
        rating=rating_by_rule(tournament, ratings),
        registered_at=now,
        public_name=applicant.consent_publication or "publication" not in floor.rules.entry.consents,
    )
    languages = {code for code, _name in settings.LANGUAGES}
    application = Application.objects.create(
        entry=entry,
        answers={
            key: value
            for key, value in {
                "coach": applicant.coach,
                "lives_in_region": applicant.lives_in_region,
                "registered_in_region": applicant.registered_in_region,
            }.items()
            if value
        },
        language=applicant.language if applicant.language in languages else tournament.language,
        online=online,
        consent_regulation=regulation,
        consent_processing=applicant.consent_processing,
        consent_publication=applicant.consent_publication,
        consent_media=applicant.consent_media,
        consented_at=now,
        reference=_free_reference(tournament),
        link_hash=hash_of(token_of(entry.pk)),
        operation=operation,
        family_key=applicant.family_key,
        **{name: getattr(applicant, name) for name in APPLICATION_FIELDS if name != "language"},
    )
    asked = {*floor.rules.entry.consents, *(["media"] if applicant.consent_media else [])}
    said = {code: bool(getattr(applicant, f"consent_{code}", True)) for code in CONSENTS if code in asked}
    consents.record(
        entry,
        said,
        regulation=regulation,
        language=application.language,
        how=ConsentRecord.How.WEB if online else ConsentRecord.How.DESK,
        at=now,
        address=applicant.address if online else "",
        by=by,
    )
    known = {*floor.rules.fees.claims, *floor.rules.entry.grounds} - {COMMITTEE}
    wanted = dict.fromkeys(code for code in (*applicant.claims, *applicant.grounds) if code in known)
    Claim.objects.bulk_create(Claim(entry=entry, code=code) for code in wanted)
    return entry, application


def _take_in(floor: Floor, entry: Entry, now: datetime, *, kind: str, by: Any, reason: str) -> None:
    """Bring somebody into the room: a place, a turn on the reserve list, or the wait for the deposit."""
    name = str(entry.pk)
    room = capacity.register(floor.room, name, now)
    if room.find(name) is None:  # cannot be: the engine takes everybody in
        room = room.put(name, Standing.RESERVE)
    write(floor, room, now=now, by=by, reason=reason, kinds={name: kind})
    settle(floor, entry, now=now, by=by, tell=Teller(notify=False))


def _refusal_values(floor: Floor, verdict: Verdict) -> dict[str, Any]:
    who = section_rules(floor.rules, floor.section).who
    return {
        "section": floor.section.title_text,
        "clause": verdict.clause,
        "born_from": who.born_from or "",
        "born_to": who.born_to or "",
        "lowest": who.rating_at_least or "",
        "highest": who.rating_at_most or "",
        "region": floor.section.tournament.in_words(dict(who.region)),
    }


def _free_reference(tournament: Tournament) -> str:
    """Return a payment reference nobody in the event has; drawn at random, so that it tells nothing."""
    while True:
        candidate = reference.compose(secrets.randbelow(reference.SPACE))
        if not Application.objects.filter(entry__tournament=tournament, reference=candidate).exists():
            return candidate


def _user(actor: Any) -> Any:
    return actor if getattr(actor, "is_authenticated", False) else None
