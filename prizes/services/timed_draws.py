"""Prize draws at an announced second: the worker decides, once, with the public numbers given until then (K8.3).

The manifest says the moment and where the numbers come from: people give them beforehand, or a public beacon does at
that moment. The job is a row (`tourney.queue`); whatever dies and starts again, the draw has one result, for its row
is locked and a second result is impossible. What can't be decided at its moment (too few numbers, no network) waits
for the arbiter, who types what is missing; then it is decided at once.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from django.db import transaction
from django.utils import timezone

from prizes import beacons
from prizes.engine.beacon import DRAND_CHAIN, drand_round, drand_time, drand_value
from prizes.models import Draw, DrawNumber
from prizes.selectors.draws import numbers_needed
from prizes.services.draws import check_number, commit_draw, decide, draw_of, lock_event
from tourney import queue
from tourney.kernel.errors import TourneyError
from tourney.models import Section, Tournament
from tourney.services.log import log

RUN_TASK = "prizes.run_draw"
SOONEST = timedelta(seconds=60)
FARTHEST = timedelta(days=60)
DRAND = "drand quicknet"
Beacon = Draw.Beacon


@transaction.atomic
def schedule_draw(
    section: Section,
    index: int,
    *,
    at: datetime,
    beacon: str,
    named: str = "",
    actor: Any,
    reason: str = "",
) -> Draw:
    """Announce a draw for a moment: manifest and commitment are public from now on, the worker decides at `at`.

    Raises as `commit_draw`, and TourneyError ``lottery.too_soon``, ``lottery.too_far``, ``lottery.unknown_beacon``,
    ``lottery.name_the_value``.
    """
    at = at.astimezone(UTC).replace(microsecond=0)
    if beacon not in Beacon.values:
        raise TourneyError("lottery.unknown_beacon")
    if at < timezone.now() + SOONEST:
        raise TourneyError("lottery.too_soon", seconds=int(SOONEST.total_seconds()))
    if at > timezone.now() + FARTHEST:
        raise TourneyError("lottery.too_far", days=FARTHEST.days)
    if beacon == Beacon.NAMED and not named.strip():
        raise TourneyError("lottery.name_the_value")
    if beacon == Beacon.DRAND:
        at = drand_time(drand_round(at))
    draw = commit_draw(section, index, actor=actor, reason=reason, entropy=_entropy(at, beacon, named.strip()[:160]))
    if not hasattr(draw.lot, "outcome"):  # a single ticket has won already
        draw.scheduled_at, draw.beacon, draw.beacon_text = at, beacon, named.strip()[:160]
        draw.job = queue.enqueue_at(at, RUN_TASK, draw.pk)
        draw.save(update_fields=["scheduled_at", "beacon", "beacon_text", "job"])
        log(
            section.tournament,
            "prizes.draw_scheduled",
            actor=actor,
            section=section.code,
            lottery=index + 1,
            number=draw.lot.number,
            at=f"{timezone.localtime(at, section.tournament.zone):%d.%m.%Y %H:%M:%S}",
        )
    return draw


def _entropy(at: datetime, beacon: str, named: str) -> dict[str, Any]:
    """Return what the manifest says about the numbers; it is part of what the commitment binds."""
    plan: dict[str, Any] = {"at": f"{at:%Y-%m-%dT%H:%M:%SZ}", "by": beacon}
    if beacon == Beacon.DRAND:
        plan |= {"chain": DRAND_CHAIN, "round": drand_round(at)}
    if beacon == Beacon.NAMED:
        plan["value"] = named
    return plan


# -- numbers beforehand, and what was missing afterwards -------------------------------------------------------------


@transaction.atomic
def give_numbers(
    tournament: Tournament,
    draw_id: int,
    *,
    numbers: Sequence[tuple[str, str]],
    beacon_value: str = "",
    source: str = "",
    actor: Any,
) -> Draw:
    """Keep public numbers for a draw at a moment; once the moment is over and nothing is missing it is decided.

    A beacon's value can't be known before its moment and is refused then. Raises TourneyError
    ``lottery.unknown_draw``, ``draw.already_decided``, ``lottery.bad_number``, ``lottery.nameless_number``,
    ``lottery.number_given``, ``lottery.beacon_early``, ``lottery.bad_beacon``, ``lottery.source_needed``,
    ``lottery.too_few_numbers``.
    """
    lock_event(tournament)
    draw = draw_of(tournament, draw_id)
    given = [(who.strip(), number.strip(), "") for who, number in numbers if who.strip() or number.strip()]
    for who, number, _source in given:
        check_number(who, number)
    over = draw.scheduled_at is not None and draw.scheduled_at <= timezone.now()
    if beacon_value.strip():
        if not over:
            raise TourneyError("lottery.beacon_early")
        if not source.strip():
            raise TourneyError("lottery.source_needed")
        given.append((_beacon_name(draw), _beacon_value(draw, beacon_value), source.strip()[:200]))
    known = dict(draw.numbers.values_list("who", "number"))
    for who, number, where in given:
        if known.get(who) == number:
            continue  # the form was sent twice
        if who in known:
            raise TourneyError("lottery.number_given", who=who)
        _keep(draw, who, number, where, actor)
        known[who] = number
    if over:
        missing = _missing(draw)
        if missing is not None:
            raise missing
        decide(draw, _collected(draw), actor)
    return draw


def _beacon_name(draw: Draw) -> str:
    if draw.beacon == Beacon.DRAND:
        return f"{DRAND}, {draw.lot.manifest['entropy']['round']}"
    return draw.beacon_text[:120]


def _beacon_value(draw: Draw, text: str) -> str:
    return drand_value(text) if draw.beacon == Beacon.DRAND else text.strip()[:200]


def _keep(draw: Draw, who: str, number: str, source: str, actor: Any) -> None:
    DrawNumber.objects.create(
        draw=draw,
        who=who[:120],
        number=number,
        source=source,
        by=actor if getattr(actor, "is_authenticated", False) else None,
        at=timezone.now(),
    )
    log(
        draw.section.tournament,
        "prizes.draw_number",
        actor=actor,
        section=draw.section.code,
        lottery=draw.index + 1,
        number=draw.lot.number,
        who=who[:120],
    )


def _missing(draw: Draw) -> TourneyError | None:
    """Return why a draw whose moment is over can't be decided yet."""
    if draw.beacon == Beacon.NUMBERS:
        given, needed = draw.numbers.count(), numbers_needed(draw)
        return TourneyError("lottery.too_few_numbers", given=given, needed=needed) if given < needed else None
    if not draw.numbers.filter(who=_beacon_name(draw)).exists():
        return TourneyError("lottery.beacon_missing")
    return None


def _collected(draw: Draw) -> list[dict[str, str]]:
    """Return the entropy of a draw: every number in the order it was given, a beacon's value with its source."""
    return [
        {"who": one.who, "number": one.number, **({"source": one.source} if one.source else {})}
        for one in draw.numbers.order_by("id")
    ]


# -- the worker ------------------------------------------------------------------------------------------------------


def run_draw(draw_id: int) -> bool:
    """Decide a draw whose moment has come; False when it is decided, dropped or waits for the arbiter.

    Repeatable: a draw has one result, whoever asks how often. OSError while a beacon can't be read (the queue tries
    again some times).
    """
    draw = Draw.objects.select_related("section__tournament", "lot__outcome").filter(pk=draw_id).first()
    if draw is None or hasattr(draw.lot, "outcome"):
        return False
    if draw.scheduled_at is None or draw.scheduled_at > timezone.now():
        return False
    value: tuple[str, str] | None = None
    if draw.beacon == Beacon.DRAND and _missing(draw) is not None:
        value = beacons.fetch_drand(draw.lot.manifest["entropy"]["round"])
    return _decide_now(draw.section.tournament, draw.pk, value)


@transaction.atomic
def _decide_now(tournament: Tournament, draw_id: int, value: tuple[str, str] | None) -> bool:
    lock_event(tournament)
    try:
        draw = draw_of(tournament, draw_id)
    except TourneyError:  # decided or dropped by hand meanwhile
        return False
    if value is not None and _missing(draw) is not None:
        _keep(draw, _beacon_name(draw), *value, None)
    if _missing(draw) is None:
        try:
            decide(draw, _collected(draw), None)
        except TourneyError:  # the tickets have changed hands: the arbiter drops this draw and announces another
            pass
        else:
            return True
    log(tournament, "prizes.draw_waits", section=draw.section.code, lottery=draw.index + 1, number=draw.lot.number)
    return False
