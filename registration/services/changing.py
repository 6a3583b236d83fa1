"""Changing an entry that is there: what it says about a person, its family, its link, and who is present."""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from django.db import transaction
from django.utils import timezone

from registration.links import hash_of, token_of
from registration.models import Application
from registration.privacy import consents
from registration.privacy.models import ConsentRecord
from registration.regulations import rating_by_rule, regulation_in_force
from registration.services.entering import APPLICATION_FIELDS, PLAYER_FIELDS, application_of
from registration.services.places import lock_entry
from tourney.kernel.errors import TourneyError
from tourney.models import Entry
from tourney.services.entries import record_entry_event
from tourney.services.log import log, refuse_if_moved
from tourney.services.stages import bump_all_of


@transaction.atomic
def revoke_link(entry: Entry, *, actor: Any) -> Application:
    """Make every link given out so far worthless and give the entry another one."""
    application_of(entry)
    application = Application.objects.select_for_update().get(entry=entry)
    application.link_version += 1
    application.link_hash = hash_of(token_of(entry.pk, application.link_version))
    application.former_links = []
    application.save(update_fields=["link_version", "link_hash", "former_links"])
    record_entry_event(entry, "link_revoked", by=actor)
    log(entry.tournament, "entry.link_revoked", actor=actor, entry=entry.pk, name=entry.name)
    return application


@transaction.atomic
def edit_entry(
    entry: Entry, changes: Mapping[str, Any], *, actor: Any = None, reason: str = "", by_entrant: bool = False
) -> list[str]:
    """Change what an entry says about a person; return which fields changed. Names of fields are kept, values are not.

    Keys: columns of the player, of the application, `level`, `ratings` (a table), `coach`, `public_name`. Ratings stay
    as they are once the start list is closed, unless the staff gives a reason (TourneyError ``entry.reason_needed``).
    """
    floor, found = lock_entry(entry)
    application = application_of(found)
    player = found.player
    changed: list[str] = []
    for name, value in changes.items():
        target: Any = player if name in PLAYER_FIELDS else application if name in APPLICATION_FIELDS else None
        if target is not None and getattr(target, name) != value:
            setattr(target, name, value)
            changed.append(name)
    if player.birth_date and player.birth_year != player.birth_date.year:
        player.birth_year = player.birth_date.year
    if "coach" in changes and application.answers.get("coach", "") != changes["coach"]:
        application.answers = {**application.answers, "coach": changes["coach"]}
        changed.append("coach")
    if "public_name" in changes and found.public_name != changes["public_name"]:
        found.public_name = application.consent_publication = bool(changes["public_name"])
        consents.record(
            found,
            {"publication": found.public_name},
            regulation=application.consent_regulation or regulation_in_force(floor.section.tournament),
            language=application.language,
            how=ConsentRecord.How.LINK if by_entrant else ConsentRecord.How.DESK,
            at=timezone.now(),
            by=actor,
        )
        changed.append("public_name")
    if "level" in changes and found.level != changes["level"]:
        found.level = player.level = changes["level"]
        changed.append("level")
    ratings = {key: int(value) for key, value in dict(changes.get("ratings", found.ratings or {})).items() if value}
    if ratings != (found.ratings or {}):
        if found.start_number is not None and not reason.strip():
            raise TourneyError("entry.reason_needed")
        found.ratings, found.rating = ratings, rating_by_rule(floor.section.tournament, ratings)
        changed.append("ratings")
    if not changed:
        return []
    player.save()
    application.save()
    found.save()
    if set(changed) - {*APPLICATION_FIELDS, "coach"}:
        bump_all_of(found)
    record_entry_event(found, "edited", by=actor, reason=reason, fields=changed, by_entrant=by_entrant)
    log(
        floor.section.tournament,
        "entry.edited",
        actor=actor,
        label="entrant" if by_entrant else "",
        reason=reason,
        entry=found.pk,
        name=found.name,
        fields=", ".join(changed),
    )
    return changed


@transaction.atomic
def join_family(entry: Entry, other: Entry | None, *, actor: Any) -> None:
    """Say that two entries are children of one family (M10.3.3), or (None) that an entry is of none."""
    floor, found = lock_entry(entry)
    application = application_of(found)
    if other is None:
        application.family_key = ""
    else:
        if other.tournament_id != found.tournament_id or other.pk == found.pk:
            raise TourneyError("entry.unknown")
        sibling = application_of(other)
        if not sibling.family_key:
            sibling.family_key = secrets.token_hex(8)
            sibling.save(update_fields=["family_key"])
        application.family_key = sibling.family_key
    application.save(update_fields=["family_key"])
    record_entry_event(found, "family_joined" if other else "family_left", by=actor)
    log(floor.section.tournament, "entry.family", actor=actor, entry=found.pk, name=found.name)


@transaction.atomic
def mark_arrived(
    entry: Entry, *, actor: Any, at: datetime | None = None, reason: str = "", now: datetime | None = None
) -> Entry:
    """Mark somebody present at the roll-call, with the second it happened.

    An earlier moment ("stood in the queue at 9:44") needs a reason; both moments stay in the record. Raises
    TourneyError ``entry.reason_needed``, ``entry.not_yet``.
    """
    moment = now or timezone.now()
    arrived = at or moment
    if arrived > moment:
        raise TourneyError("entry.not_yet")
    if (moment - arrived).total_seconds() >= 60 and not reason.strip():
        raise TourneyError("entry.reason_needed")
    floor, found = lock_entry(entry)
    application = application_of(found)
    if found.present and at is None:
        return found
    application.onsite_at = arrived
    application.save(update_fields=["onsite_at"])
    found.present = True
    found.save(update_fields=["present"])
    record_entry_event(found, "arrived", by=actor, reason=reason, at=moment, arrived=arrived.isoformat())
    if reason:
        log(
            floor.section.tournament,
            "entry.arrival_backdated",
            actor=actor,
            reason=reason,
            entry=found.pk,
            name=found.name,
            arrived=f"{timezone.localtime(arrived, floor.section.tournament.zone):%H:%M:%S}",
        )
    return found


@transaction.atomic
def take_back_arrival(entry: Entry, *, actor: Any) -> Entry:
    """Undo a mark of presence that was a slip of the finger."""
    floor, found = lock_entry(entry)
    refuse_if_moved(floor.section.tournament)
    if found.present:
        found.present = False
        found.save(update_fields=["present"])
        Application.objects.filter(entry=found).update(onsite_at=None)
        record_entry_event(found, "arrival_taken_back", by=actor)
    return found
