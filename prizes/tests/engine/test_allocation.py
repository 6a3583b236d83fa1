"""Prize money and things for final places."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from prizes.engine.allocation import (
    Award,
    AwardRule,
    Field,
    PrizeList,
    Several,
    Source,
    Ties,
    Unplayed,
    allocate,
    handed_out,
    not_awarded,
    split,
)
from prizes.engine.placings import Placing, in_order, moved_up, placings_of, settled
from prizes.engine.ranking import rank
from prizes.tests.engine.builders import stage
from tourney.kernel.errors import TourneyError
from tourney.kernel.ids import EntryId
from tourney.kernel.money import Money, total

KYIV_AMOUNTS = {1: 5000, 2: 2000, 3: 1000, 4: 700, 5: 600, 7: 500, 9: 400, 13: 300, 17: 200, 25: 150}


def uah(major: int) -> Money:
    return Money(100 * major, "UAH")


def money_list(amounts: dict[int, int], **settings: object) -> PrizeList:
    return PrizeList({place: uah(amount) for place, amount in amounts.items()}, "UAH", **settings)  # type: ignore[arg-type]


def field_of(*places: int, levels: tuple[int, ...] = ()) -> tuple[Placing, ...]:
    """Return entries 1, 2, 3 … with these places, and with these points when given."""
    return tuple(
        Placing(EntryId(index + 1), place, levels[index] if levels else None) for index, place in enumerate(places)
    )


def paid(awards: tuple[Award, ...]) -> dict[int, int]:
    """Return entry -> minor units."""
    result: dict[int, int] = {}
    for award in awards:
        result[award.entry] = result.get(award.entry, 0) + (award.amount.minor if award.amount else 0)
    return result


@pytest.mark.clause("K8.2")
def test_knockout_prizes_go_to_ten_places() -> None:
    awards = allocate(field_of(*range(1, 33)), [money_list(KYIV_AMOUNTS, clause="8.2")])

    assert paid(awards) == {place: 100 * amount for place, amount in KYIV_AMOUNTS.items()}
    assert awards[0] == Award(EntryId(1), 1, Source.PLACE, uah(5000), (), "", "8.2", 0)
    assert sum(paid(awards).values()) == 1_085_000


def test_shared_place_shares_what_its_places_pay() -> None:
    awards = allocate(field_of(1, 2, 2, 4), [money_list({1: 100, 2: 50, 3: 25, 4: 10})])

    assert paid(awards) == {1: 10_000, 2: 3_750, 3: 3_750, 4: 1_000}


def test_equal_sharing_pools_the_prizes_of_all_level_on_points() -> None:
    prize = money_list({1: 100, 2: 50, 3: 25}, ties=Ties.EQUAL)

    awards = allocate(field_of(1, 2, 3, 4, levels=(8, 7, 7, 7)), [prize])

    assert paid(awards) == {1: 10_000, 2: 2_500, 3: 2_500, 4: 2_500}


def test_hort_pays_half_by_place_and_half_evenly() -> None:
    prize = money_list({1: 600, 2: 400, 3: 200}, ties=Ties.HORT)

    awards = allocate(field_of(1, 2, 3, levels=(9, 9, 9)), [prize])

    assert paid(awards) == {1: 50_000, 2: 40_000, 3: 30_000}


def test_whole_units_leave_the_rest_to_the_better_place() -> None:
    prize = money_list({1: 100, 2: 0, 3: 0}, ties=Ties.EQUAL, unit=100)

    awards = allocate(field_of(1, 2, 3, levels=(9, 9, 9)), [prize])

    assert paid(awards) == {1: 3_400, 2: 3_300, 3: 3_300}


def test_category_prize_goes_to_the_best_of_the_category() -> None:
    girls = money_list({1: 80, 2: 40}, category="girls")
    field = Field(field_of(1, 2, 3, 4, 5), "main", {"girls": {EntryId(3), EntryId(5)}})

    awards = allocate(field, [girls])

    assert awards == (
        Award(EntryId(3), 1, Source.CATEGORY, uah(80), (), "girls"),
        Award(EntryId(5), 2, Source.CATEGORY, uah(40), (), "girls"),
    )
    assert allocate(Field(field.placings, "main"), [girls]) == ()


def test_one_prize_for_each_player_lets_the_next_move_up() -> None:
    main = money_list({1: 100, 2: 60})
    girls = money_list({1: 50}, category="girls", several=Several.EARLIER)
    field = Field(field_of(1, 2, 3, 4), "main", {"girls": {EntryId(2), EntryId(4)}})

    assert paid(allocate(field, [main, girls])) == {1: 10_000, 2: 6_000, 4: 5_000}


def test_list_for_other_sections_pays_nothing_here() -> None:
    assert allocate(Field(field_of(1, 2), "a"), [money_list({1: 10}, sections=("b",))]) == ()


def test_prize_of_a_place_not_played_stays_or_moves() -> None:
    field = field_of(*range(1, 7))
    kept = money_list({1: 100, 5: 50, 7: 40, 9: 30})
    moves = money_list({1: 100, 5: 50, 7: 40, 9: 30}, unplayed=Unplayed.MOVES)

    assert paid(allocate(field, [kept])) == {1: 10_000, 5: 5_000}
    assert not_awarded(field, kept) == {7: uah(40), 9: uah(30)}
    assert paid(allocate(field, [moves])) == {1: 10_000, 4: 3_000, 5: 5_000, 6: 4_000}
    assert not_awarded(field, moves) == {}
    assert not_awarded(field[:1], moves) == {9: uah(120)}


@pytest.mark.clause("M9.1")
def test_things_go_to_the_first_three_and_are_never_halved() -> None:
    rules = [
        AwardRule(1, ("cup", "diploma", "medal")),
        AwardRule(2, ("diploma", "medal")),
        AwardRule(3, ("diploma", "medal")),
    ]

    awards = allocate(field_of(1, 2, 2, 4), things=rules)

    assert [(award.entry, award.place, award.things) for award in awards] == [
        (1, 1, ("cup", "diploma", "medal")),
        (2, 2, ("diploma", "medal")),
        (3, 2, ("diploma", "medal")),
    ]


@pytest.mark.clause("M9.3")
def test_absent_winner_gets_nothing_without_a_representative() -> None:
    awards = allocate(field_of(1, 2), things=[AwardRule(1, ("cup",)), AwardRule(2, ("medal",))])

    assert [award.entry for award in handed_out(awards, {EntryId(1)})] == [2]
    assert [award.entry for award in handed_out(awards, {EntryId(1)}, {EntryId(1)})] == [1, 2]


@pytest.mark.clause("M7.9")
def test_prizes_after_a_disqualification_follow_the_new_places() -> None:
    prize = money_list({1: 100, 2: 50})

    after = moved_up(field_of(1, 2, 2, 4), {EntryId(1)})

    assert [(placing.entry, placing.place) for placing in after] == [(2, 1), (3, 1), (4, 3)]
    assert paid(allocate(after, [prize])) == {2: 7_500, 3: 7_500}


def test_placings_come_from_standings_with_the_points_as_level() -> None:
    ranking = rank(stage("1 2 1-0; 3 4 1-0", "1 3 1-0; 2 4 1-0"), ["PTS", "BPG"])

    assert placings_of(ranking) == (
        Placing(EntryId(1), 1, 4),
        Placing(EntryId(2), 2, 2),
        Placing(EntryId(3), 2, 2),
        Placing(EntryId(4), 4, 0),
    )


def test_places_with_a_gap_or_a_doubled_entry_are_refused() -> None:
    with pytest.raises(TourneyError, match=r"placing\.gap"):
        in_order([(EntryId(1), 1), (EntryId(2), 3)])
    with pytest.raises(TourneyError, match=r"placing\.entry_twice"):
        in_order([(EntryId(1), 1), (EntryId(1), 2)])


def test_settling_names_exactly_the_holders_of_one_place() -> None:
    with pytest.raises(TourneyError, match=r"placing\.not_one_group"):
        settled(field_of(1, 2, 2), [[EntryId(2)]])


@st.composite
def fields(draw: st.DrawFn) -> tuple[Placing, ...]:
    """Return a field with any pattern of shared places and of points."""
    size = draw(st.integers(0, 24))
    placings: list[Placing] = []
    level = 100
    for index in range(size):
        shares = bool(placings) and draw(st.booleans())
        if not shares and draw(st.booleans()):
            level -= 1
        place = placings[-1].place if shares else index + 1
        placings.append(Placing(EntryId(index + 1), place, level))
    return tuple(placings)


@settings(suppress_health_check=[HealthCheck.too_slow], deadline=None)
@given(
    placings=fields(),
    amounts=st.dictionaries(st.integers(1, 30), st.integers(0, 10_007), max_size=12),
    ties=st.sampled_from(Ties),
    unplayed=st.sampled_from(Unplayed),
    unit=st.sampled_from([1, 5, 100]),
)
def test_every_list_pays_exactly_what_it_promised(
    placings: tuple[Placing, ...], amounts: dict[int, int], ties: Ties, unplayed: Unplayed, unit: int
) -> None:
    money = {place: Money(amount, "UAH") for place, amount in amounts.items()}
    prize = PrizeList(money, "UAH", ties=ties, unplayed=unplayed, unit=unit)

    awards = allocate(placings, [prize])

    kept = total(not_awarded(placings, prize).values(), "UAH")
    assert sum(paid(awards).values()) + kept.minor == prize.total.minor
    assert all(award.amount is not None and award.amount.minor > 0 for award in awards)


@settings(suppress_health_check=[HealthCheck.too_slow], deadline=None)
@given(weights=st.lists(st.integers(0, 1000), min_size=1, max_size=12), amount=st.integers(0, 10**9))
def test_split_is_exact_and_within_one_unit(weights: list[int], amount: int) -> None:
    whole = sum(weights) or 1
    shares = [Fraction(amount * weight, whole) for weight in weights] if sum(weights) else [Fraction(0)] * len(weights)
    shares[0] += amount - sum(shares)

    amounts = split(amount, shares)

    assert sum(amounts) == amount
    assert all(abs(got - share) < 1 for got, share in zip(amounts, shares, strict=True))
