"""The pages an arbiter seldom needs, full of what they can hold: any screen, light and dark, for everybody."""

from __future__ import annotations

from typing import Any

import pytest

from swiss.engine.virtual import Run
from swiss.services import (
    change_pairing,
    enter_result,
    fix_board,
    forbid_pair,
    pair_next_round,
    publish_round,
    set_virtual_points,
    unpublish_round,
)
from swiss.tests.builders import enter, games_of, next_round, numbered, stage_of
from swiss.tests.web.helpers import url
from swiss.tests.web.test_round_robin_in_browser import fit
from swiss.tests.web.test_rounds_in_browser import sign_in
from tourney.kernel.points import ONE
from tourney.models import Stage
from tourney.testing import builders

pytestmark = pytest.mark.django_db(transaction=True)

WIDTHS = (390, 820, 1440)
UNFOLD = "document.querySelectorAll('main details:not(.section-switch)').forEach(one => { one.open = true })"


def busy_stage(anna: Any, stage: Stage) -> Stage:
    """Fill a Swiss of 13: wishes, a kept board, virtual points, an open game, a round taken back, a draft by hand."""
    people = numbered(stage)
    forbid_pair(stage.pk, first_id=people[1].pk, second_id=people[2].pk, actor=anna, reason="brothers")
    forbid_pair(stage.pk, first_id=people[3].pk, second_id=people[4].pk, actor=anna, reason="one club", soft=True)
    fix_board(stage.pk, entry_id=people[6].pk, board=2, actor=anna, reason="wheelchair")
    set_virtual_points(stage.pk, runs=[Run(ONE, 1, 2, 1, 6)], actor=anna, reason="announced")
    for game in games_of(next_round(stage))[1:]:
        enter_result(stage_id=stage.pk, game_id=game.pk, outcome="1-0", actor=anna)
    second = publish_round(pair_next_round(stage.pk, actor=anna, with_open_games=True).pk, actor=anna)
    enter(second, "1-0 1/2")
    unpublish_round(second.pk, actor=anna, reason="a result of round 1 was wrong", with_results=True)
    draft = stage.rounds.get(number=2)
    white, black = (draft.pairings.get(board=board).white_id for board in (1, 4))
    change_pairing(draft.pk, first_id=white, second_id=black, actor=anna, reason="asked by the appeals committee")
    return stage


@pytest.mark.parametrize("width", WIDTHS)
def test_full_pages_fit_any_screen_in_light_and_dark(page: Any, live_server: Any, width: int) -> None:
    stage = stage_of(13)
    anna = builders.user("anna", stage.section.tournament, "chief_arbiter")
    busy_stage(anna, stage)
    sign_in(page, live_server, anna)
    page.set_viewport_size({"width": width, "height": 900})

    for address, shown in (
        (url("manage_forbidden", stage), "wheelchair"),
        (url("manage_round", stage, 2), "a result of round 1 was wrong"),
        (url("manage_rounds", stage), "a result of round 1 was wrong"),
        (url("manage_round", stage, 1), ""),
        (url("round_print", stage, 1) + "?by=name", ""),
    ):
        for scheme in ("light", "dark"):
            page.emulate_media(color_scheme=scheme)
            page.goto(address)
            assert shown in page.locator("main").inner_text()
            page.evaluate(UNFOLD)
            fit(page, width)


@pytest.mark.parametrize("width", WIDTHS)
def test_roll_call_and_late_pair_fit_any_screen(page: Any, live_server: Any, width: int) -> None:
    stage = stage_of(13)
    anna = builders.user("anna", stage.section.tournament, "chief_arbiter")
    sign_in(page, live_server, anna)
    page.set_viewport_size({"width": width, "height": 900})
    page.goto(url("manage_presence", stage))
    fit(page, width)
    next_round(stage)

    page.goto(url("manage_round", stage, 1))
    late = page.locator("details:has(form input[name=act][value=late])")
    late.locator("summary").click()
    fit(page, width)
