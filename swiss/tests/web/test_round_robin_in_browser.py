"""A round robin from its numbers to its standings, by its pages in a real browser."""

from __future__ import annotations

from typing import Any

import pytest
from django.urls import reverse

from swiss.engine.berger import berger_table
from swiss.models import Pairing, Round
from swiss.tests.builders import enter, group, numbered, stage_of, table
from swiss.tests.web.helpers import url
from swiss.tests.web.test_rounds_in_browser import sign_in
from tourney.models import Entry, Section, Stage
from tourney.testing import builders
from tourney.testing.pages import stays_inside, unfit_for_all

pytestmark = pytest.mark.django_db(transaction=True)

WIDTHS = (390, 820, 1440)


def fit(page: Any, width: int) -> None:
    """The page stays inside the screen and has no serious fault of accessibility."""
    assert stays_inside(page), page.url
    assert unfit_for_all(page) == [], width


def act(page: Any, name: str, **fields: str) -> None:
    """Send the form of an act as a person does, unfolding it first when it is folded."""
    form = page.locator(f"form:has(input[name=act][value={name}])")
    fold = page.locator(f"details:has(input[name=act][value={name}]) > summary")
    if fold.count() and not form.locator("button").first.is_visible():
        fold.first.click()
    for key, value in fields.items():
        form.locator(f"[name={key}]").fill(value)
    form.locator("button").last.click()
    page.wait_for_load_state("load")


def pairs_by_number(round_: Round) -> list[tuple[int, int]]:
    rows = Pairing.objects.filter(round=round_, black__isnull=False).order_by("board")
    return [(row.white.start_number or 0, row.black.start_number or 0) for row in rows.select_related("white", "black")]


def play_next(page: Any, stage: Stage, results: str) -> Round:
    """Pair and publish the next round by the buttons; enter its results."""
    page.goto(url("manage_rounds", stage))
    page.locator(f"form[action='{url('manage_pair', stage)}'] button").first.click()
    page.wait_for_load_state("load")
    act(page, "publish")
    newest = Round.objects.filter(stage=stage).order_by("-number").first()
    assert newest is not None
    assert newest.state != Round.State.DRAFT
    return enter(newest, results)


def leave(page: Any, stage: Stage, entry: Entry, reason: str) -> str:
    """Take a player out by the page; return what it said would happen."""
    page.goto(url("manage_withdraw", stage))
    page.locator("select[name=entry]").select_option(value=str(entry.pk))
    page.locator("form:has([name=after_round]) [name=reason]").fill(reason)
    page.locator("form:has([name=after_round]) button").click()
    page.wait_for_load_state("load")
    said = str(page.locator(".callout-need ul").inner_text())
    page.locator("button.btn-danger").click()
    page.wait_for_load_state("load")
    return said


def stage_in(section: Section) -> Stage:
    return Stage.objects.select_related("section__tournament").get(section=section)


@pytest.mark.parametrize("width", WIDTHS)
def test_numbers_are_drawn_or_exchanged_and_the_double_table_is_turned(page: Any, live_server: Any, width: int) -> None:
    """Three children play twice (M7.2): an odd table, two cycles, the last two rounds of the first exchanged."""
    section = group(3)
    sign_in(page, live_server, builders.user("anna", section.tournament, "chief_arbiter"))
    page.set_viewport_size({"width": width, "height": 900})
    page.goto(reverse("manage_section", args=[section.tournament.slug, section.code]))
    act(page, "close")
    stage = stage_in(section)
    assert (stage.kind, stage.rounds_total) == (Stage.Kind.ROUND_ROBIN, 6)

    act(page, "lot")
    drawn = {number: entry.pk for number, entry in numbered(stage).items()}
    act(page, "exchange", first="1", second="3", reason="sisters must not begin")
    fit(page, width)

    changed = {number: entry.pk for number, entry in numbered(stage).items()}
    assert changed == {1: drawn[3], 2: drawn[2], 3: drawn[1]}
    single = [list(row.pairs) for row in berger_table(3)]
    played = [pairs_by_number(play_next(page, stage, "1-0")) for _ in range(6)]
    turned = [[(black, white) for white, black in pairs] for pairs in single]
    assert played == [single[0], single[2], single[1], *turned]
    # Every game is won by White and everybody has White twice: three players with two points each.
    assert sorted(points for _, _, points in table(stage)) == [4, 4, 4]
    for name in ("crosstable", "standings"):
        page.goto(url(name, stage))
        fit(page, width)


@pytest.mark.parametrize("width", WIDTHS)
def test_who_leaves_early_counts_for_nobody_and_who_leaves_late_loses_by_forfeit(
    page: Any, live_server: Any, width: int
) -> None:
    stage = stage_of(6)
    sign_in(page, live_server, builders.user("anna", stage.section.tournament, "chief_arbiter"))
    page.set_viewport_size({"width": width, "height": 900})
    people = numbered(stage)
    play_next(page, stage, "1-0")  # 1-6 2-5 3-4
    play_next(page, stage, "1-0")  # 6-4 5-3 1-2

    said = leave(page, stage, people[6], "went home")
    assert "2" in said
    assert "5" in said
    fit(page, width)
    play_next(page, stage, "1-0")  # 2-6 3-1 4-5
    said_late = leave(page, stage, people[5], "fell ill")
    assert said_late != said
    for _ in range(2):
        play_next(page, stage, "1-0")

    # Number 6 played two games of five: they count for nobody. Number 5 played three: the rest are forfeits.
    rows = {number: points for _, number, points in table(stage)}
    by_hand = expected_points()
    assert {number: rows[number] for number in by_hand} == by_hand
    for name in ("crosstable", "standings"):
        page.goto(url(name, stage))
        fit(page, width)


def expected_points() -> dict[int, int]:
    """Return half-points by hand: White wins each game played, 6 is taken out, 5 loses rounds 4 and 5 by forfeit."""
    points = dict.fromkeys(range(1, 6), 0)
    for row in berger_table(6):
        for white, black in row.pairs:
            if 6 in (white, black):
                continue
            winner = white if row.number <= 3 or 5 not in (white, black) else white + black - 5
            points[winner] += 2
    return points
