"""Moves of one game: put in by an arbiter, taken out, renewed by a longer record.

Nothing here changes a result: a record that says something else than the arbiter is kept, and reported.
"""

from __future__ import annotations

from hashlib import sha256
from typing import Any

from django.db import transaction
from django.utils import timezone

from tourney import pgn
from tourney.kernel.errors import TourneyError
from tourney.models import Game
from tourney.pgn import ReadGame
from tourney.pgn_replay import replay
from tourney.services.held_games import refuse_early
from tourney.services.log import log
from tourney.services.stages import bump, lock_stage


def store(game: Game, read: ReadGame, *, replace: bool) -> tuple[str, str]:
    """Put moves on a game (not saved); return what it was and a code worth telling.

    A longer record of the same moves takes the shorter one's place: boards send a game again while it grows.
    """
    new = read.stored
    if game.pgn == new:
        return "same", ""
    if game.pgn and not replace:
        old_moves, new_moves = _moves(game.pgn), _moves(new)
        if new_moves[: len(old_moves)] != old_moves:
            shorter = old_moves[: len(new_moves)] == new_moves
            return ("same", "") if shorter else ("left_out", "games.other_moves")
    what = "replaced" if game.pgn else "placed"
    game.pgn, game.ply_count = new, read.ply_count
    return what, ""


def _moves(stored: str) -> list[str]:
    return [ply.san.rstrip("+#") for ply in replay(stored).plies]


def mark_of(stored: str) -> str:
    """Return by what a form knows the moves it was opened with."""
    return sha256(stored.encode()).hexdigest()[:16]


def refuse_unseen(game: Game, seen: str | None) -> None:
    """Refuse to write over moves that came after a form was opened (``games.other_moves``). None: not asked."""
    if seen is not None and game.pgn and mark_of(game.pgn) != seen:
        raise TourneyError("games.other_moves")


@transaction.atomic
def set_moves(game: Game, text: str, *, actor: Any, seen: str | None = None) -> ReadGame:
    """Put pasted moves on a game, whatever was there when the form was opened (`seen`); return what was read.

    Refusals: those of `tourney.pgn.read`, ``pgn.one_game_only``, ``pgn.no_moves``, ``games.other_moves``,
    ``games.wait_for_result``, ``event.busy``.
    """
    read = list(pgn.read(text.encode()))
    if len(read) > 1:
        raise TourneyError("pgn.one_game_only", games=len(read))
    if not read[0].ply_count:
        raise TourneyError("pgn.no_moves")
    stage = lock_stage(game.stage_id)
    locked = Game.objects.filter(pk=game.pk).first()
    if locked is None:  # a game of a play-off, whose result was taken back meanwhile
        raise TourneyError("event.busy")
    refuse_unseen(locked, seen)
    refuse_early(locked, stage.section.tournament, timezone.now())
    locked.pgn, locked.ply_count = read[0].stored, read[0].ply_count
    locked.save(update_fields=["pgn", "ply_count"])
    bump(stage)
    log(
        stage.section.tournament,
        "games.moves_set",
        actor=actor,
        white=game.white.name,
        black=game.black.name,
        moves=(read[0].ply_count + 1) // 2,
    )
    return read[0]


@transaction.atomic
def remove_moves(game: Game, *, actor: Any, reason: str) -> None:
    """Take the moves of a game out (``games.reason_needed``)."""
    if not reason.strip():
        raise TourneyError("games.reason_needed")
    stage = lock_stage(game.stage_id)
    Game.objects.filter(pk=game.pk).update(pgn="", ply_count=None)
    bump(stage)
    log(
        stage.section.tournament,
        "games.moves_removed",
        actor=actor,
        reason=reason,
        white=game.white.name,
        black=game.black.name,
    )
