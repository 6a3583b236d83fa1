"""The pages of a knockout in a browser: rounds on a phone with and without scripts, live updates that keep the place
one looks at, and fitness for everybody in light and dark.
"""

from __future__ import annotations

from typing import Any

import pytest
from django.conf import settings
from django.test import Client

from brackets.services import call_match
from brackets.tests.builders import drawn, numbered, play, table
from brackets.tests.web.helpers import url
from tourney.models import Stage
from tourney.testing import builders
from tourney.testing.pages import stays_inside, unfit_for_all

pytestmark = pytest.mark.django_db(transaction=True)


def halfway() -> Stage:
    """Return a bracket whose first three rounds are partly played; U2.3 has a result on a wrong U1.5."""
    stage = drawn()
    for number in range(1, 9):
        play(stage, f"U1.{number}", "1 1" if number != 3 else "1 0 = = 1")
    for key in ("U2.1", "U2.3", "L1.3"):
        play(stage, key, "1 1")
    call_match(stage.pk, "U2.2", board=3)
    return stage


def news(page: Any, stage: Stage, key: str) -> None:
    """Let a result come in and the page hear of it."""
    play(stage, key, "1 1")
    with page.expect_response(lambda answer: "_live" in answer.url and answer.status == 200):
        page.clock.fast_forward(13_000)
    page.locator(f"li.m:has-text('{key}') .won").first.wait_for(state="attached")


def test_on_a_phone_a_round_is_a_tap_away_and_stays_when_results_come(page: Any) -> None:
    stage = halfway()
    page.clock.install()
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto(url("bracket", stage))
    page.click("a.chip[href='#r-upper-2']")
    page.wait_for_timeout(700)  # a smooth scroll
    second = page.locator("#r-upper-2").bounding_box()
    assert -2 <= second["x"] <= 40  # the second round fills the screen
    page.mouse.wheel(0, 300)
    page.wait_for_timeout(300)
    before = page.evaluate("[scrollY, document.querySelector('.rounds').scrollLeft]")
    assert before[0] > 0
    assert before[1] > 0
    news(page, stage, "U1.9")
    assert page.evaluate("[scrollY, document.querySelector('.rounds').scrollLeft]") == before
    assert stays_inside(page)


def test_on_a_desktop_the_tree_stays_where_it_was_scrolled_to(page: Any) -> None:
    stage = halfway()
    page.clock.install()
    page.set_viewport_size({"width": 1100, "height": 700})
    page.goto(url("bracket", stage) + f"?part=lower&player={numbered(stage)[16].pk}")
    page.evaluate("document.querySelector('#tree-lower').scrollLeft = 180")
    page.evaluate("scrollTo(0, 220)")
    before = page.evaluate("[scrollY, document.querySelector('#tree-lower').scrollLeft]")
    assert before[1] == 180
    news(page, stage, "L1.2")
    assert page.evaluate("[scrollY, document.querySelector('#tree-lower').scrollLeft]") == before
    assert page.locator(".path li.m").count() >= 2


def test_without_scripts_rounds_path_and_parts_are_links_and_forms(browser: Any, live_server: Any) -> None:
    stage = halfway()
    context = browser.new_context(
        base_url=live_server.url, java_script_enabled=False, viewport={"width": 390, "height": 844}
    )
    phone = context.new_page()
    phone.goto(url("bracket", stage))
    phone.click("a.chip[href='#r-upper-3']")
    third = phone.locator("#r-upper-3").bounding_box()
    assert 0 <= third["x"] < 390
    phone.select_option("#path-player", str(numbered(stage)[1].pk))
    phone.click(".path-form button")
    assert phone.locator(".path li.m").count() >= 2
    phone.click("nav .chip >> nth=1")
    assert "part=lower" in phone.url
    assert phone.locator("#rounds-tree-lower li.m").count() == 30
    context.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_pages_that_no_link_leads_to_are_fit_for_everybody(page: Any, live_server: Any, scheme: str) -> None:
    stage = halfway()
    client = Client()
    client.force_login(builders.user("chief", stage.section.tournament, "chief_arbiter"))
    name = settings.SESSION_COOKIE_NAME
    page.context.add_cookies([{"name": name, "value": client.cookies[name].value, "url": live_server.url}])
    page.emulate_media(color_scheme=scheme)
    assert table(stage).state.matches
    addresses = [
        url("manage_bracket", stage),
        url("manage_match_correct", stage, "U1.5") + "?winner=b",
        url("manage_match_correct", stage, "U1.6") + "?winner=b",
        url("manage_bracket_cut", stage) + "?scope=everything&ties=seed",
        url("manage_match", stage, "U2.2"),
        url("bracket", stage) + f"?player={numbered(stage)[5].pk}",
        url("bracket", stage) + "?part=places",
        url("bracket_hall", stage) + "?page=upper-1-3",
        url("bracket_hall", stage) + "?page=next",
    ]
    faults = []
    for address in addresses:
        page.set_viewport_size({"width": 820, "height": 1180})
        page.goto(address)
        faults += unfit_for_all(page)
        for width in (390, 820, 1440):
            page.set_viewport_size({"width": width, "height": 900})
            if not stays_inside(page):
                faults.append(f"{address}: wider than {width}")
    assert faults == []
