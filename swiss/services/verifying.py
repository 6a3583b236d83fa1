"""A second person has typed the results of a round again: what the event's log says about it."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any
from uuid import UUID

from django.db import transaction
from django.utils import timezone

from swiss.models import Pairing
from swiss.selectors import PUBLIC_STATES
from tourney.models import DeviceLink, ResultOperation, Tournament
from tourney.services.devices import check_open
from tourney.services.log import log


@transaction.atomic
def note_verified(
    tournament: Tournament,
    operation: UUID,
    *,
    games: Collection[int],
    differed: Collection[int],
    actor: Any = None,
    link: DeviceLink | None = None,
) -> int:
    """Write a line for each round: who typed how many results again, and on which boards something else came out.

    The same operation sent twice counts once. Return the number of boards; those out of a tablet's reach don't count.
    Raises what `check_open` does.
    """
    if link is not None:
        check_open(link, timezone.now())
    rows = Pairing.objects.filter(
        game__in=list(games), round__stage__section__tournament=tournament, round__state__in=PUBLIC_STATES
    ).order_by("round__stage", "round__number", "board")
    found = rows.values_list("round__stage__section", "round__stage__section__code", "round__number", "board", "game")
    by_round: dict[tuple[str, int], list[tuple[int, bool]]] = {}
    for section, code, number, board, game in found:
        if link is None or link.covers(section, board):
            by_round.setdefault((code, number), []).append((board or 0, game in differed))
    _operation, is_new = ResultOperation.objects.get_or_create(
        id=operation,
        defaults={
            "tournament": tournament,
            "state": ResultOperation.State.APPLIED,
            "claim": {"verified": sorted(games), "differed": sorted(differed)},
            "link": link,
            "by": actor if getattr(actor, "is_authenticated", False) else None,
            "arrived_at": timezone.now(),
        },
    )
    if is_new:
        for (code, number), boards in by_round.items():
            log(
                tournament,
                "swiss.verified",
                actor=actor,
                label=link.label if link else "",
                section=code,
                round=number,
                boards=len(boards),
                differences=", ".join(str(board) for board, differs in boards if differs) or "–",
            )
    return sum(len(boards) for boards in by_round.values())
