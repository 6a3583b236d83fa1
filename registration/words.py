"""Codes of the engine in words for pages and letters: fee lines, standings, history.

Why somebody pays less is never part of a fee line here: a line says "Discount", and only the desk's own page of claims
names grounds.
"""

from __future__ import annotations

from collections import defaultdict
from datetime import datetime
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext, pgettext_lazy

from registration.engine.fee_price import FeeLine
from registration.engine.fee_rules import Early, FeePolicy
from registration.engine.fees import FeeQuote
from registration.engine.moments import Deadline
from registration.models import LedgerLine
from tourney.formatting import day_text, moment_text, money_text
from tourney.kernel.money import Money
from tourney.models import Entry, Tournament

FEE_LINES: dict[str, Any] = {
    "base": gettext_lazy("Entry fee"),
    "early": gettext_lazy("Early registration"),
    "discount": gettext_lazy("Discount"),
    "special": gettext_lazy("Reduced fee"),
    "sibling": gettext_lazy("Family price"),
    "exempt": gettext_lazy("Free of charge"),
    "late": gettext_lazy("Late entry"),
    "manual": gettext_lazy("Price set by the organizer"),
}
# `FeeLine.why` of an ended entry is "<outcome>.<what is kept>".
OUTCOMES: dict[str, Any] = {
    "no_show": gettext_lazy("Did not come"),
    "withdrawn": gettext_lazy("Withdrawn"),
    "disqualified": gettext_lazy("Removed from the event"),
    "event_cancelled": gettext_lazy("The event was cancelled"),
    "rejected": gettext_lazy("Not admitted"),
    "not_admitted": gettext_lazy("Stayed on the reserve list"),
}
KEPT: dict[str, Any] = {
    "nothing": gettext_lazy("everything paid is given back"),
    "deposit": gettext_lazy("the deposit is kept"),
    "paid_fee": gettext_lazy("what was paid of the fee is kept"),
    "all_paid": gettext_lazy("everything paid is kept"),
    "fee": gettext_lazy("the fee stays due"),
}
STATES: dict[str, tuple[str, Any]] = {  # an entry's state: the look of its badge, and its word
    "applied": ("need", pgettext_lazy("state", "waits for the organizer")),
    "awaiting_deposit": ("need", pgettext_lazy("state", "waits for the deposit")),
    "confirmed": ("on", pgettext_lazy("state", "confirmed")),
    "reserve": ("plain", pgettext_lazy("state", "on the reserve list")),
    "offered": ("need", pgettext_lazy("state", "place offered")),
    "withdrawn": ("off", pgettext_lazy("state", "withdrawn")),
    "no_show": ("bad", pgettext_lazy("state", "did not come")),
    "rejected": ("off", pgettext_lazy("state", "not admitted")),
    "expired": ("off", pgettext_lazy("state", "offer ran out")),
    "disqualified": ("bad", pgettext_lazy("state", "disqualified")),
}
HISTORY: dict[str, Any] = {
    "registered": gettext_lazy("Entered"),
    "admitted": gettext_lazy("Admitted"),
    "awaiting_deposit": gettext_lazy("Waits for the deposit"),
    "confirmed": gettext_lazy("Place confirmed"),
    "reserved": gettext_lazy("Put on the reserve list"),
    "offered": gettext_lazy("Place offered, until %(until)s"),
    "accepted": gettext_lazy("Offer accepted"),
    "declined": gettext_lazy("Offer declined"),
    "offer_closed": gettext_lazy("Offer closed: the list was drawn"),
    "promoted": gettext_lazy("Moved up from the reserve list"),
    "moved_to_end": gettext_lazy("Moved to the end of the reserve list"),
    "place_kept": gettext_lazy("Place kept"),
    "withdrawn": gettext_lazy("Withdrawn"),
    "returned": gettext_lazy("Came back"),
    "expired": gettext_lazy("The offer ran out"),
    "no_show": gettext_lazy("Did not come"),
    "replaced": gettext_lazy("A reserve took the place"),
    "rejected": gettext_lazy("Not admitted"),
    "disqualified": gettext_lazy("Disqualified"),
    "arrived": gettext_lazy("Here since %(arrived)s"),
    "arrival_taken_back": gettext_lazy("Mark of presence taken back"),
    "edited": gettext_lazy("Changed: %(fields)s"),
    "price_set": gettext_lazy("Price set: %(price)s"),
    "fees_taken": gettext_lazy("Fee by version %(version)s of the regulation: %(before)s → %(after)s"),
    "claim_told": gettext_lazy("Grounds told at the desk"),
    "claim_verified": gettext_lazy("Grounds checked"),
    "claim_refused": gettext_lazy("Grounds not proven"),
    "family_joined": gettext_lazy("Joined with a brother or sister"),
    "family_left": gettext_lazy("Family link taken away"),
    "link_revoked": gettext_lazy("New personal link; the old ones no longer work"),
    "notice_sent": gettext_lazy("Letter sent"),
    "paper_sent": gettext_lazy("Photograph of a paper sent"),
    "paper_removed": gettext_lazy("Photograph of a paper taken away"),
    "erasure_asked": gettext_lazy("Asked for the personal data to be erased"),
    "erased": gettext_lazy("Personal data erased"),
    "joined_late": gettext_lazy("Joined the start list late"),
    "copied": gettext_lazy("Copied into this rehearsal"),
}
FIELD_WORDS: dict[str, Any] = {
    "surname": gettext_lazy("surname"),
    "given_name": gettext_lazy("name"),
    "patronymic": gettext_lazy("patronymic"),
    "latin_name": gettext_lazy("name in Latin letters"),
    "sex": gettext_lazy("sex"),
    "birth_date": gettext_lazy("date of birth"),
    "title": gettext_lazy("title"),
    "level": gettext_lazy("class"),
    "club": gettext_lazy("club"),
    "city": gettext_lazy("town"),
    "district": gettext_lazy("district"),
    "federation": gettext_lazy("federation"),
    "fide_id": "ID FIDE",
    "national_id": gettext_lazy("national ID"),
    "ratings": gettext_lazy("ratings"),
    "coach": gettext_lazy("coach"),
    "email": gettext_lazy("e-mail"),
    "phone": gettext_lazy("telephone"),
    "guardian_name": gettext_lazy("parent or guardian"),
    "guardian_relation": gettext_lazy("relation"),
    "note": gettext_lazy("note"),
    "public_name": gettext_lazy("name on public pages"),
    "language": gettext_lazy("language of letters"),
}
METHODS: dict[str, Any] = {
    "cash": gettext_lazy("cash at the desk"),
    "transfer": gettext_lazy("bank transfer"),
    "card": gettext_lazy("card at the desk"),
}
NOBODY_MOVES: dict[str, Any] = {
    "started": gettext_lazy("Play has begun: nobody moves up any more."),
    "offer_open": gettext_lazy("The free place is offered to somebody who has not answered yet."),
    "no_free_place": gettext_lazy("No place is free."),
    "by_hand_only": gettext_lazy("The list is drawn: a reserve moves up by your hand only."),
}


def fee_rows(quote: FeeQuote, policy: FeePolicy, tournament: Tournament) -> list[dict[str, Any]]:
    """Return the lines of a quote by a policy as `components/fee_lines.html` shows them."""
    return [
        {
            "label": _label(line),
            "clause": line.clause,
            "amount": line.amount,
            "note": _note(line, policy, tournament),
        }
        for line in quote.lines
    ]


def fees_differ(entries: int) -> str:
    """Return the sentence that so many entries go by older fee rules and would be charged otherwise."""
    return ngettext(
        "%(n)d entry has another fee than the new rules say",
        "%(n)d entries have another fee than the new rules say",
        entries,
    ) % {"n": entries}


def _label(line: FeeLine) -> Any:
    if line.kind == "outcome":
        outcome, _dot, keep = line.why.partition(".")
        return f"{OUTCOMES.get(outcome, outcome)}: {KEPT.get(keep, keep)}"
    return FEE_LINES.get(line.kind, line.kind)


def _note(line: FeeLine, policy: FeePolicy, tournament: Tournament) -> Any:
    if line.kind == "early":
        rule = next((rule for rule in policy.rules if isinstance(rule, Early)), None)
        return early_words(rule.until, tournament) if rule else ""
    if line.why == "discount.nothing_left":
        return _("nothing is left to take off")
    return ""


def deadline_words(deadline: Deadline, tournament: Tournament) -> str:
    """Return the last day, or the last moment, on which one is in time."""
    return day_text(deadline.last_day) if deadline.is_day else moment_text(deadline.moment, tournament.zone)


def early_words(deadline: Deadline, tournament: Tournament) -> str:
    return _("until %(when)s") % {"when": deadline_words(deadline, tournament)}


def erased_here_only(tournament: Tournament) -> str:
    """Say that an event which has moved holds the person at its other place too."""
    return _(
        "The event goes on at another place (%(to)s), and the data went there with it. This erases them here; "
        "ask for it there as well."
    ) % {"to": tournament.moved_to}


def history(entry: Entry, events: Any) -> list[dict[str, Any]]:
    """Return an entry's events as `components/log.html` wants them, newest first."""
    zone = entry.tournament.zone
    shown = []
    for event in events:
        values: dict[str, Any] = defaultdict(str, event.data)
        if "until" in event.data:
            values["until"] = moment_text(_moment(event.data["until"]), zone)
        if "arrived" in event.data:
            values["arrived"] = f"{_moment(event.data['arrived']).astimezone(zone):%H:%M:%S}"
        if "fields" in event.data:
            values["fields"] = ", ".join(str(FIELD_WORDS.get(name, name)) for name in event.data["fields"])
        if event.kind == "price_set":
            minor = event.data.get("minor")
            values["price"] = (
                _("as the rules say") if minor is None else money_text(Money(minor, event.data["currency"]))
            )
        if event.kind == "fees_taken":
            for key in ("before", "after"):
                values[key] = money_text(Money(event.data[key], event.data["currency"]))
        words = [str(HISTORY.get(event.kind, event.kind)) % values]
        if event.kind in ("registered", "admitted", "returned") and event.state in STATES:
            words.append(str(STATES[event.state][1]))
        if event.kind == "no_show":
            words.append(_("valid reason") if event.data.get("valid_reason") else _("without a valid reason"))
        if event.data.get("accepted_by"):
            words.append(_("accepted by %(who)s") % {"who": event.data["accepted_by"]})
        who = event.by.get_username() if event.by else _("entrant") if event.data.get("by_entrant") else ""
        shown.append({"at": event.at, "what": " · ".join(words), "why": event.reason, "who": who})
    return shown[::-1]


def _moment(text: str) -> datetime:
    return datetime.fromisoformat(text)


def line_words(line: LedgerLine) -> str:
    """Return what a line of the ledger is: a payment, one taken back, a deposit given back."""
    if not line.reverses_id or line.kind == LedgerLine.Kind.TRANSFER:
        return str(line.get_kind_display())
    if line.kind != LedgerLine.Kind.DEPOSIT_APPEAL:
        return _("taken back")
    kept = line.channel == LedgerLine.Channel.NONE
    return _("appeal deposit no longer held") if kept else _("appeal deposit given back")
