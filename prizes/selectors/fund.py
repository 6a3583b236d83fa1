"""The event's fund: fees and other income in, prizes and expenses out, and from how many players on it is covered.

What the fees have brought is known to whoever takes them and asked for through `tourney.panels` (place ``income``).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from django.db.models import Count

from prizes.engine.allocation import Base
from prizes.engine.fund import Balance, Flow, FlowKind, balance, break_even, promised
from prizes.engine.rules import PrizeRules
from prizes.engine.shares import resolved
from prizes.models import FundLine, PrizePot
from prizes.selectors.awards import AwardsOfEvent, awards_of
from prizes.selectors.draws import lotteries_of
from prizes.selectors.prize_rules import prize_rules
from registration.engine import fees
from tourney import panels
from tourney.kernel.money import Money, total
from tourney.models import Entry, PlacementList, Tournament
from tourney.selectors import current_spec

FLOWS = {
    FundLine.Kind.SPONSOR: FlowKind.SPONSOR,
    FundLine.Kind.SUBSIDY: FlowKind.SUBSIDY,
    FundLine.Kind.OTHER_INCOME: FlowKind.INCOME,
    FundLine.Kind.EXPENSE: FlowKind.EXPENSE,
}


@dataclass(frozen=True, slots=True)
class Income:
    """One line of what players pay: what has come in, and what is still owed."""

    label: Any
    received: Money
    due: Money

    @property
    def planned(self) -> Money:
        return self.received + self.due


@dataclass(frozen=True, slots=True)
class Pot:
    """What percentage prizes are shares of. `fixed`: since the first places were published; else as it stands now."""

    base: Base
    amount: Money
    fixed: bool

    @property
    def label(self) -> Any:
        return PrizePot.Base(self.base.value).label


@dataclass(frozen=True, slots=True)
class Fund:
    """The fund twice: as it stands in the cash box, and as it will be when all is paid that is owed and promised."""

    currency: str
    income: tuple[Income, ...]
    lines: tuple[FundLine, ...]
    promised: Money  # all prizes, drawn ones too
    paid: Money  # of these: handed over
    now: Balance
    planned: Balance
    players: int
    fee: Money  # the full one
    break_even: int | None  # players at the full fee that cover prizes and expenses
    estimated: bool  # places of some group are not final, so promised is what the rules say for the field
    pots: tuple[Pot, ...] = ()  # what percentage prizes are shares of

    @property
    def received(self) -> Money:
        return total((one.received for one in self.income), self.currency)

    @property
    def due(self) -> Money:
        return total((one.due for one in self.income), self.currency)

    @property
    def owed(self) -> Money:
        return self.promised - self.paid

    @property
    def left(self) -> Money:
        """What is left of the money received when all prizes are handed out: the balance the public reads (K8.1)."""
        return self.now.income - self.planned.outgo


def fund_of(tournament: Tournament, awards: AwardsOfEvent | None = None) -> Fund:
    """Return the fund of an event. The number of queries does not depend on its size."""
    currency = tournament.currency
    rules, spec = prize_rules(tournament), current_spec(tournament)
    awards = awards or awards_of(tournament)
    income = _income(tournament)
    lines = tuple(FundLine.objects.filter(tournament=tournament).select_related("reverses", "reversed_by", "by"))
    players = _players(tournament)
    pots = _pots(tournament, rules, awards, players, income, lines)
    rules = replace(rules, prizes=resolved(rules.prizes, {pot.base: pot.amount for pot in pots if not pot.fixed}))
    promise, estimated = _promised(tournament, rules, awards, players)
    paid = total((one.money for one in awards.handed if one.money), currency)
    others = [Flow(kind, amount) for kind, amount in _sums(lines, currency).items() if amount]
    received = total((one.received for one in income), currency)
    due = total((one.due for one in income), currency)
    now = balance([Flow(FlowKind.FEES, received), *others, Flow(FlowKind.PRIZES, paid)], currency)
    planned = balance([Flow(FlowKind.FEES, received + due), *others, Flow(FlowKind.PRIZES, promise)], currency)
    _low, full = fees.price_range(fees.parse(spec.block("fees"), currency, spec.time_zone))
    spent = total((flow.amount for flow in others if not flow.kind.is_income), currency)
    other = total((flow.amount for flow in others if flow.kind.is_income), currency)
    return Fund(
        currency,
        income,
        lines,
        promise,
        paid,
        now,
        planned,
        sum(players.values()),
        full,
        break_even(promise + spent, full, other),
        estimated,
        pots,
    )


def _pots(
    tournament: Tournament,
    rules: PrizeRules,
    awards: AwardsOfEvent,
    players: dict[int, int],
    income: tuple[Income, ...],
    lines: tuple[FundLine, ...],
) -> tuple[Pot, ...]:
    """Return the pots percentage prizes are taken of: what is owed counts as paid. No query without such prizes."""
    bases = [base for base in Base if any(prize.percent and prize.base is base for prize in rules.prizes)]
    if not bases:
        return ()
    currency = tournament.currency
    fixed = {Base(pot.base): pot.money for pot in PrizePot.objects.filter(tournament=tournament)}
    sums = _sums(lines, currency)
    earned = total((one.planned for one in income), currency)
    every = earned + total((amount for kind, amount in sums.items() if kind.is_income), currency)
    now = {Base.FEES: earned, Base.INCOME: every}
    if Base.LEFT in bases and Base.LEFT not in fixed:
        unshared = replace(rules, prizes=tuple(prize for prize in rules.prizes if not prize.percent))
        promise, _ = _promised(tournament, unshared, awards, players)
        now[Base.LEFT] = every - sums[FlowKind.EXPENSE] - promise
    return tuple(Pot(base, fixed[base] if base in fixed else now[base], base in fixed) for base in bases)


def _income(tournament: Tournament) -> tuple[Income, ...]:
    rows = panels.collect("income", tournament)
    return tuple(Income(label, received, due) for label, received, due in rows)


def _sums(lines: tuple[FundLine, ...], currency: str) -> dict[FlowKind, Money]:
    """Return the sum of each kind; a line taken back and its counter-line make nothing together."""
    sums = dict.fromkeys(FLOWS.values(), Money(0, currency))
    for line in lines:
        kind = FLOWS[FundLine.Kind(line.kind)]
        sign = 1 if kind.is_income else -1
        sums[kind] = sums[kind] + Money(sign * line.minor, currency)
    return sums


def _players(tournament: Tournament) -> dict[int, int]:
    rows = Entry.objects.filter(tournament=tournament, state__in=Entry.IN_PLAY).order_by().values_list("section")
    return dict(rows.annotate(n=Count("pk")))


def _promised(
    tournament: Tournament, rules: PrizeRules, awards: AwardsOfEvent, players: dict[int, int]
) -> tuple[Money, bool]:
    """Return what all groups together are promised; before the places are final, by the rules and the field."""
    currency = tournament.currency
    amounts = [one.money for one in awards.statuses if one.money]
    final = set(PlacementList.objects.filter(section__tournament=tournament).values_list("section", flat=True))
    estimated = False
    for section in tournament.sections.all():
        size = players.get(section.pk, 0)
        if section.pk in final or not size:
            continue
        prizes = [one for one in rules.prizes if one.serves(section.code)]
        lotteries = [one for one in rules.lotteries if not one.sections or section.code in one.sections]
        amount = promised(prizes, lotteries, size, currency)
        if amount:
            amounts.append(amount)
            estimated = True
    for state in lotteries_of(tournament, rules=rules):
        if state.section.pk in final and state.state in ("ready", "open"):
            amounts += [state.lottery.amount] * min(state.lottery.winners, len(state.holders))
    return total(amounts, currency), estimated
