"""What entries of rounds and of matches have in common: an operation counts once and keeps its answer (ADR 0015)."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Protocol
from uuid import UUID

from django.utils import timezone

from tourney.kernel.errors import TourneyError
from tourney.models import DeviceLink, ResultConflict, ResultOperation, Section, Tournament
from tourney.services.devices import check_open
from tourney.services.log import refuse_if_moved

State = ResultOperation.State


class Entry(Protocol):
    """What somebody says happened at a board, with the number under which a script sends it again."""

    @property
    def operation(self) -> UUID: ...
    @property
    def result(self) -> str: ...
    @property
    def entered_at(self) -> datetime | None: ...
    @property
    def skew_seconds(self) -> int: ...
    @property
    def both_confirmed(self) -> bool: ...
    def body(self) -> dict[str, Any]:
        """Return what makes two sendings the same entry, as it is kept."""
        ...


def answered(entry: Entry) -> ResultOperation | None:
    """Return the operation if it was answered before; ``result.operation_reused`` for a number with another content."""
    if not ResultOperation.objects.filter(pk=entry.operation).exists():
        return None
    earlier = ResultOperation.objects.select_related("link", "conflict").filter(pk=entry.operation).first()
    if earlier is not None and earlier.state != State.REPLACED and earlier.claim != entry.body():
        raise TourneyError("result.operation_reused")
    return earlier


def check_reach(link: DeviceLink | None, section: Section, board: int | None) -> None:
    """Refuse a board a tablet was not given (``device.out_of_reach``), and what `check_open` refuses."""
    if link is None:
        return
    # As the row is now: the link may have been taken back while the entry waited for the stage.
    link.refresh_from_db(fields=["valid_from", "valid_until", "revoked_at"])
    link.tournament = section.tournament
    check_open(link, timezone.now())
    if not link.covers(section.pk, board):
        reach = f"{link.first_board or 1}–{link.last_board or ''}" if link.first_board else section.title_text
        raise TourneyError("device.out_of_reach", board=board or 0, reach=reach)


def keep(
    tournament: Tournament,
    entry: Entry,
    state: str,
    actor: Any,
    link: DeviceLink | None,
    *,
    stage_id: int | None = None,
    game_id: int | None = None,
    refused: TourneyError | None = None,
    conflict: ResultConflict | None = None,
) -> ResultOperation:
    """Store an operation with its answer, in the transaction of what it did."""
    refuse_if_moved(tournament)
    return ResultOperation.objects.create(
        id=entry.operation,
        tournament=tournament,
        stage_id=stage_id,
        game_id=game_id,
        state=state,
        outcome=entry.result,
        claim=entry.body(),
        answer={"code": refused.code, "values": refused.values} if refused is not None else {},
        conflict=conflict,
        link=link,
        by=person(actor),
        both_confirmed=entry.both_confirmed,
        entered_at=entry.entered_at,
        arrived_at=timezone.now(),
        skew_seconds=entry.skew_seconds,
    )


def hold_open(tournament: Tournament, operation_id: UUID) -> ResultOperation:
    """Return a held entry nobody has dealt with, its row locked; ``held.none`` when somebody was quicker."""
    held = ResultOperation.objects.select_for_update(of=("self",)).filter(
        tournament=tournament, pk=operation_id, state=State.HELD, settled_at__isnull=True
    )
    found = held.first()
    if found is None:
        raise TourneyError("held.none")
    return found


def close_hold(operation: ResultOperation, actor: Any) -> None:
    """Note that an arbiter has dealt with a held entry."""
    operation.settled_at, operation.settled_by = timezone.now(), person(actor)
    operation.save(update_fields=["settled_at", "settled_by"])


def person(actor: Any) -> Any:
    """Return the signed-in user behind an act, None for a device or a stranger."""
    return actor if getattr(actor, "is_authenticated", False) else None


def close_conflict(conflict: ResultConflict, *, actor: Any, outcome: str, reason: str) -> None:
    """Note what an arbiter decided about a board two people disagreed about."""
    conflict.resolved_at, conflict.resolved_by = timezone.now(), person(actor)
    conflict.outcome, conflict.reason = outcome, reason
    conflict.save(update_fields=["resolved_at", "resolved_by", "outcome", "reason"])
