"""Small bands as little tables: the graph, what is proved of it, the ranking, corrections inside one."""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations, permutations

import pytest

from brackets.engine.build import TABLE_SIZES, BracketParams, build
from brackets.engine.calls import prospects
from brackets.engine.correction import CorrectionPlan, Effect, plan_correction
from brackets.engine.facts import How, Result, SeedsSwapped
from brackets.engine.layout import layout
from brackets.engine.proof import Span, prove
from brackets.engine.resolve import MatchStatus
from brackets.engine.simulate import play_event
from brackets.engine.tables import Meeting, ranked, table_lines
from brackets.engine.topology import BracketSpec, Places, Ties
from brackets.tests.engine.conftest import Day
from tourney.kernel.chance import Chance
from tourney.kernel.errors import RuleError, TourneyError
from tourney.kernel.ids import EntryId, MatchKey

NewDay = Callable[..., Day]
A, B, C, D = (EntryId(number) for number in range(1, 5))
SEEDS = {A: 1, B: 2, C: 3, D: 4}


@pytest.mark.parametrize(
    ("decided", "ties", "expected"),
    [
        ([(A, B), (A, C), (A, D), (B, C), (B, D), (C, D)], Ties.SHARED, [[A], [B], [C], [D]]),
        ([(D, A), (D, B), (D, C), (C, B), (C, A), (B, A)], Ties.SHARED, [[D], [C], [B], [A]]),
        # B and C have two wins each, and C has beaten B.
        ([(C, B), (B, A), (B, D), (C, D), (A, C), (A, D)], Ties.SHARED, [[A, B, C], [D]]),
        ([(C, B), (B, A), (B, D), (C, D), (A, C), (A, D)], Ties.SEED, [[A], [B], [C], [D]]),
        ([(A, B), (A, D), (C, A), (B, C), (B, D), (D, C)], Ties.SEED, [[A], [B], [D], [C]]),
        ([], Ties.SHARED, [[A, B, C, D]]),
    ],
)
def test_wins_then_the_matches_between_them_then_the_named_rule(
    decided: list[tuple[EntryId, EntryId]], ties: Ties, expected: list[list[EntryId]]
) -> None:
    assert ranked([D, C, B, A], decided, SEEDS, ties) == expected


def test_three_level_are_parted_by_their_own_matches_alone() -> None:
    # B, C and D have two wins each, in a circle; A, whom all three have beaten, parts nobody.
    circle = [(B, A), (C, A), (D, A), (C, B), (B, D), (D, C)]

    assert ranked([A, B, C, D], circle, SEEDS, Ties.SHARED) == [[B, C, D], [A]]
    assert ranked([A, B, C, D], circle, SEEDS, Ties.SEED) == [[B], [C], [D], [A]]


@pytest.mark.parametrize("players", [3, 4, 5, 6, 7, 8])
def test_every_pair_meets_once_and_nobody_twice_in_a_round(players: int) -> None:
    spec = build(BracketParams(table_up_to=players), 32 if players == 8 else 24 + players)
    table = next(table for table in spec.tables if len(table.members) == players)

    assert len(table.matches) == players * (players - 1) // 2
    slots: dict[int, int] = {}
    for key in table.matches:
        slots[spec.by_key[key].slot] = slots.get(spec.by_key[key].slot, 0) + 1
    assert max(slots.values()) <= players // 2
    ahead: dict[object, set[int]] = {member: {number} for number, member in enumerate(table.members)}
    met = []
    for key in table.matches:
        match = spec.by_key[key]
        here = []
        for side, onward in (("a", match.a_to), ("b", match.b_to)):
            (number,) = ahead[next(t for t in ahead if t == (key, side))]  # type: ignore[comparison-overlap]
            here.append(number)
            if onward is not None:
                ahead[onward] = {number}
        met.append(tuple(sorted(here)))
    assert sorted(met) == list(combinations(range(players), 2))


@pytest.mark.parametrize("size", [8, 16, 32, 64, 128])
@pytest.mark.parametrize("return_at", [2, 4, "never"])
@pytest.mark.parametrize("up_to", [3, 4, 8])
def test_every_place_once_for_any_number_of_players(size: int, return_at: int | str, up_to: int) -> None:
    back = size if return_at == "never" else int(return_at)
    params = BracketParams(size=size, return_at=back, table_up_to=up_to)
    for players in {size, size - 1, size * 3 // 4, size // 2 + 1}:
        proof = prove(build(params, players), players)
        plain = prove(build(BracketParams(size=size, return_at=back)), players)

        assert (proof.each_place_once, proof.each_way_once) == (True, True), players
        assert proof.per_player.least >= plain.per_player.least
        assert proof.matches.least >= plain.matches.least


@pytest.mark.clause("K5.6")
def test_proof_for_32_and_the_numbers_with_byes() -> None:
    proof = prove(build(BracketParams(table_up_to=4)))

    assert (proof.matches, proof.slots, proof.per_player) == (Span(108, 108), 10, Span(6, 10))
    assert proof.by_place[Places(13, 16)] == Span(7, 7)
    sure = {n: prove(build(BracketParams(table_up_to=4), n), n).per_player.least for n in range(17, 33)}
    assert [n for n, least in sure.items() if least >= 5] == [20, 23, 24, 28, 31, 32]


def test_only_known_sizes_of_tables() -> None:
    assert TABLE_SIZES == (0, 3, 4, 5, 6, 7, 8)
    with pytest.raises(RuleError, match="table_up_to"):
        BracketParams(table_up_to=9)


def test_graph_survives_its_stored_form() -> None:
    spec = build(BracketParams(size=16, table_up_to=4, table_ties=Ties.SHARED), 15)

    assert BracketSpec.from_json(spec.to_json()) == spec
    assert "tables" not in build(BracketParams()).to_json()


@pytest.fixture
def table_of_four(new_day: NewDay) -> Day:
    """A bracket of 16 played up to the table for places 9–12 (seeds 9 to 12); its first round is open."""
    day = new_day(16, size=16, table_up_to=4)
    while day.state.open_matches and not all(day.spec.by_key[v.key].table for v in day.state.open_matches):
        for view in day.state.open_matches:
            if not day.spec.by_key[view.key].table:
                day.wins(min(view.players), view.key)
    return day


def test_matches_of_a_table_open_round_after_round(table_of_four: Day) -> None:
    day = table_of_four
    first = [view.key for view in day.state.open_matches if view.key.startswith("P9.")]

    assert len(first) == 2
    assert {day.state.matches[MatchKey(f"P9.{n}")].status for n in (3, 4, 5, 6)} == {MatchStatus.LOCKED}
    day.wins(min(day.state.matches[first[0]].players), first[0])
    assert all(not day.state.matches[MatchKey(f"P9.{n}")].is_open for n in (3, 4, 5, 6))
    day.wins(min(day.state.matches[first[1]].players), first[1])
    assert sum(day.state.matches[MatchKey(f"P9.{n}")].is_open for n in (3, 4, 5, 6)) == 2


def test_places_come_with_the_last_match_of_the_table(table_of_four: Day) -> None:
    day = table_of_four
    members = sorted(p for n in (1, 2) for p in day.state.matches[MatchKey(f"P9.{n}")].players)
    for number in range(1, 7):
        assert not set(members) & set(day.state.places)
        view = day.state.matches[MatchKey(f"P9.{number}")]
        day.wins(max(view.players), view.key)  # the weaker seed wins everything

    assert [day.state.places[player] for player in members] == [Places(p, p) for p in (12, 11, 10, 9)]
    (table,) = [table for table in day.spec.tables if table.code == "P9"]
    lines = table_lines(table, day.state)
    assert [(line.player, line.won, line.played) for line in lines] == [
        (player, 3 - n, 3) for n, player in enumerate(reversed(members))
    ]
    assert lines[0].results[0] is None
    assert isinstance(lines[0].results[1], Meeting)
    assert lines[0].results[1].won is True


def test_player_who_has_played_all_waits_for_the_others(table_of_four: Day) -> None:
    day = table_of_four
    for number in (1, 2, 3, 4):
        view = day.state.matches[MatchKey(f"P9.{number}")]
        day.wins(min(view.players), view.key)
    last = day.state.matches[MatchKey("P9.5")]
    day.wins(min(last.players), last.key)
    found = prospects(day.spec, day.state, last.players[0])

    assert (found.is_decided, found.match, found.matches_left) == (False, None, Span(0, 0))
    assert found.places == Places(9, 12)


def last_two(day: Day) -> list[EntryId]:
    """Who stands on places 11 and 12."""
    return [player for player, places in day.state.places.items() if places.first in (11, 12)]


def turned_round(day: Day, key: str) -> CorrectionPlan:
    view = day.state.matches[MatchKey(key)]
    winner, loser = view.winner, view.loser
    assert isinstance(winner, int)
    assert isinstance(loser, int)
    new = Result(view.key, EntryId(loser), EntryId(winner))
    return plan_correction(day.spec, day.seeds, day.facts, view.key, new, reason="misread")


def test_correction_in_a_table_moves_nobody_and_changes_places(table_of_four: Day) -> None:
    day = table_of_four
    day.play_out()
    (key,) = [
        v.key for v in day.state.matches.values() if v.key.startswith("P9.") and set(v.players) == set(last_two(day))
    ]
    plan = turned_round(day, key)

    assert (plan.effect, plan.void, plan.moves) == (Effect.MOVES_PLAYERS, (), ())
    assert [(before and before.first, after and after.first) for _, before, after in plan.places] == [
        (11, 12),
        (12, 11),
    ]
    day.record(*plan.cascade)
    assert day.state.is_complete


def test_correction_that_changes_who_is_in_the_table_reaches_its_matches(table_of_four: Day) -> None:
    day = table_of_four
    day.play_out()
    plan = turned_round(day, "L2.1")

    assert plan.effect is Effect.BLOCKED
    void = [key for key in plan.void if key.startswith("P9.")]
    assert len(void) == 3
    assert {view.loser for view in day.state.matches.values() if view.key == "L2.1"} < {
        player for key in void for player in day.state.matches[key].players
    }
    day.record(*plan.cascade)
    kept = [v for v in day.state.matches.values() if v.key.startswith("P9.") and v.status is MatchStatus.DONE]
    assert len(kept) == 3


def test_departure_in_a_table_loses_what_is_left_there(table_of_four: Day) -> None:
    day = table_of_four
    gone = day.state.matches[MatchKey("P9.1")].players[0]
    day.wins(gone, "P9.1")
    day.leaves(gone)
    day.play_out()

    lost = [v for v in day.state.matches.values() if v.key.startswith("P9.") and v.how is How.OPPONENT_LEFT]
    assert len(lost) == 2
    assert day.state.places[gone].first >= 10


def test_a_free_seed_stays_where_it_is(new_day: NewDay) -> None:
    day = new_day(27, table_up_to=4)
    with pytest.raises(TourneyError) as refused:
        day.record(SeedsSwapped(27, 28, "by hand"))
    assert refused.value.code == "bracket.bye_fixed"


def test_two_blocks_of_one_band_are_on_one_sheet(de32: BracketSpec) -> None:
    spec = build(BracketParams(table_up_to=4))
    sheets = {sheet.code: sheet for sheet in layout(spec)}

    assert set(sheets) == {sheet.code for sheet in layout(de32)}
    assert [column.number for column in sheets["P13"].columns] == [1, 2, 3]
    assert len(sheets["P13"].boxes) == 6
    assert sheets["P13"].lines == ()
    assert len(sheets["P25"].boxes) == 4 + 12
    for sheet in sheets.values():
        taken = {(box.x, box.y) for box in sheet.boxes}
        assert len(taken) == len(sheet.boxes)


@pytest.mark.parametrize("players", [32, 31, 27, 21, 17])
def test_random_events_with_tables_end(players: int) -> None:
    for seed, ties in zip(range(4), [Ties.SEED, Ties.SHARED] * 2, strict=True):
        spec = build(BracketParams(table_up_to=4 + 2 * (seed % 3), table_ties=ties), players)
        assert play_event(spec, players, Chance.labelled(seed, f"tables {players}")).state.is_complete


def test_ranking_never_depends_on_the_order_of_the_matches() -> None:
    decided = [(A, B), (B, C), (C, A), (A, D), (D, B), (C, D)]
    found = {str(ranked([A, B, C, D], order, SEEDS, Ties.SHARED)) for order in permutations(decided, 6)}

    assert len(found) == 1
