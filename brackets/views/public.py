"""What everybody sees of a knockout: the tree by parts, a match, the places so far, and all of it on paper.

Live fragments (`…/_live/`) answer with an ETag of the stage's version and the language. Pages and fragments of a public
event are kept for everybody (`tourney.live`): an unchanged one costs no query, a view is asked once for each change.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from urllib.parse import urlencode

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.utils.http import parse_etags
from django.utils.translation import get_language
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from brackets.cards import Cards, format_words, title_of
from brackets.day import calls, ending, played_so_far, playing
from brackets.engine.placings import final_places
from brackets.engine.resolve import MatchStatus
from brackets.engine.topology import Places
from brackets.match_page import match_values
from brackets.paper import pages
from brackets.selectors import Table, live_stage
from brackets.services import draw_lots, open_lot
from brackets.tree import draw_sheet, part_title, parts_of, place_rows, sheets_of
from brackets.views.places import public_place, public_table, whole_number
from tourney.kernel.ids import MatchKey
from tourney.live import keep, kept
from tourney.middleware import use_event_language
from tourney.models import Stage
from tourney.navigation import public_context
from tourney.permissions import public_tournament
from tourney.shared_cache import shared
from tourney.videos import frames_allowed, video_of

LIVE_SECONDS = 10
CLOCK_SECONDS = 10  # how long a page is kept that says how long somebody has waited, or what comes when
NEWEST = 8  # finished matches shown at once


def etag_of(pk: int, version: int, more: str = "") -> str:
    return f'W/"b{pk}.{version}.{get_language()}{more}"'


# -- the tree --------------------------------------------------------------------------------------------------------


@kept("part", "player", view="list")
@require_safe
def bracket(request: HttpRequest, slug: str, section: str) -> HttpResponse:
    """One part of the bracket as a tree and as a list by rounds; `?player=` marks a player's path."""
    tournament, place, stage = public_place(request, slug, section)
    context = public_context(request, tournament, section=place, active="bracket")
    table = public_table(stage)
    if stage is None or table is None:
        answer = render(request, "brackets/bracket_waits.html", {**context, **_before(stage)})
        return keep(answer, tournament, stage, seconds=CLOCK_SECONDS)
    query = _query(request, table)
    values = _tree(table, query)
    answer = render(
        request,
        "brackets/bracket.html",
        {
            **context,
            **values,
            "live": stage.state in (Stage.State.READY, Stage.State.RUNNING),
            "live_url": f"{reverse('bracket_live', args=[slug, section])}?{urlencode(query)}",
            "live_seconds": LIVE_SECONDS,
            "etag": etag_of(stage.pk, stage.version),
            "print_url": f"{reverse('bracket_print', args=[slug, section])}?{urlencode({'part': query['part']})}",
            "places_url": reverse("bracket_places", args=[slug, section]),
            "hall_url": reverse("bracket_hall", args=[slug, section]),
        },
    )
    return keep(answer, tournament, stage) if _is_known(request, query) else answer


def _before(stage: Stage | None) -> dict[str, Any]:
    """Return what is known before the draw is confirmed: a commitment is public from its first second."""
    lots = draw_lots(stage) if stage is not None else []
    return {"stage": stage, "lot": open_lot(lots), "lots": lots}


def _query(request: HttpRequest, table: Table) -> dict[str, str]:
    """Return the part and player of an address, cleaned."""
    parts = parts_of(table.spec)
    part = request.GET.get("part", "")
    query = {"part": part if part in parts else parts[0]}
    player = whole_number(request.GET.get("player", ""))
    if player in table.state.seeds:
        query["player"] = str(player)
    if request.GET.get("view") == "list":
        query["view"] = "list"
    return query


def _is_known(request: HttpRequest, query: dict[str, str]) -> bool:
    """Return whether a part and a player an address names exist: pages of made-up ones would only fill the cache."""
    return request.GET.dict().items() <= query.items()


def _tree(table: Table, query: dict[str, str]) -> dict[str, Any]:
    cards = Cards(table)
    player = int(query["player"]) if "player" in query else None
    part = query["part"]
    address = reverse("bracket", args=cards.args)
    played, all_matches = played_so_far(table.state)
    path = {key: value for key, value in query.items() if key != "part"}
    other = {key: value for key, value in query.items() if key != "view"}
    as_list = "view" in query
    return {
        "tournament": cards.section.tournament,
        "section": cards.section,
        "stage": table.stage,
        "bracket": table.bracket,
        "part": part,
        "as_list": as_list,
        "view_url": f"{address}?{urlencode(other if as_list else {**other, 'view': 'list'})}",
        "sheets": [draw_sheet(cards, sheet, player=player) for sheet in sheets_of(table.spec, part)],
        "parts": [
            {
                "label": part_title(one),
                "url": f"{address}?{urlencode({'part': one, **path})}",
                "active": one == part,
            }
            for one in parts_of(table.spec)
        ],
        "player": player,
        "path": [cards.card(key) for key in path_of(table, player)] if player is not None else [],
        "player_name": cards.name_of(player) if player is not None else "",
        "player_url": cards.player_url(player) if player is not None else "",
        "people": sorted(((entry, cards.name_of(entry)) for entry in table.players), key=lambda one: one[1].casefold()),
        "played": played,
        "all_matches": all_matches,
        "board_count": len(playing(cards, table.bracket.drawn_at)) if table.bracket.drawn_at else 0,
        "format_lines": format_words(table.rules.match_format),
    }


def path_of(table: Table, player: int) -> list[MatchKey]:
    """Return the matches a player was, is or will surely be in, in order of play; byes are no matches."""
    found = [
        match
        for match in table.spec.matches
        if player in (table.state.matches[match.key].a, table.state.matches[match.key].b)
        and table.state.matches[match.key].status not in (MatchStatus.BYE, MatchStatus.NOT_NEEDED)
    ]
    return [match.key for match in sorted(found, key=lambda match: match.slot)]


@kept("part", "player", view="list")
@require_safe
def bracket_live(request: HttpRequest, slug: str, section: str) -> HttpResponse:
    """The tree and its lists alone."""
    return live_answer(
        request,
        slug,
        section,
        "brackets/_tree.html",
        lambda table: _tree(table, _query(request, table)),
        is_known=lambda table: _is_known(request, _query(request, table)),
    )


def live_answer(
    request: HttpRequest,
    slug: str,
    code: str,
    template: str,
    values: Any,
    *,
    is_known: Callable[[Table], bool] = lambda _table: True,
) -> HttpResponse:
    """Answer a poll with a fragment, or with nothing while the stage's version is the one the reader has.

    The fragment is kept for everybody if `is_known` says that its address names nothing made up.
    """
    found = live_stage(slug, code)
    if found is None:
        raise Http404
    pk, version, public, language = found
    use_event_language(request, language)
    if not public:
        public_tournament(request, slug)  # 404 unless it is one's own
    etag = etag_of(pk, version)
    if etag in parse_etags(request.headers.get("If-None-Match", "")):
        answer = HttpResponse(status=304)
    else:
        tournament, _section, stage = public_place(request, slug, code)
        table = public_table(stage)
        if table is None:
            raise Http404
        answer = render(request, template, values(table))
        if is_known(table):
            answer = keep(answer, tournament, table.stage, seconds=CLOCK_SECONDS)
        etag = etag_of(table.stage.pk, table.stage.version)
    answer["ETag"] = etag
    answer["Cache-Control"] = "no-cache" if public else "private, no-cache"
    answer["Vary"] = "Accept-Language, Cookie"
    return answer


# -- a match ---------------------------------------------------------------------------------------------------------


@kept()
@require_safe
def match(request: HttpRequest, slug: str, section: str, key: str) -> HttpResponse:
    """One match: players, games with colours and clocks, lots, the broadcast, where it leads."""
    tournament, place, stage = public_place(request, slug, section)
    table = public_table(stage, facts_only=False)
    if stage is None or table is None or key not in table.spec.by_key:
        raise Http404
    video = video_of(table.matches[MatchKey(key)].video_url)
    answer = render(
        request,
        "brackets/match.html",
        {
            **public_context(request, tournament, section=place, active="matches"),
            **_match(table, key),
            "live": stage.state in (Stage.State.READY, Stage.State.RUNNING),
            "live_url": reverse("match_live", args=[slug, section, key]),
            "live_seconds": LIVE_SECONDS,
            "etag": etag_of(stage.pk, stage.version),
            "video": video,
        },
    )
    return keep(frames_allowed(answer, video), tournament, stage, seconds=CLOCK_SECONDS)


def _match(table: Table, key: str) -> dict[str, Any]:
    cards = Cards(table)
    return {
        "tournament": cards.section.tournament,
        "section": cards.section,
        "title": title_of(table, key),
        **match_values(cards, key),
    }


@kept()
@require_safe
def match_live(request: HttpRequest, slug: str, section: str, key: str) -> HttpResponse:
    """The changing part of a match page."""

    def values(table: Table) -> dict[str, Any]:
        if key not in table.spec.by_key:
            raise Http404
        _tournament, _section, stage = public_place(request, slug, section)
        whole = public_table(stage, facts_only=False)
        return _match(whole or table, key)

    return live_answer(request, slug, section, "brackets/_match.html", values)


# -- who plays now, places, paper ------------------------------------------------------------------------------------


@kept()
@require_safe
def matches(request: HttpRequest, slug: str, section: str) -> HttpResponse:
    """Who plays now and on which board, what comes next, what was played last."""
    tournament, place, stage = public_place(request, slug, section)
    context = public_context(request, tournament, section=place, active="matches")
    table = public_table(stage)
    if stage is None or table is None:
        answer = render(request, "brackets/bracket_waits.html", {**context, **_before(stage)})
        return keep(answer, tournament, stage, seconds=CLOCK_SECONDS)
    answer = render(
        request,
        "brackets/matches.html",
        {
            **context,
            **_matches(table),
            "live": stage.state in (Stage.State.READY, Stage.State.RUNNING),
            "live_url": reverse("matches_live", args=[slug, section]),
            "live_seconds": LIVE_SECONDS,
            "etag": etag_of(stage.pk, stage.version),
        },
    )
    return keep(answer, tournament, stage, seconds=CLOCK_SECONDS)


def _matches(table: Table) -> dict[str, Any]:
    cards, now = Cards(table), timezone.now()
    done = sorted(
        (match for match in table.matches.values() if match.finished_at is not None),
        key=lambda match: match.finished_at or now,
        reverse=True,
    )
    played, all_matches = played_so_far(table.state)
    end = ending(table)
    starts = end.starts if end is not None else {}
    finished = [cards.card(match.key) for match in done]
    return {
        "tournament": cards.section.tournament,
        "section": cards.section,
        "stage": table.stage,
        "bracket": table.bracket,
        "lines": playing(cards, now),
        "next": [{"one": one, "starts": starts.get(one.card.key)} for one in calls(cards, now)],
        "done": finished[:NEWEST],
        "done_before": finished[NEWEST:],
        "done_count": len(finished),
        "ending": end,
        "played": played,
        "all_matches": all_matches,
    }


@kept()
@require_safe
def matches_live(request: HttpRequest, slug: str, section: str) -> HttpResponse:
    return live_answer(request, slug, section, "brackets/_matches.html", _matches)


@kept()
@require_safe
def bracket_places(request: HttpRequest, slug: str, section: str) -> HttpResponse:
    """Every place from the first to the last: who has it, and which are still played for."""
    tournament, place, stage = public_place(request, slug, section)
    context = public_context(request, tournament, section=place, active="bracket")
    table = public_table(stage)
    if stage is None or table is None:
        answer = render(request, "brackets/bracket_waits.html", {**context, **_before(stage)})
        return keep(answer, tournament, stage, seconds=CLOCK_SECONDS)
    answer = render(
        request,
        "brackets/bracket_places.html",
        {**context, **places_values(table), "bracket_url": reverse("bracket", args=[slug, section])},
    )
    return keep(answer, tournament, stage)


def places_values(table: Table) -> dict[str, Any]:
    """Return the places so far as rows."""
    cards = Cards(table)
    order = final_places(table.spec, table.state, table.rules.left_place, table.rules.disqualified_place)
    gone = sum(1 for removed in table.state.left.values() if removed)
    listed: list[tuple[Places, int]] = [(places, entry) for places, entry in order]
    rows = place_rows(cards, listed, len(table.players) - gone)
    played = table.state.matches_played()
    return {
        "rows": [
            {
                "place": place,
                "name": cards.name_of(entry) if entry is not None else "",
                "url": cards.player_url(entry) if entry is not None else "",
                "more": cards.rating_of(entry) if entry is not None else None,
                "matches": played.get(entry) if entry is not None else None,  # type: ignore[call-overload]
                "left": entry in table.state.left,
            }
            for place, entry in rows
        ],
        "decided": len(order),
        "removed": [cards.name_of(entry) for entry, removed in table.state.left.items() if removed],
        "complete": table.state.is_complete,
    }


@shared()
@require_safe
def bracket_print(request: HttpRequest, slug: str, section: str) -> HttpResponse:
    """A part a page on A4 landscape; `?blank=1` without results, to go on by hand; `?part=all` everything."""
    tournament, place, stage = public_place(request, slug, section)
    table = public_table(stage)
    if table is None:
        raise Http404
    cards = Cards(table)
    blank = request.GET.get("blank") == "1"
    wanted = request.GET.get("part", "")
    parts = parts_of(table.spec)
    shown = [wanted] if wanted in parts else parts
    address = reverse("bracket_print", args=[slug, section])
    return render(
        request,
        "brackets/print_bracket.html",
        {
            "tournament": tournament,
            "section": place,
            "pages": pages(cards, shown, blank=blank),
            "format_lines": format_words(table.rules.match_format),
            "blank": blank,
            "back_url": reverse("bracket", args=[slug, section]),
            "links": _print_links(address, parts, wanted, blank=blank),
            "state_words": _state_words(table, blank=blank),
        },
    )


def _print_links(address: str, parts: list[str], wanted: str, *, blank: bool) -> list[dict[str, Any]]:
    more = {"blank": "1"} if blank else {}
    links = [
        {
            "label": part_title(part) if part != "all" else _("Everything"),
            "url": f"{address}?{urlencode({'part': part, **more})}",
            "active": part == wanted,
        }
        for part in [*parts, "all"]
    ]
    other = {"part": wanted or "all"} if blank else {"part": wanted or "all", "blank": "1"}
    links.append(
        {
            "label": _("With results") if blank else _("Blank, to fill in by hand"),
            "url": f"{address}?{urlencode(other)}",
            "active": False,
        }
    )
    return links


def _state_words(table: Table, *, blank: bool) -> str:
    if blank:
        return ""
    played, all_matches = played_so_far(table.state)
    return _("%(played)s of %(all)s matches played") % {"played": played, "all": all_matches}
