"""Running the day: who plays where, which match comes to the next free board, who waits for whom, when it will end."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.core.cache import cache
from django.utils import timezone

from brackets.cards import OPEN, Card, Cards, source_words
from brackets.engine.calls import Call, Prospects, call_order, outlook, prospects
from brackets.engine.forecast import Running, forecast, phase_seconds
from brackets.engine.resolve import SETTLED, BracketState, MatchStatus, resolve
from brackets.models import Match, MatchEvent
from brackets.selectors import Table
from brackets.services import free_boards, late_at
from tourney.kernel.ids import EntryId, MatchKey

FORECAST_SECONDS = 120
PLAN_SECONDS = 86_400
FRESH_SECONDS = 15  # a forecast this young is good enough even though another result has come in


@dataclass(frozen=True, slots=True)
class Ending:
    """The forecast in moments of the clock."""

    end: datetime
    earliest: datetime
    latest: datetime
    starts: Mapping[str, datetime]
    slots: Mapping[int, datetime]  # time slot of the graph -> when its last match is likely to end

    @property
    def spread(self) -> int:
        """Minutes more or less."""
        return max(5, round((self.latest - self.earliest).total_seconds() / 120))


@dataclass(frozen=True, slots=True)
class Ready:
    """A match that can come to a board."""

    card: Card
    call: Call
    board: int | None  # the free board it would get


@dataclass(frozen=True, slots=True)
class Waiting:
    """A player who can't play yet: in which match, and what it waits for."""

    card: Card
    entry: int
    name: str
    for_words: str


@dataclass(frozen=True, slots=True)
class BoardLine:
    """A board where somebody plays, or an open match without one."""

    card: Card
    late_at: datetime | None
    is_late: bool
    minutes: int = 0  # since the call
    is_long: bool = False  # longer than a match of every phase usually takes


@dataclass(frozen=True, slots=True)
class SlotLine:
    """A time slot of the graph: how far its matches are, and when the last of them is likely to end.

    `planned`: when it would be over on a day that goes as a day usually does from the first call on.
    """

    number: int
    settled: int
    matches: int
    live: int
    ends: datetime | None
    planned: datetime | None = None

    @property
    def behind(self) -> int | None:
        """Minutes the slot is behind the plan (negative: ahead of it)."""
        return None if self.ends is None or self.planned is None else _minutes(self.planned, self.ends)


def playing(cards: Cards, now: datetime) -> list[BoardLine]:
    """Return what is being played by board; open matches that lost their board come first."""
    lines = []
    usual = sum(phase_seconds(cards.table.rules.match_format)) // 60
    for key, match in cards.table.matches.items():
        if match.state in OPEN:
            late = late_at(cards.table, key) if match.state == Match.State.CALLED else None
            minutes = int((now - match.called_at).total_seconds()) // 60 if match.called_at is not None else 0
            lines.append(
                BoardLine(cards.card(key), late, late is not None and late <= now, max(0, minutes), minutes > usual)
            )
    return sorted(lines, key=lambda line: (line.card.match.board is not None, line.card.match.board or 0))


def calls(cards: Cards, now: datetime) -> list[Ready]:
    """Return the matches that can start, in the order they should, with the board each would get."""
    table = cards.table
    order = call_order(
        table.spec,
        table.state,
        waiting=minutes_open(table, now),
        rested=minutes_rested(table, now),
        rest_minutes=table.rules.rest_minutes,
        busy=frozenset(key for key, match in table.matches.items() if match.state in OPEN),
    )
    boards = free_boards(table)
    return [
        Ready(cards.card(call.match), call, boards[index] if index < len(boards) else None)
        for index, call in enumerate(order)
    ]


def minutes_open(table: Table, now: datetime) -> dict[MatchKey, int]:
    """Return for each open match how long both its players have been known."""
    found = {}
    drawn = table.bracket.drawn_at or now
    for view in table.state.open_matches:
        spec = table.spec.by_key[view.key]
        ends = [
            table.matches[source.match].finished_at or drawn for source in (spec.a, spec.b) if hasattr(source, "match")
        ]
        found[view.key] = max(0, int((now - max([drawn, *ends])).total_seconds()) // 60)
    return found


def minutes_rested(table: Table, now: datetime) -> dict[EntryId, int]:
    """Return how long ago each player's last match ended."""
    found: dict[EntryId, int] = {}
    for key, view in table.state.matches.items():
        ended = table.matches[key].finished_at
        if view.status is MatchStatus.DONE and ended is not None:
            for player in view.players:
                minutes = max(0, int((now - ended).total_seconds()) // 60)
                found[player] = min(minutes, found.get(player, minutes))
    return found


def slot_lines(table: Table, found: Ending | None, plan: Mapping[int, datetime]) -> list[SlotLine]:
    """Return the time slots that aren't over, in order."""
    slots: dict[int, list[MatchKey]] = {}
    for match in table.spec.matches:
        if table.state.matches[match.key].status not in (MatchStatus.BYE, MatchStatus.NOT_NEEDED):
            slots.setdefault(match.slot, []).append(match.key)
    lines = []
    for number, keys in sorted(slots.items()):
        settled = sum(1 for key in keys if table.state.matches[key].status in SETTLED)
        if settled < len(keys):
            live = sum(1 for key in keys if table.matches[key].state in OPEN)
            ends = found.slots.get(number) if found is not None else None
            lines.append(SlotLine(number, settled, len(keys), live, ends, plan.get(number)))
    return lines


def waiting(cards: Cards) -> list[Waiting]:
    """Return the players whose opponent isn't known yet, and which match that hangs on."""
    found = []
    for view in cards.table.state.matches.values():
        if view.status is not MatchStatus.LOCKED:
            continue
        spec = cards.table.spec.by_key[view.key]
        for here, source in ((view.a, spec.b), (view.b, spec.a)):
            other = view.b if here == view.a else view.a
            if isinstance(here, int) and other is None:
                found.append(Waiting(cards.card(view.key), here, cards.name_of(here), source_words(source)))
    return found


def ending(table: Table, now: datetime | None = None) -> Ending | None:
    """Return when the event will end and when each match is likely to start; None when all is played or stopped.

    The rest of the day is played many times over, so the answer is kept for a while: two minutes if nothing happens, a
    quarter of one while results come in, so that no arbiter waits for a forecast after each result.
    """
    if table.state.is_complete or table.bracket.paused_at is not None or table.bracket.drawn_at is None:
        return None
    moment = now or timezone.now()
    key = f"brackets:forecast:{table.stage.pk}"
    version, kept = cache.get(key, (None, None)) if now is None else (None, None)
    if kept is None or (version != table.stage.version and moment - kept[0] > timedelta(seconds=FRESH_SECONDS)):
        kept = (moment, *_seconds(table, moment))
        if now is None:
            cache.set(key, (table.stage.version, kept), FORECAST_SECONDS)
    base, end, earliest, latest, starts, slots = kept
    return Ending(
        base + timedelta(seconds=end),
        base + timedelta(seconds=earliest),
        base + timedelta(seconds=latest),
        {match: base + timedelta(seconds=seconds) for match, seconds in starts.items()},
        {slot: base + timedelta(seconds=seconds) for slot, seconds in slots.items()},
    )


def planned(table: Table) -> dict[int, datetime]:
    """Return when each time slot would be over if the day went as the model has it, from the first call on.

    Nothing is stored: it is the forecast of the bracket as drawn, so it stays while the day falls behind it. Empty
    before the first call, and as long as the number of boards changes it changes with it.
    """
    if table.bracket.drawn_at is None:
        return {}
    started = (MatchEvent.Kind.CALLED, MatchEvent.Kind.GAME)
    begun = min((row.at for row in table.standing_rows if row.kind in started), default=None)
    if begun is None:
        return {}
    boards, rest = max(1, table.stage.section.tournament.boards), 60 * table.rules.rest_minutes
    key = f"brackets:plan:{table.stage.pk}:{boards}:{rest}:{table.bracket.drawn_at.timestamp()}"
    ends: Mapping[int, int] | None = cache.get(key)
    if ends is None:
        drawn = resolve(table.spec, table.seeds, ())
        rules = table.rules.match_format
        ends = dict(forecast(table.spec, drawn, rules, boards=boards, rest=rest, label=f"{table.stage.pk}").slot_ends)
        cache.set(key, ends, PLAN_SECONDS)
    return {slot: begun + timedelta(seconds=seconds) for slot, seconds in ends.items()}


def minutes_behind(found: Ending | None, plan: Mapping[int, datetime]) -> int | None:
    """Return how many minutes after the plan everything is likely to end (negative: before it)."""
    return _minutes(max(plan.values()), found.end) if found is not None and plan else None


def _minutes(start: datetime, end: datetime) -> int:
    return round((end - start).total_seconds() / 60)


def _seconds(table: Table, now: datetime) -> tuple[int, int, int, dict[MatchKey, int], dict[int, int]]:
    running, observed = [], []
    for key, match in table.matches.items():
        since = match.called_at or match.started_at
        if match.state in OPEN and since is not None:
            passed = max(0, int((now - since).total_seconds()))
            running.append(Running(key, passed, table.match_state(key).phase if match.score else 0))
        elif match.state == Match.State.DONE and since is not None and match.finished_at is not None:
            observed.append(int((match.finished_at - since).total_seconds()))
    found = forecast(
        table.spec,
        table.state,
        table.rules.match_format,
        boards=max(1, table.stage.section.tournament.boards),
        running=running,
        observed=observed,
        rest=60 * table.rules.rest_minutes,
        label=f"{table.stage.pk}",
    )
    return found.end, found.earliest, found.latest, dict(found.starts), dict(found.slot_ends)


def prospects_of(table: Table, entry: int) -> Prospects:
    """Return what is still ahead of a player."""
    return prospects(table.spec, table.state, EntryId(entry), outlook(table.spec, table.state))


def played_so_far(state: BracketState) -> tuple[int, int]:
    """Return (matches settled by play or walkover, matches there will be)."""
    all_ = [view for view in state.matches.values() if view.status not in (MatchStatus.BYE, MatchStatus.NOT_NEEDED)]
    return sum(1 for view in all_ if view.status in (MatchStatus.DONE, MatchStatus.WALKOVER)), len(all_)
