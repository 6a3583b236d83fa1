"""The standings: order of criteria, shared places, what separates two players, what values are made of."""

from __future__ import annotations

from datetime import date
from fractions import Fraction

import pytest

from prizes.engine.ranking import Ranking, RankingOptions, edition_of, parted_by, rank
from prizes.engine.tiebreaks import Cut, Part, Source, allowed_tiebreaks
from prizes.tests.engine.builders import stage
from tourney.kernel.errors import RuleError
from tourney.kernel.ids import EntryId
from tourney.kernel.outcomes import Scoring
from tourney.kernel.points import Points
from tourney.kernel.records import History, RoundKind

THREE_ROUNDS = stage(
    "1 2 1-0; 3 4 1-0",
    "1 3 1/2; 2 4 1-0",
    "1 4 1-0; 3 H",  # player 2 is absent
)


def places(ranking: Ranking) -> list[tuple[int, int, bool]]:
    return [(line.entry, line.rank, line.shared) for line in ranking]


def value(ranking: Ranking, entry: int, code: str) -> int | Fraction | None:
    return ranking.by_entry[EntryId(entry)].value(code).value


def test_rank_orders_by_points_then_by_the_next_criterion() -> None:
    history = stage("1 2 1-0; 3 4 1-0", "1 3 1-0; 2 4 1-0", "1 4 1-0; 2 3 1/2")

    ranking = rank(history, ["PTS", "BH"])

    assert places(ranking) == [(1, 1, False), (2, 2, True), (3, 2, True), (4, 4, False)]
    assert [line.points for line in ranking] == [6, 3, 3, 0]


def test_rank_breaks_a_tie_only_inside_its_group() -> None:
    ranking = rank(THREE_ROUNDS, ["PTS", "WIN"])

    assert places(ranking) == [(1, 1, False), (3, 2, False), (2, 3, False), (4, 4, False)]


def test_nobody_at_all_gives_empty_standings() -> None:
    assert len(rank(History((), 0), ["PTS", "DE", "BH"])) == 0


def test_standings_before_the_first_round_share_first_place() -> None:
    history = History(tuple(player.__class__(player.entry, player.number) for player in THREE_ROUNDS.players), 0)

    ranking = rank(history, ["PTS", "DE", "BH/C1", "FB", "AOB", "SB", "PS", "REP"])

    assert places(ranking) == [(1, 1, True), (2, 1, True), (3, 1, True), (4, 1, True)]


def test_absence_at_the_end_is_a_draw_for_the_opponents() -> None:
    ranking = rank(THREE_ROUNDS, ["PTS", "BH"])

    # 1 met 2 (1 point, adjusted to 1½), 3 (2) and 4 (0).
    assert value(ranking, 1, "BH") == Fraction(7, 2)
    parts = ranking.by_entry[EntryId(1)].value("BH").parts
    assert [part.opponent for part in parts] == [2, 3, 4]
    assert [part.score for part in parts] == [1, 2, 0]
    assert [part.adjusted for part in parts] == [Fraction(3, 2), 2, 0]


def test_own_unplayed_round_counts_a_dummy_that_is_capped_since_2026() -> None:
    now = rank(THREE_ROUNDS, ["PTS", "BH", "SB"], edition="2026")
    before = rank(THREE_ROUNDS, ["PTS", "BH", "SB"], edition="2023")

    # 3 met 4 (0) and 1 (2½); the half-point bye is worth his own 2 points, since 2026 at most 3 draws.
    assert value(now, 3, "BH") == 4
    assert value(before, 3, "BH") == Fraction(9, 2)
    assert value(now, 3, "SB") == Fraction(5, 4) + Fraction(3, 4)
    assert value(before, 3, "SB") == Fraction(5, 4) + 1


def test_cut_takes_an_absence_first_unless_the_event_opted_out() -> None:
    ranking = rank(THREE_ROUNDS, ["PTS", "BH/C1"])
    opted_out = rank(THREE_ROUNDS, ["PTS", "BH/C1"], options=RankingOptions(absences_cut_first=False))

    assert value(ranking, 3, "BH/C1") == Fraction(5, 2)
    assert value(opted_out, 3, "BH/C1") == 4


def test_value_lists_opponent_score_and_what_was_cut() -> None:
    ranking = rank(THREE_ROUNDS, ["PTS", "BH/C1"])

    half, full = Fraction(1, 2), Fraction(1)
    assert ranking.by_entry[EntryId(3)].value("BH/C1").parts == (
        Part(Source.OPPONENT, 1, EntryId(4), RoundKind.PLAYED, full, Fraction(0), Fraction(0), Fraction(0)),
        Part(Source.OPPONENT, 2, EntryId(1), RoundKind.PLAYED, half, 5 * half, 5 * half, 5 * half),
        Part(
            Source.CAPPED_BY_DRAWS,
            3,
            kind=RoundKind.HALF_BYE,
            result=half,
            adjusted=3 * half,
            counted=3 * half,
            cut=Cut.LOWEST_ABSENCE,
        ),
    )


def test_forfeit_is_capped_by_the_scheduled_opponent() -> None:
    history = stage("1 2 +-; 3 4 1-0", "1 3 1-0; 2 4 0-1", "1 4 1-0; 2 3 1/2")

    ranking = rank(history, ["PTS", "BH"])

    assert value(ranking, 1, "BH") == Fraction(1, 2) + Fraction(3, 2) + 1
    first = ranking.by_entry[EntryId(1)].value("BH").parts[0]
    assert (first.source, first.opponent, first.adjusted) == (Source.CAPPED_BY_OPPONENT, 2, Fraction(1, 2))


def test_parts_add_up_to_the_value() -> None:
    order = ["PTS", "BH/M1", "FB", "SB/C1", "PS/C1", "STD", "WIN", "WON", "BPG", "BWG", "REP"]
    ranking = rank(THREE_ROUNDS, order)

    for line in ranking:
        for found in line.values:
            assert sum(part.counted or 0 for part in found.parts if part.cut is None) == found.value, found.code


@pytest.mark.clause("M8.1")
def test_unplayed_games_with_black_are_no_games_with_black() -> None:
    history = stage("1 2 +-; 3 4 1-0", "3 1 0-1; 4 2 1-0")

    ranking = rank(history, ["PTS", "BPG", "WIN", "WON"])

    assert [value(ranking, entry, "BPG") for entry in (1, 2, 3, 4)] == [1, 1, 0, 1]
    assert [value(ranking, entry, "WIN") for entry in (1, 2, 3, 4)] == [2, 0, 1, 1]
    assert [value(ranking, entry, "WON") for entry in (1, 2, 3, 4)] == [1, 0, 1, 1]


def test_standard_points_differ_where_a_win_is_three() -> None:
    history = stage("1 2 1-0; 3 U", scoring=Scoring(Points(6), Points(2), Points(0), Points(6)))

    ranking = rank(history, ["PTS", "STD"])

    assert [(value(ranking, entry, "PTS"), value(ranking, entry, "STD")) for entry in (1, 2, 3)] == [
        (3, 1),
        (0, 0),
        (3, 1),
    ]


@pytest.mark.clause("M8.1")
def test_average_rating_uses_the_ratings_given_for_it() -> None:
    history = stage("1 2 1-0; 3 4 1-0", "1 3 1/2; 2 4 1-0")
    russian = {EntryId(1): 1500, EntryId(2): 1401, EntryId(3): 1300, EntryId(4): None}

    ranking = rank(history, ["PTS", "ARO"], ratings=russian, unrated=1000)

    assert [value(ranking, entry, "ARO") for entry in (1, 2, 3, 4)] == [1351, 1250, 1250, 1351]


def test_rating_tiebreaks_are_dropped_when_somebody_has_no_rating() -> None:
    history = stage("1 2 1-0", ratings=[1500, None])

    ranking = rank(history, ["PTS", "ARO", "WIN", "TPR"])

    assert (ranking.order, ranking.dropped) == (("PTS", "WIN"), ("ARO", "TPR"))


def test_undefined_value_comes_last() -> None:
    history = stage("1 2 +-; 3 4 1/2", "1 2 -+; 3 4 1/2", ratings=[2000, 1900, 1000, 900])

    ranking = rank(history, ["PTS", "ARO"])

    assert places(ranking) == [(4, 1, False), (3, 2, False), (1, 3, True), (2, 3, True)]


def test_lots_part_what_nothing_else_does() -> None:
    history = stage("1 2 1/2")
    lots = RankingOptions(lots={EntryId(1): 2, EntryId(2): 1})

    assert places(rank(history, ["PTS", "LOT"], options=lots)) == [(2, 1, False), (1, 2, False)]
    with pytest.raises(RuleError) as refused:
        rank(history, ["PTS", "LOT"])
    assert (refused.value.path, refused.value.code) == ("options.lots", "tiebreak.lot_missing")


def test_parted_by_names_the_first_criterion_that_differs() -> None:
    history = stage("1 2 1-0; 3 4 1-0", "1 3 1-0; 2 4 1-0", "1 4 1-0; 2 3 1/2")
    ranking = rank(history, ["PTS", "BH", "BPG", "WIN"])

    parting = parted_by(ranking, EntryId(2), EntryId(3))
    assert parting is not None
    assert (parting.code, parting.position, parting.better.value, parting.worse.value) == ("BPG", 2, 2, 1)
    assert parted_by(rank(history, ["PTS", "BH"]), EntryId(2), EntryId(3)) is None


def test_category_counts_places_among_its_own() -> None:
    history = stage("1 2 1-0; 3 4 1-0", "1 3 1-0; 2 4 1-0", "1 4 1-0; 2 3 1/2")

    girls = rank(history, ["PTS", "BH"]).among({EntryId(2), EntryId(3), EntryId(4)})

    assert places(girls) == [(2, 1, True), (3, 1, True), (4, 3, False)]
    assert girls.tied_for_first() == (2, 3)


@pytest.mark.clause("M7.9")
def test_disqualified_player_leaves_and_others_move_up() -> None:
    ranking = rank(THREE_ROUNDS, ["PTS", "WIN"]).without({EntryId(1)})

    assert places(ranking) == [(3, 1, False), (2, 2, False), (4, 3, False)]


def test_edition_follows_the_first_day_of_the_event() -> None:
    assert edition_of(date(2026, 2, 28)) == "2023"
    assert edition_of(date(2026, 3, 1)) == "2026"


def test_round_robin_offers_no_buchholz() -> None:
    offered = set(allowed_tiebreaks("round_robin"))

    only_swiss = set(allowed_tiebreaks("swiss")) - offered
    assert {code.split("/")[0] for code in only_swiss if not code.endswith("/P")} == {"BH", "FB", "AOB", "REP"}
    assert {"DE/P", "SB/P"} <= only_swiss  # forfeits are games in a round robin anyway
    assert "KS" in offered


@pytest.mark.parametrize(
    ("order", "system", "path", "code"),
    [
        (["PTS", "XYZ"], "swiss", "order[1]", "tiebreak.unknown"),
        (["PTS", "WIN/C1"], "swiss", "order[1]", "tiebreak.modifier"),
        (["PTS", "BH/C1/M1"], "swiss", "order[1]", "tiebreak.modifier"),
        (["PTS", "BH/C1", "BHC1"], "swiss", "order[2]", "tiebreak.twice"),
        (["PTS", "DE", "BH"], "round_robin", "order[2]", "tiebreak.not_in_system"),
        (["PTS", "KS"], "swiss", "order[1]", "tiebreak.not_in_system"),
        ([], "swiss", "order", "tiebreak.empty"),
        (["PTS"], "knockout", "system", "rule.not_an_option"),
    ],
)
def test_wrong_order_is_refused_with_its_path(order: list[str], system: str, path: str, code: str) -> None:
    with pytest.raises(RuleError) as refused:
        rank(THREE_ROUNDS, order, system=system)  # type: ignore[arg-type]

    assert (refused.value.path, refused.value.code) == (path, code)


def test_direct_encounter_may_stand_twice_and_old_names_are_read() -> None:
    ranking = rank(THREE_ROUNDS, ["pts", "DE", "BHC1", "DE", "GE"])

    assert ranking.order == ("PTS", "DE", "BH/C1", "DE", "REP")
