"""Following players without an account: the star, the strip on the event page, and the page of those one follows."""

from __future__ import annotations

from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from brackets.services import call_match
from brackets.tests.builders import drawn
from brackets.tests.builders import numbered as seeds_of
from swiss.tests.builders import enter, next_round, numbered, stage_of
from swiss.tests.web.helpers import reader, text_of
from tourney.following import COOKIE, MOST, toggled
from tourney.models import Entry, Stage, Tournament
from tourney.testing import builders

pytestmark = pytest.mark.django_db


@pytest.fixture
def stage() -> Stage:
    found = stage_of(12, system="swiss", rounds=5)
    next_round(found)
    return found


def follow(client: Client, entry: Entry, *, wanted: str = "on", **headers: str) -> Any:
    address = reverse("follow", args=[entry.tournament.slug])
    return client.post(address, {"entry": entry.pk, "wanted": wanted}, headers=headers)


def mine(client: Client, tournament: Tournament) -> str:
    return text_of(client.get(reverse("mine", args=[tournament.slug])))


def test_the_newest_comes_first_and_the_oldest_gives_way() -> None:
    assert toggled([1, 2], 3, "on") == [3, 1, 2]
    assert toggled([1, 2], 2, "off") == [1]
    assert toggled([1, 2], 2, None) == [1]
    assert toggled([1, 2], 2, "on") == [2, 1]
    assert toggled(list(range(MOST)), 99, "on") == [99, *range(MOST - 1)]


def test_a_star_on_the_start_list_brings_the_player_to_the_event_page(stage: Stage) -> None:
    tournament, entry = stage.section.tournament, numbered(stage)[3]
    client = reader()
    start_list = reverse("section", args=[tournament.slug, stage.section.code])
    assert f'value="{entry.pk}" aria-pressed="false"' in client.get(start_list).content.decode()

    answer = follow(client, entry, referer=f"http://testserver{start_list}?order=name")

    assert (answer.status_code, answer["Location"]) == (302, f"{start_list}?order=name#e{entry.pk}")
    assert f'value="{entry.pk}" aria-pressed="true"' in client.get(start_list).content.decode()
    event = text_of(client.get(reverse("event", args=[tournament.slug])))
    assert "My players" in event
    assert f"{entry.name} {stage.section.title_text} Round 1, board" in event
    assert "My players" not in text_of(reader().get(reverse("event", args=[tournament.slug])))


def test_the_page_follows_the_player_from_board_to_result_and_place(stage: Stage) -> None:
    tournament = stage.section.tournament
    game = stage.games.order_by("board").first()
    assert game is not None
    client = reader()
    follow(client, game.white)
    assert f"Round 1, board {game.board}: ○ against {game.black.name}" in mine(client, tournament)

    enter(stage.rounds.get(), "1-0")
    words = mine(client, tournament)
    assert f"Round 1: 1 ○ against {game.black.name}" in words
    assert "points 1 after round 1" in words
    assert "Next: round 2" in words


def test_in_a_knockout_the_page_says_where_a_win_and_a_loss_lead() -> None:
    stage = drawn(8, rules={"size": 8, "minimum_matches": 0})
    call_match(stage.pk, "U1.1")
    first, others = seeds_of(stage)[1], {entry.name for entry in seeds_of(stage).values()}
    client = reader()
    follow(client, first)
    words = mine(client, stage.section.tournament)

    assert "Match U1.1, board 1: against" in words
    assert "If you win U2." in words
    assert "If you lose L1." in words
    assert any(name in words for name in others - {first.name})


def test_following_ends(stage: Stage) -> None:
    tournament, entry = stage.section.tournament, numbered(stage)[1]
    client = reader()
    follow(client, entry)
    follow(client, entry, wanted="off")

    assert "You follow nobody yet" in mine(client, tournament)
    assert client.cookies[COOKIE].value == ""


def test_a_cookie_that_was_tampered_with_counts_as_none(stage: Stage) -> None:
    entry = numbered(stage)[1]
    client = reader()
    follow(client, entry)
    client.cookies[COOKIE] = client.cookies[COOKIE].value.replace(str(entry.pk), str(entry.pk + 1))

    assert "You follow nobody yet" in mine(client, stage.section.tournament)


def test_another_site_can_not_change_the_list_and_no_redirect_leads_away(stage: Stage) -> None:
    entry = numbered(stage)[1]

    assert follow(reader(), entry, **{"sec-fetch-site": "cross-site"}).status_code == 403
    away = follow(reader(), entry, referer="https://evil.example/page")
    assert away["Location"] == reverse("player", args=[entry.tournament.slug, stage.section.code, entry.pk])
    assert reader().get(reverse("follow", args=[entry.tournament.slug])).status_code == 405


def test_players_of_other_events_and_nonsense_are_not_found(stage: Stage) -> None:
    other = builders.entry(builders.event().sections.get())
    address = reverse("follow", args=[stage.section.tournament.slug])

    statuses = [reader().post(address, {"entry": sent}).status_code for sent in (other.pk, "", "x", "9" * 30)]
    assert statuses == [404] * 4


def test_somebody_without_consent_keeps_the_name_hidden(stage: Stage) -> None:
    entry = numbered(stage)[2]
    Entry.objects.filter(pk=entry.pk).update(public_name=False)
    client = reader()
    follow(client, entry)
    words = mine(client, stage.section.tournament)

    assert "Player 2" in words
    assert entry.player.surname not in words


def test_many_followed_players_cost_as_many_queries_as_one(stage: Stage) -> None:
    client, people = reader(), numbered(stage)
    address = reverse("mine", args=[stage.section.tournament.slug])

    def cost() -> int:
        with CaptureQueriesContext(connection) as captured:
            client.get(address)
        return len(captured)

    follow(client, people[1])
    one = cost()
    for number in range(2, 12):
        follow(client, people[number])
    assert cost() == one


@pytest.mark.django_db(transaction=True)
def test_a_star_is_set_without_leaving_the_page(page: Any) -> None:
    stage = stage_of(4)
    entry = numbered(stage)[2]
    address = reverse("section", args=[stage.section.tournament.slug, stage.section.code])
    page.goto(address)
    star = page.locator(f"#e{entry.pk} .star")
    with page.expect_response(lambda answer: "/follow/" in answer.url) as heard:
        star.click()
    assert heard.value.status == 204
    assert star.get_attribute("aria-pressed") == "true"
    page.reload()
    assert star.get_attribute("aria-pressed") == "true"
    box = star.bounding_box()
    assert box["width"] >= 44
    assert box["height"] >= 44
