"""Boards in the hall: one after another, but for players who always sit at the same one."""

from __future__ import annotations

import pytest

from swiss.engine.plan import Pairing
from swiss.engine.seating import seat
from tourney.kernel.ids import EntryId


def games(*pairs: tuple[int, int]) -> list[Pairing]:
    return [Pairing(board, EntryId(white), EntryId(black)) for board, (white, black) in enumerate(pairs, 1)]


@pytest.mark.parametrize(
    ("fixed", "boards"),
    [
        ({}, (11, 12, 13, 14)),
        ({5: 11}, (12, 13, 11, 14)),
        ({1: 40}, (40, 11, 12, 13)),  # a board behind all others leaves no gap before it
        ({4: 14, 7: 12}, (11, 14, 13, 12)),
        ({5: 12, 6: 11}, (12, 13, 11, 14)),  # two of them meet: the lower board, and the other one is free
        ({99: 11}, (11, 12, 13, 14)),  # not there in this round
    ],
)
def test_fixed_boards_are_kept_and_the_others_follow(fixed: dict[int, int], boards: tuple[int, ...]) -> None:
    kept = {EntryId(entry): board for entry, board in fixed.items()}

    assert seat(games((1, 2), (3, 4), (5, 6), (7, 8)), 11, kept) == boards


def test_boards_of_another_group_are_left_out() -> None:
    assert seat(games((1, 2), (3, 4), (5, 6), (7, 8)), 9, {}, {11, 12, 30}) == (9, 10, 13, 14)
