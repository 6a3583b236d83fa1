"""Screens of the hall: the page a television opens, its live part, and the organizer's pages: list, pages, remote."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlencode

from django.conf import settings
from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone, translation
from django.utils.http import parse_etags
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_safe

from tourney.hall import RotationLine, kinds_of, rotation, sections_of, shown_pages, state_of
from tourney.kernel.errors import TourneyError
from tourney.labels import sentence
from tourney.models import HallScreen, Tournament
from tourney.navigation import manage_context
from tourney.permissions import managed_tournament, may
from tourney.screen_forms import MessageForm, NewScreenForm, ScreenForm
from tourney.services import screens as services
from tourney.views.lots import qr_code

SUGGESTIONS = 4  # of messages
LIVE_SECONDS = 3  # a remote control that answers later is pressed twice

# -- the television --------------------------------------------------------------------------------------------------


def _public_screen(request: HttpRequest, code: str) -> HallScreen:
    screen = HallScreen.objects.select_related("tournament").filter(code=code).first()
    if screen is None or not (screen.tournament.public or may(request, screen.tournament, "staff")):
        raise Http404
    return screen


@require_safe
def screen(request: HttpRequest, code: str) -> HttpResponse:
    """All pages for the script to turn; `?at=2` only the third, to lead on a browser without scripts."""
    found = _public_screen(request, code)
    now = timezone.now()
    with translation.override(found.language):
        shown = shown_pages(found, now)
        at = _number(request.GET.get("at"))
        alone = "at" in request.GET and shown
        count = max(1, len(shown))
        local = timezone.localtime(now, found.tournament.zone)
        context = {
            "screen": found,
            "tournament": found.tournament,
            "shown": [shown[at % count]] if alone else shown,
            "now_seconds": f"{now.timestamp():.0f}",
            "now_text": f"{local:%H:%M}",
            "live_url": reverse("screen_live", args=[code]),
            "live_seconds": LIVE_SECONDS,
            "etag": _etag(found, now),
            "seconds": shown[at % count].seconds if shown else 15,
            "then_url": "?" + urlencode({"at": (at + 1) % count if alone else 0}),
        }
        response = render(request, "tourney/hall/screen.html", context)
    response["Cache-Control"] = "no-cache"
    return response


@require_safe
def screen_live(request: HttpRequest, code: str) -> HttpResponse:
    """The pages and the state of the remote control; 304 while both are as the screen has them."""
    found = _public_screen(request, code)
    services.note_seen(found)
    now = timezone.now()
    with translation.override(found.language):
        etag = _etag(found, now)
        if etag in parse_etags(request.headers.get("If-None-Match", "")):
            response = HttpResponse(status=304)
        else:
            context = {"screen": found, "tournament": found.tournament, "shown": shown_pages(found, now)}
            response = render(request, "tourney/hall/_pages.html", context)
    response["ETag"] = etag
    response["Cache-Control"] = "private, no-cache"
    return response


def _etag(found: HallScreen, now: Any) -> str:
    return f'W/"{state_of(found, now)}"'


def _number(text: str | None) -> int:
    return int(text) if text and text.isdecimal() and len(text) < 6 else 0


# -- the organizer ---------------------------------------------------------------------------------------------------


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def screens(request: HttpRequest, slug: str) -> HttpResponse:
    """The screens of an event, and a new one."""
    tournament = managed_tournament(request, slug, "arbitrate")
    form = NewScreenForm(request.POST if request.method == "POST" else None)
    status = 200
    if request.method == "POST":
        status = 422
        if form.is_valid():
            try:
                made = services.make_screen(tournament, name=form.cleaned_data["name"], actor=request.user)
            except TourneyError as refused:
                form.add_error("name", sentence(refused))
            else:
                messages.success(request, _("Open %(address)s on the screen.") % {"address": _address(request, made)})
                return redirect("manage_screen_remote", slug=slug, pk=made.pk)
    rows = [{"screen": one, "address": _address(request, one)} for one in tournament.screens.all()]
    context = manage_context(request, tournament, form=form, rows=rows)
    return render(request, "tourney/manage_screens.html", context, status=status)


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def edit(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """The pages of a screen, its language and look; or delete it."""
    tournament = managed_tournament(request, slug, "arbitrate")
    found = _own_screen(tournament, pk)
    if request.POST.get("act") == "delete":
        services.delete_screen(tournament, pk, actor=request.user)
        messages.success(request, _("Deleted: %(screen)s") % {"screen": found.name})
        return redirect("manage_screens", slug=slug)
    form = ScreenForm(request.POST if request.method == "POST" else None, tournament=tournament, screen=found)
    status = 200
    if request.method == "POST":
        status = 422
        if form.is_valid():
            try:
                services.change_screen(tournament, pk, **form.chosen(), actor=request.user)
            except TourneyError as refused:
                form.add_error(None, sentence(refused))
            else:
                messages.success(request, _("The screen shows this now."))
                return redirect("manage_screen_remote", slug=slug, pk=pk)
    context = manage_context(
        request,
        tournament,
        form=form,
        screen=found,
        several=len(form.lines[0].fields["section"].choices) > 2,  # type: ignore[attr-defined]
    )
    return render(request, "tourney/manage_screen.html", context, status=status)


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def remote(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """The remote control: next, hold, this page now, nothing, a message. Made for a telephone held in one hand."""
    tournament = managed_tournament(request, slug, "arbitrate")
    found = _own_screen(tournament, pk)
    if request.method == "POST":
        try:
            _command(request, tournament, pk)
        except TourneyError as refused:
            messages.error(request, sentence(refused))
        return redirect("manage_screen_remote", slug=slug, pk=pk)
    kinds, titles = kinds_of(tournament), {one.code: one.title_text for one in sections_of(tournament)}
    pages = [
        {
            "key": line.key,
            "label": kinds[line.kind].label,
            "group": titles.get(line.section, ""),
            "text": line.text.partition("\n")[0],
            "seconds": line.seconds,
            "on": found.held and found.jump == line.key,
        }
        for line in rotation(found)
        if line.kind in kinds
    ]
    address = _address(request, found)
    context = manage_context(
        request,
        tournament,
        screen=found,
        pages=pages,
        address=address,
        code=qr_code(address),
        form=MessageForm(initial={"message": found.message}),
        suggestions=_suggestions(found),
        heard=found.seen_at is not None and (timezone.now() - found.seen_at).total_seconds() < 60,
    )
    return render(request, "tourney/manage_screen_remote.html", context)


def _suggestions(found: HallScreen) -> list[str]:
    """Return messages worth a tap, in the language of the screen: when the next rounds begin."""
    now, kind = timezone.now(), kinds_of(found.tournament).get("countdown")
    if kind is None or kind.fits is None:
        return []
    with translation.override(found.language):
        pages = [
            page
            for section in sections_of(found.tournament)
            if kind.fits(section)
            for page in kind.pages(found.tournament, section, RotationLine("countdown"), now)
            if page.context["is_near"]
        ]
        return [
            f"{page.title}: {timezone.localtime(page.context['at'], found.tournament.zone):%H:%M}"
            for page in pages[:SUGGESTIONS]
        ]


def _command(request: HttpRequest, tournament: Tournament, pk: int) -> None:
    """Do what a button says; 404 for one that doesn't exist."""
    act, page = request.POST.get("act", ""), request.POST.get("page", "")
    match act:
        case "next":
            services.turn(tournament, pk, by=1)
        case "back":
            services.turn(tournament, pk, by=-1)
        case "hold":
            services.hold(tournament, pk, held=True)
        case "go":
            services.hold(tournament, pk, held=False)
        case "show":
            services.show_page(tournament, pk, page=page, held=True)
        case "blank":
            services.blank(tournament, pk, is_blank=True)
        case "pages":
            services.blank(tournament, pk, is_blank=False)
        case "say":
            form = MessageForm(request.POST)
            text = form.cleaned_data["message"] if form.is_valid() else request.POST.get("message", "")
            services.say(tournament, pk, message=text, actor=request.user)
        case "silence":
            services.say(tournament, pk, message="", actor=request.user)
        case _:
            raise Http404


def _own_screen(tournament: Tournament, pk: int) -> HallScreen:
    found = tournament.screens.filter(pk=pk).first()
    if found is None:
        raise Http404
    found.tournament = tournament
    return found


def _address(request: HttpRequest, found: HallScreen) -> str:
    path = reverse("screen", args=[found.code])
    return f"{settings.PUBLIC_URL}{path}" if settings.PUBLIC_URL else request.build_absolute_uri(path)
