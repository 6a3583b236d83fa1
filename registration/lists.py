"""Lists for the staff: entries with filters, the reserve list in order, and the export."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from django.utils.translation import gettext as _

from registration.accounts import ALIVE, Account, accounts
from registration.engine.capacity import why_nobody_moves
from registration.rooms import read_floor
from registration.services.applicants import fold_name
from registration.words import NOBODY_MOVES, STATES
from tourney.csv_files import safe_cell
from tourney.kernel.errors import TourneyError
from tourney.models import Entry, Section, Tournament

State = Entry.State

# A chip of the list -> the states behind it.
FILTERS: dict[str, tuple[str, ...]] = {
    "applied": (State.APPLIED,),
    "awaiting_deposit": (State.AWAITING_DEPOSIT,),
    "confirmed": (State.CONFIRMED,),
    "reserve": (State.RESERVE, State.OFFERED),
    "gone": (State.WITHDRAWN, State.NO_SHOW, State.REJECTED, State.EXPIRED, State.DISQUALIFIED),
}


@dataclass(frozen=True, slots=True)
class Wanted:
    """What of the list is asked for; anything unknown in the address asks for everything."""

    state: str = ""
    section: str = ""
    search: str = ""
    unpaid: bool = False

    @classmethod
    def of(cls, query: Any, sections: Sequence[Section]) -> Wanted:
        state, section = query.get("state", ""), query.get("section", "")
        return cls(
            state=state if state in FILTERS else "",
            section=section if section in {one.code for one in sections} else "",
            search=" ".join(query.get("q", "").split())[:80],
            unpaid=query.get("unpaid") == "1",
        )

    def address(self, **changes: Any) -> str:
        values = {
            "state": self.state,
            "section": self.section,
            "q": self.search,
            "unpaid": "1" if self.unpaid else "",
        } | changes
        return "?" + urlencode({key: value for key, value in values.items() if value})

    def takes(self, account: Account) -> bool:
        entry = account.entry
        if self.state and entry.state not in FILTERS[self.state]:
            return False
        if self.section and entry.section.code != self.section:
            return False
        if self.unpaid and not (account.to_ask and entry.state in ALIVE):
            return False
        return all(word in _findable(account) for word in fold_name(self.search).split())


def _findable(account: Account) -> str:
    player, application = account.entry.player, account.application
    reference = application.reference if application else ""
    return fold_name(" ".join([player.full_name, player.club, player.city, player.latin_name, reference]))


def every_account(tournament: Tournament) -> list[Account]:
    """Return all accounts of an event, by name."""
    entries = tournament.entries.select_related("player", "section").order_by(
        "player__surname", "player__given_name", "pk"
    )
    found = list(entries)
    for entry in found:
        entry.tournament = entry.section.tournament = tournament
    return accounts(tournament, found)


def chips(found: Sequence[Account], wanted: Wanted) -> list[dict[str, Any]]:
    """Return the filters by state with their counts, each combined with what else is asked for."""
    counts: Counter[str] = Counter()
    for account in found:
        for key, states in FILTERS.items():
            counts[key] += account.entry.state in states
    unpaid = sum(1 for account in found if account.to_ask and account.entry.state in ALIVE)
    words = {
        "applied": _("Waiting for a word"),
        "awaiting_deposit": _("Waiting for the deposit"),
        "confirmed": _("Confirmed"),
        "reserve": _("Reserve list"),
        "gone": _("Gone"),
    }
    return [
        {
            "label": _("All"),
            "count": len(found),
            "url": wanted.address(state="", unpaid=""),
            "active": not wanted.state and not wanted.unpaid,
        },
        *(
            {
                "label": words[key],
                "count": counts[key],
                "url": wanted.address(state=key, unpaid=""),
                "active": wanted.state == key,
                "tone": "need" if key == "applied" and counts[key] else "",
            }
            for key in FILTERS
            if counts[key] or wanted.state == key
        ),
        {
            "label": _("Something to pay"),
            "count": unpaid,
            "url": wanted.address(state="", unpaid="1"),
            "active": wanted.unpaid,
        },
    ]


def reserve_lists(sections: Sequence[Section], found: Sequence[Account]) -> list[dict[str, Any]]:
    """Return the reserve lists in their own order, with why nobody moves up."""
    with_reserves = {account.entry.section_id for account in found if account.entry.state in FILTERS["reserve"]}
    by_name = {str(account.entry.pk): account for account in found}
    lists = []
    for section in sections:
        if section.pk not in with_reserves:
            continue
        try:
            room = read_floor(section).room
        except TourneyError:
            continue
        code = why_nobody_moves(room)
        lists.append(
            {
                "section": section,
                "free": room.free,
                "why": NOBODY_MOVES.get(code or "", ""),
                "by_hand": code == "by_hand_only",
                "accounts": [by_name[name] for name in room.reserve if name in by_name],
            }
        )
    return lists


def state_badge(state: str) -> tuple[str, Any]:
    return STATES.get(state, ("plain", state))


# -- export ----------------------------------------------------------------------------------------------------------


HEADS = (
    "surname name patronymic birth_date sex class rating fide_id national_id town district club group state number "
    "registered e_mail telephone guardian reference fee paid to_pay"
)


def export_rows(found: Sequence[Account]) -> list[list[str]]:
    """Return the export: a head and a line per entry. Grounds for a lower fee are not among the columns."""
    rows = [HEADS.split()]
    for account in found:
        entry, player, form = account.entry, account.entry.player, account.application
        zone = entry.tournament.zone
        cells: list[Any] = [
            player.surname,
            player.given_name,
            player.patronymic,
            player.birth_date.isoformat() if player.birth_date else player.birth_year,
            player.sex,
            entry.level,
            entry.rating,
            player.fide_id,
            player.national_id,
            player.city,
            player.district,
            player.club,
            entry.section.title_text,
            entry.state,
            entry.start_number,
            f"{entry.registered_at.astimezone(zone):%Y-%m-%d %H:%M:%S}",
            form.email if form else "",
            form.phone if form else "",
            form.guardian_name if form else "",
            form.reference if form else "",
        ]
        amounts = (account.quote.due, account.quote.paid, account.to_ask)
        rows.append([safe_cell(cell) for cell in cells] + [f"{amount.major:f}" for amount in amounts])
    return rows
