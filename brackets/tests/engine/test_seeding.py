"""Seeding and the first draw: pots, lots that can be checked, hand orders, clubs kept apart."""

from __future__ import annotations

from itertools import permutations

import pytest

from brackets.engine.seeding import (
    Entrant,
    SeedingMethod,
    SeedingPlan,
    SeedingRules,
    SeedMove,
    color_chooser,
    first_round_pairs,
    keep_apart,
    prepare,
    rating_ties,
    seed_order,
)
from brackets.engine.topology import Side
from tourney.kernel.chance import Chance, Transcript, draw, verify
from tourney.kernel.errors import TourneyError
from tourney.kernel.ids import EntryId

RANKS = ("KMS", "1", "2")


def entrants(count: int) -> list[Entrant]:
    """Entry n has rating 2500 − 10n; ranks go round 2, 1, KMS."""
    return [
        Entrant(EntryId(number), 2500 - 10 * number, ("2", "1", "KMS")[number % 3]) for number in range(1, count + 1)
    ]


def pots(plan: SeedingPlan) -> list[list[int]]:
    return [list(pot) for pot in plan.pots]


@pytest.mark.clause("K7.1")
def test_rank_pots_go_from_the_best_rank_down_with_lots_inside() -> None:
    plan = prepare(entrants(8), SeedingRules(SeedingMethod.RANK_POTS, RANKS))

    assert pots(plan) == [[2, 5, 8], [1, 4, 7], [3, 6]]
    assert plan.needs_lot


@pytest.mark.clause("K7.1")
def test_drawn_pots_become_seeds_and_anybody_can_check_the_draw() -> None:
    plan = prepare(entrants(32), SeedingRules(SeedingMethod.RANK_POTS, RANKS))
    manifest = plan.manifest(event="e", number=1, previous="", purpose="seeds", entropy="numbers")
    transcript = Transcript.of(manifest, "ab" * 32, {"a": "1", "b": "2"}).as_json()
    order = seed_order(plan, transcript["result"])

    assert verify(transcript) is None
    assert [sorted(order[:11]), sorted(order[11:22]), sorted(order[22:])] == [sorted(pot) for pot in plan.pots]
    assert [str(entry) for entry in order] == [
        name for pot in draw(manifest, "ab" * 32, {"a": "1", "b": "2"}) for name in pot
    ]


@pytest.mark.clause("K7.1")
def test_fold_follows_the_rating_without_a_lot() -> None:
    unsorted = [Entrant(EntryId(1)), Entrant(EntryId(2), 1900), Entrant(EntryId(3), 2100), Entrant(EntryId(4), 1900)]
    plan = prepare(unsorted, SeedingRules(SeedingMethod.FOLD))

    assert not plan.needs_lot
    assert seed_order(plan) == (3, 2, 4, 1)
    assert rating_ties(unsorted) == [(2, 4)]


def test_tennis_fixes_the_first_two_and_draws_inside_doubling_pots() -> None:
    plan = prepare(entrants(20), SeedingRules(SeedingMethod.TENNIS))

    assert pots(plan) == [[1], [2], [3, 4], [5, 6, 7, 8], list(range(9, 17)), [17, 18, 19, 20]]


def test_two_pots_and_the_free_draw() -> None:
    assert pots(prepare(entrants(5), SeedingRules(SeedingMethod.TWO_POTS))) == [[1, 2, 3], [4, 5]]
    assert pots(prepare(entrants(5), SeedingRules(SeedingMethod.FREE))) == [[1, 2, 3, 4, 5]]


def test_order_by_hand_is_taken_as_it_is() -> None:
    plan = prepare(entrants(3), SeedingRules(SeedingMethod.MANUAL), [EntryId(2), EntryId(3), EntryId(1)])

    assert seed_order(plan) == (2, 3, 1)


@pytest.mark.parametrize(
    ("method", "by_hand", "code"),
    [
        (SeedingMethod.MANUAL, None, "seeding.order_needed"),
        (SeedingMethod.MANUAL, [1, 2, 2], "seeding.not_everybody_once"),
        (SeedingMethod.MANUAL, [1, 2], "seeding.not_everybody_once"),
        (SeedingMethod.RANK_POTS, None, "seeding.unknown_rank"),
    ],
)
def test_seeding_that_misses_somebody_is_refused(
    method: SeedingMethod, by_hand: list[EntryId] | None, code: str
) -> None:
    with pytest.raises(TourneyError) as refused:
        prepare(entrants(3), SeedingRules(method, ("KMS", "1")), by_hand)

    assert refused.value.code == code


@pytest.mark.parametrize(
    ("drawn", "code"),
    [(None, "seeding.lot_needed"), ([["1", "3"], ["2"]], "seeding.result_of_other_draw")],
)
def test_order_needs_the_result_of_its_own_lot(drawn: list[list[str]] | None, code: str) -> None:
    plan = SeedingPlan(SeedingMethod.TWO_POTS, ((EntryId(1), EntryId(2)), (EntryId(3),)))

    with pytest.raises(TourneyError) as refused:
        seed_order(plan, drawn)

    assert refused.value.code == code


CLUB = {EntryId(number): frozenset({f"club {number % 2}"}) for number in range(1, 9)}


def test_club_mates_are_kept_apart_by_exchanges_inside_the_pots() -> None:
    clubs = {EntryId(1): frozenset({"X"}), EntryId(8): frozenset({"X"})}
    plan = SeedingPlan(SeedingMethod.TWO_POTS, (tuple(map(EntryId, range(1, 5))), tuple(map(EntryId, range(5, 9)))))
    apart = keep_apart(tuple(map(EntryId, range(1, 9))), 8, clubs, plan)

    assert apart.clashes == ()
    assert apart.order == (1, 2, 3, 4, 5, 6, 8, 7)
    assert apart.moves == (
        SeedMove(EntryId(8), 8, 7, "seeding.kept_apart"),
        SeedMove(EntryId(7), 7, 8, "seeding.kept_apart"),
    )


def test_fixed_seeds_are_never_moved_and_the_clash_is_named() -> None:
    clubs = {EntryId(1): frozenset({"X"}), EntryId(4): frozenset({"X"})}
    plan = SeedingPlan(SeedingMethod.FOLD, tuple((EntryId(number),) for number in range(1, 5)))
    apart = keep_apart(tuple(map(EntryId, range(1, 5))), 4, clubs, plan)

    assert (apart.order, apart.moves, apart.clashes) == ((1, 2, 3, 4), (), ((1, 4),))


def test_separation_is_as_good_as_trying_everything() -> None:
    """Random clubs in two pots of four: the exchanges find as few clashes as the best of all orders."""
    chance = Chance.labelled(5, "clubs")
    players = tuple(map(EntryId, range(1, 9)))
    plan = SeedingPlan(SeedingMethod.TWO_POTS, (players[:4], players[4:]))
    pairs = first_round_pairs(8)
    for _ in range(40):
        clubs = {player: frozenset({str(chance.below(3))}) for player in players}
        best = min(
            sum(bool(clubs[order[a - 1]] & clubs[order[b - 1]]) for a, b in pairs)
            for order in ((*players[:4], *lower) for lower in permutations(players[4:]))
        )

        assert len(keep_apart(players, 8, clubs, plan).clashes) == best


@pytest.mark.clause("K7.2")
@pytest.mark.parametrize(
    ("a", "b", "chooser"),
    [(2100, 1900, Side.B), (1900, 2100, Side.A), (None, 1000, Side.A), (2000, 2000, None), (None, None, None)],
)
def test_lower_rated_side_chooses(a: int | None, b: int | None, chooser: Side | None) -> None:
    assert color_chooser(a, b) is chooser
