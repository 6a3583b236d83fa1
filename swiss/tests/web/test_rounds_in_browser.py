"""Rounds in a real browser: entry by keys, lines that open, pages that stay light and inside a phone."""

from __future__ import annotations

import gzip
from typing import Any

import pytest
from django.conf import settings
from django.test import Client

from swiss.services import enter_result
from swiss.tests.builders import games_of, next_round, play, stage_of
from swiss.tests.web.helpers import url
from tourney.models import Game, ResultRecord
from tourney.testing import builders

pytestmark = pytest.mark.django_db(transaction=True)


def sign_in(page: Any, live_server: Any, user: Any) -> None:
    client = Client()
    client.force_login(user)
    value = client.cookies[settings.SESSION_COOKIE_NAME].value
    page.context.add_cookies([{"name": settings.SESSION_COOKIE_NAME, "value": value, "url": live_server.url}])


@pytest.mark.parametrize("width", [390, 820])
def test_standings_of_a_hundred_stay_light_and_inside_the_screen(page: Any, width: int) -> None:
    stage = stage_of(100, preset="open-swiss")
    play(stage, "1-0 1/2 0-1")
    page.set_viewport_size({"width": width, "height": 800})
    bodies: list[bytes] = []
    page.on("response", lambda answer: bodies.append(answer.body()))

    page.goto(url("standings", stage))
    page.wait_for_load_state("networkidle")

    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert page.evaluate("document.querySelectorAll('*').length") <= 3000
    assert len(bodies) <= 10
    assert sum(len(gzip.compress(body)) for body in bodies) <= 70_000


def test_a_line_of_the_standings_opens_in_place_and_closes_again(page: Any) -> None:
    stage = stage_of(12)
    play(stage, "1-0 1/2 0-1")
    page.goto(url("standings", stage))

    page.locator("#standings tbody tr").nth(3).locator(".pts").click()
    page.wait_for_selector(".why-open table")
    opener = page.locator("#standings tbody tr[id^=e]").nth(3).locator(".rank a")
    assert opener.get_attribute("aria-expanded") == "true"
    opener.click()

    page.wait_for_selector(".why-open", state="detached")
    assert page.url.endswith("/standings/")


def test_results_are_entered_by_keys_alone(page: Any, live_server: Any) -> None:
    stage = stage_of(12)
    arbiter = builders.user("anna", stage.section.tournament, "arbiter")
    games = games_of(next_round(stage))
    enter_result(stage_id=stage.pk, game_id=games[0].pk, outcome="1-0")
    sign_in(page, live_server, arbiter)
    page.goto(url("manage_results", stage, 1) + "?show=all")

    for key, board in (("1", 2), ("5", 3), ("0", 4), ("NumpadAdd", 5)):
        page.keyboard.press(key)
        page.wait_for_selector(f"#b{board}.is-new")
    # The slash key of a Cyrillic layout gives a full stop.
    page.evaluate("document.body.dispatchEvent(new KeyboardEvent('keydown', {key: '.', code: 'Slash', bubbles: true}))")
    page.keyboard.type("2")
    page.keyboard.press("Enter")
    page.keyboard.press("0")
    page.wait_for_selector("#b2 .correction")
    page.keyboard.type("slip misread")
    page.keyboard.press("Enter")
    page.wait_for_selector("#b2.is-new")

    outcomes = dict(Game.objects.values_list("board", "outcome"))
    assert outcomes == {1: "1-0", 2: "0-1", 3: "1/2", 4: "0-1", 5: "+-", 6: ""}
    assert ResultRecord.objects.get(game=games[1], successor=None).reason == "slip misread"


def test_a_live_page_shows_a_new_result_by_itself(page: Any) -> None:
    stage = stage_of(12)
    game = games_of(next_round(stage))[0]
    page.goto(url("pairings", stage))

    enter_result(stage_id=stage.pk, game_id=game.pk, outcome="1-0")

    page.wait_for_selector("#b1 .board-r:has-text('1–0')", timeout=30_000)


def test_standings_are_read_without_scripts(browser: Any, live_server: Any) -> None:
    stage = stage_of(12)
    play(stage, "1-0 1/2 0-1")
    context = browser.new_context(base_url=live_server.url, java_script_enabled=False)
    page = context.new_page()

    page.goto(url("standings", stage))
    page.locator("#standings .rank a").nth(2).click()

    page.wait_for_selector("#why table")
    context.close()
