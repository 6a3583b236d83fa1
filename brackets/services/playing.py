"""A match from the call to its last game: boards, colours, lots, results."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.db import transaction

from brackets.engine.match_fold import AwaitColor, AwaitGame, AwaitLot, LotFor
from brackets.engine.match_play import MatchState, apply, bracket_result
from brackets.engine.match_steps import ChooseColor, LotChooser, LotColor, parse_result
from brackets.engine.match_steps import Game as GameStep
from brackets.models import Match, MatchEvent
from brackets.selectors import Row, Table
from brackets.services.acts import Act
from brackets.services.projecting import clock_text
from tourney.kernel.colors import Color
from tourney.kernel.errors import TourneyError
from tourney.kernel.ids import MatchKey
from tourney.models import Entry, Game, Lot, ResultRecord
from tourney.pairing_words import MATCH, key_of, published
from tourney.services.lots import draw_now

Kind = MatchEvent.Kind


@transaction.atomic
def call_match(
    stage_id: int,
    match: str,
    *,
    board: int | None = None,
    actor: Any = None,
    operation: UUID | None = None,
    seen: str = "",
) -> Match:
    """Call a match to a board (the first free one unless told otherwise) and return it.

    Refusals: ``match.already_called``, ``match.board_busy``, ``match.no_free_board``, ``match.unknown_board``,
    ``bracket.match_locked``, ``bracket.match_settled``, ``bracket.paused``.
    """
    act = Act(stage_id, actor, operation=operation, while_paused=False)
    if act.repeated:
        return act.table.matches[MatchKey(match)]
    act.check_seen(match, seen)
    act.open_match(match)
    called = act.table.matches[MatchKey(match)]
    if called.board is not None and called.state in (Match.State.CALLED, Match.State.PLAYING):
        raise TourneyError("match.already_called", match=match, board=called.board)
    free = free_boards(act.table)
    if board is None:
        if not free:
            raise TourneyError("match.no_free_board")
        board = free[0]
    elif board not in boards_of(act.table):
        raise TourneyError("match.unknown_board", board=board)
    elif board not in free:
        raise TourneyError("match.board_busy", board=board)
    act.add(Kind.CALLED, match=match, data={"board": board})
    act.finish("brackets.called", match=match, board=board)
    published(act.stage, key_of(MATCH, act.stage, match))
    return act.table.matches[MatchKey(match)]


def boards_of(table: Table) -> range:
    """Return the numbers of the boards this bracket plays on."""
    first = table.stage.section.first_board
    return range(first, first + table.stage.section.tournament.boards)


def free_boards(table: Table) -> list[int]:
    """Return the boards where nobody sits."""
    busy = {match.board for match in table.matches.values() if match.state in (Match.State.CALLED, Match.State.PLAYING)}
    return [board for board in boards_of(table) if board not in busy]


@transaction.atomic
def return_call(stage_id: int, match: str, *, actor: Any = None, reason: str = "", seen: str = "") -> Match:
    """Take a call back while no game has a result (``match.not_called``, ``match.already_begun``)."""
    act = Act(stage_id, actor)
    act.check_seen(match, seen)
    act.open_match(match)
    key = MatchKey(match)
    if not act.table.rows_of(key):
        raise TourneyError("match.not_called", match=match)
    if act.table.games_in_force(key):
        raise TourneyError("match.already_begun", match=match)
    act.cancel(key, reason)
    act.finish("brackets.call_returned", reason=reason, match=match)
    return act.table.matches[key]


@transaction.atomic
def choose_color(
    stage_id: int,
    match: str,
    *,
    color: str,
    by: str = "",
    actor: Any = None,
    operation: UUID | None = None,
    seen: str = "",
    device: str = "",
) -> MatchState:
    """Enter the colour the chooser takes for the next game (K7.2): `color` "w" or "b", `by` the chooser's side.

    Refusals: ``match.unknown_color``, ``match.not_chooser``, ``match.color_not_now``, ``match.lot_first``,
    ``match.finished`` and those of every act.
    """
    act = Act(stage_id, actor, operation=operation, device=device)
    if act.repeated:
        return act.table.match_state(match)
    act.check_seen(match, seen)
    if color not in {one.value for one in Color}:
        raise TourneyError("match.unknown_color", got=color)
    awaiting = act.open_match(match).awaiting
    chooser = by or (awaiting.by if isinstance(awaiting, AwaitColor) else "a")
    after = act.add_step(Kind.COLOR, match, ChooseColor(chooser, Color(color)))
    chosen = "brackets.white_chosen" if color == Color.WHITE else "brackets.black_chosen"
    act.finish(chosen, match=match, by=_name(act, match, chooser))
    return after


@transaction.atomic
def draw_color_lot(
    stage_id: int,
    match: str,
    *,
    winner: str = "",
    method: str = "",
    actor: Any = None,
    operation: UUID | None = None,
    seen: str = "",
    device: str = "",
) -> MatchState:
    """Draw the lot a match waits for: White of the Armageddon (K6.4, K7.3), or who chooses the colour.

    Without `winner` the program draws and keeps a protocol anybody can check. With `winner` (a side) the lot was
    drawn by hand; `method` says how (coin, pawns, balls), and that is recorded instead. Refusals:
    ``match.lot_not_now``, ``match.color_first``, ``match.lot_method_needed``, ``match.unknown_player``.
    """
    act = Act(stage_id, actor, operation=operation, device=device, draws_lot=not winner)
    if act.repeated:
        return act.table.match_state(match)
    act.check_seen(match, seen)
    awaiting = act.open_match(match).awaiting
    if not isinstance(awaiting, AwaitLot):
        raise TourneyError("match.lot_not_now")
    sides = act.table.sides(match)
    gives_white = awaiting.gives is LotFor.WHITE
    lot: int | None = None
    if winner:
        if winner not in sides:
            raise TourneyError("match.unknown_player", player=winner)
        if not method.strip():
            raise TourneyError("match.lot_method_needed")
    else:
        drawn = draw_now(
            act.stage.section.tournament,
            purpose=Lot.Purpose.GAME_COLOR if gives_white else Lot.Purpose.COLOR_CHOICE,
            subject=f"{act.stage.section.code}:{match}:{awaiting.number}",
            kind="coin",
            entrants=[str(entry) for entry in sides.values()],
            actor=actor,
        )
        lot, method = drawn.lot_id, "program"
        winner = next(side for side, entry in sides.items() if str(entry) == drawn.result)
    step = LotColor(winner, method.strip()) if gives_white else LotChooser(winner, method.strip())
    after = act.add_step(Kind.LOT, match, step, lot=lot)
    act.finish(
        "brackets.lot_drawn" if lot else "brackets.lot_by_hand",
        match=match,
        winner=_name(act, match, winner),
        method=method,
        gives=awaiting.gives.value,
    )
    return after


@transaction.atomic
def enter_game_result(
    stage_id: int,
    match: str,
    *,
    number: int,
    outcome: str,
    actor: Any = None,
    operation: UUID | None = None,
    seen: str = "",
    device: str = "",
) -> MatchState:
    """Enter the result of game `number`; who has White follows from the rules. Return the match after it.

    With the last game the match is decided and both players move on in the same transaction. The same result of the
    same game sent again is accepted once. Refusals: ``match.unknown_result``, ``match.out_of_order``,
    ``match.color_first``, ``match.lot_first``, ``match.draw_not_possible``, ``match.finished``,
    ``match.changed_meanwhile`` (who entered what), ``match.operation_reused``, ``bracket.match_locked``,
    ``bracket.match_settled``.
    """
    act = Act(stage_id, actor, operation=operation, device=device)
    key = act.table.match_spec(match).key
    result = parse_result(outcome)
    earlier = _entered(act, key, number)
    if act.repeated:
        game = next((row for row in act.repeated if row.kind == Kind.GAME), None)
        if game is None or (game.match, game.data["number"], game.outcome) != (key, number, result.value):
            raise TourneyError("match.operation_reused")
        return act.table.match_state(key)
    if earlier is not None and earlier.outcome == result.value:
        return act.table.match_state(key)
    act.check_seen(key, seen)
    before = act.open_match(key)
    after = apply(before, GameStep(number, result))
    awaited = before.awaiting
    if not isinstance(awaited, AwaitGame):  # the engine has refused everything else
        raise TourneyError("match.out_of_order", number=number, next=0)
    record = record_result(act, key, awaited, result.value)
    act.add(Kind.GAME, match=key, data={"number": number}, record=record)
    settle(act, key, after)
    act.finish("brackets.game_entered", match=key, number=number, result=result.value)
    return after


def _entered(act: Act, key: MatchKey, number: int) -> Row | None:
    return next((row for row in act.table.games_in_force(key) if row.data["number"] == number), None)


def settle(act: Act, key: MatchKey, after: MatchState) -> None:
    """If the match is over, say so to the bracket."""
    if after.is_done:
        act.add_fact(bracket_result(after, key, act.table.sides(key)))


def record_result(act: Act, key: MatchKey, awaited: AwaitGame, outcome: str) -> ResultRecord:
    """Append the record of a game, and make its row if this is the first time it is heard of."""
    sides = act.table.sides(key)
    white, black = sides[awaited.white], sides[awaited.black]
    known = any(
        row.match == key and row.kind == Kind.GAME and row.data["number"] == awaited.number for row in act.table.rows
    )
    game = None
    if known:
        game = Game.objects.filter(stage=act.stage, match_key=key, game_number=awaited.number).first()
    values = {
        "white_id": white,
        "black_id": black,
        "board": act.table.matches[key].board,
        "time_control": clock_text(awaited.white_clock, awaited.black_clock),
        "outcome": outcome,
        "finished_at": act.now,
    }
    current = None
    if game is None:
        game = Game.objects.create(stage=act.stage, match_key=key, game_number=awaited.number, version=1, **values)
    else:
        current = ResultRecord.objects.filter(game=game, successor__isnull=True).first()
        for name, value in values.items():
            setattr(game, name, value)
        game.version += 1
        game.save(update_fields=[*(name.removesuffix("_id") for name in values), "version"])
    return ResultRecord.objects.create(
        game=game,
        outcome=outcome,
        entered_by=act.actor,
        at=act.now,
        supersedes=current,
        device=act.device,
        # The operation stands on the event: one tap may write more than a record.
    )


def supersede(act: Act, game_id: int, outcome: str, reason: str) -> ResultRecord:
    """Append a record that corrects a game's result or takes it back ("")."""
    game = Game.objects.get(pk=game_id)
    current = ResultRecord.objects.filter(game=game, successor__isnull=True).first()
    record = ResultRecord.objects.create(
        game=game,
        outcome=outcome,
        entered_by=act.actor,
        at=act.now,
        supersedes=current,
        reason=reason,
        device=act.device,
    )
    game.outcome = outcome
    game.version += 1
    game.finished_at = act.now if outcome else None
    game.save(update_fields=["outcome", "version", "finished_at"])
    return record


def _name(act: Act, match: str, side: str) -> str:
    """Return the public name of a player for the log."""

    entry = act.before.sides(match)[side]
    return Entry.objects.select_related("player").get(pk=entry).player.name
