"""Typing a score sheet: text in any of three languages or taps on the board, checked by the server move by move.

Without scripts the same page works by its buttons: "Check" shows the position the text leads to, or why not.
"""

from __future__ import annotations

import json
import re
from typing import Any

from django.contrib import messages
from django.db.models import Q
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_POST

from tourney import game_records, pgn, pgn_replay
from tourney.board_svg import board
from tourney.game_forms import RemoveForm
from tourney.kernel.errors import TourneyError
from tourney.labels import sentence
from tourney.models import Entry, Game, Tournament
from tourney.navigation import manage_context, public_context
from tourney.permissions import managed_tournament
from tourney.score_sheet import Sheet, numbered
from tourney.services import games as services
from tourney.services import score_sheets
from tourney.views.game_imports import problem_words, where_words

_PGN_SIGNS = re.compile(r"[\[{($;]")
_ROWS = re.compile(r"(\d+)(\.\.\.|\.) ?(\S+)(?: (?!\d+\.)(\S+))?")


def is_pgn(text: str) -> bool:
    """Return whether a text is more than moves: tags, comments, variations."""
    return bool(_PGN_SIGNS.search(text))


def typed_text(game: Game, *, plain: bool = False) -> str:
    """Return what stands in the field at first: the moves, or the whole record when it holds more (not if `plain`)."""
    shown = pgn_replay.replay(game.pgn)
    if not shown.plies or (not plain and is_pgn(game.pgn.partition("]\n\n")[2] or game.pgn)):
        return "" if plain else game.pgn
    return numbered(tuple(ply.san for ply in shown.plies), shown.plies[-1].fen)


def sheet_context(game: Game, text: str, *, plain: bool = False) -> dict[str, Any]:
    """Return what the fragment with the board shows for a typed text: position, moves, what is wrong."""
    if not plain and is_pgn(text):
        return _record_context(text)
    try:
        sheet = score_sheets.read_for(game, text)
    except TourneyError as error:
        return {"problem": sentence(error), "moves_read": 0}
    legal = [[uci, san] for uci, san in sheet.legal.items()]
    return {
        "sheet_board": _board(sheet.fen, sheet.squares, sheet.check),
        "rows": [found.groups("") for found in _ROWS.finditer(sheet.text())],
        "moves_read": (len(sheet.moves) + 1) // 2,
        "plies_read": len(sheet.moves),
        "turn": sheet.fen.split()[1],
        "legal": json.dumps(legal, separators=(",", ":")) if sheet.wrong is None else "[]",
        "ended": sheet.ended,
        "problem": problem_of(sheet),
    }


def problem_of(sheet: Sheet) -> str:
    """Return what is wrong with a typed text, with the word and its move; "" for nothing."""
    if sheet.wrong is None:
        return ""
    return _("%(move)s %(word)s: %(reason)s") % {
        "move": sheet.wrong.before,
        "word": sheet.wrong.word,
        "reason": sentence(sheet.wrong.reason),
    }


def _record_context(text: str) -> dict[str, Any]:
    """A whole record (PGN) is shown by its last position; the board takes no taps then."""
    try:
        read = next(iter(pgn.read(text.encode())))
    except TourneyError as error:
        return {"problem": sentence(error), "moves_read": 0}
    shown = pgn_replay.replay(read.stored)
    last = shown.plies[-1] if shown.plies else None
    wrong = next((one for one in read.remarks if one.code == "pgn.wrong_move"), None)
    return {
        "sheet_board": _board(shown.fen(len(shown.plies)), last.squares if last else (), last.check if last else ""),
        "moves_read": (len(shown.plies) + 1) // 2,
        "legal": "[]",
        "is_record": True,
        "problem": problem_words({"code": wrong.code, "values": wrong.values}) if wrong else "",
    }


def _board(fen: str, squares: tuple[str, ...], check: str) -> str:
    return board(fen.partition(" ")[0], title=_("The position after these moves"), squares=squares, check=check)


def sheet_page(request: HttpRequest, tournament: Tournament, text: str, *, may_write: bool) -> HttpResponse:
    """One game's moves by hand: type or paste them, or take a wrong record out."""
    if not text.isdecimal() or len(text) > 17:
        raise Http404
    found = get_object_or_404(game_records.games_of(tournament), pk=int(text))
    here = f"{reverse('manage_games', args=[tournament.slug])}?game={found.pk}"
    typed, seen = typed_text(found), services.mark_of(found.pgn)
    remove = RemoveForm()
    failed = ""
    if request.method == "POST":
        act, typed = request.POST.get("act", ""), request.POST.get("text", typed)
        opened_with = request.POST.get("seen", seen)
        if act == "check":
            if request.headers.get("X-Sheet"):
                return render(request, "tourney/_sheet.html", sheet_context(found, typed))
            seen = opened_with
        elif act == "remove":
            remove = RemoveForm(request.POST)
            if remove.is_valid():
                services.remove_moves(found, actor=request.user, reason=remove.cleaned_data["reason"])
                messages.success(request, _("The moves were taken out."))
                return redirect(here)
        else:
            try:
                _store(request, found, typed, part=act == "part")
            except TourneyError as error:
                failed = sentence(error)
                # Who is told of other moves may write over them; any other slip doesn't show them.
                seen = seen if error.code == "games.other_moves" else opened_with
            else:
                return redirect(here)
    context = sheet_context(found, typed)
    return render(
        request,
        "tourney/manage_game.html",
        manage_context(
            request,
            tournament,
            active="games",
            game=found,
            title=f"{found.white.name} – {found.black.name}",
            where=where_words(found),
            typed=typed,
            seen=seen,
            failed=failed,
            remove=remove,
            early=game_records.is_early(found),
            limit=game_records.draw_limit(found),
            moves=((found.ply_count or 0) + 1) // 2,
            may_write=may_write,
            **context,
        ),
        status=422 if failed or remove.errors else 200,
    )


def _store(request: HttpRequest, game: Game, text: str, *, part: bool) -> None:
    seen = request.POST.get("seen")
    if is_pgn(text):
        _tell(request, services.set_moves(game, text, actor=request.user, seen=seen))
        return
    sheet = score_sheets.store_sheet(game, text, actor=request.user, part=part, seen=seen)
    say_stored(request, len(sheet.moves))


def say_stored(request: HttpRequest, plies: int) -> None:
    """Say how many moves were stored."""
    number = (plies + 1) // 2
    messages.success(request, ngettext("%(n)d move stored.", "%(n)d moves stored.", number) % {"n": number})


def _tell(request: HttpRequest, read: pgn.ReadGame) -> None:
    say_stored(request, read.ply_count)
    for remark in read.remarks[:5]:
        line = {"code": remark.code, "values": remark.values}
        messages.warning(
            request, _("Line %(line)s: %(problem)s") % {"line": remark.line, "problem": problem_words(line)}
        )


def players_page(request: HttpRequest, entry: Entry, *, here: str, home: str) -> HttpResponse:
    """The finished games of a player behind the personal link; with `?game=` its score sheet.

    `here` is the address of this page, `home` that of the personal page. Moves already stored may only be gone on
    with: what an arbiter or the opponent put in stays.
    """
    tournament = entry.tournament
    own = game_records.games_of(tournament).filter(Q(white=entry) | Q(black=entry), outcome__in=game_records.PLAYED)
    text = request.GET.get("game", "")
    if not text:
        rows = [{"game": one, "where": where_words(one), "url": f"{here}?game={one.pk}"} for one in own]
        context = public_context(request, tournament, section=entry.section, rows=rows, home=home, entry=entry)
        return render(request, "tourney/player_games.html", context)
    if not text.isdecimal() or len(text) > 17:
        raise Http404
    found = get_object_or_404(own, pk=int(text))
    typed, failed = typed_text(found, plain=True), ""
    if request.method == "POST":
        act, typed = request.POST.get("act", ""), request.POST.get("text", typed)
        if act == "check":
            if request.headers.get("X-Sheet"):
                return render(request, "tourney/_sheet.html", sheet_context(found, typed, plain=True))
        else:
            try:
                sheet = score_sheets.store_players_sheet(found, typed, by=entry, part=act == "part")
            except TourneyError as error:
                failed = sentence(error)
            else:
                say_stored(request, len(sheet.moves))
                return redirect(f"{here}?game={found.pk}")
    context = public_context(
        request,
        tournament,
        section=entry.section,
        game=found,
        title=f"{found.white.name} – {found.black.name}",
        where=where_words(found),
        typed=typed,
        failed=failed,
        back_url=here,
        **sheet_context(found, typed, plain=True),
    )
    return render(request, "tourney/player_sheet.html", context, status=422 if failed else 200)


@require_POST
def players_enter(request: HttpRequest, slug: str) -> HttpResponse:
    """Let players put in the moves of their own finished games, or no longer."""
    tournament = managed_tournament(request, slug, "arbitrate")
    score_sheets.let_players_enter(tournament, allowed=request.POST.get("allowed") == "1", actor=request.user)
    if tournament.players_enter_moves:
        messages.success(request, _("Players find their games on their personal pages now."))
    else:
        messages.success(request, _("Only arbiters put in moves now."))
    return redirect(f"{reverse('manage_games', args=[slug])}#by-hand")
