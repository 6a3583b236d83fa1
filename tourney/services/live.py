"""Boards alive: what they write becomes moves of the event's games, and the part the public may see now.

One process follows all boards (`follow`, kept running by the worker): it looks at folders several times a second, asks
addresses when they are due, and writes the projection pages and their polls read (`Broadcast.boards`). When a game is
over and nothing of it is kept back any more, its moves go to the game's record, never against the arbiter.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

from django.db import connection
from django.db.models import F, Q
from django.utils import timezone

from tourney import panels
from tourney.feeds import AddressSource, ChangedGames, FolderSource, Source
from tourney.game_finders import finder_over
from tourney.game_matching import Candidate, Finder
from tourney.game_records import PLAYED, pgn_result, time_control
from tourney.kernel.errors import TourneyError
from tourney.live_boards import Delay, Sent, clocks, has_moves, is_whole, last_move, shown, start_placement, taken
from tourney.models import BoardFeed, Broadcast, Game, LiveGame, Stage, Tournament
from tourney.pgn import ReadGame
from tourney.pgn_replay import replay
from tourney.services.live_records import put_on_record, sent_of

TASK = "tourney.follow_boards"
TURN = 45.0  # seconds one worker follows before it hands on: a worker told to end waits no longer
TICK = 0.25  # seconds between two looks
LOOK_AROUND = 2.0  # seconds between two looks at what the event itself has changed
REST = 10.0  # seconds an event is left alone after a look that failed
NOTE = 15.0  # seconds between two notes of "looked at"
LINGER = timedelta(minutes=15)  # how long a finished game of a match stays on the page
ALIVE = timedelta(hours=24)  # how long a game without an end is waited for; what a game with one has is stored
MOST_PROBLEMS = 50
COLUMNS = ("board", "start", "moves", "result", "result_came", "changed_at", "conflict", "stored")  # boards write them
OUTCOMES = {"1-0": "1-0", "1/2-1/2": "1/2", "0-1": "0-1"}
_LOCK = (7_060_513, 1)
log = logging.getLogger(__name__)


def follow(
    seconds: float = TURN, *, now: Callable[[], float] = time.time, pause: Callable[[float], None] = time.sleep
) -> bool:
    """Follow all boards for so long; return whether there is still something to follow.

    Of several that are asked, one does it; the others return at once.
    """
    with _alone() as alone:
        if not alone:
            return False
        ends = now() + seconds
        events: dict[int, _Event] = {}
        resting: dict[int, float] = {}
        while True:
            moment = now()
            wanted = _wanted()
            events = {pk: event for pk, event in events.items() if pk in wanted}
            for pk, feeds in wanted.items():
                if moment < resting.get(pk, 0.0):
                    continue
                try:
                    if pk not in events:
                        events[pk] = _Event(pk)
                    events[pk].look(feeds, moment)
                except Exception:  # a bug, or an event gone meanwhile: the boards of all others go on
                    log.exception("boards of event %s could not be followed", pk)
                    events.pop(pk, None)
                    resting[pk] = moment + REST
            if not wanted or moment >= ends:
                return bool(wanted)
            pause(TICK)


@contextmanager
def _alone() -> Iterator[bool]:
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_try_advisory_lock(%s, %s)", _LOCK)
        held = bool(cursor.fetchone()[0])
    try:
        yield held
    finally:
        if held:
            with connection.cursor() as cursor:
                cursor.execute("SELECT pg_advisory_unlock(%s, %s)", _LOCK)


def _wanted() -> dict[int, list[BoardFeed]]:
    """Return the events to look at, with their feeds: those with boards, and those with games not stored yet."""
    found: dict[int, list[BoardFeed]] = {}
    over = (Tournament.State.FINISHED, Tournament.State.CANCELLED)
    feeds = BoardFeed.objects.filter(active=True, tournament__moved_to="")  # an event that has moved is only read here
    for feed in feeds.exclude(tournament__state__in=over):
        found.setdefault(feed.tournament_id, []).append(feed)
    late = ~Q(text="") & Q(game__isnull=False) & ~Q(game__outcome="")  # its result came after a long pause
    waiting = LiveGame.objects.filter(Q(changed_at__gt=timezone.now() - ALIVE) | late, stored=None, conflict="")
    waiting = waiting.filter(stage__section__tournament__moved_to="")
    for pk in waiting.order_by().values_list("stage__section__tournament", flat=True).distinct():
        found.setdefault(pk, [])
    return found


@dataclass(frozen=True, slots=True)
class _Slot:
    """A game of the event, with its row or still without."""

    stage: int
    round: int | None
    match: str
    number: int
    board: int | None
    white: int
    black: int
    game: int | None = None
    outcome: str = ""
    half_moves: int = 0

    @property
    def key(self) -> tuple[int, int | None, str, int, int, int]:
        return self.stage, self.round, self.match, self.number, self.white, self.black


@dataclass(slots=True)
class _Looked:
    """A feed as this process sees it."""

    source: Source
    changes: ChangedGames = field(default_factory=ChangedGames)
    problems: dict[tuple[str, int], dict[str, Any]] = field(default_factory=dict)
    error: str = ""
    noted: float = 0.0


class _Event:
    """One event's boards while they are followed."""

    def __init__(self, pk: int) -> None:
        self.tournament = Tournament.objects.get(pk=pk)
        self.broadcast = Broadcast.objects.get_or_create(tournament=self.tournament)[0]
        self._feeds: dict[int, _Looked] = {}
        self._looked_around = 0.0
        self._versions: dict[int, int] = {}
        self._slots: dict[int, _Slot] = {}
        self._finder = Finder([], {})
        self._live: dict[tuple[Any, ...], LiveGame] = {}
        self._unplaced: dict[tuple[int, str, int], ReadGame] = {}
        self._dirty = True

    def look(self, feeds: list[BoardFeed], now: float) -> None:
        """Take in what boards have written, and show what may be shown by now."""
        if now - self._looked_around >= LOOK_AROUND:
            self._look_around(now)
        for feed in feeds:
            self._read(feed, now)
        delayed = self.broadcast.delay_minutes or self.broadcast.delay_half_moves
        if self._dirty or delayed:
            self._dirty = False
            self._show(now)

    # -- what the event knows --------------------------------------------------------------------------------------

    def _look_around(self, now: float) -> None:
        self._looked_around = now
        delays = (self.broadcast.delay_minutes, self.broadcast.delay_half_moves)
        self.broadcast.refresh_from_db()
        self._dirty |= delays != (self.broadcast.delay_minutes, self.broadcast.delay_half_moves)
        stages = Stage.objects.filter(section__tournament=self.tournament)
        versions = dict(stages.values_list("pk", "version"))
        if versions == self._versions:
            return
        self._versions = versions
        self._dirty = True
        self._load()
        again, self._unplaced = self._unplaced, {}
        for (feed, name, number), read in again.items():
            if feed in self._feeds:
                self._feeds[feed].problems.pop((name, number), None)
                self._take(feed, name, read, now, settled=True)

    def _load(self) -> None:
        """Read the event's games, those that are due, and what is live."""
        columns = (
            *("pk", "stage_id", "stage__section__code", "round_number", "match_key", "game_number", "board"),
            *("white_id", "black_id", "outcome", "ply_count", "time_control"),
        )
        slots: dict[int, _Slot] = {}
        candidates = []
        games = Game.objects.filter(stage__section__tournament=self.tournament).order_by("pk")
        for pk, stage, section, round_, match, number, board, white, black, outcome, plies, clock in games.values_list(
            *columns
        ):
            slots[pk] = _Slot(stage, round_, match, number, board, white, black, pk, outcome, plies or 0)
            result = pgn_result(outcome) if outcome in PLAYED else ""
            words_of_clock = (time_control(clock) or "?") if clock else ""
            candidates.append(
                Candidate(pk, white, black, section, round_, board, match, number, result, clock=words_of_clock)
            )
        known = {slot.key for slot in slots.values()}
        for index, due in enumerate(panels.collect("awaited", self.tournament), 1):
            slot = _Slot(due.stage, None, due.match, due.number, due.board, due.white, due.black)
            if slot.key not in known:
                slots[-index] = slot
                clock = (time_control(due.clock) or "?") if due.clock else ""
                candidates.append(
                    Candidate(
                        -index, due.white, due.black, due.section, None, due.board, due.match, due.number, clock=clock
                    )
                )
        self._slots = slots
        self._finder = finder_over(self.tournament, candidates)
        self._live = {
            (live.stage_id, live.round_number, live.match_key, live.game_number, live.white_id, live.black_id): live
            for live in LiveGame.objects.filter(stage__section__tournament=self.tournament)
        }
        self._number_anew()

    def _number_anew(self) -> None:
        """Let live games of matches go with the numbers of games that are due: each result may move them."""
        keys = {slot.key for slot in self._slots.values()}
        free: dict[tuple[Any, ...], list[_Slot]] = {}
        for slot in self._slots.values():
            if slot.match and slot.game is None and slot.key not in self._live:
                free.setdefault((slot.stage, slot.match, slot.white, slot.black), []).append(slot)
        for key, live in list(self._live.items()):
            due = free.get((live.stage_id, live.match_key, live.white_id, live.black_id))
            if not due or live.game_id is not None or key in keys:
                continue
            slot = due.pop(0)
            if LiveGame.objects.filter(pk=live.pk, game=None).update(game_number=slot.number):
                live.game_number = slot.number
                del self._live[key]
                self._live[slot.key] = live

    # -- what boards write -----------------------------------------------------------------------------------------

    def _read(self, feed: BoardFeed, now: float) -> None:
        looked = self._feeds.get(feed.pk)
        if looked is None:
            folder = feed.kind == BoardFeed.Kind.FOLDER
            slug = self.tournament.slug
            source = FolderSource(slug, feed.place) if folder else AddressSource(feed.place, feed.seconds)
            looked = self._feeds[feed.pk] = _Looked(source, error=feed.error)
        error, values, changed = "", {}, False
        try:
            for reading in looked.source.readings(now):
                changed = True
                for read in looked.changes.of(reading):
                    looked.problems.pop((reading.name, read.number), None)
                    self._unplaced.pop((feed.pk, reading.name, read.number), None)
                    self._take(feed.pk, reading.name, read, now, settled=reading.settled)
        except TourneyError as refused:
            error, values = refused.code, dict(refused.values)
        if changed or error != looked.error or now - looked.noted > NOTE:
            looked.error, looked.noted = error, now
            moment = datetime.fromtimestamp(now, UTC)
            update: dict[str, Any] = {"looked_at": moment, "error": error, "error_values": values}
            if changed:
                problems = [looked.problems[key] for key in sorted(looked.problems)][:MOST_PROBLEMS]
                update |= {"changed_at": moment, "games": sum(looked.changes.games.values()), "problems": problems}
            BoardFeed.objects.filter(pk=feed.pk).update(**update)

    def _take(self, feed: int, name: str, read: ReadGame, now: float, *, settled: bool) -> None:
        match = self._finder.find(read.tags, read.result)
        if match.pk is None:
            if read.ply_count or read.tags.get("White", "?") not in ("", "?"):
                self._unplaced[feed, name, read.number] = read
                self._feeds[feed].problems[name, read.number] = {
                    "code": f"games.{match.code or 'no_game'}",
                    "line": read.line,
                    "number": read.number,
                    "white": read.tags.get("White", "?")[:60],
                    "black": read.tags.get("Black", "?")[:60],
                    "values": {"fitting": match.fitting},
                }
            return
        slot = self._slots[match.pk]
        live = self._live.get(slot.key)
        if live is None and (slot.half_moves or not read.ply_count):
            return  # a game with a record of its own, or a board that waits for its first move
        before = sent_of(live) if live is not None else Sent()
        start = read.tags.get("FEN", "")[:100] if read.ply_count else ""
        shown_as = replay(read.stored)
        after = taken(before, shown_as, read.result, now, settled=settled, start=start)
        text = read.stored if has_moves(shown_as, after) else live.text if live is not None else ""
        if live is not None and after == before and text == live.text:
            return
        moment = datetime.fromtimestamp(now, UTC)
        if live is None:
            live = LiveGame(
                stage_id=slot.stage,
                round_number=slot.round,
                match_key=slot.match,
                game_number=slot.number,
                white_id=slot.white,
                black_id=slot.black,
                game_id=slot.game,
                began_at=moment,
                changed_at=moment,
            )
            self._live[slot.key] = live
        remembered, live.board = live.changed_at, slot.board
        live.start, live.moves = after.start, after.as_rows()
        anew, live.text = text != live.text, text
        live.result, live.result_came = after.result, after.result_came
        live.changed_at, live.conflict = moment, ""
        if live.stored is not None and (anew or live.stored != len(after.moves)):
            live.stored = None
        self._dirty = True
        if live.pk is None:
            live.save()
            return
        # What others write of a row meanwhile (a file with more moves, a name taken out, a number) is not written over.
        columns = [*COLUMNS, "text"] if anew else COLUMNS
        values = {column: getattr(live, column) for column in columns}
        if not LiveGame.objects.filter(pk=live.pk, changed_at=remembered).update(**values):
            fresh = LiveGame.objects.filter(pk=live.pk).first()
            if fresh is None:
                del self._live[slot.key]
                return
            self._live[slot.key] = fresh
            self._take(feed, name, read, now, settled=settled)

    # -- what is shown ---------------------------------------------------------------------------------------------

    def _show(self, now: float) -> None:
        delay = Delay(self.broadcast.delay_minutes, self.broadcast.delay_half_moves)
        slots = {slot.key: slot for slot in self._slots.values()}
        rows = []
        for key, live in self._current(now, slots):
            slot = slots.get(key)
            outcome = slot.outcome if slot is not None else ""
            if slot is not None and slot.game != live.game_id:
                live.game_id = slot.game
                live.save(update_fields=["game"])
            sent = sent_of(live)
            seen = shown(sent, delay, now, over=bool(outcome))
            rows.append(_row(live, seen, outcome))
            over = bool(outcome or sent.result)
            if over and live.stored is None and not live.conflict and live.game_id and is_whole(sent, seen):
                self._dirty |= not put_on_record(live)
        if rows != self.broadcast.boards:
            self.broadcast.boards = rows
            Broadcast.objects.filter(pk=self.broadcast.pk).update(
                boards=rows, version=F("version") + 1, changed_at=timezone.now()
            )

    def _current(self, now: float, slots: dict[tuple[Any, ...], _Slot]) -> list[tuple[tuple[Any, ...], LiveGame]]:
        """Return the games of the current rounds, those of matches that are played or just over, and any to store."""

        def is_late(key: tuple[Any, ...], live: LiveGame) -> bool:
            has_ended = key in slots and bool(slots[key].outcome)
            return bool(has_ended and live.text and live.stored is None and not live.conflict)

        newest: dict[int, int] = {}
        for live in self._live.values():
            if live.round_number is not None:
                newest[live.stage_id] = max(newest.get(live.stage_id, 0), live.round_number)
        lately = datetime.fromtimestamp(now, UTC) - LINGER
        alive = datetime.fromtimestamp(now, UTC) - ALIVE
        found = [
            (key, live)
            for key, live in self._live.items()
            if (live.round_number is not None and live.round_number == newest[live.stage_id])
            or (live.round_number is None and (live.stored is None or live.changed_at > lately))
            or live.stored is None
        ]
        return sorted(
            ((key, live) for key, live in found if live.changed_at > alive or is_late(key, live)),
            key=lambda one: (
                one[1].stage_id,
                one[1].round_number or 0,
                one[1].board or 999,
                one[1].match_key,
                one[1].pk,
            ),
        )


def _row(live: LiveGame, seen: Sent, outcome: str) -> dict[str, Any]:
    """Return what the page shows of a game; an outcome the arbiter has entered stands above what the board says."""
    white, black = clocks(seen)
    last = seen.moves[-1] if seen.moves else None
    return {
        "id": live.pk,
        "stage": live.stage_id,
        "round": live.round_number,
        "match": live.match_key,
        "number": live.game_number,
        "board": live.board,
        "white": live.white_id,
        "black": live.black_id,
        "game": live.game_id,
        "placement": last.placement if last else start_placement(seen.start),
        "squares": last.squares if last else "",
        "check": last.check if last else "",
        "move": last_move(seen),
        "clocks": [white, black],
        "outcome": outcome or OUTCOMES.get(seen.result, ""),
    }
