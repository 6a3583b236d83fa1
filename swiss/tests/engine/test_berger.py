"""Berger tables: whole tables against the handbook's, and what must hold for every number of players."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from random import Random

import pytest

from swiss.engine.berger import TableRound, berger_table, varma_groups, varma_numbers
from swiss.engine.cases import run_roundrobin
from swiss.engine.rounds import pair_round
from swiss.engine.rules import RoundRobinRules
from swiss.tests.engine.builders import start
from tourney.kernel.errors import TourneyError
from tourney.kernel.ids import EntryId
from tourney.kernel.outcomes import ByeKind

DATA = Path(__file__).parent / "data" / "roundrobin"


def test_berger_table_of_four_is_the_handbook_table() -> None:
    assert berger_table(4) == (
        TableRound(1, ((1, 4), (2, 3))),
        TableRound(2, ((4, 3), (1, 2))),
        TableRound(3, ((2, 4), (3, 1))),
    )


def test_berger_table_of_three_leaves_one_free_each_round() -> None:
    assert berger_table(3) == (
        TableRound(1, ((2, 3),), 1),
        TableRound(2, ((1, 2),), 3),
        TableRound(3, ((3, 1),), 2),
    )


def test_berger_tables_agree_with_the_reference() -> None:
    results = list(run_roundrobin(DATA))

    assert [result.name for result in results if not result.agrees] == []
    assert len(results) == 14


@pytest.mark.parametrize("players", range(2, 41))
def test_berger_table_lets_everybody_meet_once(players: int) -> None:
    table = berger_table(players)

    meetings = Counter(frozenset(pair) for row in table for pair in row.pairs)
    assert set(meetings.values()) == {1}
    assert len(meetings) == players * (players - 1) // 2
    assert len(table) == players - 1 + players % 2


@pytest.mark.parametrize("players", range(3, 41))
def test_double_table_gives_nobody_a_color_three_times_running(players: int) -> None:
    colors: dict[int, str] = dict.fromkeys(range(1, players + 1), "")
    for row in berger_table(players, 2):
        for white, black in row.pairs:
            colors[white] += "w"
            colors[black] += "b"

    assert [number for number, seen in colors.items() if "www" in seen or "bbb" in seen] == []
    assert {seen.count("w") - seen.count("b") for seen in colors.values()} == {0}


def test_round_robin_round_uses_start_numbers_and_names_the_free_player() -> None:
    plan = pair_round(start(5), RoundRobinRules())

    assert [(game.board, game.white, game.black) for game in plan.pairings] == [(1, 2, 5), (2, 3, 4)]
    assert [(bye.entry, bye.kind) for bye in plan.byes] == [(EntryId(1), ByeKind.ZERO)]


def test_round_robin_of_one_player_is_refused() -> None:
    with pytest.raises(TourneyError) as refused:
        pair_round(start(1), RoundRobinRules())

    assert (refused.value.code, refused.value.values) == ("pairing.too_few", {"players": 1})


@pytest.mark.parametrize("players", [9, 10, 15, 24])
def test_varma_groups_hold_every_number_once(players: int) -> None:
    numbers = sorted(number for group in varma_groups(players) for number in group)

    assert numbers == list(range(1, players + 1))


def test_varma_group_meets_nobody_of_its_own_in_the_last_three_rounds() -> None:
    group = set(varma_groups(10)[0])

    last_pairs = [set(pair) for row in berger_table(10)[-3:] for pair in row.pairs]
    assert [pair for pair in last_pairs if pair <= group] == []


@pytest.mark.parametrize("seed", range(30))
def test_varma_numbers_keep_clubs_apart_till_the_last_three_rounds(seed: int) -> None:
    origins = ["A", "B", "A", "C", "B", "", "A", "B", "C", ""]

    numbers = varma_numbers(origins, shuffled(10, seed))

    assert sorted(numbers) == list(range(1, 11))
    clubs = {number: origin for number, origin in zip(numbers, origins, strict=True) if origin}
    late = [pair for row in berger_table(10)[-3:] for pair in row.pairs]
    assert [(white, black) for white, black in late if white in clubs and clubs[white] == clubs.get(black)] == []


@pytest.mark.parametrize("players", range(9, 25))
def test_varma_numbers_are_given_once_even_to_a_club_too_large_for_a_group(players: int) -> None:
    origins = ["A"] * (players - 4) + ["B", "C", "B", ""]

    assert sorted(varma_numbers(origins, shuffled(players, players))) == list(range(1, players + 1))


def test_varma_numbers_leave_the_urn_in_the_order_drawn() -> None:
    drawn = [10, 9, 8, 7, 6, 5, 4, 3, 2, 1]

    # Groups of 10: 3 4 8, 5 7 9, 1 6, 2 10. The pair takes the first group drawn that is large enough: 2 and 10.
    assert varma_numbers(["", "A", "", "A", "", "", "", "", "", ""], drawn) == (9, 10, 8, 2, 7, 6, 5, 4, 3, 1)


def shuffled(players: int, seed: int) -> list[int]:
    numbers = list(range(1, players + 1))
    Random(seed).shuffle(numbers)
    return numbers
