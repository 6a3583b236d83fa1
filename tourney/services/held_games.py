"""Records of games that are still played, in an event whose public waits for moves: held as boards' moves are.

What comes in a file becomes a live game instead of a record (`tourney.models.LiveGame`): the follower of boards shows
what may be seen of it, and puts it on the game when that is over and nothing is kept back any more.
"""

from __future__ import annotations

from datetime import datetime, timedelta

from tourney.kernel.errors import TourneyError
from tourney.live_boards import Delay, Sent, taken
from tourney.models import Broadcast, Game, LiveGame, Tournament
from tourney.pgn import ReadGame
from tourney.pgn_moves import RESULTS
from tourney.pgn_replay import Replay, replay

PLAYED_LONG_AGO = timedelta(hours=24)  # a game that began before that is watched by nobody
_OVER = (Tournament.State.FINISHED, Tournament.State.CANCELLED)


def delay_of(tournament: Tournament) -> Delay:
    """Return how long an event's public waits for moves; not at all once the event is over."""
    found = Broadcast.objects.filter(tournament=tournament).values_list("delay_minutes", "delay_half_moves").first()
    return Delay(*found) if found and tournament.state not in _OVER else Delay()


def must_wait(game: Game, delay: Delay, now: datetime) -> bool:
    """Return whether moves of a game may not be seen at once: it has no result yet, or its minutes are not over."""
    if not delay.minutes and not delay.half_moves:
        return False
    if game.outcome:
        return game.finished_at is not None and now < game.finished_at + timedelta(minutes=delay.minutes)
    return game.scheduled_at is None or now < game.scheduled_at + PLAYED_LONG_AGO


def refuse_early(game: Game, tournament: Tournament, now: datetime) -> None:
    """Refuse moves entered by hand while they could still help somebody (``games.wait_for_result``)."""
    if not game.outcome and must_wait(game, delay_of(tournament), now):
        raise TourneyError("games.wait_for_result")


def hold(game: Game, read: ReadGame, now: datetime, *, replace: bool) -> tuple[str, str]:
    """Keep a record as a live game; return what it was and a code worth telling (as `tourney.services.games.store`).

    Moves that are known already, on the game's record or from its board, stay: a beginning of them tells nothing new,
    and others are left out unless `replace`, which takes them from the record as well. The stage's lock is held, and
    its version must grow: the follower of boards looks again then.
    """
    new = replay(read.stored)
    on_record = replay(game.pgn) if game.pgn else None
    if on_record is not None and not replace and not _goes_on(_moves(on_record), _moves(new)):
        return _told_already(_moves(on_record), _moves(new))
    if game.pgn == read.stored:
        return "same", ""
    live, _made = LiveGame.objects.select_for_update(of=("self",)).get_or_create(
        stage_id=game.stage_id,
        round_number=game.round_number,
        match_key=game.match_key,
        game_number=game.game_number,
        white_id=game.white_id,
        black_id=game.black_id,
        defaults={"board": game.board, "game": game, "began_at": now, "changed_at": now},
    )
    before = Sent.of(live.moves, live.result, live.result_came, live.start)
    known = [move.san.rstrip("+#") for move in before.moves]
    if not replace and not _goes_on(known, _moves(new)):
        return _told_already(known, _moves(new))
    start = read.tags.get("FEN", "")[:100]
    result = read.result
    if result not in RESULTS[:3] and known == _moves(new):
        result = before.result  # a file that says nothing of it takes no result back
    after = taken(before, new, result, now.timestamp(), settled=True, start=start)
    in_the_way = on_record is not None and not _goes_on(_moves(on_record), _moves(new))
    if after == before and live.text == read.stored and not in_the_way:
        return "same", ""
    if in_the_way:
        game.pgn, game.ply_count = "", None
        game.save(update_fields=["pgn", "ply_count"])
    live.game, live.start, live.moves, live.text = game, after.start, after.as_rows(), read.stored
    live.result, live.result_came = after.result, after.result_came
    live.changed_at, live.stored, live.conflict = now, None, ""
    live.save()
    return "held", "games.held"


def _moves(read: Replay) -> list[str]:
    return [ply.san.rstrip("+#") for ply in read.plies]


def _goes_on(known: list[str], new: list[str]) -> bool:
    return new[: len(known)] == known


def _told_already(known: list[str], new: list[str]) -> tuple[str, str]:
    return ("same", "") if known[: len(new)] == new else ("left_out", "games.other_moves")
