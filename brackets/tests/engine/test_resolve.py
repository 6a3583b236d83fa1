"""The state of a bracket: who goes where, what is refused, what settles by itself."""

from __future__ import annotations

import time
from collections.abc import Callable

import pytest

from brackets.engine.facts import (
    Fact,
    How,
    Left,
    OnPaper,
    Replaced,
    Result,
    Retracted,
    Returned,
    SeedsSwapped,
    Voided,
    fact_from_json,
    fact_to_json,
)
from brackets.engine.placings import DisqualifiedPlace, LeftPlace, final_places
from brackets.engine.resolve import BYE, MatchStatus, resolve
from brackets.engine.topology import BracketSpec, Places
from brackets.tests.engine.conftest import Day
from tourney.kernel.errors import TourneyError
from tourney.kernel.ids import EntryId, MatchKey

NewDay = Callable[..., Day]
A, B = EntryId(1), EntryId(32)
U1 = MatchKey("U1.1")


def order(day: Day, **policy: object) -> list[tuple[int, int]]:
    return [(places.first, player) for places, player in final_places(day.spec, day.state, **policy)]  # type: ignore[arg-type]


def test_start_opens_the_first_round_only(new_day: NewDay) -> None:
    day = new_day()

    assert [view.key for view in day.state.open_matches] == [f"U1.{number}" for number in range(1, 17)]
    assert {view.status for view in day.state.matches.values()} == {MatchStatus.READY, MatchStatus.LOCKED}


def test_winner_and_loser_go_their_ways(new_day: NewDay) -> None:
    day = new_day()
    day.wins(32, "U1.1")
    day.wins(16, "U1.2")

    upper, lower = day.state.matches[MatchKey("U2.1")], day.state.matches[MatchKey("L1.1")]
    assert (upper.status, upper.a, upper.b) == (MatchStatus.READY, 32, 16)
    assert (lower.status, lower.a, lower.b) == (MatchStatus.READY, 1, 17)


@pytest.mark.clause("K5.5")
def test_favourites_take_the_places_of_the_first_two_seeds(new_day: NewDay) -> None:
    day = new_day()
    day.play_out()

    assert day.state.is_complete
    assert sorted(day.state.places.values()) == [Places(place, place) for place in range(1, 33)]
    assert order(day)[:2] == [(1, 1), (2, 2)]


@pytest.mark.clause("K3.1")
def test_more_players_than_seeds_are_refused(de32: BracketSpec) -> None:
    with pytest.raises(TourneyError) as refused:
        resolve(de32, [EntryId(number) for number in range(33)], ())

    assert (refused.value.code, refused.value.values) == ("bracket.too_many_players", {"players": 33, "size": 32})


def test_player_on_two_seeds_is_refused(de32: BracketSpec) -> None:
    with pytest.raises(TourneyError) as refused:
        resolve(de32, [A, A], ())

    assert refused.value.code == "bracket.player_twice"


@pytest.mark.parametrize("players", range(17, 33))
def test_byes_end_in_the_last_places(new_day: NewDay, players: int) -> None:
    day = new_day(players)
    day.play_out(max)

    assert sorted(day.state.bye_places) == [Places(place, place) for place in range(players + 1, 33)]
    assert [place for place, _ in order(day)] == list(range(1, players + 1))


def test_bye_is_no_match_and_loses_before_its_opponent_is_known(new_day: NewDay) -> None:
    day = new_day(31)

    first, lower = day.state.matches[U1], day.state.matches[MatchKey("L1.1")]
    assert (first.status, first.winner, first.loser, first.played) == (MatchStatus.BYE, 1, BYE, False)
    assert (lower.status, lower.winner, lower.loser) == (MatchStatus.BYE, None, BYE)
    day.wins(16, "U1.2")
    assert day.ways("L1.1") == (17, BYE)
    assert day.state.matches_played()[A] == 0


def test_two_byes_send_a_bye_both_ways(new_day: NewDay) -> None:
    day = new_day(16)

    assert day.ways("L1.1") == (BYE, BYE)


def test_unknown_side_is_not_a_bye(new_day: NewDay) -> None:
    day = new_day()
    day.wins(1, "U1.1")

    assert day.state.matches[MatchKey("U2.1")].status is MatchStatus.LOCKED


def test_walkover_loses_one_match_only(new_day: NewDay) -> None:
    day = new_day()
    day.wins(1, "U1.1", How.WALKOVER)
    day.wins(16, "U1.2")

    lower = day.state.matches[MatchKey("L1.1")]
    assert day.state.matches[U1].status is MatchStatus.WALKOVER
    assert (lower.status, lower.a) == (MatchStatus.READY, 32)
    assert day.state.matches_played()[A] == 0


def test_withdrawal_loses_every_later_match_as_soon_as_the_opponent_is_known(new_day: NewDay) -> None:
    day = new_day()
    day.leaves(1)

    assert day.ways("U1.1") == (32, 1)
    assert day.state.matches[MatchKey("L1.1")].status is MatchStatus.LOCKED
    day.wins(16, "U1.2")
    assert day.ways("L1.1") == (17, 1)
    day.play_out()
    assert day.state.is_complete
    assert order(day)[-1] == (32, 1)


def test_of_two_who_left_the_better_seed_goes_the_winners_way(new_day: NewDay) -> None:
    day = new_day()
    day.leaves(32)
    day.leaves(1)

    view = day.state.matches[U1]
    assert (view.winner, view.loser, view.how, view.status) == (1, 32, How.BOTH_LEFT, MatchStatus.WALKOVER)


def test_who_left_beats_a_bye(new_day: NewDay) -> None:
    day = new_day(31)
    day.leaves(1)

    assert day.ways("U1.1") == (1, BYE)


def test_both_absent_send_the_drawn_one_on_and_both_play_again(new_day: NewDay) -> None:
    day = new_day()
    day.wins(32, "U1.1", How.DOUBLE_ABSENCE)
    day.wins(16, "U1.2")

    assert day.state.matches[MatchKey("U2.1")].players == (32, 16)
    assert day.state.matches[MatchKey("L1.1")].status is MatchStatus.READY
    assert day.state.matches_played()[B] == 0


@pytest.mark.clause("K10.3")
def test_disqualified_player_has_no_place_and_the_bracket_completes(new_day: NewDay) -> None:
    day = new_day()
    day.wins(1, "U1.1")
    day.leaves(1, disqualified=True)
    day.play_out()

    assert day.state.is_complete
    assert day.state.matches[U1].winner == 1
    assert [place for place, _ in order(day)] == list(range(1, 32))
    assert 1 not in [player for _, player in order(day)]
    kept = order(day, disqualified=DisqualifiedPlace.KEEP_EMPTY)
    assert sorted([day.state.places[A].first, *(place for place, _ in kept)]) == list(range(1, 33))


@pytest.mark.clause("K10.3")
def test_match_awarded_as_a_sanction_counts_as_decided(new_day: NewDay) -> None:
    day = new_day()
    day.record(Result(U1, B, A, How.DECISION, played=False, reason="used a telephone"))
    day.wins(16, "U1.2")

    assert day.state.matches[MatchKey("U2.1")].players == (32, 16)
    assert day.state.matches[MatchKey("L1.1")].players == (1, 17)


def test_withdrawn_player_may_lose_his_place_or_go_to_the_end_of_his_band(new_day: NewDay) -> None:
    day = new_day()
    for match in ("U1.1", "U1.2", "U1.3", "U1.4"):
        day.wins(max(day.state.matches[MatchKey(match)].players), match)
    day.wins(16, "L1.1")
    day.wins(9, "L1.2")
    day.wins(8, "P25.1")
    day.wins(25, "U2.2")
    day.play_out()
    eighth = day.state.places[EntryId(8)]
    day.leaves(8)

    assert eighth == Places(25, 25)
    assert (25, 8) in order(day)
    assert order(day, left=LeftPlace.LAST_OF_BAND)[-1] == (32, 8)
    assert 8 not in [player for _, player in order(day, left=LeftPlace.NONE)]
    assert [place for place, _ in order(day, left=LeftPlace.NONE)] == list(range(1, 32))


def test_shared_places_move_up_as_a_whole(new_day: NewDay) -> None:
    day = new_day(31, places=2)
    day.play_out()

    last = [(places, player) for places, player in final_places(day.spec, day.state) if places.last > 24]
    assert {places for places, _ in last} == {Places(25, 31)}
    assert len(last) == 7


def test_return_undoes_the_automatic_losses(new_day: NewDay) -> None:
    day = new_day()
    day.leaves(1)
    day.wins(16, "U1.2")
    day.returns(1)

    assert day.state.matches[U1].status is MatchStatus.READY
    assert day.state.matches[MatchKey("U2.1")].status is MatchStatus.LOCKED


def test_return_is_too_late_once_an_automatic_loss_has_been_built_on(new_day: NewDay) -> None:
    day = new_day()
    day.leaves(1)
    day.wins(16, "U1.2")
    day.wins(16, "U2.1")

    with pytest.raises(TourneyError) as refused:
        day.returns(1)

    assert (refused.value.code, refused.value.values) == ("bracket.downstream_played", {"matches": ["U2.1"]})


def test_second_final_is_not_needed_if_the_upper_finalist_wins(new_day: NewDay) -> None:
    day = new_day(final="reset")
    day.play_out()

    second = day.state.matches[MatchKey("GF.2")]
    assert (second.status, second.how, second.winner) == (MatchStatus.NOT_NEEDED, How.NOT_NEEDED, 1)
    assert order(day)[:2] == [(1, 1), (2, 2)]


def test_second_final_is_played_if_the_lower_finalist_wins(new_day: NewDay) -> None:
    day = new_day(final="reset")
    while day.state.matches[MatchKey("GF.1")].status is MatchStatus.LOCKED:
        for view in day.state.open_matches:
            if view.key != "GF.1":
                day.wins(min(view.players), view.key)
    lower = day.state.matches[MatchKey("GF.1")].b
    assert isinstance(lower, int)
    day.wins(lower, "GF.1")

    second = day.state.matches[MatchKey("GF.2")]
    assert (second.status, second.a, second.b, second.rematch) == (MatchStatus.READY, 1, lower, True)
    day.wins(1, "GF.2")
    assert order(day)[:2] == [(1, 1), (2, lower)]


def test_second_meeting_of_two_players_is_marked(new_day: NewDay) -> None:
    day = new_day()
    day.play_out()

    final = day.state.matches[MatchKey("GF.1")]
    assert (final.a, final.b, final.rematch) == (1, 2, True)
    assert not day.state.matches[MatchKey("U5.1")].rematch


def test_reserve_takes_the_slot_of_a_no_show(new_day: NewDay) -> None:
    day = new_day()
    day.record(Replaced(A, EntryId(77), "did not come"))

    assert day.state.matches[U1].players == (77, 32)
    assert 1 not in day.state.seeds


def test_seeds_can_be_swapped_until_one_of_them_has_played(new_day: NewDay) -> None:
    day = new_day()
    day.record(SeedsSwapped(32, 31, "same club"))
    assert day.state.matches[U1].players == (1, 31)
    day.wins(1, "U1.1")

    with pytest.raises(TourneyError) as refused:
        day.record(SeedsSwapped(1, 2, "too late"))

    assert (refused.value.code, refused.value.values) == ("bracket.already_played", {"match": "U1.1", "seed": 1})


def test_seed_with_a_bye_moves_until_its_first_real_match(new_day: NewDay) -> None:
    day = new_day(31)
    day.record(SeedsSwapped(1, 2, "asked for"))
    assert day.ways("U1.1") == (2, BYE)
    day.wins(16, "U1.2")
    day.wins(2, "U2.1")

    with pytest.raises(TourneyError) as refused:
        day.record(SeedsSwapped(1, 3, "too late"))

    assert refused.value.code == "bracket.already_played"


def test_result_left_wrong_on_paper_moves_nobody(new_day: NewDay) -> None:
    day = new_day()
    day.wins(1, "U1.1")
    before = day.state.matches[MatchKey("U2.1")]
    day.record(OnPaper(U1, B, "colours were mixed up"))

    assert (day.state.matches[U1].winner, day.state.matches[U1].on_paper) == (1, 32)
    assert day.state.matches[MatchKey("U2.1")] == before


def test_any_fact_can_be_taken_back_and_that_too(new_day: NewDay) -> None:
    day = new_day()
    start = day.state
    day.wins(1, "U1.1")
    played = day.state
    day.record(Retracted(0, "wrong board"))
    assert day.state == start
    day.record(Retracted(1, "it was right"))
    assert day.state == played


@pytest.mark.parametrize(
    ("fact", "code"),
    [
        (Result(MatchKey("U2.1"), A, B), "bracket.match_locked"),
        (Result(MatchKey("X1.1"), A, B), "bracket.unknown_match"),
        (Result(U1, A, EntryId(17)), "bracket.not_in_match"),
        (Result(U1, A, A), "bracket.not_in_match"),
        (Result(MatchKey("U1.2"), EntryId(16), EntryId(17)), "bracket.match_settled"),
        (Result(MatchKey("U1.3"), EntryId(8), EntryId(25)), "bracket.match_settled"),
        (Voided(U1, "why"), "bracket.match_open"),
        (Voided(MatchKey("U1.2"), " "), "bracket.reason_needed"),
        (Voided(MatchKey("U1.3"), "why"), "bracket.automatic_result"),
        (OnPaper(MatchKey("U1.2"), A, "why"), "bracket.not_in_match"),
        (Left(EntryId(99)), "bracket.unknown_player"),
        (Left(EntryId(25)), "bracket.already_left"),
        (Returned(A), "bracket.not_left"),
        (SeedsSwapped(1, 33), "bracket.unknown_seed"),
        (SeedsSwapped(1, 16), "bracket.already_played"),
        (Replaced(EntryId(99), EntryId(98)), "bracket.unknown_player"),
        (Replaced(A, B), "bracket.player_twice"),
        (Replaced(EntryId(16), EntryId(98)), "bracket.already_played"),
        (Retracted(9, "why"), "bracket.unknown_fact"),
    ],
)
def test_what_cannot_be_is_refused_and_changes_nothing(new_day: NewDay, fact: Fact, code: str) -> None:
    day = new_day()
    day.wins(16, "U1.2")
    day.leaves(25)
    before = (day.facts, day.state)

    with pytest.raises(TourneyError) as refused:
        day.record(fact)

    assert refused.value.code == code
    assert (day.facts, day.state) == before


def test_second_result_for_a_match_is_a_correction_and_needs_a_reason(new_day: NewDay) -> None:
    day = new_day()
    day.wins(1, "U1.1")
    day.record(Result(U1, B, A, reason="result sheet was read wrongly"))

    assert day.ways("U1.1") == (32, 1)


def test_withdrawal_may_become_a_disqualification(new_day: NewDay) -> None:
    day = new_day()
    day.leaves(1)
    day.leaves(1, disqualified=True)

    assert day.state.left == {1: True}


def test_result_found_by_the_bracket_cannot_be_entered() -> None:
    with pytest.raises(ValueError, match="bye"):
        Result(U1, A, B, How.BYE)


@pytest.mark.parametrize(
    "fact",
    [
        Result(U1, A, B, How.LEFT_DURING, True, "ill"),
        Voided(U1, "x"),
        OnPaper(U1, B, "x"),
        Left(A, True, "x"),
        Returned(A),
        SeedsSwapped(1, 2),
        Replaced(A, B),
        Retracted(3),
    ],
)
def test_facts_survive_being_stored(fact: Fact) -> None:
    assert fact_from_json(fact_to_json(fact)) == fact


@pytest.mark.parametrize("stored", [{"fact": "applause"}, {"fact": "left", "player": 1, "colour": "red"}, {}])
def test_unknown_stored_facts_are_refused(stored: dict[str, object]) -> None:
    with pytest.raises(TourneyError) as refused:
        fact_from_json(stored)

    assert refused.value.code == "bracket.unknown_fact"


@pytest.mark.parametrize(("size", "milliseconds"), [(32, 2), (128, 10)])
def test_state_is_resolved_in_time(new_day: NewDay, size: int, milliseconds: int) -> None:
    day = new_day(size, size=size)
    for view in day.state.open_matches:
        day.wins(min(view.players), view.key)
    best = 1.0
    for _ in range(20):
        began = time.perf_counter()
        resolve(day.spec, day.seeds, day.facts)
        best = min(best, time.perf_counter() - began)

    assert best * 1000 < milliseconds
