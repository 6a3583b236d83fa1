"""What a rating that is not published could be worked out from: who has met its owner, and who has met those."""

from __future__ import annotations

from typing import Any, cast

import pytest

from swiss.unpublished import Unpublished, unpublished
from tourney.models import Entry

PAIRS = [(1, 2), (3, 4), (2, 3), (4, 5), (5, 6)]  # 1 is the one nothing may be said of


def entries(*hidden: int) -> dict[int, Entry]:
    return {pk: Entry(pk=pk, public_name=pk not in hidden) for pk in range(1, 7)}


@pytest.mark.parametrize(
    ("code", "hidden_for"),
    [
        ("RTNG", {1}),
        ("RTNG/R", {1}),
        ("ARO", {2}),
        ("ARO/C1", {2}),
        ("TPR", {2}),
        ("PTP", {2}),
        ("APRO", {1, 3}),
        ("APPO", {1, 3}),
        ("BH/C1", set()),
        ("PTS", set()),
    ],
)
def test_a_number_is_shown_to_nobody_it_would_give_the_rating_away_to(code: str, hidden_for: set[int]) -> None:
    found = unpublished(entries(1), PAIRS)
    assert {pk for pk in range(1, 7) if found.hides(code, pk)} == hidden_for


def test_parts_go_with_what_they_are_parts_of() -> None:
    found = unpublished(entries(1), PAIRS)
    assert [found.hides_part(code, 1) for code in ("ARO", "TPR", "BH")] == [True, True, False]
    assert [found.hides_part("APRO", opponent) for opponent in (2, 1, 3, None)] == [True, False, False, False]


def test_where_everybody_is_published_no_games_are_looked_at() -> None:
    assert unpublished(entries(), cast("Any", None)) == Unpublished()
