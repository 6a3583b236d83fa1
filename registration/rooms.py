"""Between the tables and the engine's `Room`: reads a section's places, writes down what an event did to them.

Where somebody stands is told by the events of the entries: each event that changes a standing carries the `turn` (the
order inside a standing), the deadline and whether a place is held. The section row is the one lock of all of this.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import F, Q
from django.utils import timezone

from registration.engine.capacity import Candidate, Phase, PlaceRules, Room, Standing, drawn, lowest_free_seat
from registration.engine.rules import RegistrationRules
from registration.models import ReserveOffer
from registration.regulations import rules_of, section_rules
from tourney.live import event_changed
from tourney.models import Entry, EntryEvent, Game, Section, Stage
from tourney.services.entries import record_entry_event

State = Entry.State

# Entries outside these are not in the room: they wait for a word, or were never let in.
STANDINGS: Mapping[str, Standing] = {
    State.AWAITING_DEPOSIT: Standing.AWAITING_DEPOSIT,
    State.CONFIRMED: Standing.CONFIRMED,
    State.RESERVE: Standing.RESERVE,
    State.OFFERED: Standing.OFFERED,
    State.WITHDRAWN: Standing.WITHDRAWN,
    State.EXPIRED: Standing.EXPIRED,
    State.NO_SHOW: Standing.NO_SHOW,
    State.DISQUALIFIED: Standing.NO_SHOW,  # his place in the field stays his
}
KINDS: Mapping[Standing, str] = {
    Standing.AWAITING_DEPOSIT: "awaiting_deposit",
    Standing.CONFIRMED: "confirmed",
    Standing.RESERVE: "reserved",
    Standing.OFFERED: "offered",
    Standing.WITHDRAWN: "withdrawn",
    Standing.EXPIRED: "expired",
    Standing.NO_SHOW: "no_show",
}


@dataclass(slots=True)
class Floor:
    """A section under its lock: the rules, the room, and the rows behind its names."""

    section: Section
    rules: RegistrationRules
    room: Room
    entries: dict[str, Entry]

    def entry(self, name: str) -> Entry:
        return self.entries[name]

    @property
    def phase(self) -> Phase:
        return self.room.phase


def lock_section(section_id: int) -> Section:
    """Return the section under the row lock: the first lock of everything that gives out places."""
    return (
        Section.objects.select_for_update(of=("self",), no_key=True)
        .select_related("tournament", "merged_into")
        .get(pk=section_id)
    )


def open_floor(section_id: int) -> Floor:
    """Lock a section and read its room; offers still open after the draw are closed first."""
    section = lock_section(section_id)
    floor = read_floor(section)
    if floor.phase is Phase.DRAWN and floor.room.of(Standing.OFFERED):
        write(floor, drawn(floor.room))
    return floor


def read_floor(section: Section) -> Floor:
    """Return a section's room: four queries, whatever its size. Without the lock it is for looking only.

    The persons behind the entries are not read: an act is about one or two of them, and a section has hundreds.
    """
    known = rules_of(section.tournament)
    places = section_rules(known, section).places
    entries = {str(entry.pk): entry for entry in Entry.objects.filter(section=section)}
    for entry in entries.values():
        entry.section, entry.tournament = section, section.tournament
    return Floor(section, known, _room(section, places, entries), entries)


def _room(section: Section, places: PlaceRules, entries: Mapping[str, Entry]) -> Room:
    last: dict[int, dict[str, Any]] = {}
    turns: dict[int, int] = {}
    rows = EntryEvent.objects.filter(entry__section=section).exclude(state="").order_by("pk")
    for pk, entry_id, state, data in rows.values_list("pk", "entry_id", "state", "data"):
        last[entry_id] = data if state in STANDINGS else {}
        turns[entry_id] = int(data.get("turn", turns.get(entry_id, pk)))
    candidates = [
        Candidate(
            name=name,
            standing=STANDINGS[entry.state],
            turn=turns.get(entry.pk, entry.pk),
            until=_moment(last.get(entry.pk, {}).get("until")),
            holds_place=bool(last.get(entry.pk, {}).get("holds_place", True)),
        )
        for name, entry in entries.items()
        if entry.state in STANDINGS
    ]
    return Room(places, tuple(sorted(candidates, key=lambda item: item.turn)), phase_of(section))


def phase_of(section: Section) -> Phase:
    """Return how far a section's tournament is: list open; list closed; the first game of a bracket played.

    A Swiss takes late players for some rounds (the arbiter decides), so for it nothing is ever too late here.
    """
    host = section.merged_into_id or section.pk
    stages = list(Stage.objects.filter(section=host).order_by("ordinal").values_list("pk", "kind", "state")[:1])
    if not stages:
        closed = section.entries_closed_at or (section.merged_into and section.merged_into.entries_closed_at)
        return Phase.DRAWN if closed else Phase.OPEN
    stage, kind, state = stages[0]
    if state in (Stage.State.FINISHED, Stage.State.CLOSED):
        return Phase.STARTED
    if kind == Stage.Kind.SWISS or state == Stage.State.PLANNED:
        return Phase.DRAWN
    games = Game.objects.filter(stage=stage)
    if kind == Stage.Kind.BRACKET:
        games = games.exclude(outcome="")
    return Phase.STARTED if games.exists() else Phase.DRAWN


def write(
    floor: Floor,
    new: Room,
    *,
    now: datetime | None = None,
    by: Any = None,
    reason: str = "",
    kinds: Mapping[str, str] | None = None,
    data: Mapping[str, Mapping[str, Any]] | None = None,
    tell: Callable[[Entry, str], None] | None = None,
) -> list[Entry]:
    """Bring the rows in line with the engine's next room: an event for each change, then seats and offers.

    `kinds` and `data` say for some names what the event is called and carries (others moved because of them, so they
    get neither the reason nor the author). `tell` is called for everybody whose standing changed.
    """
    before = {item.name: item for item in floor.room.candidates}
    moved = [item for item in new.candidates if before.get(item.name) != item]
    if moved:
        # Before the entries: whoever plays locks the stage first and then writes entries, and so must this.
        host = floor.section.merged_into_id or floor.section.pk
        Stage.objects.filter(section=host).update(version=F("version") + 1)
        event_changed(floor.section.tournament.slug)
    changed = []
    for item in moved:
        entry, old = floor.entry(item.name), before.get(item.name)
        kind = (kinds or {}).get(item.name) or _kind(old, item)
        own = item.name in (kinds or {})
        extra = dict((data or {}).get(item.name, {}))
        extra |= {"turn": item.turn} | ({"until": item.until.isoformat()} if item.until else {})
        if not item.holds_place:
            extra["holds_place"] = False
        same_standing = old is not None and old.standing is item.standing
        state = entry.state if same_standing else _state_of(item.standing)
        record_entry_event(
            entry, kind, state=state, by=by if own else None, reason=reason if own else "", at=now, **extra
        )
        changed.append(entry)
        _write_offer(entry, old, item, kind, now)
        if tell is not None and (old is None or old.standing is not item.standing):
            tell(entry, kind)
    floor.room = new
    write_seats(floor)
    return changed


def write_seats(floor: Floor) -> None:
    """Give everybody in the field, and who is being asked, a seat of his own; nobody else keeps one.

    The unique constraint on seats is the second lock: even a forgotten row lock can't give the last place twice.
    """
    capacity = floor.room.rules.capacity
    if capacity is None:
        return
    holders = {*floor.room.main, *floor.room.of(Standing.OFFERED)}
    freed = [entry for name, entry in floor.entries.items() if entry.seat is not None and name not in holders]
    if freed:
        Entry.objects.filter(pk__in=[entry.pk for entry in freed]).update(seat=None)
        for entry in freed:
            entry.seat = None
    taken = {entry.seat for entry in floor.entries.values() if entry.seat is not None}
    for name in (*floor.room.main, *floor.room.of(Standing.OFFERED)):
        entry = floor.entry(name)
        if entry.seat is None:
            entry.seat = lowest_free_seat((seat for seat in taken if seat is not None), capacity)
            if entry.seat is not None:  # None: the capacity was lowered below the field
                entry.save(update_fields=["seat"])
                taken.add(entry.seat)


def rebuild_seats(section: Section) -> int:
    """Give out a section's seats anew from the standings; return how many entries got another seat or none."""
    floor = read_floor(lock_section(section.pk))
    before = {entry.pk: entry.seat for entry in floor.entries.values()}
    write_seats(floor)
    return sum(1 for entry in floor.entries.values() if entry.seat != before[entry.pk])


def sections_with_passed_deadlines(now: datetime) -> list[int]:
    """Return the sections where an offer has run out, or stayed open after the list was closed."""
    late = ReserveOffer.objects.filter(answer=ReserveOffer.Answer.OPEN).filter(
        Q(expires_at__lt=now) | Q(entry__section__entries_closed_at__isnull=False)
    )
    return sorted(set(late.values_list("entry__section", flat=True)))


def _kind(old: Candidate | None, new: Candidate) -> str:
    if old is not None and old.standing is new.standing:
        return "moved_to_end" if new.turn != old.turn else "place_kept"
    if new.standing is Standing.CONFIRMED and old is not None and old.standing is Standing.RESERVE:
        return "promoted"
    if new.standing is Standing.RESERVE and old is not None and old.standing is Standing.OFFERED:
        return "offer_closed"
    return KINDS[new.standing]


def _state_of(standing: Standing) -> str:
    return next(state for state, known in STANDINGS.items() if known is standing)


def _write_offer(entry: Entry, old: Candidate | None, new: Candidate, kind: str, now: datetime | None) -> None:
    moment = now or timezone.now()
    was_offered = old is not None and old.standing is Standing.OFFERED
    if was_offered and new.standing is not Standing.OFFERED:
        answer = {
            Standing.CONFIRMED: ReserveOffer.Answer.ACCEPTED,
            Standing.EXPIRED: ReserveOffer.Answer.EXPIRED,
        }.get(new.standing, ReserveOffer.Answer.EXPIRED if kind == "offer_closed" else ReserveOffer.Answer.DECLINED)
        ReserveOffer.objects.filter(entry=entry, answer=ReserveOffer.Answer.OPEN).update(
            answer=answer, answered_at=moment
        )
    if new.standing is Standing.OFFERED and not was_offered and new.until is not None:
        ReserveOffer.objects.create(entry=entry, offered_at=moment, expires_at=new.until)


def _moment(text: Any) -> datetime | None:
    return datetime.fromisoformat(text) if text else None
