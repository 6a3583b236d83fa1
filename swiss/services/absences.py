"""Who isn't paired: byes asked for, and the roll-call before a round."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.db import transaction

from swiss.models import ByeRequest, Pairing
from tourney.kernel.by_the_book import bye_act
from tourney.kernel.errors import TourneyError
from tourney.kernel.outcomes import ByeKind
from tourney.models import Entry, Stage
from tourney.selectors import stage_entries
from tourney.services.by_the_book import ask, is_by_the_book, note
from tourney.services.log import log
from tourney.services.stages import lock_stage

# A player may ask for so many half-point byes when the regulation (`half_byes_at_most` of the stage) says nothing.
USUAL_HALF_BYES = 1
ASKED_FOR = (ByeKind.HALF, ByeKind.ZERO, ByeKind.FULL)


def half_bye_limit(stage: Stage) -> int:
    """Return how many half-point byes a player may have before somebody must say why one more is fine."""
    return int(stage.rules.get("half_byes_at_most", USUAL_HALF_BYES))


def closed_rounds(stage: Stage) -> int:
    """Return in how many of the last rounds there is no half-point bye without somebody saying why."""
    return int(stage.rules.get("half_byes_closed_rounds", 0))


@transaction.atomic
def request_bye(
    stage_id: int,
    *,
    entry_id: int,
    round_number: int,
    kind: str,
    actor: Any,
    reason: str = "",
    confirmed: bool = False,
    knowing: int = 0,
) -> ByeRequest:
    """Note that a player misses a round that isn't paired yet, for half a point, none or (by decision) a whole one.

    Refusals: ``bye.swiss_only``, ``bye.unknown_kind``, ``bye.round_paired``, ``bye.no_such_round``,
    ``bye.not_in_play``, ``bye.whole_point_needs_reason``, and ``bye.half_limit`` (too many) or ``bye.half_late`` (in
    one of the last rounds) unless `confirmed` with a reason. By the book a whole point asks first.
    """
    stage = _open_round(stage_id, round_number)
    entry = stage_entries(stage).filter(pk=entry_id).first()
    if entry is None or not entry.is_active:
        raise TourneyError("bye.not_in_play")
    if kind not in {one.value for one in ASKED_FOR}:
        raise TourneyError("bye.unknown_kind", got=kind)
    if kind == ByeKind.FULL and not reason.strip():
        raise TourneyError("bye.whole_point_needs_reason")
    acts = _acts(stage, {entry.pk: (entry, kind)}, round_number, confirmed=confirmed and bool(reason.strip()))
    bends = _ask(stage, acts, knowing)
    request, _ = ByeRequest.objects.update_or_create(
        stage=stage,
        entry=entry,
        round_number=round_number,
        defaults={"kind": kind, "reason": reason, "by": actor if getattr(actor, "is_authenticated", False) else None},
    )
    _log(
        stage,
        "swiss.bye_requested",
        actor,
        reason=reason,
        entry=entry.pk,
        name=entry.name,
        round=round_number,
        kind=kind,
    )
    if bends:
        _note(stage, acts, {entry.pk: entry}, round_number, actor, reason)
    return request


@transaction.atomic
def drop_bye(stage_id: int, *, entry_id: int, round_number: int, actor: Any) -> None:
    """Take a bye back while its round isn't paired (``bye.round_paired``, ``bye.none``)."""
    stage = _open_round(stage_id, round_number)
    request = (
        ByeRequest.objects.filter(stage=stage, entry_id=entry_id, round_number=round_number)
        .select_related("entry__player")
        .first()
    )
    if request is None:
        raise TourneyError("bye.none", round=round_number)
    name = request.entry.name
    request.delete()
    _log(stage, "swiss.bye_dropped", actor, entry=entry_id, name=name, round=round_number)


@transaction.atomic
def call_roll(
    stage_id: int,
    *,
    round_number: int,
    absences: Mapping[int, str],
    actor: Any,
    reason: str = "",
    confirmed: bool = False,
    knowing: int = 0,
) -> int:
    """Set who misses a round: entry -> kind of bye; everybody else is there. Return how many miss it.

    Refusals as `request_bye`; the half-point limit is checked for all new byes together.
    """
    stage = _open_round(stage_id, round_number)
    entries = {entry.pk: entry for entry in stage_entries(stage) if entry.is_active}
    kinds = {one.value for one in ASKED_FOR}
    for entry_id, kind in absences.items():
        if entry_id not in entries:
            raise TourneyError("bye.not_in_play")
        if kind not in kinds:
            raise TourneyError("bye.unknown_kind", got=kind)
    before = dict(ByeRequest.objects.filter(stage=stage, round_number=round_number).values_list("entry_id", "kind"))
    new = {pk: kind for pk, kind in absences.items() if before.get(pk) != kind}
    if any(kind == ByeKind.FULL for kind in new.values()) and not reason.strip():
        raise TourneyError("bye.whole_point_needs_reason")
    marked = {pk: (entries[pk], kind) for pk, kind in new.items()}
    acts = _acts(stage, marked, round_number, confirmed=confirmed and bool(reason.strip()))
    bends = _ask(stage, acts, knowing)
    gone = [pk for pk in before if pk not in absences]
    if not new and not gone:
        return len(absences)
    ByeRequest.objects.filter(stage=stage, round_number=round_number, entry_id__in=[*gone, *new]).delete()
    ByeRequest.objects.bulk_create(
        ByeRequest(
            stage=stage,
            entry_id=pk,
            round_number=round_number,
            kind=kind,
            reason=reason,
            by=actor if getattr(actor, "is_authenticated", False) else None,
        )
        for pk, kind in new.items()
    )
    _log(
        stage,
        "swiss.roll_called",
        actor,
        reason=reason,
        round=round_number,
        absent=len(absences),
        changed=len(new) + len(gone),
    )
    if bends:
        _note(stage, acts, entries, round_number, actor, reason)
    return len(absences)


def _open_round(stage_id: int, number: int) -> Stage:
    stage = lock_stage(stage_id)
    if stage.kind != Stage.Kind.SWISS:
        raise TourneyError("bye.swiss_only")
    if stage.rounds.filter(number__gte=number).exists():
        raise TourneyError("bye.round_paired", round=number)
    if not 1 <= number <= max(stage.rounds_total, 1):
        raise TourneyError("bye.no_such_round", round=number, rounds=stage.rounds_total)
    return stage


def _acts(stage: Stage, marked: Mapping[int, tuple[Entry, str]], number: int, *, confirmed: bool) -> dict[int, str]:
    """Return what bends a rule among new byes, by entry.

    Unless `confirmed`, TourneyError ``bye.half_limit`` names those who would have more half-point byes than the
    regulation allows, and ``bye.half_late`` those who ask for one in a round that is closed to them. Two queries.
    """
    limit, closed = half_bye_limit(stage), closed_rounds(stage)
    taken: dict[int, set[int]] = {pk: {number} for pk, (_, kind) in marked.items() if kind == ByeKind.HALF}
    if taken:
        asked = ByeRequest.objects.filter(stage=stage, entry_id__in=list(taken), kind=ByeKind.HALF)
        given = Pairing.objects.filter(round__stage=stage, white_id__in=list(taken), bye=ByeKind.HALF)
        for pk, round_number in [
            *asked.values_list("entry_id", "round_number"),
            *given.values_list("white_id", "round__number"),
        ]:
            taken[pk].add(round_number)
    acts = {
        pk: act
        for pk, (_, kind) in marked.items()
        if (
            act := bye_act(
                kind,
                halves=len(taken.get(pk, ())),
                limit=limit,
                round_number=number,
                rounds=stage.rounds_total,
                closed_rounds=closed,
            )
        )
    }
    if not confirmed:
        halves = [pk for pk, act in acts.items() if act == "half_bye"]
        over = [marked[pk][0].name for pk in halves if len(taken[pk]) > limit]
        if over:
            raise TourneyError("bye.half_limit", names=over, limit=limit)
        if halves:
            names = [marked[pk][0].name for pk in halves]
            raise TourneyError("bye.half_late", names=names, first=stage.rounds_total - closed + 1)
    return acts


def _ask(stage: Stage, acts: Mapping[int, str], knowing: int) -> bool:
    """Ask about whole-point byes; a half-point bye beyond the rule was confirmed with its reason already."""
    if "full_bye" in acts.values():
        ask(stage, "full_bye", knowing=knowing)
    return bool(acts) and is_by_the_book(stage)


def _note(
    stage: Stage, acts: Mapping[int, str], entries: Mapping[int, Entry], number: int, actor: Any, reason: str
) -> None:
    for act, letter in (("full_bye", "FPB"), ("half_bye", "HPB")):
        after = [f"{entries[pk].start_number}={letter}" for pk, one in acts.items() if one == act]
        if after:
            note(stage, act, round_number=number, actor=actor, reason=reason, after=after)


def _log(stage: Stage, action: str, actor: Any, *, reason: str = "", **values: Any) -> None:
    log(stage.section.tournament, action, actor=actor, reason=reason, section=stage.section.code, **values)
