"""Standings of a hundred real-sized people: what a telephone in a hall has to load, and what it can show."""

from __future__ import annotations

import gzip
from typing import Any

import pytest
from django.urls import reverse

from swiss.tests.builders import enter, next_round
from tourney.demo.people import Crowd
from tourney.models import Stage
from tourney.services.stages import close_entries
from tourney.testing import builders
from tourney.testing.pages import Cast, stays_inside

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.slow]

LANGUAGE = "ru"
PLAYERS, ROUNDS = 100, 4
RESULTS = "1-0 1/2 0-1 1-0 0-1 1/2 1/2"


def standings_of_a_hundred() -> str:
    """Return the address of the standings of a championship group after some rounds."""
    section = builders.event("youth-championship").sections.get(code="u11-boys")
    people = Crowd("ru", "weight").line("M", PLAYERS)
    for index, person in enumerate(people):
        builders.entry(
            section,
            person.surname,
            rating=1900 - 7 * index,
            given_name=person.given_name,
            patronymic=person.patronymic,
            city=person.town,
            club=person.club,
        )
    stage = Stage.objects.get(pk=close_entries(section, actor=None)[0].pk)
    for _number in range(ROUNDS):
        enter(next_round(stage), RESULTS)
    return reverse("standings", args=[section.tournament.slug, section.code])


def test_standings_of_a_hundred_are_light_and_read_everywhere(cast: Cast) -> None:
    address = standings_of_a_hundred()
    phone = cast.page(width=390, height=844)
    answers: list[Any] = []
    phone.on("response", lambda answer: answers.append(answer))
    phone.goto(address)
    phone.wait_for_load_state("networkidle")
    page, *rest = [(answer.url, answer.request.sizes()["responseBodySize"], answer.body()) for answer in answers]
    assert page[1] <= 15_000, f"the page is {page[1]} bytes"
    # In tests the other files come as they are; a server sends them compressed.
    assert page[1] + sum(len(gzip.compress(body)) for _url, _size, body in rest) <= 70_000
    assert len(answers) <= 10, [url for url, _size, _body in (page, *rest)]
    assert phone.evaluate("document.querySelectorAll('*').length") <= 3000
    assert stays_inside(phone)
    phone.set_viewport_size({"width": 820, "height": 1180})
    assert stays_inside(phone)

    plain = cast.page(width=390, height=844, java_script_enabled=False)
    plain.goto(address)
    rows = plain.locator("#standings tbody tr")
    assert rows.count() == PLAYERS
    assert stays_inside(plain)
    rows.nth(PLAYERS - 1).locator(".rank a").click()
    plain.wait_for_selector("#why table")
