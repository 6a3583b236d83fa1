"""One game to replay: the page, the same board inside other people's pages, pictures of a position, the game as PGN."""

from __future__ import annotations

from html import escape
from typing import Any
from urllib.parse import urlencode

from csp.decorators import csp_replace
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import override
from django.views.decorators.clickjacking import xframe_options_exempt
from django.views.decorators.http import require_safe

from tourney import board_picture, game_records, pgn_replay
from tourney.board_svg import board, picture
from tourney.formatting import result_text
from tourney.middleware import use_event_language
from tourney.models import Game, Tournament
from tourney.navigation import public_context
from tourney.permissions import may, public_tournament
from tourney.views.game_imports import where_words

PGN_TYPE = "application/x-chess-pgn; charset=utf-8"
_FOR_A_WHILE = "public, max-age=600"  # pictures: previews ask for them again and again


def title_of(game: Game) -> str:
    """Return the two players of a game as a title."""
    return f"{game.white.name} – {game.black.name}"


def public_game(tournament: Tournament, pk: int) -> Game:
    """Return a game anybody may know of, or 404."""
    return get_object_or_404(game_records.games_of(tournament).filter(game_records.public()), pk=pk)


@require_safe
def game(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """A game move by move: every move is a link to the position after it, so it can be read without scripts."""
    tournament = public_tournament(request, slug)
    found = public_game(tournament, pk)
    context = public_context(request, tournament, section=found.stage.section, active="games")
    shown = replay_context(found, _asked(request))
    return render(
        request,
        "tourney/game.html",
        {
            **context,
            **shown,
            "match_games": _match_games(found, tournament) if found.match_key else [],
            "match_query": f"?section={found.stage.section.code}&match={found.match_key}",
            "may_edit": may(request, tournament, "enter_results"),
            "share": _share(request, slug, pk, shown),
        },
    )


def _share(request: HttpRequest, slug: str, pk: int, shown: dict[str, Any]) -> dict[str, str]:
    """Return the addresses of a position, and the code that puts the game into another page."""

    def address(name: str) -> str:
        return request.build_absolute_uri(f"{reverse(name, args=[slug, pk])}?ply={shown['at']}")

    source, title = escape(address("game_embed")), escape(shown["title"])
    # A text to copy, not markup of this page: the template escapes it once more.
    frame = f'<iframe src="{source}" title="{title}" width="100%" height="560" loading="lazy"></iframe>'
    same = urlencode({"position": shown["fen"].partition(" ")[0]})
    return {
        "link": address("game"),
        "png": address("game_png"),
        "svg": address("game_svg"),
        "screen": address("game_embed"),
        "code": frame,
        "same": f"{reverse('games', args=[slug])}?{same}",
    }


@require_safe
@xframe_options_exempt
@csp_replace({"frame-ancestors": ["*"]})
def game_embed(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """The board and the moves alone, to be shown inside another page or across a whole screen. Takes no input."""
    tournament = public_tournament(request, slug)
    use_event_language(request, tournament.language)
    found = public_game(tournament, pk)
    context = replay_context(found, _asked(request))
    address = request.build_absolute_uri(reverse("game", args=[slug, pk]))
    return render(request, "tourney/game_embed.html", {"tournament": tournament, "address": address, **context})


def _asked(request: HttpRequest) -> int:
    """Return the half-move a visitor asks for; 0 (the start) for anything odd."""
    asked = request.GET.get("ply", "")
    return int(asked) if asked.isdecimal() and len(asked) < 6 else 0


def replay_context(found: Game, asked: int) -> dict[str, Any]:
    """Return what a page with the board of a game needs, with the position after half-move `asked`."""
    shown = pgn_replay.replay(found.pgn)
    last = len(shown.plies)
    at = min(asked, last)
    here = shown.plies[at - 1] if at else None
    start_words = _("Starting position")
    words = ply_words(here) if here else start_words
    return {
        "game": found,
        "title": title_of(found),
        "where": where_words(found),
        "result": result_text(found.outcome) if found.outcome else "",
        "replay": shown,
        "opening": shown.opening,
        "moves": _move_rows(shown),
        "at": at,
        "here": here,
        "fen": shown.fen(at),
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
    }


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


# -- files -------------------------------------------------------------------------------------------------------------


@require_safe
def game_pgn(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """One game as a file."""
    tournament = public_tournament(request, slug)
    found = public_game(tournament, pk)
    several = tournament.sections.count() > 1
    response = HttpResponse(game_records.pgn_text(found, tournament, several=several), content_type=PGN_TYPE)
    response["Content-Disposition"] = f'attachment; filename="{tournament.slug}-{pk}.pgn"'
    return response


def _position(request: HttpRequest, slug: str, pk: int) -> tuple[Tournament, Game, pgn_replay.Replay, int]:
    tournament = public_tournament(request, slug)
    found = public_game(tournament, pk)
    shown = pgn_replay.replay(found.pgn)
    return tournament, found, shown, min(_asked(request), len(shown.plies))


@require_safe
def game_svg(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """A position of a game as a drawing that needs nothing else."""
    tournament, found, shown, at = _position(request, slug, pk)
    here = shown.plies[at - 1] if at else None
    words = f"{title_of(found)}, {ply_words(here) if here else _('Starting position')}"
    response = HttpResponse(
        picture(shown.placement(at), title=words, squares=here.squares if here else ()), content_type="image/svg+xml"
    )
    response["Cache-Control"] = _FOR_A_WHILE if tournament.public else "private"
    return response


@require_safe
def game_png(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """A position of a game with its players, as the picture messengers show beside a link."""
    tournament, found, shown, at = _position(request, slug, pk)
    here = shown.plies[at - 1] if at else None
    opening = shown.opening
    with override(tournament.language):  # no visitor: a messenger fetches it for all
        lines = board_picture.Words(
            white=found.white.name,
            black=found.black.name,
            result=result_text(found.outcome) if found.outcome else "–",
            move=ply_words(here) if here else "",
            opening=f"{opening.eco} {opening.name}" if opening else "",
            event=f"{tournament.title_text} · {where_words(found)}",
        )
    drawn = board_picture.draw(shown.placement(at), lines, squares=here.squares if here else ())
    response = HttpResponse(drawn, content_type="image/png")
    response["Cache-Control"] = _FOR_A_WHILE if tournament.public else "private"
    return response
