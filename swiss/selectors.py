"""Reading rounds: the history a stage's engines work on, and rows for the pages. Constant numbers of queries."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from prizes.engine.ranking import Ranking, RankingOptions, rank
from swiss.models import Pairing, Round
from tourney.kernel.colors import Color
from tourney.kernel.ids import EntryId
from tourney.kernel.outcomes import ByeKind, ResultCode, Scoring
from tourney.kernel.points import ONE, ZERO, parse_points
from tourney.kernel.records import History, PlayerRecord, RoundRecord
from tourney.models import Entry, Stage
from tourney.selectors import stage_entries

PUBLIC_STATES = (Round.State.PUBLISHED, Round.State.RUNNING, Round.State.DONE)


def scoring_of(stage: Stage) -> Scoring:
    """Return what results and the pairing bye are worth in a stage; a free round of a round robin is worth nothing."""
    if stage.kind == Stage.Kind.ROUND_ROBIN:
        return Scoring(pairing_bye=ZERO)
    bye = stage.rules.get("bye_points")
    return Scoring(pairing_bye=parse_points(str(bye)) if bye is not None else ONE)


def public_rounds(stage: Stage) -> list[Round]:
    """Return the rounds the public knows, in order."""
    return list(stage.rounds.filter(state__in=PUBLIC_STATES).order_by("number"))


@dataclass(frozen=True, slots=True)
class StageFacts:
    """What a stage's history is made of: entries by id, the public rounds, and the history itself."""

    entries: Mapping[int, Entry]
    rounds: tuple[int, ...]
    history: History


def stage_facts(stage: Stage, through: int | None = None) -> StageFacts:
    """Return a stage's entries and its history up to a round (default: all published rounds). Two queries."""
    entries = {entry.pk: entry for entry in stage_entries(stage)}
    people = [
        (e.pk, e.start_number or 0, e.rating, e.left_after_round)
        for e in entries.values()
    ]
    rounds, history = _history(stage, people, through)
    return StageFacts(entries, rounds, history)


def stage_history(
    stage: Stage, through: int | None = None
) -> tuple[tuple[int, ...], History]:
    """Return the numbers of the public rounds and the history without loading entries: what a result needs. Two queries."""
    people = stage_entries(stage).values_list(
        "pk", "start_number", "rating", "left_after_round"
    )
    return _history(stage, list(people), through)


Person = tuple[int, int, int | None, int | None]


def _history(
    stage: Stage, people: Sequence[Person], through: int | None
) -> tuple[tuple[int, ...], History]:
    """Fold pairings and outcomes into a history.

    Someone without a pairing in a round (late entry, withdrawn, absent) has a zero-point bye there.
    """
    pairings = Pairing.objects.filter(
        round__stage=stage, round__state__in=PUBLIC_STATES
    )
    if through is not None:
        pairings = pairings.filter(round__number__lte=through)
    rows = pairings.order_by("round__number").values_list(
        "round__number", "white_id", "black_id", "bye", "game__outcome"
    )
    scoring = scoring_of(stage)
    outcomes = {code.value: scoring.outcome(code) for code in ResultCode}
    byes = {kind.value: RoundRecord.of_bye(kind, scoring) for kind in ByeKind}
    absent = byes[ByeKind.ZERO.value]
    uncounted = _uncounted(stage, people)
    cells: dict[int, dict[int, RoundRecord]] = {}
    for number, white, black, bye, result in rows:
        column = cells.setdefault(number, {})
        if bye:
            column[white] = byes[bye]
        elif white in uncounted or black in uncounted:
            continue
        elif result:
            outcome = outcomes[result]
            column[white] = RoundRecord.of_game(outcome, Color.WHITE, EntryId(black))
            column[black] = RoundRecord.of_game(outcome, Color.BLACK, EntryId(white))
        else:
            column[white] = RoundRecord.pending(Color.WHITE, EntryId(black))
            column[black] = RoundRecord.pending(Color.BLACK, EntryId(white))
    numbers = tuple(sorted(cells))
    players = tuple(
        PlayerRecord(
            EntryId(pk),
            start,
            rating,
            tuple(cells[number].get(pk, absent) for number in numbers),
        )
        for pk, start, rating, _ in people
        if pk not in uncounted
    )
    return numbers, History(players, len(numbers), stage.rounds_total, scoring)


def _uncounted(stage: Stage, people: Sequence[Person]) -> set[int]:
    """Return who left a round robin before half of the games: those results stay in the table but count for nobody.

    General regulations for round robins (C.05 art. 3.4): under 50 % played, nothing counts; otherwise the missing
    games are forfeits.
    """
    if stage.kind != Stage.Kind.ROUND_ROBIN:
        return set()
    return {
        pk
        for pk, _, _, left_after in people
        if left_after is not None and 2 * left_after < stage.rounds_total
    }


def ranking_of(stage: Stage, history: History) -> Ranking:
    """Return the standings by the tie-breaks of the stage's rules, points first."""
    order = ["PTS", *stage.rules.get("tie_breaks", [])]
    rating = stage.rules.get("rating", {})
    return rank(
        history,
        order,
        edition=edition_of(stage),
        system="round_robin" if stage.kind == Stage.Kind.ROUND_ROBIN else "swiss",
        unrated=rating.get("unrated"),
        options=RankingOptions(),
    )


def edition_of(stage: Stage) -> Any:
    """Return the edition of the tie-break rules: named by the regulation, else the one in force at the start."""
    named = stage.rules.get("tie_break_edition")
    if named:
        return named
    starts_on = stage.section.tournament.starts_on
    return "2026" if (starts_on.year, starts_on.month) >= (2026, 3) else "2023"
