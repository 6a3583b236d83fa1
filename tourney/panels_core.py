"""What the core itself puts on the staff pages: three steps of the event, its own tasks and numbers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.db.models import Count, Q
from django.http import HttpRequest
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext, pgettext_lazy

from tourney import panels
from tourney.archives import own_ids
from tourney.game_records import early_draws
from tourney.models import Entry, RegulationDraft, Section, Stage, Tournament
from tourney.permissions import may
from tourney.schedules import registration_closes
from tourney.selectors import current_regulation
from tourney.services.states import is_event_day
from tourney.start_lists import NO_COUNTS, head_counts

State = Tournament.State


def register() -> None:
    """Add the core's providers; called once from `TourneyConfig.ready()`."""
    own_ids.register()
    panels.register("steps", regulation_step)
    panels.register("steps", draw_step)
    panels.register("steps", report_step)
    panels.register("now", tasks)
    panels.register("now", stopped)
    panels.register("numbers", numbers)


def regulation_step(tournament: Tournament) -> panels.Step:
    newest = tournament.regulations.order_by("-number").values_list("number", flat=True).first()
    draft = RegulationDraft.objects.filter(tournament=tournament).exists()
    return panels.Step(
        "regulation",
        _("Regulation"),
        reverse("manage_regulation", args=[tournament.slug]),
        state="now" if draft or not newest else "done",
        count=f"№ {newest}" if newest else "",
        note=_("changes not published") if draft else "",
        order=10,
        needs=("organize",),
    )


def stopped(request: HttpRequest, tournament: Tournament) -> panels.Task | None:
    """Before everything else: play stands, and somebody must let it go on."""
    if tournament.state != State.RUNNING or not may(request, tournament, "arbitrate"):
        return None
    since = min((group.since for group in panels.collect("in_play", tournament) if group.since), default=None)
    if since is None:
        return None
    words = _("Play is stopped since %(time)s") % {"time": f"{since.astimezone(tournament.zone):%H:%M}"}
    return panels.Task(words, reverse("manage_stop", args=[tournament.slug]), _("Let it go on"), 1)


def draw_step(tournament: Tournament) -> panels.Step:
    """Groups whose start list is closed, of those that have players and are not merged into another."""
    rows = Section.objects.filter(tournament=tournament, merged_into=None).aggregate(
        closed=Count("pk", filter=Q(entries_closed_at__isnull=False)),
        filled=Count("pk", filter=Q(pk__in=_filled(tournament))),
    )
    closed, filled = rows["closed"], max(rows["filled"], rows["closed"])
    if filled and closed == filled:
        state = "done"
    elif closed or tournament.state in (State.CLOSED, State.RUNNING):
        state = "now"
    else:
        state = "todo"
    return panels.Step(
        "draw",
        pgettext_lazy("step", "Draw"),
        reverse("manage_sections", args=[tournament.slug]),
        state=state,
        count=f"{closed}/{filled}" if filled > 1 else "",
        note=_("no players yet") if not filled else "",
        order=40,
    )


def _filled(tournament: Tournament) -> Any:
    playing = Entry.objects.filter(tournament=tournament, state__in=Entry.IN_PLAY)
    hosts = Section.objects.filter(pk__in=playing.values("section"), merged_into__isnull=False).values("merged_into")
    return Section.objects.filter(Q(pk__in=playing.values("section")) | Q(pk__in=hosts)).values("pk")


def report_step(tournament: Tournament) -> panels.Step:
    return panels.Step(
        "report",
        _("Report"),
        reverse("manage_report", args=[tournament.slug]),
        state="done" if tournament.state == State.FINISHED else "todo",
        order=80,
    )


def tasks(request: HttpRequest, tournament: Tournament) -> list[panels.Task]:
    """What the core wants done now. Numbers leave room for the apps: 30 desk, 50 rounds and matches, 60 placings."""
    found: list[panels.Task] = []
    regulation = current_regulation(tournament)
    spec = regulation.spec if regulation else {}
    if may(request, tournament, "organize"):
        found += _organizers_tasks(tournament, spec)
    if may(request, tournament, "arbitrate"):
        found += _arbiters_tasks(tournament)
    return found


def _move(tournament: Tournament, code: str, text: Any, button: Any, order: int, detail: Any = "") -> panels.Task:
    return panels.Task(text, f"{reverse('manage_state', args=[tournament.slug])}?step={code}", button, order, detail)


def _organizers_tasks(tournament: Tournament, spec: Mapping[str, Any]) -> list[panels.Task]:
    found = []
    if RegulationDraft.objects.filter(tournament=tournament).exists():
        url = reverse("manage_regulation", args=[tournament.slug])
        found.append(panels.Task(_("The regulation has changes nobody sees yet"), url, _("Look and publish"), 20))
    if tournament.is_rehearsal:
        url = reverse("manage_rehearsal", args=[tournament.slug])
        found.append(panels.Task(_("This is a rehearsal: random results, never public"), url, _("Play on"), 15))
        return found
    alive = tournament.state not in (State.FINISHED, State.CANCELLED)
    if alive and not tournament.public:
        found.append(_move(tournament, "publish", _("Nobody can see the event yet"), _("Make it public"), 10))
    if tournament.state == State.DRAFT:
        found.append(_move(tournament, "open", _("Registration is not open yet"), _("Open registration"), 12))
    closes = registration_closes(tournament, spec)
    if tournament.state == State.REGISTRATION and (
        closes <= timezone.now() if closes is not None else is_event_day(tournament)
    ):
        found.append(_move(tournament, "close", _("The time for registration is over"), _("Close registration"), 25))
    return found


def _arbiters_tasks(tournament: Tournament) -> list[panels.Task]:
    found: list[panels.Task] = []
    slug = tournament.slug
    every = Stage.objects.filter(section__tournament=tournament).exclude(kind=Stage.Kind.PLAYOFF)
    stages = every.aggregate(
        all=Count("pk"),
        playing=Count("pk", filter=Q(state__in=[Stage.State.READY, Stage.State.RUNNING])),
        over=Count("pk", filter=Q(state=Stage.State.CLOSED)),
    )
    if tournament.state in (State.CLOSED, State.RUNNING) or (
        tournament.state == State.REGISTRATION and is_event_day(tournament)
    ):
        found += _groups_to_close(tournament, later=18 if stages["playing"] else 0)
    if tournament.state in (State.CLOSED, State.REGISTRATION) and stages["all"] and not tournament.is_rehearsal:
        found.append(
            _move(tournament, "start", _("A start list is closed: the event can begin"), _("Start the event"), 45)
        )
    if tournament.state == State.RUNNING and stages["over"] and not stages["playing"]:
        open_groups = (
            Section.objects.filter(
                tournament=tournament, merged_into=None, entries_closed_at=None, pk__in=_filled(tournament)
            )
        ).exists()
        if not open_groups:
            found.append(_move(tournament, "finish", _("All groups have their places"), _("Finish the event"), 90))
    if tournament.state == State.FINISHED:
        url = reverse("manage_report", args=[slug])
        found.append(panels.Task(_("The event is over"), url, _("Open the report"), 95))
    return found


def _groups_to_close(tournament: Tournament, *, later: int) -> list[panels.Task]:
    """Return what to do about open start lists; `later` moves it behind the results of the groups that play."""
    counts = head_counts(tournament)
    sections = list(tournament.sections.all())
    totals: dict[int, int] = {}
    for section in sections:
        host = section.merged_into_id or section.pk
        totals[host] = totals.get(host, 0) + counts.get(section.pk, NO_COUNTS)["playing"]
    waiting = [s for s in sections if s.merged_into_id is None and s.entries_closed_at is None and totals[s.pk]]
    for section in waiting:
        section.tournament = tournament
    lonely = [section for section in waiting if totals[section.pk] == 1]
    ready = [section for section in waiting if totals[section.pk] > 1]
    url = reverse("manage_sections", args=[tournament.slug])
    found = []
    if ready:
        text = ngettext("%(n)d start list can be closed", "%(n)d start lists can be closed", len(ready)) % {
            "n": len(ready)
        }
        if len(ready) == 1:
            url_one = reverse("manage_section", args=[tournament.slug, ready[0].code])
            found.append(panels.Task(text, url_one, _("Close the start list"), 40 + later, ready[0].title_text))
        else:
            found.append(panels.Task(text, url, _("Open the groups"), 40 + later))
    if lonely:
        names = ", ".join(section.title_text for section in lonely)
        text = ngettext("%(n)d group has one player", "%(n)d groups have one player", len(lonely)) % {"n": len(lonely)}
        found.append(panels.Task(text, url, _("Merge or leave"), 42 + later, names))
    return found


def numbers(request: HttpRequest, tournament: Tournament) -> list[panels.Number]:
    counts = list(head_counts(tournament).values())
    total = {key: sum(row[key] for row in counts) for key in NO_COUNTS}
    found = [panels.Number(total["playing"], _("confirmed"), order=10)]
    if total["waiting"]:
        found.append(panels.Number(total["waiting"], _("wait for a word or a deposit"), tone="need", order=12))
    if total["reserve"]:
        found.append(panels.Number(total["reserve"], _("on the reserve list"), order=14))
    if is_event_day(tournament) and tournament.state != State.FINISHED:
        found.append(panels.Number(total["present"], pgettext_lazy("players", "present"), order=16))
    if may(request, tournament, "arbitrate"):
        early = sum(1 for draw in early_draws(tournament) if not draw.warned)
        if early:
            url = reverse("manage_games", args=[tournament.slug]) + "#early"
            label = ngettext("early draw", "early draws", early)
            found.append(panels.Number(early, label, url, "need", order=60))
    return found
