"""Final places: what the standings and rules say now, what has been published, and what a newer list changed.

A merged group plays inside its host but has a list of its own, and so has every category. Play that can still change
an order stands in the way of publishing; so does a play-off for first place that has not been held (M8.2).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from django.db.models import Max, Q, Subquery

from prizes.engine.placings import Placing, among, groups, moved_up
from prizes.engine.playoff import Playoff, places_after, playoff_for
from prizes.engine.rules import PrizeRules, parse_rules
from prizes.models import PlayoffRecord
from tourney import panels
from tourney.kernel.errors import TourneyError
from tourney.kernel.ids import EntryId
from tourney.models import (
    Category,
    Entry,
    Game,
    Placement,
    PlacementList,
    Section,
    Stage,
    StandingRow,
    Tournament,
)
from tourney.selectors import current_spec, host_of, stage_entries

DONE = (Stage.State.FINISHED, Stage.State.CLOSED)
IN_ROUNDS = (Stage.Kind.SWISS, Stage.Kind.ROUND_ROBIN)

# Why somebody is listed without a place; also `Placement.note`.
DISQUALIFIED, LEFT = "disqualified", "left"


def prize_rules(tournament: Tournament) -> PrizeRules:
    """Return the rules about places and prizes in force."""
    return parse_rules(current_spec(tournament))


# -- where a group stands --------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Line:
    """One line of a placing list. `place_to` is set where several share a stretch of places."""

    entry: Entry
    place: int | None
    place_to: int | None = None
    points: int | None = None
    note: str = ""

    @property
    def key(self) -> tuple[int, int | None, int | None, int | None, str]:
        """What makes a line different from the published one."""
        return (self.entry.pk, self.place, self.place_to, self.points, self.note)


@dataclass(frozen=True, slots=True)
class DraftList:
    """The list one group or category would get if it were published now."""

    section: Section
    category: Category | None
    lines: tuple[Line, ...]
    playoff: Playoff | None = None  # still to be held
    record: PlayoffRecord | None = None  # the one that settled first place
    published: PlacementList | None = None
    differs: bool = True  # from the list published last


@dataclass(frozen=True, slots=True)
class Standing:
    """Where a group that plays together stands: what blocks its places, and the lists it would get."""

    host: Section
    guests: tuple[Section, ...]
    stages: tuple[Stage, ...]
    obstacles: tuple[TourneyError, ...]
    lists: tuple[DraftList, ...]

    @property
    def stage(self) -> Stage | None:
        """The stage that decides the places: the last one."""
        return self.stages[-1] if self.stages else None

    @property
    def own_lists(self) -> tuple[DraftList, ...]:
        """The lists of groups, without those of categories."""
        return tuple(one for one in self.lists if one.category is None)

    @property
    def is_published(self) -> bool:
        return any(one.published for one in self.own_lists)

    @property
    def changed(self) -> tuple[DraftList, ...]:
        """The lists that say something else than what was published."""
        return tuple(one for one in self.lists if one.differs)

    @property
    def playoffs(self) -> tuple[DraftList, ...]:
        """The groups whose first place has still to be played off."""
        return tuple(one for one in self.lists if one.playoff is not None)


def standing_of(section: Section, rules: PrizeRules | None = None) -> Standing:
    """Return where a group stands. A merged group stands where its host does."""
    host = host_of(section)
    rules = rules or prize_rules(host.tournament)
    guests = list(host.guests.order_by("ordinal"))
    for guest in guests:
        guest.tournament = host.tournament
    homes = [host, *guests]
    stages = [stage for stage in host.stages.order_by("ordinal") if stage.kind != Stage.Kind.PLAYOFF]
    for stage in stages:
        stage.section = host
    if not stages:
        return Standing(host, tuple(guests), (), (TourneyError("placing.no_start_list"),), ())

    entries = {entry.pk: entry for entry in stage_entries(stages[-1])}
    by_home = {home.pk: home for home in homes}
    for entry in entries.values():
        entry.section = by_home[entry.section_id]
        entry.tournament = host.tournament
    placings = _placings(stages)
    published = _published(homes)
    records = _records(homes)
    ended = _last_games(stages[-1], placings)
    lists: list[DraftList] = []
    categories = list(Category.objects.filter(section__in=homes).order_by("section", "code"))
    for home in homes:
        own = [entry for entry in entries.values() if entry.section_id == home.pk]
        if not own:
            continue
        draft = _draft(home, own, placings, stages[-1], rules, records.get(home.pk, []), ended)
        lists.append(_compared(draft, published.get((home.pk, None))))
        for category in categories:
            if category.section_id == home.pk:
                category.section = home
                lists.append(_compared(_of_category(draft, category), published.get((home.pk, category.pk))))
    return Standing(host, tuple(guests), tuple(stages), tuple(_obstacles(stages, lists)), tuple(lists))


def _placings(stages: Sequence[Stage]) -> tuple[Placing, ...]:
    """Return the places of the last stage; who was not in it stands below, in the order of the stage before."""
    found: list[Placing] = []
    for stage in reversed(stages):
        known = {placing.entry for placing in found}
        for placing in _stage_placings(stage):
            if placing.entry not in known:
                found.append(Placing(placing.entry, placing.place + len(known), placing.level))
    return tuple(found)


def _stage_placings(stage: Stage) -> list[Placing]:
    if stage.kind in IN_ROUNDS:
        newest = StandingRow.objects.filter(stage=stage).order_by("-after_round").values("after_round")[:1]
        rows = StandingRow.objects.filter(stage=stage, after_round=Subquery(newest)).order_by("rank", "entry_id")
        return [
            Placing(EntryId(entry), rank, points) for entry, rank, points in rows.values_list("entry", "rank", "points")
        ]
    for provider in panels.providers("placings"):
        given = provider(stage.section)
        if given is not None:
            return [Placing(EntryId(entry), place, points) for entry, place, _to, points in given if place]
    return []


def _draft(
    home: Section,
    own: Sequence[Entry],
    placings: Sequence[Placing],
    stage: Stage,
    rules: PrizeRules,
    records: Sequence[PlayoffRecord],
    ended: Mapping[int, datetime | None],
) -> DraftList:
    by_pk = {EntryId(entry.pk): entry for entry in own}
    gone = {EntryId(entry.pk) for entry in own if entry.state == Entry.State.DISQUALIFIED}
    keeps_empty = stage.kind == Stage.Kind.BRACKET and stage.rules.get("disqualified_place") == "keep_empty"
    mine = tuple(placing for placing in placings if placing.entry in by_pk)
    if len(mine) < len(placings):
        mine = among(mine, by_pk)
    placed = tuple(p for p in mine if p.entry not in gone) if keeps_empty else moved_up(mine, gone)
    playoff, record = None, None
    if stage.kind in IN_ROUNDS:
        playoff = playoff_for(placed, rules.playoff, _of_claimants(placed, ended))
    if playoff is not None:
        record = _settling(playoff, records)
    if playoff is not None and record is not None:
        second = EntryId(record.runner_up_id) if record.runner_up_id in playoff.between else None
        placed, playoff = places_after(placed, EntryId(record.winner_id), second), None
    lines = [
        Line(
            by_pk[placing.entry],
            placing.place,
            placing.place + len(group) - 1 if len(group) > 1 else None,
            placing.level,
        )
        for group in groups(placed)
        for placing in group
    ]
    listed = {line.entry.pk for line in lines}
    lines += [
        Line(entry, None, note=DISQUALIFIED if EntryId(entry.pk) in gone else LEFT)
        for entry in own
        if entry.pk not in listed
    ]
    return DraftList(home, None, tuple(lines), playoff, record)


def _of_claimants(placed: Sequence[Placing], ended: Mapping[int, datetime | None]) -> list[datetime | None]:
    return [ended[placing.entry] for placing in placed if placing.place == 1 and placing.entry in ended]


def _settling(playoff: Playoff, records: Sequence[PlayoffRecord]) -> PlayoffRecord | None:
    """Return the newest record that settles this tie: of all its claimants, won by one of them."""
    for record in reversed(records):
        if record.winner_id in playoff.between and set(playoff.between) <= set(record.between):
            return record
    return None


def _of_category(draft: DraftList, category: Category) -> DraftList:
    members = {EntryId(line.entry.pk): line for line in draft.lines if fits_category(line.entry, category)}
    placed = among(
        [Placing(pk, line.place, line.points) for pk, line in members.items() if line.place is not None], members
    )
    lines = [
        Line(members[one.entry].entry, one.place, one.place + len(group) - 1 if len(group) > 1 else None, one.level)
        for group in groups(placed)
        for one in group
    ]
    lines += [line for line in members.values() if line.place is None]
    return DraftList(draft.section, category, tuple(lines))


def fits_category(entry: Entry, category: Category) -> bool:
    """Return whether a player belongs to a category: every rule it names must hold."""
    rule, player = category.rule or {}, entry.player
    years = rule.get("birth_years")
    born = player.birth_year or (player.birth_date.year if player.birth_date else None)
    return (
        (not rule.get("sex") or player.sex == rule["sex"])
        and (not years or (born is not None and years[0] <= born <= years[-1]))
        and (not rule.get("district") or player.district == rule["district"])
        and (not rule.get("level") or (entry.level or player.level) == rule["level"])
    )


# -- what has been published -----------------------------------------------------------------------------------------


def _published(homes: Sequence[Section]) -> dict[tuple[int, int | None], PlacementList]:
    """Return the newest list of every group and category, with its lines."""
    found: dict[tuple[int, int | None], PlacementList] = {}
    lists = PlacementList.objects.filter(section__in=homes).order_by("-number").prefetch_related("lines")
    for one in lists:
        found.setdefault((one.section_id, one.category_id), one)
    return found


def _compared(draft: DraftList, published: PlacementList | None) -> DraftList:
    if published is None:
        return draft
    before = {(one.entry_id, one.place, one.place_to, one.points, one.note) for one in published.lines.all()}
    differs = before != {line.key for line in draft.lines}
    return DraftList(
        draft.section, draft.category, draft.lines, draft.playoff, draft.record, published, differs=differs
    )


def _records(homes: Sequence[Section]) -> dict[int, list[PlayoffRecord]]:
    found: dict[int, list[PlayoffRecord]] = {}
    for record in PlayoffRecord.objects.filter(section__in=homes).order_by("id"):
        found.setdefault(record.section_id, []).append(record)
    return found


def _last_games(stage: Stage, placings: Sequence[Placing]) -> dict[int, datetime | None]:
    """Return when each of the players who may claim first place ended the last game; None: still playing.

    Whoever shares the best points may be a claimant inside a group of a merge, so all those games are read at once.
    """
    if stage.kind not in IN_ROUNDS:
        return {}
    found: dict[int, datetime | None] = {}
    players = {placing.entry for placing in placings}
    games = (
        Game.objects.filter(stage=stage)
        .annotate(entered=Max("results__at", filter=~Q(results__outcome="")))
        .values_list("white_id", "black_id", "outcome", "finished_at", "entered")
    )
    for white, black, outcome, finished, entered in games:
        moment = (finished or entered) if outcome else None
        for entry in (white, black):
            if entry not in players:
                continue
            if entry in found and found[entry] is None:
                continue
            known = found.get(entry)
            found[entry] = None if moment is None else max(known, moment) if known else moment
    return found


def _obstacles(stages: Sequence[Stage], lists: Sequence[DraftList]) -> Iterable[TourneyError]:
    """Say what stands in the way of publishing places."""
    for stage in stages:
        if stage.state in DONE:
            continue
        if stage.state in (Stage.State.PLANNED, Stage.State.READY):
            yield TourneyError("placing.not_started", stage=str(stage.get_kind_display()))
            continue
        open_games = Game.objects.filter(stage=stage, outcome="").count()
        if open_games:
            yield TourneyError("placing.games_open", games=open_games)
        else:
            yield TourneyError("placing.not_played_out", stage=str(stage.get_kind_display()))
    if all(stage.state in DONE for stage in stages):
        if not any(line.place for one in lists for line in one.lines):
            yield TourneyError("placing.no_results")
        for one in lists:
            if one.playoff is not None:
                names = [line.entry.name for line in one.lines if line.entry.pk in one.playoff.between]
                yield TourneyError("placing.playoff_due", section=one.section.title_text, players=names)


@dataclass(frozen=True, slots=True)
class Change:
    """What a newer list says about one player that the list before did not."""

    entry: Entry
    before: Placement | None
    after: Placement | None


@dataclass(frozen=True, slots=True)
class PublishedList:
    """A published list with its lines in order, and what it changed."""

    list: PlacementList
    lines: tuple[Placement, ...]
    changes: tuple[Change, ...] = ()
    previous: PlacementList | None = None


@dataclass(frozen=True, slots=True)
class PublishedPlaces:
    """All that is published for one group: the list asked for (default the newest) and the newest of each category."""

    section: Section
    shown: PublishedList | None
    numbers: tuple[PlacementList, ...] = ()
    categories: tuple[PublishedList, ...] = field(default=())

    @property
    def is_newest(self) -> bool:
        return self.shown is None or not self.numbers or self.shown.list.number == self.numbers[0].number


def published_places(section: Section, number: int | None = None) -> PublishedPlaces | None:
    """Return what is published for a group; None when the list asked for does not exist. Three queries at most."""
    lists = list(
        PlacementList.objects.filter(section=section).select_related("category", "regulation").order_by("-number")
    )
    own = [one for one in lists if one.category_id is None]
    if not own:
        return PublishedPlaces(section, None) if number is None else None
    shown = next((one for one in own if number is None or one.number == number), None)
    if shown is None:
        return None
    previous = next((one for one in own if one.number == shown.number - 1), None)
    newest: dict[int, PlacementList] = {}
    for one in lists:
        if one.category_id is not None:
            newest.setdefault(one.category_id, one)
    wanted = [shown, *([previous] if previous else []), *newest.values()]
    lines = lines_of(wanted, section)
    return PublishedPlaces(
        section,
        PublishedList(
            shown,
            lines[shown.pk],
            changes_between(lines[previous.pk], lines[shown.pk]) if previous else (),
            previous,
        ),
        tuple(own),
        tuple(PublishedList(one, lines[one.pk]) for one in newest.values() if lines[one.pk]),
    )


def lines_of(lists: Collection[PlacementList], section: Section) -> dict[int, tuple[Placement, ...]]:
    """Return the lines of several lists of a group in order, by list; players without a place come last."""
    found: dict[int, list[Placement]] = {one.pk: [] for one in lists}
    rows = Placement.objects.filter(list__in=lists).select_related("entry__player")
    for row in rows:
        row.entry.section, row.entry.tournament = section, section.tournament
        found[row.list_id].append(row)
    return {
        pk: tuple(sorted(of, key=lambda row: (row.place is None, row.place or 0, row.entry.start_number or 0)))
        for pk, of in found.items()
    }


def changes_between(before: Sequence[Placement], after: Sequence[Placement]) -> tuple[Change, ...]:
    """Return whose place is another one, in the order of the newer list; then who has left it."""
    old = {line.entry_id: line for line in before}
    changes = [
        Change(line.entry, old.get(line.entry_id), line)
        for line in after
        if _place(old.get(line.entry_id)) != _place(line)
    ]
    listed = {line.entry_id for line in after}
    return (*changes, *(Change(line.entry, line, None) for line in before if line.entry_id not in listed))


def _place(line: Placement | None) -> Any:
    return None if line is None else (line.place, line.place_to)


def event_ended_at(tournament: Tournament) -> datetime | None:
    """Return when the last game of the whole event was over; None while any group still plays."""
    stages = list(
        Stage.objects.filter(section__tournament=tournament).exclude(kind=Stage.Kind.PLAYOFF).order_by("finished_at")
    )
    if not stages or any(stage.state not in DONE for stage in stages):
        return None
    moments = [stage.finished_at for stage in stages if stage.finished_at is not None]
    return max(moments) if moments else None
