"""Rows of boards, rendered once for as long as they say the same (`tourney.rendered`)."""

from __future__ import annotations

from typing import Any

from django import template
from django.template.loader import render_to_string
from django.utils.safestring import SafeString

from swiss.boards import Board, Side
from tourney.rendered import RenderedRows, hole

register = template.Library()

_SHOWN = RenderedRows("components/board_row.html")
_ENTERED = RenderedRows("swiss/_entry_row.html")
# What a row for entering holds while nobody has been answered in it and nobody disagrees.
_PLAIN = frozenset(
    {
        *("board", "id", "round", "operation", "asks_moves", "open_drawer", "conflict", "changed"),
        *("players", "link", "hidden", "closed"),
    }
)


def _side(side: Side | None) -> tuple[Any, ...] | None:
    return side and (side.entry.pk, side.name, side.href, side.title, side.more, side.points)


def _board(board: Board) -> tuple[Any, ...]:
    said = (board.result, board.bye, board.state, board.note, board.marks, board.why, board.open)
    return (board.id, board.number, board.game_id, board.version, _side(board.white), _side(board.black), *said)


@register.simple_tag
def board_row(board: Board) -> SafeString:
    """`{% board_row board %}`: a board as everybody sees it."""
    return _SHOWN.html(_board(board), lambda: {"board": board})


@register.simple_tag(takes_context=True)
def entry_row(context: template.Context, row: dict[str, Any]) -> SafeString:
    """`{% entry_row row %}`: a board with its buttons; one that has something to say is rendered for itself."""
    token = str(context.get("csrf_token", ""))
    if row["conflict"] or not row.keys() <= _PLAIN or not token.isalnum() or token == "NOTPROVIDED":  # noqa: S105 -- what Django says without a token
        return SafeString(render_to_string("swiss/_entry_row.html", {**context.flatten(), "row": row}))
    action = str(context["action"])
    flags = (row["asks_moves"], row["open_drawer"], row["changed"], row["players"], bool(row["link"]))
    key = (action, row["id"], row["round"].number, _board(row["board"]), flags, row.get("hidden"), row.get("closed"))
    blank = {**row, "operation": hole("operation")}
    return _ENTERED.html(
        key,
        lambda: {"row": blank, "action": action, "csrf_token": hole("csrf")},
        csrf=token,
        operation=str(row["operation"]),
    )
