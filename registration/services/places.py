"""Giving out places: one lock (the section row), the engine's room decides, events are written, letters asked for."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from django.db import transaction
from django.utils import timezone

from registration.accounts import Account, account_of
from registration.engine import capacity
from registration.engine.capacity import Phase, Standing
from registration.engine.fees import FeeQuote, Outcome
from registration.models import ReserveOffer
from registration.notices import ask_for_notice
from registration.regulations import rules_of
from registration.rooms import STANDINGS, Floor, open_floor, sections_with_passed_deadlines, write
from tourney import panels
from tourney.kernel.errors import TourneyError
from tourney.models import Entry, Tournament
from tourney.services.entries import record_entry_event
from tourney.services.log import log

State = Entry.State


class Teller:
    """Asks for a letter to everybody whose standing changes, with the address the request came by."""

    def __init__(self, base_url: str = "", *, notify: bool = True) -> None:
        self.base_url = base_url
        self.notify = notify

    def __call__(self, entry: Entry, kind: str) -> None:
        if self.notify:
            ask_for_notice(entry, kind, base_url=self.base_url)


def lock_entry(entry: Entry) -> tuple[Floor, Entry]:
    """Return the floor of an entry's section under its lock, and the entry as it is now."""
    floor = open_floor(entry.section_id)
    found = floor.entries.get(str(entry.pk))
    if found is None:
        raise TourneyError("entry.unknown")
    return floor, found


def settle(
    floor: Floor,
    entry: Entry,
    *,
    now: datetime,
    by: Any = None,
    tell: Teller | None = None,
    account: Account | None = None,
) -> FeeQuote:
    """Give a place to somebody whose deposit has been reached, if there is one; else a turn on the reserve list.

    Money is always booked, a place is given only where there is one. Who has left is not brought back by a payment.
    `account` spares reading it when the caller has it as it stands after the booking.
    """
    account = account or account_of(entry, at=now)
    candidate = floor.room.find(str(entry.pk))
    waits = candidate is not None and (
        candidate.standing is Standing.AWAITING_DEPOSIT
        or (candidate.until is not None and candidate.standing in (Standing.CONFIRMED, Standing.RESERVE))
    )
    if waits and not account.quote.deposit_due and account.facts.outcome is Outcome.OPEN:
        name = str(entry.pk)
        room = capacity.confirm(floor.room, name, now)
        write(floor, room, now=now, by=by, kinds={name: _confirmed_kind(room.find(name))}, tell=tell)
    return account.quote


def _confirmed_kind(found: capacity.Candidate | None) -> str:
    return "reserved" if found is not None and found.standing is Standing.RESERVE else "confirmed"


@transaction.atomic
def withdraw_entry(
    entry: Entry,
    *,
    actor: Any = None,
    by_entrant: bool = False,
    reason: str = "",
    valid_reason: bool = False,
    now: datetime | None = None,
    base_url: str = "",
) -> Entry:
    """Take an entry back; the next in the reserve list moves up if that is still time (K3.4).

    Raises TourneyError ``entry.not_alive``, ``entry.play_begun``.
    """
    moment = now or timezone.now()
    floor, found = lock_entry(entry)
    if found.state not in (State.APPLIED, State.AWAITING_DEPOSIT, State.CONFIRMED, State.RESERVE, State.OFFERED):
        raise TourneyError("entry.not_alive")
    if floor.phase is Phase.STARTED or _has_played(found):
        raise TourneyError("entry.play_begun")
    tell = Teller(base_url)
    data = {"valid_reason": valid_reason, "by_entrant": by_entrant}
    if found.state == State.APPLIED:
        record_entry_event(found, "withdrawn", state=State.WITHDRAWN, by=actor, reason=reason, at=moment, **data)
        tell(found, "withdrawn")
    else:
        name = str(found.pk)
        room = capacity.withdraw(floor.room, name, moment)
        write(
            floor,
            room,
            now=moment,
            by=actor,
            reason=reason,
            kinds={name: "withdrawn"},
            data={name: data},
            tell=tell,
        )
    _leave_the_list(floor, found)
    _log(floor, "entry.withdrawn", found, actor, reason, by_entrant=by_entrant)
    return found


@transaction.atomic
def return_entry(entry: Entry, *, actor: Any, reason: str = "", now: datetime | None = None) -> Entry:
    """Let somebody who has left come back: to his place if it is still his, else to the end.

    Raises TourneyError ``entry.still_alive``.
    """
    moment = now or timezone.now()
    floor, found = lock_entry(entry)
    if found.state not in (State.WITHDRAWN, State.EXPIRED, State.NO_SHOW):
        raise TourneyError("entry.still_alive")
    name = str(found.pk)
    candidate = floor.room.find(name)
    if candidate is not None and candidate.standing is Standing.NO_SHOW and candidate.holds_place:
        room = floor.room.put(name, Standing.CONFIRMED, keep_turn=True)
    else:
        room = capacity.register(floor.room, name, moment)
    write(floor, room, now=moment, by=actor, reason=reason, kinds={name: "returned"}, tell=Teller())
    settle(floor, found, now=moment, by=actor, tell=Teller())
    if found.left_after_round == 0:
        found.left_after_round = None
        found.save(update_fields=["left_after_round"])
    _log(floor, "entry.returned", found, actor, reason)
    return found


@transaction.atomic
def accept_offer(entry: Entry, *, actor: Any = None, now: datetime | None = None, base_url: str = "") -> Entry:
    """Take a place that was offered. Raises TourneyError ``place.no_offer``, ``place.offer_expired``."""
    moment = now or timezone.now()
    floor, found = lock_entry(entry)
    name = str(found.pk)
    if floor.room.find(name) is None:
        raise TourneyError("place.no_offer", name=found.name)
    room = capacity.accept(floor.room, name, moment)
    write(floor, room, now=moment, by=actor, kinds={name: "accepted"})
    Teller(base_url)(found, "confirmed")
    _log(floor, "entry.offer_accepted", found, actor)
    return found


@transaction.atomic
def decline_offer(entry: Entry, *, actor: Any = None, now: datetime | None = None, base_url: str = "") -> Entry:
    """Say no to an offered place; it is offered to the next. Raises TourneyError ``place.no_offer``."""
    moment = now or timezone.now()
    floor, found = lock_entry(entry)
    name = str(found.pk)
    candidate = floor.room.find(name)
    if candidate is None or candidate.standing is not Standing.OFFERED:
        raise TourneyError("place.no_offer", name=found.name)
    room = capacity.decline(floor.room, name, moment)
    write(floor, room, now=moment, by=actor, kinds={name: "declined"}, tell=Teller(base_url))
    _log(floor, "entry.offer_declined", found, actor)
    return found


@transaction.atomic
def mark_no_show(
    entry: Entry,
    *,
    actor: Any,
    valid_reason: bool = False,
    reason: str = "",
    accepted_by: str = "",
    now: datetime | None = None,
) -> Entry:
    """Record that somebody did not come, whether for a valid reason, and who accepted it (K4.7).

    Raises TourneyError ``entry.reason_needed``, ``place.not_in_field``.
    """
    if valid_reason and not (reason.strip() and accepted_by.strip()):
        raise TourneyError("entry.valid_reason_needs_words")
    moment = now or timezone.now()
    floor, found = lock_entry(entry)
    name = str(found.pk)
    if found.state != State.CONFIRMED or floor.room.find(name) is None:
        raise TourneyError("place.not_in_field", name=found.name)
    room = capacity.no_show(floor.room, name, moment)
    data = {name: {"valid_reason": valid_reason, "accepted_by": accepted_by}}
    write(floor, room, now=moment, by=actor, reason=reason, kinds={name: "no_show"}, data=data, tell=Teller())
    if found.present:
        found.present = False
        found.save(update_fields=["present"])
    _leave_the_list(floor, found)
    _log(floor, "entry.no_show", found, actor, reason, accepted_by=accepted_by)
    return found


@transaction.atomic
def promote_by_hand(entry: Entry, *, actor: Any, reason: str = "", now: datetime | None = None) -> Entry:
    """Give a reserve a free place by the organizer's hand, up to the start (K3.4).

    Raises TourneyError ``place.already_started``, ``place.not_a_reserve``, ``place.no_free_place``.
    """
    moment = now or timezone.now()
    floor, found = lock_entry(entry)
    name = str(found.pk)
    if floor.room.find(name) is None:
        raise TourneyError("place.not_a_reserve", name=found.name)
    room = capacity.promote_by_hand(floor.room, name)
    write(floor, room, now=moment, by=actor, reason=reason, kinds={name: "promoted"}, tell=Teller())
    _log(floor, "entry.promoted", found, actor, reason)
    return found


@transaction.atomic
def replace_in_place(
    gone: Entry, reserve: Entry, *, actor: Any, reason: str = "", now: datetime | None = None
) -> Entry:
    """Let a reserve take the place of somebody who did not come or has left, up to the start (K3.4).

    The reserve takes over the start number. Whoever has drawn the old entry into something (a bracket's seed) hears of
    it through the panels' place ``entry_replaced`` in this transaction and may refuse. Raises TourneyError
    ``place.already_started``, ``place.not_a_reserve``, ``place.no_free_place``, ``place.other_section``.
    """
    moment = now or timezone.now()
    if gone.section_id != reserve.section_id:
        raise TourneyError("place.other_section")
    # What was drawn may change as well: event, section, stage is the order everybody locks in.
    Tournament.objects.select_for_update(no_key=True).get(pk=gone.tournament_id)
    floor, new = lock_entry(reserve)
    old = floor.entries.get(str(gone.pk))
    if old is None or old.state not in (State.CONFIRMED, State.NO_SHOW, State.WITHDRAWN):
        raise TourneyError("place.not_in_field", name=gone.name)
    name, left = str(new.pk), str(old.pk)
    if floor.room.find(name) is None:
        raise TourneyError("place.not_a_reserve", name=new.name)
    room = capacity.promote_by_hand(floor.room, name, left if left in floor.room.main else None)
    write(
        floor,
        room,
        now=moment,
        by=actor,
        reason=reason,
        kinds={name: "promoted", left: "replaced"},
        data={name: {"instead_of": old.pk}, left: _ending_of(old) | {"replaced_by": new.pk}},
        tell=Teller(),
    )
    number, old.start_number = old.start_number, None
    if number is not None:
        old.save(update_fields=["start_number"])
        new.start_number = number
    new.left_after_round = None
    new.save(update_fields=["start_number", "left_after_round"])
    _leave_the_list(floor, old)
    for provider in panels.providers("entry_replaced"):
        provider(old, new, actor)
    _log(floor, "entry.replaced", new, actor, reason, instead_of=old.name, instead_of_entry=old.pk)
    return new


def pass_deadlines(now: datetime | None = None) -> int:
    """Close what has run out: offers nobody answered, places held unpaid. Returns how many sections moved."""
    moment = now or timezone.now()
    moved = 0
    for pk in sorted({*sections_with_passed_deadlines(moment), *_sections_with_held_places()}):
        with transaction.atomic():
            try:
                floor = open_floor(pk)
            except TourneyError:
                continue  # the regulation no longer names this group; its people wait for the organizer
            if floor.section.tournament.moved_to:
                continue  # its deadlines pass where it goes on
            room = capacity.lapse(floor.room, moment)
            if room != floor.room:
                write(floor, room, now=moment, tell=Teller())
                moved += 1
    return moved


def _sections_with_held_places() -> set[int]:
    found: set[int] = set()
    for tournament in Tournament.objects.filter(state=Tournament.State.REGISTRATION, rehearsal_of=None):
        try:
            sections = rules_of(tournament).sections
        except TourneyError:
            continue
        codes = [one.code for one in sections if one.places.hold_hours is not None]
        if codes:
            found.update(tournament.sections.filter(code__in=codes).values_list("pk", flat=True))
    return found


def open_offer(entry: Entry) -> ReserveOffer | None:
    """Return the offer an entrant may answer."""
    return ReserveOffer.objects.filter(entry=entry, answer=ReserveOffer.Answer.OPEN).first()


def _ending_of(entry: Entry) -> dict[str, Any]:
    """Return what was said about how an entry ended, so that a later event does not lose it."""
    event = entry.events.filter(state__in=[State.NO_SHOW, State.WITHDRAWN]).order_by("-pk").first()
    data = dict(event.data) if event else {}
    return {key: data[key] for key in ("valid_reason", "accepted_by") if key in data}


def _has_played(entry: Entry) -> bool:
    return entry.games_white.exclude(outcome="").exists() or entry.games_black.exclude(outcome="").exists()


def _leave_the_list(floor: Floor, entry: Entry) -> None:
    """Keep somebody who has left out of the pairings when the start list is closed already."""
    if floor.phase is not Phase.OPEN and entry.start_number is not None and not _has_played(entry):
        entry.left_after_round = 0
        entry.save(update_fields=["left_after_round"])


def _log(floor: Floor, action: str, entry: Entry, actor: Any, reason: str = "", **data: Any) -> None:
    log(
        floor.section.tournament,
        action,
        actor=actor,
        label="" if getattr(actor, "is_authenticated", False) else "entrant",
        reason=reason,
        entry=entry.pk,
        name=entry.name,
        **data,
    )


__all__ = [
    "STANDINGS",
    "Teller",
    "accept_offer",
    "decline_offer",
    "lock_entry",
    "mark_no_show",
    "open_offer",
    "pass_deadlines",
    "promote_by_hand",
    "replace_in_place",
    "return_entry",
    "settle",
    "withdraw_entry",
]
