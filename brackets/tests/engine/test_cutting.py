"""A bracket cut short: what isn't played any more, who gets which place, and the way back."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from brackets.engine.build import BracketParams, build
from brackets.engine.calls import outlook, prospects, remaining_path
from brackets.engine.correction import plan_correction
from brackets.engine.cutting import bounds_of
from brackets.engine.facts import Cut, CutScope, Fact, Result, Retracted, fact_from_json, fact_to_json
from brackets.engine.placings import final_places
from brackets.engine.resolve import MatchStatus
from brackets.engine.simulate import Troubles, play_event
from brackets.engine.topology import Places, Ties
from brackets.tests.engine.conftest import Day
from tourney.kernel.chance import Chance
from tourney.kernel.errors import TourneyError
from tourney.kernel.ids import EntryId, MatchKey

NewDay = Callable[..., Day]
ALL = Cut(CutScope.EVERYTHING, Ties.SHARED, "the siren")
PLACES = Cut(CutScope.PLACEMENT, Ties.SHARED, "the power")


def played(day: Day, *stages: str) -> Day:
    """Play every match of these rounds; the better seed wins."""
    for stage in stages:
        for match in day.spec.matches:
            if match.stage == stage and day.state.matches[match.key].is_open:
                day.wins(min(day.state.matches[match.key].players), match.key)
    return day


def bands(day: Day) -> dict[int, tuple[int, int]]:
    return {player: tuple(places) for player, places in sorted(day.state.places.items())}  # type: ignore[misc]


def test_who_is_ahead_stays_ahead_and_equals_share(new_day: NewDay) -> None:
    day = played(new_day(8, size=8), "U1", "L1")
    day.wins(1, "U2.1")
    day.record(ALL)

    assert day.state.is_complete
    assert day.state.cut is CutScope.EVERYTHING
    # 1 beat 4 and is sure of place 3. Of place 6 are sure: 2 and 3, still undefeated, and 4, 5 and 6 in the lower
    # bracket. The losers of L1 play for 7.
    assert bands(day) == {1: (1, 1), 2: (2, 3), 3: (2, 3), 4: (4, 6), 5: (4, 6), 6: (4, 6), 7: (7, 8), 8: (7, 8)}


def test_better_seed_first_where_nothing_is_shared(new_day: NewDay) -> None:
    day = played(new_day(8, size=8), "U1", "L1")
    day.record(Cut(CutScope.EVERYTHING, Ties.SEED, "the siren"))

    assert sorted(places.first for places in day.state.places.values()) == list(range(1, 9))
    assert all(places.first == places.last for places in day.state.places.values())
    assert bands(day)[7] == (7, 7)


def test_nothing_played_yet_everybody_shares_everything(new_day: NewDay) -> None:
    day = new_day(8, size=8)
    day.record(ALL)

    assert set(day.state.places.values()) == {Places(1, 8)}


def test_matches_for_places_end_and_the_race_goes_on(new_day: NewDay) -> None:
    day = played(new_day(), "U1", "U2", "L1")
    day.wins(17, "P25.1") if 17 in day.state.matches[MatchKey("P25.1")].players else day.wins(
        min(day.state.matches[MatchKey("P25.1")].players), "P25.1"
    )
    winner = day.state.matches[MatchKey("P25.1")].winner
    loser = day.state.matches[MatchKey("P25.1")].loser
    day.record(PLACES)

    assert day.state.matches[MatchKey("P25.2")].status is MatchStatus.CUT
    assert day.state.matches[MatchKey("L2.1")].is_open
    # All eight of the band are known: one is ahead, six share, one is behind.
    assert day.state.places[winner] == Places(25, 25)  # type: ignore[index]
    assert day.state.places[loser] == Places(32, 32)  # type: ignore[index]
    assert sum(places == Places(26, 31) for places in day.state.places.values()) == 6
    assert not any(17 <= places.first <= 24 for places in day.state.places.values())
    played(day, "L2")
    assert sum(places == Places(17, 24) for places in day.state.places.values()) == 8
    day.play_out()
    assert day.state.is_complete
    assert sum(view.status is MatchStatus.CUT for view in day.state.matches.values()) == 33
    assert len(final_places(day.spec, day.state)) == 32


@pytest.mark.parametrize("first", list(Ties))
def test_places_given_by_a_cut_stay_when_the_rest_is_cut_by_another_rule(new_day: NewDay, first: Ties) -> None:
    day = played(new_day(), "U1", "U2", "L1", "L2")
    day.record(Cut(CutScope.PLACEMENT, first, "the lights went out"))
    given = {player: places for player, places in day.state.places.items() if places.first >= 17}

    day.record(Cut(CutScope.EVERYTHING, Ties.SHARED if first is Ties.SEED else Ties.SEED, "and did not come back"))

    assert len(given) == 16
    assert {player: day.state.places[player] for player in given} == given
    assert day.state.is_complete


def test_player_whose_match_is_cut_while_others_are_missing_knows_his_band(new_day: NewDay) -> None:
    day = played(new_day(), "U1")
    day.wins(min(day.state.matches[MatchKey("L1.1")].players), "L1.1")
    stopped = day.state.matches[MatchKey("L1.1")].loser
    day.record(PLACES)
    found = prospects(day.spec, day.state, stopped)  # type: ignore[arg-type]

    assert (found.is_decided, found.match, tuple(found.places), found.matches_left) == (False, None, (25, 32), (0, 0))
    ahead = outlook(day.spec, day.state).matches
    assert ahead[day.spec.seed_targets[1]].least < 5
    assert all(path == 0 for key, path in remaining_path(day.spec, day.state).items() if key.startswith("P"))


def test_unfinished_table_is_shared_by_all_and_a_finished_one_stands(new_day: NewDay) -> None:
    day = new_day(16, size=16, table_up_to=4)
    while any(not key.startswith("P9.") for key in (view.key for view in day.state.open_matches)):
        for view in day.state.open_matches:
            if not view.key.startswith("P9."):
                day.wins(min(view.players), view.key)
    before = dict(day.state.places)
    view = day.state.matches[MatchKey("P9.1")]
    day.wins(min(view.players), "P9.1")
    day.record(ALL)

    assert sum(places == Places(9, 12) for places in day.state.places.values()) == 4
    assert {player: day.state.places[player] for player in before} == before


def test_result_or_correction_of_a_match_that_was_cut_is_refused(new_day: NewDay) -> None:
    day = played(new_day(8, size=8), "U1")
    day.record(ALL)
    with pytest.raises(TourneyError) as refused:
        day.record(Result(MatchKey("U2.1"), EntryId(1), EntryId(4)))
    assert refused.value.code == "bracket.cut_short"
    with pytest.raises(TourneyError) as refused:
        plan_correction(day.spec, day.seeds, day.facts, MatchKey("U2.1"), None, reason="x")
    assert refused.value.code == "bracket.cut_short"
    with pytest.raises(TourneyError) as refused:
        day.record(ALL)
    assert refused.value.code == "bracket.nothing_to_cut"


def test_cut_needs_a_reason_and_is_taken_back_exactly(new_day: NewDay) -> None:
    day = played(new_day(8, size=8), "U1", "L1")
    with pytest.raises(TourneyError) as refused:
        day.record(Cut(CutScope.EVERYTHING, Ties.SHARED, " "))
    assert refused.value.code == "bracket.reason_needed"
    before = day.state
    day.record(ALL)
    day.record(Retracted(len(day.facts) - 1, "the power is back"))

    assert day.state == before


def test_who_leaves_after_the_cut_moves_nobody(new_day: NewDay) -> None:
    day = played(new_day(8, size=8), "U1", "L1")
    day.record(ALL)
    before = dict(day.state.places)
    day.leaves(4)

    assert day.state.places == before


def test_who_had_left_before_the_cut_has_lost_without_play(new_day: NewDay) -> None:
    day = played(new_day(8, size=8), "U1")
    day.leaves(4)
    day.record(ALL)

    assert day.state.matches[MatchKey("U2.1")].winner == 1
    assert day.state.places[EntryId(1)].last < day.state.places[EntryId(4)].first


def test_correction_of_a_match_before_the_cut_settles_the_places_anew(new_day: NewDay) -> None:
    day = played(new_day(8, size=8), "U1", "L1")
    day.record(ALL)
    new = Result(MatchKey("L1.1"), EntryId(8), EntryId(5))
    plan = plan_correction(day.spec, day.seeds, day.facts, new.match, new, reason="misread")
    day.record(*plan.cascade)

    assert day.state.places[EntryId(5)] == Places(7, 8)
    assert day.state.places[EntryId(8)].last <= 6


@pytest.mark.parametrize("fact", [ALL, Cut(CutScope.PLACEMENT, Ties.SEED, "x")])
def test_fact_survives_its_stored_form(fact: Fact) -> None:
    assert fact_from_json(fact_to_json(fact)) == fact


@pytest.mark.parametrize(
    ("params", "players"),
    [
        (BracketParams(), 32),
        (BracketParams(), 27),
        (BracketParams(return_at=16), 30),
        (BracketParams(final="reset", places=2), 32),
        (BracketParams(table_up_to=8, table_ties=Ties.SHARED), 29),
        (BracketParams(size=16, return_at=16), 16),
    ],
)
def test_nobody_gets_a_worse_place_than_he_was_sure_of(params: BracketParams, players: int) -> None:
    """The simulation checks it at every cut; here are many of them, at any moment and taken back as well."""
    spec = build(params, players)
    cuts = 0
    for seed in range(6):
        event = play_event(spec, players, Chance.labelled(seed, "cuts"), Troubles(cut=30, undone=60))
        cuts += sum(isinstance(fact, Cut) for fact in event.facts)
        assert sorted(event.state.places) == list(range(1, players + 1))

    assert cuts >= 4


def test_bounds_are_the_places_still_possible(new_day: NewDay) -> None:
    day = played(new_day(8, size=8), "U1")
    found = bounds_of(day.spec, day.state.matches, day.state.places)

    assert (tuple(found[EntryId(1)]), tuple(found[EntryId(8)])) == ((1, 6), (1, 8))
