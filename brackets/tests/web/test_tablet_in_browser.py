"""A match on a tablet in a real browser: on without a network, past a reload, and against another tablet."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.urls import reverse
from django.utils import timezone
from playwright.sync_api import expect

from brackets.services import call_match
from brackets.tests.builders import drawn, match, play, ready_for_game
from tourney.models import Game, ResultOperation, Stage
from tourney.services.devices import issue_link
from tourney.testing.pages import stays_inside, unfit_for_all
from tourney.testing.tablets import codes_shown, network_lost

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def stage() -> Stage:
    stage = drawn(32)
    call_match(stage.pk, "U1.1", board=1)
    call_match(stage.pk, "U1.2", board=2)
    return stage


@pytest.fixture
def tablets(browser: Any, live_server: Any, stage: Stage) -> Iterator[Any]:
    contexts = []

    def opened(label: str = "Tablet 1", *, width: int = 820) -> Any:
        _, token = issue_link(
            stage.section.tournament, actor=None, label=label, valid_until=timezone.now() + timedelta(hours=6)
        )
        context = browser.new_context(
            base_url=live_server.url, viewport={"width": width, "height": 1100}, locale="en-GB", has_touch=True
        )
        context.set_default_timeout(15_000)
        contexts.append(context)
        page = context.new_page()
        page.goto(reverse("device_join", args=[token]))
        page.locator("main form button").click()
        page.wait_for_url("**/tablet/*/matches/")
        page.wait_for_selector("[data-ready]")
        return page

    yield opened
    for context in contexts:
        context.close()


def row(page: Any, key: str) -> Any:
    return page.locator(f".is-entry[data-match='{key}']")


def press(page: Any, key: str, answer: str) -> None:
    row(page, key).locator(f".ask-form .res[value='{answer}']").first.tap()


def results(stage: Stage, key: str = "U1.1") -> list[tuple[int, str]]:
    found = Game.objects.filter(stage=stage, match_key=key).order_by("game_number")
    return list(found.values_list("game_number", "outcome"))


def test_whole_match_without_a_network_survives_a_reload_and_arrives_once(stage: Stage, tablets: Any) -> None:
    page = tablets()
    page.context.set_offline(True)

    press(page, "U1.1", "w")
    expect(row(page, "U1.1")).to_contain_text("Game 1")
    press(page, "U1.1", "1-0")
    expect(row(page, "U1.1").locator(".ask")).to_contain_text("Game 2")
    expect(page.locator("#outbox")).to_contain_text("not sent: 2")
    press(page, "U1.1", "0-1")
    expect(row(page, "U1.1")).to_contain_text("The match is over")
    press(page, "U1.2", "b")
    expect(row(page, "U1.2").locator(".ask")).to_contain_text("Game 1")
    assert results(stage) == []

    page.context.set_offline(False)
    expect(page.locator("#outbox")).to_be_hidden(timeout=30_000)

    assert results(stage) == [(1, "1-0"), (2, "0-1")]
    assert match(stage, "U1.1").state == "done"
    assert match(stage, "U1.2").awaits["kind"] == "game"
    assert ResultOperation.objects.filter(state="applied").count() == ResultOperation.objects.count() == 4
    expect(row(page, "U1.1")).to_contain_text("won")


def test_kept_entries_are_there_after_a_reload_and_the_keys_of_any_layout_work(stage: Stage, tablets: Any) -> None:
    page = tablets(width=1280)
    page.route(
        "**/tablet/*/matches/", lambda route: route.abort() if route.request.method == "POST" else route.continue_()
    )
    row(page, "U1.1").focus()
    page.evaluate(
        "document.activeElement.dispatchEvent(new KeyboardEvent('keydown', {key: 'ц', code: 'KeyW', bubbles: true}))"
    )
    expect(row(page, "U1.1").locator(".ask")).to_contain_text("Game 1")
    page.keyboard.press("5")
    expect(row(page, "U1.1").locator(".ask")).to_contain_text("Game 2")

    page.reload()
    page.wait_for_selector("[data-ready]")
    expect(row(page, "U1.1").locator(".ask")).to_contain_text("Game 2")
    expect(page.locator("#outbox")).to_contain_text("not sent: 2")
    page.unroute("**/tablet/*/matches/")
    expect(page.locator("#outbox")).to_be_hidden(timeout=40_000)
    assert results(stage) == [(1, "1/2")]


def test_enter_in_the_words_of_a_lot_draws_none_and_a_database_closed_by_the_browser_loses_no_tap(
    stage: Stage, tablets: Any
) -> None:
    play(stage, "U1.1", "1 0 1 0")
    page = tablets()
    page.evaluate(
        """() => {
          const begin = IDBDatabase.prototype.transaction;
          IDBDatabase.prototype.transaction = function (...how) {
            IDBDatabase.prototype.transaction = begin;
            this.close(); // what a page finds after a long sleep
            return begin.apply(this, how);
          };
        }"""
    )
    row(page, "U1.1").get_by_text("Drawn by hand").tap()
    row(page, "U1.1").locator("[name=method]").fill("a coin")
    row(page, "U1.1").locator("[name=method]").press("Enter")
    row(page, "U1.1").locator(".res[value='b']").tap()
    expect(row(page, "U1.1")).to_contain_text("saved", timeout=30_000)

    assert [one.claim["answer"] for one in ResultOperation.objects.filter(link__isnull=False)] == ["b"]


def test_two_tablets_that_disagree_stop_the_match(stage: Stage, tablets: Any) -> None:
    ready_for_game(stage, "U1.1")
    one, other = tablets("Hall A"), tablets("Hall B", width=390)
    other.context.set_offline(True)
    press(other, "U1.1", "0-1")
    press(one, "U1.1", "1-0")
    expect(row(one, "U1.1")).to_contain_text("saved")

    other.context.set_offline(False)
    expect(row(other, "U1.1")).to_contain_text("an arbiter decides this match", timeout=30_000)

    assert results(stage) == []
    assert match(stage, "U1.1").awaits["kind"] == "claim"
    assert stays_inside(other)
    assert unfit_for_all(other) == []


def test_matches_of_a_dead_tablet_go_over_as_codes_and_as_a_file(stage: Stage, tablets: Any, tmp_path: Path) -> None:
    dead, living = tablets("Dead"), tablets("Living")
    dead.emulate_media(reduced_motion="reduce")  # codes turn by hand only
    network_lost(dead)
    for answer in ("w", "1-0"):
        press(dead, "U1.1", answer)
        expect(row(dead, "U1.1").locator(".not-sent")).to_be_visible()
    dead.locator(".entry-more > summary").tap()
    with dead.expect_download() as download:
        dead.locator("[data-hand-over]").tap()
    download.value.save_as(tmp_path / "entries.json")
    dead.locator("[data-show-codes]").tap()
    expect(dead.locator("#codes-which")).to_contain_text("code 1 of")
    dead.context.set_offline(False)
    dead.context.route("**/tablet/*/matches/", lambda route: route.abort())  # the reading library comes, no entry goes
    texts = codes_shown(dead)

    living.locator(".entry-more > summary").tap()
    living.locator("[data-read-codes]").tap()
    living.locator("#codes-text").fill("\n".join(sorted(texts, reverse=True)))
    expect(row(living, "U1.1")).to_contain_text("Game 2")
    living.locator("[data-take-in]").set_input_files(tmp_path / "entries.json")
    expect(living.locator("#outbox")).to_be_hidden()
    dead.context.unroute("**/tablet/*/matches/")

    expect(dead.locator("#outbox")).to_be_hidden(timeout=30_000)
    assert results(stage) == [(1, "1-0")]
    assert ResultOperation.objects.count() == 2


def test_entries_of_boards_are_not_taken_in_as_matches(stage: Stage, tablets: Any, tmp_path: Path) -> None:
    entry = {"id": "4d0a2f1e-3f0b-4f6e-9a1a-0c2f5a8b9d11", "entered": 1, "fields": {"game": "5", "outcome": "1-0"}}
    file = tmp_path / "entries.json"
    file.write_text(json.dumps({"format": "tourney-entries", "version": 1, "from": "Dead", "entries": [entry]}))
    page = tablets()

    page.locator("[data-take-in]").set_input_files(file)

    expect(page.locator("#outbox")).to_contain_text("1 of these entries are for another page of results")
    assert ResultOperation.objects.count() == 0
