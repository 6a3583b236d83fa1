"""Result entry: the plain form, the row that comes back with scripts, conflicts, corrections, draws."""

from __future__ import annotations

import re
from typing import Any
from uuid import uuid4

import pytest

from swiss.models import Round
from swiss.services import enter_result, pair_next_round
from swiss.tests.builders import enter, games_of, next_round, play, stage_of
from swiss.tests.web.helpers import reader, signed_in, text_of, url
from tourney.models import Game, ResultRecord, Stage
from tourney.testing import builders

pytestmark = pytest.mark.django_db

HTMX = {"hx-request": "true"}


@pytest.fixture
def stage() -> Stage:
    return stage_of(12)


@pytest.fixture
def games(stage: Stage) -> list[Game]:
    return games_of(next_round(stage))


def fields(game: Game, outcome: str, **more: Any) -> dict[str, Any]:
    return {"game": game.pk, "outcome": outcome, "version": game.version, "operation": str(uuid4()), **more}


def test_a_plain_form_saves_and_comes_back_to_the_board(stage: Stage, games: list[Game]) -> None:
    client = signed_in(stage, "arbiter")
    address = url("manage_results", stage, 1)

    answer = client.post(address + "?show=all", fields(games[1], "1-0"))

    assert answer.url == f"{address}?show=all#b2"
    assert Game.objects.get(pk=games[1].pk).outcome == "1-0"
    page = text_of(client.get(address + "?show=all"))
    assert "Board 2: saved." in page
    assert "arbiter" in page


def test_with_scripts_one_row_comes_back(stage: Stage, games: list[Game]) -> None:
    answer = signed_in(stage, "arbiter").post(
        url("manage_results", stage, 1) + "?show=missing", fields(games[2], "0-1"), headers=HTMX
    )

    part = answer.content.decode()
    assert answer.status_code == 200
    assert part.count('<li class="board is-entry') == 1
    assert 'id="b3"' in part
    assert "saved" in text_of(answer)
    assert answer["X-Entry"] == "applied"
    page = signed_in(stage, "arbiter").get(url("manage_results", stage, 1)).content.decode()
    assert re.search(r"Missing\s*<b>5</b>", page)


def test_filters_count_missing_all_and_changed(stage: Stage, games: list[Game]) -> None:
    enter_result(stage_id=stage.pk, game_id=games[0].pk, outcome="1-0")
    enter_result(stage_id=stage.pk, game_id=games[1].pk, outcome="1-0")
    enter_result(stage_id=stage.pk, game_id=games[1].pk, outcome="0-1", reason="misread")
    client = signed_in(stage, "arbiter")

    def boards(show: str) -> list[str]:
        page = client.get(url("manage_results", stage, 1), {"show": show} if show else {}).content.decode()
        return re.findall(r'data-board="(\d+)"[^>]*[^n]>', page)

    assert boards("") == boards("missing") == ["3", "4", "5", "6"]
    assert boards("all") == ["1", "2", "3", "4", "5", "6"]
    assert boards("changed") == ["2"]
    assert boards("nonsense") == ["3", "4", "5", "6"]


def test_all_results_in_is_a_state_of_its_own(stage: Stage, games: list[Game]) -> None:
    enter(Round.objects.get(stage=stage))

    page = signed_in(stage, "arbiter").get(url("manage_results", stage, 1), {"show": "missing"})

    assert "All results are in" in text_of(page)


@pytest.mark.parametrize("headers", [{}, HTMX])
def test_another_result_asks_why_and_keeps_what_was_chosen(
    stage: Stage, games: list[Game], headers: dict[str, str]
) -> None:
    enter_result(stage_id=stage.pk, game_id=games[0].pk, outcome="1-0")
    games[0].refresh_from_db()
    client = signed_in(stage, "arbiter")
    address = url("manage_results", stage, 1)

    asked = client.post(address, fields(games[0], "0-1"), headers=headers)
    page = asked.content.decode()
    assert asked.status_code == (200 if headers else 422)
    assert "Say why the result 1–0 is changed." in text_of(asked)
    assert 'name="outcome" value="0-1"' in page
    client.post(address, fields(games[0], "0-1", reason="slip misread"), headers=headers)

    current = ResultRecord.objects.get(game=games[0], successor=None)
    assert (current.outcome, current.reason, current.entered_by.username) == ("0-1", "slip misread", "arbiter")


@pytest.mark.parametrize("headers", [{}, HTMX])
def test_a_conflict_says_who_entered_what_and_waits_for_a_decision(
    stage: Stage, games: list[Game], headers: dict[str, str]
) -> None:
    stale = fields(games[0], "0-1")
    enter_result(stage_id=stage.pk, game_id=games[0].pk, outcome="1-0", actor=builders.user("anna"))

    answer = signed_in(stage, "arbiter").post(url("manage_results", stage, 1), stale, headers=headers)

    words = text_of(answer)
    assert "results differ" in words
    assert re.search(r"1–0 anna, .* 0–1 arbiter, ", words)
    assert Game.objects.get(pk=games[0].pk).outcome == ""
    assert "1–0" not in text_of(reader().get(url("round", stage, 1)))


def test_a_conflict_is_decided_on_the_page_and_blocks_the_next_round(stage: Stage, games: list[Game]) -> None:
    enter(Round.objects.get(stage=stage))
    chief = signed_in(stage, "chief_arbiter")
    chief.post(url("manage_results", stage, 1), fields(games[2], "0-1"))

    page = chief.get(url("manage_results", stage, 1)).content.decode()
    assert re.findall(r'data-board="(\d+)"', page)[0] == "3"
    refused = chief.post(url("manage_pair", stage), follow=True)
    assert "Results differ on boards: 3." in text_of(refused)
    conflict = re.search(r'name="conflict" value="(\d+)"', page)[1]
    decision = {"act": "decide", "conflict": conflict, "outcome": "0-1"}
    assert "is decided" in text_of(chief.post(url("manage_results", stage, 1), decision, follow=True))
    again = chief.post(url("manage_results", stage, 1), decision, follow=True)
    assert "Somebody has decided this board meanwhile." in text_of(again)

    assert Game.objects.get(pk=games[2].pk).outcome == "0-1"
    assert chief.post(url("manage_pair", stage)).url == url("manage_round", stage, 2)


def test_an_entry_that_waited_in_vain_is_kept_and_entered_by_the_arbiter(stage: Stage, games: list[Game]) -> None:
    """A tablet sends a result for a pairing that was taken back and laid out anew."""
    client = signed_in(stage, "chief_arbiter")
    late = fields(games[0], "1-0", entered="1000", sent="61000", round="2", board="1")

    answer = client.post(url("manage_results", stage, 1), late, headers=HTMX)

    assert answer["X-Entry"] == "held"
    assert "Round 2, board 1 has other players now." in text_of(answer)
    page = client.get(url("manage_results", stage, 1))
    assert "Kept for you 1" in text_of(page)
    sent = {"act": "take", "operation": late["operation"]}
    assert "Entered." in text_of(client.post(url("manage_results", stage, 1), sent, follow=True))
    assert Game.objects.get(pk=games[0].pk).outcome == "1-0"
    assert "Kept for you" not in text_of(client.get(url("manage_results", stage, 1)))
    again = client.post(url("manage_results", stage, 1), sent | {"act": "drop"}, follow=True)
    assert "Somebody has dealt with this entry meanwhile." in text_of(again)
    assert client.post(url("manage_results", stage, 1), {"act": "take", "operation": "x"}).status_code == 404
    assert client.post(url("manage_results", stage, 1), {"act": "burn"}).status_code == 404


def test_an_impatient_thumb_counts_once(stage: Stage, games: list[Game]) -> None:
    client = signed_in(stage, "arbiter")
    sent = fields(games[0], "1-0")

    for _ in range(3):
        client.post(url("manage_results", stage, 1), sent, headers=HTMX)

    assert ResultRecord.objects.count() == 1


def test_taking_back_asks_why(stage: Stage, games: list[Game]) -> None:
    enter_result(stage_id=stage.pk, game_id=games[0].pk, outcome="1-0")
    games[0].refresh_from_db()
    client = signed_in(stage, "arbiter")

    client.post(url("manage_results", stage, 1), fields(games[0], ""), headers=HTMX)
    assert Game.objects.get(pk=games[0].pk).outcome == "1-0"
    client.post(url("manage_results", stage, 1), fields(games[0], "", reason="still playing"), headers=HTMX)
    assert Game.objects.get(pk=games[0].pk).outcome == ""


@pytest.mark.clause("M7.6")
def test_a_draw_asks_its_move_and_an_early_one_is_flagged(stage: Stage, games: list[Game]) -> None:
    client = signed_in(stage, "arbiter")
    address = url("manage_results", stage, 1)

    drawn = client.post(address, fields(games[0], "1/2"), headers=HTMX)
    assert "Draw at move" in text_of(drawn)
    games[0].refresh_from_db()
    early = client.post(address, fields(games[0], "1/2", moves="40"), headers=HTMX)
    assert "Draw at move 40: none may be offered up to move 40." in text_of(early)
    client.post(address, fields(games[1], "1/2"), headers=HTMX)
    games[1].refresh_from_db()
    later = client.post(address, fields(games[1], "1/2", moves="41"), headers=HTMX)
    assert "none may be offered" not in text_of(later)
    assert "41 moves" in text_of(later)
    assert re.search(r"Changed\s*<b>0</b>", client.get(address).content.decode())


@pytest.mark.clause("M7.6")
def test_the_move_number_is_checked_against_the_game_record(stage: Stage, games: list[Game]) -> None:
    Game.objects.filter(pk=games[0].pk).update(ply_count=61)
    enter_result(stage_id=stage.pk, game_id=games[0].pk, outcome="1/2", moves=45)

    page = text_of(signed_in(stage, "arbiter").get(url("manage_results", stage, 1), {"show": "all"}))

    assert "The game record has 31 moves." in page


@pytest.mark.parametrize("moves", ["0", "-3", "401", "many"])
def test_an_absurd_number_of_moves_is_refused_at_the_row(stage: Stage, games: list[Game], moves: str) -> None:
    answer = signed_in(stage, "arbiter").post(url("manage_results", stage, 1), fields(games[0], "1/2", moves=moves))

    assert answer.status_code == 422
    assert "A number of moves is a whole number from 1 to 400." in text_of(answer)
    assert ResultRecord.objects.count() == 0


def test_no_moves_are_asked_where_the_regulation_has_no_such_rule() -> None:
    stage = stage_of(12, preset="open-swiss")
    game = games_of(next_round(stage))[0]

    answer = signed_in(stage, "arbiter").post(url("manage_results", stage, 1), fields(game, "1/2"), headers=HTMX)

    assert "Draw at move" not in text_of(answer)


def test_nonsense_is_refused_without_harm(stage: Stage, games: list[Game]) -> None:
    client = signed_in(stage, "arbiter")
    address = url("manage_results", stage, 1)

    assert client.post(address, fields(games[0], "2-0")).status_code == 422
    assert client.post(address, {"game": "x", "outcome": "1-0"}).status_code == 404
    assert client.post(address, {"game": "9" * 40, "outcome": "1-0"}).status_code == 404
    assert client.post(address, {}).status_code == 404
    assert (
        client.post(address, {"game": games[0].pk, "outcome": "1-0", "version": "x", "operation": "x"}).status_code
        == 302
    )
    assert signed_in(stage, "desk").post(address, fields(games[1], "1-0")).status_code == 403
    assert signed_in(stage).post(address, fields(games[1], "1-0")).status_code == 404
    assert reader().post(address, fields(games[1], "1-0")).status_code == 302
    assert Game.objects.exclude(outcome="").count() == 1


def test_a_draft_has_no_results_page(stage: Stage) -> None:
    pair_next_round(stage.pk, actor=None)

    answer = signed_in(stage, "arbiter").get(url("manage_results", stage, 1))

    assert answer.url == url("manage_round", stage, 1)


def test_a_correction_after_a_later_round_goes_through_the_page(stage: Stage) -> None:
    first = play(stage, "1-0")
    play(stage, "1-0")
    game = games_of(first)[0]

    signed_in(stage, "arbiter").post(url("manage_results", stage, 1), fields(game, "0-1", reason="colours mixed up"))

    assert stage.standings.get(after_round=1, entry=game.white).points == 0
    page = text_of(reader().get(url("round", stage, 1)))
    assert "0–1" in page


# -- whole groups through the pages ----------------------------------------------------------------------------------


@pytest.mark.clause("M7.2", "M7.10", "M8.1")
@pytest.mark.parametrize(("players", "rounds"), [(13, 8), (5, 5)])
def test_a_whole_group_is_played_through_the_pages(players: int, rounds: int) -> None:
    stage = stage_of(players)
    chief, arbiter = signed_in(stage, "chief_arbiter"), signed_in(stage, "arbiter")

    for number in range(1, rounds + 1):
        assert f"Round {number} can be paired" in text_of(chief.get(url("manage_rounds", stage)))
        chief.post(url("manage_pair", stage))
        chief.post(url("manage_round", stage, number), {"act": "publish"})
        chief.post(url("manage_round", stage, number), {"act": "start"})
        page = arbiter.get(url("manage_results", stage, number)).content.decode()
        for index, game in enumerate(re.findall(r'name="game" value="(\d+)"', page)):
            outcome = "+-" if (index, number) == (0, 1) else ("1-0", "1/2", "0-1")[(index + number) % 3]
            answer = arbiter.post(
                url("manage_results", stage, number), {"game": game, "outcome": outcome, "version": "0"}, headers=HTMX
            )
            assert "saved" in text_of(answer)

    stage.refresh_from_db()
    assert [r.state for r in stage.rounds.all()] == ["done"] * rounds
    assert stage.state == Stage.State.FINISHED
    assert f"All {rounds} rounds are played" in text_of(chief.get(url("manage_rounds", stage)))
    assert f"Final standings after {rounds} rounds" in text_of(reader().get(url("standings", stage)))
    assert reader().get(url("crosstable", stage)).status_code == 200
