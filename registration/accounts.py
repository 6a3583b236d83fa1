"""What each entry owes, from the facts on the table: a constant number of queries for one entry or for all.

The fee is never stored: `fees.quote` answers it anew at every instant from the form, the verified claims, the family,
the arrival, the payments and how the entry ended. Money itself is the sum of append-only ledger lines. An entry goes by
the fee rules in force when it came in: those of a later version count for it only when the organizer says so
(`registration.services.recalculating`), and never once it is paid.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import Q
from django.utils import timezone

from registration.engine import fees
from registration.engine.fees import FeeFacts, FeeQuote, Manual, Outcome, Payment
from registration.engine.ledger import Line, LineKind, TreasurerTotals, balance, charges, treasurer_totals
from registration.models import Application, Claim, LedgerLine
from registration.regulations import FeeVersion, fee_versions
from tourney.kernel.money import Money
from tourney.models import Entry, EntryEvent, Section, Stage, Tournament

State = Entry.State
Kind = LedgerLine.Kind

# Who is charged the fee now. The others owe nothing yet (they wait) or nothing but what the regulation keeps.
CHARGED = frozenset({State.CONFIRMED, State.OFFERED})
WAITING = frozenset({State.APPLIED, State.AWAITING_DEPOSIT, State.RESERVE})
ALIVE = CHARGED | WAITING
# Children of a family count while they are entered; one who did not come does not make the others dearer.
COUNTS_AS_FAMILY = ALIVE | {State.NO_SHOW}
_OUTCOMES = {
    State.WITHDRAWN: Outcome.WITHDRAWN,
    State.NO_SHOW: Outcome.NO_SHOW,
    State.REJECTED: Outcome.REJECTED,
    State.EXPIRED: Outcome.NOT_ADMITTED,
    State.DISQUALIFIED: Outcome.DISQUALIFIED,
}


@dataclass(frozen=True, slots=True)
class Account:
    """One entry with its money."""

    entry: Entry
    application: Application | None
    claims: tuple[Claim, ...]
    lines: tuple[LedgerLine, ...]
    family: tuple[int, ...]  # ids of the family's other entries
    facts: FeeFacts
    quote: FeeQuote
    version: FeeVersion  # whose fee rules count for this entry

    @property
    def ledger(self) -> tuple[Line, ...]:
        """The account in lines: what moved, as stored, and what the regulation charges as things stand."""
        moved = (
            Line(LineKind(line.kind), Money(line.minor, line.currency), line.clause, line.channel)
            for line in self.lines
        )
        return (*moved, *(() if self._only_waits else charges(self.quote)))

    @property
    def balance(self) -> Money:
        return balance(self.ledger, self.quote.due.currency)

    @property
    def charge(self) -> Money:
        """What the organizer may have of this entry as things stand."""
        return Money(0, self.quote.due.currency) if self._only_waits else self.quote.due

    @property
    def owes(self) -> Money:
        return _positive(-self.balance)

    @property
    def credit(self) -> Money:
        """Money to give back, or held for somebody who still waits."""
        return _positive(self.balance)

    @property
    def to_return(self) -> Money:
        """Money that must be given back: an overpayment, or what an ended entry may have again."""
        return Money(0, self.quote.due.currency) if self._only_waits else self.credit

    @property
    def to_ask(self) -> Money:
        """What the desk may ask for now: the rest of the fee of everybody who is still coming."""
        return self.quote.remainder if self.entry.state in ALIVE or self.owes else Money(0, self.quote.due.currency)

    @property
    def _only_waits(self) -> bool:
        """Waits for a place or a word: nothing is charged yet, and money that came is held."""
        return self.entry.state in WAITING and self.facts.outcome is Outcome.OPEN

    @property
    def has_open_claims(self) -> bool:
        return any(claim.state == Claim.State.CLAIMED for claim in self.claims)


def accounts(
    tournament: Tournament,
    entries: Iterable[Entry] | None = None,
    *,
    at: datetime | None = None,
) -> list[Account]:
    """Return the accounts of an event's entries (all, or the given ones), in their order."""
    found = list(tournament.entries.select_related("player", "section") if entries is None else entries)
    books = read_books(tournament, found, at=at)
    return [books.account(entry) for entry in found]


@dataclass(slots=True)
class Books:
    """The facts behind the accounts of some entries, read once; a line booked meanwhile is added, not read again."""

    tournament: Tournament
    at: datetime
    applications: dict[int, Application]
    claims: dict[int, list[Claim]]
    lines: dict[int, list[LedgerLine]]
    endings: dict[int, dict[str, Any]]
    prices: dict[int, Manual]
    taken: dict[int, int]  # entry -> number of the version whose fee rules it was given later
    families: dict[str, list[int]]
    over: frozenset[int]
    versions: list[FeeVersion]

    def add(self, line: LedgerLine) -> None:
        """Take in a line just written for one of the entries."""
        self.lines[int(line.entry_id or 0)].append(line)

    def account(self, entry: Entry) -> Account:
        """Return an entry's account as it stands by these facts and by the entry's state now."""
        application = self.applications.get(entry.pk)
        lines, claims = self.lines.get(entry.pk, []), self.claims.get(entry.pk, [])
        key = application.family_key if application else ""
        family = tuple(pk for pk in self.families.get(key, ()) if pk != entry.pk) if key else ()
        ending = self.endings.get(entry.pk, {})
        facts = FeeFacts(
            registered_at=entry.registered_at,
            arrived_at=application.onsite_at if application else None,
            section=entry.section.code,
            claims=tuple(fees.Claim(one.code, one.state == Claim.State.VERIFIED) for one in claims),
            family_children=len(family) + 1,
            payments=tuple(_payments(lines, self.tournament.currency)),
            refunded=_refunded(lines, self.tournament.currency),
            on_reserve=entry.state in (State.RESERVE, State.OFFERED),
            outcome=_outcome(self.tournament, entry, self.over),
            valid_reason=bool(ending.get("valid_reason")),
            # A state without an event (imported rows) counts as of the first moment we know: in the payer's favour.
            withdrawn_at=ending.get("at", entry.registered_at),
            starts_at=starts_at(self.tournament),
            replaced=bool(ending.get("replaced")),
            manual=self.prices.get(entry.pk),
        )
        version = self.version(entry)
        quote = fees.quote(version.policy, facts, self.at)
        return Account(entry, application, tuple(claims), tuple(lines), family, facts, quote, version)

    def version(self, entry: Entry) -> FeeVersion:
        """Return whose fee rules count for an entry: given later by the organizer, else in force when it came in."""
        taken = self.taken.get(entry.pk)
        given = next((one for one in self.versions if one.number == taken), None)
        before = [one for one in self.versions if one.since <= entry.registered_at]
        found = given or (before or self.versions)[-1 if before else 0]
        newest = self.versions[-1]
        return found if found.policy.currency == newest.policy.currency else newest


def read_books(
    tournament: Tournament,
    entries: Sequence[Entry],
    *,
    at: datetime | None = None,
) -> Books:
    """Read everything the accounts of some entries are made of, in a constant number of queries."""
    ids = [entry.pk for entry in entries]
    applications = {one.entry_id: one for one in Application.objects.filter(entry__in=ids)}
    claims: dict[int, list[Claim]] = defaultdict(list)
    for claim in Claim.objects.filter(entry__in=ids).order_by("pk"):
        claims[claim.entry_id].append(claim)
    lines: dict[int, list[LedgerLine]] = defaultdict(list)
    for line in LedgerLine.objects.filter(tournament=tournament, entry__in=ids).order_by("pk"):
        lines[int(line.entry_id or 0)].append(line)
    endings, prices, taken = _told_by_events(ids)
    has_family = any(application.family_key for application in applications.values())
    return Books(
        tournament=tournament,
        at=at or timezone.now(),
        applications=applications,
        claims=claims,
        lines=lines,
        endings=endings,
        prices=prices,
        taken=taken,
        families=families_of(tournament) if has_family else {},
        over=_sections_under_way(tournament),
        versions=fee_versions(tournament),
    )


def account_of(entry: Entry, *, at: datetime | None = None) -> Account:
    """Return the account of one entry."""
    return accounts(entry.tournament, [entry], at=at)[0]


def families_of(tournament: Tournament) -> dict[str, list[int]]:
    """Return which entries count as children of one family."""
    rows = (
        Application.objects.filter(entry__tournament=tournament, entry__state__in=COUNTS_AS_FAMILY)
        .exclude(family_key="")
        .order_by("entry")
    )
    families: dict[str, list[int]] = defaultdict(list)
    for key, entry_id in rows.values_list("family_key", "entry"):
        families[key].append(entry_id)
    return families


def starts_at(tournament: Tournament) -> datetime:
    """Return the announced start of the event."""
    return datetime.combine(tournament.starts_on, tournament.start_time, tournament.zone)


def totals(tournament: Tournament, found: Sequence[Account]) -> TreasurerTotals:
    """Return what a treasurer adds up, from the accounts' own lines."""
    return treasurer_totals((account.ledger for account in found), tournament.currency)


def _payments(lines: Iterable[LedgerLine], currency: str) -> Iterable[Payment]:
    """Yield what came in; a payment taken back counts from the very moment it had been counted.

    Money moved here from another entry keeps the moment it was paid there.
    """
    moments = {line.pk: line.paid_at for line in lines if line.pk is not None}
    for line in lines:
        if line.kind in (Kind.PAYMENT, Kind.TRANSFER):
            on = moments.get(line.reverses_id, line.paid_at) if line.reverses_id else line.paid_at
            yield Payment(Money(line.minor, currency), on)


def _refunded(lines: Iterable[LedgerLine], currency: str) -> Money:
    return Money(-sum(line.minor for line in lines if line.kind == Kind.REFUND), currency)


def _outcome(tournament: Tournament, entry: Entry, over: frozenset[int]) -> Outcome:
    if tournament.state == Tournament.State.CANCELLED and entry.state in ALIVE:
        return Outcome.EVENT_CANCELLED
    if entry.state in _OUTCOMES:
        return _OUTCOMES[State(entry.state)]
    finished = tournament.state == Tournament.State.FINISHED or entry.section_id in over
    if finished and entry.state in WAITING | {State.OFFERED}:
        return Outcome.NOT_ADMITTED
    if finished and entry.state == State.CONFIRMED:
        return Outcome.PLAYED
    return Outcome.OPEN


def _sections_under_way(tournament: Tournament) -> frozenset[int]:
    """Return the sections where play is over: who is still on the reserve list was not admitted."""
    sections = Section.objects.filter(tournament=tournament)
    stages = Stage.objects.filter(
        section__tournament=tournament, state__in=[Stage.State.FINISHED, Stage.State.CLOSED]
    ).values_list("section", flat=True)
    hosts = set(stages)
    return frozenset(
        pk
        for pk, host in sections.values_list("pk", "merged_into")
        if pk in hosts or (host is not None and host in hosts)
    )


def _told_by_events(ids: Sequence[int]) -> tuple[dict[int, dict[str, Any]], dict[int, Manual], dict[int, int]]:
    """Return how entries ended, which have a price of their own and which were given other fee rules, from events."""
    says = Q(kind__in=["price_set", "fees_taken"]) | Q(state__in=[State.WITHDRAWN, State.NO_SHOW])
    endings: dict[int, dict[str, Any]] = {}
    prices: dict[int, Manual] = {}
    taken: dict[int, int] = {}
    rows = EntryEvent.objects.filter(says, entry__in=ids).order_by("pk")
    for entry_id, kind, at, reason, data in rows.values_list("entry_id", "kind", "at", "reason", "data"):
        if kind == "fees_taken":
            taken[entry_id] = int(data["version"])
        elif kind != "price_set":
            endings[entry_id] = {
                "at": at,
                "valid_reason": data.get("valid_reason"),
                "replaced": data.get("holds_place") is False,
            }
        elif data.get("minor") is None:
            prices.pop(entry_id, None)
        else:
            prices[entry_id] = Manual(Money(int(data["minor"]), str(data["currency"])), reason)
    return endings, prices, taken


def _positive(amount: Money) -> Money:
    return amount if amount.minor > 0 else Money(0, amount.currency)
