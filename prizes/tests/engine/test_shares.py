"""Percentage prizes, several lists for one player, and sums that are exact whatever the ties and the rules."""

from __future__ import annotations

from collections.abc import Mapping

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from prizes.engine.allocation import Award, Base, Field, PrizeList, Several, Ties, Unplayed, allocate
from prizes.engine.placings import Placing
from prizes.engine.shares import amounts, percent_promised, resolved
from prizes.tests.engine.test_allocation import field_of, fields, money_list, paid, uah
from tourney.kernel.ids import EntryId
from tourney.kernel.money import Money, total

GIRLS = {EntryId(2), EntryId(4)}


def percent_list(percent: Mapping[int, int], **rules: object) -> PrizeList:
    return PrizeList({}, "UAH", percent=dict(percent), **rules)  # type: ignore[arg-type]


# -- percent ---------------------------------------------------------------------------------------------------------


def test_percent_of_the_fees_become_amounts_that_add_up() -> None:
    (prize,) = resolved([percent_list({1: 50, 2: 30, 3: 20})], {Base.FEES: Money(100_001, "UAH")})

    assert [money.minor for money in prize.places.values()] == [50_001, 30_000, 20_000]
    assert prize.total == Money(100_001, "UAH")


def test_whole_units_leave_what_does_not_divide_in_the_fund() -> None:
    shares = amounts(percent_list({1: 40, 2: 30, 3: 20}, unit=100), Money(123_456, "UAH"))

    assert [money.minor for money in shares.values()] == [49_400, 37_000, 24_700]
    assert sum(money.minor for money in shares.values()) == 123_456 * 90 // 100 // 100 * 100


def test_a_pot_below_nothing_pays_nothing() -> None:
    (prize,) = resolved([percent_list({1: 50}, base=Base.LEFT)], {Base.LEFT: uah(-10)})

    assert allocate(field_of(1, 2), [prize]) == ()


def test_a_list_whose_pot_is_not_known_stays_as_it_is() -> None:
    prize = percent_list({1: 50}, base=Base.INCOME)

    assert resolved([prize], {Base.FEES: uah(100)}) == (prize,)
    assert prize.numbers == (1,)


def test_groups_share_one_pot() -> None:
    lists = [percent_list({1: 30, 2: 10}), percent_list({1: 5}, sections=("a",)), money_list({1: 100})]

    assert percent_promised(lists, ["a", "b", "c"]) == {Base.FEES: 3 * 40 + 5}


@given(
    percents=st.dictionaries(st.integers(1, 40), st.integers(1, 100), min_size=1, max_size=10),
    pot=st.integers(0, 10**9),
    unit=st.sampled_from([1, 5, 100]),
)
def test_percentages_pay_their_part_of_the_pot_to_the_unit(percents: dict[int, int], pot: int, unit: int) -> None:
    prize = percent_list(percents, unit=unit)

    shares = amounts(prize, Money(pot, "UAH"))

    whole = sum(percents.values())
    paid_out = total(shares.values(), "UAH").minor
    assert paid_out == pot * whole // 100 // unit * unit
    assert all(money.minor % unit == 0 for money in shares.values())
    assert all(abs(shares[place].minor - paid_out * percent / whole) < unit for place, percent in percents.items())


# -- several prizes --------------------------------------------------------------------------------------------------


def best(values: dict[int, int], **rules: object) -> PrizeList:
    return money_list(values, several=Several.BEST, **rules)


def test_the_most_valuable_prize_counts_and_the_next_player_moves_up() -> None:
    field = Field(field_of(1, 2, 3, 4), "main", {"girls": GIRLS})

    awards = allocate(field, [best({1: 1000, 2: 400, 3: 200}), best({1: 500, 2: 100}, category="girls")])

    # Player 2 takes the girls' first prize, so player 3 gets the second prize of the group and 4 the third one.
    assert paid(awards) == {1: 100_000, 2: 50_000, 3: 40_000, 4: 20_000}
    third = next(award for award in awards if award.entry == 3)
    assert (third.place, third.prize_place) == (3, 2)
    assert len(awards) == 4  # player 4 takes 200 for the third place, not 100 as the second girl


def test_a_player_who_moves_up_may_choose_better_then() -> None:
    # Once player 1 takes list A, player 2 holds the first prize of B, which beats what he has in A.
    field = Field(field_of(1, 2, 3), "main", {"b": {EntryId(1), EntryId(2)}})

    awards = allocate(field, [best({1: 500, 2: 350}), best({1: 400, 2: 300}, category="b")])

    assert paid(awards) == {1: 50_000, 2: 40_000, 3: 35_000}


def test_of_equal_prizes_the_earlier_list_counts() -> None:
    field = Field(field_of(1, 2), "main", {"b": {EntryId(1), EntryId(2)}})

    awards = allocate(field, [best({1: 100}), best({1: 100}, category="b")])

    assert [(award.entry, award.category) for award in awards] == [(1, ""), (2, "b")]


def test_lists_outside_the_rule_are_paid_beside_it() -> None:
    field = Field(field_of(1, 2), "main", {"b": {EntryId(1), EntryId(2)}})

    awards = allocate(field, [best({1: 100}), best({1: 80}, category="b"), money_list({1: 10})])

    assert paid(awards) == {1: 11_000, 2: 8_000}


@st.composite
def sections(draw: st.DrawFn) -> tuple[Field, list[PrizeList]]:
    """Return a field with categories, and lists of every kind about them."""
    placings = draw(fields())
    everybody = [placing.entry for placing in placings]
    categories = {code: {entry for entry in everybody if draw(st.booleans())} for code in ("girls", "young")}
    lists = []
    for category in draw(st.lists(st.sampled_from(["", "girls", "young"]), min_size=1, max_size=4)):
        values = draw(st.dictionaries(st.integers(1, 12), st.integers(1, 5_003), min_size=1, max_size=6))
        ordered = dict(zip(sorted(values), sorted(values.values(), reverse=True), strict=True))
        lists.append(
            PrizeList(
                {place: Money(value, "UAH") for place, value in ordered.items()},
                "UAH",
                ties=draw(st.sampled_from(Ties)),
                unplayed=draw(st.sampled_from(Unplayed)),
                several=draw(st.sampled_from(Several)),
                unit=draw(st.sampled_from([1, 5, 100])),
                category=category,
            )
        )
    return Field(placings, "main", categories), lists


@settings(suppress_health_check=[HealthCheck.too_slow], deadline=None, max_examples=300)
@given(case=sections())
def test_sums_are_exact_under_every_rule(case: tuple[Field, list[PrizeList]]) -> None:
    field, lists = case

    awards = allocate(field, lists)

    for index, prize in enumerate(lists):
        listed = len(field.list_of(prize.category))
        of_list = [award for award in awards if award.index == index]
        given_out = sum(award.amount.minor for award in of_list if award.amount)
        others = {award.entry for award in awards if award.index != index}
        held = listed if prize.several is Several.ALL else listed - len(others)
        assert given_out <= prize.total.minor
        # Every place that somebody can hold is paid to the last unit, whoever was passed over.
        assert given_out >= sum(money.minor for place, money in prize.places.items() if place <= held)
        if prize.several is Several.ALL:
            kept = sum(m.minor for place, m in prize.places.items() if place > listed)
            exact = prize.unplayed is Unplayed.KEPT
            assert given_out == prize.total.minor - kept if exact else given_out >= prize.total.minor - kept


@settings(suppress_health_check=[HealthCheck.too_slow], deadline=None, max_examples=300)
@given(case=sections())
def test_nobody_has_two_prizes_of_lists_that_give_only_the_best(case: tuple[Field, list[PrizeList]]) -> None:
    field, lists = case

    awards = [award for award in allocate(field, lists) if lists[award.index].several is Several.BEST]

    assert len({award.entry for award in awards}) == len(awards)


@st.composite
def clear_cases(draw: st.DrawFn) -> tuple[Field, list[PrizeList]]:
    """Return fields without ties and lists in which no two prizes are worth the same."""
    size = draw(st.integers(1, 12))
    placings = tuple(Placing(EntryId(number), number) for number in range(1, size + 1))
    categories = {code: {p.entry for p in placings if draw(st.booleans())} for code in ("girls", "young")}
    worth = iter(draw(st.permutations(range(1, 40))))
    lists = []
    for category in ("", "girls", "young"):
        count = draw(st.integers(1, 4))
        values = sorted((next(worth) for _ in range(count)), reverse=True)
        lists.append(
            PrizeList(
                {place: Money(value, "UAH") for place, value in enumerate(values, start=1)},
                "UAH",
                several=Several.BEST,
                category=category,
            )
        )
    return Field(placings, "main", categories), lists


def by_value(field: Field, lists: list[PrizeList]) -> dict[int, int]:
    """Return the same by another way: prizes from the most valuable down, each to the best who has none yet."""
    found: dict[int, int] = {}
    prizes = sorted(
        ((money.minor, index) for index, prize in enumerate(lists) for money in prize.places.values()), reverse=True
    )
    for minor, index in prizes:
        for placing in field.list_of(lists[index].category):
            if placing.entry not in found:
                found[placing.entry] = minor
                break
    return found


@settings(deadline=None, max_examples=400)
@given(case=clear_cases())
def test_the_most_valuable_prizes_are_given_out_from_the_top(case: tuple[Field, list[PrizeList]]) -> None:
    field, lists = case

    assert paid(allocate(field, lists)) == by_value(field, lists)


@pytest.mark.parametrize("several", list(Several))
def test_every_rule_gives_a_single_list_unchanged(several: Several) -> None:
    awards: tuple[Award, ...] = allocate(field_of(1, 2, 2), [money_list({1: 100, 2: 50, 3: 25}, several=several)])

    assert paid(awards) == {1: 10_000, 2: 3_750, 3: 3_750}
