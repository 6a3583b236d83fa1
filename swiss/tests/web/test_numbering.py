"""The numbers of a table when its start list closes: as the regulation says, on the page of the group."""

from __future__ import annotations

import pytest
from django.urls import reverse

from swiss.engine.berger import varma_groups
from swiss.tests.builders import group
from swiss.tests.web.helpers import signed_in, text_of
from tourney.models import Lot, Section, Stage

pytestmark = pytest.mark.django_db


def regulated(players: int, way: str) -> Section:
    """Return an open group whose regulation numbers every table in this way (empty: it doesn't say)."""
    section = group(players)
    regulation = section.tournament.regulations.get()
    for step in regulation.spec["stages"]:
        for option in step["options"]:
            if option["kind"] == "round_robin" and way:
                option["start_numbers"] = way
    regulation.save(update_fields=["spec"])
    return section


def closed(section: Section) -> dict[int, str]:
    """Close the list on the page; return surnames by start number."""
    client = signed_in(section, "chief_arbiter")
    page = reverse("manage_section", args=[section.tournament.slug, section.code])

    answer = client.post(page, {"act": "close"}, follow=True)

    assert "Closed:" in text_of(answer)
    assert section.stages.get(ordinal=1).kind == Stage.Kind.ROUND_ROBIN
    return dict(section.entries.order_by("start_number").values_list("start_number", "player__surname"))


def by_rating(section: Section) -> list[str]:
    return list(section.entries.order_by("-rating").values_list("player__surname", flat=True))


@pytest.mark.parametrize("way", ["", "rating", "hand"])
def test_without_a_lot_the_numbers_follow_the_rating(way: str) -> None:
    section = regulated(6, way)

    assert list(closed(section).values()) == by_rating(section)
    assert not Lot.objects.exists()


def test_by_lot_they_are_drawn_and_the_protocol_is_public() -> None:
    section = regulated(6, "lot")

    numbers = closed(section)

    lot = Lot.objects.get(purpose=Lot.Purpose.START_NUMBERS, subject=section.code)
    assert [label.split(". ")[0] for label in lot.outcome.result] == [
        str(by_rating(section).index(name) + 1) for name in numbers.values()
    ]
    page = signed_in(section, "chief_arbiter").get(
        reverse("manage_section", args=[section.tournament.slug, section.code])
    )
    assert f"/lot/{lot.pk}/" in page.content.decode()


def test_by_varma_tables_a_club_gets_a_group_of_numbers() -> None:
    section = regulated(10, "varma")
    team = list(section.entries.order_by("-rating")[2:5])
    for entry in team:
        entry.player.club = "Ладья"
        entry.player.save(update_fields=["club"])

    numbers = closed(section)

    lot = Lot.objects.get(purpose=Lot.Purpose.START_NUMBERS, subject=section.code)
    assert sorted(lot.outcome.result, key=int) == [str(number) for number in range(1, 11)]
    assert sorted(numbers) == list(range(1, 11))
    theirs = {number for number, name in numbers.items() if name in {entry.player.surname for entry in team}}
    assert any(theirs <= set(one) for one in varma_groups(10))


def test_where_varma_has_no_table_plain_lots_are_drawn() -> None:
    section = regulated(6, "varma")

    numbers = closed(section)

    lot = Lot.objects.get(purpose=Lot.Purpose.START_NUMBERS, subject=section.code)
    assert (sorted(numbers), len(lot.outcome.result)) == (list(range(1, 7)), 6)
    assert ". " in lot.outcome.result[0]
