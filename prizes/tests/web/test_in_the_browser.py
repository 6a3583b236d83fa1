"""The arbiter's tablet at a play-off, the public page beside it, a draw on the hall's screen, diplomas as a file."""

from __future__ import annotations

import io
import re
from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth import get_user_model
from django.urls import reverse
from django.utils import timezone
from PIL import Image
from playwright.sync_api import expect

from prizes.models import DiplomaFile, Draw, PlayoffMatch
from prizes.services.draws import commit_draw, reveal_draw
from prizes.services.placings import publish_placings
from prizes.services.timed_draws import give_numbers, run_draw, schedule_draw
from prizes.tests import played
from tourney.models import LotResult, Section, StaffRole
from tourney.testing import builders
from tourney.testing.pages import follow, sign_in, stays_inside, unfit_for_all

pytestmark = pytest.mark.django_db(transaction=True)


def arbiter(page: Any, section: Section) -> None:
    user = get_user_model().objects.create_user("arbiter", password="only for this test")
    StaffRole.objects.create(tournament=section.tournament, user=user, role=StaffRole.Role.CHIEF_ARBITER)
    sign_in(page, "arbiter", "only for this test")


def tied(ranks: list[int]) -> Section:
    section = played.group(builders.event("youth-championship"), "u11-boys", players=len(ranks))
    played.finished(section, ranks, ended=timezone.now() - timedelta(hours=1))
    return section


def fit(page: Any) -> None:
    assert stays_inside(page), page.url
    assert unfit_for_all(page) == []


@pytest.mark.clause("M8.2")
def test_two_are_played_off_on_the_tablet_down_to_the_places(page: Any, browser: Any, live_server: Any) -> None:
    section = tied([1, 1, 3, 4])
    slug = section.tournament.slug
    page.set_viewport_size({"width": 820, "height": 1180})
    arbiter(page, section)
    page.goto(reverse("manage_placings_of", args=[slug, section.code]))
    follow(page, f"form[action$='/{section.code}/playoff/'] button")
    follow(page, ".ask-box .res")  # the lot gives White
    fit(page)
    follow(page, ".ask-box .res[value='1/2']")
    watcher = browser.new_context(base_url=live_server.url, viewport={"width": 390, "height": 844}).new_page()
    watcher.goto(reverse("playoff", args=[slug, section.code]))
    fit(watcher)
    follow(page, ".ask-box .res[value='1/2']")
    follow(page, ".ask-box .res")  # who chooses
    follow(page, ".ask-box .res[value=b]")
    follow(page, ".ask-box .res[value='1/2']")  # a draw is Black's
    match = PlayoffMatch.objects.get()
    assert match.winner is not None
    expect(page.locator(".lot-result")).to_contain_text(match.winner.player.surname)
    expect(watcher.locator("#playoff-box .lot-result")).to_contain_text(match.winner.player.surname, timeout=25_000)
    watcher.context.close()
    follow(page, ".lot-result a.btn-primary")
    follow(page, "form:has(input[value=publish]) button")
    page.goto(reverse("placings", args=[slug, section.code]))
    expect(page.locator(".podium-1")).to_contain_text(match.winner.player.surname)
    fit(page)


@pytest.mark.clause("K7.3", "K8.3")
def test_hall_sees_the_commitment_then_the_drum_stop_at_the_result(page: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    section = played.group(builders.event("second-chance-32"), players=20)
    played.finished_bracket(section, monkeypatch)
    publish_placings(section, actor=None)
    draw = commit_draw(section, 0, actor=None)
    page.set_viewport_size({"width": 1440, "height": 900})
    page.goto(reverse("lot_hall", args=[draw.lot_id]))
    expect(page.locator(".hall-commitment")).to_contain_text(draw.lot.commitment[:8])
    fit(page)
    numbers = [(ticket.entry.name, "5") for ticket in draw.tickets.select_related("entry__player")]
    reveal_draw(section.tournament, draw.pk, numbers=numbers, actor=None)
    result = page.locator(".lot-result")
    [winner] = LotResult.objects.get().result
    expect(result).to_contain_text(winner, timeout=15_000)
    expect(page.locator("[data-drum]")).to_have_attribute("data-lasts", re.compile(r"^[1-9]\d{3}$"))
    page.wait_for_timeout(3500)
    assert result.evaluate("box => getComputedStyle(box).opacity") == "1"
    assert page.locator(".dr-drawn").evaluate_all("all => all.every(one => one.getAnimations().length === 0)")


def test_who_wants_less_motion_sees_the_result_at_once(
    browser: Any, live_server: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    section = played.group(builders.event("second-chance-32"), players=20)
    played.finished_bracket(section, monkeypatch)
    publish_placings(section, actor=None)
    draw = commit_draw(section, 0, actor=None)
    numbers = [(ticket.entry.name, "5") for ticket in draw.tickets.select_related("entry__player")]
    reveal_draw(section.tournament, draw.pk, numbers=numbers, actor=None)
    context = browser.new_context(base_url=live_server.url, reduced_motion="reduce")
    page = context.new_page()
    page.goto(reverse("lot_hall", args=[draw.lot_id]))
    expect(page.locator("[data-drum]")).to_have_attribute("data-lasts", "0")
    assert page.locator(".lot-result").evaluate("box => getComputedStyle(box).opacity") == "1"
    context.close()


@pytest.mark.clause("K8.3")
def test_draw_at_a_moment_from_the_announcement_to_the_check_in_the_browser(
    page: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    section = played.group(builders.event("second-chance-32"), players=20)
    played.finished_bracket(section, monkeypatch)
    publish_placings(section, actor=None)
    slug = section.tournament.slug
    page.set_viewport_size({"width": 390, "height": 844})
    arbiter(page, section)
    page.goto(reverse("manage_draws", args=[slug]))
    form = page.locator("form:has([name=lottery][value='0'])")
    form.locator("details > summary").click()
    fit(page)
    with page.expect_navigation():
        form.locator("button[value=moment]").click()
    draw = Draw.objects.get()
    assert draw.scheduled_at is not None
    expect(page.locator(".moment .countdown")).to_have_text(re.compile(r"^\d+:\d\d"))
    for index, box in enumerate(page.locator("fieldset:first-of-type input[inputmode]").all()):
        box.fill(str(10 + index))
    follow(page, "form:has(input[value=decide]) button.btn-primary")
    assert draw.numbers.count() == draw.tickets.count()
    fit(page)
    Draw.objects.update(scheduled_at=timezone.now() - timedelta(seconds=1))
    assert run_draw(draw.pk)
    page.goto(f"{reverse('lot', args=[draw.lot_id])}#{draw.lot.commitment}")
    expect(page.locator("[data-lot-check]")).to_have_attribute("data-state", "honest")
    expect(page.locator("[data-photo]")).to_have_class(re.compile("state-done"))
    page.goto("about:blank")
    page.goto(f"{reverse('lot', args=[draw.lot_id])}#{'0' * 64}")
    expect(page.locator("[data-photo]")).to_have_class(re.compile("state-bad"))
    fit(page)


@pytest.mark.clause("M9.1")
def test_diplomas_get_words_and_a_picture_and_come_as_one_file(page: Any) -> None:
    section = played.group(builders.event("youth-championship"), "u11-boys")
    played.finished(section)
    publish_placings(section, actor=None)
    arbiter(page, section)
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto(reverse("manage_diplomas", args=[section.tournament.slug]))
    fit(page)
    page.fill("[name=body]", "за {place} місце")
    wrong = {"name": "diploma.png", "mimeType": "image/png", "buffer": b"%PDF-1.7 no picture"}
    page.set_input_files("[name=picture]", wrong)
    follow(page, "form:has([value=design]) button.btn-secondary")
    expect(page.locator("main")).to_contain_text("не зображення")
    expect(page.locator("[name=body]")).to_have_value("за {place} місце")
    written = io.BytesIO()
    Image.new("RGB", (400, 566), "#e8dcc0").save(written, "PNG")
    right = {"name": "paper.png", "mimeType": "image/png", "buffer": written.getvalue()}
    page.set_input_files("[name=picture]", right)
    follow(page, "form:has([value=design]) button.btn-secondary")
    expect(page.locator("img.diploma-paper")).to_be_visible()
    follow(page, "form:has([value=make]) button")
    made = DiplomaFile.objects.get()
    expect(page.locator(f"#file-{made.pk} a.btn-primary")).to_be_visible(timeout=15_000)
    answer = page.request.get(page.locator(f"#file-{made.pk} a.btn-primary").get_attribute("href"))
    assert answer.headers["content-type"] == "application/pdf"
    assert answer.body()[:5] == b"%PDF-"
    fit(page)


def give_all(draw: Draw) -> None:
    """Give a number for every holder of a ticket."""
    numbers = [(ticket.entry.name, "5") for ticket in draw.tickets.select_related("entry__player")]
    give_numbers(draw.section.tournament, draw.pk, numbers=numbers, actor=None)


def test_hall_counts_down_to_an_announced_draw(page: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    section = played.group(builders.event("second-chance-32"), players=20)
    played.finished_bracket(section, monkeypatch)
    publish_placings(section, actor=None)
    moment = timezone.now() + timedelta(minutes=5)
    draw = schedule_draw(section, 0, at=moment, beacon=Draw.Beacon.NUMBERS, actor=None)
    give_all(draw)
    page.goto(reverse("lot_hall", args=[draw.lot_id]))
    expect(page.locator(".hall-moment .countdown")).to_have_text(re.compile(r"^4:\d\d"))
    page.goto(reverse("lot", args=[draw.lot_id]))
    expect(page.locator(".moment .countdown")).to_have_text(re.compile(r"^4:\d\d"))
