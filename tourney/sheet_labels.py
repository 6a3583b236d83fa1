"""Score sheets and endings in words: why a move can't be played, how a game ended. Figurines name the pieces."""

from __future__ import annotations

from typing import Any

from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from tourney.game_index import End

# How a game's last position looks, as a visitor may ask for it; what is nothing special is not asked for.
END_WORDS: dict[End, Any] = {
    End.MATE: _("checkmate"),
    End.STALEMATE: _("stalemate"),
    End.PAWNS: pgettext_lazy("ending", "pawn ending"),
    End.ROOKS: pgettext_lazy("ending", "rook ending"),
    End.QUEENS: pgettext_lazy("ending", "queen ending"),
    End.MINORS: pgettext_lazy("ending", "bishops and knights"),
    End.ROOKS_MINORS: pgettext_lazy("ending", "rooks with bishops or knights"),
}

MESSAGES: dict[str, Any] = {
    "games.bad_position": _("This is no position: a FEN is needed, or its first field, with both kings."),
    "moves.too_long": _("No score sheet has more than %(limit)s characters."),
    "moves.unreadable": _("“%(word)s” is no move."),
    "moves.after_result": _("The result ends the moves: nothing may follow it."),
    "moves.over": _("The game is over: there is no move in this position."),
    "moves.ambiguous": _("Several pieces can go there. Write which: %(moves)s."),
    "moves.promotion": _("Write which piece the pawn becomes, for example %(word)s=Q."),
    "moves.no_piece": _("There is no %(piece)s on the board."),
    "moves.no_piece_there": _("There is no %(piece)s on %(where)s."),
    "moves.empty_square": _("No piece of the side to move stands on %(square)s."),
    "moves.own_piece": _("A piece of the same side stands on %(square)s: %(standing)s."),
    "moves.check_stays": _("The king is in check by %(by)s, and %(piece)s on %(square)s does not help."),
    "moves.pinned": _("%(piece)s is pinned: without it the king would be in check."),
    "moves.king_attacked": _("The king can't go to %(square)s: attacked by %(by)s."),
    "moves.pawn_takes_nothing": _("There is nothing for %(piece)s to take on %(square)s."),
    "moves.blocked": _("%(piece)s can't go to %(square)s: %(by)s is in the way."),
    "moves.can_not_reach": _("No %(piece)s can go to %(square)s."),
    "moves.castling_moved": _("Castling is no longer possible: the king or this rook has moved."),
    "moves.castling_check": _("No castling out of check."),
    "moves.castling_blocked": _("No castling: %(by)s stands between king and rook."),
    "moves.castling_attacked": _("No castling: the king would pass or reach an attacked square."),
    "moves.not_open": _("In this event the arbiters put in the moves."),
    "moves.not_yours": _("This is a game of others."),
    "moves.not_finished": _("Moves are put in when the game has its result."),
    "log.games.moves_by_player": _("Moves of %(white)s – %(black)s entered by a player, moves: %(moves)s"),
    "log.games.players_may_enter": _("Players may put in the moves of their games"),
    "log.games.players_may_not_enter": _("Players may not put in the moves of their games any more"),
}
