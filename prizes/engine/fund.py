"""The event's fund: fees and other income in, prizes and expenses out, and from how many players on it is covered."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum

from prizes.engine.allocation import PrizeList, Unplayed
from prizes.engine.lottery import Lottery
from tourney.kernel.errors import TourneyError
from tourney.kernel.money import Money, total


class FlowKind(StrEnum):
    """What a line of the fund is."""

    FEES = "fees"
    SPONSOR = "sponsor"
    SUBSIDY = "subsidy"
    INCOME = "income"
    PRIZES = "prizes"
    LOTTERIES = "lotteries"
    EXPENSE = "expense"

    @property
    def is_income(self) -> bool:
        return self in (FlowKind.FEES, FlowKind.SPONSOR, FlowKind.SUBSIDY, FlowKind.INCOME)


@dataclass(frozen=True, slots=True)
class Flow:
    """One line: amounts are never negative, the kind says the direction."""

    kind: FlowKind
    amount: Money
    label: str = ""


@dataclass(frozen=True, slots=True)
class Balance:
    """The fund in totals; `by_kind` has every kind that occurs, in the order of `FlowKind`."""

    income: Money
    outgo: Money
    by_kind: tuple[tuple[FlowKind, Money], ...]

    @property
    def left(self) -> Money:
        return self.income - self.outgo


def balance(flows: Iterable[Flow], currency: str) -> Balance:
    """Return the balance of a fund. Raises TourneyError ``fund.negative_line``."""
    lines = list(flows)
    for line in lines:
        if line.amount.minor < 0:
            raise TourneyError("fund.negative_line", label=line.label, amount=str(line.amount))
    sums = [
        (kind, total((line.amount for line in lines if line.kind is kind), currency))
        for kind in FlowKind
        if any(line.kind is kind for line in lines)
    ]
    income = total((amount for kind, amount in sums if kind.is_income), currency)
    outgo = total((amount for kind, amount in sums if not kind.is_income), currency)
    return Balance(income, outgo, tuple(sums))


def break_even(outgo: Money, fee: Money, other_income: Money | None = None) -> int | None:
    """Return how many players at that fee cover the outgo (0: other income does alone; None: a fee of nothing)."""
    missing = outgo.minor - (other_income.minor if other_income else 0)
    if missing <= 0:
        return 0
    return -(-missing // fee.minor) if fee.minor > 0 else None


def promised(prizes: Sequence[PrizeList], lotteries: Sequence[Lottery], players: int, currency: str) -> Money:
    """Return what a field of that size is promised: places it hasn't got cost nothing, unless their prizes move up.

    A lottery is paid as often as it has tickets, and at most to its number of winners.
    """
    amounts = [
        money
        for prize in prizes
        for place, money in prize.places.items()
        if place <= players or (prize.unplayed is Unplayed.MOVES and players)
    ]
    for lottery in lotteries:
        held = sum(1 for place in lottery.places if place <= players)
        amounts += [lottery.amount] * min(lottery.winners, held)
    return total(amounts, currency)


@dataclass(frozen=True, slots=True)
class Cover:
    """From which head-count on one fee covers everything; None when no field up to the capacity does."""

    fee: Money
    players: int | None


@dataclass(frozen=True, slots=True)
class FundCheck:
    """Whether promises and fees fit each other. `safe`: covered at every head-count, so nothing to warn about."""

    promised: Money  # with a full field
    other_income: Money
    covers: tuple[Cover, ...]
    safe: bool


def check_fund(
    prizes: Sequence[PrizeList],
    lotteries: Sequence[Lottery],
    *,
    fees: Sequence[Money],
    capacity: int,
    currency: str,
    other_income: Money | None = None,
    expenses: Money | None = None,
) -> FundCheck:
    """Return from which number of players on the fund is covered, for every fee somebody may pay.

    `fees` are the possible fees (the early one, the full one); the answer holds if everybody paid that fee.
    """
    other = other_income or Money(0, currency)
    spent = expenses or Money(0, currency)

    def covered(fee: Money, players: int) -> bool:
        outgo = promised(prizes, lotteries, players, currency) + spent
        return other.minor + fee.minor * players >= outgo.minor

    covers = []
    for fee in fees:
        first: int | None = None
        for players in range(capacity, 0, -1):
            if not covered(fee, players):
                break
            first = players
        covers.append(Cover(fee, first))
    full = promised(prizes, lotteries, capacity, currency) + spent
    return FundCheck(full, other, tuple(covers), all(cover.players == 1 for cover in covers))
