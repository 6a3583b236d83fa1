"""Prize draws at an announced second: the worker decides, once, with the public numbers given until then (K8.3).

The manifest says the moment and where the numbers come from: people give them beforehand, or a public beacon does at
that moment. The job is a row (`tourney.queue`); whatever dies and starts again, the draw has one result, for its row
is locked and a second result is impossible.

Why nobody can steer one:

* by a beacon: its value alone decides. It is unknown when secret and list are bound, and nothing that a person types
  stands beside it: no number, no witness, not even the words where it was read. Without a network the arbiter types
  the value; spelling it otherwise changes nothing, and a wrong one differs from what everybody can read.
* by numbers that people give: who gives one does not know the secret, and whoever keeps the secret can't add a number
  once the announced second is over, when the result could be tried out. With too few numbers by then the draw is not
  decided any more: the arbiter drops it in the open and announces another.
"""

from __future__ import annotations

import unicodedata
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
from tourney.models import Lot, Section, Tournament
from tourney.services.log import log

RUN_TASK = "prizes.run_draw"
SOONEST = timedelta(seconds=60)
FARTHEST = timedelta(days=60)
DRAND = "drand quicknet"
MOST_WHO = 120  # characters of `DrawNumber.who`
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
        number = drand_round(at)
        plan |= {"chain": DRAND_CHAIN, "round": number, "source": f"{DRAND}, {number}"}
    if beacon == Beacon.NAMED:
        plan |= {"value": named, "source": named}
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
    """Keep numbers of people until the moment of a draw; after it take a beacon's value, which decides at once.

    `numbers` are pairs of who and number; a holder is known by the label of the ticket. Where the worker is away and
    nothing is missing, the draw is decided too. Raises TourneyError ``lottery.unknown_draw``,
    ``draw.already_decided``, ``lottery.bad_number``, ``lottery.nameless_number``, ``lottery.number_given``,
    ``lottery.moment_over``, ``lottery.too_few_numbers``, ``lottery.beacon_alone``, ``lottery.beacon_early``,
    ``lottery.beacon_missing``, ``lottery.bad_beacon``, ``lottery.source_needed``, ``lottery.tickets_changed``.
    """
    lock_event(tournament)
    draw = draw_of(tournament, draw_id)
    given = [(who.strip()[:MOST_WHO], number.strip(), "") for who, number in numbers if who.strip() or number.strip()]
    for who, number, _source in given:
        check_number(who, number)
    if given and draw.beacon != Beacon.NUMBERS:
        raise TourneyError("lottery.beacon_alone", number=draw.lot.number)
    over = draw.scheduled_at is not None and draw.scheduled_at <= timezone.now()
    if over and given and draw.beacon == Beacon.NUMBERS:
        raise TourneyError("lottery.moment_over", number=draw.lot.number)
    if draw.beacon != Beacon.NUMBERS and beacon_value.strip():
        if not over:
            raise TourneyError("lottery.beacon_early")
        if not source.strip():
            raise TourneyError("lottery.source_needed")
        given.append((_beacon_name(draw)[:MOST_WHO], _beacon_value(draw, beacon_value), source.strip()[:200]))
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


def read_at(lot: Lot) -> dict[str, str]:
    """Return where the public value of a draw was read, for its page (`tourney.panels`, place ``lot_sources``)."""
    plan = lot.manifest.get("entropy")
    if not isinstance(plan, dict) or "source" not in plan:
        return {}
    given = DrawNumber.objects.filter(draw__lot=lot, who=plan["source"][:MOST_WHO]).first()
    return {plan["source"]: given.source} if given else {}


def _beacon_name(draw: Draw) -> str:
    """Return what the manifest calls the only source of the draw."""
    return str(draw.lot.manifest["entropy"]["source"])


def _beacon_value(draw: Draw, text: str) -> str:
    """Return a value in the one spelling it has: nobody chooses among several that mean the same."""
    if draw.beacon == Beacon.DRAND:
        return drand_value(text)
    return "".join(unicodedata.normalize("NFKC", text).split()).casefold()[:200]


def _keep(draw: Draw, who: str, number: str, source: str, actor: Any) -> None:
    DrawNumber.objects.create(
        draw=draw,
        who=who,
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
        who=who,
    )


def _missing(draw: Draw) -> TourneyError | None:
    """Return why a draw whose moment is over can't be decided yet."""
    if draw.beacon == Beacon.NUMBERS:
        given, needed = draw.numbers.count(), numbers_needed(draw)
        return TourneyError("lottery.too_few_numbers", given=given, needed=needed) if given < needed else None
    if not draw.numbers.filter(who=_beacon_name(draw)[:MOST_WHO]).exists():
        return TourneyError("lottery.beacon_missing")
    return None


def _collected(draw: Draw) -> list[dict[str, str]]:
    """Return the entropy of a draw: every number in the order it was given, or a beacon's value and nothing else."""
    numbers = draw.numbers.order_by("id")
    if draw.beacon == Beacon.NUMBERS:
        return [{"who": one.who, "number": one.number} for one in numbers]
    name = _beacon_name(draw)
    return [{"who": name, "number": numbers.get(who=name[:MOST_WHO]).number}]


# -- the worker ------------------------------------------------------------------------------------------------------


def run_draw(draw_id: int) -> bool:
    """Decide a draw whose moment has come; False when it is decided, dropped or waits for the arbiter.

    Repeatable: a draw has one result, whoever asks how often. OSError while a beacon can't be read: the queue tries
    again some times, and the log says from the first time on that the arbiter may type the value.
    """
    draw = Draw.objects.select_related("section__tournament", "lot__outcome").filter(pk=draw_id).first()
    if draw is None or hasattr(draw.lot, "outcome"):
        return False
    if draw.scheduled_at is None or draw.scheduled_at > timezone.now():
        return False
    queue.wait_if_moved(draw.section.tournament)
    value: tuple[str, str] | None = None
    if draw.beacon == Beacon.DRAND and _missing(draw) is not None:
        try:
            value = beacons.fetch_drand(draw.lot.manifest["entropy"]["round"])
        except OSError:
            _note_waiting(draw)
            raise
    return _decide_now(draw.section.tournament, draw.pk, value)


@transaction.atomic
def _decide_now(tournament: Tournament, draw_id: int, value: tuple[str, str] | None) -> bool:
    lock_event(tournament)
    try:
        draw = draw_of(tournament, draw_id)
    except TourneyError:  # decided or dropped by hand meanwhile
        return False
    if value is not None and _missing(draw) is not None:
        _keep(draw, _beacon_name(draw)[:MOST_WHO], *value, None)
    if _missing(draw) is None:
        try:
            decide(draw, _collected(draw), None)
        except TourneyError:  # the tickets have changed hands: the arbiter drops this draw and announces another
            pass
        else:
            return True
    _note_waiting(draw)
    return False


def _note_waiting(draw: Draw) -> None:
    """Say once in the log that a draw is not decided at its moment."""
    tournament, number = draw.section.tournament, draw.lot.number
    if not tournament.log.filter(action="prizes.draw_waits", data__number=number).exists():
        log(tournament, "prizes.draw_waits", section=draw.section.code, lottery=draw.index + 1, number=number)
