"""Result entry in a real browser: without a network, after a reload, against another tablet, typed a second time."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from django.conf import settings
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from playwright.sync_api import expect

from swiss.services import Claim, enter_result, publish_round, submit, unpublish_round
from swiss.tests.builders import enter, games_of, next_round, stage_of
from swiss.tests.web.helpers import url
from tourney.models import ActionLog, DeviceLink, Game, ResultOperation, ResultRecord, Stage
from tourney.services.devices import issue_link, revoke_link
from tourney.testing import builders
from tourney.testing.pages import stays_inside, unfit_for_all
from tourney.testing.tablets import codes_shown, network_lost

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def stage() -> Stage:
    found = stage_of(12)
    next_round(found)
    return found


@pytest.fixture
def games(stage: Stage) -> list[Game]:
    return games_of(stage.rounds.get(number=1))


CYRILLIC_SLASH = {"key": ".", "code": "Slash", "bubbles": True, "cancelable": True}
NUMPAD_3 = {"key": "3", "code": "Numpad3", "bubbles": True, "cancelable": True}


class Hall:
    """Tablets of a hall, each a browser of its own."""

    def __init__(self, browser: Any, address: str, stage: Stage) -> None:
        self.browser, self.address, self.stage = browser, address, stage
        self.contexts: list[Any] = []

    def tablet(self, label: str = "Tablet 1", *, width: int = 820, scripts: bool = True, **limits: Any) -> Any:
        """Return the page of a tablet that has just opened its code."""
        page = self.page(width=width, scripts=scripts)
        self.join(page, label, scripts=scripts, **limits)
        return page

    def join(self, page: Any, label: str = "Tablet 1", *, scripts: bool = True, **limits: Any) -> None:
        """Make a tablet of a page's browser."""
        _, token = issue_link(
            self.stage.section.tournament,
            actor=None,
            label=label,
            valid_until=timezone.now() + timedelta(hours=6),
            **limits,
        )
        page.goto(reverse("device_join", args=[token]))
        page.locator("main form button").click()
        page.wait_for_url("**/tablet/*/")
        if scripts:
            page.wait_for_selector("[data-ready]")

    def page(self, *, width: int = 820, scripts: bool = True) -> Any:
        context = self.browser.new_context(
            base_url=self.address,
            viewport={"width": width, "height": 1100},
            locale="en-GB",
            has_touch=True,
            java_script_enabled=scripts,
        )
        context.set_default_timeout(15_000)
        self.contexts.append(context)
        return context.new_page()


@pytest.fixture
def hall(browser: Any, live_server: Any, stage: Stage) -> Iterator[Hall]:
    opened = Hall(browser, live_server.url, stage)
    yield opened
    for context in opened.contexts:
        context.close()


def row(page: Any, board: int) -> Any:
    return page.locator(f".is-entry[data-board='{board}']")


def press(page: Any, board: int, outcome: str) -> None:
    row(page, board).locator(f".res[value='{outcome}']").first.tap()


def until(page: Any, comes: Callable[[], bool]) -> None:
    """Let the page go on until something has come to the test itself."""
    for _ in range(300):
        if comes():
            return
        page.wait_for_timeout(50)
    raise AssertionError("it has not come in 15 seconds")


def outcomes() -> dict[int, str]:
    return dict(Game.objects.exclude(outcome="").values_list("board", "outcome"))


def test_a_code_makes_a_tablet_of_a_browser(hall: Hall, stage: Stage) -> None:
    page = hall.tablet(first_board=2, last_board=4)

    assert [row(page, number).count() for number in range(1, 7)] == [0, 1, 1, 1, 0, 0]
    press(page, 3, "1-0")
    expect(row(page, 3)).to_have_class("board is-entry is-new")

    assert outcomes() == {3: "1-0"}
    assert ResultRecord.objects.get().device == "Tablet 1"
    assert ResultRecord.objects.get().entered_by is None


def test_five_results_without_a_network_survive_a_reload_and_arrive_once_each(hall: Hall) -> None:
    page = hall.tablet()
    page.wait_for_load_state("networkidle")
    page.reload()  # from now on the worker keeps the page
    page.wait_for_selector("[data-ready]")
    page.context.set_offline(True)

    for board in range(1, 6):
        press(page, board, "1-0")
        expect(row(page, board).locator(".not-sent")).to_be_visible()
    press(page, 3, "1/2")
    expect(row(page, 3).locator(".res[value='1/2']")).to_have_attribute("aria-pressed", "true")  # it is kept by then
    expect(page.locator("#outbox")).to_contain_text("not sent: 5")
    expect(page.locator("#outbox")).to_contain_text("no connection")
    page.reload()
    page.wait_for_selector("[data-ready]")
    expect(page.locator("#outbox")).to_contain_text("not sent: 5")
    expect(row(page, 3).locator(".res[value='1/2']")).to_have_attribute("aria-pressed", "true")
    assert outcomes() == {}
    page.context.set_offline(False)
    expect(page.locator("#outbox")).to_be_hidden(timeout=30_000)

    assert outcomes() == {1: "1-0", 2: "1-0", 3: "1/2", 4: "1-0", 5: "1-0"}
    assert ResultRecord.objects.count() == 5
    operations = ResultOperation.objects.filter(state=ResultOperation.State.APPLIED)
    assert all(one.entered_at and one.entered_at <= one.arrived_at for one in operations)


def test_an_answer_that_was_lost_on_the_way_is_asked_for_again(hall: Hall) -> None:
    """The server has taken the result, the tablet never heard: sent again, it counts once."""
    page = hall.tablet()
    lost: list[str] = []

    def lose(route: Any) -> None:
        if route.request.method == "POST" and not lost:
            route.fetch()
            lost.append(route.request.post_data)
            route.abort()
        else:
            route.continue_()

    page.route("**/tablet/*/", lose)
    press(page, 1, "0-1")
    expect(page.locator("#outbox")).to_contain_text("not sent: 1")
    expect(page.locator("#outbox")).to_be_hidden(timeout=30_000)

    assert len(lost) == 1
    assert outcomes() == {1: "0-1"}
    assert ResultRecord.objects.count() == ResultOperation.objects.count() == 1


def test_second_thoughts_after_a_lost_answer_are_no_conflict(hall: Hall) -> None:
    page = hall.tablet()
    sent: list[str] = []

    def cut(route: Any) -> None:
        """Let the first entry reach the server, and no answer come back until the second one is made."""
        if route.request.method != "POST" or len(sent) > 1:
            route.continue_()
            return
        if not sent:
            route.fetch()
            sent.append("first")
        route.abort()

    page.route("**/tablet/*/", cut)
    press(page, 1, "0-1")
    expect(page.locator("#outbox.is-stuck")).to_be_visible(timeout=30_000)  # the server has it, the answer is cut
    press(page, 1, "1/2")
    sent.append("second")
    expect(page.locator("#outbox")).to_be_hidden(timeout=40_000)

    assert outcomes() == {1: "1/2"}
    assert not ResultOperation.objects.filter(state=ResultOperation.State.CONFLICT).exists()


def test_an_entry_put_down_while_the_sender_is_finishing_is_sent_at_once(hall: Hall) -> None:
    """The sender lets go of its lock late, and no round begins by itself: only a second look sends the entry."""
    page = hall.page()
    page.add_init_script(
        """
        const later = window.setTimeout;
        window.setTimeout = (act, distance, ...rest) => distance < 10000 ? later(act, distance, ...rest) : 0;
        const request = LockManager.prototype.request;
        LockManager.prototype.request = function (name, options, act) {
          return request.call(this, name, options, async (lock) => {
            await act(lock);
            if (lock) await new Promise((resolve) => document.addEventListener("let-go", resolve, { once: true }));
          });
        };
        """
    )
    hall.join(page)
    press(page, 1, "0-1")
    expect(page.locator("#outbox")).to_contain_text("not sent: 1")
    assert outcomes() == {}
    page.evaluate("document.dispatchEvent(new Event('let-go'))")
    expect(row(page, 1).locator(".board-more")).to_contain_text("saved", timeout=30_000)

    assert outcomes() == {1: "0-1"}


def test_two_tablets_that_disagree_are_shown_to_the_arbiter_only(hall: Hall, live_server: Any) -> None:
    stage = hall.stage
    one, two = hall.tablet("Tablet 1"), hall.tablet("Tablet 2")
    one.context.set_offline(True)
    press(one, 2, "1-0")
    expect(row(one, 2).locator(".not-sent")).to_be_visible()
    press(two, 2, "0-1")
    expect(row(two, 2).locator(".board-more")).to_contain_text("saved")
    one.context.set_offline(False)
    expect(row(one, 2)).to_contain_text("An arbiter decides this board.", timeout=30_000)

    assert outcomes() == {}
    chief = builders.user("chief", stage.section.tournament, "chief_arbiter")
    desk = hall.page(width=1280)
    client = Client()
    client.force_login(chief)
    value = client.cookies[settings.SESSION_COOKIE_NAME].value
    desk.context.add_cookies([{"name": settings.SESSION_COOKIE_NAME, "value": value, "url": live_server.url}])
    desk.goto(url("manage_results", stage, 1))
    desk.wait_for_selector("[data-ready]")
    first = desk.locator(".is-entry").first
    expect(first).to_have_attribute("data-board", "2")
    expect(first).to_contain_text("0–1 Tablet 2")
    expect(first).to_contain_text("1–0 Tablet 1")
    assert unfit_for_all(desk) == []
    first.locator(".decide .res[value='1-0']").first.click()
    desk.wait_for_selector("text=is decided")

    assert outcomes() == {2: "1-0"}


def test_players_confirm_a_result_on_a_shared_tablet(hall: Hall) -> None:
    page = hall.tablet(role=DeviceLink.Role.PLAYERS, width=390)
    press(page, 1, "1/2")
    agree = row(page, 1).locator("[data-agrees]")
    agree.nth(0).tap()
    assert outcomes() == {}
    assert unfit_for_all(page) == []
    agree.nth(1).tap()
    expect(row(page, 1)).to_contain_text("Wrong? Call an arbiter.")

    assert outcomes() == {1: "1/2"}
    assert ResultOperation.objects.get().both_confirmed
    assert stays_inside(page)


def test_a_revoked_tablet_only_shows_and_what_it_had_kept_waits_for_the_arbiter(hall: Hall) -> None:
    page = hall.tablet()
    page.context.set_offline(True)
    press(page, 1, "1-0")
    expect(row(page, 1).locator(".not-sent")).to_be_visible()
    link = DeviceLink.objects.get()
    revoke_link(hall.stage.section.tournament, link.pk, actor=None)
    page.context.set_offline(False)
    expect(page.locator("main")).to_contain_text(
        "The chief arbiter has taken the link of this tablet back", timeout=30_000
    )
    expect(page.locator(".is-entry form")).to_have_count(0)

    assert outcomes() == {}
    held = ResultOperation.objects.get()
    assert (held.state, held.outcome, held.answer["code"]) == ("held", "1-0", "device.revoked")


def test_a_clock_two_hours_wrong_is_said_and_harms_nothing(hall: Hall) -> None:
    page = hall.tablet()
    page.add_init_script("const now = Date.now; Date.now = () => now() + 7200000;")
    page.reload()
    page.wait_for_selector("[data-ready]")
    press(page, 1, "1-0")
    expect(row(page, 1).locator(".board-more")).to_contain_text("saved")

    operation = ResultOperation.objects.get()
    assert abs(operation.skew_seconds - 7200) < 60
    assert abs((operation.entered_at - operation.arrived_at).total_seconds()) < 60
    assert abs(DeviceLink.objects.get().skew_seconds - 7200) < 60
    expect(page.locator("#outbox")).to_contain_text("The clock of this device is wrong.")


def test_a_page_of_yesterday_loses_nothing_and_wins_nothing(hall: Hall, games: list[Game]) -> None:
    """The round was taken back and paired anew while the tablet slept: its entry is kept, not entered."""
    page = hall.tablet()
    page.context.set_offline(True)
    press(page, 1, "1-0")
    expect(row(page, 1).locator(".not-sent")).to_be_visible()
    round_ = hall.stage.rounds.get(number=1)
    unpublish_round(round_.pk, actor=None, reason="wrong list")
    publish_round(round_.pk, actor=None)
    page.context.set_offline(False)
    expect(page.locator("#outbox")).to_contain_text("is not paired like this any more", timeout=30_000)

    assert outcomes() == {}
    assert ResultOperation.objects.get().state == ResultOperation.State.HELD
    expect(row(page, 1)).to_have_attribute("data-game", str(Game.objects.get(board=1).pk))
    page.locator("#outbox button").tap()
    expect(page.locator("#outbox")).to_be_hidden()


def test_impatient_taps_count_once_and_the_last_one_wins(hall: Hall) -> None:
    page = hall.tablet()
    button = row(page, 1).locator(".res[value='1-0']").first
    for _ in range(4):
        button.dispatch_event("click")
    expect(row(page, 1).locator(".board-more")).to_contain_text("saved")

    assert outcomes() == {1: "1-0"}
    assert ResultRecord.objects.count() == 1


def test_entries_of_a_dead_tablet_go_over_as_a_file(hall: Hall, tmp_path: Path) -> None:
    dead, living = hall.tablet("Dead"), hall.tablet("Living")
    dead.context.set_offline(True)
    for board, outcome in ((1, "1-0"), (2, "0-1")):
        press(dead, board, outcome)
        expect(row(dead, board).locator(".not-sent")).to_be_visible()
    dead.locator(".entry-more > summary").tap()
    with dead.expect_download() as download:
        dead.locator("[data-hand-over]").tap()
    download.value.save_as(tmp_path / "entries.json")
    assert len(json.loads((tmp_path / "entries.json").read_text())["entries"]) == 2

    living.locator("[data-take-in]").set_input_files(tmp_path / "entries.json")
    expect(row(living, 2).locator(".board-more")).to_contain_text("saved")
    assert outcomes() == {1: "1-0", 2: "0-1"}
    dead.context.set_offline(False)
    expect(dead.locator("#outbox")).to_be_hidden(timeout=30_000)
    assert ResultRecord.objects.count() == ResultOperation.objects.count() == 2
    (tmp_path / "other.json").write_text('{"format": "something else"}')
    living.locator("[data-take-in]").set_input_files(tmp_path / "other.json")
    expect(living.locator("#outbox")).to_contain_text("This file holds no entries.")


def test_entries_of_a_dead_tablet_go_over_as_codes(hall: Hall) -> None:
    """Each code is read from the picture on the screen by the library that reads camera pictures."""
    dead, living = hall.tablet("Dead"), hall.tablet("Living")
    dead.emulate_media(reduced_motion="reduce")  # codes turn by hand only
    network_lost(dead)
    for board in (1, 2, 3, 4):
        press(dead, board, "1-0")
        expect(row(dead, board).locator(".not-sent")).to_be_visible()
    dead.locator(".entry-more > summary").tap()
    dead.locator("[data-show-codes]").tap()
    expect(dead.locator("#codes-which")).to_contain_text("code 1 of")
    dead.context.set_offline(False)
    dead.context.route("**/tablet/*/", lambda route: route.abort())  # the reading library comes, the entries don't go
    texts = codes_shown(dead)

    living.locator(".entry-more > summary").tap()
    living.locator("[data-read-codes]").tap()
    living.locator("#codes-text").fill("something else\n")
    living.locator("#codes-text").fill("\n".join(sorted(texts, reverse=True)))

    expect(row(living, 4).locator(".board-more")).to_contain_text("saved")
    assert outcomes() == dict.fromkeys((1, 2, 3, 4), "1-0")
    dead.context.unroute("**/tablet/*/")
    expect(dead.locator("#outbox")).to_be_hidden(timeout=30_000)
    assert ResultRecord.objects.count() == ResultOperation.objects.count() == 4


def test_verify_mode_stops_at_a_difference_and_changes_nothing(hall: Hall) -> None:
    enter(hall.stage.rounds.get(number=1), "1-0 1/2 0-1 1-0 1/2 0-1")
    before = list(ResultRecord.objects.values_list("pk", flat=True))
    page = hall.tablet()
    page.locator(".entry-more > summary").tap()
    page.locator("[data-verify]").tap()
    expect(page.locator("#verify-bar")).to_have_text("still to type: 6")
    expect(page.locator(".res[aria-pressed=true]")).to_have_count(0)

    page.keyboard.press("1")
    page.keyboard.press("1")
    expect(row(page, 2)).to_be_focused()
    expect(page.locator("#verify-bar.is-wrong")).to_have_text("Board 2 differs. Look at the slip.")
    assert unfit_for_all(page) == []
    for key in "50150":
        page.keyboard.press(key)
    expect(page.locator("#verify-bar")).to_have_text("All results agree.")
    with page.expect_response(lambda answer: answer.request.method == "POST"):
        page.locator("[data-verify]").tap()

    expect(row(page, 2).locator(".res[value='1/2']").first).to_have_attribute("aria-pressed", "true")
    assert list(ResultRecord.objects.values_list("pk", flat=True)) == before
    expect(page.locator("#outbox")).to_be_hidden()
    line = ActionLog.objects.get(action="swiss.verified")
    assert (line.actor_label != "", line.data["boards"], line.data["differences"]) == (True, 6, "2")


def test_the_other_set_of_keys_the_numpad_and_digits_that_jump(hall: Hall) -> None:
    page = hall.tablet(width=1280)
    page.locator(".entry-more > summary").click()
    page.locator("[name=keys][value='123']").check()
    page.locator(".entry-more > summary").click()
    page.locator("h1").click()
    # The place of a key counts: on a Cyrillic layout a full stop is where the slash is.
    page.evaluate("dispatch => document.body.dispatchEvent(new KeyboardEvent('keydown', dispatch))", CYRILLIC_SLASH)
    expect(page.locator("#jump")).to_be_focused()
    page.locator("h1").click()
    # Playwright's numpad has no digits: this is what a browser gives with Num Lock on.
    page.evaluate("dispatch => document.body.dispatchEvent(new KeyboardEvent('keydown', dispatch))", NUMPAD_3)
    expect(row(page, 1).locator(".board-more")).to_contain_text("saved")
    page.keyboard.press("2")
    expect(row(page, 2).locator(".board-more")).to_contain_text("saved")
    # What a screen reader says: the board, who plays, the result in words, and that it is saved.
    expect(page.locator("#entry-said")).to_have_text(re.compile(r"^Board 2, .+ – .+: Black won: .*saved"))
    group = row(page, 2).locator(".result-main")
    assert re.fullmatch(r"Result of board 2: .+ – .+", group.get_attribute("aria-label"))
    page.keyboard.press("5")
    page.keyboard.press("Enter")
    expect(row(page, 5)).to_be_focused()
    page.keyboard.press("1")
    expect(row(page, 5).locator(".board-more")).to_contain_text("saved")
    page.keyboard.press("Escape")
    expect(row(page, 5)).to_be_focused()
    page.keyboard.press("2")
    page.locator(".correction [name=reason]").fill("mistyped")
    page.keyboard.press("Enter")
    expect(row(page, 5)).to_have_attribute("data-result", "0-1")

    assert outcomes() == {1: "1/2", 2: "0-1", 5: "0-1"}


def test_another_tablets_results_come_by_themselves_and_filters_count(hall: Hall, games: list[Game]) -> None:
    page = hall.tablet()
    enter_result(stage_id=hall.stage.pk, game_id=games[3].pk, outcome="1-0")
    page.evaluate("dispatchEvent(new Event('online'))")
    expect(row(page, 4)).to_have_attribute("data-result", "1-0")
    expect(page.locator("[data-show=missing] b")).to_have_text("5")
    page.locator("[data-show=all]").tap()
    expect(row(page, 4)).to_be_visible()
    page.locator("[data-show=missing]").tap()
    expect(row(page, 4)).to_be_hidden()
    submit(hall.stage.section.tournament, Claim(uuid4(), games[3].pk, "0-1", base_version=0, queued=True))
    page.evaluate("dispatchEvent(new Event('online'))")
    expect(row(page, 4)).to_be_visible()
    expect(page.locator("[data-show=conflict] b")).to_have_text("1")


def test_a_list_asked_for_before_an_entry_does_not_take_the_entry_back(hall: Hall, games: list[Game]) -> None:
    """The list is read, an entry is answered, and only then does the older list arrive."""
    page = hall.tablet()
    page.wait_for_load_state("networkidle")
    held: list[tuple[Any, Any]] = []

    def hold(route: Any) -> None:
        if route.request.method == "GET" and not held:
            held.append((route, route.fetch()))
        else:
            route.continue_()

    enter_result(stage_id=hall.stage.pk, game_id=games[3].pk, outcome="1-0")
    page.route("**/tablet/*/", hold)
    page.evaluate("dispatchEvent(new Event('online'))")
    until(page, lambda: bool(held))
    press(page, 1, "0-1")
    expect(row(page, 1).locator(".board-more")).to_contain_text("saved")
    [(route, older)] = held
    route.fulfill(response=older)

    expect(row(page, 4)).to_have_attribute("data-result", "1-0")  # the older list has come, with its news
    expect(row(page, 1)).to_have_attribute("data-result", "0-1", timeout=1)
    expect(row(page, 1)).to_have_class("board is-entry is-new", timeout=1)
    assert outcomes() == {1: "0-1", 4: "1-0"}


def test_a_list_that_arrives_with_an_answer_does_not_swallow_what_the_answer_says(hall: Hall) -> None:
    """A list replaces the row while the entry just answered is being taken out of the outbox of a slow tablet."""
    page = hall.tablet()
    page.wait_for_load_state("networkidle")
    held: dict[str, tuple[Any, Any]] = {}

    def hold(route: Any) -> None:
        if route.request.method in held:
            route.continue_()
        else:
            held[route.request.method] = (route, route.fetch())

    page.evaluate(
        """() => {
            const remove = IDBObjectStore.prototype.delete;
            IDBObjectStore.prototype.delete = function (key) {
                const until = performance.now() + 1500;
                const wait = () => {
                    this.get(key).onsuccess = () => (performance.now() < until ? wait() : remove.call(this, key));
                };
                wait();
                document.body.dataset.removing = "yes";
            };
        }"""
    )
    page.route("**/tablet/*/", hold)
    press(page, 1, "0-1")
    until(page, lambda: "POST" in held)
    page.evaluate("dispatchEvent(new Event('online'))")
    until(page, lambda: "GET" in held)
    for method in ("POST", "GET"):
        route, answer = held[method]
        route.fulfill(response=answer)
        page.wait_for_selector("body[data-removing]")

    expect(row(page, 1)).to_have_class("board is-entry is-new")
    assert outcomes() == {1: "0-1"}


def test_a_tablet_without_scripts_has_plain_forms(hall: Hall) -> None:
    page = hall.tablet(scripts=False)
    row(page, 1).locator(".res[value='1/2']").first.click()
    page.wait_for_selector("text=Board 1: saved.")
    page.goto(page.url.split("?")[0].split("#")[0] + "?show=all")
    row(page, 1).locator(".res[value='1-0']").first.click()
    page.locator(".correction [name=reason]").fill("slip misread")
    page.locator(".correction button").click()
    page.wait_for_selector("text=Board 1: saved.")

    assert outcomes() == {1: "1-0"}


@pytest.mark.parametrize("width", [390, 820, 1440])
def test_the_tablet_page_fits_everybody(hall: Hall, width: int) -> None:
    page = hall.tablet(width=width)
    press(page, 1, "1-0")
    expect(row(page, 1).locator(".board-more")).to_contain_text("saved")

    assert unfit_for_all(page) == []
    assert stays_inside(page)
    sizes = page.locator(".res, .chip, .result-drawer > summary").evaluate_all(
        "all => all.map(one => one.getBoundingClientRect()).filter(box => box.width)"
        ".map(box => Math.min(box.width, box.height))"
    )
    assert min(sizes) >= 44
