"""Prize draws: the list of ticket holders is fixed and a commitment published, then public numbers decide (K8.3).

Nobody can be drawn before the places are final. A draw that was announced is finished or dropped with a reason; both
stay in the chain. A lottery that has been drawn is drawn again only when its tickets have changed hands since.

Why nobody can steer one: the secret and the list are bound before anybody gives a number, and no page shows the
secret until the draw is decided, so whoever gives, types or orders the numbers does not know what they do. Decided by
one press, nothing can be added; dropped instead, it stays in the chain with its number and its reason.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from typing import Any

from django.db import transaction

from prizes.models import Draw, Ticket
from prizes.selectors.draws import LotteryState, is_decided, is_void, lottery_of, numbers_needed, subject_of
from prizes.selectors.places import standing_of
from prizes.services.awards import rebuild_awards
from tourney.kernel.errors import TourneyError
from tourney.models import Lot, Section, Tournament
from tourney.services.log import log
from tourney.services.lots import commit_lot, reveal_lot, void_lot

_NUMBER = re.compile(r"[0-9]{1,18}")
NOBODY_ELSE = "one_ticket"  # how the manifest says that no public number is needed


@transaction.atomic
def commit_draw(section: Section, index: int, *, actor: Any, reason: str = "", entropy: Any = "numbers") -> Draw:
    """Fix a lottery's tickets and publish the commitment; a single ticket wins at once, and that is recorded too.

    `entropy` is what the manifest says about the public numbers.

    Raises TourneyError ``lottery.unknown``, ``lottery.not_final``, ``lottery.list_outdated``, ``lottery.place_shared``,
    ``lottery.no_tickets``, ``lottery.draw_open``, ``lottery.already_drawn``, ``lottery.second_needs_reason``.
    """
    lock_event(section.tournament)
    state = lottery_of(section, index)
    _check_free(state, reason)
    if state.obstacle is not None:
        raise state.obstacle
    standing = standing_of(section)
    if standing.obstacles or any(one.differs for one in standing.own_lists if one.section.pk == section.pk):
        raise TourneyError("lottery.list_outdated", section=section.title_text)
    if not state.holders or state.published is None:
        raise TourneyError("lottery.no_tickets")
    single = len(state.holders) == 1
    lot = commit_lot(
        section.tournament,
        purpose=Lot.Purpose.LOTTERY,
        subject=subject_of(section, index),
        kind="pick",
        entrants=[holder.label for holder in state.holders],
        k=min(state.lottery.winners, len(state.holders)),
        entropy=NOBODY_ELSE if single else entropy,
        actor=actor,
    )
    draw = Draw.objects.create(
        section=section,
        index=index,
        placement_list=state.published,
        lot=lot,
        minor=state.lottery.amount.minor,
        currency=state.lottery.amount.currency,
        winners=state.lottery.winners,
    )
    Ticket.objects.bulk_create(
        Ticket(draw=draw, entry=holder.entry, place=holder.place, label=holder.label) for holder in state.holders
    )
    log(
        section.tournament,
        "prizes.draw_committed",
        actor=actor,
        reason=reason,
        section=section.code,
        lottery=index + 1,
        number=lot.number,
        tickets=len(state.holders),
    )
    if single:
        decide(draw, [], actor)
    return draw


def _check_free(state: LotteryState, reason: str) -> None:
    current = state.current
    if current is None:
        return
    if not is_decided(current):
        raise TourneyError("lottery.draw_open", number=current.lot.number)
    if not state.is_outdated:
        raise TourneyError("lottery.already_drawn", number=current.lot.number)
    if not reason.strip():
        raise TourneyError("lottery.second_needs_reason", number=current.lot.number)


@transaction.atomic
def reveal_draw(tournament: Tournament, draw_id: int, *, numbers: Sequence[tuple[str, str]], actor: Any) -> Draw:
    """Decide a draw with the numbers people gave, in the order they were read out: pairs of who and number.

    A ticket holder is known by the label of the ticket (two may have one name), a witness by the name. Every ticket
    holder gives one, or at least three people do. Raises TourneyError ``lottery.unknown_draw``,
    ``draw.already_decided``, ``lottery.bad_number``, ``lottery.nameless_number``, ``lottery.too_few_numbers``,
    ``lottery.number_given``, ``lottery.has_its_moment``, ``lottery.tickets_changed``.
    """
    lock_event(tournament)
    draw = draw_of(tournament, draw_id)
    given = [(who.strip(), number.strip()) for who, number in numbers if who.strip() or number.strip()]
    if draw.scheduled_at is not None:
        raise TourneyError("lottery.has_its_moment", number=draw.lot.number)
    for who, number in given:
        check_number(who, number)
    needed = numbers_needed(draw)
    people = Counter(who for who, _number in given)
    if len(people) < needed:
        raise TourneyError("lottery.too_few_numbers", given=len(people), needed=needed)
    for who, times in people.items():
        if times > 1:
            raise TourneyError("lottery.number_given", who=who)
    decide(draw, [{"who": who, "number": number} for who, number in given], actor)
    return draw


def check_number(who: str, number: str) -> None:
    """Refuse a number without a name, and what is no number. Raises TourneyError as `reveal_draw`."""
    if not who:
        raise TourneyError("lottery.nameless_number", number=number)
    if not _NUMBER.fullmatch(number):
        raise TourneyError("lottery.bad_number", who=who, number=number)


def decide(draw: Draw, entropy: list[dict[str, str]], actor: Any) -> None:
    """Let the numbers decide a draw, and work the awards out again; the caller holds the event's lock.

    Raises TourneyError ``lottery.tickets_changed`` when the tickets have changed hands since it was announced.
    """
    if lottery_of(draw.section, draw.index).is_outdated:
        raise TourneyError("lottery.tickets_changed", number=draw.lot.number)
    outcome = reveal_lot(draw.lot, entropy=entropy, actor=actor)
    Ticket.objects.filter(draw=draw, label__in=outcome.result).update(won=True)
    draw.lot.refresh_from_db()
    rebuild_awards(draw.section)
    log(
        draw.section.tournament,
        "prizes.draw_decided",
        actor=actor,
        section=draw.section.code,
        lottery=draw.index + 1,
        number=draw.lot.number,
        winners=", ".join(outcome.result),
    )


@transaction.atomic
def void_draw(tournament: Tournament, draw_id: int, *, reason: str, actor: Any) -> Draw:
    """Drop a draw that was announced and not decided. Raises as `void_lot`, and ``lottery.unknown_draw``."""
    lock_event(tournament)
    draw = draw_of(tournament, draw_id)
    void_lot(draw.lot, reason=reason, actor=actor)
    draw.lot.refresh_from_db()
    log(
        tournament,
        "prizes.draw_void",
        actor=actor,
        reason=reason,
        section=draw.section.code,
        lottery=draw.index + 1,
        number=draw.lot.number,
    )
    return draw


def lock_event(tournament: Tournament) -> None:
    """Take the lock of the event's chain of draws before anything is looked at."""
    Tournament.objects.select_for_update(no_key=True).get(pk=tournament.pk)


def draw_of(tournament: Tournament, draw_id: int) -> Draw:
    """Return a draw that can still be decided. Raises ``lottery.unknown_draw``, ``draw.already_decided``."""
    draw = (
        Draw.objects.select_related("lot__outcome", "section")
        .filter(pk=draw_id, section__tournament=tournament)
        .first()
    )
    if draw is None:
        raise TourneyError("lottery.unknown_draw")
    draw.section.tournament = tournament
    if is_void(draw) or is_decided(draw):
        raise TourneyError("draw.already_decided", number=draw.lot.number)
    return draw
