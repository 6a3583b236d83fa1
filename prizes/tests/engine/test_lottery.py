"""Lotteries among places, and the promise that every odd place of the knockout has a prize or a ticket."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from prizes.engine.allocation import Award, PrizeList, Source, allocate
from prizes.engine.lottery import (
    Lottery,
    Ticket,
    awards_of_draw,
    manifest,
    places_served_twice,
    places_without_anything,
    tickets,
)
from prizes.engine.placings import Placing, in_order
from prizes.engine.rules import parse_rules
from tourney.kernel import regulation
from tourney.kernel.chance import Transcript, verify
from tourney.kernel.errors import TourneyError
from tourney.kernel.ids import EntryId
from tourney.kernel.money import Money, total
from tourney.kernel.paths import set_at
from tourney.presets import preset

PRIZES = PrizeList({place: Money(100, "UAH") for place in (1, 2, 3, 4, 5, 7, 9, 13, 17, 25)}, "UAH")
FIRST = Lottery((11, 15), Money(20_000, "UAH"), clause="8.3")
SECOND = Lottery((19, 21), Money(15_000, "UAH"), clause="8.3")
THIRD = Lottery((23, 27, 29, 31), Money(10_000, "UAH"), clause="8.3")
FULL = in_order((EntryId(100 + place), place) for place in range(1, 33))
LABELS = {placing.entry: f"Player {placing.entry}" for placing in FULL}


def field_of(*places: int) -> tuple[Placing, ...]:
    return in_order((EntryId(100 + index), place) for index, place in enumerate(places, start=1))


@pytest.mark.clause("K8.3")
def test_every_odd_place_has_a_prize_or_a_ticket() -> None:
    odd = range(1, 33, 2)

    assert places_without_anything(odd, [PRIZES], [FIRST, SECOND, THIRD]) == ()
    assert places_without_anything(odd, [PRIZES], [FIRST, THIRD]) == (19, 21)
    assert places_served_twice([PRIZES], [FIRST, SECOND, THIRD]) == ()
    assert places_served_twice([PRIZES], [Lottery((12, 13), Money(1, "UAH"))]) == (13,)


@pytest.mark.clause("K8.3")
def test_three_lotteries_give_away_450() -> None:
    assert total((lottery.total for lottery in (FIRST, SECOND, THIRD)), "UAH") == Money(45_000, "UAH")


@pytest.mark.clause("K8.3")
def test_tickets_belong_to_the_holders_of_the_named_places() -> None:
    assert tickets(THIRD, FULL) == (
        Ticket(EntryId(123), 23),
        Ticket(EntryId(127), 27),
        Ticket(EntryId(129), 29),
        Ticket(EntryId(131), 31),
    )


def test_places_beyond_the_field_have_no_ticket() -> None:
    assert [ticket.place for ticket in tickets(THIRD, FULL[:28])] == [23, 27]
    assert tickets(THIRD, FULL[:20]) == ()


def test_withdrawn_keep_and_disqualified_lose_their_ticket_by_default() -> None:
    gone = {EntryId(111)}
    strict = Lottery((11, 15), Money(1, "UAH"), withdrawn_keep=False, disqualified_keep=True)

    assert [ticket.place for ticket in tickets(FIRST, FULL, withdrawn=gone)] == [11, 15]
    assert [ticket.place for ticket in tickets(FIRST, FULL, disqualified=gone)] == [15]
    assert [ticket.place for ticket in tickets(strict, FULL, withdrawn=gone)] == [15]
    assert [ticket.place for ticket in tickets(strict, FULL, disqualified=gone)] == [11, 15]


def test_lottery_waits_until_its_places_are_one_player_s_own() -> None:
    standings = field_of(*range(1, 10), 10, 10, 12, 13, 14, 15)

    with pytest.raises(TourneyError) as refused:
        tickets(FIRST, standings)

    assert (refused.value.code, refused.value.values) == (
        "lottery.place_shared",
        {"place": 11, "entries": [EntryId(110), EntryId(111)]},
    )


@pytest.mark.clause("K8.3")
def test_manifest_decides_a_draw_anybody_can_check() -> None:
    held = tickets(THIRD, FULL)

    offered = manifest(
        held, THIRD, event="kyiv", number=3, purpose="lottery-3", labels=LABELS, entropy="numbers", previous="ab"
    )

    assert offered == {
        "event": "kyiv",
        "no": 3,
        "prev": "ab",
        "purpose": "lottery-3",
        "kind": "pick",
        "k": 1,
        "entrants": ["Player 123", "Player 127", "Player 129", "Player 131"],
        "entropy": "numbers",
    }
    transcript = Transcript.of(offered, "0" * 64, [["Player 123", "7"]])
    assert verify(transcript.as_json()) is None
    (award,) = awards_of_draw(THIRD, held, transcript.result, LABELS, index=2)
    assert award.entry in {ticket.entry for ticket in held}
    assert (award.source, award.amount, award.index) == (Source.LOTTERY, Money(10_000, "UAH"), 2)


def test_single_ticket_wins_and_is_still_drawn() -> None:
    held = tickets(SECOND, FULL[:19])

    offered = manifest(held, SECOND, event="e", number=1, purpose="p", labels=LABELS, entropy="numbers")

    assert offered is not None
    result = Transcript.of(offered, "1" * 64, []).result
    assert awards_of_draw(SECOND, held, result, LABELS) == (
        Award(EntryId(119), 19, Source.LOTTERY, Money(15_000, "UAH"), clause="8.3"),
    )


def test_lottery_without_tickets_is_void() -> None:
    assert manifest((), FIRST, event="e", number=1, purpose="p", labels={}, entropy="numbers") is None


def test_two_tickets_with_one_label_are_refused() -> None:
    held = tickets(FIRST, FULL)
    labels = dict.fromkeys(LABELS, "Ivan Ivanov")

    with pytest.raises(TourneyError, match=r"draw\.entrant_twice"):
        manifest(held, FIRST, event="e", number=1, purpose="p", labels=labels, entropy="numbers")


def test_result_with_a_stranger_is_refused() -> None:
    with pytest.raises(TourneyError, match=r"lottery\.unknown_winner"):
        awards_of_draw(FIRST, tickets(FIRST, FULL), ["Player 101"], LABELS)


# -- the promise of the knockout, for every field, order and reading of its text ---------------------------------------


def readings_about_lotteries() -> list[dict[str, Any]]:
    return [one for one in preset("second-chance-32")["readings"] if one["path"].startswith("lotteries")]


@st.composite
def knockouts(draw: st.DrawFn) -> tuple[Mapping[str, Any], tuple[Placing, ...]]:
    """Return the regulation with its open questions about places answered anyhow, and a finished field of any size."""
    data: Mapping[str, Any] = preset("second-chance-32")
    for reading in readings_about_lotteries():
        if reading["path"].endswith("places"):
            option = draw(st.sampled_from(reading["options"]))
            for answer in [{"path": reading["path"], "value": option["value"]}, *option.get("also", [])]:
                data = set_at(data, answer["path"], answer["value"])
    size = draw(st.integers(2, 32))
    order = draw(st.permutations(range(1, size + 1)))
    return data, in_order((EntryId(entry), place) for place, entry in enumerate(order, start=1))


@pytest.mark.clause("K8.3")
@settings(deadline=None, max_examples=200)
@given(case=knockouts(), number=st.integers(0, 10**6))
def test_whoever_ends_on_an_odd_place_has_a_prize_or_a_ticket(
    case: tuple[Mapping[str, Any], tuple[Placing, ...]], number: int
) -> None:
    data, placings = case
    rules = parse_rules(regulation.parse(data))

    paid = {award.entry for award in allocate(placings, rules.prizes) if award.amount}
    holders = {ticket.entry for lottery in rules.lotteries for ticket in tickets(lottery, placings)}

    assert {placing.entry for placing in placings if placing.place % 2} <= paid | holders
    assert not paid & holders  # nobody is served twice
    labels = {placing.entry: f"Player {placing.entry}" for placing in placings}
    for index, lottery in enumerate(rules.lotteries):
        held = tickets(lottery, placings)
        offered = manifest(held, lottery, event="k", number=index, purpose="p", labels=labels, entropy="numbers")
        if offered is not None:
            result = Transcript.of(offered, f"{number:064x}", []).result
            winners = awards_of_draw(lottery, held, result, labels, index)
            assert len(winners) == min(lottery.winners, len(held))
            assert {award.entry for award in winners} <= {ticket.entry for ticket in held}
