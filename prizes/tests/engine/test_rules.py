"""Regulation blocks: what a correct one becomes, and the path of everything wrong."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

import tourney
from prizes.engine.allocation import AwardRule, PrizeList, Ties, Unplayed
from prizes.engine.lottery import Lottery, places_without_anything
from prizes.engine.playoff import ArmageddonPlan, PlayoffRules
from prizes.engine.rules import (
    FundRules,
    RankingRules,
    parse_awards,
    parse_fund,
    parse_lotteries,
    parse_playoff,
    parse_prizes,
    parse_ranking,
    parse_rules,
    parse_tie_breaks,
    rankings_of,
)
from prizes.engine.tiebreaks import RankingOptions
from tourney.kernel import regulation
from tourney.kernel.colors import Color
from tourney.kernel.errors import RuleError
from tourney.kernel.money import Money

PRESETS = Path(tourney.__path__[0]) / "presets"
FORMATS: Mapping[str, Any] = {
    "two": {"phases": [{"games": 2, "clock": "5+3"}, {"armageddon": {"white": "5", "black": "4"}, "draw": "black"}]},
    "endless": {"phases": [{"games": 2, "clock": "5+3"}]},
}


def preset(name: str) -> regulation.RegulationSpec:
    return regulation.parse(tomllib.loads((PRESETS / f"{name}.toml").read_text(encoding="utf-8")))


def uah(major: int) -> Money:
    return Money(100 * major, "UAH")


@pytest.mark.clause("K8.2")
@pytest.mark.clause("K8.3")
def test_knockout_preset_holds_every_prize_and_lottery() -> None:
    rules = parse_rules(preset("second-chance-32"))

    amounts = {1: 5000, 2: 2000, 3: 1000, 4: 700, 5: 600, 7: 500, 9: 400, 13: 300, 17: 200, 25: 150}
    assert rules.prizes == (PrizeList({p: uah(a) for p, a in amounts.items()}, "UAH", clause="8.2"),)
    assert rules.lotteries == (
        Lottery((11, 15), uah(200), clause="8.3"),
        Lottery((19, 21), uah(150), clause="8.3"),
        Lottery((23, 27, 29, 31), uah(100), clause="8.3"),
    )
    assert places_without_anything(range(1, 33, 2), rules.prizes, rules.lotteries) == ()
    assert (rules.awards, rules.fund, rules.playoff) == ((), FundRules(("fees",)), None)


@pytest.mark.clause("M8.1")
def test_youth_preset_orders_by_the_six_criteria_of_its_regulation() -> None:
    rankings = rankings_of(preset("youth-championship"))

    swiss = RankingRules(
        ("PTS", "DE", "BH/C1", "BH", "WIN", "BPG", "ARO"), "swiss", None, 1000, RankingOptions(absences_cut_first=True)
    )
    circle = RankingRules(("PTS", "DE", "SB", "WIN"), "round_robin", None, 1000, RankingOptions())
    assert rankings == (circle, swiss, swiss)


@pytest.mark.clause("M8.2")
@pytest.mark.clause("M9.1")
def test_youth_preset_holds_playoff_and_awards() -> None:
    rules = parse_rules(preset("youth-championship"))

    plan = ArmageddonPlan("5", "4", "lot_winner_chooses", Color.BLACK)
    assert rules.playoff == PlayoffRules(
        two_format="playoff_two",
        two_games=2,
        two_clock="5+3",
        two_armageddon=plan,
        three_clock="3+2",
        decider_format="playoff_two",
        decider=plan,
        pause_minutes=15,
    )
    assert rules.awards == (
        AwardRule(1, ("cup", "diploma", "medal"), clause="9.1"),
        AwardRule(2, ("diploma", "medal"), clause="9.1"),
        AwardRule(3, ("diploma", "medal"), clause="9.1"),
    )


@pytest.mark.parametrize("path", sorted(PRESETS.glob("*.toml")), ids=lambda path: path.stem)
def test_every_shipped_preset_is_accepted(path: Path) -> None:
    parse_rules(preset(path.stem))


def test_points_come_first_when_the_list_leaves_them_unsaid() -> None:
    assert parse_tie_breaks(["DE", "bhc1"], "swiss") == ("PTS", "DE", "BH/C1")
    assert parse_tie_breaks(["PTS", "DE"], "swiss") == ("PTS", "DE")
    assert parse_tie_breaks([], "swiss") == ("PTS",)


def test_settings_a_text_leaves_open_are_read() -> None:
    (prize,) = parse_prizes(
        [{"places": {"2": "50", "1": "100"}, "ties": "hort", "unplayed": "moves", "whole_units": True}], "UAH"
    )
    ranking = parse_ranking(
        {"kind": "swiss", "tie_breaks": ["BH/C1"], "tie_break_rules": "2023", "absences_cut_first": False}, "s"
    )

    assert prize == PrizeList({1: uah(100), 2: uah(50)}, "UAH", ties=Ties.HORT, unplayed=Unplayed.MOVES, unit=100)
    assert ranking == RankingRules(("PTS", "BH/C1"), "swiss", "2023", None, RankingOptions(absences_cut_first=False))
    assert parse_ranking({"kind": "bracket"}, "s") is None


def test_award_rule_for_several_places_becomes_one_for_each() -> None:
    assert parse_awards([{"places": [2, 3], "things": ["medal"], "category": "girls"}]) == (
        AwardRule(2, ("medal",), category="girls"),
        AwardRule(3, ("medal",), category="girls"),
    )


def prizes(*tables: Any) -> Callable[[], object]:
    return lambda: parse_prizes(list(tables), "UAH", capacity=32)


def lotteries(*tables: Any) -> Callable[[], object]:
    return lambda: parse_lotteries(list(tables), "UAH", capacity=32)


def awards(*tables: Any) -> Callable[[], object]:
    return lambda: parse_awards(list(tables))


def playoff(block: Any) -> Callable[[], object]:
    return lambda: parse_playoff(block, FORMATS)


ONE = {"places": [11, 15], "amount": "200"}


@pytest.mark.parametrize(
    ("parse", "path", "code"),
    [
        (prizes({"places": {"33": "10"}}), "prizes[0].places.33", "prize.place"),
        (prizes({"places": {"0": "10"}}), "prizes[0].places.0", "prize.place"),
        (prizes({"places": {"first": "10"}}), "prizes[0].places.first", "prize.place"),
        (prizes({"places": {"1": "-10"}}), "prizes[0].places.1", "rule.negative_money"),
        (prizes({"places": {"1": "ten"}}), "prizes[0].places.1", "rule.expected_money"),
        (prizes({"places": {"1": "10", "01": "10"}}), "prizes[0].places.01", "prize.place_twice"),
        (prizes({"places": {"1": "10", "2": "20"}}), "prizes[0].places.2", "prize.order"),
        (prizes({"places": {}}), "prizes[0].places", "prize.empty"),
        (prizes({"places": {"1": "10"}, "tie": "hort"}), "prizes[0].tie", "rule.unknown_key"),
        (prizes({"places": {"1": "10"}, "ties": "half"}), "prizes[0].ties", "rule.not_an_option"),
        (prizes({"places": {"1": "9"}}, {"places": {"1": "5"}}), "prizes[1].places.1", "prize.place_twice"),
        (lambda: parse_prizes({"places": {}}, "UAH"), "prizes", "rule.expected_list"),
        (lotteries({**ONE, "places": [11, 33]}), "lotteries[0].places[1]", "lottery.place"),
        (lotteries({**ONE, "places": [11, 11]}), "lotteries[0].places[1]", "lottery.place_twice"),
        (lotteries(ONE, {**ONE, "places": [13, 15]}), "lotteries[1].places[1]", "lottery.place_twice"),
        (lotteries({**ONE, "places": []}), "lotteries[0].places", "lottery.no_places"),
        (lotteries({**ONE, "winners": 3}), "lotteries[0].winners", "lottery.too_many_winners"),
        (lotteries({**ONE, "winners": 0}), "lotteries[0].winners", "rule.out_of_range"),
        (lotteries({**ONE, "amount": "-5"}), "lotteries[0].amount", "rule.negative_money"),
        (lotteries({**ONE, "amount": "0"}), "lotteries[0].amount", "lottery.no_amount"),
        (awards({"place": 1, "things": ["crown"]}), "awards[0].things[0]", "award.thing"),
        (awards({"place": 1, "things": ["cup", "cup"]}), "awards[0].things[1]", "award.thing"),
        (awards({"place": 1, "things": []}), "awards[0].things", "award.nothing"),
        (awards({"place": 1, "things": ["cup"]}, {"place": 1, "things": ["medal"]}), "awards[1]", "award.place_twice"),
        (awards({"place": 0, "things": ["cup"]}), "awards[0].place", "rule.out_of_range"),
        (lambda: parse_fund({"sources": ["fees", "magic"]}), "fund.sources[1]", "fund.source"),
        (lambda: parse_fund({"sources": ["fees", "fees"]}), "fund.sources[1]", "fund.source"),
        (playoff({"two": "three", "three": {"clock": "3+2"}}), "playoff.two", "playoff.format"),
        (playoff({"two": "endless", "three": {"clock": "3+2"}}), "playoff.two", "playoff.no_armageddon"),
        (playoff({"two": "two", "three": {}}), "playoff.three.clock", "rule.missing"),
        (playoff({"two": "two", "three": {"clock": "3+2"}, "pause": 5}), "playoff.pause", "rule.unknown_key"),
        (
            lambda: parse_tie_breaks(["DE", "PTS"], "swiss", "s.tie_breaks"),
            "s.tie_breaks[1]",
            "tiebreak.points_not_first",
        ),
        (lambda: parse_tie_breaks("DE", "swiss", "s.tie_breaks"), "s.tie_breaks", "rule.expected_list"),
        (lambda: parse_tie_breaks([7], "swiss", "t"), "t[0]", "rule.expected_text"),  # type: ignore[list-item]
    ],
)
def test_contradiction_is_refused_with_its_path(parse: Callable[[], object], path: str, code: str) -> None:
    with pytest.raises(RuleError) as refused:
        parse()

    assert (refused.value.path, refused.value.code) == (path, code)


def test_wrong_tiebreak_of_a_stage_is_named_from_the_top_of_the_regulation() -> None:
    data = tomllib.loads((PRESETS / "youth-championship.toml").read_text(encoding="utf-8"))
    data["stages"][0]["options"][0]["tie_breaks"][1] = "BH"

    with pytest.raises(RuleError) as refused:
        parse_rules(regulation.parse(data))

    assert (refused.value.path, refused.value.code) == (
        "stages[0].options[0].tie_breaks[1]",
        "tiebreak.not_in_system",
    )
