"""Codes of game records in words: what a file was refused for, what a line of an import's report says."""

from __future__ import annotations

from typing import Any

from django.utils.translation import gettext_lazy as _

MESSAGES: dict[str, Any] = {
    "pgn.too_large": _("A file may have up to %(limit)s MB."),
    "pgn.not_text": _("This is not a PGN file: games are text."),
    "pgn.no_games": _("There is no game in it."),
    "pgn.too_many_games": _("Only the first %(limit)s games were read: put the others into a second file."),
    "pgn.one_game_only": _("This page takes one game; there are %(games)s in the text."),
    "pgn.no_moves": _("There is no move in it that can be followed."),
    "pgn.nul_bytes": _("Bytes without meaning were left out."),
    "pgn.comment_not_closed": _("A comment is never closed; the next game begins all the same."),
    "pgn.comment_too_long": _("A comment was cut at %(limit)s characters."),
    "pgn.tag_damaged": _("This line of the head can't be read."),
    "pgn.tag_too_long": _("“%(tag)s” was cut at %(limit)s characters."),
    "pgn.tag_twice": _("“%(tag)s” stands there twice; the first one counts."),
    "pgn.variant": _("Moves of the variant “%(variant)s” can't be followed."),
    "pgn.bad_position": _("The starting position is impossible."),
    "pgn.variation_left_out": _("A variation was left out: it is nested too deeply or begins nowhere."),
    "pgn.after_result": _("More moves stand after the result; they were left out."),
    "pgn.too_long": _("The game was cut after %(limit)s half-moves."),
    "pgn.game_too_long": _("A game without end: what goes beyond %(limit)s MB was left out up to the next game."),
    "pgn.wrong_move": _("%(move)s %(san)s is not possible here; what comes before it was kept."),
    "games.no_player": _("Nobody in this event is called like that."),
    "games.no_game": _("These two have no such game in this event."),
    "games.colors": _("These two played with the colours the other way round."),
    "games.several": _("Several games of these two fit (%(fitting)s): the round or the number of the game is missing."),
    "games.unsure": _("The names are only alike, and nothing else says that this game is meant."),
    "games.set_aside": _("Somebody has set it aside."),
    "games.no_moves": _("No moves to store."),
    "games.other_moves": _("This game has other moves already; they were kept."),
    "games.result_differs": _("Stored, but the result in the file (%(result)s) is not the arbiter's, which stands."),
    "games.not_running": _("This file is not being read any more."),
    "games.not_stopped": _("This file was read to its end."),
    "games.reason_needed": _("Say why: the reason stays in the event's log."),
    "log.games.imported": _("Game records read from a file: %(placed)s of %(games)s games placed"),
    "log.games.import_stopped": _("Reading of the game file “%(name)s” stopped"),
    "log.games.import_resumed": _("Reading of the game file “%(name)s” goes on"),
    "log.games.record_placed": _("Record %(number)s of a file, %(white)s – %(black)s, put to a game by hand"),
    "log.games.record_set_aside": _("Record %(number)s of a file, %(white)s – %(black)s, set aside"),
    "log.games.moves_set": _("Moves of %(white)s – %(black)s entered, moves: %(moves)s"),
    "log.games.moves_removed": _("Moves of %(white)s – %(black)s taken out"),
}
