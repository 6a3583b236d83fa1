"""Lines of the fund beside the fees: sponsors, subsidies, expenses (M10.7). A mistake gets a counter-line."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.db import IntegrityError, transaction
from django.utils import timezone

from prizes.engine.rules import PrizeRules
from prizes.models import FundLine, PrizePot
from prizes.selectors.fund import fund_of
from prizes.selectors.prize_rules import prize_rules
from tourney.kernel.errors import TourneyError
from tourney.kernel.money import Money
from tourney.models import Tournament
from tourney.services.log import log


def add_line(
    tournament: Tournament, *, kind: str, label: str, amount: Money, actor: Any, operation: UUID | None = None
) -> FundLine:
    """Add a line; the amount is above zero, the kind says the direction. The same form sent twice adds one line.

    Raises TourneyError ``fund.unknown_kind``, ``fund.label_missing``, ``fund.amount_above_zero``, ``fund.currency``.
    """
    if kind not in FundLine.Kind.values:
        raise TourneyError("fund.unknown_kind")
    if not label.strip():
        raise TourneyError("fund.label_missing")
    if amount.minor <= 0:
        raise TourneyError("fund.amount_above_zero")
    if amount.currency != tournament.currency:
        raise TourneyError("fund.currency", currency=tournament.currency)
    sign = -1 if kind == FundLine.Kind.EXPENSE else 1
    if operation is not None:
        known = FundLine.objects.filter(operation=operation, tournament=tournament).first()
        if known is not None:
            return known
    with transaction.atomic():
        line = FundLine.objects.create(
            tournament=tournament,
            kind=kind,
            label=label.strip(),
            minor=sign * amount.minor,
            currency=amount.currency,
            by=actor if getattr(actor, "is_authenticated", False) else None,
            at=timezone.now(),
            operation=operation,
        )
        log(tournament, "prizes.fund_line", actor=actor, line=line.pk, what=line.label, amount=str(amount), kind=kind)
    return line


def reverse_line(tournament: Tournament, line_id: int, *, actor: Any, reason: str) -> FundLine:
    """Take a line back by its opposite. Raises TourneyError ``fund.gone``, ``fund.already_reversed``,
    ``fund.reason_needed``.
    """
    line = FundLine.objects.filter(pk=line_id, tournament=tournament, reverses=None).first()
    if line is None:
        raise TourneyError("fund.gone")
    if not reason.strip():
        raise TourneyError("fund.reason_needed")
    try:
        with transaction.atomic():
            opposite = FundLine.objects.create(
                tournament=tournament,
                kind=line.kind,
                label=line.label,
                minor=-line.minor,
                currency=line.currency,
                reverses=line,
                by=actor if getattr(actor, "is_authenticated", False) else None,
                at=timezone.now(),
            )
            log(tournament, "prizes.fund_line_reversed", actor=actor, reason=reason, line=line.pk, what=line.label)
    except IntegrityError as error:
        raise TourneyError("fund.already_reversed") from error
    return opposite


def fix_pots(tournament: Tournament) -> PrizeRules:
    """Fix what percentage prizes are shares of, unless that was done before; return the rules with their amounts.

    It happens with the first places of an event: from then on nobody's prize changes with the takings.
    """
    rules = prize_rules(tournament)
    if all(prize.places for prize in rules.prizes):
        return rules
    for pot in fund_of(tournament).pots:
        PrizePot.objects.get_or_create(
            tournament=tournament,
            base=pot.base.value,
            defaults={"minor": pot.amount.minor, "currency": pot.amount.currency, "at": timezone.now()},
        )
    return prize_rules(tournament)
