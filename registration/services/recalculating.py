"""Another fee for people who have entered already: shown first, taken for those chosen, with a reason, never silently.

A published version of the regulation counts at once for everybody who enters after it. Who had entered before goes on
by the rules of his day until the organizer takes the new ones for him here; who has paid all keeps what he paid.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import transaction
from django.utils import timezone

from registration.accounts import ALIVE, Account, accounts
from registration.engine import fees
from registration.engine.fees import FeeQuote
from registration.regulations import FeeVersion, fee_versions
from registration.rooms import open_floor
from registration.services.places import Teller, settle
from tourney.kernel.errors import TourneyError
from tourney.models import Tournament
from tourney.services.entries import record_entry_event
from tourney.services.log import log


@dataclass(frozen=True, slots=True)
class Difference:
    """An entry that would be charged otherwise by the newest rules; `keeps`: it is paid and stays as it is."""

    account: Account
    after: FeeQuote

    @property
    def keeps(self) -> bool:
        quote = self.account.quote
        return bool(quote.paid) and not quote.remainder

    @property
    def changes(self) -> bool:
        """Whether the fee is another at this moment (else only the deposit, or a later deadline, differs)."""
        return self.after.due != self.account.quote.due


@dataclass(frozen=True, slots=True)
class Recalculation:
    """What the newest version would do: its number, and everybody who has entered under other fee rules."""

    newest: FeeVersion
    differences: tuple[Difference, ...]

    @property
    def open(self) -> tuple[Difference, ...]:
        return tuple(one for one in self.differences if not one.keeps)


def recalculation(
    tournament: Tournament, found: Sequence[Account] | None = None, *, at: datetime | None = None
) -> Recalculation:
    """Return who goes by older fee rules than the newest, with the fee as it is and as it would be.

    `found` are accounts read already, as of `at` (now). Entries that have ended are not listed.
    """
    versions = fee_versions(tournament)
    newest = versions[-1]
    if all(one.policy == newest.policy for one in versions):
        return Recalculation(newest, ())
    moment = at or timezone.now()
    listed = accounts(tournament, at=moment) if found is None else found
    differences = tuple(
        Difference(account, fees.quote(newest.policy, account.facts, moment))
        for account in listed
        if account.entry.state in ALIVE and account.version.policy != newest.policy
    )
    return Recalculation(newest, differences)


@transaction.atomic
def take_newest_fees(
    tournament: Tournament,
    chosen: Collection[int],
    *,
    version: int,
    reason: str,
    actor: Any,
    now: datetime | None = None,
) -> int:
    """Let the newest fee rules count for the entries chosen; return for how many they were taken.

    `version` is the one whose fees the organizer had before him. Chosen entries that have them already are passed
    over, so the same form sent twice does no more. Raises TourneyError ``money.say_why``, ``fees.nobody_chosen``,
    ``fees.other_version``, ``fees.paid_meanwhile``, and ``entry.unknown`` for an entry of another event.
    """
    if not reason.strip():
        raise TourneyError("money.say_why")
    if not chosen:
        raise TourneyError("fees.nobody_chosen")
    moment = now or timezone.now()
    Tournament.objects.select_for_update(no_key=True).get(pk=tournament.pk)
    entries = {entry.pk: entry for entry in tournament.entries.filter(pk__in=chosen).select_related("player")}
    if len(entries) != len(set(chosen)):
        raise TourneyError("entry.unknown")
    floors = {pk: open_floor(pk) for pk in sorted({entry.section_id for entry in entries.values()})}
    locked = [floors[entry.section_id].entry(str(pk)) for pk, entry in sorted(entries.items())]
    for entry in locked:
        entry.player = entries[entry.pk].player
    found = recalculation(tournament, accounts(tournament, locked, at=moment), at=moment)
    if found.newest.number != version:
        raise TourneyError("fees.other_version", version=found.newest.number)
    for one in found.differences:
        if one.keeps:
            raise TourneyError("fees.paid_meanwhile", name=one.account.entry.name)
    for one in found.differences:
        entry = one.account.entry
        record_entry_event(
            entry,
            "fees_taken",
            by=actor,
            reason=reason,
            at=moment,
            version=found.newest.number,
            before=one.account.quote.fee.minor,
            after=one.after.fee.minor,
            currency=tournament.currency,
        )
        settle(floors[entry.section_id], entry, now=moment, by=actor, tell=Teller())
    if found.differences:
        taken = len(found.differences)
        log(tournament, "money.fees_taken", actor=actor, reason=reason, version=version, entries=taken)
    return len(found.differences)
