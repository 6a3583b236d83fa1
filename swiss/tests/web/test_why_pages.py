"""Why this pair: what every reader finds, for whom a draft is open, and the answer about any other opponent."""

from __future__ import annotations

import re

import pytest

from swiss.models import PairingQuestion
from swiss.selectors import entries_of
from swiss.services import change_pairing, pair_next_round, publish_round, request_bye
from swiss.tests.builders import games_of, next_round, numbered, play, stage_of
from swiss.tests.web.helpers import queries, reader, signed_in, text_of, url
from swiss.why import Why
from swiss.why_words import COUNTED
from tourney.models import Stage

pytestmark = pytest.mark.django_db


@pytest.fixture
def stage() -> Stage:
    return stage_of(13)


def why(stage: Stage, number: int, key: object, **asked: object) -> str:
    query = "&".join(f"{name}={value}" for name, value in asked.items())
    return url("why_pair", stage, number, key) + (f"?{query}" if query else "")


# -- who sees what ---------------------------------------------------------------------------------------------------


def test_everybody_reads_why_but_only_staff_while_it_is_a_draft(stage: Stage) -> None:
    draft = pair_next_round(stage.pk, actor=None)
    of_staff = url("manage_why", stage, 1, 1)

    for client in (reader(), signed_in(stage, "organizer")):
        assert client.get(why(stage, 1, 1)).status_code == 404
    answers = {role: signed_in(stage, role).get(of_staff).status_code for role in ("organizer", "arbiter", "desk", "")}
    assert answers == {"organizer": 200, "arbiter": 200, "desk": 200, "": 404}
    assert reader().get(of_staff).status_code == 302

    publish_round(draft.pk, actor=None)
    assert reader().get(why(stage, 1, 1)).status_code == 200


@pytest.mark.parametrize("key", ["0", "99", "p0", "x", "p", "99999999999999999999", "p99999999999999999"])
def test_what_is_no_board_of_the_round_is_not_found(stage: Stage, key: str) -> None:
    next_round(stage)

    assert reader().get(why(stage, 1, key)).status_code == 404
    assert reader().get(why(stage, 2, 1)).status_code == 404


@pytest.mark.clause("M7.10")
def test_every_row_of_a_round_leads_to_its_reasons(stage: Stage) -> None:
    play(stage, "1-0")
    round_ = next_round(stage)

    page = reader().get(url("round", stage, 2)).content.decode()

    links = re.findall(r'href="([^"]+/why/[^"]+)"', page)
    assert len(links) == round_.pairings.count() == 7
    for link in links:
        assert reader().get(link).status_code == 200


# -- what it says ----------------------------------------------------------------------------------------------------


@pytest.mark.clause("M7.2")
def test_a_pair_of_the_first_round_shows_halves_and_the_lot_of_colours(stage: Stage) -> None:
    round_ = next_round(stage)
    game = games_of(round_)[0]

    page = text_of(reader().get(why(stage, 1, 1)))

    assert "Round 1 , board 1" in page
    assert {game.white.start_number, game.black.start_number} == {1, 7}
    assert "The group is cut in two halves; first plays first" in page
    assert "upper half, no. 1" in page
    assert "lower half, no. 1" in page
    assert "C.04.3, 5.2.5" in page
    assert "no claim: no game with a colour yet" in page


def test_a_bye_says_the_score_and_who_could_not_have_it(stage: Stage) -> None:
    play(stage, "1-0")
    round_ = next_round(stage)
    row = round_.pairings.get(bye="U")

    page = text_of(reader().get(why(stage, 2, f"p{row.white_id}")))

    assert "Why no opponent?" in page
    assert f"so one has no opponent: {row.white.name}." in page
    assert "here 0 points." in page


def test_a_bye_that_was_asked_for_needs_no_engine(stage: Stage) -> None:
    entry = numbered(stage)[4]
    request_bye(stage.pk, entry_id=entry.pk, round_number=1, kind="H", actor=None)
    next_round(stage)

    page = text_of(reader().get(why(stage, 1, f"p{entry.pk}")))

    assert "with a bye that was asked for or given" in page
    assert "Why not against" not in page


@pytest.mark.clause("M7.2")
def test_any_other_opponent_has_a_reason_with_both_values(stage: Stage) -> None:
    first = play(stage, "1-0")
    met = games_of(first)[0]
    round_ = next_round(stage)
    winners = round_.pairings.filter(board=1).get()
    client = reader()

    def ask(of: int, other: object, board: int = 1) -> str:
        return text_of(client.get(why(stage, 2, board, of=of, other=other)))

    # Whichever colour the lot gave, one of the two who have met sits at a board now.
    board = next(
        row for row in round_.pairings.filter(board__isnull=False) if met.white_id in (row.white_id, row.black_id)
    )
    mine, theirs = met.white_id, met.black_id
    assert "have played each other already" in ask(mine, theirs, board.board or 0)
    loser = round_.pairings.filter(board__isnull=False).order_by("-board")[0]
    answer = ask(winners.white_id, loser.white_id)
    assert "would have to go down for this game" in answer
    assert "(C.04.3, " in answer
    assert "Why has" in ask(winners.white_id, "bye")
    assert "The bye goes to the lowest score" in ask(winners.white_id, "bye")
    assert "By the rules just that was paired." in ask(winners.white_id, winners.black_id)
    for wrong in ("0", "x", "99999999999999999999", "-3"):
        assert "Choose somebody of this round." in ask(winners.white_id, wrong)


def test_a_worse_criterion_is_shown_with_both_values(stage: Stage) -> None:
    for results in ("1-0", "1-0 0-1 1/2", "1/2 1-0"):
        play(stage, results)
    round_ = next_round(stage)
    row = round_.pairings.get(board=2)
    told = Why(round_, stage, row, entries_of(stage), str)

    answers = [told.answer(row.white_id, str(pk)) for pk in told.entries if pk != row.white_id]

    with_values = [one for one in answers if one and one["value"]]
    assert with_values
    for one in with_values:
        assert (one["counted"], one["cited"]) == (COUNTED[one["rule"]], f"C.04.3, {one['rule']}")
        assert one["value"] != one["other"]


def test_a_pair_changed_by_hand_says_whom_the_rules_would_give(stage: Stage) -> None:
    draft = pair_next_round(stage.pk, actor=None)
    one, two = draft.pairings.filter(board__in=[1, 2]).order_by("board")
    change_pairing(draft.pk, first_id=one.white_id, second_id=two.white_id, actor=None, reason="same school")
    publish_round(draft.pk, actor=None)

    page = text_of(reader().get(why(stage, 1, 1)))

    assert "The arbiter made this row by hand" in page
    assert f"By the rules {two.white.name} would play {two.black.name}." in page
    assert "same school" not in page


def test_colours_turned_by_hand_are_named(stage: Stage) -> None:
    draft = pair_next_round(stage.pk, actor=None)
    row = draft.pairings.get(board=1)
    change_pairing(draft.pk, first_id=row.white_id, second_id=row.white_id, actor=None, reason="a wheelchair")
    publish_round(draft.pk, actor=None)

    assert f"by the rules {row.white.name} would have White." in text_of(reader().get(why(stage, 1, 1)))


def test_a_round_without_a_question_says_by_what_it_is_explained(stage: Stage) -> None:
    next_round(stage)
    PairingQuestion.objects.all().delete()

    assert "it is explained by today&#x27;s tables" in reader().get(why(stage, 1, 1)).content.decode()


# -- round robin -----------------------------------------------------------------------------------------------------


@pytest.mark.clause("M7.2")
def test_a_round_robin_is_explained_by_its_table() -> None:
    stage = stage_of(5, system="round_robin")
    round_ = next_round(stage)
    row = round_.pairings.filter(board__isnull=False).first()
    free = round_.pairings.get(board=None)
    assert row is not None
    people = {entry.pk: number for number, entry in numbered(stage).items()}
    others = [pk for pk in people if pk not in (row.white_id, row.black_id)]

    page = text_of(reader().get(why(stage, 1, row.board)))
    numbers = f"the numbers {people[row.white_id]} and {people[row.black_id]} meet in round 1"
    assert f"By the table for 5 players {numbers}, and {people[row.white_id]} has White." in page
    asked = text_of(reader().get(why(stage, 1, row.board, of=row.white_id, other=others[0])))
    assert re.search(r"They meet in round [2-5]; ", asked)
    assert "is free in round 1" in text_of(reader().get(why(stage, 1, f"p{free.white_id}")))
    assert reader().get(why(stage, 1, row.board, of=row.white_id, other="bye")).status_code == 200


# -- languages, size -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("language", ["uk", "ru"])
def test_the_page_has_no_holes_in_other_languages(stage: Stage, language: str) -> None:
    play(stage, "1-0")
    round_ = next_round(stage)
    client = reader(language)
    for row in round_.pairings.all():
        key = row.board if row.board is not None else f"p{row.white_id}"
        answer = client.get(why(stage, 2, key, of=row.white_id, other=numbered(stage)[6].pk))
        assert answer.status_code == 200
        assert "%(" not in answer.content.decode()


def test_the_page_takes_the_same_number_of_queries_for_few_and_for_many() -> None:
    few, many = stage_of(6, system="swiss", rounds=4), stage_of(40, system="swiss", rounds=4)
    for one in (few, many):
        play(one, "1-0 1/2 0-1")
        next_round(one)

    counted = [queries(reader(), why(one, 2, 1)) for one in (few, many)]

    assert counted[0] == counted[1]
    assert counted[0] <= 16
