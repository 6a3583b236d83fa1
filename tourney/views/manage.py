"""Staff pages of the core: my events, an event's home, settings, states and roles."""

from __future__ import annotations

from typing import Any

from django.conf import settings as django_settings
from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_safe

from tourney import panels
from tourney.kernel.errors import TourneyError
from tourney.labels import sentence
from tourney.log_words import group_titles, log_entries
from tourney.models import ActionLog, StaffRole, Tournament
from tourney.navigation import manage_context
from tourney.permissions import LoginNeeded, managed_tournament, may, roles_of
from tourney.services.accounts import add_staff, remove_staff
from tourney.services.log import log as write_log
from tourney.services.states import BY_CODE, possible_moves, take
from tourney.sign_in.forms import InviteForm
from tourney.sign_in.invitations import invite, open_invitations, revoke
from tourney.staff_forms import ReasonForm, SettingsForm, StaffForm
from tourney.start_lists import events_in_time, head_counts
from tourney.views.public import may_load_demo


@require_safe
def events(request: HttpRequest) -> HttpResponse:
    """The events a person works for; rehearsals stand under their event."""
    if not request.user.is_authenticated:
        raise LoginNeeded(request.get_full_path())
    found = Tournament.objects.filter(rehearsal_of=None)
    if not request.user.is_superuser:
        found = found.filter(staff__user=request.user).distinct()
    mine = list(found)
    roles: dict[int, list[str]] = {}
    for role in StaffRole.objects.filter(user=request.user, tournament__in=mine):
        roles.setdefault(role.tournament_id, []).append(str(role.get_role_display()))
    return render(
        request,
        "tourney/manage_events.html",
        {
            "events": events_in_time(mine, timezone.localdate()),
            "any_event": bool(mine),
            "roles": roles,
            "may_load_demo": may_load_demo(request)
            and not Tournament.objects.filter(slug__startswith="demo-").exists(),
        },
    )


@never_cache
@require_safe
def event(request: HttpRequest, slug: str) -> HttpResponse:
    """The staff home of an event: what must be done now, a few numbers, what happened last."""
    tournament = managed_tournament(request, slug)
    lines = ActionLog.objects.filter(tournament=tournament).select_related("actor")[:8]
    groups = group_titles(tournament.sections.select_related("tournament"))
    return render(
        request,
        "tourney/manage_event.html",
        manage_context(
            request,
            tournament,
            now=panels.collect("now", request, tournament),
            calm=_("Nothing waits for you."),
            tiles=panels.collect("numbers", request, tournament),
            recent=log_entries(lines, groups),
            roles=[str(StaffRole.Role(role).label) for role in roles_of(request.user, tournament)]
            if not request.user.is_superuser
            else [_("administrator")],
            rehearsals=list(tournament.rehearsals.all()) if not tournament.is_rehearsal else [],
        ),
    )


@require_http_methods(["GET", "HEAD", "POST"])
def settings(request: HttpRequest, slug: str) -> HttpResponse:
    """What of an event is no rule: when, where, whom to call, boards, bank details."""
    tournament = managed_tournament(request, slug, "organize")
    form = SettingsForm(request.POST or None, instance=tournament)
    status = 200
    if request.method == "POST":
        if form.is_valid():
            if form.changed_data:
                form.save()
                write_log(tournament, "event.settings_changed", actor=request.user, fields=", ".join(form.changed_data))
            messages.success(request, _("Saved. The public page shows it now."))
            return redirect("manage_settings", slug=tournament.slug)
        status = 422
        tournament.refresh_from_db()
    return render(
        request,
        "tourney/manage_settings.html",
        manage_context(request, tournament, form=form, active="settings"),
        status=status,
    )


MOVE_WORDS: dict[str, dict[str, Any]] = {
    "publish": {
        "title": gettext_lazy("Make the event public"),
        "lines": (
            gettext_lazy("Everybody sees the event page, the regulation and the start lists."),
            gettext_lazy("It appears in the list of events."),
        ),
        "undo": gettext_lazy("It can be hidden again."),
    },
    "hide": {
        "title": gettext_lazy("Hide the event from the public"),
        "lines": (
            gettext_lazy("All public pages of the event answer “not found”, also links already sent out."),
            gettext_lazy("Staff keep seeing everything; nothing is deleted."),
        ),
        "undo": gettext_lazy("It can be made public again at any moment."),
    },
    "open": {
        "title": gettext_lazy("Open registration"),
        "lines": (
            gettext_lazy("The form on the event page takes entries until the moment the regulation names."),
            gettext_lazy("Places and the reserve list are given out in the order of the regulation."),
        ),
        "undo": gettext_lazy("Registration can be closed at any moment."),
    },
    "close": {
        "title": gettext_lazy("Close registration"),
        "lines": (
            gettext_lazy("The form on the event page no longer takes entries."),
            gettext_lazy("The desk can still enter people by hand."),
        ),
        "undo": gettext_lazy("Registration can be opened again before the start."),
    },
    "start": {
        "title": gettext_lazy("Start the event"),
        "lines": (
            gettext_lazy("The event is shown as running."),
            gettext_lazy("Registration is closed; late entries go through the arbiter."),
        ),
        "undo": "",
    },
    "finish": {
        "title": gettext_lazy("Finish the event"),
        "lines": (
            gettext_lazy("The event moves to the past events, with its final placings."),
            gettext_lazy("Results can still be corrected, with a reason, and placings published again."),
        ),
        "undo": gettext_lazy("The event can be resumed."),
    },
    "resume": {
        "title": gettext_lazy("Resume the event"),
        "lines": (gettext_lazy("The event is shown as running again."),),
        "undo": gettext_lazy("It can be finished again."),
    },
    "cancel": {
        "title": gettext_lazy("Cancel the event"),
        "lines": (
            gettext_lazy("The event page says “cancelled” and why; the form takes no more entries."),
            gettext_lazy("Entries, payments and results stay; money is given back by hand at the desk."),
        ),
        "undo": gettext_lazy("A cancelled event can be brought back as a draft."),
    },
    "revive": {
        "title": gettext_lazy("Bring the event back"),
        "lines": (gettext_lazy("The event becomes a draft again; registration has to be opened anew."),),
        "undo": gettext_lazy("It can be cancelled again."),
    },
}


def _move_row(tournament: Tournament, code: str) -> dict[str, Any]:
    words = MOVE_WORDS[code]
    lines = list(words["lines"])
    if code == "close":
        waiting = sum(row["waiting"] for row in head_counts(tournament).values())
        if waiting:
            lines.append(
                ngettext(
                    "%(n)d entry still waits for a word or a deposit.",
                    "%(n)d entries still wait for a word or a deposit.",
                    waiting,
                )
                % {"n": waiting}
            )
    if code == "start":
        opened = (
            tournament.sections.filter(entries_closed_at=None, merged_into=None, entries__state="confirmed")
            .distinct()
            .count()
        )
        if opened:
            lines.append(
                ngettext("%(n)d start list is still open.", "%(n)d start lists are still open.", opened) % {"n": opened}
            )
    return {"move": BY_CODE[code], "title": words["title"], "lines": lines, "undo": words["undo"]}


@require_http_methods(["GET", "HEAD", "POST"])
def state(request: HttpRequest, slug: str) -> HttpResponse:
    """The event's next steps, with their consequences in words; one is chosen (`?step=`) and then confirmed."""
    tournament = managed_tournament(request, slug)
    moves = [move for move in possible_moves(tournament) if may(request, tournament, move.need)]
    code = request.POST.get("step") or request.GET.get("step", "")
    chosen = next((move for move in moves if move.code == code), None)
    form = ReasonForm(request.POST or None, required=chosen.reason if chosen else False)
    status = 200
    if request.method == "POST":
        if code not in BY_CODE:
            raise Http404
        if not may(request, tournament, BY_CODE[code].need):
            raise PermissionDenied
        if form.is_valid():
            try:
                take(tournament, code, actor=request.user, reason=form.cleaned_data["reason"])
            except TourneyError as refused:
                form.add_error(None, sentence(refused))
            else:
                messages.success(request, _("Done: %(step)s.") % {"step": str(MOVE_WORDS[code]["title"]).lower()})
                return redirect("manage_event", slug=tournament.slug)
        status = 422
    return render(
        request,
        "tourney/manage_state.html",
        manage_context(
            request,
            tournament,
            chosen=_move_row(tournament, chosen.code) if chosen else None,
            others=[_move_row(tournament, move.code) for move in moves if move is not chosen],
            form=form,
        ),
        status=status,
    )


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def staff(request: HttpRequest, slug: str) -> HttpResponse:
    """Who may do what; a new account's password is shown once, on the answer to this very form."""
    tournament = managed_tournament(request, slug, "organize")
    act = request.POST.get("act", "")
    form = StaffForm(request.POST if act == "add" else None)
    inviting = InviteForm(request.POST if act == "invite" else None)
    shown: dict[str, Any] = {}
    status = 200
    if request.method == "POST" and act == "invite":
        status = 422
        if inviting.is_valid():
            made, token = invite(tournament, actor=request.user, **inviting.cleaned_data)
            base = django_settings.PUBLIC_URL or request.build_absolute_uri("/").rstrip("/")
            shown = {"name": made.label, "link": f"{base}{reverse('invitation', args=[token])}", "until": made.ends_at}
            status, inviting = 200, InviteForm()
    elif request.method == "POST":
        if act == "revoke":
            revoke(tournament, _number(request.POST.get("invitation")), actor=request.user)
            messages.success(request, _("The invitation is taken back."))
            return redirect("manage_staff", slug=tournament.slug)
        if act == "remove":
            try:
                remove_staff(tournament, _number(request.POST.get("role")), actor=request.user)
            except TourneyError as refused:
                messages.error(request, sentence(refused))
            return redirect("manage_staff", slug=tournament.slug)
        status = 422
        if form.is_valid():
            try:
                user, password = add_staff(
                    tournament, form.cleaned_data["name"], form.cleaned_data["role"], actor=request.user
                )
            except TourneyError as refused:
                form.add_error("role" if refused.code == "staff.has_role" else "name", sentence(refused))
            else:
                if not password:
                    messages.success(request, _("%(name)s has the role now.") % {"name": user.get_username()})
                    return redirect("manage_staff", slug=tournament.slug)
                shown, status, form = {"name": user.get_username(), "password": password}, 200, StaffForm()
    roles = tournament.staff.select_related("user").order_by("role", "user__username")
    return render(
        request,
        "tourney/manage_staff.html",
        manage_context(
            request,
            tournament,
            form=form,
            inviting=inviting,
            invitations=open_invitations(tournament),
            roles=roles,
            shown=shown,
            does=ROLE_DOES,
        ),
        status=status,
    )


ROLE_DOES = (
    (StaffRole.Role.ORGANIZER.label, gettext_lazy("everything: regulation, money, people, results, prizes")),
    (
        StaffRole.Role.CHIEF_ARBITER.label,
        gettext_lazy("everything about play: start lists, pairings, results, sanctions, appeals"),
    ),
    (StaffRole.Role.ARBITER.label, gettext_lazy("enters results and marks who is absent")),
    (StaffRole.Role.DESK.label, gettext_lazy("people and money: entries, payments, receipts, roll-call")),
    (
        StaffRole.Role.TREASURER.label,
        gettext_lazy("money only: payments, refunds, statements of the bank, drawers, the balance with the prizes"),
    ),
)


def _number(text: Any) -> int:
    return int(text) if str(text or "").isdecimal() and len(str(text)) < 18 else 0
