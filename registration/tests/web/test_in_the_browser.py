"""A parent's phone and the desk's tablet: the form with and without scripts, cash in two taps."""

from __future__ import annotations

import datetime as dt
import re
import time
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth import get_user_model
from django.utils import timezone

from registration.models import LedgerLine
from registration.qr import dots
from registration.services import application_of, pass_deadlines
from registration.tests.db.test_rating_lists import FSR, load
from registration.tests.people import enter, section
from tourney.models import Entry, StaffRole
from tourney.testing import builders
from tourney.testing.pages import sign_in, unfit_for_all

pytestmark = pytest.mark.django_db(transaction=True)


def plain(text: str) -> str:
    return text.replace("\xa0", " ")


def fill_in(page: Any, year: int) -> None:
    page.fill("[name=surname]", "Смирнов")
    page.fill("[name=given_name]", "Пётр")
    page.fill("[name=birth_date]", f"{year}-05-03")
    page.check("[name=sex][value=M]")
    page.check("[name=lives_in_region]")
    page.check("[name=registered_in_region]")
    page.fill("[name=email]", "mama@example.org")
    page.fill("[name=guardian_name]", "Смирнова Ольга")
    page.check("[name=consent_regulation]")
    page.check("[name=consent_processing]")


@pytest.mark.clause("K4.1", "M10.3.2")
def test_the_fee_builds_up_while_one_fills_in_and_the_entry_is_sent(page: Any) -> None:
    event = builders.event("youth-championship", starts_on=timezone.localdate() + dt.timedelta(days=20))
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto(f"/t/{event.slug}/register/")
    fill_in(page, event.starts_on.year - 9)
    page.locator("#fee-box", has_text="500").wait_for()
    page.click("details.group-grounds > summary")
    page.check("[name=claims][value=large_family]")
    page.locator("#fee-box", has_text="250").wait_for()
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    page.click("button[value=check]")
    page.click("button[value=send]")
    page.wait_for_url(re.compile(r"/e/[\w-]{22}/"))
    assert "500 ₽" in plain(page.inner_text("main"))
    assert Entry.objects.get(tournament=event).section.code == "u11-boys"
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert pass_deadlines() == 0


def test_a_parent_finds_the_child_in_the_list_and_sends_the_form_by_keys_only_within_a_minute(
    page: Any, tmp_path: Path
) -> None:
    russian = FSR + "110,Смирнов Пётр Ильич,,RUS,12,Марий Эл,2012,1650,24100010,1503\n"
    load(tmp_path, russian.encode(), "smanager_standard.csv")
    event = builders.event("youth-championship", starts_on=timezone.localdate() + dt.timedelta(days=20))
    year = event.starts_on.year - 9
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto(f"/t/{event.slug}/register/")
    assert unfit_for_all(page) == []
    started = time.monotonic()

    def reach(selector: str, *, backwards: bool = False) -> None:
        """Go on by the tab key until the field is reached, as somebody without a mouse does."""
        for _ in range(60):
            if page.evaluate("selector => document.activeElement.matches(selector)", selector):
                return
            page.keyboard.press("Shift+Tab" if backwards else "Tab")
        raise AssertionError(f"the keyboard does not reach {selector}")

    reach("[name=consent_regulation]")
    page.keyboard.press("Space")
    reach("[name=consent_processing]")
    page.keyboard.press("Space")
    reach("#find")
    page.keyboard.type("smirnov petr")
    page.wait_for_selector(".found-person")
    assert unfit_for_all(page) == []
    reach(".found-person")
    page.keyboard.press("Enter")
    assert page.input_value("[name=surname]") == "Смирнов"
    assert page.input_value("[name=national_id]") == "110"
    reach("[name=birth_date]")
    page.fill("[name=birth_date]", f"{year}-05-03")  # three parts, in an order that depends on the browser's language
    for box in ("lives_in_region", "registered_in_region"):
        reach(f"[name={box}]")
        page.keyboard.press("Space")
    for name, text in (("email", "mama@example.org"), ("guardian_name", "Смирнова Ольга")):
        reach(f"[name={name}]")
        page.keyboard.type(text)
    reach("button.btn-primary[value=check]")
    page.keyboard.press("Enter")
    page.wait_for_selector("button[value=send]")
    reach("button[value=send]")
    page.keyboard.press("Enter")
    page.wait_for_url(re.compile(r"/e/[\w-]{22}/"))

    assert time.monotonic() - started < 60
    entry = Entry.objects.get(tournament=event)
    assert (entry.player.national_id, entry.player.fide_id, entry.rating) == ("110", "24100010", 1650)
    assert unfit_for_all(page) == []


def test_the_form_works_with_scripts_off(browser: Any, live_server: Any) -> None:
    event = builders.event("youth-championship", starts_on=timezone.localdate() + dt.timedelta(days=20))
    context = browser.new_context(base_url=live_server.url, java_script_enabled=False, locale="ru-RU")
    page = context.new_page()
    page.goto(f"/t/{event.slug}/register/")
    fill_in(page, event.starts_on.year - 9)
    page.click("button[value=check]")
    assert "500 ₽" in plain(page.inner_text("main"))
    page.click("button[value=edit]")
    assert page.input_value("[name=surname]") == "Смирнов"
    page.click("button[value=check]")
    page.click("button[value=send]")
    page.wait_for_url(re.compile(r"/e/[\w-]{22}/"))
    context.close()
    assert Entry.objects.filter(tournament=event).count() == 1


@pytest.mark.clause("K4.6")
def test_the_desk_takes_cash_in_two_taps_and_the_foot_follows(page: Any) -> None:
    event = builders.event("second-chance-32", starts_on=timezone.localdate() + dt.timedelta(days=20))
    entry = enter(section(event), "Бондар", timezone.now()).entry
    enter(section(event), "Гнатюк", timezone.now())
    desk = get_user_model().objects.create_user("desk", password="desk-desk-desk")
    StaffRole.objects.create(tournament=event, user=desk, role="desk")
    page.set_viewport_size({"width": 820, "height": 1180})
    page.goto(f"/manage/{event.slug}/desk/")
    page.fill("[name=username]", "desk")
    page.fill("[name=password]", "desk-desk-desk")
    page.click("main button")
    page.wait_for_url(f"**/manage/{event.slug}/desk/")
    page.fill("#desk-find", "бонд")
    assert page.locator(".desk-row:visible").count() == 1
    page.click(f"#entry-{entry.pk} summary")
    page.click(f"#entry-{entry.pk} button[value=cash]")
    page.wait_for_selector(f"#entry-{entry.pk} .desk-last")
    page.click(f"#entry-{entry.pk} .here-button")
    page.wait_for_selector(f"#entry-{entry.pk}.is-here")
    assert "500 ₴" in plain(page.inner_text("#desk-foot"))
    assert LedgerLine.objects.get().minor == 50_000
    assert Entry.objects.get(pk=entry.pk).present
    assert "Бондар Олег" in page.inner_text("#desk-said")
    assert unfit_for_all(page) == []
    page.click("#desk-said [value=not_here]")
    page.wait_for_selector(f"#entry-{entry.pk}:not(.is-here)")
    assert not Entry.objects.get(pk=entry.pk).present


def test_a_hand_scanner_finds_the_row_from_anywhere_on_the_desk(page: Any) -> None:
    event = builders.event("second-chance-32", starts_on=timezone.localdate() + dt.timedelta(days=20))
    entries = [enter(section(event), name, timezone.now()).entry for name in ("Бондар", "Гнатюк")]
    desk = get_user_model().objects.create_user("desk", password="desk-desk-desk")
    StaffRole.objects.create(tournament=event, user=desk, role="desk")
    sign_in(page, "desk", "desk-desk-desk")
    page.goto(f"/manage/{event.slug}/desk/")
    for entry in entries:  # the second scan begins with the button of the first row still in focus
        page.keyboard.type(application_of(entry).reference)
        page.keyboard.press("Enter")  # a scanner ends with it: the row is there, the form is not sent
        assert page.locator(".desk-row:visible").count() == 1
        page.keyboard.press("Enter")  # and this one is a person's
        page.wait_for_selector(f"#entry-{entry.pk}.is-here")
    assert [one.present for one in Entry.objects.order_by("pk")] == [True, True]


CAMERA = """(rows) => {  // a camera before which somebody holds a code; this Chromium has no reader of its own
  const canvas = document.createElement("canvas");
  canvas.width = 640; canvas.height = 480;
  const pen = canvas.getContext("2d");
  const side = Math.floor(400 / rows.length);
  setInterval(() => {
    pen.fillStyle = "#ccc"; pen.fillRect(0, 0, 640, 480);
    pen.fillStyle = "#fff"; pen.fillRect(80, 10, 460, 460);
    pen.fillStyle = "#000";
    rows.forEach((row, y) => row.forEach((dark, x) => dark && pen.fillRect(110 + x * side, 40 + y * side, side, side)));
  }, 50);
  window.cameras = [];
  navigator.mediaDevices.getUserMedia = async () => {
    window.cameras.push(canvas.captureStream(20));
    return window.cameras.at(-1);
  };
}"""

REFUSED = (
    "() => { navigator.mediaDevices.getUserMedia = async () => { throw new DOMException('', 'NotAllowedError'); }; }"
)


def test_the_camera_finds_the_row_where_the_browser_cannot_read_codes_itself(page: Any) -> None:
    event = builders.event("second-chance-32", starts_on=timezone.localdate() + dt.timedelta(days=20))
    entry, _ = (enter(section(event), name, timezone.now()).entry for name in ("Бондар", "Гнатюк"))
    desk = get_user_model().objects.create_user("desk", password="desk-desk-desk")
    StaffRole.objects.create(tournament=event, user=desk, role="desk")
    sign_in(page, "desk", "desk-desk-desk")
    page.goto(f"/manage/{event.slug}/desk/")
    page.evaluate(CAMERA, [list(row) for row in dots(application_of(entry).reference)])
    page.click("#scan")
    page.wait_for_selector("#scan-box", state="visible")
    page.wait_for_selector("#scan-box", state="hidden")
    assert page.locator(".desk-row:visible").count() == 1
    assert page.locator(f"#entry-{entry.pk}").is_visible()
    assert page.evaluate("window.cameras[0].getTracks().map((track) => track.readyState)") == ["ended"]

    page.evaluate(REFUSED)
    page.click("#scan")
    page.wait_for_selector("#scan", state="hidden")  # it may not be used: one types
    assert page.evaluate("document.activeElement.id") == "desk-find"


def test_a_row_of_the_desk_waits_for_the_answer_to_the_tap_before(page: Any) -> None:
    event = builders.event("second-chance-32", starts_on=timezone.localdate() + dt.timedelta(days=20))
    entry = enter(section(event), "Бондар", timezone.now()).entry
    desk = get_user_model().objects.create_user("desk", password="desk-desk-desk")
    StaffRole.objects.create(tournament=event, user=desk, role="desk")
    sign_in(page, "desk", "desk-desk-desk")
    page.goto(f"/manage/{event.slug}/desk/")
    page.click(f"#entry-{entry.pk} summary")
    page.route("**/desk/", lambda route: None, times=1)  # an answer that never comes
    page.click(f"#entry-{entry.pk} button[value=cash]")
    page.wait_for_selector(f"#entry-{entry.pk} .here-button:disabled")
