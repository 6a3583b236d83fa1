"""What a form says before it is sent: the fee line by line, and the place or the number on the reserve list."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from django.utils import timezone

from registration.accounts import Account
from registration.engine import capacity, fees
from registration.engine.capacity import SeatTakenBy, Standing
from registration.engine.eligibility import Decision, Verdict
from registration.engine.fee_rules import Early
from registration.engine.fees import FeeFacts, FeeQuote, Outcome
from registration.engine.rules import RegistrationRules
from registration.rooms import read_floor
from registration.services.applicants import Applicant
from registration.words import deadline_words, fee_rows
from tourney.kernel.money import Money
from tourney.models import Section


@dataclass(frozen=True, slots=True)
class Preview:
    """The answer to "what if I sent this now?". `reserve` is the number on the reserve list (0: there is a place)."""

    section: Section
    quote: FeeQuote
    lines: list[dict[str, Any]]
    proven_fee: Money | None  # the fee once the claimed grounds are checked, where it differs
    early_until: str
    free: int | None
    reserve: int
    by_deposit: bool
    waits: bool  # for the organizer's word
    reason: str


def preview(
    section: Section,
    known: RegistrationRules,
    applicant: Applicant,
    verdict: Verdict | None,
    *,
    now: datetime,
    family_children: int = 1,
) -> Preview:
    """Return the fee and the place of somebody who would be entered now."""
    facts = FeeFacts(
        registered_at=now,
        section=section.code,
        claims=tuple(fees.Claim(code, False) for code in applicant.claims),
        family_children=family_children,
    )
    quote = fees.quote(known.fees, facts, now)
    proven = replace(facts, claims=tuple(fees.Claim(code, True) for code in applicant.claims))
    proven_fee = fees.quote(known.fees, proven, now).fee
    floor = read_floor(section)
    room = capacity.register(floor.room, "new", now)
    by_deposit = room.rules.seat_taken_by is SeatTakenBy.DEPOSIT
    if by_deposit:
        room = capacity.confirm(room, "new", now)
    place = capacity.place_of(room, "new")
    early = known.fees.first(Early, section.code)
    return Preview(
        section=section,
        quote=quote,
        lines=fee_rows(quote, known.fees, section.tournament),
        proven_fee=proven_fee if proven_fee != quote.fee else None,
        early_until=deadline_words(early.until, section.tournament) if early is not None and quote.early else "",
        free=floor.room.free,
        reserve=place.number if place.standing is Standing.RESERVE else 0,
        by_deposit=by_deposit,
        waits=verdict is not None and verdict.decision is Decision.NEEDS_DECISION,
        reason=verdict.reason if verdict is not None else "",
    )


def after_withdrawal(account: Account, *, now: datetime | None = None) -> FeeQuote:
    """Return what an entry would owe and get back if it were withdrawn now."""
    moment = now or timezone.now()
    ended = replace(account.facts, outcome=Outcome.WITHDRAWN, withdrawn_at=moment, on_reserve=False)
    return fees.quote(account.version.policy, ended, moment)
