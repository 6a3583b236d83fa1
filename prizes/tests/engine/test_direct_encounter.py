"""Direct encounter as a rule about a group (C.07 article 6)."""

from __future__ import annotations

import pytest

from prizes.engine.tiebreaks import Crosstable, Source, System, direct_encounter, parse_tiebreak
from prizes.tests.engine.builders import stage
from tourney.kernel.records import History

pytestmark = pytest.mark.clause("M8.1")


def ranks(history: History, group: list[int], system: System = "swiss", code: str = "DE") -> dict[int, object]:
    """Return entry -> rank of a group of entries taken as tied."""
    table = Crosstable.of(history, edition="2026", system=system)
    found = direct_encounter(table, parse_tiebreak(code), [number - 1 for number in group])
    return {index + 1: value.value for index, value in found.items()}


def test_winner_of_the_only_game_is_first() -> None:
    history = stage("1 2 0-1; 3 4 1-0", "1 3 1-0; 2 4 0-1")

    assert ranks(history, [1, 2]) == {1: 2, 2: 1}


def test_circle_of_three_stays_level() -> None:
    history = stage("1 2 1-0; 3 4 1-0", "2 3 1-0; 1 4 1-0", "3 1 1-0; 2 4 1-0")

    assert ranks(history, [1, 2, 3], "round_robin") == {1: 1, 2: 1, 3: 1}


def test_subset_still_level_goes_through_the_rule_again() -> None:
    # Among four: 1 has 2, then 2 and 4 with 1½ each (4 beat 2), then 3 with 1.
    history = stage("1 2 1/2; 3 4 1/2", "1 3 1/2; 2 4 0-1", "1 4 1-0; 2 3 1-0")

    assert ranks(history, [1, 2, 3, 4], "round_robin") == {1: 1, 4: 2, 2: 3, 3: 4}


def test_subset_alone_is_judged_by_its_own_games() -> None:
    # 1, 2 and 3 beat one another in a circle and all beat 4: level among four and among three, not as a pair.
    history = stage("1 2 1-0; 3 4 1-0", "1 3 0-1; 2 4 1-0", "1 4 1-0; 2 3 1-0")

    assert ranks(history, [1, 2, 3, 4], "round_robin") == {1: 1, 2: 1, 3: 1, 4: 4}
    assert ranks(history, [1, 2], "round_robin") == {1: 1, 2: 2}


def test_swiss_player_nobody_can_reach_is_first_and_the_rest_starts_afresh() -> None:
    history = stage("1 2 1-0; 3 4 1/2", "1 3 1-0; 2 4 1/2")

    assert ranks(history, [1, 2, 3]) == {1: 1, 2: 2, 3: 2}


def test_swiss_two_of_three_games_prove_nothing() -> None:
    history = stage("1 2 1-0; 3 4 1/2", "1 4 0-1; 2 3 1/2")

    assert ranks(history, [1, 2, 3]) == {1: 1, 2: 1, 3: 1}


def test_swiss_forfeit_is_no_meeting_unless_the_event_says_so() -> None:
    history = stage("1 2 +-; 3 4 1/2")

    assert ranks(history, [1, 2]) == {1: 1, 2: 1}
    assert ranks(history, [1, 2], code="DE/P") == {1: 1, 2: 2}
    assert ranks(history, [1, 2], "round_robin") == {1: 1, 2: 2}


def test_two_meetings_count_as_their_average() -> None:
    # 1 scored ½ of 2 against 2 (average ¼) and 1 against 3; 2 lost to 3.
    history = stage("1 2 1/2; 3 4 1-0", "2 1 1-0; 3 4 1-0", "1 3 1-0; 2 4 1-0", "3 2 1-0; 1 4 1-0")

    assert ranks(history, [1, 2, 3], "round_robin") == {1: 1, 3: 2, 2: 3}


def test_explanation_names_results_and_missing_games() -> None:
    table = Crosstable.of(stage("1 2 1/2; 3 4 1-0", "1 2 1-0; 3 4 1-0"), edition="2026", system="swiss")

    value = direct_encounter(table, parse_tiebreak("DE"), [0, 1, 2])[0]

    parts = [(part.opponent, part.source, part.result and str(part.result)) for part in value.parts]
    assert parts == [(2, Source.RESULT, "3/4"), (3, Source.UNMET, None)]


def test_game_without_a_result_is_not_met_yet() -> None:
    assert ranks(stage("1 2 ?; 3 4 1-0"), [1, 2]) == {1: 1, 2: 1}
