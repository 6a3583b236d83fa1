"""What a tablet must not enter is answered in words, kept for the arbiter, and changes nothing."""

from __future__ import annotations

import time
from datetime import timedelta
from typing import Any
from uuid import uuid4

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from swiss.tests.builders import games_of, next_round, stage_of
from swiss.tests.web.helpers import signed_in, text_of, url
from tourney.devices import COOKIE
from tourney.models import DeviceLink, Game, ResultOperation, Stage
from tourney.services.devices import bind_link, issue_link, revoke_link

pytestmark = pytest.mark.django_db


@pytest.fixture
def stage() -> Stage:
    return stage_of(12)


@pytest.fixture
def games(stage: Stage) -> list[Game]:
    return games_of(next_round(stage))


@pytest.fixture
def link(stage: Stage) -> DeviceLink:
    until = timezone.now() + timedelta(hours=6)
    _, token = issue_link(
        stage.section.tournament, actor=None, label="Tablet 1", valid_until=until, first_board=1, last_board=3
    )
    return bind_link(token, secret="secret")


def send(link: DeviceLink, game: Game, **fields: Any) -> Any:
    """Post what the tablet's script posts."""
    client = Client(headers={"accept-language": "en", "hx-request": "true"})
    client.cookies[COOKIE] = "secret"
    now = int(time.time() * 1000)
    entry = {
        "game": game.pk,
        "outcome": "1-0",
        "version": 0,
        "round": 1,
        "board": game.board,
        "operation": str(uuid4()),
    }
    return client.post(reverse("tablet", args=[link.pk]), {**entry, "entered": now, "sent": now, **fields})


def test_a_result_for_another_round(stage: Stage, games: list[Game], link: DeviceLink) -> None:
    answer = send(link, games[0], round=2)

    assert answer["X-Entry"] == "held"
    assert "It is kept for the arbiter." in text_of(answer)
    kept_for_the_arbiter(stage, games[0])


def test_a_board_out_of_the_tablets_range(stage: Stage, games: list[Game], link: DeviceLink) -> None:
    answer = send(link, games[4])

    assert answer["X-Entry"] == "held"
    assert "1–3" in text_of(answer)
    kept_for_the_arbiter(stage, games[4])


def test_after_the_link_was_taken_back(stage: Stage, games: list[Game], link: DeviceLink) -> None:
    revoke_link(stage.section.tournament, link.pk, actor=None)

    answer = send(link, games[0])

    assert answer["X-Entry"] == "held"
    assert "It is kept for the arbiter." in text_of(answer)
    kept_for_the_arbiter(stage, games[0])


def test_a_clock_two_hours_wrong_counts_the_servers_hours(stage: Stage, games: list[Game], link: DeviceLink) -> None:
    """Entered five minutes before it was sent, by a clock that is two hours ahead."""
    ahead = int(time.time() * 1000) + 2 * 3600 * 1000

    answer = send(link, games[0], entered=ahead - 300_000, sent=ahead)

    assert (answer["X-Entry"], answer["X-Clock-Wrong"]) == ("applied", "7200")
    operation = ResultOperation.objects.get()
    assert operation.entered_at is not None
    assert abs((operation.arrived_at - operation.entered_at).total_seconds() - 300) < 5


def test_impatient_taps_are_one_result(stage: Stage, games: list[Game], link: DeviceLink) -> None:
    number = str(uuid4())

    answers = [send(link, games[0], operation=number)["X-Entry"] for _ in range(3)]
    other = send(link, games[0])["X-Entry"]

    assert (answers, other) == (["applied"] * 3, "same")
    assert games[0].results.count() == 1


def kept_for_the_arbiter(stage: Stage, game: Game) -> None:
    """Nothing is entered; the arbiter's page shows what was said, and of which board."""
    assert Game.objects.exclude(outcome="").count() == 0
    (held,) = ResultOperation.objects.filter(state="held")
    assert held.outcome == "1-0"
    page = signed_in(stage, "chief_arbiter").get(url("manage_results", stage, 1))
    assert str(held.pk) in page.content.decode()
    assert str(game.board) in text_of(page)
