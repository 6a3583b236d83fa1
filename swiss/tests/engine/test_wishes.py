"""Wishes to be kept apart: none is given up that could be kept, and the more important ones come first."""

from __future__ import annotations

from itertools import combinations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from swiss.engine.plan import NoValidPairing, RoundPlan
from swiss.engine.rounds import pair_round
from swiss.tests.engine.builders import start, swiss
from tourney.kernel.colors import Color
from tourney.kernel.ids import EntryId

Pair = frozenset[EntryId]


def pair(first: int, second: int) -> Pair:
    return frozenset((EntryId(first), EntryId(second)))


def paired(players: int, *, wishes: tuple[Pair, ...] = (), forbidden: tuple[Pair, ...] = ()) -> RoundPlan:
    return pair_round(start(players), swiss(), first_color=Color.WHITE, wishes=wishes, forbidden=forbidden)


def can_be_paired(players: int, forbidden: tuple[Pair, ...]) -> bool:
    try:
        paired(players, forbidden=forbidden)
    except NoValidPairing:
        return False
    return True


@st.composite
def rounds_with_wishes(draw: st.DrawFn) -> tuple[int, tuple[Pair, ...], tuple[Pair, ...]]:
    """Draw (players, wishes, pairs forbidden outright), with so many wishes that some have to fall."""
    players = draw(st.integers(4, 9))
    everybody = st.permutations([pair(*two) for two in combinations(range(1, players + 1), 2)])
    pairs = draw(everybody)
    hard = draw(st.integers(0, 3))
    wishes = draw(st.integers(len(pairs) // 2, len(pairs)))
    return players, tuple(pairs[hard:wishes]), tuple(pairs[:hard])


@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(rounds_with_wishes())
def test_a_wish_falls_only_when_no_pairing_keeps_it_beside_the_earlier_ones(
    drawn: tuple[int, tuple[Pair, ...], tuple[Pair, ...]],
) -> None:
    players, wishes, forbidden = drawn
    if not can_be_paired(players, forbidden):
        return

    plan = paired(players, wishes=wishes, forbidden=forbidden)

    kept: tuple[Pair, ...] = ()
    given_up = []
    for wish in wishes:  # one after another, the slow way
        if can_be_paired(players, (*forbidden, *kept, wish)):
            kept = (*kept, wish)
        else:
            given_up.append(wish)
    assert plan.given_up == tuple(given_up)
    met = {pair(game.white, game.black) for game in plan.pairings}
    assert met.isdisjoint((*forbidden, *kept))


def test_a_wish_behind_an_impossible_one_is_kept() -> None:
    wishes = (pair(1, 2), pair(1, 3), pair(1, 4), pair(1, 5), pair(1, 6), pair(2, 3))

    plan = paired(6, wishes=wishes)

    assert plan.given_up == (pair(1, 6),)
    assert pair(2, 3) not in {pair(game.white, game.black) for game in plan.pairings}


def test_without_any_pairing_no_wish_is_blamed() -> None:
    with pytest.raises(NoValidPairing) as refused:
        paired(2, wishes=(pair(1, 2),), forbidden=(pair(1, 2),))

    assert refused.value.code == "pairing.no_valid_pairing"
