"""What the engine is asked for a round, kept beside the round: the reasons for a pair are found by what was known then.

Results are corrected later, players leave, start numbers close up; a pair is explained by none of that. A round that
was brought in from a file, or paired before questions were kept, is explained by what the tables say today.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from swiss.engine.explain import Explanation, explain_round
from swiss.engine.hand import Bent, Verdict, judge
from swiss.engine.plan import RoundPlan
from swiss.engine.rounds import pair_round
from swiss.engine.rules import RoundRobinRules, SwissRules
from swiss.models import ForbiddenPair, PairingQuestion, Round
from swiss.plans import COLORS, given_points, stage_rules
from swiss.selectors import Person, StageFacts, StageRecord, stage_record
from tourney.kernel.ids import EntryId
from tourney.kernel.outcomes import ByeKind
from tourney.kernel.records import History
from tourney.models import Lot, Stage

FORMAT = 1


@dataclass(frozen=True)
class Question:
    """All that the pairing of one round depends on; `recorded` says whether it was written down when it was asked."""

    stage: Stage
    number: int
    record: StageRecord
    rounds: int
    absent: Mapping[int, ByeKind]
    forbidden: tuple[tuple[int, int], ...]
    first_color: str
    wishes: tuple[tuple[int, int], ...] = ()  # pairs kept apart as long as the round can be paired
    recorded: bool = True

    @cached_property
    def history(self) -> History:
        """What everybody had done before the round."""
        before = replace(self.record, rows=tuple(row for row in self.record.rows if row[0] < self.number))
        return before.history(for_pairing=True)

    @cached_property
    def rules(self) -> SwissRules | RoundRobinRules:
        return stage_rules(self.stage, len(self.record.people), rounds=self.rounds)

    @cached_property
    def _given(self) -> dict[str, Any]:
        return {
            "absent": {EntryId(pk): kind for pk, kind in self.absent.items()},
            "first_color": COLORS.get(self.first_color),
            "forbidden": _pairs(self.forbidden),
            "virtual_points": given_points(self.record, self.rounds),
        }

    @cached_property
    def _settled(self) -> dict[str, Any]:
        """The same with the wishes that could be kept as pairs that must not meet."""
        if not self.wishes:
            return self._given
        given_up = set(self.plan.given_up)
        kept = [pair for pair in _pairs(self.wishes) if pair not in given_up]
        return {**self._given, "forbidden": [*self._given["forbidden"], *kept]}

    @cached_property
    def plan(self) -> RoundPlan:
        """The engine's round."""
        return pair_round(self.history, self.rules, wishes=_pairs(self.wishes), **self._given)

    def explain(self) -> Explanation:
        """Return the engine's reasons; only a Swiss round has any beyond its table."""
        if not isinstance(self.rules, SwissRules):
            raise TypeError("a table needs no explanation")
        return explain_round(self.history, self.rules, **self._settled)

    def judge(self, plan: RoundPlan) -> Verdict:
        """Return which rules a round changed by hand bends, beside the engine's own round."""
        if isinstance(self.rules, SwissRules):
            return judge(self.history, self.rules, plan, **self._settled)
        table = {(one.white, one.black) for one in self.plan.pairings}
        other = [one for one in plan.pairings if (one.white, one.black) not in table]
        return Verdict(tuple(Bent("table", (one.white, one.black)) for one in other), self.plan)

    def as_json(self) -> dict[str, Any]:
        """Return plain data from which `read` makes the same question."""
        return {
            "format": FORMAT,
            "rounds": self.rounds,
            "first_color": self.first_color,
            "absent": {str(pk): kind.value for pk, kind in self.absent.items()},
            "forbidden": [list(pair) for pair in self.forbidden],
            "wishes": [list(pair) for pair in self.wishes],
            "people": [[one.pk, one.number, one.rating, one.left] for one in self.record.people],
            "rows": [list(row) for row in self.record.rows],
        }

    @classmethod
    def read(cls, stage: Stage, number: int, data: Mapping[str, Any]) -> Question:
        """Return the question that was written down for a round."""
        return cls(
            stage,
            number,
            StageRecord(
                stage,
                tuple(Person(*one) for one in data["people"]),
                tuple(tuple(row) for row in data["rows"]),
            ),
            data["rounds"],
            {int(pk): ByeKind(kind) for pk, kind in data["absent"].items()},
            tuple((first, second) for first, second in data["forbidden"]),
            data["first_color"],
            tuple((first, second) for first, second in data.get("wishes", ())),
        )


def new_question(
    stage: Stage,
    facts: StageFacts,
    number: int,
    available: Collection[int],
    requested: Mapping[int, ByeKind],
    first_color: str | None,
) -> Question:
    """Return the question for a round that is to be paired. One query."""
    absent = {
        pk: requested.get(pk, ByeKind.ZERO)
        for pk in facts.entries
        if pk in requested or (pk not in available and stage.kind != Stage.Kind.ROUND_ROBIN)
    }
    forbidden, wishes = _kept_apart(stage, number)
    return Question(stage, number, facts.record, stage.rounds_total, absent, forbidden, first_color or "", wishes)


def question_of(round_: Round, stage: Stage) -> Question:
    """Return the question a round answered, as it was written down or else by the tables of today."""
    kept = PairingQuestion.objects.filter(round=round_).values_list("data", flat=True).first()
    if kept is not None and kept.get("format") == FORMAT:
        return Question.read(stage, round_.number, kept)
    paired: set[int] = set()
    byes: dict[int, ByeKind] = {}
    for white, black, bye in round_.pairings.values_list("white_id", "black_id", "bye"):
        if black is not None:
            paired |= {white, black}
        elif bye == ByeKind.PAIRING:
            paired.add(white)
        else:
            byes[white] = ByeKind(bye)
    record = stage_record(stage)
    absent = {one.pk: byes.get(one.pk, ByeKind.ZERO) for one in record.people if one.pk not in paired}
    if stage.kind == Stage.Kind.ROUND_ROBIN:
        absent = {}
    color = first_color_of(stage)
    forbidden, wishes = _kept_apart(stage, round_.number)
    return Question(stage, round_.number, record, stage.rounds_total, absent, forbidden, color, wishes, recorded=False)


def _pairs(rows: Iterable[tuple[int, int]]) -> list[frozenset[EntryId]]:
    return [frozenset((EntryId(first), EntryId(second))) for first, second in rows]


Pairs = tuple[tuple[int, int], ...]


def _kept_apart(stage: Stage, number: int) -> tuple[Pairs, Pairs]:
    """Return who must not meet in a round, and the wishes, the oldest (most important) first. One query."""
    rows = list(
        ForbiddenPair.objects.filter(stage=stage, from_round__lte=number)
        .exclude(to_round__lt=number)
        .order_by("pk")
        .values_list("first_id", "second_id", "soft")
    )
    hard = tuple((first, second) for first, second, soft in rows if not soft)
    return hard, tuple((first, second) for first, second, soft in rows if soft)


def first_color_of(stage: Stage) -> str:
    """Return the colour of the first board in round 1: by the rules, by the lot, else as it was played."""
    fixed = str(stage.rules.get("first_color", "lot"))
    if fixed in COLORS:
        return fixed
    subject = f"{stage.section.code}:{stage.code}"
    drawn = (
        Lot.objects.filter(
            tournament=stage.section.tournament_id,
            purpose=Lot.Purpose.FIRST_COLOR,
            subject=subject,
            outcome__isnull=False,
        )
        .values_list("outcome__result", flat=True)
        .first()
    )
    return str(drawn) if drawn in COLORS else "white"
