"""What this app adds to core pages (see `tourney.panels`): two steps, tasks, numbers, the fee on the event page."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from django.db.models import Count, Q
from django.http import HttpRequest
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext, pgettext_lazy

from registration import archive_ids
from registration.accounts import accounts, totals
from registration.conduct import panels as conduct
from registration.engine.fee_rules import Base, Deposit, Early, Late
from registration.engine.fees import price_range
from registration.engine.rules import RegistrationRules
from registration.engine.statements.reading import LARGEST as LARGEST_STATEMENT
from registration.links import links_of_another_key
from registration.lists import every_account
from registration.models import Application, BankRow, Claim, LedgerLine, Letter
from registration.privacy.models import Erasure
from registration.privacy.pictures import MOST_BYTES as LARGEST_PAPER
from registration.ratings.loading import MOST_BYTES as LARGEST_LIST
from registration.regulations import rules_of
from registration.rooms import read_floor, rebuild_seats
from registration.services.entering import check_is_open
from registration.services.recalculating import recalculation
from registration.sheets import LARGEST as LARGEST_TABLE
from registration.telling import panels as telling
from registration.words import METHODS, deadline_words, fees_differ
from tourney import panels, uploads
from tourney.formatting import money_text
from tourney.kernel.errors import TourneyError
from tourney.kernel.money import Money
from tourney.models import Entry, Section, Tournament
from tourney.permissions import may
from tourney.services.states import is_event_day

State = Entry.State
Phase = Tournament.State
FEES_ARE_NEWS = timedelta(days=3)


def register() -> None:
    """Add this app's providers."""
    archive_ids.register()
    panels.register("steps", registration_step)
    panels.register("steps", desk_step)
    panels.register("now", tasks)
    panels.register("numbers", numbers)
    panels.register("event", event_panel)
    panels.register("close", close_panel)
    panels.register("report", report_panel)
    panels.register("income", income)
    panels.register("contacts", contacts)
    panels.register("rebuild", rebuild)
    panels.register("other_key", links_of_another_key)
    conduct.register()
    telling.register()
    uploads.allow("manage_bank", LARGEST_STATEMENT)
    uploads.allow("manage_rating_lists", LARGEST_LIST)
    uploads.allow("entrant_papers", LARGEST_PAPER)
    uploads.allow("register_group", LARGEST_TABLE)


# -- the stepper -----------------------------------------------------------------------------------------------------


def registration_step(tournament: Tournament) -> panels.Step:
    """How many are in, and what waits for the organizer."""
    rows = tournament.entries.aggregate(
        confirmed=Count("pk", filter=Q(state=State.CONFIRMED)),
        applied=Count("pk", filter=Q(state=State.APPLIED)),
    )
    places = _places(tournament)
    if tournament.state == Phase.REGISTRATION:
        state = "now"
    else:
        state = "todo" if tournament.state == Phase.DRAFT else "done"
    note = ""
    if rows["applied"]:
        note = ngettext("%(n)d waits for a word", "%(n)d wait for a word", rows["applied"]) % {"n": rows["applied"]}
    return panels.Step(
        "registration",
        _("Registration"),
        reverse("manage_entries", args=[tournament.slug]),
        state=state,
        count=f"{rows['confirmed']}/{places}" if places else str(rows["confirmed"] or ""),
        note=note,
        order=20,
        needs=("entries",),
    )


def _places(tournament: Tournament) -> int:
    capacities = list(tournament.sections.values_list("capacity", flat=True))
    return sum(capacities) if capacities and all(capacities) else 0


def desk_step(tournament: Tournament) -> panels.Step:
    """Who is here, of those who have a place."""
    rows = tournament.entries.aggregate(
        confirmed=Count("pk", filter=Q(state=State.CONFIRMED)),
        present=Count("pk", filter=Q(state=State.CONFIRMED, present=True)),
    )
    here, all_of = rows["present"], rows["confirmed"]
    if tournament.state == Phase.FINISHED or (all_of and here == all_of):
        state = "done"
    elif here or (is_event_day(tournament) and tournament.state in (Phase.REGISTRATION, Phase.CLOSED)):
        state = "now"
    else:
        state = "done" if tournament.state == Phase.RUNNING else "todo"
    return panels.Step(
        "desk",
        pgettext_lazy("step", "Desk"),
        reverse("manage_desk", args=[tournament.slug]),
        state=state,
        count=f"{here}/{all_of}" if here else "",
        order=30,
        needs=("desk",),
        elsewhere=("money", reverse("manage_treasury", args=[tournament.slug])),
    )


# -- what must be done now -------------------------------------------------------------------------------------------


def tasks(request: HttpRequest, tournament: Tournament) -> list[panels.Task]:
    """Applications that wait, places that stand free beside a reserve list, papers and money on the day."""
    if tournament.state in (Phase.DRAFT, Phase.FINISHED, Phase.CANCELLED) or tournament.is_rehearsal:
        return []
    found: list[panels.Task] = []
    entries = reverse("manage_entries", args=[tournament.slug])
    if may(request, tournament, "organize"):
        waiting = tournament.entries.filter(state=State.APPLIED).select_related("player")
        names = [entry.player.name for entry in waiting[:4]]
        count = waiting.count() if len(names) > 3 else len(names)
        if count:
            text = ngettext("%(n)d entry waits for your word", "%(n)d entries wait for your word", count) % {"n": count}
            url = f"{entries}?state=applied"
            found.append(panels.Task(text, url, _("Decide"), 22, ", ".join(names[:3]) + (" …" if count > 3 else "")))
    if may(request, tournament, "desk") or may(request, tournament, "arbitrate"):
        found += _free_places(tournament, entries)
    if may(request, tournament, "desk"):
        found += _desk_tasks(tournament)
        found += _letter_tasks(tournament)
    if may(request, tournament, "money"):
        found += _bank_tasks(tournament)
    if may(request, tournament, "organize"):
        found += _erasure_tasks(tournament)
        found += _fee_tasks(tournament)
    return found


def _fee_tasks(tournament: Tournament) -> list[panels.Task]:
    """A new version has other fees than people came in under; said for some days, then it is taken as wanted."""
    if tournament.regulations.count() < 2:
        return []
    known = recalculation(tournament)
    other = [one for one in known.open if one.changes]
    if not other or timezone.now() - known.newest.since > FEES_ARE_NEWS:
        return []
    text = fees_differ(len(other))
    return [panels.Task(text, reverse("manage_fees", args=[tournament.slug]), _("Look"), 38)]


def _letter_tasks(tournament: Tournament) -> list[panels.Task]:
    """Letters the mail server has not taken: whoever waits for one does not know."""
    failed = Letter.objects.filter(entry__tournament=tournament, state=Letter.State.FAILED).count()
    if not failed:
        return []
    text = ngettext("%(n)d letter could not be sent", "%(n)d letters could not be sent", failed) % {"n": failed}
    return [panels.Task(text, reverse("manage_letters", args=[tournament.slug]) + "?state=failed", _("Look"), 54)]


def _erasure_tasks(tournament: Tournament) -> list[panels.Task]:
    """Entrants who asked for their data to be erased while they still take part."""
    asked = Erasure.objects.filter(tournament=tournament, done_at__isnull=True).select_related("entry__player")
    return [
        panels.Task(
            _("%(name)s asks for the personal data to be erased") % {"name": one.entry.player.name},
            reverse("manage_entry", args=[tournament.slug, one.entry_id]),
            _("Look"),
            56,
            _("done by itself when the event is over"),
        )
        for one in asked[:5]
    ]


def _free_places(tournament: Tournament, url: str) -> list[panels.Task]:
    """Free places that nobody fills by himself any more, while somebody waits (K3.4)."""
    found = []
    sections = Section.objects.filter(
        tournament=tournament, capacity__isnull=False, entries__state=State.RESERVE
    ).distinct()
    for section in sections:
        section.tournament = tournament
        try:
            room = read_floor(section).room
        except TourneyError:
            continue
        if room.free and room.phase != "started":
            text = ngettext(
                "%(n)d place is free, and somebody is on the reserve list",
                "%(n)d places are free, and somebody is on the reserve list",
                room.free,
            ) % {"n": room.free}
            found.append(panels.Task(text, f"{url}?state=reserve", _("Move somebody up"), 24, section.title_text))
    return found


def _desk_tasks(tournament: Tournament) -> list[panels.Task]:
    found = []
    if is_event_day(tournament) and tournament.state in (Phase.REGISTRATION, Phase.CLOSED):
        missing = tournament.entries.filter(state=State.CONFIRMED, present=False).count()
        if missing:
            text = ngettext("%(n)d player is not here yet", "%(n)d players are not here yet", missing) % {"n": missing}
            url = reverse("manage_desk", args=[tournament.slug]) + "?only=missing"
            found.append(panels.Task(text, url, _("Open the desk"), 30))
    papers = Claim.objects.filter(
        entry__tournament=tournament, state=Claim.State.CLAIMED, entry__state__in=[State.CONFIRMED, State.RESERVE]
    ).count()
    if papers:
        text = ngettext("%(n)d paper to look at", "%(n)d papers to look at", papers) % {"n": papers}
        url = reverse("manage_claims", args=[tournament.slug])
        # While games are played, papers can wait for a quiet moment.
        order = 58 if tournament.state == Phase.RUNNING else 34
        found.append(panels.Task(text, url, _("Look"), order, _("the fee changes once a document has been seen")))
    return found


def _bank_tasks(tournament: Tournament) -> list[panels.Task]:
    payments = BankRow.objects.filter(tournament=tournament, state=BankRow.State.WAITING).count()
    if not payments:
        return []
    text = ngettext("%(n)d bank payment waits", "%(n)d bank payments wait", payments) % {"n": payments}
    url = reverse("manage_bank", args=[tournament.slug])
    return [panels.Task(text, url, _("Look"), 36, _("say whose they are"))]


def numbers(request: HttpRequest, tournament: Tournament) -> list[panels.Number]:
    """What is still to be paid, for those who handle money."""
    if not may(request, tournament, "money"):
        return []
    try:
        known = rules_of(tournament)
    except TourneyError:
        return []
    if not known.fees.rules:
        return []
    whole = totals(tournament, every_account(tournament))
    cash = reverse("manage_cash", args=[tournament.slug])
    found = [panels.Number(money_text(whole.paid), _("received"), cash, order=30)]
    if whole.owed:
        url = reverse("manage_entries", args=[tournament.slug]) + "?unpaid=1"
        found.append(panels.Number(money_text(whole.owed), _("still to be paid"), url, "need", order=31))
    return found


# -- public: the event page ------------------------------------------------------------------------------------------


def event_panel(request: HttpRequest, tournament: Tournament) -> panels.Panel | None:
    """The fee in figures, the last day of the lower price, the places left, and the big button (K4.1)."""
    try:
        known = rules_of(tournament)
    except TourneyError:
        return None
    sections = list(tournament.sections.all())
    open_now, closed_code = False, ""
    places = []
    for section in sections:
        section.tournament = tournament
        try:
            check_is_open(section, known, timezone.now(), online=True)
            open_now = True
        except TourneyError as refused:
            closed_code = refused.code
        if section.capacity is not None and tournament.state == Phase.REGISTRATION:
            try:
                room = read_floor(section).room
            except TourneyError:
                continue
            places.append({"section": section, "free": room.free or 0, "reserve": len(room.reserve)})
    if not open_now and tournament.state in (Phase.RUNNING, Phase.FINISHED, Phase.CANCELLED):
        return None
    return panels.Panel(
        "registration/_event_panel.html",
        {
            "open": open_now,
            "not_yet": closed_code == "entry.not_open",
            "closes": deadline_words(known.entry.closes_at, tournament) if known.entry.closes_at else "",
            "opens": deadline_words(known.entry.opens_at, tournament)
            if known.entry.opens_at and known.entry.opens_at.allows(timezone.now())
            else "",
            "fees": _fee_summary(known, tournament),
            "places": places,
            "many": len(sections) > 1,
            "methods": [METHODS[method] for method in known.payment.methods] if known.fees.rules else [],
            "url": reverse("register", args=[tournament.slug]),
        },
        order=10,
    )


def _fee_summary(known: RegistrationRules, tournament: Tournament) -> list[dict[str, Any]]:
    """Return the main prices. Grounds for another fee are in the regulation; here only that there are some."""
    section = next((one.code for one in known.sections), "")
    base = known.fees.first(Base, section)
    if base is None:
        return [{"label": _("Entry fee"), "value": _("free of charge")}]
    lowest, _highest = price_range(known.fees, section)
    rows: list[dict[str, Any]] = [
        {"label": _("Entry fee"), "value": money_text(base.amount), "clause": base.clause},
    ]
    early = known.fees.first(Early, section)
    if early is not None and early.until.allows(timezone.now()):
        until = deadline_words(early.until, tournament)
        rows[0]["label"] = _("Entry fee afterwards")
        label = _("Entry fee until %(when)s") % {"when": until}
        rows.insert(0, {"label": label, "value": money_text(lowest), "clause": early.clause})
    deposit = known.fees.first(Deposit, section)
    if deposit is not None:
        label = _("of it as a deposit: it confirms the place")
        rows.append({"label": label, "value": money_text(deposit.amount), "clause": deposit.clause})
    late = known.fees.first(Late, section)
    if late is not None:
        until = deadline_words(late.registered_until, tournament) if late.registered_until else ""
        label = _("Without registration by %(when)s") % {"when": until} if until else _("Late entry")
        rows.append({"label": label, "value": money_text(late.amount), "clause": late.clause})
    return rows


# -- closing, report, rebuilding -------------------------------------------------------------------------------------


def close_panel(section: Section) -> panels.Panel | None:
    """What is worth knowing before a start list closes: who owes, who stays out, how many reserves wait."""
    entries = list(section.entries.select_related("player", "section"))
    for entry in entries:
        entry.tournament = entry.section.tournament = section.tournament
    try:
        found = accounts(section.tournament, entries)
        room = read_floor(section).room
    except TourneyError:
        return None
    owing = [account for account in found if account.owes and account.entry.state == State.CONFIRMED]
    waiting = [a.entry for a in found if a.entry.state in (State.APPLIED, State.AWAITING_DEPOSIT)]
    if not owing and not waiting and not room.reserve:
        return None
    return panels.Panel(
        "registration/_close_panel.html",
        {
            "owing": owing,
            "sum": totals(section.tournament, owing).owed,
            "waiting": waiting,
            "reserves": len(room.reserve),
            "free": room.free,
        },
    )


def report_panel(request: HttpRequest, tournament: Tournament) -> panels.Panel | None:
    """The event's money in the report, for those who handle it: sums only, no names and no grounds."""
    if not may(request, tournament, "money"):
        return None
    try:
        known = rules_of(tournament)
    except TourneyError:
        return None
    if not known.fees.rules and not LedgerLine.objects.filter(tournament=tournament).exists():
        return None
    found = every_account(tournament)
    whole = totals(tournament, found)
    receipts = LedgerLine.objects.filter(tournament=tournament, receipt_number__isnull=False).count()
    return panels.Panel(
        "registration/_report_panel.html",
        {
            "whole": whole,
            "channels": [
                {"word": METHODS.get(channel, channel), "amount": amount}
                for channel, amount in whole.by_channel.items()
            ],
            "receipts": receipts,
            "payers": sum(1 for account in found if account.quote.paid),
        },
        order=40,
    )


def income(tournament: Tournament) -> list[tuple[Any, Money, Money]]:
    """What players pay, for the event's fund: received so far (refunds taken off), and still owed."""
    try:
        whole = totals(tournament, every_account(tournament))
    except TourneyError:
        return []  # a regulation without readable fees takes none
    rows: list[tuple[Any, Money, Money]] = [(_("Entry fees"), whole.paid, whole.owed)]
    if whole.appeals_kept:
        rows.append((_("Appeal deposits kept"), whole.appeals_kept, Money(0, tournament.currency)))
    return rows


def contacts(entries: list[int]) -> dict[int, str]:
    """The addresses letters about awards go to: the ones of the entry forms."""
    found = Application.objects.filter(entry__in=entries).exclude(email="")
    return dict(found.values_list("entry", "email"))


def rebuild(tournament: Tournament) -> None:
    """Give out seats anew; the states they follow the core has just rebuilt, and balances are sums anyway."""
    for section in tournament.sections.all():
        try:
            rebuild_seats(section)
        except TourneyError:
            continue  # a group the regulation no longer names has no places to give out
