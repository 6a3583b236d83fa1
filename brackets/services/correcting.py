"""Putting a result right: the plan is shown first, then carried out on paper only or all the way; undo; notes.

A correction is said as a `Change`: another result of a game, a decision or no-show that was a mistake, or the match
awarded to a player. `plan_change` tells what it would do; `correct_result` does it, and refuses if the plan has become
another one in between.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any
from uuid import UUID

from django.db import transaction
from django.db.models import Q

from brackets.engine.correction import CorrectionPlan, Effect, plan_correction
from brackets.engine.entering import enter_all
from brackets.engine.facts import How, Result, Retracted
from brackets.engine.match_play import MatchState, apply, bracket_result
from brackets.engine.match_steps import Claim as ClaimStep
from brackets.engine.match_steps import Correct, Reopen, SettleClaim, parse_result, step_to_json
from brackets.models import MatchEvent
from brackets.selectors import GAME_KINDS, Row, Table
from brackets.services.acts import Act
from brackets.services.playing import settle, supersede
from tourney.kernel.errors import TourneyError
from tourney.kernel.ids import MatchKey
from tourney.models import Entry, ResultRecord, Sanction
from tourney.services.entries import record_entry_event

Kind = MatchEvent.Kind
CASCADE, ON_PAPER = "cascade", "on_paper"
# A stop is ended by going on, a reserve's place is given back at the desk; a board given up is part of another act.
NOT_UNDONE = frozenset({Kind.BOARD_LEFT, Kind.PAUSED, Kind.RESUMED, Kind.REPLACED})


@dataclass(frozen=True, slots=True)
class Change:
    """What is wrong with a match: game `number` had `outcome`; or (`reopen`) its walkover or decision; or `winner`."""

    match: str
    number: int = 0
    outcome: str = ""
    reopen: bool = False
    winner: str = ""  # a side: the match is awarded to it


@dataclass(frozen=True, slots=True)
class ChangePlan:
    """What a change would do. `plan` is None while the match is still being played: nothing later can be touched."""

    change: Change
    before: MatchState
    after: MatchState
    plan: CorrectionPlan | None

    @property
    def token(self) -> str:
        """What was shown, so that a confirmation of another plan is noticed."""
        if self.plan is None:
            return "open"
        plan = self.plan
        return "|".join([plan.effect.value, str(plan.winner or ""), *plan.void, "/", *plan.take_back, "/", *plan.stop])


def plan_change(table: Table, change: Change, reason: str = "?") -> ChangePlan:
    """Return what a change would do; nothing is written.

    Refusals: ``match.no_such_game``, ``match.same_result``, ``match.unknown_result``, ``match.draw_not_possible``,
    ``match.nothing_to_reopen``, ``bracket.match_locked``, ``bracket.automatic_result``, ``bracket.match_open``.
    """
    view = table.view(change.match)
    before = table.match_state(change.match)
    if change.winner:
        after, result = before, _awarded(table, change, reason)
    else:
        after = apply(before, step_of(before, change, reason))
        sides = table.sides(change.match)
        result = replace(bracket_result(after, view.key, sides), reason=reason) if after.is_done else None
    if view.is_open:
        if change.winner:
            raise TourneyError("bracket.match_open", match=view.key)
        return ChangePlan(change, before, after, None)
    begun = table.begun()
    plan = plan_correction(
        table.spec, table.seeds, table.facts, view.key, result, reason=reason, called=table.called(), playing=begun
    )
    return ChangePlan(change, before, after, plan)


def step_of(before: MatchState, change: Change, reason: str) -> Correct | Reopen:
    if change.reopen:
        return Reopen(reason)
    outcome = parse_result(change.outcome)
    game = next((game for game in before.games if game.number == change.number), None)
    if game is not None and game.result is outcome:
        raise TourneyError("match.same_result", number=change.number)
    return Correct(change.number, outcome, reason)


def _awarded(table: Table, change: Change, reason: str) -> Result:
    sides = table.sides(change.match)
    if change.winner not in sides:
        raise TourneyError("match.unknown_player", player=change.winner)
    view = table.view(change.match)
    winner = sides[change.winner]
    if view.winner == winner:
        raise TourneyError("match.has_won", match=view.key)
    (loser,) = (entry for entry in sides.values() if entry != winner)
    return Result(view.key, winner, loser, How.DECISION, view.played, reason)


@transaction.atomic
def correct_result(
    stage_id: int,
    change: Change,
    *,
    reason: str,
    choice: str = CASCADE,
    token: str = "",
    actor: Any = None,
    operation: UUID | None = None,
    seen: str = "",
) -> ChangePlan:
    """Correct a match and return the plan that was carried out.

    `choice` "cascade": players move, calls that no longer fit end, the listed later matches are played again; their
    games stay in the records. "on_paper": the true winner is published and nobody moves (only where something later
    was played). `token` is the plan the arbiter saw: another one is refused (``bracket.plan_changed``). Refusals also:
    ``bracket.reason_needed``, ``bracket.no_paper``, ``bracket.unknown_choice`` and those of `plan_change`.
    """
    act = Act(stage_id, actor, operation=operation)
    if not reason.strip():
        raise TourneyError("bracket.reason_needed")
    if choice not in (CASCADE, ON_PAPER):
        raise TourneyError("bracket.unknown_choice", got=choice)
    if act.repeated:
        match = act.table.match_state(change.match)
        return ChangePlan(change, match, match, None)
    act.check_seen(change.match, seen)
    found = plan_change(act.table, change, reason)
    if token and token != found.token:
        raise TourneyError("bracket.plan_changed")
    plan = found.plan
    if choice == ON_PAPER and (plan is None or not plan.on_paper or plan.effect is not Effect.BLOCKED):
        raise TourneyError("bracket.no_paper")
    _write_step(act, found, reason)
    if plan is None:
        settle(act, MatchKey(change.match), found.after)
    elif choice == ON_PAPER:
        act.add_facts(plan.on_paper)
    else:
        # Later matches first: what is played against the wrong opponent ends before its players move.
        for key in reversed((*plan.void, *plan.stop, *plan.take_back)):
            if act.table.rows_of(key):
                act.cancel(key, reason)
        act.add_facts(plan.cascade)
    act.finish(
        "brackets.corrected",
        reason=reason,
        match=change.match,
        number=change.number,
        result=change.outcome,
        effect=plan.effect.value if plan else "",
        choice=choice,
        void=[str(key) for key in (*plan.void, *plan.stop)] if plan else [],
    )
    return found


def _write_step(act: Act, found: ChangePlan, reason: str) -> None:
    """Write the change into the steps of its match; an award stands in the bracket's facts alone."""
    change = found.change
    if change.winner:
        return
    if change.reopen:
        step = step_to_json(Reopen(reason))
        act.add(Kind.REOPENED, match=change.match, data={"step": step}, reason=reason)
        return
    row = next(row for row in act.table.games_in_force(MatchKey(change.match)) if row.data["number"] == change.number)
    assert row.game is not None  # noqa: S101 -- every game row has a record
    record = supersede(act, row.game, parse_result(change.outcome).value, reason)
    act.add(Kind.CORRECTED, match=change.match, data={"number": change.number}, record=record, reason=reason)


# -- taking back -----------------------------------------------------------------------------------------------------


def last_act(table: Table, match: str = "") -> list[Row]:
    """Return the rows of the newest act that can be taken back: of one match, or of the whole bracket."""
    for row in reversed(table.standing_rows):
        if match and row.match != match:
            continue
        if row.kind in NOT_UNDONE:
            continue
        return [other for other in table.standing_rows if other.act == row.act]
    return []


@transaction.atomic
def undo(
    stage_id: int,
    *,
    match: str = "",
    reason: str,
    actor: Any = None,
    operation: UUID | None = None,
    seen: str = "",
    device: str = "",
) -> list[Row]:
    """Take the last act back (of a match, or of the bracket) exactly; return its rows.

    Refusals: ``bracket.nothing_to_undo``, ``bracket.reason_needed``, ``bracket.later_acts`` (matches that went on
    since), ``bracket.downstream_played``, ``bracket.downstream_playing``.
    """
    act = Act(stage_id, actor, operation=operation, device=device, proposed=True)
    if act.repeated:
        return act.repeated
    if not reason.strip():
        raise TourneyError("bracket.reason_needed")
    if match:
        act.check_seen(match, seen)
    rows = last_act(act.table, match)
    if not rows:
        raise TourneyError("bracket.nothing_to_undo")
    take_back_rows(act, rows, reason)
    act.finish("brackets.undone", reason=reason, match=match or str(rows[0].match or ""), kind=rows[0].kind)
    return rows


@transaction.atomic
def take_back_removal(stage_id: int, entry_id: int, *, reason: str, actor: Any = None) -> list[Row]:
    """Take a player's removal and its sanction back exactly, as long as nothing was built on it; return its rows.

    Refusals: ``bracket.not_left``, ``bracket.reason_needed``, ``bracket.later_acts``, ``bracket.downstream_played``,
    ``bracket.downstream_playing`` (matches).
    """
    act = Act(stage_id, actor)
    if not reason.strip():
        raise TourneyError("bracket.reason_needed")
    standing = act.table.standing_rows
    removed = next((r for r in reversed(standing) if r.kind == Kind.DISQUALIFIED and r.entry == entry_id), None)
    if removed is None or entry_id not in act.table.state.left:
        raise TourneyError("bracket.not_left")
    rows = [row for row in standing if row.act == removed.act]
    take_back_rows(act, rows, reason)
    name = Entry.objects.select_related("player").get(pk=entry_id).name
    act.finish("brackets.removal_taken_back", reason=reason, entry=entry_id, name=name)
    return rows


def take_back_rows(act: Act, rows: Sequence[Row], reason: str) -> None:
    """Add what takes these rows back, bring entries and sanctions in line."""
    _check_nothing_later(act.table, rows)
    facts = [
        Retracted(act.table.fact_numbers[row.pk], reason) for row in reversed(rows) if row.pk in act.table.fact_numbers
    ]
    enter_all(act.table.spec, act.table.seeds, act.table.facts, facts)
    for row in reversed(rows):
        record = _take_back_record(act, row, reason) if row.kind in GAME_KINDS else None
        act.add(Kind.UNDONE, match=row.match, entry=row.entry, record=record, voids=row.pk, reason=reason)
        if row.match is not None and row.kind in (Kind.GAME, Kind.CANCELLED):
            act.games_to_file.add(row.match)
    _follow_entries(act, rows, reason)
    _revoke_sanctions(act, rows, reason)


def _check_nothing_later(table: Table, rows: Sequence[Row]) -> None:
    """Steps of a match come back one by one: nothing may be left standing on what is taken away."""
    ours, last = {row.pk for row in rows}, max(row.pk for row in rows)
    touched = {row.match for row in rows if row.match is not None}
    later = sorted(
        {str(row.match) for row in table.standing_rows if row.pk > last and row.pk not in ours and row.match in touched}
    )
    if later:
        raise TourneyError("bracket.later_acts", matches=later)


def _take_back_record(act: Act, row: Row, reason: str) -> ResultRecord:
    """Put a game back to the result it had before the row: none for an entry, the earlier one for a correction."""
    outcome = ""
    if row.kind == Kind.CORRECTED:
        earlier = ResultRecord.objects.select_related("supersedes").get(pk=row.record)
        outcome = earlier.supersedes.outcome if earlier.supersedes is not None else ""
    if row.game is None:
        raise TourneyError("bracket.nothing_to_undo")
    return supersede(act, row.game, outcome, reason)


def _follow_entries(act: Act, rows: Sequence[Row], reason: str) -> None:
    """Bring the state of entries in line when a departure or a return was taken back."""
    touched = {row.entry for row in rows if row.kind in (Kind.WITHDRAWN, Kind.DISQUALIFIED, Kind.RETURNED)}
    left = act.table.state.left
    for entry in Entry.objects.filter(pk__in=[pk for pk in touched if pk is not None]):
        wanted = Entry.State.CONFIRMED
        if entry.pk in left:
            wanted = Entry.State.DISQUALIFIED if left[entry.pk] else Entry.State.WITHDRAWN
        if entry.state != wanted:
            record_entry_event(entry, "left_play_undone", state=wanted, by=act.actor, reason=reason)


def _revoke_sanctions(act: Act, rows: Sequence[Row], reason: str) -> None:
    """Take back the sanctions that were written by the act itself, and the one that removed a player."""
    moments = {row.at for row in rows if row.kind == Kind.DECISION}
    removed = {row.entry for row in rows if row.kind == Kind.DISQUALIFIED}
    if not moments and not removed:
        return
    by_act = Q(at__in=moments) | Q(entry__in=[pk for pk in removed if pk is not None], kind=Sanction.Kind.REMOVAL)
    written = Sanction.objects.filter(by_act, stage=act.stage, revokes=None, revoked_by=None)
    for sanction in list(written):
        Sanction.objects.create(
            entry_id=sanction.entry_id,
            kind=sanction.kind,
            reason=reason,
            stage=act.stage,
            revokes=sanction,
            by=act.actor,
            at=act.now,
        )


# -- disputes and notes ----------------------------------------------------------------------------------------------


@transaction.atomic
def dispute(stage_id: int, match: str, *, reason: str, actor: Any = None, seen: str = "") -> MatchState:
    """Stop a match until the arbiter has settled a claim."""
    act = Act(stage_id, actor)
    act.check_seen(match, seen)
    if not reason.strip():
        raise TourneyError("match.reason_needed")
    after = act.add_step(Kind.CLAIM, match, ClaimStep("arbiter", reason), reason=reason)
    act.finish("brackets.disputed", reason=reason, match=match)
    return after


@transaction.atomic
def settle_dispute(stage_id: int, match: str, *, reason: str, actor: Any = None, seen: str = "") -> MatchState:
    """Let a disputed match go on where it stood."""
    act = Act(stage_id, actor)
    act.check_seen(match, seen)
    after = act.add_step(Kind.SETTLED, match, SettleClaim(reason), reason=reason)
    act.finish("brackets.dispute_settled", reason=reason, match=match)
    return after


__all__ = [
    "CASCADE",
    "ON_PAPER",
    "Change",
    "ChangePlan",
    "correct_result",
    "dispute",
    "last_act",
    "plan_change",
    "settle_dispute",
    "take_back_removal",
    "take_back_rows",
    "undo",
]
