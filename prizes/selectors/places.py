"""Final places: what the standings and rules say now, and how that differs from what has been published.

A merged group plays inside its host but has a list of its own, and so has every category. Play that can still change
an order stands in the way of publishing; so does a play-off for first place that has not been held (M8.2).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from django.db.models import Count, OuterRef, Q, Subquery

from prizes.engine.placings import Placing, among, groups, moved_up
from prizes.engine.playoff import Playoff, places_after, playoff_for
from prizes.engine.rules import PrizeRules
from prizes.models import PlayoffMatch
from prizes.selectors.ends import DONE, last_games
from prizes.selectors.playoffs import Settlement, settlements_of
from prizes.selectors.prize_rules import fits_category, prize_rules
from prizes.selectors.ties import Group, in_order_of_lots, orders_by_lot, tie_lots
from tourney import panels
from tourney.kernel.errors import TourneyError
from tourney.kernel.ids import EntryId
from tourney.models import (
    Category,
    Entry,
    Game,
    PlacementList,
    Section,
    Stage,
    StandingRow,
    Tournament,
)
from tourney.selectors import host_of

IN_ROUNDS = (Stage.Kind.SWISS, Stage.Kind.ROUND_ROBIN)

# Why somebody is listed without a place; also `Placement.note`.
DISQUALIFIED, LEFT = "disqualified", "left"


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
    record: Settlement | None = None  # what settled first place
    match: PlayoffMatch | None = None  # the play-off that is on
    ties: tuple[tuple[int, Group], ...] = ()  # shared places whose lot is still to be drawn
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
    return standings_of(host.tournament, host, rules)[0]


def standings_of(
    tournament: Tournament, host: Section | None = None, rules: PrizeRules | None = None
) -> list[Standing]:
    """Return where every group that plays together stands, or one of them. The number of queries does not depend on
    how many there are (a bracket is asked for its order by itself).
    """
    rules = rules or prize_rules(tournament)
    facts = _load(tournament, host, rules)
    return [_standing(one, facts, rules) for one in facts.hosts]


@dataclass(frozen=True, slots=True)
class _Facts:
    """The rows that decide places, by what they belong to."""

    hosts: list[Section]
    guests: dict[int, list[Section]]
    stages: dict[int, list[Stage]]
    entries: dict[int, list[Entry]]  # by home group
    standings: dict[int, list[Placing]]  # by stage
    published: dict[tuple[int, int | None], PlacementList]
    records: dict[int, list[Settlement]]
    matches: dict[int, list[PlayoffMatch]]
    lots: dict[str, list[Group]]  # orders of equals
    categories: dict[int, list[Category]]
    open_games: dict[int, int]
    ended: dict[int, dict[int, datetime | None]]  # by stage: a player's last game


def _load(tournament: Tournament, host: Section | None, rules: PrizeRules) -> _Facts:
    wanted = Section.objects.filter(tournament=tournament)
    if host is not None:
        wanted = wanted.filter(Q(pk=host.pk) | Q(merged_into=host))
    homes = list(wanted.order_by("ordinal", "pk"))
    by_pk = {home.pk: home for home in homes}
    guests: dict[int, list[Section]] = {}
    for home in homes:
        home.tournament = tournament
        if home.merged_into_id is not None:
            guests.setdefault(home.merged_into_id, []).append(home)
    stages: dict[int, list[Stage]] = {}
    for stage in Stage.objects.filter(section__in=homes).exclude(kind=Stage.Kind.PLAYOFF).order_by("ordinal"):
        stage.section = by_pk[stage.section_id]
        stages.setdefault(stage.section_id, []).append(stage)
    entries: dict[int, list[Entry]] = {}
    listed = Entry.objects.filter(section__in=homes, start_number__isnull=False).select_related("player")
    for entry in listed.order_by("start_number"):
        entry.section, entry.tournament = by_pk[entry.section_id], tournament
        entries.setdefault(entry.section_id, []).append(entry)
    every = [stage for group in stages.values() for stage in group]
    in_rounds = [stage for stage in every if stage.kind in IN_ROUNDS]
    categories: dict[int, list[Category]] = {}
    for category in Category.objects.filter(section__in=homes).order_by("section", "code"):
        category.section = by_pk[category.section_id]
        categories.setdefault(category.section_id, []).append(category)
    open_games = Game.objects.filter(stage__in=every, outcome="").order_by().values_list("stage")
    return _Facts(
        [home for home in homes if home.merged_into_id is None],
        guests,
        stages,
        entries,
        _final_standings(in_rounds),
        _published(homes),
        settlements_of(homes),
        _open_matches(homes),
        tie_lots(tournament) if any(orders_by_lot(rules, stage) for stage in in_rounds) else {},
        categories,
        dict(open_games.annotate(n=Count("pk"))),
        last_games(in_rounds),
    )


def _standing(host: Section, facts: _Facts, rules: PrizeRules) -> Standing:
    guests = facts.guests.get(host.pk, [])
    stages = facts.stages.get(host.pk, [])
    if not stages:
        return Standing(host, tuple(guests), (), (TourneyError("placing.no_start_list"),), ())
    placings = _placings(stages, facts)
    ended = facts.ended.get(stages[-1].pk, {})
    lists: list[DraftList] = []
    for home in [host, *guests]:
        own = facts.entries.get(home.pk, [])
        if not own:
            continue
        draft = _draft(home, own, placings, stages[-1], rules, facts, ended)
        lists.append(_compared(draft, facts.published.get((home.pk, None))))
        lists += [
            _compared(_of_category(draft, category), facts.published.get((home.pk, category.pk)))
            for category in facts.categories.get(home.pk, [])
        ]
    return Standing(host, tuple(guests), tuple(stages), tuple(_obstacles(stages, lists, facts)), tuple(lists))


def _final_standings(stages: Sequence[Stage]) -> dict[int, list[Placing]]:
    """Return the standings after the last round of each stage."""
    newest = StandingRow.objects.filter(stage=OuterRef("stage")).order_by("-after_round").values("after_round")[:1]
    rows = StandingRow.objects.filter(stage__in=stages, after_round=Subquery(newest)).order_by("rank", "entry_id")
    found: dict[int, list[Placing]] = {}
    for stage, entry, rank, points in rows.values_list("stage", "entry", "rank", "points"):
        found.setdefault(stage, []).append(Placing(EntryId(entry), rank, points))
    return found


def _placings(stages: Sequence[Stage], facts: _Facts) -> tuple[Placing, ...]:
    """Return the places of the last stage; who was not in it stands below, in the order of the stage before."""
    found: list[Placing] = []
    for stage in reversed(stages):
        known = {placing.entry for placing in found}
        for placing in _stage_placings(stage, facts):
            if placing.entry not in known:
                found.append(Placing(placing.entry, placing.place + len(known), placing.level))
    return tuple(found)


def _stage_placings(stage: Stage, facts: _Facts) -> list[Placing]:
    if stage.kind in IN_ROUNDS:
        return facts.standings.get(stage.pk, [])
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
    facts: _Facts,
    ended: Mapping[int, datetime | None],
) -> DraftList:
    by_pk = {EntryId(entry.pk): entry for entry in own}
    gone = {EntryId(entry.pk) for entry in own if entry.state == Entry.State.DISQUALIFIED}
    keeps_empty = stage.kind == Stage.Kind.BRACKET and stage.rules.get("disqualified_place") == "keep_empty"
    mine = tuple(placing for placing in placings if placing.entry in by_pk)
    if len(mine) < len(placings):
        mine = among(mine, by_pk)
    placed = tuple(p for p in mine if p.entry not in gone) if keeps_empty else moved_up(mine, gone)
    playoff, record, match = None, None, None
    if stage.kind in IN_ROUNDS:
        playoff = playoff_for(placed, rules.playoff, _of_claimants(placed, ended))
    if playoff is not None:
        record = _settling(playoff, facts.records.get(home.pk, []))
        match = None if record else _match_of(playoff, facts.matches.get(home.pk, []))
    if playoff is not None and record is not None:
        runner_up = record.runner_up.pk if record.runner_up else None
        second = EntryId(runner_up) if runner_up in playoff.between else None
        placed, playoff = places_after(placed, EntryId(record.winner_id), second), None
    ties: tuple[tuple[int, Group], ...] = ()
    if stage.kind in IN_ROUNDS and orders_by_lot(rules, stage):
        placed, ties = in_order_of_lots(placed, home, facts.lots, first=rules.playoff is None)
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
    return DraftList(home, None, tuple(lines), playoff, record, match, ties)


def _of_claimants(placed: Sequence[Placing], ended: Mapping[int, datetime | None]) -> list[datetime | None]:
    return [ended[placing.entry] for placing in placed if placing.place == 1 and placing.entry in ended]


def _settling(playoff: Playoff, records: Sequence[Settlement]) -> Settlement | None:
    """Return the newest record that settles this tie: of all its claimants, won by one of them."""
    for record in reversed(records):
        if record.winner_id in playoff.between and set(playoff.between) <= set(record.between):
            return record
    return None


def _match_of(playoff: Playoff, matches: Sequence[PlayoffMatch]) -> PlayoffMatch | None:
    """Return the play-off that is being played between exactly these claimants."""
    return next((one for one in reversed(matches) if set(one.between) == set(playoff.between)), None)


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
    return replace(draft, published=published, differs=differs)


def _open_matches(homes: Sequence[Section]) -> dict[int, list[PlayoffMatch]]:
    found: dict[int, list[PlayoffMatch]] = {}
    for match in PlayoffMatch.objects.filter(section__in=homes, winner=None, dropped_at=None).order_by("id"):
        found.setdefault(match.section_id, []).append(match)
    return found


def _obstacles(stages: Sequence[Stage], lists: Sequence[DraftList], facts: _Facts) -> Iterable[TourneyError]:
    """Say what stands in the way of publishing places."""
    for stage in stages:
        if stage.state in DONE:
            continue
        if stage.state in (Stage.State.PLANNED, Stage.State.READY):
            yield TourneyError("placing.not_started", stage=str(stage.get_kind_display()))
            continue
        open_games = facts.open_games.get(stage.pk, 0)
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
            if one.ties:
                places = [str(place) for place, _tied in one.ties]
                yield TourneyError("placing.lots_due", section=one.section.title_text, places=places)
