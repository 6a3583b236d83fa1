"""One game to replay: the page, the same board inside other people's pages, pictures of a position, the game as PGN."""

from __future__ import annotations

from dataclasses import dataclass
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
from tourney.shared_cache import shared
from tourney.views.game_imports import where_words
from tourney.views.pictures import position_of

PGN_TYPE = "application/x-chess-pgn; charset=utf-8"
_FOR_A_WHILE = "private, max-age=600"  # pictures: a browser asks for the same ones again and again


def title_of(game: Game) -> str:
    """Return the two players of a game as a title."""
    return f"{game.white.name} – {game.black.name}"


def public_game(tournament: Tournament, pk: int) -> Game:
    """Return a game anybody may know of, or 404."""
    return get_object_or_404(game_records.games_of(tournament).filter(game_records.public()), pk=pk)


@shared()
@require_safe
def game(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """A game move by move: every move is a link to the position after it, so it can be read without scripts."""
    tournament = public_tournament(request, slug)
    found = public_game(tournament, pk)
    context = public_context(request, tournament, section=found.stage.section, active="games")
    shown = replay_context(found, _spot(request, pgn_replay.replay(found.pgn)))
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
        return request.build_absolute_uri(f"{reverse(name, args=[slug, pk])}?{shown['spot']}")

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


@shared()
@require_safe
@xframe_options_exempt
@csp_replace({"frame-ancestors": ["*"]})  # type: ignore[untyped-decorator]  # the package types no decorators
def game_embed(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """The board and the moves alone, to be shown inside another page or across a whole screen. Takes no input."""
    tournament = public_tournament(request, slug)
    use_event_language(request, tournament.language)
    found = public_game(tournament, pk)
    context = replay_context(found, _spot(request, pgn_replay.replay(found.pgn)))
    address = request.build_absolute_uri(reverse("game", args=[slug, pk]))
    return render(request, "tourney/game_embed.html", {"tournament": tournament, "address": address, **context})


@dataclass(frozen=True, slots=True)
class Spot:
    """The position of a game a visitor looks at: after half-move `at`, or after a move of a variation beside it."""

    shown: pgn_replay.Replay
    at: int
    line: pgn_replay.Said | None = None

    @property
    def ply(self) -> pgn_replay.Ply | None:
        return self.shown.plies[self.at - 1] if self.at and self.line is None else None

    @property
    def fen(self) -> str:
        return self.line.fen if self.line else self.shown.fen(self.at)

    @property
    def squares(self) -> tuple[str, ...]:
        return self.line.squares if self.line else self.ply.squares if self.ply else ()

    @property
    def words(self) -> str:
        """The move that led here as people write it, "" for the start."""
        return said_words(self.line) if self.line else ply_words(self.ply) if self.ply else ""

    @property
    def query(self) -> str:
        """How an address asks for this position."""
        return f"line={self.line.number}" if self.line else f"ply={self.at}"


def _spot(request: HttpRequest, shown: pgn_replay.Replay) -> Spot:
    """Return the position a visitor asks for (`?ply=`, `?line=`); anything odd gives the start."""

    def number(name: str) -> int:
        asked = request.GET.get(name, "")
        return int(asked) if asked.isdecimal() and len(asked) < 6 else 0

    if (found := shown.branch_move(number("line"))) is not None:
        return Spot(shown, found[0].number, found[1])
    return Spot(shown, min(number("ply"), len(shown.plies)))


def replay_context(found: Game, spot: Spot) -> dict[str, Any]:
    """Return what a page with the board of a game needs."""
    shown, at, here = spot.shown, spot.at, spot.ply
    last = len(shown.plies)
    start_words = _("Starting position")
    words = spot.words or start_words
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
        "line": spot.line.number if spot.line else 0,
        "spot": spot.query,
        "fen": spot.fen,
        "words": words,
        "start_words": start_words,
        "clocks": _clocks(shown, at),
        "board": board(spot.fen.partition(" ")[0], title=words, squares=spot.squares, check=here.check if here else ""),
        "steps": {"first": 0, "back": max(0, at - 1), "on": min(last, at + 1), "last": last},
    }


def said_words(said: pgn_replay.Said) -> str:
    """Return a move of a variation as people write it."""
    _, turn, *_rest, number = said.fen.split()
    return f"{number}. {said.text}" if turn == "b" else f"{int(number) - 1}… {said.text}"


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
        if ply.comment:
            rows[-1]["say"].append({"text": ply.comment})
        rows[-1]["say"] += [{"parts": _parts(branch), "at": ply.number} for branch in ply.branches]
    return rows


def _parts(branch: tuple[pgn_replay.Said, ...]) -> list[dict[str, Any]]:
    """Return the parts of a variation with the space before each, and which of its (nested) lines each belongs to."""
    parts: list[dict[str, Any]] = []
    inside: list[int] = []
    for said in branch:
        if said.text == "(":
            inside.append(len(parts))
        glued = not parts or parts[-1]["said"].text == "(" or said.text == ")"
        words = said_words(said) if said.fen else ""
        parts.append({"said": said, "space": "" if glued else " ", "words": words, "of": inside[-1] if inside else 0})
        if said.text == ")" and inside:
            inside.pop()
    return parts


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


@shared()
@require_safe
def game_pgn(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """One game as a file."""
    tournament = public_tournament(request, slug)
    found = public_game(tournament, pk)
    several = tournament.sections.count() > 1
    response = HttpResponse(game_records.pgn_text(found, tournament, several=several), content_type=PGN_TYPE)
    response["Content-Disposition"] = f'attachment; filename="{tournament.slug}-{pk}.pgn"'
    return response


def _position(request: HttpRequest, slug: str, pk: int) -> tuple[Tournament, Game, Spot]:
    tournament = public_tournament(request, slug)
    found = public_game(tournament, pk)
    return tournament, found, _spot(request, pgn_replay.replay(found.pgn))


@shared()
@require_safe
def game_svg(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """A position of a game as a drawing that needs nothing else."""
    tournament, found, spot = _position(request, slug, pk)
    place = spot.words or _("Starting position")
    words = f"{title_of(found)}, {place}"
    drawn = picture(spot.fen.partition(" ")[0], title=words, squares=spot.squares)
    response = HttpResponse(drawn, content_type="image/svg+xml")
    response["Cache-Control"] = _FOR_A_WHILE if tournament.public else "private"
    return response


@shared()
@require_safe
def game_png(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """A position of a game with its players, as the picture messengers show beside a link."""
    tournament, found, spot = _position(request, slug, pk)
    opening = spot.shown.opening
    with override(tournament.language):  # no visitor: a messenger fetches it for all
        lines = board_picture.Words(
            white=found.white.name,
            black=found.black.name,
            result=result_text(found.outcome) if found.outcome else "–",
            move=spot.words,
            opening=f"{opening.eco} {opening.name}" if opening else "",
            event=f"{tournament.title_text} · {where_words(found)}",
        )
    placement = spot.fen.partition(" ")[0]
    response = position_of(
        request,
        (placement, spot.squares, lines),
        lambda: board_picture.draw(placement, lines, squares=spot.squares),
    )
    response["Cache-Control"] = _FOR_A_WHILE if tournament.public else "private"
    return response
