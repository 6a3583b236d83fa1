"""Single rounds whose right pairing can be seen by eye, and rounds that can't be paired."""

from __future__ import annotations

import pytest

from swiss.engine.baku import baku_points, group_size
from swiss.engine.plan import Bye, NoValidPairing, Pairing, RoundPlan
from swiss.engine.rounds import pair_round
from swiss.engine.rules import FirstColor, SwissRules
from swiss.tests.engine.builders import history, start, swiss
from tourney.kernel.colors import Color
from tourney.kernel.errors import TourneyError
from tourney.kernel.ids import EntryId
from tourney.kernel.outcomes import STANDARD, ByeKind

W, B = Color.WHITE, Color.BLACK


def games(plan: RoundPlan) -> list[tuple[int, int]]:
    return [(game.white, game.black) for game in plan.pairings]


def test_first_round_pairs_the_halves_and_alternates_colors() -> None:
    plan = pair_round(start(7), swiss(), first_color=B)

    assert plan == RoundPlan(
        1,
        (
            Pairing(1, EntryId(4), EntryId(1)),
            Pairing(2, EntryId(2), EntryId(5)),
            Pairing(3, EntryId(6), EntryId(3)),
        ),
        (Bye(EntryId(7), ByeKind.PAIRING),),
    )


def test_byes_asked_for_stand_behind_the_bye_of_the_pairing() -> None:
    absent = {EntryId(2): ByeKind.ZERO, EntryId(5): ByeKind.HALF}

    plan = pair_round(start(7), swiss(), absent=absent, first_color=W)

    assert games(plan) == [(1, 4), (6, 3)]
    assert plan.byes == (
        Bye(EntryId(7), ByeKind.PAIRING),
        Bye(EntryId(5), ByeKind.HALF),
        Bye(EntryId(2), ByeKind.ZERO),
    )


def test_first_color_may_stand_in_the_rules() -> None:
    rules = SwissRules(rounds=5, first_color=FirstColor.BLACK)

    assert games(pair_round(start(4), rules)) == [(3, 1), (2, 4)]


def test_missing_lot_is_refused() -> None:
    with pytest.raises(TourneyError) as refused:
        pair_round(start(4), swiss())

    assert refused.value.code == "pairing.first_color_needed"


def test_forbidden_pair_is_avoided_by_the_next_transposition() -> None:
    plan = pair_round(start(6), swiss(), first_color=W, forbidden=[frozenset({EntryId(1), EntryId(4)})])

    assert games(plan) == [(1, 5), (4, 2), (3, 6)]


def test_second_round_pairs_winners_and_losers() -> None:
    played = history("3w1", "4b1", "1b0", "2w0")

    assert games(pair_round(played, swiss(), first_color=W)) == [(2, 1), (3, 4)]


def test_bye_goes_to_the_lowest_score_that_may_have_it() -> None:
    played = history("3w1", "4b1", "1b0", "2w0", "U")

    plan = pair_round(played, swiss(), first_color=W)

    assert plan.pairing_bye == EntryId(4)


def test_round_past_the_last_is_refused() -> None:
    with pytest.raises(TourneyError) as refused:
        pair_round(history("2w1", "1b0"), swiss(1), first_color=W)

    assert (refused.value.code, refused.value.values) == ("pairing.no_more_rounds", {"rounds": 1})


def test_stranger_among_the_absent_is_refused() -> None:
    with pytest.raises(TourneyError) as refused:
        pair_round(start(4), swiss(), first_color=W, absent={EntryId(9): ByeKind.ZERO})

    assert (refused.value.code, refused.value.values) == ("pairing.unknown_entry", {"entry": 9})


def test_two_players_who_have_met_have_no_pairing_and_the_error_says_why() -> None:
    with pytest.raises(NoValidPairing) as refused:
        pair_round(history("2w1", "1b0"), swiss(), first_color=W)

    assert refused.value.code == "pairing.no_valid_pairing"
    assert refused.value.values == {
        "entries": [1, 2],
        "blocked": [[1, 1, 0, 0], [2, 1, 0, 0]],
        "lifting": ["C1"],
    }


def test_forbidden_pairs_that_leave_no_pairing_are_named() -> None:
    with pytest.raises(NoValidPairing) as refused:
        pair_round(start(2), swiss(), first_color=W, forbidden=[frozenset({EntryId(1), EntryId(2)})])

    assert refused.value.values["lifting"] == ["forbidden"]


def test_odd_field_in_which_everybody_had_a_bye_is_refused() -> None:
    with pytest.raises(NoValidPairing) as refused:
        pair_round(history("F", "F", "F"), swiss(), first_color=W)

    assert refused.value.values["lifting"] == ["C2"]


def test_nobody_to_pair_is_refused() -> None:
    absent = {EntryId(number): ByeKind.ZERO for number in (1, 2, 3)}

    with pytest.raises(NoValidPairing) as refused:
        pair_round(start(4), swiss(), first_color=W, absent=absent)

    assert (refused.value.code, refused.value.values) == ("pairing.too_few", {"players": 1})


@pytest.mark.parametrize(("players", "size"), [(8, 4), (9, 6), (10, 6), (11, 6), (12, 6), (13, 8), (161, 82)])
def test_baku_group_is_half_the_field_rounded_up_to_even(players: int, size: int) -> None:
    assert group_size(players) == size


def test_baku_points_fall_in_the_second_quarter() -> None:
    numbers = {EntryId(number): number for number in range(1, 9)}

    points = baku_points(numbers, 9, STANDARD)

    assert points == {EntryId(number): (2, 2, 2, 1, 1) for number in range(1, 5)}
