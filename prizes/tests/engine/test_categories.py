"""Categories as data: who belongs to one, and what can be wrong with them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from prizes.engine.rules import parse_awards, parse_prizes
from tourney.kernel.categories import Person, belongs, parse_categories
from tourney.kernel.errors import RuleError

GIRL = Person("F", 2015, "Печерський", "2", 1480)


@pytest.mark.parametrize(
    ("conditions", "inside"),
    [
        ({"sex": "F"}, True),
        ({"sex": "M"}, False),
        ({"birth_years": [2014, 2016]}, True),
        ({"birth_years": [2015]}, True),
        ({"birth_years": [2016, 2020]}, False),
        ({"district": " печерський "}, True),
        ({"district": "Оболонський"}, False),
        ({"level": "2"}, True),
        ({"level": "1"}, False),
        ({"rating_below": 1481}, True),
        ({"rating_below": 1480}, False),
        ({"sex": "F", "birth_years": [2015], "rating_below": 1400}, False),
    ],
)
def test_every_condition_must_hold(conditions: dict[str, Any], inside: bool) -> None:
    assert belongs(GIRL, conditions) is inside


def test_what_is_not_known_fulfils_nothing_but_who_has_no_rating_is_below_any() -> None:
    assert not belongs(Person(), {"birth_years": [2014, 2016]})
    assert not belongs(Person(), {"sex": "F"})
    assert not belongs(Person(), {"district": "Печерський"})
    assert belongs(Person(), {"rating_below": 1400})


def test_categories_are_read_from_the_regulation() -> None:
    (young, girls) = parse_categories(
        [
            {"code": "u12", "title": {"en": "Best under 12"}, "birth_years": [2015, 2030], "sections": ["open"]},
            {"code": "girls", "sex": "F", "clause": "6.2"},
        ]
    )

    assert young.conditions == {"birth_years": [2015, 2030]}
    assert young.is_in("open")
    assert not young.is_in("masters")
    assert girls.is_in("masters")
    assert girls.clause == "6.2"


def categories(*tables: Any) -> Callable[[], object]:
    return lambda: parse_categories(list(tables))


KNOWN = parse_categories([{"code": "girls", "sex": "F", "sections": ["a"]}])


@pytest.mark.parametrize(
    ("parse", "path", "code"),
    [
        (categories({"code": "all"}), "categories[0].code", "category.everybody"),
        (categories({"sex": "F"}), "categories[0].code", "rule.missing"),
        (categories({"code": "x", "sex": "W"}), "categories[0].sex", "rule.not_an_option"),
        (categories({"code": "x", "birth_years": [2016, 2014]}), "categories[0].birth_years", "rule.not_a_range"),
        (categories({"code": "x", "birth_years": [1, 2, 3]}), "categories[0].birth_years[0]", "rule.expected_number"),
        (categories({"code": "x", "rating_below": 0}), "categories[0].rating_below", "rule.out_of_range"),
        (categories({"code": "x", "sex": "F", "age": 3}), "categories[0].age", "rule.unknown_key"),
        (categories({"code": "x", "sex": "F"}, {"code": "x", "level": "1"}), "categories[1].code", "rule.twice"),
        (lambda: parse_categories({"code": "x"}), "categories", "rule.expected_list"),
        (
            lambda: parse_prizes([{"places": {"1": "5"}, "category": "boys"}], "UAH", categories=KNOWN),
            "prizes[0].category",
            "prize.unknown_category",
        ),
        (
            lambda: parse_prizes(
                [{"places": {"1": "5"}, "category": "girls", "sections": ["b"]}], "UAH", categories=KNOWN
            ),
            "prizes[0].category",
            "prize.unknown_category",
        ),
        (
            lambda: parse_awards([{"place": 1, "things": ["cup"], "category": "boys"}], categories=KNOWN),
            "awards[0].category",
            "prize.unknown_category",
        ),
        (
            lambda: parse_prizes([{"places": {"1": "5"}, "percent": {"2": 10}}], "UAH"),
            "prizes[0].percent",
            "prize.places_and_percent",
        ),
        (lambda: parse_prizes([{"percent": {"1": 0}}], "UAH"), "prizes[0].percent.1", "prize.percent"),
        (lambda: parse_prizes([{"percent": {"1": "50"}}], "UAH"), "prizes[0].percent.1", "prize.percent"),
        (lambda: parse_prizes([{"percent": {"1": 20, "2": 30}}], "UAH"), "prizes[0].percent.2", "prize.order"),
        (
            lambda: parse_prizes([{"percent": {"9": 20}}], "UAH", capacity=8),
            "prizes[0].percent.9",
            "prize.place",
        ),
        (
            lambda: parse_prizes([{"percent": {"1": 20}, "percent_of": "luck"}], "UAH"),
            "prizes[0].percent_of",
            "rule.not_an_option",
        ),
    ],
)
def test_contradictions_are_refused_with_their_path(parse: Callable[[], object], path: str, code: str) -> None:
    with pytest.raises(RuleError) as refused:
        parse()

    assert (refused.value.path, refused.value.code) == (path, code)


def test_the_old_word_for_one_prize_each_is_still_read() -> None:
    (prize,) = parse_prizes([{"places": {"1": "5"}, "cumulative": False}], "UAH")

    assert prize.several == "earlier"
