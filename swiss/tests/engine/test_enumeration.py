"""One bracket, every candidate: the rules read word by word, held against the engine.

All players have the same score, so the field is one homogeneous bracket. Candidates are generated as art. 4.2 and 4.3
say and valued by the definitions of the criteria; the best of them, the earliest if several are, is the pairing.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations, permutations

import pytest

from swiss.engine.check import rules_of
from swiss.engine.dutch.bracket import BYE, Bracket
from swiss.engine.dutch.exact import pair_bracket
from swiss.engine.dutch.field import Field
from swiss.engine.dutch.pairing import pair_field
from swiss.engine.dutch.values import bracket_values
from swiss.engine.plan import NoValidPairing
from swiss.engine.rounds import swiss_field
from swiss.engine.simulate import Habits, simulate
from tourney.kernel.points import HALF

Pairs = tuple[tuple[int, int], ...]
ALL_DRAWN = Habits(draw=1000, forfeit=0, absent=0, half_bye=0, full_bye=0, late=0, withdraw=0, pairing_bye=HALF)


def candidates(size: int) -> Iterator[Pairs]:
    """Yield all pairings in the order of generation: exchanges by art. 4.3, transpositions of S2 inside each."""
    pairs = size // 2
    first = set(range(pairs))

    def order(upper: tuple[int, ...]) -> tuple[int, int, list[int], list[int]]:
        leaving = sorted(first - set(upper), reverse=True)
        entering = sorted(set(upper) - first)
        return len(leaving), sum(entering) - sum(leaving), [-number for number in leaving], entering

    for upper in sorted(combinations(range(size), pairs), key=order):
        lower = [number for number in range(size) if number not in upper]
        for transposition in permutations(lower):
            pairing = zip(upper, transposition, strict=False)
            yield tuple(sorted((min(pair), max(pair)) for pair in pairing))


def best_by_enumeration(field: Field, bracket: Bracket) -> Pairs:
    best: Pairs = ()
    best_values: list[object] = []
    for pairs in candidates(field.size):
        if not all(field.legal[first] >> second & 1 for first, second in pairs):
            continue
        partners = dict.fromkeys(range(field.size), BYE)
        for first, second in pairs:
            partners[first], partners[second] = second, first
        left = [index for index, partner in partners.items() if partner == BYE]
        if not all(bracket.bye_candidates >> index & 1 for index in left):
            continue
        values: list[object] = list(bracket_values(field, bracket, partners).values())
        if not best or values < best_values:
            best, best_values = pairs, values
    return best


@pytest.mark.parametrize("players", [4, 5, 6, 7, 8])
@pytest.mark.parametrize("seed", range(3))
def test_engine_finds_the_best_and_earliest_candidate(players: int, seed: int) -> None:
    trf = simulate(players, players - 2, seed, ALL_DRAWN)
    compared = 0
    for number in range(1, trf.rounds_done + 1):
        field = swiss_field(trf.history(number - 1), rules_of(trf), absent={})
        if len(field.groups) > 1:
            continue
        try:
            field.choose_bye_score()
        except NoValidPairing:
            break
        bracket = Bracket((), tuple(range(players)), (), 0, field.bye_candidates)

        best = best_by_enumeration(field, bracket)

        assert pair_field(field).pairs == best
        assert pair_bracket(field, bracket).pairs == best
        compared += 1
    assert compared >= 2


@pytest.mark.parametrize(("players", "rounds"), [(6, 5), (7, 6), (12, 11), (13, 11)])
def test_rounds_of_a_field_with_hardly_any_opponents_left_agree_in_both_ways(players: int, rounds: int) -> None:
    trf = simulate(players, rounds, 8, Habits(late=0, withdraw=0))
    for number in range(1, trf.rounds_done + 1):
        absent = trf.byes_of_round(number)
        history = trf.history(number - 1)
        here = {player.entry: absent[player.number] for player in history.players if player.number in absent}
        field = swiss_field(history, rules_of(trf), absent=here)
        for step in pair_field(field).steps:
            assert pair_bracket(field, step.bracket) == step.paired
    assert trf.rounds_done >= rounds - 2
