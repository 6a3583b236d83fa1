"""What shapes the pairing of a stage beside its rules: pairs kept apart, boards kept for somebody, virtual points."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.db import transaction

from swiss.engine.virtual import Run
from swiss.models import FixedBoard, ForbiddenPair
from swiss.selectors import boards_elsewhere
from tourney.kernel.errors import TourneyError
from tourney.models import Stage
from tourney.selectors import stage_entries
from tourney.services.by_the_book import ask, note, rounds_paired
from tourney.services.log import log
from tourney.services.stages import lock_stage


@transaction.atomic
def forbid_pair(
    stage_id: int,
    *,
    first_id: int,
    second_id: int,
    actor: Any,
    reason: str,
    from_round: int = 1,
    to_round: int | None = None,
    soft: bool = False,
    knowing: int = 0,
) -> ForbiddenPair:
    """Forbid two players to meet, in all rounds still to be paired or a range of them.

    A `soft` one is given up when no pairing of a round keeps it: the newest wish first, by name. Refusals:
    ``forbidden.swiss_only``, ``forbidden.same_player``, ``forbidden.not_here``, ``forbidden.reason_needed``,
    ``forbidden.rounds_order``, ``forbidden.twice``. By the book it asks twice once round 1 is paired, and the group
    leaves that mode by it.
    """
    stage = lock_stage(stage_id, event_first=True)
    if stage.kind != Stage.Kind.SWISS:
        raise TourneyError("forbidden.swiss_only")
    if first_id == second_id:
        raise TourneyError("forbidden.same_player")
    if not reason.strip():
        raise TourneyError("forbidden.reason_needed")
    if to_round is not None and to_round < from_round:
        raise TourneyError("forbidden.rounds_order")
    low, high = sorted((first_id, second_id))
    found = {entry.pk: entry for entry in stage_entries(stage).filter(pk__in=[low, high])}
    names = {pk: entry.name for pk, entry in found.items()}
    if len(names) != 2:
        raise TourneyError("forbidden.not_here")
    if ForbiddenPair.objects.filter(stage=stage, first_id=low, second_id=high).exists():
        raise TourneyError("forbidden.twice")
    paired = rounds_paired(stage)
    bends = paired > 0 and ask(stage, "forbidden_pair", knowing=knowing, first=names[low], second=names[high])
    pair = ForbiddenPair.objects.create(
        stage=stage, first_id=low, second_id=high, from_round=from_round, to_round=to_round, reason=reason, soft=soft
    )
    _log(
        stage,
        "swiss.pair_wished_apart" if soft else "swiss.pair_forbidden",
        actor,
        reason=reason,
        first=names[low],
        second=names[high],
    )
    if bends:
        note(
            stage,
            "forbidden_pair",
            round_number=paired,
            actor=actor,
            reason=reason,
            after=[f"{found[low].start_number} / {found[high].start_number}"],
            first=names[low],
            second=names[high],
        )
    return pair


@transaction.atomic
def allow_pair(stage_id: int, *, pair_id: int, actor: Any, reason: str, knowing: int = 0) -> None:
    """Let two players meet again (``forbidden.reason_needed``, ``forbidden.none``); by the book as `forbid_pair`."""
    stage = lock_stage(stage_id, event_first=True)
    if not reason.strip():
        raise TourneyError("forbidden.reason_needed")
    pair = (
        ForbiddenPair.objects.filter(stage=stage, pk=pair_id).select_related("first__player", "second__player").first()
    )
    if pair is None:
        raise TourneyError("forbidden.none")
    names = pair.first.name, pair.second.name
    paired = rounds_paired(stage)
    bends = paired > 0 and ask(stage, "allowed_pair", knowing=knowing, first=names[0], second=names[1])
    pair.delete()
    _log(stage, "swiss.pair_allowed", actor, reason=reason, first=names[0], second=names[1])
    if bends:
        note(
            stage,
            "allowed_pair",
            round_number=paired,
            actor=actor,
            reason=reason,
            before=[f"{pair.first.start_number} / {pair.second.start_number}"],
            first=names[0],
            second=names[1],
        )


@transaction.atomic
def fix_board(stage_id: int, *, entry_id: int, board: int, actor: Any, reason: str) -> FixedBoard:
    """Keep a board for a player in every round still to be paired; a second one replaces the first.

    Refusals: ``fixed.reason_needed``, ``fixed.not_here``, ``fixed.taken`` (by whom), ``fixed.other_group``.
    """
    stage = lock_stage(stage_id, event_first=True)
    if not reason.strip():
        raise TourneyError("fixed.reason_needed")
    entry = stage_entries(stage).filter(pk=entry_id).first()
    if entry is None:
        raise TourneyError("fixed.not_here")
    other = FixedBoard.objects.filter(stage=stage, board=board).exclude(entry=entry).first()
    if other is not None:
        raise TourneyError("fixed.taken", board=board, name=other.entry.name)
    neighbour = boards_elsewhere(stage).get(board)
    if neighbour is not None:
        raise TourneyError("fixed.other_group", board=board, section=neighbour.title_text)
    fixed, _ = FixedBoard.objects.update_or_create(
        stage=stage, entry=entry, defaults={"board": board, "reason": reason}
    )
    _log(stage, "swiss.board_fixed", actor, reason=reason, name=entry.name, board=board)
    return fixed


@transaction.atomic
def free_board(stage_id: int, *, fixed_id: int, actor: Any) -> None:
    """Let a player sit wherever the pairing puts him (``fixed.none``)."""
    stage = lock_stage(stage_id)
    fixed = FixedBoard.objects.filter(stage=stage, pk=fixed_id).select_related("entry__player").first()
    if fixed is None:
        raise TourneyError("fixed.none")
    name, board = fixed.entry.name, fixed.board
    fixed.delete()
    _log(stage, "swiss.board_freed", actor, name=name, board=board)


@transaction.atomic
def set_virtual_points(stage_id: int, *, runs: Sequence[Run], actor: Any, reason: str) -> Stage:
    """Give virtual points by start number instead of the regulation's method; without runs its method holds again.

    Refusals: ``virtual.swiss_only``, ``virtual.begun`` (they are fixed by the pairing of round 1),
    ``virtual.reason_needed``.
    """
    stage = lock_stage(stage_id)
    if stage.kind != Stage.Kind.SWISS:
        raise TourneyError("virtual.swiss_only")
    if stage.rounds.exists():
        raise TourneyError("virtual.begun")
    if not reason.strip():
        raise TourneyError("virtual.reason_needed")
    stage.rules = {**stage.rules, "virtual_points": [run.as_json() for run in runs]}
    stage.save(update_fields=["rules"])
    _log(stage, "swiss.virtual_points_set", actor, reason=reason, runs=len(runs))
    return stage


def _log(stage: Stage, action: str, actor: Any, *, reason: str = "", **values: Any) -> None:
    log(stage.section.tournament, action, actor=actor, reason=reason, section=stage.section.code, **values)
