"""Cutting a bracket short: the siren, the power, the evening. What isn't decided will not be played; places are shared.

The organizer sees beforehand which matches fall away and who gets which place (`cut_plan`), says why, and may take it
back as long as the places are not published: `undo` right after, `play_on` at any later time.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.db import transaction

from brackets.engine.entering import cut_matches, enter, enter_all
from brackets.engine.facts import Cut, CutScope, Retracted
from brackets.engine.placings import final_places
from brackets.engine.resolve import SETTLED
from brackets.engine.topology import Places, Ties
from brackets.models import MatchEvent
from brackets.selectors import Table
from brackets.services.acts import Act
from tourney.kernel.errors import TourneyError
from tourney.kernel.ids import EntryId, MatchKey

Kind = MatchEvent.Kind


@dataclass(frozen=True, slots=True)
class CutPlan:
    """What cutting short now would do. `begun`: matches with a game that counts; it stays in the records."""

    scope: CutScope
    ties: Ties
    matches: tuple[MatchKey, ...]  # not played any more
    called: tuple[MatchKey, ...]  # of them, on a board now
    begun: tuple[MatchKey, ...]
    places: tuple[tuple[Places, EntryId], ...]  # of everybody whose place is then decided, best first
    open_after: int  # matches that are still played

    @property
    def token(self) -> str:
        """What was shown, so that a confirmation of another plan is noticed."""
        return f"{self.scope.value}|{self.ties.value}|{','.join(self.matches)}|{','.join(self.begun)}"


def cut_plan(table: Table, *, scope: str, ties: str = Ties.SHARED, reason: str = "?") -> CutPlan:
    """Return what cutting short would do; nothing is written.

    `scope`: "placement" (the race for the first places goes on) or "everything"; `ties`: "shared" or "seed". Refusals:
    ``bracket.unknown_choice``, ``bracket.nothing_to_cut``, ``bracket.reason_needed``.
    """
    try:
        cut = Cut(CutScope(scope), Ties(ties), reason)
    except ValueError:
        raise TourneyError("bracket.unknown_choice", got=f"{scope}, {ties}") from None
    matches = tuple(view.key for view in cut_matches(table.spec, table.state, cut.scope))
    _, after = enter(table.spec, table.seeds, table.facts, cut, table.state)
    order = final_places(table.spec, after, table.rules.left_place, table.rules.disqualified_place)
    called, begun = table.called(), table.begun()
    return CutPlan(
        cut.scope,
        cut.ties,
        matches,
        tuple(key for key in matches if key in called),
        tuple(key for key in matches if key in begun),
        tuple(order),
        sum(1 for view in after.matches.values() if view.status not in SETTLED),
    )


@transaction.atomic
def cut_short(
    stage_id: int,
    *,
    scope: str,
    reason: str,
    ties: str = Ties.SHARED,
    token: str = "",
    actor: Any = None,
    operation: UUID | None = None,
) -> CutPlan | None:
    """End the matches for places, or everything, where they stand, and return what was done (None: done before).

    `token` is the plan that was seen: another one is refused (``bracket.plan_changed``). Games already played in
    matches that end stay in the records and count for ratings; they decide nothing. Other refusals: see `cut_plan`.
    """
    act = Act(stage_id, actor, operation=operation)
    if act.repeated:
        return None
    plan = cut_plan(act.table, scope=scope, ties=ties, reason=reason)
    if token and token != plan.token:
        raise TourneyError("bracket.plan_changed")
    act.add_fact(Cut(plan.scope, plan.ties, reason))
    action = "brackets.cut_placement" if plan.scope is CutScope.PLACEMENT else "brackets.cut_everything"
    act.finish(action, reason=reason, matches=len(plan.matches), ties=plan.ties.value)
    return plan


@transaction.atomic
def play_on(stage_id: int, *, reason: str, actor: Any = None, operation: UUID | None = None) -> None:
    """Take a cut back after all: every match it ended opens again exactly as it stood (``bracket.not_cut``)."""
    act = Act(stage_id, actor, operation=operation)
    if act.repeated:
        return
    row = act.table.cut_row
    if row is None:
        raise TourneyError("bracket.not_cut")
    fact = Retracted(act.table.fact_numbers[row.pk], reason)
    enter_all(act.table.spec, act.table.seeds, act.table.facts, [fact])
    act.add(Kind.UNDONE, voids=row.pk, reason=reason)
    act.finish("brackets.played_on", reason=reason)
