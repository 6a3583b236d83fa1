"""Rows kept by what is in them: the same as from their template, and nothing of one visitor with another."""

from __future__ import annotations

import re

import pytest
from django.template.loader import render_to_string

from swiss import boards, entry
from swiss.models import Round
from swiss.services import enter_result
from swiss.templatetags import board_rows
from swiss.tests.builders import games_of, next_round, stage_of
from swiss.tests.web.helpers import reader, signed_in, url
from tourney.models import Player, Stage
from tourney.rendered import hole

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _nothing_rendered_yet() -> None:
    for rows in (board_rows._SHOWN, board_rows._ENTERED):
        rows.texts.clear()


@pytest.fixture
def stage() -> Stage:
    return stage_of(12)


@pytest.fixture
def round_(stage: Stage) -> Round:
    return next_round(stage)


def tokens_in(html: str) -> set[str]:
    return set(re.findall(r'name="csrfmiddlewaretoken" value="([^"]+)"', html))


def operations_in(html: str) -> list[str]:
    return re.findall(r'name="operation" value="([^"]+)"', html)


@pytest.mark.parametrize("again", [False, True])
def test_a_kept_row_is_what_its_template_says(stage: Stage, round_: Round, again: bool) -> None:
    enter_result(stage_id=stage.pk, game_id=games_of(round_)[0].pk, outcome="1-0")
    for board in boards.boards_of(round_, stage):
        if again:
            board_rows.board_row(board)
        assert board_rows.board_row(board) == render_to_string("components/board_row.html", {"board": board})
    for row in entry.rows_of(round_, stage):
        context = {"action": "/here/", "csrf_token": "T0ken"}
        if again:
            board_rows.entry_row(_Context(context), {**row, "operation": "other"})
        assert board_rows.entry_row(_Context(context), row) == render_to_string(
            "swiss/_entry_row.html", {**context, "row": row}
        )


class _Context(dict[str, str]):
    def flatten(self) -> dict[str, str]:
        return dict(self)


def test_everybody_gets_a_token_and_operations_of_his_own(stage: Stage, round_: Round) -> None:
    address = url("manage_results", stage, round_.number)
    one, other = (signed_in(stage, role).get(address).content.decode() for role in ("organizer", "chief_arbiter"))

    assert len(tokens_in(one)) == len(tokens_in(other)) == 1
    assert tokens_in(one) != tokens_in(other)
    assert not set(operations_in(one)) & set(operations_in(other))
    assert len(set(operations_in(one))) == 6
    assert hole("operation") not in one + other
    assert hole("csrf") not in one + other


def test_a_player_whose_name_looks_like_a_hole_is_shown_by_that_name(stage: Stage, round_: Round) -> None:
    Player.objects.filter(pk=stage.section.entries.first().player_id).update(surname="@csrf@ @operation@")

    page = signed_in(stage, "organizer").get(url("manage_results", stage, round_.number)).content.decode()

    assert "@csrf@ @operation@" in page


def test_a_result_changes_its_row_and_no_other(stage: Stage, round_: Round) -> None:
    address = url("pairings", stage)
    before = reader().get(address).content.decode()
    kept = dict(board_rows._SHOWN.texts)

    enter_result(stage_id=stage.pk, game_id=games_of(round_)[2].pk, outcome="0-1")
    after = reader().get(address).content.decode()

    assert (before.count("0–1"), after.count("0–1")) == (0, 1)
    # Play has begun with it, so the other five say so too.
    assert len(board_rows._SHOWN.texts) == len(kept) + 6
    enter_result(stage_id=stage.pk, game_id=games_of(round_)[3].pk, outcome="0-1")
    assert reader().get(address).content.decode().count("0–1") == 2
    assert len(board_rows._SHOWN.texts) == len(kept) + 7


def test_languages_have_their_own_rows(stage: Stage, round_: Round) -> None:
    english, ukrainian = (reader(language).get(url("pairings", stage)).content.decode() for language in ("en", "uk"))

    assert ("White" in english, "White" in ukrainian) == (True, False)


def test_no_more_rows_are_kept_than_there_is_room_for(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = board_rows.RenderedRows("components/empty.html")
    monkeypatch.setattr("tourney.rendered.MOST", 3)
    for number in range(10):
        rows.html(number, lambda: {"title": "x"})

    assert len(rows.texts) <= 3
