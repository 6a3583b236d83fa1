"""Who doesn't come, who leaves, who is removed, who comes back; and what the arbiter decides instead of a game.

After each of these the bracket settles everything that follows by itself: no match ever waits for somebody who left.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from django.db import transaction
from django.utils import timezone

from brackets.engine.facts import Left, Replaced, Returned
from brackets.engine.match_play import MatchState
from brackets.engine.match_steps import BothAbsent, Decide, Leave, NoShow
from brackets.models import MatchEvent
from brackets.selectors import Table
from brackets.services.acts import Act
from brackets.services.playing import settle
from tourney.kernel.errors import TourneyError
from tourney.kernel.ids import EntryId, MatchKey
from tourney.models import Entry, Lot, Sanction, Stage
from tourney.services.entries import record_entry_event
from tourney.services.lots import draw_now

Kind = MatchEvent.Kind


def late_at(table: Table, key: MatchKey) -> datetime | None:
    """Return when the waiting time of a called match is over; pauses don't count. None: not called, or no rule."""
    minutes = (table.stage.rules.get("lateness") or {}).get("minutes")
    called = table.matches[key].called_at
    if minutes is None or called is None:
        return None
    deadline: datetime = called + timedelta(minutes=int(minutes))
    stopped: datetime | None = None
    for row in table.standing_rows:
        if row.kind == Kind.PAUSED:
            stopped = row.at
        elif row.kind == Kind.RESUMED and stopped is not None:
            deadline += max(row.at - max(stopped, called), timedelta())
            stopped = None
    return None if stopped is not None else deadline


@transaction.atomic
def walkover(
    stage_id: int,
    match: str,
    *,
    absent: str,
    reason: str,
    actor: Any = None,
    early: bool = False,
    operation: UUID | None = None,
    seen: str = "",
) -> MatchState:
    """Give a match to the player who came; `absent` (a side) goes the loser's way and may play on.

    Before the waiting time is over only as the arbiter's own decision (`early`). Refusals: ``match.not_late_yet``,
    ``match.not_called``, ``match.already_started``, ``match.reason_needed``, ``bracket.paused``.
    """
    act = Act(stage_id, actor, operation=operation, while_paused=False)
    if act.repeated:
        return act.table.match_state(match)
    act.check_seen(match, seen)
    act.open_match(match)
    _check_waited(act, MatchKey(match), early)
    after = act.add_step(Kind.NO_SHOW, match, NoShow(absent, reason), reason=reason)
    settle(act, MatchKey(match), after)
    act.finish("brackets.no_show", reason=reason, match=match, name=_person(act, match, absent))
    return after


@transaction.atomic
def double_no_show(
    stage_id: int,
    match: str,
    *,
    reason: str,
    winner: str = "",
    actor: Any = None,
    early: bool = False,
    operation: UUID | None = None,
    seen: str = "",
) -> MatchState:
    """Neither came, both play on: a lot (or the arbiter, with `winner`) says who goes the winner's way."""
    act = Act(stage_id, actor, operation=operation, while_paused=False, draws_lot=not winner)
    if act.repeated:
        return act.table.match_state(match)
    act.check_seen(match, seen)
    act.open_match(match)
    _check_waited(act, MatchKey(match), early)
    lot: int | None = None
    if not winner:
        sides = act.table.sides(match)
        drawn = draw_now(
            act.stage.section.tournament,
            purpose=Lot.Purpose.WALKOVER,
            subject=f"{act.stage.section.code}:{match}",
            kind="coin",
            entrants=[str(entry) for entry in sides.values()],
            actor=actor,
        )
        lot = drawn.lot_id
        winner = next(side for side, entry in sides.items() if str(entry) == drawn.result)
    after = act.add_step(Kind.BOTH_ABSENT, match, BothAbsent(winner, reason), reason=reason, lot=lot)
    settle(act, MatchKey(match), after)
    act.finish("brackets.both_absent", reason=reason, match=match, name=_person(act, match, winner), by_lot=bool(lot))
    return after


def _check_waited(act: Act, key: MatchKey, early: bool) -> None:
    if early:
        return
    match = act.table.matches[key]
    if match.called_at is None:
        raise TourneyError("match.not_called", match=key)
    deadline = late_at(act.table, key)
    if deadline is not None and act.now < deadline:
        local = timezone.localtime(deadline, act.stage.section.tournament.zone)
        raise TourneyError("match.not_late_yet", until=f"{local:%H:%M}")


@transaction.atomic
def decide(
    stage_id: int,
    match: str,
    *,
    winner: str,
    reason: str,
    actor: Any = None,
    operation: UUID | None = None,
    seen: str = "",
    sanction: bool = False,
) -> MatchState:
    """Award an open match (a sanction, a dispute, an Armageddon nobody came to); played games stay in the records.

    `sanction`: write a loss of the match against the loser (K10.3). Refusals: ``match.reason_needed``,
    ``match.unknown_player``.
    """
    act = Act(stage_id, actor, operation=operation)
    if act.repeated:
        return act.table.match_state(match)
    act.check_seen(match, seen)
    after = act.add_step(Kind.DECISION, match, Decide(winner, reason), reason=reason)
    settle(act, MatchKey(match), after)
    if sanction:
        loser = "b" if winner == "a" else "a"
        _sanction(act, act.before.sides(match)[loser], Sanction.Kind.MATCH_LOSS, reason)
    act.finish("brackets.decided", reason=reason, match=match, name=_person(act, match, winner))
    return after


@transaction.atomic
def withdraw_player(
    stage_id: int, entry_id: int, *, reason: str, actor: Any = None, operation: UUID | None = None
) -> None:
    """A player leaves the event: a match he has begun is lost, every later one too as soon as it is reached.

    Refusals: ``bracket.unknown_player``, ``bracket.already_left``, ``bracket.reason_needed``.
    """
    _leave(stage_id, entry_id, reason=reason, actor=actor, operation=operation, disqualified=False)


@transaction.atomic
def disqualify_player(
    stage_id: int, entry_id: int, *, reason: str, actor: Any = None, operation: UUID | None = None
) -> None:
    """Remove a player (K10.3): a withdrawal without a place; finished matches stand. The sanction is written too."""
    _leave(stage_id, entry_id, reason=reason, actor=actor, operation=operation, disqualified=True)


def _leave(
    stage_id: int, entry_id: int, *, reason: str, actor: Any, operation: UUID | None, disqualified: bool
) -> None:
    act = Act(stage_id, actor, operation=operation)
    if act.repeated:
        return
    if not reason.strip():
        raise TourneyError("bracket.reason_needed")
    player = EntryId(entry_id)
    if player not in act.table.state.seeds:
        raise TourneyError("bracket.unknown_player", player=entry_id)
    if player not in act.table.state.left:
        _lose_running(act, player, disqualified)
    act.add_fact(Left(player, disqualified, reason))
    entry = Entry.objects.select_related("player").get(pk=entry_id)
    if disqualified:
        _sanction(act, player, Sanction.Kind.REMOVAL, reason)
    state = Entry.State.DISQUALIFIED if disqualified else Entry.State.WITHDRAWN
    if entry.state != state:
        record_entry_event(entry, "left_play", state=state, by=actor, reason=reason, disqualified=disqualified)
    act.finish(
        "brackets.disqualified" if disqualified else "brackets.withdrawn",
        reason=reason,
        entry=entry_id,
        name=entry.name,
    )


def _lose_running(act: Act, player: EntryId, disqualified: bool) -> None:
    """A match with a game is lost in the middle; one without is settled by the bracket itself."""
    view = act.table.state.match_of(player)
    if view is None or not view.is_open or not act.table.games_in_force(view.key):
        return
    side = "a" if view.a == player else "b"
    after = act.add_step(Kind.LEFT_MATCH, view.key, Leave(side, disqualified))
    settle(act, view.key, after)


@transaction.atomic
def return_player(
    stage_id: int, entry_id: int, *, reason: str, actor: Any = None, operation: UUID | None = None
) -> None:
    """A player who left plays again, from the first match that was lost without play and that nobody has built on.

    Refusals: ``bracket.not_left``, ``bracket.downstream_played`` (matches), ``bracket.downstream_playing`` (matches).
    """
    act = Act(stage_id, actor, operation=operation)
    if act.repeated:
        return
    if not reason.strip():
        raise TourneyError("bracket.reason_needed")
    act.add_fact(Returned(EntryId(entry_id), reason))
    entry = Entry.objects.select_related("player").get(pk=entry_id)
    if not entry.is_active:
        record_entry_event(entry, "returned", state=Entry.State.CONFIRMED, by=actor, reason=reason)
    act.finish("brackets.returned", reason=reason, entry=entry_id, name=entry.name)


def _sanction(act: Act, entry: int, kind: str, reason: str) -> None:
    """Write a sanction unless the page of sanctions has just written it itself."""
    if Sanction.objects.filter(entry_id=entry, kind=kind, stage=act.stage, revoked_by=None, revokes=None).exists():
        return
    Sanction.objects.create(entry_id=entry, kind=kind, reason=reason, stage=act.stage, by=act.actor, at=act.now)


@transaction.atomic
def replace_seed(old: Entry, new: Entry, actor: Any = None) -> bool:
    """Put a reserve on the seed of somebody who did not come, before that player's first match (K3.4).

    Registered for the place ``entry_replaced``. False if the section has no drawn bracket with that player. Refusals:
    ``bracket.already_played``, ``bracket.player_twice``, ``bracket.downstream_playing``.
    """
    host = old.section.merged_into_id or old.section_id
    stage = Stage.objects.filter(section=host, kind=Stage.Kind.BRACKET, bracket__isnull=False).first()
    if stage is None:
        return False
    act = Act(stage.pk, actor, proposed=True)
    if EntryId(old.pk) not in act.table.state.seeds:
        return False
    act.table.ratings[new.pk] = new.rating
    act.add_fact(Replaced(EntryId(old.pk), EntryId(new.pk), "reserve"))
    act.finish("brackets.seed_replaced", entry=new.pk, name=new.name, instead_of=old.name)
    return True


# -- where it is shown ------------------------------------------------------------------------------------------------


@transaction.atomic
def show_match(stage_id: int, match: str, *, video_url: str = "", featured: bool = False, actor: Any = None) -> None:
    """Say where a match is shown (K1.3, K9.1) and whether it is a key match."""
    act = Act(stage_id, actor)
    found = act.table.matches[act.table.match_spec(match).key]
    found.video_url, found.featured = video_url, featured
    found.save(update_fields=["video_url", "featured"])
    act.finish("brackets.match_shown", match=match, url=video_url)


def _person(act: Act, match: str, side: str) -> str:
    return Entry.objects.select_related("player").get(pk=act.before.sides(match)[side]).player.name
