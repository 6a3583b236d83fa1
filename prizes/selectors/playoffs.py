"""Play-offs for first place as they stand: a match replayed from its events by the engine of match play (M8.2).

Sides are the entry ids as text. A tie of two is a match format of the regulation; of three or more everybody meets
everybody by the Berger table, and the regulation says what follows when the best are level.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import Prefetch
from django.utils.translation import gettext as _

from brackets.engine.match_fold import AwaitGroup
from brackets.engine.match_format import (
    Armageddon,
    GamesPhase,
    MatchFormat,
    RoundRobinPhase,
    StillTied,
    group_playoff,
    parse_format,
)
from brackets.engine.match_play import MatchState, replay
from brackets.engine.match_steps import Step, step_from_json
from prizes.models import PlayoffEvent, PlayoffMatch, PlayoffRecord
from swiss.engine.berger import berger_table
from tourney.formatting import result_text
from tourney.kernel.clocks import Clock
from tourney.kernel.points import Points
from tourney.kernel.regulation import RegulationSpec
from tourney.models import Entry, Section, Tournament

# -- the format ------------------------------------------------------------------------------------------------------


def rules_for(spec: RegulationSpec, players: int) -> dict[str, Any]:
    """Return what `PlayoffMatch.rules` keeps: the play-off of that many players as the regulation has it now."""
    block, formats = spec.block("playoff"), spec.block("match_formats")
    three = block["three"]
    name = block["two"] if players == 2 else three.get("decider", block["two"])
    return {
        "format": formats[name],
        "three": None
        if players == 2
        else {
            "clock": three["clock"],
            "cycles": three.get("cycles", 1),
            "level_again": three.get("level_again", "repeat_blitz"),
        },
        "pause_minutes": block.get("pause_minutes", 15),
    }


def format_of(rules: Mapping[str, Any]) -> MatchFormat:
    """Return the format of a play-off; a pause that was kept (or waived with a reason) is not asked for again."""
    decider = parse_format(rules["format"], "match_formats")
    three = rules["three"]
    if three is None:
        return MatchFormat(decider.phases, decider.first_color)
    return group_playoff(
        Clock.parse(three["clock"]),
        decider,
        cycles=three["cycles"],
        still_tied=StillTied.REPEAT if three["level_again"] == "repeat_blitz" else StillTied.ARBITER,
    )


# -- one play-off ----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class DueGame:
    """A game of the table still to be played, in the round it belongs to."""

    round: int
    white: str
    black: str


@dataclass(frozen=True, slots=True)
class PlayedLine:
    """A game that has a result. `phase` says in which part of the play-off; struck games count no more."""

    number: int
    white: str
    black: str
    result: str
    phase: str
    struck: bool = False
    corrected: bool = False


@dataclass(frozen=True, slots=True)
class PlayoffView:
    """A play-off as it stands; `events` are those in force."""

    match: PlayoffMatch
    events: tuple[PlayoffEvent, ...]
    state: MatchState
    entries: Mapping[str, Entry]

    def name(self, side: str) -> str:
        return self.entries[side].name

    @property
    def is_two(self) -> bool:
        return self.match.rules["three"] is None

    @property
    def due(self) -> tuple[DueGame, ...]:
        """The games of the table still to be played, in the order of its rounds."""
        awaited = self.state.awaiting
        return tuple(due_games(self.state)) if isinstance(awaited, AwaitGroup) else ()

    @property
    def games(self) -> tuple[PlayedLine, ...]:
        """The games with a result, those that count first."""
        return tuple(_games(self.state, self._corrected()))

    def _corrected(self) -> frozenset[int]:
        steps = [event.step for event in self.events if event.step]
        return frozenset(step["number"] for step in steps if step["do"] == "correct")

    @property
    def score(self) -> tuple[tuple[str, Points], ...]:
        """The score of the part that is on, best first; level players in their order."""
        score = self.state.score
        return tuple(sorted(score.items(), key=lambda one: -one[1]))

    @property
    def words(self) -> str:
        """The games in a line, as a record on paper would say them: “½–½, 1–0; Armageddon 0–1”."""
        parts: dict[str, list[str]] = {}
        for game in self.games:
            if not game.struck:
                pair = "" if self.is_two else f"{self.name(game.white)} – {self.name(game.black)} "
                parts.setdefault(game.phase, []).append(f"{pair}{result_text(game.result)}")
        return "; ".join(f"{phase}: {', '.join(results)}" for phase, results in parts.items())

    @property
    def last(self) -> PlayoffEvent | None:
        return self.events[-1] if self.events else None


def due_games(state: MatchState) -> Iterable[DueGame]:
    """Return the games of the Berger table not played yet. A repeated round robin has the colours turned."""
    phase = state.rules.phases[0]
    if not isinstance(phase, RoundRobinPhase) or not isinstance(state.awaiting, AwaitGroup):
        return
    left: dict[frozenset[str], int] = {}
    for pair in state.awaiting.left:
        left[frozenset(pair)] = left.get(frozenset(pair), 0) + 1
    turned = sum(1 for score in state.scores if score.phase == 0) % 2 == 1
    played = {key: phase.cycles - count for key, count in left.items()}
    for table in berger_table(len(state.contenders), phase.cycles):
        for first, second in table.pairs:
            white, black = state.contenders[first - 1], state.contenders[second - 1]
            key = frozenset((white, black))
            if key not in left:
                continue
            if played[key]:
                played[key] -= 1
                continue
            yield DueGame(table.number, *((black, white) if turned else (white, black)))


def _games(state: MatchState, corrected: frozenset[int]) -> Iterable[PlayedLine]:
    last = len(state.rules.phases) - 1
    decider = isinstance(state.rules.phases[last], Armageddon) and any(score.phase == last for score in state.scores)
    first = state.rules.phases[0]
    clock = first.clock if isinstance(first, GamesPhase | RoundRobinPhase) else ""
    for index, game in enumerate(state.games, start=1):
        is_decider = decider and index == len(state.games)
        phase = _("Armageddon") if is_decider else _("blitz %(clock)s") % {"clock": clock}
        yield PlayedLine(
            game.number, game.white, game.black, game.result.value, phase, corrected=game.number in corrected
        )
    for game in state.struck:
        yield PlayedLine(game.number, game.white, game.black, game.result.value, "", struck=True)


def in_force(events: Iterable[PlayoffEvent]) -> tuple[PlayoffEvent, ...]:
    """Return the events that were not taken back."""
    rows = list(events)
    gone = {row.voids_id for row in rows if row.voids_id is not None}
    return tuple(row for row in rows if row.voids_id is None and row.pk not in gone)


def steps_of(events: Iterable[PlayoffEvent]) -> list[Step]:
    return [step_from_json(event.step) for event in events if event.step is not None]


def view_of(match: PlayoffMatch) -> PlayoffView:
    """Return a play-off as it stands. Two queries."""
    found = Entry.objects.filter(pk__in=match.between).select_related("player").in_bulk()
    entries = {}
    for pk in match.between:
        entry = found[pk]
        entry.section, entry.tournament = match.section, match.section.tournament
        entries[str(pk)] = entry
    events = in_force(match.events.select_related("lot", "by").order_by("id"))
    ratings = {side: entry.rating for side, entry in entries.items()}
    return PlayoffView(match, events, replay(format_of(match.rules), ratings, steps_of(events)), entries)


def views_of(tournament: Tournament) -> list[PlayoffView]:
    """Return the play-offs of an event that were not dropped, by group. Three queries, however many there are."""
    matches = list(
        PlayoffMatch.objects.filter(section__tournament=tournament, dropped_at=None)
        .select_related("section")
        .prefetch_related(Prefetch("events", PlayoffEvent.objects.order_by("id")))
        .order_by("section__ordinal", "id")
    )
    people = Entry.objects.filter(pk__in=[pk for match in matches for pk in match.between])
    found = people.select_related("player", "section").in_bulk()
    views = []
    for match in matches:
        entries = {str(pk): found[pk] for pk in match.between}
        for entry in entries.values():
            entry.tournament = tournament
        events = in_force(match.events.all())
        ratings = {side: entry.rating for side, entry in entries.items()}
        views.append(PlayoffView(match, events, replay(format_of(match.rules), ratings, steps_of(events)), entries))
    return views


def newest_match(section: Section) -> PlayoffMatch | None:
    """Return the play-off of a group that was begun last and not dropped."""
    return (
        PlayoffMatch.objects.filter(section=section, dropped_at=None)
        .select_related("section__tournament", "lot")
        .order_by("-id")
        .first()
    )


# -- what settles first place ----------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Settlement:
    """How a tie for first place was settled: game by game on its page, or as the arbiter wrote it down."""

    between: tuple[int, ...]
    winner: Entry
    runner_up: Entry | None
    started_at: datetime
    at: datetime
    how: Any
    games: str
    reason: str
    match: PlayoffMatch | None = None

    @property
    def winner_id(self) -> int:
        return self.winner.pk


def settlements_of(sections: Sequence[Section]) -> dict[int, list[Settlement]]:
    """Return what settled ties for first place, by group, in the order it was settled. Two queries."""
    found: dict[int, list[Settlement]] = {}
    records = PlayoffRecord.objects.filter(section__in=sections).select_related("winner__player", "runner_up__player")
    for record in records:
        found.setdefault(record.section_id, []).append(
            Settlement(
                tuple(record.between),
                record.winner,
                record.runner_up,
                record.started_at,
                record.at,
                record.get_kind_display(),
                record.games,
                record.reason,
            )
        )
    matches = PlayoffMatch.objects.filter(section__in=sections, winner__isnull=False, dropped_at=None)
    for match in matches.select_related("winner__player", "runner_up__player"):
        kind = PlayoffRecord.Kind.BLITZ_TOURNAMENT if match.rules["three"] else PlayoffRecord.Kind.TWO_GAMES
        found.setdefault(match.section_id, []).append(
            Settlement(
                tuple(match.between),
                match.winner,  # type: ignore[arg-type]  # the filter asks for it
                match.runner_up,
                match.started_at,
                match.ended_at or match.started_at,
                kind.label,
                "",
                match.reason,
                match,
            )
        )
    for rows in found.values():
        rows.sort(key=lambda one: one.at)
    return found
