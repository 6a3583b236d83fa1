"""Categories and percentage prizes from the regulation to the published places and awards."""

from __future__ import annotations

from typing import Any

import pytest
from django.utils import translation

from prizes.models import Award, PrizePot
from prizes.selectors.fund import fund_of
from prizes.services.placings import publish_placings
from prizes.tests import played
from prizes.words import why_text
from tourney import panels
from tourney.kernel.money import Money
from tourney.models import Category, PlacementList, StandingRow, Tournament
from tourney.regulation_checks import check_spec
from tourney.services.events import publish_spec
from tourney.testing import builders

pytestmark = pytest.mark.django_db

CATEGORIES = [
    {"code": "girls", "title": {"en": "Best girl", "uk": "Найкраща дівчина", "ru": "Лучшая девочка"}, "sex": "F"},
    {"code": "u12", "title": {"en": "Best under 12"}, "birth_years": [2015, 2030]},
    {"code": "centre", "title": {"en": "Best of the centre"}, "district": "Центр"},
]


def with_rules(event: Tournament, **blocks: Any) -> None:
    publish_spec(event, {**event.regulations.latest("number").spec, **blocks}, author=None, reason="prizes")


@pytest.fixture
def event() -> Tournament:
    made = builders.event("open-swiss")
    with_rules(made, categories=CATEGORIES, prizes=[], awards=[])
    return made


def places(category: str) -> list[tuple[str, int | None]]:
    made = PlacementList.objects.get(category__code=category)
    return [(line.entry.player.surname, line.place) for line in made.lines.order_by("place", "id")]


def test_categories_of_the_regulation_get_their_own_places_from_the_same_games(event: Tournament) -> None:
    section = played.group(event, players=5)
    entries = list(section.entries.order_by("-rating"))
    people = (("M", 1990, "Центр"), ("F", 2016, ""), ("M", 2015, "центр "), ("F", 2001, ""), ("M", 2017, "Поділ"))
    for entry, (sex, year, district) in zip(entries, people, strict=True):
        entry.player.sex, entry.player.birth_year, entry.player.district = sex, year, district
        entry.player.save()
    played.finished(section, [1, 2, 2, 4, 5])

    publish_placings(section, actor=None)

    assert places("girls") == [("Бондар", 1), ("Гнатюк", 2)]
    assert places("u12") == [("Бондар", 1), ("Вдовенко", 1), ("Дяченко", 3)]
    assert places("centre") == [("Антонюк", 1), ("Вдовенко", 2)]


def test_a_category_changes_with_the_regulation_but_published_places_stay(event: Tournament) -> None:
    section = played.group(event, players=3, sex="F")
    played.finished(section)
    publish_placings(section, actor=None)

    with_rules(event, categories=[{**CATEGORIES[0], "title": {"en": "Best woman"}}])

    kept = {category.code: category.title for category in Category.objects.filter(section=section)}
    assert kept["girls"] == {"en": "Best woman"}
    assert set(kept) == {"girls", "u12", "centre"}  # the others have lists that anybody may have read
    with_rules(event, categories=[])
    fresh = builders.event("open-swiss")
    with_rules(fresh, categories=CATEGORIES)
    with_rules(fresh, categories=CATEGORIES[:1])
    assert list(Category.objects.filter(section__tournament=fresh).values_list("code", flat=True)) == ["girls"]


def test_the_most_valuable_prize_is_named_by_its_category_and_the_next_moves_up(event: Tournament) -> None:
    with_rules(
        event,
        prizes=[
            {"places": {"1": "1000", "2": "400"}, "several": "best"},
            {"places": {"1": "500"}, "category": "girls", "several": "best"},
        ],
    )
    section = played.group(event, players=3)
    second = section.entries.order_by("-rating")[1]
    second.player.sex = "F"
    second.player.save()
    played.finished(section)

    publish_placings(section, actor=None)

    with translation.override("en"):
        said = {award.entry.player.surname: (award.minor, why_text(award)) for award in Award.objects.all()}
    assert said == {
        "Антонюк": (100_000, "place 1"),
        "Бондар": (50_000, "place 1 in “Best girl”"),
        "Вдовенко": (40_000, "place 3, with the prize of place 2"),
    }


def test_percentages_are_fixed_with_the_first_places_and_never_move(
    event: Tournament, monkeypatch: pytest.MonkeyPatch
) -> None:
    takings = {"minor": 1_000_100}

    def income(tournament: Tournament) -> list[tuple[str, Money, Money]]:
        return [("Entry fees", Money(takings["minor"], "UAH"), Money(0, "UAH"))]

    monkeypatch.setitem(panels._registered, "income", [income])
    with_rules(event, prizes=[{"percent": {"1": 50, "2": 30, "3": 20}}])
    section = played.group(event, players=4)
    entries = played.finished(section)
    estimate = fund_of(event)
    assert [(pot.base, pot.amount.minor, pot.fixed) for pot in estimate.pots] == [("fees", 1_000_100, False)]
    assert estimate.promised.minor == 1_000_100

    publish_placings(section, actor=None)
    takings["minor"] = 5_000_000
    StandingRow.objects.filter(entry=entries[2]).update(rank=4)
    StandingRow.objects.filter(entry=entries[3]).update(rank=3)
    publish_placings(section, actor=None, reason="a result was corrected")

    assert PrizePot.objects.get().minor == 1_000_100
    amounts = list(Award.objects.order_by("place").values_list("minor", flat=True))
    assert amounts == [500_050, 300_030, 200_020]
    assert sum(amounts) == 1_000_100
    assert fund_of(event).promised.minor == 1_000_100


def test_what_is_left_after_expenses_and_fixed_prizes_can_be_shared_too(
    event: Tournament, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(
        panels._registered, "income", [lambda _: [("Entry fees", Money(100_000, "UAH"), Money(0, "UAH"))]]
    )
    with_rules(event, prizes=[{"places": {"1": "300"}}, {"percent": {"2": 60, "3": 40}, "percent_of": "left"}])
    section = played.group(event, players=4)
    played.finished(section)

    publish_placings(section, actor=None)

    assert list(Award.objects.order_by("place").values_list("minor", flat=True)) == [30_000, 42_000, 28_000]


@pytest.mark.parametrize(
    ("blocks", "path", "code"),
    [
        ({"prizes": [{"percent": {"1": 70, "2": 40}}]}, "prizes[0].percent", "prize.percent_over"),
        (
            {"prizes": [{"places": {"1": "5"}, "category": "boys"}]},
            "prizes[0].category",
            "prize.unknown_category",
        ),
        ({"prizes": [{"places": {"999": "5"}}]}, "prizes[0].places.999", "prize.place"),
        (
            {"categories": [{"code": "x", "sex": "F", "sections": ["no"]}]},
            "categories[0].sections[0]",
            "rule.unknown_section",
        ),
    ],
)
def test_prizes_that_can_not_be_are_refused_with_a_sentence(
    event: Tournament, blocks: dict[str, Any], path: str, code: str
) -> None:
    found = check_spec({**event.regulations.latest("number").spec, **blocks})

    assert (path, code) in [(problem.path, problem.code) for problem in found]
