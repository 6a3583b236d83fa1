"""The living style page: there for developers only, accessible, sized for phones, and light enough for a hall."""

from __future__ import annotations

import gzip
from pathlib import Path
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from django.conf import settings
from django.test import Client

STATIC = Path(settings.BASE_DIR) / "static"


@pytest.fixture
def shown(settings: Any) -> None:
    settings.SHOW_DESIGN = True


def packed(*names: str) -> int:
    """Return how many bytes the files are on the wire."""
    return sum(len(gzip.compress((STATIC / name).read_bytes(), 9)) for name in names)


def test_the_page_is_not_there_on_a_server_in_use() -> None:
    assert Client().get("/_design/").status_code == 404


@pytest.mark.parametrize("frame", ["", "public/", "hall/", "print/"])
def test_no_frame_holds_inline_code(shown: None, frame: str) -> None:
    page = Client().get(f"/_design/{frame}").content.decode()
    assert " style=" not in page
    assert "<style" not in page
    assert page.count("<script") == page.count("<script src=") + page.count('<script type="module" src=')
    assert " onclick=" not in page


def test_an_unknown_frame_is_not_found(shown: None) -> None:
    assert Client().get("/_design/carriage/").status_code == 404


def test_public_pages_stay_light() -> None:
    own = ("tourney/theme.css", "tourney/components.css")
    scripts = ("tourney/theme.js", "tourney/page.js", "tourney/live.js")
    assert packed(*own) < 8_000
    assert packed(*scripts) <= 3_000
    assert packed(*own, *scripts, "tourney/favicon.svg", "vendor/bootstrap/bootstrap.min.css") < 45_000


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("frame", ["", "public/", "hall/", "print/"])
def test_no_frame_has_an_accessibility_fault(shown: None, page: Any, frame: str, scheme: str) -> None:
    page.emulate_media(color_scheme=scheme)
    page.goto(f"/_design/{frame}")
    found = Axe().run(page).response["violations"]
    assert [(fault["id"], [node["html"] for node in fault["nodes"]]) for fault in found] == []


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("width", [390, 820, 1440])
def test_the_page_never_scrolls_sideways_and_touch_targets_are_large(shown: None, page: Any, width: int) -> None:
    page.set_viewport_size({"width": width, "height": 900})
    page.goto("/_design/")
    assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0
    small = page.evaluate(
        """[...document.querySelectorAll(".btn, .chip, .tool, .tabs a, .step, .res, summary, .form-control")]
        .filter((part) => part.checkVisibility() && part.getBoundingClientRect().height < 43.5)
        .map((part) => part.outerHTML.slice(0, 80))"""
    )
    assert small == []
    results = page.evaluate('[...document.querySelectorAll(".result-main .res")].map((one) => one.offsetHeight)')
    assert results
    assert min(results) >= 56


@pytest.mark.django_db(transaction=True)
def test_the_theme_switch_goes_round_and_is_remembered(shown: None, page: Any) -> None:
    page.emulate_media(color_scheme="dark")
    page.goto("/_design/public/")
    root, seen = page.locator("html"), []
    for _ in range(3):
        seen.append(
            (
                root.get_attribute("data-theme-choice"),
                root.get_attribute("data-bs-theme"),
            )
        )
        page.locator(".theme-toggle").click()
    assert seen == [("auto", "dark"), ("light", "light"), ("dark", "dark")]
    page.locator(".theme-toggle").click()
    page.reload()
    assert root.get_attribute("data-bs-theme") == "light"


@pytest.mark.django_db(transaction=True)
def test_the_list_filter_finds_without_regard_to_case(shown: None, page: Any) -> None:
    page.goto("/_design/public/")
    page.locator("[data-filter]").fill("ПЕТР иванов")
    assert page.locator("#board-list > li:visible").count() == 1
    page.locator("[data-filter]").fill("")
    assert page.locator("#board-list > li:visible").count() == 5


@pytest.mark.django_db(transaction=True)
def test_a_why_opens_the_row_below_its_place(shown: None, page: Any) -> None:
    page.goto("/_design/public/")
    assert page.locator("tr.why:visible").count() == 0
    page.locator(".rank summary").nth(1).click()
    assert page.locator("tr.why:visible").count() == 1


@pytest.mark.django_db(transaction=True)
def test_without_scripts_everything_can_be_read(shown: None, browser: Any, live_server: Any) -> None:
    context = browser.new_context(java_script_enabled=False, color_scheme="dark")
    page = context.new_page()
    page.goto(f"{live_server.url}/_design/public/")
    assert page.locator("#board-list > li:visible").count() == 5
    assert not page.locator(".theme-toggle").is_visible()
    assert not page.locator("[data-filter]").is_visible()
    page.locator(".rank summary").first.click()
    assert page.locator("tr.why:visible").count() == 1
    context.close()


@pytest.mark.django_db(transaction=True)
def test_a_live_part_is_renewed_spares_unchanged_answers_and_says_when_it_is_stale(shown: None, page: Any) -> None:
    asked: list[str | None] = []

    def answer(route: Any) -> None:
        asked.append(route.request.all_headers().get("if-none-match"))
        if len(asked) == 1:
            route.fulfill(status=200, headers={"ETag": '"v2"'}, body="<p>round 5</p>")
        elif len(asked) == 2:
            route.fulfill(status=304)
        else:
            route.abort()

    page.clock.install()
    page.route("**/_design/live/", answer)
    page.goto("/_design/public/")
    for _ in range(120):  # a second at a time, so that a poll's own time limit does not run out before its answer
        page.clock.run_for(1_000)
        page.wait_for_timeout(25)
        if len(asked) == 2:
            fresh = page.locator("[data-live-stamp].is-stale").count()
        if len(asked) >= 4:
            break
    assert asked == [None, '"v2"', '"v2"', '"v2"']
    page.wait_for_timeout(50)
    assert page.locator("#live-part").inner_text() == "round 5"
    assert fresh == 0
    assert "is-stale" in (page.locator("[data-live-stamp]").get_attribute("class") or "")
