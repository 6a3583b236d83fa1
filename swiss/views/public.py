"""What everybody sees of a stage in rounds: pairings and results, standings, crosstable, and the same on paper.

Live fragments (`…/_live/`) answer with an ETag of the stage's version and the language. Pages and fragments of a public
event are kept for everybody (`tourney.live`): an unchanged one costs no query, a view is asked once for each change.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.http import parse_etags
from django.utils.translation import get_language, ngettext
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from swiss import boards as board_values
from swiss.berger_plan import berger_plan
from swiss.models import Round
from swiss.selectors import live_stage, open_pause, public_rounds, round_stage
from swiss.tables import crosstable as crosstable_of
from swiss.tables import standings as standings_of
from swiss.why_place import why as why_of
from tourney.live import keep, kept
from tourney.middleware import use_event_language
from tourney.models import Section, Stage, Tournament
from tourney.navigation import public_context
from tourney.permissions import public_tournament, section_of
from tourney.schedules import clock_words
from tourney.shared_cache import shared

LIVE_SECONDS = 10


def place_of(request: HttpRequest, slug: str, code: str) -> tuple[Tournament, Section, Stage | None]:
    """Return the event, the section of the address and the stage its pages are about (a guest's: the host's)."""
    tournament = public_tournament(request, slug)
    use_event_language(request, tournament.language)
    section = section_of(tournament, code)
    return tournament, section, round_stage(section)


# -- pairings and results --------------------------------------------------------------------------------------------


@kept(by="name")
@require_safe
def pairings(request: HttpRequest, slug: str, section: str) -> HttpResponse:
    """The newest round; before the first one, when it will be."""
    return _round_page(request, slug, section, None)


@kept(by="name")
@require_safe
def round_(request: HttpRequest, slug: str, section: str, number: int) -> HttpResponse:
    """A round: pairings and results by board, or by name (`?by=name`)."""
    return _round_page(request, slug, section, number)


def _round_page(request: HttpRequest, slug: str, code: str, number: int | None) -> HttpResponse:
    tournament, section, stage = place_of(request, slug, code)
    context = public_context(request, tournament, section=section, active="pairings")
    values = _round_values(request, section, stage, number)
    if number is not None and values["round"] is None:
        raise Http404
    args = [slug, code] if number is None else [slug, code, number]
    live = reverse("pairings_live" if number is None else "round_live", args=args)
    playing = stage is not None and stage.state in (Stage.State.READY, Stage.State.RUNNING)
    answer = render(
        request,
        "swiss/round.html",
        {
            **context,
            **values,
            "section_links": _section_links(context["sections"], section, "pairings"),
            "live": playing,
            "live_url": f"{live}?by=name" if values["by_name"] else live,
            "live_seconds": LIVE_SECONDS,
            "etag": _etag(stage) if stage else "",
            "print_url": reverse("round_print", args=[slug, code, values["round"].number]) if values["round"] else "",
        },
    )
    return keep(answer, tournament, stage)


def _round_values(request: HttpRequest, section: Section, stage: Stage | None, number: int | None) -> dict[str, Any]:
    """Return what the round's fragment shows; `round` is None where there is none."""
    rounds = public_rounds(stage) if stage else []
    shown: Round | None = next((r for r in rounds if r.number == number), None) if number else None
    if number is None and rounds:
        shown = rounds[-1]
    by_name = request.GET.get("by") == "name"
    values: dict[str, Any] = {"stage": stage, "round": shown, "by_name": by_name, "section": section}
    if stage is None or shown is None:
        return values
    slug, code = section.tournament.slug, section.code
    rows = board_values.boards_of(shown, stage)
    open_games, games = board_values.in_play(rows)
    address = reverse("round", args=[slug, code, shown.number])
    return values | {
        "tournament": section.tournament,
        "boards": [] if by_name else rows,
        "names": board_values.by_name(rows) if by_name else [],
        "open_games": open_games,
        "games": games,
        "pause": open_pause(stage) if open_games else None,
        "clock": clock_words(str(stage.rules.get("clock", {}).get("main", ""))),
        "rounds": [
            {
                "label": r.number,
                "url": reverse("round", args=[slug, code, r.number]) + ("?by=name" if by_name else ""),
                "active": r.number == shown.number,
            }
            for r in rounds
        ],
        "ways": [
            {"label": _("By board"), "url": address, "active": not by_name},
            {"label": _("By name"), "url": f"{address}?by=name", "active": by_name},
        ],
    }


# -- standings -------------------------------------------------------------------------------------------------------


@kept("round", "why", of="all")
@require_safe
def standings(request: HttpRequest, slug: str, section: str) -> HttpResponse:
    """The standings after a round (`?round=`), of one group or of all who play together (`?of=all`).

    `?why=` opens one line: what its numbers are made of. With scripts the same part is fetched into the page.
    """
    tournament, one, stage = place_of(request, slug, section)
    context = public_context(request, tournament, section=one, active="standings")
    values = standings_values(request, one, stage, context["sections"])
    explained = values["table"] is not None and _number(request.GET.get("why"))
    answer = render(
        request,
        "swiss/standings.html",
        {
            **context,
            **values,
            "why": why_of(stage, explained, values["table"].after_round, of=values["of"])
            if explained and stage
            else None,
            "section_links": _section_links(context["sections"], one, "standings"),
            "live": values["newest"] and stage is not None and stage.state == Stage.State.RUNNING,
            "live_url": reverse("standings_live", args=[slug, section]) + values["query"],
            "live_seconds": LIVE_SECONDS,
            "etag": _etag(stage) if stage else "",
        },
    )
    # An opened line is one reader's matter: pages of all who could be asked for would only fill the cache.
    return answer if "why" in request.GET else keep(answer, tournament, stage)


def standings_values(
    request: HttpRequest, section: Section, stage: Stage | None, sections: list[Section] | None = None
) -> dict[str, Any]:
    """Return the table an address asks for (`?round=`, `?of=all`), and the links to the other ones."""
    rounds = public_rounds(stage) if stage else []
    asked = _number(request.GET.get("round"))
    shown = next((r for r in rounds if r.number == asked), rounds[-1] if rounds else None)
    if asked and (shown is None or shown.number != asked):
        raise Http404
    together = _together(section, stage, sections)
    everybody = request.GET.get("of") == "all" or not together
    values: dict[str, Any] = {
        "stage": stage,
        "section": section,
        "tournament": section.tournament,
        "table": None,
        "round": shown,
        "of": None if everybody else section,
        "newest": bool(rounds) and shown is rounds[-1],
        "query": "",
    }
    if stage is None or shown is None:
        return values
    missing = board_values.missing_boards([stage])[shown.pk]
    table = standings_of(stage, shown.number, of=values["of"])
    address = reverse("standings", args=[section.tournament.slug, section.code])

    def link(number: int | None, everyone: bool) -> str:
        parts = [f"round={number}"] if number else []
        parts += ["of=all"] if everyone and together else []
        return f"?{'&'.join(parts)}" if parts else ""

    number = None if values["newest"] else shown.number
    return values | {
        "table": table,
        "query": link(number, everybody),
        "join": "&" if link(number, everybody) else "?",
        "rows_html": partial(table.rows_html, link(number, everybody)),
        "span": len(table.columns) + 4 + table.clubs,
        "years": False,
        "caption": _after_words(stage, shown, missing),
        "rounds": [
            {
                "label": r.number,
                "url": address + link(None if r is rounds[-1] else r.number, everybody),
                "active": r is shown,
            }
            for r in rounds
        ]
        if len(rounds) > 1
        else [],
        "groups": [
            {"label": section.title_text, "url": address + link(number, False), "active": not everybody},
            {"label": _("All who play together"), "url": address + link(number, True), "active": everybody},
        ]
        if together
        else [],
        "legend": [{"label": column.label, "title": column.title} for column in table.columns],
    }


def _together(section: Section, stage: Stage | None, sections: list[Section] | None) -> bool:
    """Return whether other groups play in the same tournament."""
    if stage is None:
        return False
    if section.merged_into_id:
        return True
    if sections is not None:
        return any(one.merged_into_id == section.pk for one in sections)
    return bool(section.guests.exists())


def _after_words(stage: Stage, shown: Round, missing: int) -> str:
    words = _("After round %(round)s of %(rounds)s") % {
        "round": shown.number,
        "rounds": stage.rounds_total or shown.number,
    }
    if missing:
        words += " · " + ngettext("%(n)d game still played", "%(n)d games still played", missing) % {"n": missing}
    elif stage.state in (Stage.State.FINISHED, Stage.State.CLOSED) and shown.number == stage.rounds_total:
        words = _("Final standings after %(rounds)s rounds") % {"rounds": stage.rounds_total}
    return words


@shared()
@require_safe
def standings_why(request: HttpRequest, slug: str, section: str, pk: int) -> HttpResponse:
    """What a line of the standings is made of: the part that a tap fetches."""
    _tournament, one, stage = place_of(request, slug, section)
    values = standings_values(request, one, stage)
    why = why_of(stage, pk, values["round"].number, of=values["of"]) if stage and values["round"] else None
    if why is None:
        raise Http404
    return render(request, "swiss/_why.html", {**values, "why": why})


# -- crosstable ------------------------------------------------------------------------------------------------------


@kept()
@require_safe
def crosstable(request: HttpRequest, slug: str, section: str) -> HttpResponse:
    """Who played whom: by rounds in a Swiss, a square with a dark diagonal in a round robin."""
    tournament, one, stage = place_of(request, slug, section)
    context = public_context(request, tournament, section=one, active="crosstable")
    answer = render(
        request,
        "swiss/crosstable.html",
        {
            **context,
            **_crosstable_values(one, stage),
            "section_links": _section_links(context["sections"], one, "crosstable"),
            "live": stage is not None and stage.state == Stage.State.RUNNING,
            "live_url": reverse("crosstable_live", args=[slug, section]),
            "live_seconds": LIVE_SECONDS * 2,
            "etag": _etag(stage) if stage else "",
        },
    )
    return keep(answer, tournament, stage)


def _crosstable_values(section: Section, stage: Stage | None) -> dict[str, Any]:
    rounds = public_rounds(stage) if stage else []
    values: dict[str, Any] = {"stage": stage, "section": section, "tournament": section.tournament, "cross": None}
    if stage is None:
        return values
    values["plan"] = berger_plan(stage)
    if not rounds:
        return values
    missing = board_values.missing_boards([stage])[rounds[-1].pk]
    cross = crosstable_of(stage, rounds[-1].number)
    return values | {
        "cross": cross,
        "round": rounds[-1],
        "caption": _after_words(stage, rounds[-1], missing),
        "legend": [{"label": column.label, "title": column.title} for column in cross.columns],
    }


# -- live ------------------------------------------------------------------------------------------------------------

Values = Callable[[HttpRequest, Section, Stage | None], dict[str, Any]]


def _live(request: HttpRequest, slug: str, code: str, template: str, values: Values) -> HttpResponse:
    """Answer a poll: 304 after one query while nothing has changed."""
    found = live_stage(slug, code)
    if found is None:
        raise Http404
    pk, version, public, language = found
    use_event_language(request, language)
    etag = _etag_text(pk, version)
    if public and etag in parse_etags(request.headers.get("If-None-Match", "")):
        response = HttpResponse(status=304)
    else:
        tournament, section, stage = place_of(request, slug, code)
        response = keep(render(request, template, values(request, section, stage)), tournament, stage)
        etag = _etag(stage) if stage is not None else etag
    response["ETag"] = etag
    response["Cache-Control"] = "private, no-cache"
    return response


def _etag(stage: Stage) -> str:
    return _etag_text(stage.pk, stage.version)


def _etag_text(pk: int, version: int) -> str:
    # Weak: the body may be compressed on the way.
    return f'W/"{pk}.{version}.{get_language()}"'


@kept(by="name")
@require_safe
def pairings_live(request: HttpRequest, slug: str, section: str) -> HttpResponse:
    return _live(request, slug, section, "swiss/_round.html", lambda r, one, stage: _round_values(r, one, stage, None))


@kept(by="name")
@require_safe
def round_live(request: HttpRequest, slug: str, section: str, number: int) -> HttpResponse:
    return _live(
        request, slug, section, "swiss/_round.html", lambda r, one, stage: _round_values(r, one, stage, number)
    )


@kept("round", of="all")
@require_safe
def standings_live(request: HttpRequest, slug: str, section: str) -> HttpResponse:
    return _live(request, slug, section, "swiss/_standings.html", standings_values)


@kept()
@require_safe
def crosstable_live(request: HttpRequest, slug: str, section: str) -> HttpResponse:
    return _live(
        request, slug, section, "swiss/_crosstable.html", lambda _r, one, stage: _crosstable_values(one, stage)
    )


# -- paper -----------------------------------------------------------------------------------------------------------


@shared()
@require_safe
def round_print(request: HttpRequest, slug: str, section: str, number: int) -> HttpResponse:
    """The wall sheet of a round: by board, or by name."""
    tournament, one, stage = place_of(request, slug, section)
    values = _round_values(request, one, stage, number)
    if values["round"] is None:
        raise Http404
    back = reverse("round", args=[slug, section, number])
    return render(request, "swiss/print_round.html", {**values, "tournament": tournament, "back_url": back})


@shared()
@require_safe
def standings_print(request: HttpRequest, slug: str, section: str) -> HttpResponse:
    tournament, one, stage = place_of(request, slug, section)
    values = standings_values(request, one, stage)
    if values["table"] is None:
        raise Http404
    back = reverse("standings", args=[slug, section]) + values["query"]
    return render(request, "swiss/print_standings.html", {**values, "tournament": tournament, "back_url": back})


@shared()
@require_safe
def crosstable_print(request: HttpRequest, slug: str, section: str) -> HttpResponse:
    tournament, one, stage = place_of(request, slug, section)
    values = _crosstable_values(one, stage)
    if values["cross"] is None:
        raise Http404
    back = reverse("crosstable", args=[slug, section])
    return render(request, "swiss/print_crosstable.html", {**values, "tournament": tournament, "back_url": back})


# -- small things ----------------------------------------------------------------------------------------------------


def _section_links(sections: list[Section], section: Section, name: str) -> list[dict[str, Any]]:
    """Return links to the same page of the other groups."""
    if len(sections) < 2:
        return []
    return [
        {
            "label": one.title_text,
            "url": reverse(name, args=[one.tournament.slug, one.code]),
            "active": one.pk == section.pk,
        }
        for one in sections
    ]


def _number(text: str | None) -> int:
    return int(text) if text and text.isdecimal() and len(text) < 10 else 0
