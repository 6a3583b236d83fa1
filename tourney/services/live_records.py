"""Moves of live games that are over become records: on the game itself, never against what stands there."""

from __future__ import annotations

from django.db import transaction

from tourney.live_boards import Sent, body, has_moves
from tourney.models import Game, LiveGame
from tourney.pgn import ReadGame
from tourney.pgn_replay import replay
from tourney.pgn_text import split_stored
from tourney.services.games import store
from tourney.services.stages import bump, lock_stage


def sent_of(live: LiveGame) -> Sent:
    """Return what boards have sent of a game, none of it kept back."""
    return Sent.of(live.moves, live.result, live.result_came, live.start)


def put_on_record(live: LiveGame) -> bool:
    """Put the moves of a finished game on its record; other moves that stand there already are kept.

    False when the row says something else by now than `live` remembers (a file brought more moves, a name was taken
    out): nothing is stored then, and `live` is as the row is.
    """
    with transaction.atomic():
        stage = lock_stage(live.stage_id)
        if stage.section.tournament.moved_to:
            return True
        row = LiveGame.objects.select_for_update(of=("self",)).filter(pk=live.pk).first()
        if row is None:
            return True
        if _said(row) != _said(live):
            live.refresh_from_db()
            return False
        game = Game.objects.filter(pk=live.game_id or 0).first()
        if game is None:
            return True
        sent = sent_of(live)
        what, code = store(game, _as_read(live, sent), replace=False)
        if what in ("placed", "replaced"):
            game.save(update_fields=["pgn", "ply_count"])
            bump(stage)
        live.conflict = code if what == "left_out" else ""
        live.stored = None if live.conflict else len(sent.moves)
        live.save(update_fields=["stored", "conflict"])
    return True


def _said(live: LiveGame) -> tuple[object, ...]:
    return live.moves, live.text, live.start, live.result, live.stored, live.conflict


def _as_read(live: LiveGame, sent: Sent) -> ReadGame:
    """Return a live game as a record: as it came, with comments and variations, if that is this very game."""
    tags, text = split_stored(live.text)
    if not text or not has_moves(replay(live.text), sent):
        tags, text = {"SetUp": "1", "FEN": sent.start} if sent.start else {}, body(sent)
    return ReadGame(1, 1, tags, text, len(sent.moves), sent.result, ())
