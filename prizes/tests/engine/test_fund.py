"""The fund: balance, break-even, and the warning about a prize fund the fees can't cover."""

from __future__ import annotations

import pytest

from prizes.engine.allocation import PrizeList, Unplayed
from prizes.engine.fund import Cover, Flow, FlowKind, FundCheck, balance, break_even, check_fund, promised
from prizes.engine.lottery import Lottery
from tourney.kernel.errors import TourneyError
from tourney.kernel.money import Money

AMOUNTS = {1: 5000, 2: 2000, 3: 1000, 4: 700, 5: 600, 7: 500, 9: 400, 13: 300, 17: 200, 25: 150}


def uah(major: int) -> Money:
    return Money(100 * major, "UAH")


PRIZES = [PrizeList({place: uah(amount) for place, amount in AMOUNTS.items()}, "UAH")]
LOTTERIES = [Lottery((11, 15), uah(200)), Lottery((19, 21), uah(150)), Lottery((23, 27, 29, 31), uah(100))]


@pytest.mark.clause("K8.1")
def test_balance_sets_fees_against_prizes() -> None:
    found = balance(
        [
            Flow(FlowKind.FEES, uah(500), "a"),
            Flow(FlowKind.PRIZES, uah(700)),
            Flow(FlowKind.FEES, uah(600), "b"),
            Flow(FlowKind.LOTTERIES, uah(100)),
        ],
        "UAH",
    )

    assert (found.income, found.outgo, found.left) == (uah(1100), uah(800), uah(300))
    assert found.by_kind == (
        (FlowKind.FEES, uah(1100)),
        (FlowKind.PRIZES, uah(700)),
        (FlowKind.LOTTERIES, uah(100)),
    )


@pytest.mark.clause("M10.7")
def test_sponsors_and_expenses_stand_beside_the_fees() -> None:
    found = balance(
        [
            Flow(FlowKind.FEES, uah(1000)),
            Flow(FlowKind.SPONSOR, uah(5000), "bank"),
            Flow(FlowKind.SUBSIDY, uah(2000), "ministry"),
            Flow(FlowKind.INCOME, uah(10), "tea"),
            Flow(FlowKind.EXPENSE, uah(9000), "hall"),
        ],
        "UAH",
    )

    assert (found.income, found.outgo, found.left) == (uah(8010), uah(9000), -uah(990))


def test_negative_line_is_refused() -> None:
    with pytest.raises(TourneyError, match=r"fund\.negative_line"):
        balance([Flow(FlowKind.EXPENSE, -uah(1), "hall")], "UAH")


@pytest.mark.clause("K8.1")
def test_break_even_is_23_early_or_19_full_payers() -> None:
    outgo = promised(PRIZES, LOTTERIES, 32, "UAH")

    assert outgo == uah(11_300)
    assert (break_even(outgo, uah(500)), break_even(outgo, uah(600))) == (23, 19)
    assert break_even(outgo, uah(500), other_income=uah(11_300)) == 0
    assert break_even(outgo, uah(0)) is None


@pytest.mark.clause("K8.1")
def test_check_names_the_number_of_players_from_which_the_fund_is_covered() -> None:
    check = check_fund(PRIZES, LOTTERIES, fees=[uah(500), uah(600)], capacity=32, currency="UAH")

    assert check == FundCheck(uah(11_300), uah(0), (Cover(uah(500), 23), Cover(uah(600), 19)), safe=False)


def test_check_of_a_fund_no_field_can_cover() -> None:
    check = check_fund(PRIZES, LOTTERIES, fees=[uah(100)], capacity=32, currency="UAH")

    assert (check.covers, check.safe) == ((Cover(uah(100), None),), False)


def test_check_is_content_when_sponsors_pay_for_everything() -> None:
    check = check_fund(
        PRIZES,
        LOTTERIES,
        fees=[uah(0)],
        capacity=32,
        currency="UAH",
        other_income=uah(12_000),
        expenses=uah(700),
    )

    assert check.safe
    assert check.covers == (Cover(uah(0), 1),)


def test_small_field_is_promised_only_what_it_can_win() -> None:
    moves = [PrizeList({1: uah(100), 9: uah(50)}, "UAH", unplayed=Unplayed.MOVES)]

    assert promised(PRIZES, LOTTERIES, 12, "UAH") == uah(5000 + 2000 + 1000 + 700 + 600 + 500 + 400 + 200)
    assert promised(moves, [], 3, "UAH") == uah(150)
    assert promised(PRIZES, LOTTERIES, 0, "UAH") == uah(0)
