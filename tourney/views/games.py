"""Games: the public list and its download; on the staff side files coming in and draws to look at."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.core.exceptions import PermissionDenied
from django.core.paginator import Paginator
from django.db.models import Q
from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_safe

from tourney import game_records, panels
from tourney.board_svg import board
from tourney.formatting import day_text, result_text
from tourney.game_forms import GameFileForm
from tourney.game_index import placement_of
from tourney.game_records import Wanted
from tourney.kernel.errors import TourneyError
from tourney.labels import sentence
from tourney.models import Entry, Game, Stage, Tournament
from tourney.navigation import manage_context, public_context
from tourney.permissions import managed_tournament, may, public_tournament
from tourney.shared_cache import shared
from tourney.sheet_labels import END_WORDS
from tourney.views.game_imports import (
    act_on_import,
    asked_import,
    import_context,
    names_context,
    take_file,
    where_words,
)
from tourney.views.replay import PGN_TYPE
from tourney.views.score_sheets import sheet_page

PAGE = 100


def _several(tournament: Tournament) -> bool:
    return tournament.sections.count() > 1


# -- public ------------------------------------------------------------------------------------------------------------


@shared()
@require_safe
def games(request: HttpRequest, slug: str) -> HttpResponse:
    """The games with moves, found by players, opening, result, end or position; a match keeps its games together."""
    tournament = public_tournament(request, slug)
    wanted = Wanted.of(request.GET)
    context = public_context(request, tournament, active="games")
    page = Paginator(game_records.found_games(tournament, wanted).defer("pgn"), PAGE).get_page(request.GET.get("page"))
    sections = {section.pk: section for section in context["sections"]}
    rows = [_row(game, tournament, sections) for game in page]
    if page.number == page.paginator.num_pages:  # what has no record stands at the end
        rows += [_more_row(game, tournament, sections) for game in game_records.more_games(tournament, wanted)]
    rounds, days = game_records.rounds_and_days(tournament)
    query = request.GET.copy()
    query.pop("page", None)
    return render(
        request,
        "tourney/games.html",
        {
            **context,
            "wanted": wanted,
            "player": _player(tournament, wanted.player),
            "page": page,
            "rows": rows,
            "rounds": rounds,
            "days": [(day.isoformat(), day_text(day)) for day in days],
            "results": [(code, result_text(code)) for code in game_records.SEARCHED_RESULTS],
            "ends": [(end.value, words) for end, words in END_WORDS.items()],
            "any": bool(days or rounds or rows),
            "query": f"&{query.urlencode()}" if query else "",
            "download": f"?{query.urlencode()}" if query else "",
            **_position(wanted),
        },
    )


def _position(wanted: Wanted) -> dict[str, Any]:
    """Return the position asked for as a drawing, or why it is none."""
    if not wanted.position:
        return {}
    try:
        placement = placement_of(wanted.position)
    except TourneyError as error:
        return {"position_problem": sentence(error)}
    return {"position_board": board(placement, title=_("The position you look for"))}


def _player(tournament: Tournament, pk: int | None) -> Entry | None:
    people = tournament.entries.filter(start_number__isnull=False).select_related("player")
    return people.filter(pk=pk).first() if pk else None


def _row(game: Game, tournament: Tournament, sections: Mapping[int, Any]) -> dict[str, Any]:
    section = sections.get(game.stage.section_id, game.stage.section)
    if game.stage.kind == Stage.Kind.PLAYOFF:
        block, where = _("Play-off for first place"), _("game %(number)s") % {"number": game.game_number}
    elif game.match_key:
        block, where = game.match_key, _("game %(number)s") % {"number": game.game_number}
    else:
        block = _("Round %(round)s") % {"round": game.round_number}
        where = _("board %(board)s") % {"board": game.board} if game.board else ""
    reached = f"?ply={at}#board" if (at := getattr(game, "reached_at", None)) else ""
    return {
        "game": game,
        "block": f"{section.title_text} · {block}" if len(sections) > 1 else block,
        "where": where,
        "moves": ((game.ply_count or 0) + 1) // 2,
        "eco": game.index.eco if hasattr(game, "index") else "",
        "opening": game.index.opening if hasattr(game, "index") else "",
        "url": f"{reverse('game', args=[tournament.slug, game.pk])}{reached}" if game.ply_count else "",
        "white_url": reverse("player", args=[tournament.slug, game.white.section.code, game.white_id]),
        "black_url": reverse("player", args=[tournament.slug, game.black.section.code, game.black_id]),
    }


def _more_row(game: panels.MoreGame, tournament: Tournament, sections: Mapping[int, Any]) -> dict[str, Any]:
    """Return the line of a game an app keeps in its own way: it leads to the page of its match."""
    title = next((one.title_text for one in sections.values() if one.code == game.section), "")
    return {
        "game": {"white": game.white, "black": game.black, "outcome": game.outcome, "time_control": game.clock},
        "block": f"{title} · {game.block}" if len(sections) > 1 else str(game.block),
        "block_url": game.url,
        "where": _("game %(number)s") % {"number": game.number},
        "white_url": reverse("player", args=[tournament.slug, game.white.section.code, game.white.pk]),
        "black_url": reverse("player", args=[tournament.slug, game.black.section.code, game.black.pk]),
    }


@require_safe
def games_pgn(request: HttpRequest, slug: str) -> StreamingHttpResponse:
    """What the list shows as one file: all games, a player's, a round's, a match with all its games."""
    tournament = public_tournament(request, slug)
    wanted = Wanted.of(request.GET)
    found = game_records.found_games(tournament, wanted)
    several = _several(tournament)
    parts = [tournament.slug, wanted.section, f"round-{wanted.round}" if wanted.round else "", wanted.match]
    name = "-".join(part for part in parts if part)
    content = game_records.pgn_file(found.iterator(chunk_size=200), tournament, several=several)
    response = StreamingHttpResponse((part.encode() for part in content), content_type=PGN_TYPE)
    response["Content-Disposition"] = f'attachment; filename="{_file_name(name)}.pgn"'
    return response


def _file_name(text: str) -> str:
    return "".join(letter for letter in text if letter.isascii() and (letter.isalnum() or letter in "-._"))[:80]


# -- staff -------------------------------------------------------------------------------------------------------------


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def manage(request: HttpRequest, slug: str) -> HttpResponse:
    """Files in, their reports, draws to look at; with `?game=` one game's moves by hand."""
    tournament = managed_tournament(request, slug)
    may_write = may(request, tournament, "enter_results")
    if request.method == "POST" and not may_write:
        raise PermissionDenied
    if request.GET.get("game"):
        return sheet_page(request, tournament, request.GET["game"], may_write=may_write)
    form = GameFileForm()
    if request.method == "POST":
        if (answer := act_on_import(request, tournament)) is not None:
            return answer
        form = GameFileForm(request.POST, request.FILES)
        if form.is_valid() and (taken := take_file(request, tournament, form)) is not None:
            return redirect(f"{reverse('manage_games', args=[slug])}?import={taken.pk}")
    shown = asked_import(tournament, request.GET.get("import", ""))
    names = names_context(tournament)
    if request.headers.get("HX-Request") and request.GET.get("names"):
        return render(request, "tourney/_names_out.html", {"tournament": tournament, "may_write": may_write, **names})
    if request.headers.get("HX-Request") and shown is not None:
        context = {"tournament": tournament, "may_write": may_write, **import_context(tournament, shown)}
        return render(request, "tourney/_game_import.html", context)
    early = game_records.early_draws(tournament)
    search = " ".join(request.GET.get("q", "").split())[:80]
    return render(
        request,
        "tourney/manage_games.html",
        manage_context(
            request,
            tournament,
            active="games",
            form=form,
            counts=game_records.record_counts(tournament),
            imports=list(tournament.game_imports.select_related("by", "job")[:20]),
            early=[{"draw": one, "where": where_words(one.game)} for one in early],
            early_open=sum(1 for one in early if not one.warned),
            may_write=may_write,
            search=search,
            found=_found(tournament, search) if search else [],
            names_asked=bool(request.GET.get("names")),
            **(import_context(tournament, shown) if shown else names),
        ),
        status=422 if form.errors else 200,
    )


def _found(tournament: Tournament, search: str) -> list[dict[str, Any]]:
    """Return the games of players called like that, played and to come, for entering moves by hand."""
    ids = game_records.people_called(tournament, search)
    found = game_records.games_of(tournament).defer("pgn").filter(Q(white__in=ids) | Q(black__in=ids))[:60]
    return [{"game": one, "where": where_words(one)} for one in found]
