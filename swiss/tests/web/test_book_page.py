"""The page of a group played by the book, and the questions before what bends the rules."""

from __future__ import annotations

import pytest

from swiss.models import ForbiddenPair, Round
from swiss.services import adjourn_game, change_pairing, enter_result, leave_the_book, pair_next_round
from swiss.tests.builders import games_of, next_round, numbered, play, stage_of
from swiss.tests.web.helpers import reader, signed_in, text_of, url
from tourney.models import BentRule, Game, Stage

pytestmark = pytest.mark.django_db


@pytest.fixture
def stage() -> Stage:
    stage = stage_of(12)
    stage.rules = {**stage.rules, "rating": {**stage.rules.get("rating", {}), "by_the_book": True}}
    stage.save(update_fields=["rules"])
    stage.section.tournament.public = True
    stage.section.tournament.save(update_fields=["public"])
    return stage


def test_two_questions_keep_what_was_typed_and_the_second_says_what_follows(stage: Stage) -> None:
    people = numbered(stage)
    play(stage)
    client, address = signed_in(stage, "chief_arbiter"), url("manage_forbidden", stage)
    typed = {"act": "forbid", "first": people[1].pk, "second": people[2].pk, "from_round": 2, "reason": "brothers"}

    first = client.post(address, typed)
    second = client.post(address, {**typed, "knowing": "1"})

    assert (first.status_code, second.status_code) == (409, 409)
    assert "question 1 of 2" in text_of(first)
    assert "question 2 of 2" in text_of(second)
    assert "for good" not in text_of(first)
    assert "stops playing by the book, for good" in text_of(second)
    for name, value in typed.items():
        assert f'<input type="hidden" name="{name}" value="{value}">' in second.content.decode()
    assert '<input type="hidden" name="knowing" value="2">' in second.content.decode()
    assert not ForbiddenPair.objects.exists()

    assert client.post(address, {**typed, "knowing": "2"}).status_code == 302
    assert ForbiddenPair.objects.count() == 1
    for name in ("standings", "pairings", "crosstable", "standings_print", "crosstable_print"):
        assert "Not by the book from round 1 on" in text_of(reader().get(url(name, stage)))


def test_acts_on_the_page_of_a_round_ask_too(stage: Stage) -> None:
    client = signed_in(stage, "chief_arbiter")
    draft = pair_next_round(stage.pk, actor=None)
    one, other = list(draft.pairings.order_by("board"))[:2]
    change_pairing(draft.pk, first_id=one.white_id, second_id=other.white_id, actor=None, reason="neighbours")
    address = url("manage_round", stage, 1)

    asked = client.post(address, {"act": "publish"})
    assert (asked.status_code, Round.objects.get().state) == (409, "draft")
    assert client.post(address, {"act": "publish", "knowing": "2"}).status_code == 302
    assert Round.objects.get().state == "published"

    pairing = Round.objects.get().pairings.first()
    assert pairing is not None
    put_off = {"act": "adjourn", "pairing": pairing.pk, "reason": "ill"}
    assert "is it meant?" in text_of(client.post(address, put_off))
    assert client.post(address, {**put_off, "knowing": "1"}).status_code == 302
    assert "is it meant?" in text_of(client.post(url("manage_pair", stage), {"with_open_games": "1"}))
    back = {"act": "unpublish", "reason": "wrong list"}
    assert client.post(address, back).status_code == 409
    assert [one.act for one in BentRule.objects.all()] == ["hand_round", "adjourned"]


def test_row_of_a_previous_round_asks_and_an_older_one_says_where_to_go(stage: Stage) -> None:
    game = games_of(play(stage, "1-0"))[0]
    play(stage)
    client, address = signed_in(stage, "arbiter"), url("manage_results", stage, 1)
    sent = {"game": game.pk, "outcome": "0-1", "version": 1, "reason": "wrong slip"}

    asked = client.post(address, sent, headers={"hx-request": "true"})
    assert asked.headers["X-Entry"] == "question"
    assert 'name="knowing" value="1"' in asked.content.decode()
    assert 'value="wrong slip"' in asked.content.decode()
    saved = client.post(address, {**sent, "knowing": "1"}, headers={"hx-request": "true"})
    assert (saved.headers["X-Entry"], Game.objects.get(pk=game.pk).outcome) == ("applied", "0-1")

    play(stage)
    closed = client.post(address, {**sent, "outcome": "1/2", "version": 2, "knowing": "1"})
    assert closed.status_code == 422
    assert "for the rating report only" in text_of(closed)


def test_page_lists_what_was_bent_undoes_it_and_puts_results_right_in_the_report(stage: Stage) -> None:
    game = games_of(play(stage, "1-0"))[0]
    pairing = next_round(stage).pairings.first()
    assert pairing is not None
    adjourn_game(pairing.pk, actor=None, reason="ill", knowing=1)
    client, address = signed_in(stage, "chief_arbiter"), url("manage_book", stage)

    page = text_of(client.get(address))
    assert "Played by the book" in page
    assert "game adjourned · round 2" in page
    assert "No round is closed yet" in page
    bent = BentRule.objects.get()
    assert client.post(address, {"act": "undo", "pk": bent.pk, "reason": ""}).status_code == 422
    assert client.post(address, {"act": "undo", "pk": bent.pk, "reason": "came"}).status_code == 302
    assert "undone" in text_of(client.get(address))

    for other in games_of(stage.rounds.get(number=2)):
        enter_result(stage_id=stage.pk, game_id=other.pk, outcome="1/2")
    play(stage)
    right = {"act": "report", "game": game.pk, "outcome": "0-1", "reason": "seen in the PGN"}
    assert client.post(address, right).status_code == 409
    assert client.post(address, {**right, "knowing": "1"}).status_code == 302
    assert "1–0 → 0–1 seen in the PGN" in text_of(client.get(address))
    assert client.post(address, {**right, "outcome": "1-0", "knowing": "1"}).status_code == 422
    file = client.get(url("manage_export_trf", stage)).content.decode()
    assert "### Correction @ Round 1: " in file


def test_leaving_is_asked_twice_and_play_can_be_ended_early(stage: Stage) -> None:
    play(stage)
    client, address = signed_in(stage, "chief_arbiter"), url("manage_book", stage)
    end = {"act": "end", "reason": "the hall closes"}

    assert client.post(address, {"act": "leave", "reason": ""}).status_code == 422
    assert [client.post(address, {**end, "knowing": str(one)}).status_code for one in (0, 1, 2)] == [409, 409, 302]
    assert Stage.objects.get(pk=stage.pk).state == Stage.State.FINISHED
    leave = {"act": "leave", "reason": "house rules"}
    assert [client.post(address, {**leave, "knowing": str(one)}).status_code for one in (0, 1, 2)] == [409, 409, 302]
    assert "No longer by the book, from round 1 on" in text_of(client.get(address))
    assert client.post(address, {"act": "nonsense"}).status_code == 404


def test_group_outside_the_mode_says_how_it_could_be() -> None:
    stage = stage_of(12)

    page = text_of(signed_in(stage, "chief_arbiter").get(url("manage_book", stage)))

    assert "This group doesn’t play by the book" in page
    assert "Not by the book" not in text_of(reader().get(url("standings", stage)))


def test_mark_is_shown_before_the_first_round_too(stage: Stage) -> None:
    leave_the_book(stage.pk, actor=None, reason="house rules", knowing=2)
    play(stage)

    assert "Not by the book from round 0 on" not in text_of(reader().get(url("standings", stage)))
    assert "Not by the book" in text_of(reader().get(url("standings", stage)))
