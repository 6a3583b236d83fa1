"""Reading rounds: the history a stage's engines work on, and the stage a page is about. Constant numbers of queries."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from django.db.models import Count, OuterRef, Q, Subquery
from django.db.models.functions import Coalesce

from prizes.engine.ranking import Ranking, edition_of, rank
from prizes.engine.rules import RankingRules, parse_ranking
from prizes.engine.withdrawals import results_count, without_results_of
from swiss.engine.plan import Pairing as Game
from swiss.engine.rules import parse_scoring
from swiss.engine.seating import seat
from swiss.models import FixedBoard, Pairing, Pause, Round
from tourney.kernel.colors import Color
from tourney.kernel.ids import EntryId
from tourney.kernel.outcomes import ByeKind, ResultCode, Scoring
from tourney.kernel.points import ZERO
from tourney.kernel.records import History, PlayerRecord, RoundRecord
from tourney.models import DeviceLink, Entry, Section, Stage
from tourney.models import Game as GameRow
from tourney.selectors import host_of, stage_entries

PUBLIC_STATES = (Round.State.PUBLISHED, Round.State.RUNNING, Round.State.DONE)
ROUND_KINDS = (Stage.Kind.SWISS, Stage.Kind.ROUND_ROBIN)


def round_stage(section: Section) -> Stage | None:
    """Return the stage in rounds a section's pages are about: the newest that has begun to exist, else the first."""
    host = host_of(section)
    stages = [stage for stage in host.stages.order_by("ordinal") if stage.kind in ROUND_KINDS]
    for stage in stages:
        stage.section = host
    begun = [stage for stage in stages if stage.state != Stage.State.PLANNED]
    return begun[-1] if begun else stages[0] if stages else None


def scoring_of(stage: Stage) -> Scoring:
    """Return what results and the pairing bye are worth in a stage; a free round of a round robin is worth nothing."""
    scoring = parse_scoring(stage.rules)
    return replace(scoring, pairing_bye=ZERO) if stage.kind == Stage.Kind.ROUND_ROBIN else scoring


def public_rounds(stage: Stage) -> list[Round]:
    """Return the rounds the public knows, in order."""
    return list(stage.rounds.filter(state__in=PUBLIC_STATES).order_by("number"))


@dataclass(frozen=True, slots=True)
class Person:
    """What a history needs to know of an entry. `left`: left the event for good, whatever the reason."""

    pk: int
    number: int
    rating: int | None
    left: bool


# Round, white, black, bye, outcome, as the rows come.
Row = tuple[int, int, int | None, str, str | None]


@dataclass(frozen=True)
class StageRecord:
    """The people and the games of a stage, from which the history after any round is folded."""

    stage: Stage
    people: tuple[Person, ...]
    rows: tuple[Row, ...]

    @cached_property
    def rounds(self) -> tuple[int, ...]:
        """The numbers of the public rounds, in order."""
        return tuple(sorted({row[0] for row in self.rows}))

    @cached_property
    def uncounted(self) -> frozenset[int]:
        """Who left a round robin before half of the games: those results stay in the table but count for nobody.

        General regulations of round robins (C.05): with half of the games played the missing ones are forfeits.
        """
        if self.stage.kind != Stage.Kind.ROUND_ROBIN:
            return frozenset()
        played = self.games_played
        return frozenset(
            p.pk for p in self.people if p.left and not results_count(played.get(p.pk, 0), self.games_planned)
        )

    @property
    def games_planned(self) -> int:
        """How many games everybody has in a round robin."""
        size = len(self.people)
        per_cycle = max(1, size - 1 + size % 2)
        return max(1, self.stage.rounds_total // per_cycle) * (size - 1)

    @cached_property
    def games_played(self) -> Mapping[int, int]:
        """How many games everybody has really played over the board."""
        played: dict[int, int] = {}
        over_the_board = {code.value for code in ResultCode if Scoring().outcome(code).played}
        for _, white, black, _, outcome in self.rows:
            if black is not None and outcome in over_the_board:
                played[white] = played.get(white, 0) + 1
                played[black] = played.get(black, 0) + 1
        return played

    def history(self, through: int | None = None, *, for_pairing: bool = False) -> History:
        """Return the history after a round (default: the last public one).

        Someone without a pairing in a round (late entry, withdrawn, absent) has a zero-point bye there. The table of
        a round robin stands whoever has left it: `for_pairing` keeps those whose results don't count. For pairing, and
        only for it, an adjourned game (or any other without a result) is a draw (C.04.2, 3.1).
        """
        scoring = scoring_of(self.stage)
        outcomes = {code.value: scoring.outcome(code) for code in ResultCode}
        byes = {kind.value: RoundRecord.of_bye(kind, scoring) for kind in ByeKind}
        absent = byes[ByeKind.ZERO.value]
        unfinished = outcomes[ResultCode.DRAW.value] if for_pairing else None
        numbers = [number for number in self.rounds if through is None or number <= through]
        cells: dict[int, dict[int, RoundRecord]] = {number: {} for number in numbers}
        for number, white, black, bye, result in self.rows:
            column = cells.get(number)
            if column is None:
                continue
            if black is None:
                column[white] = byes[bye]
            elif outcome := outcomes.get(result or "", unfinished):
                column[white] = RoundRecord.of_game(outcome, Color.WHITE, EntryId(black))
                column[black] = RoundRecord.of_game(outcome, Color.BLACK, EntryId(white))
            else:
                column[white] = RoundRecord.pending(Color.WHITE, EntryId(black))
                column[black] = RoundRecord.pending(Color.BLACK, EntryId(white))
        players = tuple(
            PlayerRecord(
                EntryId(person.pk),
                person.number,
                person.rating,
                tuple([cells[number].get(person.pk, absent) for number in numbers]),
            )
            for person in self.people
        )
        history = History(players, len(numbers), self.stage.rounds_total, scoring)
        return history if for_pairing else without_results_of(history, {EntryId(pk) for pk in self.uncounted})


def stage_record(stage: Stage) -> StageRecord:
    """Return the people and games of a stage without loading a model instance. Two queries."""
    people = stage_entries(stage).values_list("pk", "start_number", "rating", "left_after_round", "state")
    return _record(stage, [Person(pk, n, r, _left(after, state)) for pk, n, r, after, state in people])


def _left(left_after_round: int | None, state: str) -> bool:
    return left_after_round is not None or state not in Entry.IN_PLAY


def _record(stage: Stage, people: Sequence[Person]) -> StageRecord:
    rows = (
        Pairing.objects.filter(round__stage=stage, round__state__in=PUBLIC_STATES)
        .order_by("round__number")
        .values_list("round__number", "white_id", "black_id", "bye", "game__outcome")
    )
    return StageRecord(stage, tuple(people), tuple(rows))


@dataclass(frozen=True)
class StageFacts:
    """A stage's entries by id, and its record."""

    entries: Mapping[int, Entry]
    record: StageRecord

    @property
    def rounds(self) -> tuple[int, ...]:
        return self.record.rounds

    @cached_property
    def history(self) -> History:
        return self.record.history()


def stage_facts(stage: Stage) -> StageFacts:
    """Return a stage's entries with their players, and its record. Two queries."""
    entries = entries_of(stage)
    people = [Person(e.pk, e.start_number or 0, e.rating, _left(e.left_after_round, e.state)) for e in entries.values()]
    return StageFacts(entries, _record(stage, people))


def entries_of(stage: Stage) -> dict[int, Entry]:
    """Return everybody with a start number, with player and section, by id. One query, two for merged groups."""
    found = {entry.pk: entry for entry in stage_entries(stage).select_related(None).select_related("player")}
    put_into_sections(stage, found.values())
    return found


def put_into_sections(stage: Stage, entries: Iterable[Entry]) -> None:
    """Give entries read without their section the stage's own, or their other one (merged groups). One query, or none.

    One object per section, not one per player: no further query, one language, half the work.
    """
    listed = list(entries)
    sections = {stage.section.pk: stage.section}
    if others := {entry.section_id for entry in listed} - sections.keys():
        sections |= Section.objects.in_bulk(others)
    for section in sections.values():
        section.tournament = stage.section.tournament
    for entry in listed:
        entry.section = sections[entry.section_id]
        entry.tournament = stage.section.tournament


def ranking_rules(stage: Stage) -> RankingRules:
    """Return how a stage is ranked, by its rules."""
    rules = {key: value for key, value in stage.rules.items() if key not in ("kind",)}
    parsed = parse_ranking({**rules, "kind": stage.kind}, "stage", stage.rules.get("rating"))
    if parsed is None:
        raise ValueError(f"stage {stage.pk} is not played in rounds")
    return parsed


def ranking_of(stage: Stage, history: History) -> Ranking:
    """Return the standings by the tie-breaks of the stage's rules, points first.

    A lot among them is drawn at the end, for those who are still level in the final places; standings share till then.

    One query where the tie-breaks take another rating than the pairing, else none.
    """
    rules = ranking_rules(stage)
    ratings: dict[EntryId, int | None] | None = None
    if rules.rating and rules.rating != stage.rules.get("rating", {}).get("use"):
        known = stage_entries(stage).values_list("pk", "ratings")
        ratings = {EntryId(pk): (kept or {}).get(rules.rating) for pk, kept in known}
    return rank(
        history,
        [code for code in rules.order if code != "LOT"],
        edition=rules.edition or edition_of(stage.section.tournament.starts_on),
        system=rules.system,
        ratings=ratings,
        unrated=rules.unrated,
        options=rules.options,
    )


def fixed_boards(stage: Stage) -> dict[EntryId, int]:
    """Return who always sits at the same board. One query."""
    rows = FixedBoard.objects.filter(stage=stage).values_list("entry_id", "board")
    return {EntryId(entry): board for entry, board in rows}


def board_numbers(stage: Stage, games: Sequence[Game]) -> tuple[int, ...]:
    """Return the boards in the hall for games in board order: the group's own, but for fixed ones. A few queries."""
    return seat(games, stage.section.first_board, fixed_boards(stage), set(boards_elsewhere(stage)))


def boards_elsewhere(stage: Stage) -> dict[int, Section]:
    """Return the boards that other groups of the event play at, and which group that is.

    Those are the boards of a group's newest round, those kept for somebody and, before its first round, those it will
    need. Groups that begin at the same board as this one have a numbering of their own. One query, or five.
    """
    others = list(
        Stage.objects.filter(
            section__tournament=stage.section.tournament_id,
            state__in=(Stage.State.READY, Stage.State.RUNNING),
        )
        .exclude(section=stage.section_id)
        .exclude(section__first_board=stage.section.first_board)
        .select_related("section")
        .order_by("pk")
    )
    if not others:
        return {}
    groups = {one.pk: one.section for one in others}
    for group in groups.values():
        group.tournament = stage.section.tournament
    found = _boards_to_come([one for one in others if one.state == Stage.State.READY])
    newest = Round.objects.filter(stage=OuterRef("round__stage")).order_by("-number").values("number")[:1]
    paired = Pairing.objects.filter(round__stage__in=others, round__number=Subquery(newest), board__isnull=False)
    open_games = GameRow.objects.filter(stage__in=others, outcome="", board__isnull=False)
    kept = FixedBoard.objects.filter(stage__in=others)
    for rows in (paired.values_list("board", "round__stage"), open_games.values_list("board", "stage")):
        found |= {board: groups[pk] for board, pk in rows if board is not None}
    return found | {board: groups[pk] for board, pk in kept.values_list("board", "stage")}


def _boards_to_come(stages: Sequence[Stage]) -> dict[int, Section]:
    """Return the boards of groups that have not begun: half as many as they have players. One query, or none."""
    if not stages:
        return {}
    groups = {one.section_id: one.section for one in stages}
    host = Coalesce("section__merged_into", "section")
    listed = Entry.objects.filter(start_number__isnull=False, tournament=stages[0].section.tournament_id)
    sizes = listed.annotate(host=host).filter(host__in=groups).values("host").annotate(n=Count("pk")).order_by()
    return {
        groups[row["host"]].first_board + index: groups[row["host"]] for row in sizes for index in range(row["n"] // 2)
    }


def live_stage(slug: str, section_code: str) -> tuple[int, int, bool, str] | None:
    """Return (id, version, public, the event's language) of the stage behind a live fragment. One query.

    The newest stage in rounds that has begun, as `round_stage` finds it.
    """
    rows = list(
        Stage.objects.filter(
            Q(section__code=section_code, section__merged_into=None) | Q(section__guests__code=section_code),
            section__tournament__slug=slug,
            kind__in=ROUND_KINDS,
        )
        .order_by("ordinal")
        .values_list("pk", "version", "section__tournament__public", "section__tournament__language", "state")
    )
    begun = [row for row in rows if row[4] != Stage.State.PLANNED]
    chosen = begun[-1] if begun else rows[0] if rows else None
    return chosen[:4] if chosen else None


def open_pause(stage: Stage) -> Pause | None:
    """Return the stop of play that lasts now, if any. One query."""
    return Pause.objects.filter(stage=stage, ended_at__isnull=True).first()


def has_boards(link: DeviceLink) -> bool:
    """Return whether a tablet's link reaches a group played in rounds. One query."""
    stages = Stage.objects.filter(section__tournament=link.tournament_id, kind__in=ROUND_KINDS)
    return (stages.filter(section=link.section_id) if link.section_id else stages).exists()
