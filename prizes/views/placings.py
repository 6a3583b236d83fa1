"""Staff pages of places: every group with what blocks it, and one group to look at, play off and publish."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext, pgettext
from django.views.decorators.http import require_http_methods, require_safe

from prizes.forms import PlayoffForm, PublishForm
from prizes.rows import claimants, place_rows, playoff_row
from prizes.selectors.places import DraftList, Standing, standing_of, standings_of
from prizes.services.placings import draw_ties, publish_placings, record_playoff
from prizes.words import change_text
from tourney.kernel.errors import TourneyError
from tourney.labels import sentence
from tourney.models import PlacementList, Section, Stage, Tournament
from tourney.navigation import manage_context
from tourney.permissions import managed_tournament, may, section_of


@require_safe
def overview(request: HttpRequest, slug: str) -> HttpResponse:
    """All groups: which are published, which can be, and what blocks the others."""
    tournament = managed_tournament(request, slug)
    rows = [_row(standing) for standing in standings_of(tournament) if standing.stages]
    return render(
        request,
        "prizes/manage_placings.html",
        manage_context(request, tournament, active="placings", rows=rows),
    )


def _row(standing: Standing) -> dict[str, Any]:
    newest = max((one.published for one in standing.own_lists if one.published), key=lambda one: one.pk, default=None)
    if standing.is_published:
        state = ("corrected", _("results changed since")) if standing.changed else ("published", "")
    elif standing.obstacles:
        state = ("waiting", pgettext("places", "not yet"))
    else:
        state = ("ready", _("can be published"))
    return {
        "standing": standing,
        "section": standing.host,
        "state": state,
        "newest": newest,
        "obstacles": [sentence(error) for error in standing.obstacles],
        "first": [line.entry.name for one in standing.own_lists for line in one.lines if line.place == 1],
        "url": reverse("manage_placings_of", args=[standing.host.tournament.slug, standing.host.code]),
    }


@require_http_methods(["GET", "HEAD", "POST"])
def group(request: HttpRequest, slug: str, section: str) -> HttpResponse:
    """One group: the final table as it would be published, what blocks it, play-offs, and the lists so far."""
    tournament = managed_tournament(request, slug)
    one = section_of(tournament, section)
    if one.merged_into is not None:
        return redirect("manage_placings_of", slug=slug, section=one.merged_into.code)
    standing = standing_of(one)
    publishing = PublishForm(again=standing.is_published)
    playing: dict[int, PlayoffForm] = {}
    status = 200
    if request.method == "POST":
        if not may(request, tournament, "arbitrate"):
            raise PermissionDenied
        act = request.POST.get("act")
        if act == "publish":
            publishing = PublishForm(request.POST, again=standing.is_published)
            if publishing.is_valid() and _publish(request, one, publishing):
                return redirect("manage_placings_of", slug=slug, section=one.code)
        elif act == "playoff":
            draft = _draft_for_playoff(standing, request.POST.get("group", ""))
            form = PlayoffForm(request.POST, tournament=tournament, players=claimants(draft))
            if form.is_valid() and _play_off(request, draft, form):
                return redirect("manage_placings_of", slug=slug, section=one.code)
            playing[draft.section.pk] = form
        elif act == "lots":
            _draw_ties(request, one)
            return redirect("manage_placings_of", slug=slug, section=one.code)
        else:
            raise Http404
        status = 422
    return render(
        request,
        "prizes/manage_placings_of.html",
        _context(request, tournament, standing, publishing, playing),
        status=status,
    )


def _publish(request: HttpRequest, section: Section, form: PublishForm) -> bool:
    try:
        lists = publish_placings(section, actor=request.user, reason=form.cleaned_data["reason"])
    except TourneyError as refused:
        form.add_error(None, sentence(refused))
        return False
    count = len(lists)
    messages.success(request, ngettext("%(n)d list is published.", "%(n)d lists are published.", count) % {"n": count})
    return True


def _draw_ties(request: HttpRequest, section: Section) -> None:
    try:
        lots = draw_ties(section, actor=request.user)
    except TourneyError as refused:
        messages.error(request, sentence(refused))
    else:
        numbers = ", ".join(f"№ {lot.number}" for lot in lots)
        messages.success(request, _("The order of equals is drawn: lot %(numbers)s.") % {"numbers": numbers})


def _draft_for_playoff(standing: Standing, group: str) -> DraftList:
    for draft in standing.playoffs:
        if str(draft.section.pk) == group:
            return draft
    raise Http404


def _play_off(request: HttpRequest, draft: DraftList, form: PlayoffForm) -> bool:
    data = form.cleaned_data
    try:
        record_playoff(
            draft.section,
            winner=int(data["winner"]),
            runner_up=int(data["runner_up"]) if data.get("runner_up") else None,
            games=data["games"],
            started_at=data["started_at"],
            reason=data["reason"],
            by_lot=data["by_lot"],
            operation=data["operation"],
            actor=request.user,
        )
    except TourneyError as refused:
        field = "started_at" if refused.code in ("placing.playoff_too_early", "placing.playoff_in_future") else None
        form.add_error(field, sentence(refused))
        return False
    messages.success(request, _("The play-off is written down; first place is settled."))
    return True


def _context(
    request: HttpRequest,
    tournament: Tournament,
    standing: Standing,
    publishing: PublishForm,
    playing: dict[int, PlayoffForm],
) -> dict[str, Any]:
    history = (
        PlacementList.objects.filter(section__in=[standing.host, *standing.guests], category=None)
        .select_related("section", "author")
        .order_by("-published_at", "-pk")
    )
    for one in history:
        one.section.tournament = tournament
    shown_below = ("placing.playoff_due", "placing.lots_due")
    blocking = [error for error in standing.obstacles if error.code not in shown_below]
    return manage_context(
        request,
        tournament,
        section=standing.host,
        active="placings",
        standing=standing,
        stage=standing.stage,
        stage_closed=standing.stage is not None and standing.stage.state == Stage.State.CLOSED,
        obstacles=[sentence(error) for error in blocking],
        playoffs=[] if blocking else [_playoff_row(draft, tournament, playing) for draft in standing.playoffs],
        ties=[] if blocking or standing.playoffs else _ties(standing),
        records=[draft.record for draft in standing.own_lists if draft.record is not None],
        lists=[
            {
                "draft": draft,
                "title": _list_title(draft),
                "rows": place_rows(draft.lines),
                "with_points": any(line.points is not None for line in draft.lines),
                "changes": _changes(draft),
            }
            for draft in standing.lists
        ],
        ready=not standing.obstacles and bool(standing.changed),
        again=standing.is_published,
        publishing=publishing,
        history=history,
        guests=standing.guests,
        may_publish=may(request, tournament, "arbitrate"),
    )


def _playoff_row(draft: DraftList, tournament: Tournament, playing: dict[int, PlayoffForm]) -> dict[str, Any]:
    players = claimants(draft)
    return {
        **playoff_row(draft),
        "form": playing.get(draft.section.pk) or PlayoffForm(tournament=tournament, players=players),
    }


def _ties(standing: Standing) -> list[dict[str, Any]]:
    """Return the shared places that wait for a lot, with their players."""
    found = []
    for draft in standing.own_lists:
        names = {line.entry.pk: line.entry.name for line in draft.lines}
        found += [{"place": place, "names": [names[entry] for entry in tied]} for place, tied in draft.ties]
    return found


def _list_title(draft: DraftList) -> str:
    if draft.category is None:
        return str(draft.section.title_text)
    words = draft.section.tournament.in_words(draft.category.title) or draft.category.code
    return f"{draft.section.title_text} · {words}"


def _changes(draft: DraftList) -> list[str]:
    """Say what the next list would change, before it is published."""
    if draft.published is None or not draft.differs:
        return []
    old = {line.entry_id: line for line in draft.published.lines.all()}
    changes = []
    for line in draft.lines:
        before = old.get(line.entry.pk)
        if before is None or (before.place, before.place_to) != (line.place, line.place_to):
            changes.append(change_text(_Change(line.entry, before, line)))
    return changes


class _Change:
    """A change that is not published yet: the same three things, read from a draft's line."""

    def __init__(self, entry: Any, before: Any, after: Any) -> None:
        self.entry, self.before, self.after = entry, before, after
