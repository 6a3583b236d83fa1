"""Places and the reserve list: who has a place, who is next, and what every event does to both.

A `Room` is the state of one section; every function returns the next room and never asks a clock. The order is the
order in which things happened: whoever is on the reserve list stands before every newcomer, also at the moment a place
becomes free. Reserves move up by themselves until the draw, and by the organizer's hand up to the start.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from enum import StrEnum

from registration.engine.blocks import Block
from tourney.kernel.errors import TourneyError


class Standing(StrEnum):
    """Where somebody stands; the first four are alive."""

    AWAITING_DEPOSIT = "awaiting_deposit"
    CONFIRMED = "confirmed"
    RESERVE = "reserve"
    OFFERED = "offered"  # a free place is held for him until the deadline
    WITHDRAWN = "withdrawn"
    EXPIRED = "expired"  # did not answer an offer in time
    NO_SHOW = "no_show"


class SeatTakenBy(StrEnum):
    """What takes a place: the form or the deposit."""

    DEPOSIT = "confirmed_deposit"
    REGISTRATION = "registration"


class Promotion(StrEnum):
    """How the next of the reserve list gets a place."""

    AUTOMATIC = "auto_first_reserve"
    OFFER = "offer"  # the first reserve is asked and has some hours to answer


class Until(StrEnum):
    """Until when the reserve list moves up."""

    DRAW = "initial_draw"
    START = "first_match_start"


class Declined(StrEnum):
    """What becomes of somebody who declines an offered place."""

    REMOVED = "removed"
    TO_THE_END = "to_the_end"


class Phase(StrEnum):
    """How far an event is, for its places."""

    OPEN = "open"
    DRAWN = "drawn"
    STARTED = "started"


@dataclass(frozen=True, slots=True)
class PlaceRules:
    """The regulation's rules of places; `capacity` None: no limit."""

    capacity: int | None = None
    seat_taken_by: SeatTakenBy = SeatTakenBy.REGISTRATION
    hold_hours: int | None = None  # a place taken by registration is lost without a deposit after this time
    promotion: Promotion = Promotion.AUTOMATIC
    promotion_until: Until = Until.DRAW
    offer_hours: int = 24
    declined_offer: Declined = Declined.REMOVED


@dataclass(frozen=True, slots=True)
class Candidate:
    """One entrant. `turn` orders everybody inside a standing: the lower came first."""

    name: str
    standing: Standing
    turn: int
    until: datetime | None = None  # end of an offer, or of a place held without a deposit
    holds_place: bool = True  # False: did not come and somebody else plays instead


@dataclass(frozen=True, slots=True)
class Room:
    """One section's places at a moment."""

    rules: PlaceRules
    candidates: tuple[Candidate, ...] = ()
    phase: Phase = Phase.OPEN

    def of(self, *standings: Standing) -> tuple[str, ...]:
        """Return the names in some standings, in order."""
        return tuple(item.name for item in self._sorted() if item.standing in standings)

    @property
    def main(self) -> tuple[str, ...]:
        """Who is in the field; after the draw also those who did not come, for nobody took their place."""
        return tuple(item.name for item in self._sorted() if _in_field(item))

    @property
    def reserve(self) -> tuple[str, ...]:
        return self.of(Standing.RESERVE, Standing.OFFERED)

    @property
    def absent(self) -> tuple[str, ...]:
        return self.of(Standing.NO_SHOW)

    @property
    def free(self) -> int | None:
        """Places nobody has and nobody is being asked about; None: no limit."""
        if self.rules.capacity is None:
            return None
        return max(0, self.rules.capacity - len(self.main) - len(self.of(Standing.OFFERED)))

    @property
    def moves_by_itself(self) -> bool:
        """Whether a free place is filled without the organizer."""
        last = Phase.OPEN if self.rules.promotion_until is Until.DRAW else Phase.DRAWN
        return self.phase is Phase.OPEN or self.phase is last

    def find(self, name: str) -> Candidate | None:
        """Return the candidate of that name, or None."""
        return next((item for item in self.candidates if item.name == name), None)

    def _sorted(self) -> list[Candidate]:
        return sorted(self.candidates, key=lambda item: item.turn)

    def put(
        self,
        name: str,
        standing: Standing,
        until: datetime | None = None,
        *,
        keep_turn: bool = False,
        holds_place: bool = True,
    ) -> Room:
        """Return the room with somebody in a standing, behind all others (or in his old turn)."""
        old = self.find(name)
        next_turn = max((item.turn for item in self.candidates), default=0) + 1
        turn = old.turn if keep_turn and old is not None else next_turn
        others = [item for item in self.candidates if item.name != name]
        everybody = [*others, Candidate(name, standing, turn, until, holds_place)]
        return replace(self, candidates=tuple(sorted(everybody, key=lambda item: item.turn)))


@dataclass(frozen=True, slots=True)
class Place:
    """Where one entrant stands: his number in the field or in the reserve list (0: in neither)."""

    standing: Standing
    number: int
    until: datetime | None = None


@dataclass(frozen=True, slots=True)
class Change:
    """What one event did to somebody (`old` None: new here); the service writes these down and tells them."""

    name: str
    old: Standing | None
    new: Standing
    until: datetime | None = None


def parse_places(node: Block) -> PlaceRules:
    """Return the rules of places from the ``registration`` block (its other keys are left to the caller)."""
    rules = PlaceRules(
        capacity=node.optional_integer("capacity", low=1, high=10_000),
        seat_taken_by=node.choice("seat_taken_by", SeatTakenBy, SeatTakenBy.REGISTRATION),
        hold_hours=node.optional_integer("hold_hours", low=1, high=10_000),
        promotion=node.choice("promotion", Promotion, Promotion.AUTOMATIC),
        promotion_until=node.choice("promotion_until", Until, Until.DRAW),
        offer_hours=node.integer("offer_hours", 24, low=1, high=1000),
        declined_offer=node.choice("declined_offer", Declined, Declined.REMOVED),
    )
    if rules.hold_hours is not None and rules.seat_taken_by is SeatTakenBy.DEPOSIT:
        raise node.fail("hold_hours", "rule.never_applies")
    return rules


# -- what happens ----------------------------------------------------------------------------------------------------


def register(room: Room, name: str, now: datetime) -> Room:
    """Return the room after a form was sent: a place at once, or the wait for a deposit, as the regulation says."""
    old = room.find(name)
    if old is not None and _alive(old):
        return room
    if room.rules.seat_taken_by is SeatTakenBy.DEPOSIT:
        return room.put(name, Standing.AWAITING_DEPOSIT)
    hold = room.rules.hold_hours
    return _enter(room, name, now, None if hold is None else now + timedelta(hours=hold))


def confirm(room: Room, name: str, now: datetime) -> Room:
    """Return the room after somebody's deposit came in (money is always booked; a place only if there is one).

    Who had left and pays again goes to the end; who has a place already keeps it, now without a time limit.
    """
    old = room.find(name)
    if old is None or not _alive(old) or old.standing is Standing.AWAITING_DEPOSIT:
        return _enter(room, name, now, None)
    if old.standing in (Standing.CONFIRMED, Standing.RESERVE):
        return room.put(name, old.standing, keep_turn=True)
    return room


def confirm_all(room: Room, paid: Iterable[tuple[datetime, datetime, str]], now: datetime) -> Room:
    """Return the room after several deposits of one statement: by (paid at, registered at, name)."""
    for _, _, name in sorted(paid):
        room = confirm(room, name, now)
    return room


def withdraw(room: Room, name: str, now: datetime) -> Room:
    """Return the room after somebody gave up his place or his turn; the next one moves up if that is still time."""
    _known(room, name)
    return _fill(room.put(name, Standing.WITHDRAWN, keep_turn=True), now)


def decline(room: Room, name: str, now: datetime) -> Room:
    """Return the room after somebody said no to a place offered or given to him from the reserve list."""
    _known(room, name)
    return _fill(_step_aside(room, name, Standing.WITHDRAWN), now, passing_over=name)


def accept(room: Room, name: str, now: datetime) -> Room:
    """Return the room after an offer was accepted in time.

    Raises TourneyError ``place.no_offer`` or ``place.offer_expired``.
    """
    old = _known(room, name)
    if old.standing is not Standing.OFFERED:
        raise TourneyError("place.no_offer", name=name)
    if old.until is not None and now > old.until:
        raise TourneyError("place.offer_expired", name=name, until=old.until.isoformat())
    return room.put(name, Standing.CONFIRMED)


def lapse(room: Room, now: datetime) -> Room:
    """Return the room after the deadlines that have passed: unanswered offers, places held without a deposit."""
    for item in room.candidates:
        if item.until is None or now <= item.until:
            continue
        if item.standing is Standing.OFFERED:
            room = _step_aside(room, item.name, Standing.EXPIRED)
        elif item.standing in (Standing.CONFIRMED, Standing.RESERVE):
            room = room.put(item.name, Standing.AWAITING_DEPOSIT)
    return _fill(room, now)


def no_show(room: Room, name: str, now: datetime) -> Room:
    """Return the room after somebody did not come: his place is filled only while reserves still move by themselves."""
    old = _known(room, name)
    if old.standing is not Standing.CONFIRMED:
        raise TourneyError("place.not_in_field", name=name)
    replaced = room.moves_by_itself and bool(room.of(Standing.RESERVE))
    return _fill(room.put(name, Standing.NO_SHOW, keep_turn=True, holds_place=not replaced), now)


def drawn(room: Room) -> Room:
    """Return the room after the initial draw. Offers still open are closed: their places wait for the organizer."""
    if room.rules.promotion_until is Until.DRAW:
        for name in room.of(Standing.OFFERED):
            room = room.put(name, Standing.RESERVE, keep_turn=True)
    return replace(room, phase=Phase.DRAWN)


def started(room: Room) -> Room:
    """Return the room after the first game began: nobody moves up any more."""
    for name in room.of(Standing.OFFERED):
        room = room.put(name, Standing.RESERVE, keep_turn=True)
    return replace(room, phase=Phase.STARTED)


def promote_by_hand(room: Room, name: str, instead_of: str | None = None) -> Room:
    """Return the room after the organizer gave a reserve a free place, or the place of somebody who did not come.

    Raises TourneyError ``place.already_started``, ``place.not_a_reserve``, ``place.no_free_place``.
    """
    if room.phase is Phase.STARTED:
        raise TourneyError("place.already_started")
    if _known(room, name).standing not in (Standing.RESERVE, Standing.OFFERED):
        raise TourneyError("place.not_a_reserve", name=name)
    if instead_of is not None:
        if instead_of not in room.main:
            raise TourneyError("place.not_in_field", name=instead_of)
        came = instead_of not in room.absent
        gone = Standing.WITHDRAWN if came else Standing.NO_SHOW
        room = room.put(instead_of, gone, keep_turn=True, holds_place=False)
    held = room.find(name)
    if room.free == 0 and (held is None or held.standing is not Standing.OFFERED):
        raise TourneyError("place.no_free_place")
    return room.put(name, Standing.CONFIRMED)


def _enter(room: Room, name: str, now: datetime, until: datetime | None) -> Room:
    """Nobody overtakes the reserve list: a newcomer gets a place only if there is one and nobody waits for it."""
    open_place = room.free is None or room.free > 0
    if open_place and room.phase is not Phase.STARTED and not room.of(Standing.RESERVE):
        return room.put(name, Standing.CONFIRMED, until)
    return _fill(room.put(name, Standing.RESERVE, until), now)


def _fill(room: Room, now: datetime, passing_over: str = "") -> Room:
    """Who has just said no is passed over this once, or he would be given the same place again."""
    while room.moves_by_itself and room.free != 0:
        waiting = [name for name in room.of(Standing.RESERVE) if name != passing_over]
        if not waiting:
            break
        first = room.find(waiting[0])
        if room.rules.promotion is Promotion.AUTOMATIC:
            room = room.put(waiting[0], Standing.CONFIRMED, first.until if first else None)
        else:
            deadline = now + timedelta(hours=room.rules.offer_hours)
            room = room.put(waiting[0], Standing.OFFERED, deadline, keep_turn=True)
    return room


def _step_aside(room: Room, name: str, standing: Standing) -> Room:
    if room.rules.declined_offer is Declined.TO_THE_END:
        return room.put(name, Standing.RESERVE)
    return room.put(name, standing, keep_turn=True)


def _in_field(candidate: Candidate) -> bool:
    return candidate.standing in (Standing.CONFIRMED, Standing.NO_SHOW) and candidate.holds_place


def _alive(candidate: Candidate) -> bool:
    return candidate.standing not in (Standing.WITHDRAWN, Standing.EXPIRED, Standing.NO_SHOW)


def _known(room: Room, name: str) -> Candidate:
    found = room.find(name)
    if found is None or not _alive(found):
        raise TourneyError("place.unknown", name=name)
    return found


# -- what one may ask ------------------------------------------------------------------------------------------------


def place_of(room: Room, name: str) -> Place:
    """Return where somebody stands. Raises TourneyError ``place.unknown`` for a stranger."""
    found = room.find(name)
    if found is None:
        raise TourneyError("place.unknown", name=name)
    for names in (room.main, room.reserve):
        if name in names:
            return Place(found.standing, names.index(name) + 1, found.until)
    return Place(found.standing, 0, found.until)


def changes(old: Room, new: Room) -> tuple[Change, ...]:
    """Return whose standing an event changed, in the order of the new room."""
    before: Mapping[str, Candidate] = {item.name: item for item in old.candidates}
    found: list[Change] = []
    for item in sorted(new.candidates, key=lambda candidate: candidate.turn):
        was = before.get(item.name)
        if was is None or (was.standing, was.until) != (item.standing, item.until):
            found.append(Change(item.name, was.standing if was else None, item.standing, item.until))
    return tuple(found)


def why_nobody_moves(room: Room) -> str | None:
    """Return the code of why no reserve is moving up; None when one would or there is none."""
    if not room.of(Standing.RESERVE):
        return None
    if room.phase is Phase.STARTED:
        return "started"
    if room.free == 0:
        return "offer_open" if room.of(Standing.OFFERED) else "no_free_place"
    return None if room.moves_by_itself else "by_hand_only"


def lowest_free_seat(taken: Iterable[int], capacity: int | None) -> int | None:
    """Return the smallest seat number nobody has; None when all are taken."""
    used = frozenset(taken)
    seat = 1
    while seat in used:
        seat += 1
    return None if capacity is not None and seat > capacity else seat
