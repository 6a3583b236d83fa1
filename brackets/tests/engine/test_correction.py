"""A changed result: what it reaches, said before anything is saved."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from brackets.engine.correction import CorrectionPlan, Effect, PlayerMove, plan_correction
from brackets.engine.facts import How, OnPaper, Result, Retracted, Voided
from brackets.engine.resolve import MatchStatus
from brackets.engine.topology import Places, Side, Target
from brackets.tests.engine.conftest import Day
from tourney.kernel.errors import TourneyError
from tourney.kernel.ids import EntryId, MatchKey

NewDay = Callable[..., Day]
ONE, LAST = EntryId(1), EntryId(32)
U1, U2, L1 = MatchKey("U1.1"), MatchKey("U2.1"), MatchKey("L1.1")
REVERSED = Result(U1, LAST, ONE)


def plan(day: Day, match: MatchKey, new: Result | None, **called: set[MatchKey]) -> CorrectionPlan:
    return plan_correction(day.spec, day.seeds, day.facts, match, new, reason="misread", **called)


@pytest.fixture
def quarter(new_day: NewDay) -> Day:
    """1 beat 32 and 16 beat 17; U2.1 (1 v 16) and L1.1 (32 v 17) are open."""
    day = new_day()
    day.wins(1, "U1.1")
    day.wins(16, "U1.2")
    return day


def test_same_winner_reaches_nothing(quarter: Day) -> None:
    quarter.wins(1, "U2.1")
    found = plan(quarter, U1, Result(U1, ONE, LAST, How.WALKOVER, played=False), called={L1})

    assert (found.effect, found.void, found.moves, found.places) == (Effect.SCORE_ONLY, (), (), ())


def test_other_winner_swaps_the_players_of_uncalled_matches(quarter: Day) -> None:
    found = plan(quarter, U1, REVERSED)

    assert found.effect is Effect.MOVES_PLAYERS
    assert found.moves == (
        PlayerMove(Target(U2, Side.A), ONE, LAST),
        PlayerMove(Target(L1, Side.A), LAST, ONE),
    )
    quarter.record(*found.cascade)
    assert quarter.state.matches[U2].players == (32, 16)
    assert quarter.state.matches[L1].players == (1, 17)


def test_called_match_must_be_taken_back_first(quarter: Day) -> None:
    found = plan(quarter, U1, REVERSED, called={L1})

    assert (found.effect, found.take_back) == (Effect.TAKE_BACK_CALLS, (L1,))


def test_match_being_played_blocks(quarter: Day) -> None:
    found = plan(quarter, U1, REVERSED, called={L1, U2}, playing={U2})

    assert (found.effect, found.stop, found.take_back, found.needs_choice) == (Effect.BLOCKED, (U2,), (L1,), True)


def test_level_again_takes_both_players_out(quarter: Day) -> None:
    found = plan(quarter, U1, None)

    assert found.effect is Effect.MOVES_PLAYERS
    quarter.record(*found.cascade)
    assert quarter.state.matches[U1].status is MatchStatus.READY
    assert quarter.state.matches[U2].status is MatchStatus.LOCKED
    assert quarter.state.matches[L1].status is MatchStatus.LOCKED


def test_played_matches_after_it_are_listed_and_no_others(quarter: Day) -> None:
    quarter.wins(1, "U2.1")
    quarter.wins(8, "U1.3")
    quarter.wins(9, "U1.4")
    quarter.wins(8, "U2.2")
    quarter.wins(1, "U3.1")
    found = plan(quarter, U1, REVERSED)

    assert (found.effect, found.void) == (Effect.BLOCKED, ("U2.1", "U3.1"))
    quarter.record(*found.cascade)
    assert quarter.state.matches[U2].players == (32, 16)
    assert quarter.state.matches[MatchKey("U3.1")].players == (8,)
    assert quarter.state.matches[MatchKey("U2.2")].winner == 8


def test_paper_correction_leaves_the_bracket_standing(quarter: Day) -> None:
    quarter.wins(1, "U2.1")
    found = plan(quarter, U1, REVERSED)

    assert found.on_paper == (OnPaper(U1, LAST, "misread"),)
    quarter.record(*found.on_paper)
    assert quarter.ways("U1.1") == (1, 32)
    assert quarter.state.matches[U1].on_paper == 32


def test_whole_event_is_voided_to_the_depth_it_was_reached(new_day: NewDay) -> None:
    day = new_day()
    day.play_out()
    found = plan(day, U1, REVERSED)

    assert len(found.void) == 46
    assert {player for player, _, after in found.places if after is not None} == set()
    day.record(*found.cascade)
    day.play_out()
    assert day.state.is_complete
    assert sorted(day.state.places.values()) == [Places(place, place) for place in range(1, 33)]


def test_undoing_a_cascade_restores_everything(new_day: NewDay) -> None:
    day = new_day()
    day.play_out()
    before = day.state
    length = len(day.facts)
    day.record(*plan(day, MatchKey("U3.1"), None).cascade)
    added = len(day.facts) - length
    day.record(*(Retracted(length + index, "undo") for index in reversed(range(added))))

    assert added == 15
    assert day.state == before


def test_correction_swaps_decided_places(new_day: NewDay) -> None:
    day = new_day()
    day.play_out()
    found = plan(day, MatchKey("GF.1"), Result(MatchKey("GF.1"), EntryId(2), ONE))

    assert found.effect is Effect.MOVES_PLAYERS
    assert found.places == ((1, Places(1, 1), Places(2, 2)), (2, Places(2, 2), Places(1, 1)))


def test_automatic_walkover_goes_with_what_made_it(quarter: Day) -> None:
    quarter.leaves(1)
    assert quarter.ways("U2.1") == (16, 1)
    found = plan(quarter, U1, REVERSED)

    assert found.automatic == (U2,)
    quarter.record(*found.cascade)
    assert quarter.state.matches[U2].status is MatchStatus.READY
    assert quarter.ways("L1.1") == (17, 1)


def test_correction_beside_a_bye(new_day: NewDay) -> None:
    day = new_day(31)
    day.wins(16, "U1.2")
    found = plan(day, MatchKey("U1.2"), Result(MatchKey("U1.2"), EntryId(17), EntryId(16)))
    day.record(*found.cascade)

    assert found.effect is Effect.MOVES_PLAYERS
    assert day.state.matches[U2].players == (1, 17)
    assert day.ways("L1.1")[0] == 16


def test_result_after_which_a_player_left_can_still_be_corrected(quarter: Day) -> None:
    quarter.leaves(32)
    quarter.record(*plan(quarter, U1, REVERSED).cascade)

    assert quarter.ways("U1.1") == (32, 1)
    assert quarter.ways("U2.1") == (16, 32)


def test_taking_back_one_level_only_is_refused(quarter: Day) -> None:
    quarter.wins(1, "U2.1")

    with pytest.raises(TourneyError) as refused:
        quarter.record(Voided(U1, "misread"))

    assert (refused.value.code, refused.value.values) == ("bracket.downstream_played", {"matches": ["U2.1"]})


@pytest.mark.parametrize(
    ("match", "new", "reason", "code"),
    [
        (U1, REVERSED, "", "bracket.reason_needed"),
        (U2, Result(U2, ONE, EntryId(16)), "x", "bracket.match_open"),
        (U1, Result(U1, ONE, EntryId(16)), "x", "bracket.not_in_match"),
        (U1, Result(U2, ONE, LAST), "x", "bracket.not_in_match"),
        (MatchKey("U1.3"), Result(MatchKey("U1.3"), EntryId(8), EntryId(25)), "x", "bracket.automatic_result"),
    ],
)
def test_impossible_correction_is_refused(quarter: Day, match: MatchKey, new: Result, reason: str, code: str) -> None:
    quarter.leaves(25)

    with pytest.raises(TourneyError) as refused:
        plan_correction(quarter.spec, quarter.seeds, quarter.facts, match, new, reason=reason)

    assert refused.value.code == code
