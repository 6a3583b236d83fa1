"""Pages for what is seldom needed and must not go wrong: open games, a round brought back, boards kept, points lent."""

from __future__ import annotations

import pytest

from swiss.models import FixedBoard, ForbiddenPair
from swiss.services import enter_result, forbid_pair, pair_next_round, unpublish_round
from swiss.tests.builders import enter, games_of, next_round, numbered, play, stage_of
from swiss.tests.web.helpers import reader, signed_in, text_of, url
from tourney.models import Stage

pytestmark = pytest.mark.django_db


@pytest.fixture
def stage() -> Stage:
    return stage_of(12)


# -- open games ------------------------------------------------------------------------------------------------------


def test_a_round_is_paired_with_an_open_game_after_its_consequences_are_said(stage: Stage) -> None:
    first = next_round(stage)
    for game in games_of(first)[1:]:
        enter_result(stage_id=stage.pk, game_id=game.pk, outcome="1-0")
    client = signed_in(stage, "chief_arbiter")

    page = text_of(client.get(url("manage_rounds", stage)))
    assert "Pair round 2 with 1 game still open" in page
    assert "Open games: round 1, board 1" in page
    refused = client.post(url("manage_pair", stage), follow=True)
    assert "Boards without a result: 1." in text_of(refused)
    paired = client.post(url("manage_pair", stage), {"with_open_games": "1"}, follow=True)

    assert "Round 1, board 1 was not finished: for this pairing it counted as a draw" in text_of(paired)
    assert "adjourned" in text_of(client.get(url("manage_round", stage, 1)))


def test_an_older_open_game_is_recalled_before_a_round_after_the_next(stage: Stage) -> None:
    first = next_round(stage)
    for game in games_of(first)[1:]:
        enter_result(stage_id=stage.pk, game_id=game.pk, outcome="1-0")
    client = signed_in(stage, "chief_arbiter")
    client.post(url("manage_pair", stage), {"with_open_games": "1"})
    client.post(url("manage_round", stage, 2), {"act": "publish", "scheduled_at": ""})
    enter(stage.rounds.get(number=2), "1-0")

    page = text_of(client.get(url("manage_rounds", stage)))

    assert "Games of earlier rounds are still open round 1, board 1" in page
    assert "Pair round 3 with 1 game still open" in page


def test_a_single_game_is_adjourned_by_hand(stage: Stage) -> None:
    first = next_round(stage)
    client = signed_in(stage, "chief_arbiter")
    board = first.pairings.get(board=3)

    silent = client.post(url("manage_round", stage, 1), {"act": "adjourn", "pairing": board.pk, "reason": ""})
    done = client.post(
        url("manage_round", stage, 1), {"act": "adjourn", "pairing": board.pk, "reason": "doctor"}, follow=True
    )

    assert silent.status_code == 422
    assert "The game is adjourned; its result can be entered at any time." in text_of(done)
    board.refresh_from_db()
    assert board.adjourned


# -- taking back -----------------------------------------------------------------------------------------------------


def test_a_round_with_results_is_taken_back_by_a_tick_and_brought_back_by_a_button(stage: Stage) -> None:
    play(stage, "1-0")
    round_ = next_round(stage)
    games = games_of(round_)
    enter_result(stage_id=stage.pk, game_id=games[0].pk, outcome="0-1")
    client = signed_in(stage, "chief_arbiter")
    address = url("manage_round", stage, 2)

    page = text_of(client.get(address))
    assert "1 entered result is put aside with it: 1: 0-1" in page
    without = client.post(address, {"act": "unpublish", "reason": "wrong list"})
    assert without.status_code == 422
    assert "Tick this: results were entered" in text_of(without)
    client.post(address, {"act": "unpublish", "reason": "wrong list", "with_results": "on"})

    assert reader().get(url("round", stage, 2)).status_code == 404
    draft = text_of(client.get(address))
    assert "Round 2 was taken back" in draft
    assert "1 result comes back with its history." in draft
    back = client.post(address, {"act": "bring_back"}, follow=True)
    assert "Round 2 is back as it was, with pairs, boards and results." in text_of(back)
    assert [game.outcome for game in games_of(stage.rounds.get(number=2))][:2] == ["0-1", ""]


def test_a_round_whose_draft_was_thrown_away_comes_back_from_the_list(stage: Stage) -> None:
    round_ = enter(next_round(stage), "1-0")
    unpublish_round(round_.pk, actor=None, reason="wrong list", with_results=True)
    client = signed_in(stage, "chief_arbiter")
    client.post(url("manage_round", stage, 1), {"act": "discard"})
    assert "come back as they were, with 6 results" in text_of(client.get(url("manage_rounds", stage)))

    back = client.post(url("manage_bring_back", stage), follow=True)

    assert "Round 1 is back as it was" in text_of(back)
    assert stage.rounds.get().state == "done"
    again = client.post(url("manage_bring_back", stage), follow=True)
    assert "There is no round that could be brought back" in text_of(again)


def test_only_the_chief_arbiter_brings_a_round_back(stage: Stage) -> None:
    round_ = enter(next_round(stage), "1-0")
    unpublish_round(round_.pk, actor=None, reason="wrong list", with_results=True)

    assert signed_in(stage, "arbiter").post(url("manage_bring_back", stage)).status_code == 403
    assert signed_in(stage, "chief_arbiter").get(url("manage_bring_back", stage)).status_code == 405


# -- pairs and boards ------------------------------------------------------------------------------------------------


def test_a_wish_a_board_and_virtual_points_are_set_on_one_page(stage: Stage) -> None:
    people = numbered(stage)
    client = signed_in(stage, "chief_arbiter")
    address = url("manage_forbidden", stage)

    client.post(
        address,
        {
            "act": "forbid",
            "first": people[1].pk,
            "second": people[7].pk,
            "from_round": 1,
            "to_round": 3,
            "soft": "1",
            "reason": "one club",
        },
    )
    client.post(address, {"act": "fix", "entry": people[6].pk, "board": 2, "reason": "wheelchair"})
    client.post(address, {"act": "virtual", "runs": "1  1-2  1-4\n½ 3 1–4", "reason": "strong four"})

    stage.refresh_from_db()
    page = text_of(client.get(address))
    assert ForbiddenPair.objects.get().soft
    assert "a wish rounds 1–3 · one club · given up when no pairing keeps it" in page
    assert f"Board 2: {people[6].player.name} wheelchair" in page
    assert stage.rules["virtual_points"] == [
        {"points": "1", "rounds": [1, 2], "numbers": [1, 4]},
        {"points": "½", "rounds": [3, 3], "numbers": [1, 4]},
    ]
    assert "1 1–2 1–4 ½ 3–3 1–4" in page
    client.post(address, {"act": "free", "fixed": FixedBoard.objects.get().pk})
    assert not FixedBoard.objects.exists()


@pytest.mark.parametrize(
    ("data", "told"),
    [
        ({"act": "virtual", "runs": "lots", "reason": "x"}, "Line 1: points, rounds and numbers are expected"),
        ({"act": "virtual", "runs": "999 1 1-4", "reason": "x"}, "Virtual points from ½ to 20 are expected"),
        ({"act": "virtual", "runs": "1 3-2 1-4", "reason": "x"}, "Rounds from 3 to 2 are no range of rounds."),
        ({"act": "virtual", "runs": "1 1 1-4", "reason": ""}, "Say why"),
        ({"act": "fix", "entry": "", "board": 2, "reason": "x"}, "This field is required."),
    ],
)
def test_what_can_not_be_is_said_on_the_form(stage: Stage, data: dict[str, str], told: str) -> None:
    answer = signed_in(stage, "chief_arbiter").post(url("manage_forbidden", stage), data)

    assert answer.status_code == 422
    assert told in text_of(answer)


def test_a_given_up_wish_and_a_blocked_round_are_named(stage: Stage) -> None:
    four = stage_of(4, system="swiss", rounds=3)
    people = numbered(four)
    client = signed_in(four, "chief_arbiter")
    for first, second in ((1, 2), (1, 3), (1, 4)):
        forbid_pair(
            four.pk, first_id=people[first].pk, second_id=people[second].pk, actor=None, reason="family", soft=True
        )

    paired = text_of(client.post(url("manage_pair", four), follow=True))
    names = f"{people[1].player.name} – {people[4].player.name}"
    assert f"{names}: the wish to keep them apart left no pairing and was given up." in paired

    client.post(url("manage_round", four, 1), {"act": "discard"})
    ForbiddenPair.objects.update(soft=False)
    blocked = client.post(url("manage_pair", four))
    assert blocked.status_code == 409
    words = text_of(blocked)
    assert "must not meet 3 (forbidden pairs)" in words
    assert "What would help: lift a forbidden pair." in words
    assert not four.rounds.exists()


def test_fixed_boards_are_for_tables_too() -> None:
    table = stage_of(6)
    people = numbered(table)

    signed_in(table, "chief_arbiter").post(
        url("manage_forbidden", table), {"act": "fix", "entry": people[1].pk, "board": 3, "reason": "wheelchair"}
    )

    for _ in range(3):
        round_ = pair_next_round(table.pk, actor=None)
        row = round_.pairings.get(board=3)
        assert people[1].pk in (row.white_id, row.black_id)
        round_.delete()
