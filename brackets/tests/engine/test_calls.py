"""The call list, a player's prospects, the forecast of the day."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from brackets.engine.calls import Call, Destination, Prospects, call_order, outlook, prospects, remaining_path
from brackets.engine.cases import KYIV
from brackets.engine.days import end_errors, percent_in_range, play_day, slot_errors, start_errors
from brackets.engine.forecast import Forecast, Running, forecast, mean_with_running, phase_seconds
from brackets.engine.proof import Span
from brackets.engine.topology import BracketSpec, Places
from brackets.tests.engine.conftest import Day
from tourney.kernel.chance import Chance
from tourney.kernel.errors import TourneyError
from tourney.kernel.ids import EntryId, MatchKey

NewDay = Callable[..., Day]


def play(day: Day, stage: str) -> None:
    for view in day.state.open_matches:
        if day.spec.match(view.key).stage == stage:
            day.wins(min(view.players), view.key)


def test_longest_way_goes_to_a_board_first(new_day: NewDay) -> None:
    day = new_day()
    for stage in ("U1", "L1", "U2"):
        play(day, stage)
    order = [call.match for call in call_order(day.spec, day.state)]

    stages = [day.spec.match(key).stage for key in order]
    assert stages == ["L2"] * 8 + ["U3"] * 4 + ["P25"] * 4


def test_waiting_decides_between_equal_ways(new_day: NewDay) -> None:
    day = new_day()
    order = call_order(day.spec, day.state, waiting={MatchKey("U1.7"): 4}, busy=frozenset({MatchKey("U1.1")}))

    assert order[:2] == [Call(MatchKey("U1.7"), 10, 4), Call(MatchKey("U1.2"), 10, 0)]
    assert len(order) == 15


def test_who_has_not_rested_comes_later(new_day: NewDay) -> None:
    day = new_day()
    order = call_order(day.spec, day.state, rested={EntryId(1): 2, EntryId(16): 7}, rest_minutes=5)

    assert order[-1] == Call(MatchKey("U1.1"), 10, 0, rest_left=3)
    assert order[0].match == "U1.2"


def test_ways_shrink_as_matches_are_played(new_day: NewDay) -> None:
    day = new_day()
    play(day, "U1")

    path = remaining_path(day.spec, day.state)
    assert (path[MatchKey("U1.1")], path[MatchKey("L1.1")], path[MatchKey("GF.1")]) == (9, 9, 1)


@pytest.mark.clause("K5.6")
def test_everybody_is_guaranteed_five_matches_at_the_start(new_day: NewDay) -> None:
    day = new_day()
    known = outlook(day.spec, day.state)
    guaranteed = {prospects(day.spec, day.state, player, known).matches_left for player in day.seeds}

    assert guaranteed == {Span(5, 10)}


def test_prospects_name_the_next_match_after_a_win_and_after_a_loss(new_day: NewDay) -> None:
    day = new_day()
    day.wins(16, "U1.2")

    assert prospects(day.spec, day.state, EntryId(1)) == Prospects(
        player=EntryId(1),
        matches_left=Span(5, 10),
        places=Places(1, 32),
        match=MatchKey("U1.1"),
        opponent=EntryId(32),
        if_wins=Destination(MatchKey("U2.1"), None, EntryId(16)),
        if_loses=Destination(MatchKey("L1.1"), None, EntryId(17)),
        is_decided=False,
    )


def test_prospects_in_the_last_match_are_two_places(new_day: NewDay) -> None:
    day = new_day()
    for stage in ("U1", "L1", "P25", "P25", "P25"):
        if stage != "P25":
            play(day, stage)
    while (view := day.state.matches[MatchKey("P25dd.1")]) and not view.is_open:
        for open_view in day.state.open_matches:
            if open_view.key.startswith("P25"):
                day.wins(min(open_view.players), open_view.key)
    found = prospects(day.spec, day.state, view.players[0])

    assert (found.matches_left, found.places) == (Span(1, 1), Places(31, 32))
    assert (found.if_wins, found.if_loses) == (Destination(None, Places(31, 31)), Destination(None, Places(32, 32)))


def test_prospects_skip_byes(new_day: NewDay) -> None:
    day = new_day(31)
    found = prospects(day.spec, day.state, EntryId(16))

    assert found.if_wins == Destination(MatchKey("U2.1"), None, EntryId(1))
    # L1.1 has a bye, so the loser of U1.2 goes straight on to L2.1.
    assert found.if_loses == Destination(MatchKey("L2.1"), None, None)


def test_decided_player_has_nothing_ahead(new_day: NewDay) -> None:
    day = new_day()
    day.play_out()

    found = prospects(day.spec, day.state, EntryId(1))
    assert (found.is_decided, found.places, found.matches_left) == (True, Places(1, 1), Span(0, 0))


def test_prospects_of_a_stranger_are_refused(new_day: NewDay) -> None:
    day = new_day()

    with pytest.raises(TourneyError) as refused:
        prospects(day.spec, day.state, EntryId(99))

    assert refused.value.code == "bracket.unknown_player"


def ends(day: Day, boards: int, **values: object) -> Forecast:
    return forecast(day.spec, day.state, KYIV, boards=boards, **values)  # type: ignore[arg-type]


# Minutes from the start to the end of a day in an independent model of blitz events.
@pytest.mark.parametrize(("boards", "minutes"), [(16, 274), (12, 287), (8, 316), (6, 398)])
def test_forecast_agrees_with_the_model_of_a_whole_day(new_day: NewDay, boards: int, minutes: int) -> None:
    found = ends(new_day(), boards)

    assert abs(found.end // 60 - minutes) <= 15
    assert found.earliest < found.end < found.latest


def test_forecast_of_the_shorter_variant(new_day: NewDay) -> None:
    assert abs(ends(new_day(return_at=16), 16).end // 60 - 213) <= 15


def test_forecast_is_the_same_for_the_same_situation_and_ends_with_the_day(new_day: NewDay) -> None:
    day = new_day(8, size=8)

    assert ends(day, 4) == ends(day, 4)
    day.play_out()
    assert ends(day, 4) == Forecast(0, 0, 0, {}, {})


def test_forecast_learns_from_the_day(new_day: NewDay) -> None:
    day = new_day()
    usual = sum(phase_seconds(KYIV)[:1])

    assert ends(day, 16, observed=[3 * usual] * 20).end > ends(day, 16).end * 3 // 2


def test_running_match_ends_after_now_and_its_followers_later(new_day: NewDay) -> None:
    day = new_day(4, size=4)
    found = ends(day, 2, running=[Running(MatchKey("U1.1"), 3000)])

    assert found.starts[MatchKey("U1.1")] == -3000
    assert 0 <= found.starts[MatchKey("U1.2")] < found.starts[MatchKey("U2.1")] < found.end
    assert list(found.slot_ends) == [1, 2, 3, 4]


def test_running_matches_count_as_long_as_they_have_taken() -> None:
    # Two are over after 600 and 900 seconds, one still runs after 1000: the plain mean of those over would be 750.
    assert mean_with_running([600, 900], [], 1200) == 750
    assert mean_with_running([600, 900], [1000], 1200) > 900
    assert mean_with_running([600, 900], [100], 1200) == 750
    assert mean_with_running([], [700], 1200) == 700 + 400


def test_phase_that_is_on_is_not_forecast_again(new_day: NewDay) -> None:
    day = new_day(4, size=4)
    early, late = (
        forecast(day.spec, day.state, KYIV, boards=2, running=[Running(MatchKey("U1.1"), 600, phase)]).end
        for phase in (0, 2)
    )
    assert late > early


def test_forecast_holds_over_simulated_days(de32: BracketSpec) -> None:
    """The days are played game by game by another model; `bench/bracket.py forecast` plays more of them."""
    days = [
        play_day(de32, 32, KYIV, boards=16, rest=300, chance=Chance.labelled(seed, "day"), ask_after=(32, 64, 80, 94))
        for seed in range(8)
    ]
    hour, quarter = range(3600), 900

    assert start_errors(days, hour).percent_within(quarter) >= 90
    assert slot_errors(days, hour).percent_within(quarter) >= 90
    assert end_errors(days, range(1800)).percent_within(quarter) >= 90
    assert percent_in_range(days) >= 75
    assert abs(start_errors(days, hour).bias) < 120
