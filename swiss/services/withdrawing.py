"""Leaving a stage and coming back to it.

In a Swiss everything played stays and the rounds to come are zero-point byes. In a round robin it depends on how much
was played (general regulations, C.05): with half of the games or more the missing ones are forfeits, with fewer nothing
counts for anybody. Which it will be is said before it is done (`withdrawal_effect`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.db import transaction
from django.db.models import Q

from prizes.engine.withdrawals import results_count
from swiss.models import Pairing, Round
from swiss.selectors import PUBLIC_STATES, stage_record
from swiss.services.results import enter_result, update_standings
from tourney.kernel.errors import TourneyError
from tourney.kernel.outcomes import ResultCode
from tourney.models import Entry, Stage
from tourney.services.entries import record_entry_event
from tourney.services.log import log
from tourney.services.stages import bump, lock_stage


@dataclass(frozen=True, slots=True)
class WithdrawalEffect:
    """What leaving after a round does. `open_board` is the unfinished game that will be lost by forfeit."""

    after_round: int
    games_played: int
    games_planned: int  # 0 in a Swiss, where it doesn't matter
    counts: bool  # False: results of this player count for nobody (round robin, fewer than half of the games)
    open_board: int | None
    open_round: int | None
    rounds_left: int


def withdrawal_effect(stage: Stage, entry: Entry, after_round: int) -> WithdrawalEffect:
    """Return what leaving after a round would do. Raises TourneyError as `withdraw_player` does."""
    if not _belongs(stage, entry):
        raise TourneyError("withdraw.not_here")
    if entry.left_after_round is not None or not entry.is_active:
        raise TourneyError("withdraw.left_already")
    if stage.rounds.filter(state=Round.State.DRAFT).exists():
        raise TourneyError("withdraw.draft_exists")
    last = stage.rounds.filter(state__in=PUBLIC_STATES).count()
    if not 0 <= after_round <= last:
        raise TourneyError("withdraw.unknown_round", last=last)
    later = Pairing.objects.filter(
        Q(white=entry) | Q(black=entry), round__stage=stage, round__number__gt=after_round
    ).select_related("round", "game")
    open_game = None
    for pairing in later:
        if pairing.game is not None and pairing.game.outcome:
            raise TourneyError("withdraw.played_later", round=pairing.round.number)
        if pairing.game is not None:
            open_game = pairing
    is_table = stage.kind == Stage.Kind.ROUND_ROBIN
    record = stage_record(stage)
    played, planned = record.games_played.get(entry.pk, 0), record.games_planned if is_table else 0
    return WithdrawalEffect(
        after_round=after_round,
        games_played=played,
        games_planned=planned,
        counts=results_count(played, planned),
        open_board=open_game.board if open_game else None,
        open_round=open_game.round.number if open_game else None,
        rounds_left=max(0, stage.rounds_total - last),
    )


@transaction.atomic
def withdraw_player(stage_id: int, *, entry_id: int, after_round: int, actor: Any, reason: str) -> WithdrawalEffect:
    """Take a player out after a round; an unfinished game of a later round is lost by forfeit.

    Refusals: ``withdraw.reason_needed``, ``withdraw.not_here``, ``withdraw.left_already``, ``withdraw.played_later``
    (a result after that round), ``withdraw.unknown_round``, ``withdraw.draft_exists``.
    """
    stage = lock_stage(stage_id)
    entry = Entry.objects.select_related("player", "section").get(pk=entry_id)
    if not reason.strip():
        raise TourneyError("withdraw.reason_needed")
    effect = withdrawal_effect(stage, entry, after_round)
    entry.left_after_round = after_round
    entry.save(update_fields=["left_after_round"])
    record_entry_event(
        entry, "left_play", state=Entry.State.WITHDRAWN, by=actor, reason=reason, after_round=after_round
    )
    if effect.open_round is not None:
        pairing = Pairing.objects.get(
            Q(white=entry) | Q(black=entry), round__stage=stage, round__number=effect.open_round
        )
        lost = ResultCode.BLACK_FORFEIT_WIN if pairing.white_id == entry.pk else ResultCode.WHITE_FORFEIT_WIN
        enter_result(stage_id=stage.pk, game_id=pairing.game_id or 0, outcome=lost.value, actor=actor, reason=reason)
        stage.refresh_from_db(fields=["state", "version"])
    if stage.kind == Stage.Kind.ROUND_ROBIN:
        update_standings(stage)
    bump(stage)
    log(
        stage.section.tournament,
        "swiss.player_withdrawn",
        actor=actor,
        reason=reason,
        section=stage.section.code,
        entry=entry.pk,
        name=entry.name,
        after_round=after_round,
        counts=effect.counts,
    )
    return effect


@transaction.atomic
def return_player(stage_id: int, *, entry_id: int, actor: Any, reason: str) -> int:
    """Let a player who left play on; return the first round he or she can be paired in.

    What was missed stays missed. Refusals: ``withdraw.reason_needed``, ``withdraw.not_here``, ``withdraw.not_left``,
    ``withdraw.disqualified``, ``withdraw.over``.
    """
    stage = lock_stage(stage_id)
    entry = Entry.objects.select_related("player", "section").get(pk=entry_id)
    if not reason.strip():
        raise TourneyError("withdraw.reason_needed")
    if not _belongs(stage, entry):
        raise TourneyError("withdraw.not_here")
    if entry.state == Entry.State.DISQUALIFIED:
        raise TourneyError("withdraw.disqualified")
    if entry.left_after_round is None and entry.is_active:
        raise TourneyError("withdraw.not_left")
    if stage.state in (Stage.State.FINISHED, Stage.State.CLOSED):
        raise TourneyError("withdraw.over")
    entry.left_after_round = None
    entry.save(update_fields=["left_after_round"])
    first = stage.rounds.filter(state__in=PUBLIC_STATES).count() + 1
    record_entry_event(entry, "returned", state=Entry.State.CONFIRMED, by=actor, reason=reason, round=first)
    if stage.kind == Stage.Kind.ROUND_ROBIN:
        update_standings(stage)
    bump(stage)
    log(
        stage.section.tournament,
        "swiss.player_returned",
        actor=actor,
        reason=reason,
        section=stage.section.code,
        entry=entry.pk,
        name=entry.name,
        round=first,
    )
    return first


def _belongs(stage: Stage, entry: Entry) -> bool:
    host = stage.section_id
    return entry.start_number is not None and host in (entry.section_id, entry.section.merged_into_id)
