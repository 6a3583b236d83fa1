"""Screens of the hall: what they show in turn, what the remote control tells them, and who may tell it."""

from __future__ import annotations

import re
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from brackets.services import call_match
from brackets.tests.builders import drawn
from registration.models import Application
from registration.privacy.erasing import erase
from registration.services import edit_entry
from swiss.services import start_round
from swiss.tests.builders import enter, next_round, numbered, stage_of
from swiss.tests.web.helpers import queries, reader, signed_in, text_of
from tourney.hall import parts, passages
from tourney.models import ActionLog, HallScreen, Stage, Tournament
from tourney.services import screens
from tourney.services.news import tell_news
from tourney.testing import builders
from tourney.testing.pages import unfit_for_all

pytestmark = pytest.mark.django_db


@pytest.fixture
def stage() -> Stage:
    found = stage_of(20)
    next_round(found)
    return found


def screen_of(stage: Stage, *lines: dict[str, Any], **fields: Any) -> HallScreen:
    """Return a screen of the stage's event that shows these lines (none: the usual ones), in English."""
    made = screens.make_screen(stage.section.tournament, name="Entrance", actor=None, language="en")
    if lines:
        made.pages = [{"section": "", "seconds": 15, "text": "", **line} for line in lines]
    for name, value in fields.items():
        setattr(made, name, value)
    made.save()
    return made


def opened(screen: HallScreen, query: str = "", client: Client | None = None) -> str:
    return (client or reader()).get(reverse("screen", args=[screen.code]) + query).content.decode()


def pages_in(html: str) -> list[str]:
    return re.findall(r'<section class="hall-page" id="p\d+-([^"]+)"', html)


def remote(screen: HallScreen, client: Client, **sent: Any) -> Any:
    return client.post(reverse("manage_screen_remote", args=[screen.tournament.slug, screen.pk]), sent, follow=True)


def state(screen: HallScreen) -> str:
    found = re.search(r'<div id="hall-state" hidden ([^>]+)>', opened(screen))
    assert found is not None
    return found[1]


def test_rows_are_cut_evenly() -> None:
    assert [len(part) for part in parts(list(range(9)), 8)] == [5, 4]
    assert [len(part) for part in parts(list(range(8)), 8)] == [8]
    assert parts([], 8) == []
    assert [row for part in parts(list(range(100)), 8) for row in part] == list(range(100))


# -- the television --------------------------------------------------------------------------------------------------


def test_a_new_screen_shows_what_the_groups_have_without_a_sign_in(stage: Stage) -> None:
    chief = signed_in(stage, "chief_arbiter")
    answer = chief.post(reverse("manage_screens", args=[stage.section.tournament.slug]), {"name": "Entrance"})
    screen = HallScreen.objects.get()

    assert answer.status_code == 302
    assert re.fullmatch(r"\d{4}", screen.code)
    code = stage.section.code
    assert pages_in(opened(screen)) == [
        f"countdown-{code}-1",
        f"pairings-{code}-1",
        f"pairings-{code}-2",
        *(f"standings-{code}-{number}" for number in (1, 2, 3)),
    ]
    assert ActionLog.objects.filter(action="screens.made").count() == 1


def test_pairings_by_board_and_by_name_show_every_player(stage: Stage) -> None:
    screen = screen_of(stage, {"kind": "pairings"}, {"kind": "names"})
    words = text_of(reader().get(reverse("screen", args=[screen.code])))

    for entry in numbered(stage).values():
        assert words.count(entry.name) >= 2
    assert "Round 1 1/2" in words


def test_a_screen_speaks_its_own_language_whatever_the_browser_asks_for(stage: Stage) -> None:
    screen = screen_of(stage, {"kind": "standings"}, language="uk")

    assert "Становище" in opened(screen, client=reader("en"))


def test_results_reach_the_screen_and_an_unchanged_one_is_a_304(stage: Stage) -> None:
    screen = screen_of(stage)
    live = reverse("screen_live", args=[screen.code])
    first = reader().get(live)
    same = reader().get(live, headers={"if-none-match": first["ETag"]})
    assert (same.status_code, same.content) == (304, b"")
    assert queries(reader(), live, **{"if-none-match": first["ETag"]}) <= 3

    enter(stage.rounds.get(), "1-0")
    changed = reader().get(live, headers={"if-none-match": first["ETag"]})
    assert changed.status_code == 200
    assert "1–0" in changed.content.decode()
    screen.refresh_from_db()
    assert screen.seen_at is not None


@pytest.mark.parametrize("act", ["consent taken back", "erased"])
def test_a_name_that_may_be_published_no_more_leaves_the_screen(stage: Stage, act: str) -> None:
    entry = numbered(stage)[1]
    Application.objects.create(entry=entry, link_hash="x")
    live = reverse("screen_live", args=[screen_of(stage, {"kind": "pairings"}).code])
    first = reader().get(live)
    assert f">{entry.name}<" in first.content.decode()

    if act == "erased":
        Tournament.objects.update(state=Tournament.State.FINISHED)
        erase(entry, actor=None)
    else:
        edit_entry(entry, {"public_name": False}, by_entrant=True)
    after = reader().get(live, headers={"if-none-match": first["ETag"]})
    assert after.status_code == 200
    assert f">{entry.name}<" not in after.content.decode()


def test_news_and_a_text_of_ones_own_are_pages(stage: Stage) -> None:
    tell_news(stage.section.tournament, title={"uk": "Обід"}, text={"uk": "<b>зал 2</b>"}, actor=None)
    screen = screen_of(stage, {"kind": "news"}, {"kind": "text", "text": "Wi-Fi: hall\npassword: <chess>"})
    html = opened(screen)

    assert pages_in(html) == ["news-1", "text-1"]
    assert "&lt;b&gt;зал 2&lt;/b&gt;" in html
    assert "password: &lt;chess&gt;" in html


def test_the_countdown_is_there_until_the_round_begins(stage: Stage) -> None:
    screen = screen_of(stage, {"kind": "countdown"}, {"kind": "pairings"})
    round_ = stage.rounds.get()
    stage.rounds.update(scheduled_at=timezone.now() + timedelta(minutes=10))
    html = opened(screen)
    assert pages_in(html)[0] == f"countdown-{stage.section.code}-1"
    seconds = re.search(r'data-seconds-left="(\d+)"', html)
    assert seconds is not None
    assert 590 <= int(seconds[1]) <= 600

    start_round(round_.pk, actor=None)
    assert pages_in(opened(screen))[0] == f"pairings-{stage.section.code}-1"


def test_a_knockout_shows_boards_next_calls_tree_and_places() -> None:
    stage = drawn(8, rules={"size": 8, "minimum_matches": 0})
    call_match(stage.pk, "U1.1")
    screen = screen_of(stage)

    kinds = {name.partition("-")[0] for name in pages_in(opened(screen))}
    assert kinds == {"calls", "bracket"}
    assert "Now at the boards" in opened(screen)


def test_without_scripts_the_browser_is_led_from_page_to_page(stage: Stage) -> None:
    screen = screen_of(stage, {"kind": "pairings"}, {"kind": "standings"})
    first, last = opened(screen, "?at=0"), opened(screen, "?at=4")

    assert pages_in(first) == [f"pairings-{stage.section.code}-1"]
    assert "url=?at=1" in first
    assert pages_in(last) == [f"standings-{stage.section.code}-3"]
    assert "url=?at=0" in last


def test_the_screen_of_a_hidden_event_and_a_wrong_number_lead_nowhere(stage: Stage) -> None:
    screen = screen_of(stage)
    Tournament.objects.update(public=False)

    addresses = [reverse(name, args=[screen.code]) for name in ("screen", "screen_live")] + ["/h/0/", "/h/x%00/"]
    assert [reader().get(address).status_code for address in addresses] == [404] * 4


# -- the organizer ---------------------------------------------------------------------------------------------------


def test_the_remote_control_turns_holds_jumps_and_blanks(stage: Stage) -> None:
    screen, chief = screen_of(stage), signed_in(stage, "chief_arbiter")

    remote(screen, chief, act="next")
    remote(screen, chief, act="next")
    remote(screen, chief, act="back")
    assert state(screen) == 'data-steps="1" data-jumps="0" data-jump=""'
    remote(screen, chief, act="show", page="standings")
    remote(screen, chief, act="blank")
    assert state(screen) == 'data-steps="1" data-jumps="1" data-jump="standings" data-held data-blank'
    remote(screen, chief, act="go")
    remote(screen, chief, act="pages")
    assert state(screen) == 'data-steps="1" data-jumps="1" data-jump="standings"'
    refused = remote(screen, chief, act="show", page="bracket")
    assert "The screen has no such page any more." in text_of(refused)


def test_of_two_texts_the_one_that_was_tapped_is_shown(stage: Stage) -> None:
    chief = signed_in(stage, "chief_arbiter")
    screen = screen_of(stage, {"kind": "text", "text": "Lunch"}, {"kind": "text", "text": "Prizes at six"})
    offered = re.findall(r'name="page" value="([^"]+)"', remote(screen, chief, act="pages").content.decode())

    remote(screen, chief, act="show", page=offered[1])
    shown = re.findall(r'data-of="([^"]+)"[^>]*>', opened(screen))
    assert f'data-jump="{shown[1]}"' in state(screen)
    assert len({*offered, *shown}) == 2


def test_a_message_stands_above_the_pages_until_it_is_taken_away(stage: Stage) -> None:
    screen, chief = screen_of(stage), signed_in(stage, "chief_arbiter")

    remote(screen, chief, act="say", message="Round 2 starts  at 15:10 <now>")
    assert "Round 2 starts at 15:10 &lt;now&gt;" in opened(screen)
    assert ActionLog.objects.get(action="screens.told").data["message"] == "Round 2 starts at 15:10 <now>"
    remote(screen, chief, act="silence")
    assert "15:10" not in opened(screen)


def test_pages_are_chosen_ordered_and_timed(stage: Stage) -> None:
    screen, chief = screen_of(stage), signed_in(stage, "organizer")
    address = reverse("manage_screen", args=[screen.tournament.slug, screen.pk])
    sent = {"name": "Hall 2", "language": "ru", "look": "dark"}
    sent |= {"line0-order": "2", "line0-kind": "pairings", "line0-section": stage.section.code, "line0-seconds": "20"}
    sent |= {"line1-order": "1", "line1-kind": "text", "line1-text": "Welcome", "line1-seconds": ""}
    sent |= {"line2-kind": "", "line2-seconds": "15"}

    assert chief.post(address, sent).status_code == 302
    screen.refresh_from_db()
    assert (screen.name, screen.language, screen.look) == ("Hall 2", "ru", "dark")
    assert screen.pages == [
        {"kind": "text", "section": "", "seconds": 15, "text": "Welcome"},
        {"kind": "pairings", "section": stage.section.code, "seconds": 20, "text": ""},
    ]
    assert 'data-bs-theme="dark"' in opened(screen)


def test_a_screen_without_pages_is_refused_and_what_was_typed_stays(stage: Stage) -> None:
    screen, chief = screen_of(stage), signed_in(stage, "organizer")
    address = reverse("manage_screen", args=[screen.tournament.slug, screen.pk])

    answer = chief.post(address, {"name": "Hall 9", "language": "en", "look": "auto", "line0-kind": ""})
    assert answer.status_code == 422
    assert "Choose at least one page for the screen." in text_of(answer)
    assert "Hall 9" in answer.content.decode()
    hasty = {"name": "x", "language": "en", "look": "auto", "line0-kind": "pairings", "line0-seconds": "1"}
    assert chief.post(address, hasty).status_code == 422
    assert HallScreen.objects.get().version == screen.version


def test_only_who_arbitrates_leads_a_screen(stage: Stage) -> None:
    screen = screen_of(stage)
    address = reverse("manage_screen_remote", args=[screen.tournament.slug, screen.pk])

    roles = ("organizer", "chief_arbiter", "arbiter", "")
    assert [signed_in(stage, role).get(address).status_code for role in roles] == [200, 200, 403, 404]
    assert reader().post(address, {"act": "next"}).status_code == 302
    other = reader()
    other.force_login(builders.user("organizer elsewhere", builders.event(), "organizer"))
    assert other.post(address, {"act": "next"}).status_code == 404
    assert 'data-steps="0"' in opened(screen)


def test_a_deleted_screen_is_gone(stage: Stage) -> None:
    screen, chief = screen_of(stage), signed_in(stage, "chief_arbiter")
    chief.post(reverse("manage_screen", args=[screen.tournament.slug, screen.pk]), {"act": "delete"})

    assert reader().get(reverse("screen", args=[screen.code])).status_code == 404
    assert ActionLog.objects.filter(action="screens.deleted").count() == 1


# -- in the browser --------------------------------------------------------------------------------------------------


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize(("width", "height"), [(1920, 1080), (1366, 768)])
def test_the_screen_turns_follows_the_remote_control_and_says_when_it_is_stale(
    page: Any, width: int, height: int
) -> None:
    stage = stage_of(20)
    next_round(stage)
    screen = screen_of(stage)
    tournament, code = stage.section.tournament, stage.section.code
    page.set_viewport_size({"width": width, "height": height})
    page.clock.install()
    page.goto(reverse("screen", args=[screen.code]))
    first, second = f"#p1-pairings-{code}-1", f"#p1-pairings-{code}-2"
    page.locator(first).wait_for(state="visible")
    assert page.locator(".hall-page:visible").count() == 1
    assert unfit_for_all(page) == []
    names = "[...document.querySelectorAll('.hall-page:not([hidden]) .hall-name')]"
    sizes = page.evaluate(f"{names}.map((name) => parseFloat(getComputedStyle(name).fontSize))")
    assert min(sizes) >= height / 24  # capitals of 2 cm on a screen 70 cm high are read from ten metres
    bottom = page.evaluate(
        "document.querySelector('.hall-page:not([hidden]) .hall-row:last-child').getBoundingClientRect().bottom"
    )
    assert bottom <= height

    page.clock.fast_forward(15_200)
    page.locator(second).wait_for(state="visible")

    screens.show_page(tournament, screen.pk, page="standings", held=True)
    screens.say(tournament, screen.pk, message="Round 2 at 15:10", actor=None)
    page.clock.fast_forward(4_000)
    page.locator(f"#p2-standings-{code}-1").wait_for(state="visible")
    assert page.locator(".hall-message").inner_text() == "Round 2 at 15:10"
    page.clock.fast_forward(40_000)
    assert page.locator(f"#p2-standings-{code}-1").is_visible()  # held

    screens.turn(tournament, screen.pk, by=2)
    page.clock.fast_forward(4_000)
    page.locator(f"#p2-standings-{code}-3").wait_for(state="visible")

    page.route("**/_live/**", lambda route: route.abort())
    for _attempt in range(3):
        page.clock.fast_forward(20_000)
        page.wait_for_timeout(100)
    page.locator(".live-stamp.is-stale").wait_for()
    assert page.locator(f"#p2-standings-{code}-3").is_visible()


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("", []),
        ("one two three", ["one two three"]),
        ("aaaa bbbb cccc dddd eeee ffff gggg", ["aaaa bbbb cccc dddd eeee ffff", "gggg"]),
        ("aaaa\n\nbbbb\ncccc", ["aaaa\nbbbb", "cccc"]),
        ("aaaa\nbbbb cccc dddd eeee", ["aaaa", "bbbb cccc dddd eeee"]),
        ("https://example.org/a-long-address b", ["https://example.org/a-long-address", "b"]),
    ],
)
def test_a_text_is_cut_between_paragraphs_and_words(text: str, parts: list[str]) -> None:
    assert passages(text, width=10, lines=3) == parts


LONG = " ".join(f"слово-{number}" for number in range(200))


def test_a_long_notice_is_shown_in_parts(stage: Stage) -> None:
    tell_news(stage.section.tournament, title={"en": "Buses"}, text={"en": LONG}, actor=None)
    html = opened(screen_of(stage, {"kind": "news"}, {"kind": "text", "text": f"Rules\n{LONG}"}))

    shown = pages_in(html)
    news = sum(1 for page in shown if page.startswith("news"))
    assert shown == [f"news-{n + 1}" for n in range(news)] + [f"text-{n + 1}" for n in range(len(shown) - news)]
    assert 1 < news < len(shown) - news
    assert f"News 1/{news}" in html
    assert f"Rules 2/{len(shown) - news}" in html
    assert [len(re.findall(rf"слово-{number}\b", html)) for number in (0, 100, 199)] == [2, 2, 2]


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("size", [(1920, 1080), (1280, 720), (1024, 768)])
def test_no_part_of_a_long_text_runs_off_the_screen(
    browser: Any, live_server: Any, size: tuple[int, int], stage: Stage
) -> None:
    title = {"en": "Автобус до готелю чекає біля головного входу"}
    tell_news(stage.section.tournament, title=title, text={"en": LONG}, actor=None)
    screen = screen_of(stage, {"kind": "news"}, {"kind": "text", "text": f"Rules\n{LONG}"})
    context = browser.new_context(viewport={"width": size[0], "height": size[1]}, base_url=live_server.url)
    page = context.new_page()
    page.goto(reverse("screen", args=[screen.code]))
    page.wait_for_selector(".hall-page:not([hidden])")

    over = page.evaluate(
        """() => [...document.querySelectorAll(".hall-page")].filter((one, index, all) => {
             for (const other of all) other.hidden = other !== one;
             const big = one.querySelector(".hall-big");
             return big.scrollHeight > big.clientHeight || big.scrollWidth > big.clientWidth;
           }).map((one) => one.id)"""
    )
    context.close()

    assert over == []
