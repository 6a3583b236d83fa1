"""The table of a round robin for its readers: all rounds in advance, by player and by round (C.05 annex 1)."""

from __future__ import annotations

from dataclasses import dataclass

from django.urls import reverse
from django.utils.translation import gettext as _

from swiss.engine.berger import berger_table
from swiss.engine.rules import RoundRobinRules
from swiss.plans import stage_rules
from swiss.selectors import entries_of
from tourney.kernel.colors import Color
from tourney.models import Entry, Stage


@dataclass(frozen=True, slots=True)
class Meeting:
    """One round of a player: the opponent's number ("–" when free), the colour, and both in words."""

    text: str
    color: str
    words: str


@dataclass(frozen=True, slots=True)
class PlanLine:
    """A player and the opponents, round by round."""

    entry: Entry
    meetings: tuple[Meeting, ...]

    @property
    def name(self) -> str:
        return self.entry.name

    @property
    def href(self) -> str:
        section = self.entry.section
        return reverse("player", args=[section.tournament.slug, section.code, self.entry.pk])


@dataclass(frozen=True, slots=True)
class BergerPlan:
    """`rounds` has the pairs of numbers as people write a table: ``1–6``, and who is free (None: nobody).

    `settled` is False while the numbers can still be drawn or exchanged.
    """

    numbers: tuple[int, ...]
    lines: tuple[PlanLine, ...]
    rounds: tuple[tuple[int, tuple[str, ...], int | None], ...]
    settled: bool


def berger_plan(stage: Stage) -> BergerPlan | None:
    """Return the table of a stage; None when it is no round robin or its start numbers aren't 1 to n. One query."""
    if stage.kind != Stage.Kind.ROUND_ROBIN:
        return None
    by_number = {entry.start_number or 0: entry for entry in entries_of(stage).values()}
    if len(by_number) < 2 or sorted(by_number) != list(range(1, len(by_number) + 1)):
        return None
    rules = stage_rules(stage, len(by_number))
    table = berger_table(len(by_number), rules.cycles if isinstance(rules, RoundRobinRules) else 1)
    meetings: dict[int, list[Meeting]] = {number: [] for number in by_number}
    for row in table:
        for white, black in row.pairs:
            meetings[white].append(_meeting(row.number, Color.WHITE, black, by_number[black].name))
            meetings[black].append(_meeting(row.number, Color.BLACK, white, by_number[white].name))
        if row.free is not None:
            words = _("Round %(round)s: free") % {"round": row.number}
            meetings[row.free].append(Meeting("–", "", words))
    return BergerPlan(
        tuple(row.number for row in table),
        tuple(PlanLine(by_number[number], tuple(meetings[number])) for number in sorted(by_number)),
        tuple((row.number, tuple(f"{white}–{black}" for white, black in row.pairs), row.free) for row in table),
        settled=stage.state not in (Stage.State.PLANNED, Stage.State.READY),
    )


def _meeting(number: int, color: Color, opponent: int, name: str) -> Meeting:
    text = (
        _("Round %(round)s: White against %(name)s")
        if color is Color.WHITE
        else _("Round %(round)s: Black against %(name)s")
    )
    return Meeting(str(opponent), color.value, text % {"round": number, "name": name})
