"""The hall screen: what is on it, its pages in turn or held, with scripts and without, and when it is stale."""

from __future__ import annotations

import re
from typing import Any

import pytest

from brackets.hall import screenfuls
from brackets.services import call_match, confirm_draw, pause, seed_without_lot
from brackets.tests.builders import closed, drawn, numbered, play, play_all, table
from brackets.tests.web.helpers import queries, reader, text_of, url
from tourney.models import Stage
from tourney.testing.pages import unfit_for_all


def slugs(stage: Stage, query: str = "") -> list[str]:
    html = reader().get(url("bracket_hall", stage) + query).content.decode()
    return re.findall(r'<section class="hall-page" id="hall-([^"]+)"', html)


@pytest.mark.django_db
def test_before_the_draw_the_screen_says_so_and_looks_again() -> None:
    stage = closed(8, rules={"size": 8, "minimum_matches": 0})
    answer = reader().get(url("bracket_hall", stage))
    assert "not drawn yet" in text_of(answer)
    assert 'http-equiv="refresh"' in answer.content.decode()


@pytest.mark.django_db
def test_the_pages_are_boards_next_the_living_parts_of_the_tree_and_places() -> None:
    stage = drawn(boards=10)
    assert slugs(stage) == ["now", "next", "upper-1-1", "upper-1-2", "upper-1-3", "upper-1-4"]
    for number in range(1, 11):
        call_match(stage.pk, f"U1.{number}")
    names = {number: entry.name for number, entry in numbered(stage).items()}
    assert slugs(stage)[:3] == ["now", "now-2", "next"]
    page = text_of(reader().get(url("bracket_hall", stage) + "?page=now"))
    assert f"Board 1 {names[1]} – {names[32]} U1.1 called to the board" in page
    upcoming = text_of(reader().get(url("bracket_hall", stage) + "?page=next"))
    assert "waits for a board" in upcoming

    for key in ("U1.1", "U1.2"):
        play(stage, key, "1 1")
    shown = slugs(stage)
    assert "lower-1-1" in shown
    assert "upper-2-1" not in shown  # the first round of the upper bracket is still on: one piece shows three rounds


@pytest.mark.django_db
def test_at_the_end_the_places_are_left() -> None:
    stage = drawn(8, rules={"size": 8, "minimum_matches": 0})
    play_all(stage, most=12)
    shown = slugs(stage)
    assert shown[-1] == "places"
    assert len(shown) > 1
    play_all(stage)
    assert slugs(stage) == ["places"]
    last = text_of(reader().get(url("bracket_hall", stage)))
    assert "Places decided" in last
    assert f"1 {numbered(stage)[1].name}" in last


@pytest.mark.django_db
def test_no_column_of_the_screen_has_more_than_eight_matches() -> None:
    from django.utils import timezone  # noqa: PLC0415

    from brackets.cards import Cards  # noqa: PLC0415

    stage = drawn()
    for number in range(1, 17):
        call_match(stage.pk, f"U1.{number}")
    for page in screenfuls(Cards(table(stage)), timezone.now(), []):
        assert max(len(page.boards), len(page.ready)) <= 8
        if page.drawing is not None:
            columns = [box.x for box in page.drawing.boxes]
            assert max(columns.count(x) for x in columns) <= 4


@pytest.mark.django_db
def test_without_scripts_a_page_leads_to_the_next_and_a_held_one_stays() -> None:
    stage = drawn()
    html = reader().get(url("bracket_hall", stage)).content.decode()
    assert re.search(r'<noscript><meta http-equiv="refresh" content="15;url=\?seconds=15&amp;page=next', html)
    turned = reader().get(url("bracket_hall", stage) + "?page=next&turn=1&seconds=7").content.decode()
    assert 'content="7;url=?seconds=7&amp;page=upper-1-1&amp;turn=1"' in turned
    assert slugs(stage, "?page=next") == ["next"]
    held = reader().get(url("bracket_hall", stage) + "?page=next").content.decode()
    assert "refresh" not in held
    assert "data-hall=" not in held
    assert slugs(stage, "?page=nonsense&seconds=x") == slugs(stage)


@pytest.mark.django_db
def test_the_fragment_is_quiet_until_something_happens_and_costs_few_queries() -> None:
    stage = drawn()
    address = url("bracket_hall_live", stage)
    first = reader().get(address)
    again = reader().get(address, headers={"if-none-match": first["ETag"]})
    assert (again.status_code, again.content) == (304, b"")
    before = queries(reader(), address)
    play(stage, "U1.1", "1 1")
    call_match(stage.pk, "U1.2")
    assert queries(reader(), address) == before
    pause(stage.pk, reason="alarm")
    stopped = text_of(reader().get(address))
    assert "Play is stopped" in stopped
    assert "Next to the boards" not in stopped


@pytest.mark.django_db
@pytest.mark.parametrize(("language", "words"), [("uk", "Зараз за дошками"), ("ru", "Сейчас за досками")])
def test_the_screen_speaks_the_language(language: str, words: str) -> None:
    stage = drawn()
    assert words in text_of(reader(language).get(url("bracket_hall", stage)))


@pytest.mark.django_db(transaction=True)
def test_before_the_draw_the_screen_is_fit_for_everybody_and_finds_the_bracket_by_itself(page: Any) -> None:
    stage = closed(8, rules={"size": 8, "minimum_matches": 0, "seeding": {"method": "fold"}})
    page.clock.install()
    page.goto(url("bracket_hall", stage))
    assert unfit_for_all(page) == []
    seed_without_lot(stage.pk)
    confirm_draw(stage.pk)
    with page.expect_navigation():
        page.clock.fast_forward(31_000)
    page.locator("#hall-now").wait_for()


@pytest.mark.django_db(transaction=True)
def test_the_screen_turns_by_itself_keeps_its_page_when_new_results_come_and_says_when_it_is_stale(page: Any) -> None:
    stage = drawn()
    call_match(stage.pk, "U1.1")
    page.set_viewport_size({"width": 1920, "height": 1080})
    page.clock.install()
    page.goto(url("bracket_hall", stage))
    assert page.locator(".hall-page:visible").count() == 1
    assert unfit_for_all(page) == []
    letters = page.evaluate(
        "[...document.querySelectorAll('.hall-name')].map((n) => parseFloat(getComputedStyle(n).fontSize))"
    )
    assert min(letters) >= 1080 / 40  # a fortieth of the height is read from ten metres

    page.clock.fast_forward(15_500)
    page.locator("#hall-next").wait_for(state="visible")
    assert page.locator("#hall-now").is_hidden()

    call_match(stage.pk, "U1.2")
    with page.expect_response(lambda answer: "_live" in answer.url and answer.status == 200):
        page.keyboard.press(" ")  # held: only the live part may change now
        page.clock.fast_forward(13_000)
    page.locator("#hall-now li", has_text="U1.2").wait_for(state="attached")
    assert page.locator("#hall-next").is_visible()

    page.route("**/_live/**", lambda route: route.abort())
    for _attempt in range(3):
        page.clock.fast_forward(60_000)
        page.wait_for_timeout(150)
    page.locator(".live-stamp.is-stale").wait_for()
    assert page.locator("#hall-next").is_visible()
