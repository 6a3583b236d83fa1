"""Boards alive: the page of the current round, its poll, addresses of PGN that broadcasts poll; their staff page."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.http import parse_etags
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_safe

from tourney import live_pages
from tourney.kernel.errors import TourneyError
from tourney.labels import MESSAGES, sentence
from tourney.live import keep, kept
from tourney.live_forms import DelayForm, FeedForm
from tourney.live_svg import drawings
from tourney.models import Broadcast, Tournament
from tourney.navigation import manage_context, public_context
from tourney.permissions import managed_tournament, may, public_tournament, section_of
from tourney.services import feeds as services
from tourney.videos import frames_allowed, video_of
from tourney.views.game_imports import problem_words

FRESH = 0.3  # seconds a poll's answer is good: boards must reach the page within two
PGN_TYPE = "application/x-chess-pgn; charset=utf-8"
PAGE_SECONDS = "1"  # between two polls of the page: with all that comes before it, a move is there in two


def _etag(broadcast: Broadcast | None) -> str:
    # Weak: the body may be compressed on the way.
    return f'W/"boards-{broadcast.pk}.{broadcast.version}"' if broadcast else 'W/"boards-0"'


@kept()
@require_safe
def boards(request: HttpRequest, slug: str) -> HttpResponse:
    """The boards that are played now, each with its position; it can be read without scripts."""
    tournament = public_tournament(request, slug)
    broadcast = live_pages.broadcast_of(tournament)
    video = video_of(tournament.broadcast_url)
    answer = render(
        request,
        "tourney/live_boards.html",
        {
            **public_context(request, tournament, active="games"),
            "boards": live_pages.shown_boards(tournament, broadcast),
            "drawings": drawings(),
            "broadcast": broadcast,
            "video": video,
            "etag": _etag(broadcast),
            "seconds": PAGE_SECONDS,
        },
    )
    return keep(frames_allowed(answer, video), tournament, seconds=1)


@kept()
@require_safe
def boards_live(request: HttpRequest, slug: str) -> HttpResponse:
    """What has moved, for the page's poll: a 304 while nothing has."""
    tournament = public_tournament(request, slug)
    broadcast = live_pages.broadcast_of(tournament)
    etag = _etag(broadcast)
    if etag in parse_etags(request.headers.get("If-None-Match", "")):
        answer = HttpResponse(status=304)
    else:
        text = json.dumps(live_pages.moving_parts(broadcast), ensure_ascii=False, separators=(",", ":"))
        answer = HttpResponse(text, content_type="application/json")
    answer["ETag"] = etag
    answer["Cache-Control"] = "private, no-cache"
    return keep(answer, tournament, seconds=FRESH)


@kept()
@require_safe
def live_pgn(request: HttpRequest, slug: str) -> HttpResponse:
    """All boards of the page as one file, at an address that broadcasts poll."""
    tournament = public_tournament(request, slug)
    broadcast = live_pages.broadcast_of(tournament)
    rows = live_pages.live_games(tournament, broadcast)
    several = tournament.sections.count() > 1
    return _pgn(request, tournament, live_pages.pgn_of_live(rows, tournament, broadcast, several=several))


@kept()
@require_safe
def round_pgn(request: HttpRequest, slug: str, section: str, number: int) -> HttpResponse:
    """One round of a group as one file: whole games, games being played as far as they may be seen, empty boards."""
    tournament = public_tournament(request, slug)
    games = live_pages.round_games(section_of(tournament, section), number)
    if not games:
        raise Http404
    broadcast = live_pages.broadcast_of(tournament)
    several = tournament.sections.count() > 1
    return _pgn(request, tournament, live_pages.pgn_of_games(games, tournament, broadcast, several=several))


def _pgn(request: HttpRequest, tournament: Tournament, texts: Iterable[str]) -> HttpResponse:
    content = "\n".join(texts).encode()
    etag = f'"{hashlib.sha256(content).hexdigest()[:24]}"'
    known = parse_etags(request.headers.get("If-None-Match", ""))
    answer = (
        HttpResponse(status=304)
        if etag in known or f"W/{etag}" in known
        else HttpResponse(content, content_type=PGN_TYPE)
    )
    # Weak: the body may be compressed on the way.
    answer["ETag"] = f"W/{etag}"
    answer["Cache-Control"] = "public, no-cache"
    answer["Access-Control-Allow-Origin"] = "*"
    return keep(answer, tournament, seconds=1)


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def manage(request: HttpRequest, slug: str) -> HttpResponse:
    """Where boards write, what came of it, how long the public waits."""
    tournament = managed_tournament(request, slug)
    may_write = may(request, tournament, "arbitrate")
    if request.method == "POST" and not may_write:
        raise PermissionDenied
    broadcast = live_pages.broadcast_of(tournament) or Broadcast(tournament=tournament)
    form = FeedForm(event=slug)
    delay = DelayForm(initial={"minutes": broadcast.delay_minutes, "moves": broadcast.delay_half_moves // 2})
    if request.method == "POST":
        act = request.POST.get("act")
        if act == "add":
            form = FeedForm(request.POST, event=slug)
            done = form.is_valid() and _add(request, tournament, form)
        elif act == "delay":
            delay = DelayForm(request.POST)
            done = delay.is_valid() and _delay(request, tournament, delay)
        else:
            return _on_feed(request, tournament, act or "")
        if done:
            return redirect("manage_boards", slug)
    found = tournament.board_feeds.select_related("tournament")
    return render(
        request,
        "tourney/manage_boards.html",
        manage_context(
            request,
            tournament,
            active="games",
            feeds=[
                {
                    "feed": feed,
                    "error": str(MESSAGES[feed.error]) % feed.error_values if feed.error in MESSAGES else "",
                    "problems": [{**line, "text": problem_words(line)} for line in feed.problems],
                }
                for feed in found
            ],
            boards=len(broadcast.boards),
            conflicts=live_pages.conflicts_of(tournament),
            form=form,
            delay=delay,
            may_write=may_write,
            pgn_url=request.build_absolute_uri(reverse("live_pgn", args=[slug])),
            rounds=live_pages.rounds_of(tournament),
        ),
        status=422 if form.errors or delay.errors else 200,
    )


def _add(request: HttpRequest, tournament: Tournament, form: FeedForm) -> bool:
    try:
        services.add_feed(tournament, actor=request.user, **form.values())
    except TourneyError as error:
        form.add_error("place", sentence(error))
        return False
    messages.success(request, _("The boards are followed from now on."))
    return True


def _delay(request: HttpRequest, tournament: Tournament, form: DelayForm) -> bool:
    try:
        services.set_delay(
            tournament,
            minutes=form.cleaned_data["minutes"],
            half_moves=2 * form.cleaned_data["moves"],
            actor=request.user,
        )
    except TourneyError as error:
        form.add_error(None, sentence(error))
        return False
    messages.success(request, _("Saved."))
    return True


def _on_feed(request: HttpRequest, tournament: Tournament, act: str) -> HttpResponse:
    pk = request.POST.get("feed", "")
    if act not in ("on", "off", "remove", "import") or not pk.isdecimal() or len(pk) > 17:
        raise Http404
    feed = get_object_or_404(tournament.board_feeds, pk=int(pk))
    try:
        if act == "remove":
            services.remove_feed(feed, actor=request.user)
        elif act == "import":
            taken = services.import_feed(feed, actor=request.user)
            return redirect(f"{reverse('manage_games', args=[tournament.slug])}?import={taken.pk}")
        else:
            services.switch_feed(feed, on=act == "on", actor=request.user)
    except TourneyError as error:
        messages.error(request, sentence(error))
    return redirect("manage_boards", tournament.slug)
