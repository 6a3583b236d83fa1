"""Moves typed from a score sheet: by an arbiter, or by one of the two players where the event lets them."""

from __future__ import annotations

from typing import Any

from django.db import transaction
from django.utils import timezone

from tourney.kernel.errors import TourneyError
from tourney.models import Entry, Game, Tournament
from tourney.pgn_replay import replay
from tourney.pgn_text import split_stored, tag_lines, wrapped
from tourney.score_sheet import Sheet, numbered, read_sheet
from tourney.services.game_index import write_moves
from tourney.services.games import refuse_unseen
from tourney.services.held_games import refuse_early
from tourney.services.log import log
from tourney.services.stages import bump, lock_stage


def start_of(game: Game) -> str:
    """Return the position a game begins with where it isn't the usual one, else ""."""
    return split_stored(game.pgn)[0].get("FEN", "")


def read_for(game: Game, text: str) -> Sheet:
    """Read a typed text as moves of a game. Raises as `read_sheet`."""
    return read_sheet(text, start_of(game))


def _stored(game: Game, sheet: Sheet) -> str:
    """Return moves as a game stores them, with the tags its earlier moves needed."""
    tags, _body = split_stored(game.pgn)
    body = wrapped(sheet.text().split())
    return f"{tag_lines(tags)}\n{body}" if tags else body


def _gone_on_with(game: Game, sheet: Sheet, known: int) -> str:
    """Return a record gone on with after its `known` half-moves: comments, clocks and variations in it stay."""
    tags, body = split_stored(game.pgn)
    if not known or not set("{($") & set(body):
        return _stored(game, sheet)
    more = numbered(sheet.moves[known:], sheet.fen).split()
    if more[0].endswith("...") and body[-1] not in "})":
        del more[0]
    body = f"{body}\n{wrapped(more)}"
    return f"{tag_lines(tags)}\n{body}" if tags else body


@transaction.atomic
def store_sheet(game: Game, text: str, *, actor: Any, part: bool = False, seen: str | None = None) -> Sheet:
    """Put the moves of a typed text on a game, whatever was there; with `part` those before the first mistake.

    Raises the reason of the first word that is no move (``moves.…``), ``pgn.no_moves``, ``games.wait_for_result``, and
    ``games.other_moves`` when others than those `seen` have come since the form was opened.
    """
    stage = lock_stage(game.stage_id)
    locked = Game.objects.get(pk=game.pk)
    refuse_unseen(locked, seen)
    refuse_early(locked, stage.section.tournament, timezone.now())
    sheet = read_for(locked, text)
    _refuse(sheet, part=part)
    write_moves(locked, _stored(locked, sheet), len(sheet.moves))
    bump(stage)
    log(
        stage.section.tournament,
        "games.moves_set",
        actor=actor,
        white=game.white.name,
        black=game.black.name,
        moves=(len(sheet.moves) + 1) // 2,
    )
    return sheet


@transaction.atomic
def store_players_sheet(game: Game, text: str, *, by: Entry, part: bool = False) -> Sheet:
    """Put the moves one of its players typed on a finished game. Moves already stored may only be gone on with.

    Raises as `store_sheet`, and ``moves.not_open``, ``moves.not_finished``, ``moves.not_yours``, ``games.other_moves``.
    """
    stage = lock_stage(game.stage_id)
    locked = Game.objects.get(pk=game.pk)
    if not stage.section.tournament.players_enter_moves:
        raise TourneyError("moves.not_open")
    if by.pk not in (locked.white_id, locked.black_id):
        raise TourneyError("moves.not_yours")
    if not locked.outcome:
        raise TourneyError("moves.not_finished")
    sheet = read_for(locked, text)
    _refuse(sheet, part=part)
    known = [ply.san.rstrip("+#") for ply in replay(locked.pgn).plies]
    if known != [move.rstrip("+#") for move in sheet.moves[: len(known)]]:
        raise TourneyError("games.other_moves")
    if len(known) == len(sheet.moves):
        return sheet
    write_moves(locked, _gone_on_with(locked, sheet, len(known)), len(sheet.moves))
    bump(stage)
    log(
        stage.section.tournament,
        "games.moves_by_player",
        label=by.name,
        white=game.white.name,
        black=game.black.name,
        moves=(len(sheet.moves) + 1) // 2,
    )
    return sheet


def _refuse(sheet: Sheet, *, part: bool) -> None:
    if sheet.wrong is not None and not part:
        raise sheet.wrong.reason
    if not sheet.moves:
        raise TourneyError("pgn.no_moves")


@transaction.atomic
def let_players_enter(tournament: Tournament, *, allowed: bool, actor: Any) -> None:
    """Say whether players may put in the moves of their own finished games by their personal link."""
    locked = Tournament.objects.select_for_update(no_key=True).get(pk=tournament.pk)
    if locked.players_enter_moves == allowed:
        return
    locked.players_enter_moves = allowed
    locked.save(update_fields=["players_enter_moves"])
    tournament.players_enter_moves = allowed
    if allowed:
        log(tournament, "games.players_may_enter", actor=actor)
    else:
        log(tournament, "games.players_may_not_enter", actor=actor)
