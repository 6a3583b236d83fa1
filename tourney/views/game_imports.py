"""A file of games: taking it in, its progress, its report, and what staff does about both."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import chain
from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, redirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from tourney.csv_files import csv_response, safe_cell
from tourney.formatting import result_text
from tourney.game_forms import GameFileForm
from tourney.game_records import games_of
from tourney.kernel.errors import TourneyError
from tourney.labels import MESSAGES, sentence
from tourney.models import Game, GameImport, Stage, Tournament
from tourney.permissions import managed_tournament
from tourney.services import forgetting_files
from tourney.services import game_imports as services
from tourney.services.game_imports import placings_of

# Lines of a report that ask where a record belongs.
ASKING = frozenset(f"games.{code}" for code in ("no_player", "no_game", "colors", "several", "unsure"))
CONFLICT = "games.result_differs"


def where_words(game: Game) -> str:
    """Return where a game belongs: `round 3, board 5`, `L2.3, game 1`, or in a play-off."""
    if game.stage.kind == Stage.Kind.PLAYOFF:
        return _("play-off for first place, game %(number)s") % {"number": game.game_number}
    if game.match_key:
        return _("%(match)s, game %(number)s") % {"match": game.match_key, "number": game.game_number}
    if game.board:
        return _("round %(round)s, board %(board)s") % {"round": game.round_number, "board": game.board}
    return _("round %(round)s") % {"round": game.round_number}


def asked_import(tournament: Tournament, text: str) -> GameImport | None:
    """Return the import an address names, None without a name."""
    if not text:
        return None
    if not text.isdecimal() or len(text) > 17:
        raise Http404
    return get_object_or_404(tournament.game_imports.select_related("by", "job"), pk=int(text))


def take_file(request: HttpRequest, tournament: Tournament, form: GameFileForm) -> GameImport | None:
    """Hand a file to the workers; None when it was refused, and the form says why."""
    content, name = form.content()
    try:
        taken, new = services.request_import(
            tournament, content, name=name, replace=form.cleaned_data["replace"], actor=request.user
        )
    except TourneyError as error:
        form.add_error("file" if name else "text", sentence(error))
        return None
    if not new:
        messages.info(request, _("This very file was read before: here is its report."))
    return taken


def act_on_import(request: HttpRequest, tournament: Tournament) -> HttpResponse | None:
    """Do what a button of an import asks for (read again, stop, go on, place a record), or go on taking names out of
    the files; None for another button.
    """
    act = request.POST.get("act")
    if act == "names":
        forgetting_files.ask_again(tournament)
        return redirect(names_url(tournament))
    if act not in ("again", "stop", "go_on", "place"):
        return None
    known = asked_import(tournament, request.POST.get("import", ""))
    if known is None:
        raise Http404
    try:
        if act == "place":
            _place(request, tournament, known)
        elif act == "stop":
            services.stop_import(known, actor=request.user)
        elif act == "go_on":
            services.resume_import(known, actor=request.user)
        else:
            services.import_again(known)
    except TourneyError as error:
        messages.error(request, sentence(error))
    return redirect(f"{reverse('manage_games', args=[tournament.slug])}?import={known.pk}#import")


def _place(request: HttpRequest, tournament: Tournament, known: GameImport) -> None:
    """One record of a file goes where somebody says; without a game it's set aside."""
    number, pk = request.POST.get("number", ""), request.POST.get("game", "")
    if not number.isdecimal() or len(number) > 6 or (pk and not pk.isdecimal()) or len(pk) > 17:
        raise Http404
    found = get_object_or_404(games_of(tournament), pk=int(pk)) if pk else None
    what = services.place_record(known, int(number), found, actor=request.user)
    if what == "held":
        messages.success(request, str(MESSAGES["games.held"]))
    else:
        messages.success(request, _("The moves were stored.") if found else _("Set aside."))


def names_url(tournament: Tournament) -> str:
    return f"{reverse('manage_games', args=[tournament.slug])}?names=1"


def names_context(tournament: Tournament) -> dict[str, Any]:
    """Return what a page shows of names on their way out of the event's files; ``names_out`` is None without any."""
    return {"names_out": forgetting_files.progress(tournament), "names_url": names_url(tournament)}


@never_cache
@require_safe
def report_file(request: HttpRequest, slug: str, pk: int) -> HttpResponseBase:
    """Every line of a report as a table for a spreadsheet; not while a line may name somebody who was erased."""
    tournament = managed_tournament(request, slug)
    if forgetting_files.names_go(tournament):
        get_object_or_404(tournament.game_imports, pk=pk)
        return redirect(names_url(tournament))
    known = get_object_or_404(tournament.game_imports, pk=pk)
    heads = [_("Record"), _("Line"), _("White"), _("Black"), _("What")]
    rows = (
        [safe_cell(cell) for cell in (line["number"], line["line"], line["white"], line["black"], problem_words(line))]
        for line in services.report_lines(known)
    )
    return csv_response(f"{tournament.slug}-games-{known.pk}", chain([heads], rows))


def import_context(tournament: Tournament, shown: GameImport) -> dict[str, Any]:
    """Return what the page shows of an import: how far it is, or its report."""
    job = shown.job
    stopped = shown.stopped_at is not None
    waits = job is None or job.is_open
    running = shown.finished_at is None and not stopped and waits
    names = names_context(tournament)
    report = shown.report if shown.finished_at and not names["names_out"] else {}
    lines = [
        {**line, "text": problem_words(line), "url": _hand_url(tournament, line)} for line in report.get("problems", [])
    ]
    asked = _asked(tournament, shown, [line for line in lines if line["code"] in ASKING and line.get("number")])
    return {
        **names,
        "shown": shown,
        "running": running,
        "stopped": stopped,
        "failed": not running and not stopped and shown.finished_at is None,
        "progress": None if shown.finished_at else services.progress(shown),
        "report_file": reverse("manage_games_report", args=[tournament.slug, shown.pk]),
        "report": report,
        "asked": asked,
        "open": sum(1 for row in asked if not row["decided"]),
        "conflicts": [line for line in lines if line["code"] == CONFLICT],
        "lines": [line for line in lines if line["code"] not in ASKING | {CONFLICT} or not line.get("number")],
        "more_lines": max(0, report.get("lines", 0) - len(lines)),
        "reload_url": f"{reverse('manage_games', args=[tournament.slug])}?import={shown.pk}",
    }


def problem_words(line: Mapping[str, Any]) -> str:
    words = MESSAGES.get(line["code"])
    return str(words) % line["values"] if words else str(line["code"])


def _hand_url(tournament: Tournament, line: Mapping[str, Any]) -> str:
    pk = line["values"].get("game")
    return f"{reverse('manage_games', args=[tournament.slug])}?game={pk}" if pk else ""


def _asked(tournament: Tournament, shown: GameImport, lines: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the records nobody could place for sure, each with the games that may be meant and what was decided."""
    if not lines:
        return []
    told = placings_of(shown)
    wanted = {pk for line in lines for pk in line["values"].get("suggestions", ())} | {pk for pk in told.values() if pk}
    games = {game.pk: game for game in games_of(tournament).defer("pgn").filter(pk__in=wanted)}
    rows = []
    for line in lines:
        pk = told.get(line["number"])
        rows.append(
            {
                **line,
                "decided": line["number"] in told,
                "placed": _suggestion(games[pk]) if pk in games else None,
                "suggestions": [
                    _suggestion(games[one]) for one in line["values"].get("suggestions", ()) if one in games
                ],
            }
        )
    return rows


def _suggestion(game: Game) -> dict[str, Any]:
    return {
        "pk": game.pk,
        "names": f"{game.white.player.name} – {game.black.player.name}",
        "where": where_words(game),
        "result": result_text(game.outcome) if game.outcome else "",
        "has_moves": bool(game.ply_count),
    }
