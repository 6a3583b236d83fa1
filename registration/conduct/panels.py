"""What the arbiter's book adds to core pages: open appeals among the tasks, sanctions and appeals in the report."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from registration.conduct.services import ended_at
from registration.conduct.words import SUBJECTS
from registration.models import LedgerLine
from registration.regulations import rules_of
from tourney import panels
from tourney.kernel.errors import TourneyError
from tourney.kernel.money import Money
from tourney.models import Appeal, Entry, Sanction, Tournament
from tourney.permissions import may


def register() -> None:
    """Add these providers."""
    panels.register("now", tasks)
    panels.register("report", report_panel)


def tasks(request: HttpRequest, tournament: Tournament) -> list[panels.Task]:
    """Appeals that wait for the committee, for whoever writes its decisions; also after the event."""
    if not may(request, tournament, "arbitrate"):
        return []
    waiting = list(
        Appeal.objects.filter(entry__tournament=tournament, state=Appeal.State.FILED)
        .select_related("entry__player")
        .order_by("filed_at")
    )
    if not waiting:
        return []
    names = ", ".join(appeal.entry.player.name for appeal in waiting[:3]) + (" …" if len(waiting) > 3 else "")
    number = len(waiting)
    text = ngettext("%(n)d appeal waits for the committee", "%(n)d appeals wait for the committee", number)
    slug = tournament.slug
    url = (
        reverse("manage_appeal", args=[slug, waiting[0].pk]) if number == 1 else reverse("manage_appeals", args=[slug])
    )
    return [panels.Task(text % {"n": number}, url, _("Open the appeal") if number == 1 else _("Open"), 40, names)]


def report_panel(request: HttpRequest, tournament: Tournament) -> panels.Panel:
    """Every sanction and appeal of the event, for the report on paper."""
    window = None
    try:
        rules = rules_of(tournament)
        committee = rules.appeals.committee
        over, after_end = ended_at(tournament), rules.sanctions.after_end
        if over is not None and after_end is not None:
            window = {"closes": after_end.closes(over, tournament.zone), "clause": after_end.clause, "over": over}
    except TourneyError:
        committee = False
    appeals = list(
        Appeal.objects.filter(entry__tournament=tournament)
        .select_related("entry__player", "entry__section")
        .prefetch_related("panel")
        .order_by("filed_at")
    )
    for appeal in appeals:
        appeal.entry.section.tournament = tournament
    return panels.Panel(
        "registration/_conduct_panel.html",
        {
            "tournament": tournament,
            "sanctions": sanctions_of(tournament),
            "appeals": [{"appeal": one, "subject": SUBJECTS.get(one.subject, one.subject)} for one in appeals],
            "committee": committee or bool(appeals),
            "deposits": _deposits(tournament),
            "window": window,
            "open": window is not None and window["closes"].allows(timezone.now()),
        },
        order=50,
    )


def sanctions_of(tournament: Tournament, entry: Entry | None = None) -> list[Sanction]:
    """Return the sanctions of an event (or of one player) in order; `revoked_by` is on those taken back."""
    found = (
        Sanction.objects.filter(entry__tournament=tournament, revokes=None)
        .select_related("entry__player", "entry__section", "game", "by", "revoked_by")
        .order_by("at", "pk")
    )
    if entry is not None:
        found = found.filter(entry=entry)
    rows = list(found)
    for row in rows:
        row.entry.section.tournament = tournament
    return rows


def _deposits(tournament: Tournament) -> dict[str, Any] | None:
    """Return what was taken as deposits, what was given back and what was kept; None without any."""
    deposits = LedgerLine.objects.filter(tournament=tournament, kind=LedgerLine.Kind.DEPOSIT_APPEAL)
    moved = list(deposits.exclude(channel=LedgerLine.Channel.NONE).values_list("minor", flat=True))
    if not moved:
        return None
    taken, back = sum(a for a in moved if a > 0), -sum(a for a in moved if a < 0)
    return {"taken": Money(taken, tournament.currency), "back": Money(back, tournament.currency)}
