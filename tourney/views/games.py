"""Games: the public list, one game to replay, downloads; on the staff side files coming in and draws to look at."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.core.paginator import Paginator
from django.db.models import Q
from django.http import Http404, HttpRequest, HttpResponse, StreamingHttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_safe

from tourney import game_records, pgn, pgn_replay
from tourney.board_svg import board
from tourney.formatting import result_text
from tourney.game_forms import GameFileForm, MovesForm, RemoveForm
from tourney.game_records import Wanted
from tourney.kernel.errors import TourneyError
from tourney.labels import sentence
from tourney.models import Entry, Game, Tournament
from tourney.navigation import manage_context, public_context
from tourney.permissions import managed_tournament, may, public_tournament
from tourney.services import games as services
from tourney.views.game_imports import (
    act_on_import,
    asked_import,
    import_context,
    problem_words,
    take_file,
    where_words,
)

PAGE = 100
PGN_TYPE = "application/x-chess-pgn; charset=utf-8"


def _title(game: Game) -> str:
    return f"{game.white.name} – {game.black.name}"


def _several(tournament: Tournament) -> bool:
    return tournament.sections.count() > 1


# -- public ------------------------------------------------------------------------------------------------------------


@require_safe
def games(request: HttpRequest, slug: str) -> HttpResponse:
    """The games with moves, found by player, group and round; each match keeps its games together."""
    tournament = public_tournament(request, slug)
    wanted = Wanted.of(request.GET)
    context = public_context(request, tournament, active="games")
    page = Paginator(game_records.found_games(tournament, wanted).defer("pgn"), PAGE).get_page(request.GET.get("page"))
    sections = {section.pk: section for section in context["sections"]}
    rows = [_row(game, tournament, sections) for game in page]
    played = Game.objects.filter(stage__section__tournament=tournament).exclude(pgn="")
    rounds = played.filter(round_number__isnull=False).order_by().values_list("round_number", flat=True).distinct()
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
            "rounds": sorted(number for number in rounds if number),
            "any": played.exists(),
            "query": f"&{query.urlencode()}" if query else "",
            "download": f"?{query.urlencode()}" if query else "",
        },
    )


def _player(tournament: Tournament, pk: int | None) -> Entry | None:
    people = tournament.entries.filter(start_number__isnull=False).select_related("player")
    return people.filter(pk=pk).first() if pk else None


def _row(game: Game, tournament: Tournament, sections: Mapping[int, Any]) -> dict[str, Any]:
    section = sections.get(game.stage.section_id, game.stage.section)
    if game.match_key:
        block, where = game.match_key, _("game %(number)s") % {"number": game.game_number}
    else:
        block = _("Round %(round)s") % {"round": game.round_number}
        where = _("board %(board)s") % {"board": game.board} if game.board else ""
    return {
        "game": game,
        "block": f"{section.title_text} · {block}" if len(sections) > 1 else block,
        "where": where,
        "moves": ((game.ply_count or 0) + 1) // 2,
        "url": reverse("game", args=[tournament.slug, game.pk]) if game.ply_count else "",
        "white_url": reverse("player", args=[tournament.slug, game.white.section.code, game.white_id]),
        "black_url": reverse("player", args=[tournament.slug, game.black.section.code, game.black_id]),
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


def _public_game(tournament: Tournament, pk: int) -> Game:
    return get_object_or_404(game_records.games_of(tournament).filter(game_records.public()), pk=pk)


@require_safe
def game_pgn(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """One game as a file."""
    tournament = public_tournament(request, slug)
    found = _public_game(tournament, pk)
    text = game_records.pgn_text(found, tournament, several=_several(tournament))
    response = HttpResponse(text, content_type=PGN_TYPE)
    response["Content-Disposition"] = f'attachment; filename="{tournament.slug}-{pk}.pgn"'
    return response


@require_safe
def game(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """A game move by move: every move is a link to the position after it, so it can be read without scripts."""
    tournament = public_tournament(request, slug)
    found = _public_game(tournament, pk)
    shown = pgn_replay.replay(found.pgn)
    asked = request.GET.get("ply", "")
    at = min(int(asked), len(shown.plies)) if asked.isdecimal() and len(asked) < 6 else 0
    here = shown.plies[at - 1] if at else None
    start_words = _("Starting position")
    words = ply_words(here) if here else start_words
    last = len(shown.plies)
    context = public_context(request, tournament, section=found.stage.section, active="games")
    return render(
        request,
        "tourney/game.html",
        {
            **context,
            "game": found,
            "title": _title(found),
            "where": where_words(found),
            "result": result_text(found.outcome) if found.outcome else "",
            "replay": shown,
            "moves": _move_rows(shown),
            "at": at,
            "here": here,
            "words": words,
            "start_words": start_words,
            "clocks": _clocks(shown, at),
            "board": board(
                shown.placement(at),
                title=words,
                squares=here.squares if here else (),
                check=here.check if here else "",
            ),
            "steps": {"first": 0, "back": max(0, at - 1), "on": min(last, at + 1), "last": last},
            "match_games": _match_games(found, tournament) if found.match_key else [],
            "match_query": f"?section={found.stage.section.code}&match={found.match_key}",
            "may_edit": may(request, tournament, "enter_results"),
        },
    )


def ply_words(ply: pgn_replay.Ply) -> str:
    """Return a move as people write it: `12…Nf6`."""
    return f"{ply.move}{'.' if ply.color == 'w' else '…'} {ply.san}{ply.mark}"


def _move_rows(shown: pgn_replay.Replay) -> list[dict[str, Any]]:
    """Return the moves by number, White and Black side by side, with what is said about them."""
    rows: list[dict[str, Any]] = []
    for ply in shown.plies:
        if ply.color == "w" or not rows:
            rows.append({"number": ply.move, "plies": [], "say": [], "starts_black": ply.color == "b"})
        rows[-1]["plies"].append({"ply": ply, "words": ply_words(ply)})
        rows[-1]["say"] += [text for text in (ply.comment, *ply.lines) if text]
    return rows


def _clocks(shown: pgn_replay.Replay, at: int) -> dict[str, str]:
    """Return the last clock time of both sides up to a half-move."""
    clocks = {"w": "", "b": ""}
    for ply in shown.plies[:at]:
        if ply.clock:
            clocks[ply.color] = ply.clock
    return clocks


def _match_games(found: Game, tournament: Tournament) -> list[dict[str, Any]]:
    """Return the games of a match, tie-break games included; those without moves are no links."""
    rows = Game.objects.filter(stage_id=found.stage_id, match_key=found.match_key).filter(game_records.public())
    return [
        {
            "number": one.game_number,
            "clock": one.time_control,
            "result": result_text(one.outcome) if one.outcome else "…",
            "turned": one.white_id != found.white_id,
            "url": reverse("game", args=[tournament.slug, one.pk]) if one.ply_count else "",
            "here": one.pk == found.pk,
        }
        for one in rows.defer("pgn").order_by("game_number")
    ]


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
        return _manage_one(request, tournament, request.GET["game"], may_write=may_write)
    form = GameFileForm()
    if request.method == "POST":
        if (answer := act_on_import(request, tournament)) is not None:
            return answer
        form = GameFileForm(request.POST, request.FILES)
        if form.is_valid() and (taken := take_file(request, tournament, form)) is not None:
            return redirect(f"{reverse('manage_games', args=[slug])}?import={taken.pk}")
    shown = asked_import(tournament, request.GET.get("import", ""))
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
            **(import_context(tournament, shown) if shown else {}),
        ),
        status=422 if form.errors else 200,
    )


def _found(tournament: Tournament, search: str) -> list[dict[str, Any]]:
    """Return the games of players called like that, played and to come, for entering moves by hand."""
    ids = game_records.people_called(tournament, search)
    found = game_records.games_of(tournament).defer("pgn").filter(Q(white__in=ids) | Q(black__in=ids))[:60]
    return [{"game": one, "where": where_words(one)} for one in found]


def _manage_one(request: HttpRequest, tournament: Tournament, text: str, *, may_write: bool) -> HttpResponse:
    """One game's moves by hand: paste them, or take a wrong record out."""
    if not text.isdecimal() or len(text) > 17:
        raise Http404
    found = get_object_or_404(game_records.games_of(tournament), pk=int(text))
    here = f"{reverse('manage_games', args=[tournament.slug])}?game={found.pk}"
    moves = MovesForm(initial={"text": found.pgn})
    remove = RemoveForm()
    if request.method == "POST":
        try:
            if request.POST.get("act") == "remove":
                remove = RemoveForm(request.POST)
                if remove.is_valid():
                    services.remove_moves(found, actor=request.user, reason=remove.cleaned_data["reason"])
                    messages.success(request, _("The moves were taken out."))
                    return redirect(here)
            else:
                moves = MovesForm(request.POST)
                if moves.is_valid():
                    read = services.set_moves(found, moves.cleaned_data["text"], actor=request.user)
                    _tell(request, read)
                    return redirect(here)
        except TourneyError as error:
            moves.add_error("text", sentence(error))
    return render(
        request,
        "tourney/manage_game.html",
        manage_context(
            request,
            tournament,
            active="games",
            game=found,
            title=_title(found),
            where=where_words(found),
            form=moves,
            remove=remove,
            early=game_records.is_early(found),
            limit=game_records.draw_limit(found),
            moves=((found.ply_count or 0) + 1) // 2,
            may_write=may_write,
        ),
        status=422 if moves.errors or remove.errors else 200,
    )


def _tell(request: HttpRequest, read: pgn.ReadGame) -> None:
    number = (read.ply_count + 1) // 2
    messages.success(request, ngettext("%(n)d move stored.", "%(n)d moves stored.", number) % {"n": number})
    for remark in read.remarks[:5]:
        line = {"code": remark.code, "values": remark.values}
        messages.warning(
            request, _("Line %(line)s: %(problem)s") % {"line": remark.line, "problem": problem_words(line)}
        )
