"""Reading a bracket: its graph, facts, matches and steps as values the engine works on. Constant numbers of queries."""

from __future__ import annotations

import functools
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property
from typing import Any
from uuid import UUID

from django.db.models import Func, Q, QuerySet, TextField
from django.db.models.functions import Cast

from brackets.engine.facts import Fact, Retracted, fact_from_json
from brackets.engine.match_format import MatchFormat
from brackets.engine.match_play import MatchState, apply, begin
from brackets.engine.match_steps import Correct, Game, Step, step_from_json
from brackets.engine.resolve import BYE, BracketState, MatchView, resolve
from brackets.engine.rules import StageRules, parse_regulation_stage
from brackets.engine.topology import BracketSpec, MatchSpec, Side
from brackets.models import Bracket, BracketSeed, Match, MatchEvent
from tourney.kernel.errors import TourneyError
from tourney.kernel.ids import EntryId, MatchKey
from tourney.kernel.outcomes import ResultCode
from tourney.models import DeviceLink, Entry, Section, Stage
from tourney.selectors import host_of

Kind = MatchEvent.Kind

# What `tourney.services.stages.rules_of` puts around the option of a stage.
AROUND = ("rating", "clock", "schedule", "lateness", "match_formats", "conduct")

FACT_KINDS = frozenset(
    {
        Kind.RESULT,
        Kind.VOIDED,
        Kind.ON_PAPER,
        Kind.WITHDRAWN,
        Kind.DISQUALIFIED,
        Kind.RETURNED,
        Kind.SEEDS_SWAPPED,
        Kind.REPLACED,
        Kind.CUT,
    }
)
GAME_KINDS = frozenset({Kind.GAME, Kind.CORRECTED})
STEP_KINDS = GAME_KINDS | {
    Kind.COLOR,
    Kind.LOT,
    Kind.NO_SHOW,
    Kind.BOTH_ABSENT,
    Kind.DECISION,
    Kind.LEFT_MATCH,
    Kind.REOPENED,
    Kind.CLAIM,
    Kind.SETTLED,
}


@dataclass(frozen=True)
class Row:
    """An event row as it was read; `outcome` is the result in its record. Most rows' JSON is never looked into."""

    pk: int
    match: MatchKey | None
    entry: int | None
    kind: str
    text: str
    voids: int | None
    reason: str
    by: int | None
    at: datetime
    act: UUID
    operation: UUID | None
    lot: int | None = None
    record: int | None = None
    game: int | None = None
    outcome: str = ""

    @cached_property
    def data(self) -> Mapping[str, Any]:
        stored: Mapping[str, Any] = json.loads(self.text)
        return stored

    @cached_property
    def fact(self) -> Fact | None:
        return fact_from_json(self.data["fact"]) if self.kind in FACT_KINDS else None

    @property
    def step(self) -> Step | None:
        """The step of a match this row is; a game's result comes from its record."""
        if self.kind == Kind.GAME:
            return Game(self.data["number"], ResultCode(self.outcome))
        if self.kind == Kind.CORRECTED:
            return Correct(self.data["number"], ResultCode(self.outcome), self.reason)
        stored = self.data.get("step")
        return step_from_json(stored) if stored is not None else None


def in_force(rows: Sequence[Row]) -> list[Row]:
    """Return the rows that were not taken back; what takes back can be taken back too."""
    gone: set[int] = set()
    for row in reversed(rows):
        if row.voids is not None and row.pk not in gone:
            gone.add(row.voids)
    return [row for row in rows if row.pk not in gone and row.voids is None]


def facts_of(rows: Iterable[Row]) -> tuple[tuple[Fact, ...], dict[int, int]]:
    """Return the bracket's facts in order, and the number of each row's fact: taking one back is a fact as well."""
    facts: list[Fact] = []
    numbers: dict[int, int] = {}
    for row in rows:
        fact = row.fact
        if row.voids is not None and row.voids in numbers:
            fact = Retracted(numbers[row.voids], row.reason)
        if fact is not None:
            numbers[row.pk] = len(facts)
            facts.append(fact)
    return tuple(facts), numbers


def steps_since(rows: Sequence[Row]) -> list[Row]:
    """Return the rows of one match in force since it was last cancelled."""
    kept: list[Row] = []
    for row in rows:
        if row.kind == Kind.CANCELLED:
            kept = []
        else:
            kept.append(row)
    return kept


@dataclass
class Table:
    """A bracket as it stands: everything the engine needs, read once; `with_rows` adds what an act wrote."""

    stage: Stage
    bracket: Bracket
    spec: BracketSpec
    rules: StageRules
    seeds: tuple[EntryId | None, ...]  # as drawn
    ratings: dict[int, int | None]
    matches: Mapping[MatchKey, Match]
    rows: tuple[Row, ...] = field(default=())

    @cached_property
    def _facts(self) -> tuple[tuple[Fact, ...], dict[int, int]]:
        return facts_of(self.rows)

    @property
    def facts(self) -> tuple[Fact, ...]:
        return self._facts[0]

    @property
    def fact_numbers(self) -> Mapping[int, int]:
        return self._facts[1]

    @cached_property
    def state(self) -> BracketState:
        return resolve(self.spec, self.seeds, self.facts)

    @cached_property
    def standing_rows(self) -> tuple[Row, ...]:
        """The rows in force."""
        return tuple(in_force(self.rows))

    @cached_property
    def rows_by_match(self) -> Mapping[MatchKey, list[Row]]:
        """The rows in force of each match, since it was last cancelled."""
        found: dict[MatchKey, list[Row]] = {}
        for row in self.standing_rows:
            if row.match is not None:
                found.setdefault(row.match, []).append(row)
        return {key: steps_since(rows) for key, rows in found.items()}

    def rows_of(self, key: MatchKey) -> list[Row]:
        return self.rows_by_match.get(key, [])

    def match_spec(self, key: str) -> MatchSpec:
        """Return the match of the graph; TourneyError ``bracket.unknown_match``."""
        return self.spec.match(key)

    def view(self, key: str) -> MatchView:
        return self.state.matches[self.match_spec(key).key]

    def format_of(self, match: MatchSpec) -> MatchFormat:
        return self.rules.format_of(match.bracket.value)

    def sides(self, key: str) -> dict[str, EntryId]:
        """Return the players by side; TourneyError ``bracket.match_locked`` while one isn't known."""
        view = self.view(key)
        if view.a is None or view.b is None or view.a is BYE or view.b is BYE:
            raise TourneyError("bracket.match_locked", match=key)
        return {"a": EntryId(view.a), "b": EntryId(view.b)}

    def match_state(self, key: str) -> MatchState:
        """Return the match replayed from its steps; TourneyError ``bracket.match_locked``."""
        match = self.match_spec(key)
        sides = self.sides(key)
        state = begin(
            self.format_of(match),
            {side: self.ratings.get(entry) for side, entry in sides.items()},
            match.advantage.value if match.advantage else None,
        )
        for row in self.rows_of(match.key):
            step = row.step
            if step is not None:
                state = apply(state, step)
        return state

    @property
    def cut_row(self) -> Row | None:
        """The newest row in force that cut the bracket short."""
        return next((row for row in reversed(self.standing_rows) if row.kind == Kind.CUT), None)

    def games_in_force(self, key: MatchKey) -> list[Row]:
        """Return the rows of the match's entered games (each once, corrections apart)."""
        return [row for row in self.rows_of(key) if row.kind == Kind.GAME]

    def called(self) -> dict[MatchKey, Row]:
        """Return the open matches that are called, with the row of the call."""
        found = {}
        for view in self.state.open_matches:
            call = next((row for row in reversed(self.rows_of(view.key)) if row.kind == Kind.CALLED), None)
            if call is not None:
                found[view.key] = call
        return found

    def begun(self) -> frozenset[MatchKey]:
        """Return the open matches with a game that counts."""
        return frozenset(view.key for view in self.state.open_matches if self.games_in_force(view.key))

    def with_rows(self, more: Sequence[Row], ratings: Mapping[int, int | None] | None = None) -> Table:
        """Return the table after some more rows."""
        return Table(
            self.stage,
            self.bracket,
            self.spec,
            self.rules,
            self.seeds,
            {**self.ratings, **(ratings or {})},
            self.matches,
            (*self.rows, *more),
        )

    @property
    def players(self) -> list[EntryId]:
        """Who plays now, in seed order."""
        return [entry for entry in self.state.seeds if entry is not None]


_EVENT_COLUMNS = (
    "pk",
    "match_id",
    "entry_id",
    "kind",
    "text",
    "voids_id",
    "reason",
    "by_id",
    "at",
    "act",
    "operation",
    "lot_id",
    "record_id",
    "record__game_id",
    "record__outcome",
)


def load_table(stage: Stage, *, facts_only: bool = False) -> Table | None:
    """Return a stage's bracket, or None before the draw. Four queries; one more when reserves have replaced players.

    `facts_only` leaves the steps of the matches out: enough for the tree and the places, not for playing on.
    """
    bracket = brackets_with_digest().filter(stage=stage).first()
    return None if bracket is None else table_of(stage, bracket, facts_only=facts_only)


def table_of(stage: Stage, bracket: Bracket, *, facts_only: bool = False) -> Table:
    """Return the table of a bracket that was read already."""
    seeds: dict[int, EntryId] = {}
    ratings: dict[int, int | None] = {}
    drawn = BracketSeed.objects.filter(bracket=bracket).order_by("seed")
    for seed, entry, rating in drawn.values_list("seed", "entry_id", "entry__rating"):
        seeds[seed] = EntryId(entry)
        ratings[entry] = rating
    matches = {MatchKey(match.key): match for match in Match.objects.filter(bracket=bracket).order_by("number")}
    events = MatchEvent.objects.filter(bracket=bracket).annotate(text=Cast("data", TextField())).order_by("pk")
    if facts_only:
        events = events.filter(kind__in=[*FACT_KINDS, Kind.UNDONE])
    keys = {match.pk: key for key, match in matches.items()}
    rows = tuple(_row(keys, values) for values in events.values_list(*_EVENT_COLUMNS))
    came = {row.entry for row in rows if row.kind == Kind.REPLACED and row.entry is not None} - set(ratings)
    if came:
        ratings.update(Entry.objects.filter(pk__in=came).values_list("pk", "rating"))
    return Table(
        stage,
        bracket,
        spec_of(bracket),
        rules_of(stage),
        tuple(seeds.get(number) for number in range(1, max(seeds, default=0) + 1)),
        ratings,
        matches,
        rows,
    )


def _row(keys: Mapping[int, MatchKey], values: tuple[Any, ...]) -> Row:
    pk, match, entry, kind, text, voids, reason, by, at, act, operation, lot, record, game, outcome = values
    key = keys[match] if match is not None else None
    return Row(
        pk, key, entry, kind, text, voids, reason, by, at, act, operation, lot, record, game, outcome if record else ""
    )


def brackets_with_digest() -> QuerySet[Bracket]:
    """Return brackets without their graphs: those are long, never change, and are parsed once a process."""
    return Bracket.objects.defer("spec").annotate(
        digest=Func(Cast("spec", TextField()), function="md5", output_field=TextField())
    )


def spec_of(bracket: Bracket) -> BracketSpec:
    """Return the graph of a bracket."""
    digest = getattr(bracket, "digest", None)
    if digest is None:
        return BracketSpec.from_json(bracket.spec)
    known = _SPECS.get(digest)
    if known is None:
        if len(_SPECS) >= MOST_SPECS:
            _SPECS.clear()
        known = _SPECS[digest] = BracketSpec.from_json(bracket.spec)
    return known


MOST_SPECS = 32
_SPECS: dict[str, BracketSpec] = {}


def rules_of(stage: Stage) -> StageRules:
    """Return what the regulation says about a bracket stage, as frozen with its start list."""
    return _rules(json.dumps(stage.rules, sort_keys=True))


@functools.lru_cache(maxsize=64)
def _rules(text: str) -> StageRules:
    rules = json.loads(text)
    option = {key: value for key, value in rules.items() if key not in AROUND}
    return parse_regulation_stage(rules, option, "stage")


def bracket_stage(section: Section) -> Stage | None:
    """Return the bracket stage a section's pages are about: the newest that is not merely planned, else the first."""
    host = host_of(section)
    stages = list(host.stages.filter(kind=Stage.Kind.BRACKET).order_by("ordinal"))
    for stage in stages:
        stage.section = host
    begun = [stage for stage in stages if stage.state != Stage.State.PLANNED]
    return begun[-1] if begun else stages[0] if stages else None


def live_stage(slug: str, section_code: str) -> tuple[int, int, bool, str] | None:
    """Return (id, version, public, the event's language) of the stage behind a live fragment. One query."""
    rows = list(
        Stage.objects.filter(
            Q(section__code=section_code, section__merged_into=None) | Q(section__guests__code=section_code),
            section__tournament__slug=slug,
            kind=Stage.Kind.BRACKET,
        )
        .order_by("ordinal")
        .values_list("pk", "version", "section__tournament__public", "section__tournament__language", "state")
    )
    begun = [row for row in rows if row[4] != Stage.State.PLANNED]
    chosen = begun[-1] if begun else rows[0] if rows else None
    return chosen[:4] if chosen else None


def people_of(table: Table) -> dict[int, Entry]:
    """Return everybody in the bracket by entry id, with player and section. One query."""
    ids = {entry for entry in (*table.seeds, *table.state.seeds) if entry is not None}
    tournament = table.stage.section.tournament
    people = {}
    for entry in Entry.objects.filter(pk__in=ids).select_related("player", "section"):
        entry.section.tournament = tournament
        entry.tournament = tournament
        people[entry.pk] = entry
    return people


def side_of_entry(view: MatchView, entry: int) -> Side | None:
    """Return the side an entry stands on in a match, if any."""
    return Side.A if view.a == entry else Side.B if view.b == entry else None


def seen_token(match: Match, view: MatchView) -> str:
    """Return what a form sends back, so that an entry on an older picture of the match is noticed."""
    a = view.a if isinstance(view.a, int) else 0
    b = view.b if isinstance(view.b, int) else 0
    return f"{match.version}:{a}:{b}"


def has_boards(link: DeviceLink) -> bool:
    """Return whether a tablet's link reaches a knockout. One query."""
    stages = Stage.objects.filter(section__tournament=link.tournament_id, kind=Stage.Kind.BRACKET)
    return (stages.filter(section=link.section_id) if link.section_id else stages).exists()
