"""Public pages of the core: all events, one event, its start lists, a player, and the calendar file."""

from __future__ import annotations

import datetime as dt
from typing import Any

from django.contrib.auth import login
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, pgettext
from django.views.decorators.http import require_GET, require_http_methods

from tourney import panels
from tourney.following import followed_ids, followed_of
from tourney.formatting import days_text
from tourney.ics import CalendarItem
from tourney.ics import calendar as calendar_file
from tourney.kernel.errors import TourneyError
from tourney.labels import sentence
from tourney.models import Entry, StaffRole, Stage, Tournament
from tourney.navigation import public_context
from tourney.permissions import note_shown, public_tournament, section_of
from tourney.schedules import day_plan
from tourney.section_plans import stage_words
from tourney.selectors import current_regulation
from tourney.services.accounts import create_first_organizer, nobody_yet
from tourney.services.news import news_of
from tourney.shared_cache import shared
from tourney.staff_forms import FirstAccountForm
from tourney.start_lists import (
    NO_COUNTS,
    ON_THE_WAY,
    ORDERS,
    events_in_time,
    games_of,
    head_counts,
    level_words,
    score_of,
    start_lists,
)
from tourney.videos import frames_allowed, video_of

NEWS_SHOWN = 3  # on the event page; the others are on a page of their own


@shared()
@require_http_methods(["GET", "HEAD", "POST"])
def home(request: HttpRequest) -> HttpResponse:
    """Every public event; on an empty installation the way to the first one."""
    if request.method == "POST":
        return _first_account(request, FirstAccountForm(request.POST))
    events = list(Tournament.objects.filter(public=True, rehearsal_of=None))
    note_shown(request, public=True)
    context: dict[str, Any] = {"events": events_in_time(events, timezone.localdate()), "any_event": bool(events)}
    if request.user.is_authenticated:
        context["organizes"] = request.user.is_superuser or request.user.staff_roles.exists()
        context["may_load_demo"] = not events and may_load_demo(request)
    elif not events and nobody_yet():
        context["form"] = FirstAccountForm()
    return render(request, "tourney/home.html", context)


def may_load_demo(request: HttpRequest) -> bool:
    """Return whether the visitor may fill the installation with the demo events: whoever organizes here."""
    user = request.user
    return user.is_authenticated and (
        user.is_superuser or user.staff_roles.filter(role=StaffRole.Role.ORGANIZER).exists()
    )


def _first_account(request: HttpRequest, form: FirstAccountForm) -> HttpResponse:
    """Make the first account and sign it in; closed for ever once anybody exists."""
    if not nobody_yet():
        raise Http404
    if form.is_valid():
        try:
            user = create_first_organizer(
                username=form.cleaned_data["username"],
                email=form.cleaned_data["email"],
                password=form.cleaned_data["password"],
            )
        except TourneyError as refused:
            form.add_error(None, sentence(refused))
        else:
            login(request, user, backend="django.contrib.auth.backends.ModelBackend")
            return redirect("manage_events")
    context = {"events": events_in_time([], timezone.localdate()), "any_event": False, "form": form}
    return render(request, "tourney/home.html", context, status=422)


@shared()
@require_GET
def event(request: HttpRequest, slug: str) -> HttpResponse:
    """What, when, where, how much, how many places – and one button."""
    tournament = public_tournament(request, slug)
    context = public_context(request, tournament, active="about")
    counts = head_counts(tournament)
    regulation = current_regulation(tournament)
    blocks = panels.collect("event", request, tournament)
    systems = {
        stage.section_id: stage_words(stage, clock=False)
        for stage in Stage.objects.filter(section__tournament=tournament)
        .exclude(kind=Stage.Kind.PLAYOFF)
        .order_by("-ordinal")
    }
    plan = day_plan(tournament, regulation.spec if regulation else {})
    told = news_of(tournament)
    video = video_of(tournament.broadcast_url)
    answer = render(
        request,
        "tourney/event.html",
        {
            **context,
            "panels": blocks,
            "news": told[:NEWS_SHOWN],
            "more_news": len(told) > NEWS_SHOWN,
            "followed": followed_of(request, tournament),
            "rows": [
                {
                    "section": one,
                    "counts": counts.get(one.pk, NO_COUNTS),
                    "left": max(0, one.capacity - counts.get(one.pk, NO_COUNTS)["seats"]) if one.capacity else None,
                    "system": systems.get(one.merged_into_id or one.pk, ""),
                }
                for one in context["sections"]
            ],
            "entering": tournament.state in (Tournament.State.DRAFT, Tournament.State.REGISTRATION),
            "facts": _facts(tournament),
            # The panel about taking part says itself until when.
            "plan": plan[1:] if blocks else plan,
            "cancelled_because": _cancelled_because(tournament),
            "regulation": regulation,
            "video": video,
        },
    )
    return frames_allowed(answer, video)


def _cancelled_because(tournament: Tournament) -> str:
    """Return why an event was cancelled, as the organizer gave it."""
    if tournament.state != Tournament.State.CANCELLED:
        return ""
    lines = tournament.log.filter(action="event.state_changed", data__new=Tournament.State.CANCELLED)
    return lines.values_list("reason", flat=True).first() or ""


def _facts(tournament: Tournament) -> list[dict[str, Any]]:
    start = _("Start at %(time)s") % {"time": f"{tournament.start_time:%H:%M}"}
    return [
        {
            "label": _("When"),
            "value": days_text(tournament.starts_on, tournament.ends_on),
            "note": f"{start} ({tournament.time_zone})",
        },
        {"label": _("Where"), "value": tournament.venue_text, "note": tournament.address_text},
        {"label": _("On the spot"), "value": tournament.in_words(tournament.venue_note)},
        {"label": _("Organizer"), "value": tournament.in_words(tournament.organizer)},
        {
            "label": _("E-mail"),
            "value": tournament.contact_email,
            "url": f"mailto:{tournament.contact_email}",
        },
        {"label": _("Telephone"), "value": tournament.contact_phone, "url": f"tel:{tournament.contact_phone}"},
    ]


@shared()
@require_GET
def section(request: HttpRequest, slug: str, section: str) -> HttpResponse:
    """The start list of a group, by number, alphabet or rating; merged groups with their own lists."""
    tournament = public_tournament(request, slug)
    one = section_of(tournament, section)
    order = request.GET.get("order", "number")
    if order not in ORDERS:
        order = "number"
    lists = start_lists(one, order)
    words = {"number": _("By number"), "name": _("By alphabet"), "rating": _("By rating")}
    return render(
        request,
        "tourney/section.html",
        {
            **public_context(request, tournament, section=one, active="start_list"),
            "lists": lists,
            "total": sum(one.count for one in lists),
            "follows": set(followed_ids(request)),
            "years": bool(one.eligibility.get("birth_years")),
            "level_words": level_words(tournament),
            "orders": [
                {"label": words[key], "url": f"?order={key}" if key != "number" else "?", "active": key == order}
                for key in ORDERS
            ],
        },
    )


RATING_WORDS = {
    "national": gettext_lazy("National rating"),
    "fide_standard": gettext_lazy("FIDE standard"),
    "fide_rapid": gettext_lazy("FIDE rapid"),
    "fide_blitz": gettext_lazy("FIDE blitz"),
}


def _about(entry: Entry, *, years: bool) -> list[dict[str, Any]]:
    """Return what the public may know of a player, and of nobody who has not agreed to it."""
    shown = entry.shown
    ratings = (entry.ratings or {}) if entry.public_name else {}
    return [
        {"label": pgettext("year", "Born"), "value": shown.birth_year if years else ""},
        {"label": _("Club"), "value": shown.club},
        {"label": _("Town"), "value": shown.city},
        {"label": _("Federation"), "value": shown.federation},
        {"label": _("FIDE ID"), "value": shown.fide_id},
        {"label": _("National ID"), "value": shown.national_id},
        *({"label": RATING_WORDS[key], "value": value} for key, value in ratings.items() if key in RATING_WORDS),
    ]


@shared()
@require_GET
def player(request: HttpRequest, slug: str, section: str, pk: int) -> HttpResponse:
    """A player: who it is, where he or she plays next, and the games so far."""
    tournament = public_tournament(request, slug)
    one = section_of(tournament, section)
    entry = get_object_or_404(Entry.objects.select_related("player"), pk=pk, section=one)
    if not (entry.is_active or entry.state in ON_THE_WAY or entry.start_number):
        raise Http404  # withdrawn before play: nobody's business any more
    entry.section, entry.tournament = one, tournament
    games = games_of(entry)
    facts = _about(entry, years=bool(one.eligibility.get("birth_years")))
    return render(
        request,
        "tourney/player.html",
        {
            **public_context(request, tournament, section=one, active="start_list"),
            "entry": entry,
            "games": games,
            "score": score_of([game for game in games if game.counts]),
            "finished": sum(1 for game in games if game.counts and game.points is not None),
            "panels": panels.collect("player", request, entry),
            "facts": facts,
            "level": level_words(tournament).get(entry.shown.level, entry.shown.level),
            "known": any(fact["value"] for fact in facts),
            "is_followed": entry.pk in followed_ids(request),
        },
    )


@shared()
@require_GET
def calendar(request: HttpRequest, slug: str) -> HttpResponse:
    """The event for people's calendars: its days, and the moment of the start (K2)."""
    tournament = public_tournament(request, slug)
    url = request.build_absolute_uri(reverse("event", args=[tournament.slug]))
    start = dt.datetime.combine(tournament.starts_on, tournament.start_time, tournament.zone)
    note = tournament.in_words(tournament.venue_note)
    contacts = [text for text in (tournament.contact_email, tournament.contact_phone) if text]
    common: dict[str, Any] = {
        "place": ", ".join(text for text in (tournament.venue_text, tournament.address_text) if text),
        "text": "\n".join(text for text in (note, *contacts, url) if text),
        "url": url,
        "cancelled": tournament.state == Tournament.State.CANCELLED,
    }
    host = request.get_host().split(":")[0]
    items = [
        CalendarItem(f"start-{tournament.pk}@{host}", tournament.title_text, moment=start, **common),
    ]
    if tournament.ends_on > tournament.starts_on:
        items.insert(
            0,
            CalendarItem(
                f"days-{tournament.pk}@{host}",
                tournament.title_text,
                first=tournament.starts_on,
                last=tournament.ends_on,
                **common,
            ),
        )
        items[1] = CalendarItem(
            f"start-{tournament.pk}@{host}",
            _("Start: %(event)s") % {"event": tournament.title_text},
            moment=start,
            duration=dt.timedelta(hours=1),
            **common,
        )
    else:
        # One day: until the evening; a zero-length event is invisible in some calendars.
        evening = dt.datetime.combine(tournament.starts_on, dt.time(20), tournament.zone)
        length = max(evening - start, dt.timedelta(hours=1))
        items = [
            CalendarItem(
                f"start-{tournament.pk}@{host}", tournament.title_text, moment=start, duration=length, **common
            )
        ]
    content = calendar_file(items, name=tournament.title_text, stamp=timezone.now())
    response = HttpResponse(content, content_type="text/calendar; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="{tournament.slug}.ics"'
    return response
