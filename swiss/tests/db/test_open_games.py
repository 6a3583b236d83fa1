"""A round paired while games are still played: adjourned, a draw for pairing, and no end before they are finished."""

from __future__ import annotations

import pytest

from swiss.models import Pairing
from swiss.questions import question_of
from swiss.services import (
    adjourn_game,
    bring_back_round,
    discard_draft,
    enter_result,
    pair_next_round,
    publish_round,
    unpublish_round,
)
from swiss.tests.builders import enter, games_of, next_round, numbered, play, stage_of, table
from tourney.kernel.errors import TourneyError
from tourney.models import Stage

pytestmark = pytest.mark.django_db


def adjourned(stage: Stage) -> set[int | None]:
    return set(Pairing.objects.filter(round__stage=stage, adjourned=True).values_list("game", flat=True))


def test_missing_results_refuse_the_next_round_until_somebody_says_so() -> None:
    stage = stage_of(12)
    round_ = next_round(stage)
    for game in games_of(round_)[1:]:
        enter_result(stage_id=stage.pk, game_id=game.pk, outcome="1-0")

    with pytest.raises(TourneyError) as refused:
        pair_next_round(stage.pk, actor=None)

    assert (refused.value.code, refused.value.values) == ("round.results_missing", {"boards": "1"})
    assert not Pairing.objects.filter(adjourned=True).exists()


def test_an_open_game_is_a_draw_for_pairing_and_nowhere_else() -> None:
    stage = stage_of(12)
    first = next_round(stage)
    open_game, *others = games_of(first)
    for game in others:
        enter_result(stage_id=stage.pk, game_id=game.pk, outcome="1-0")

    second = pair_next_round(stage.pk, actor=None, with_open_games=True)

    assert second.explanation["open_boards"] == [[1, 1]]
    assert Pairing.objects.get(game=open_game).adjourned
    # Both have half a point for pairing, so they are paired behind the winners and before the losers.
    scores = {one.entry: one.score for one in question_of(second, stage).history.players}
    assert (scores[open_game.white_id], scores[open_game.black_id]) == (1, 1)  # type: ignore[index]
    people = {entry.pk: number for number, entry in numbered(stage).items()}
    points = {number: points for _, number, points in table(stage, 1)}
    assert (points[people[open_game.white_id]], points[people[open_game.black_id]]) == (0, 0)


def test_what_a_pairing_adjourns_is_shown_at_once_and_open_again_without_it() -> None:
    stage = stage_of(12)
    first = next_round(stage)
    by_hand, by_pairing, *others = games_of(first)
    for game in others:
        enter_result(stage_id=stage.pk, game_id=game.pk, outcome="1-0")
    adjourn_game(by_hand.pairing.pk, actor=None, reason="doctor")
    stage.refresh_from_db()
    seen = stage.version

    draft = pair_next_round(stage.pk, actor=None, with_open_games=True)

    stage.refresh_from_db()
    assert stage.version > seen  # a page that watches the round asks for it again
    assert adjourned(stage) == {by_hand.pk, by_pairing.pk}

    seen = stage.version
    discard_draft(draft.pk, actor=None)

    stage.refresh_from_db()
    assert stage.version > seen
    assert adjourned(stage) == {by_hand.pk}  # that one was put off for a reason of its own


def test_a_round_brought_back_has_its_open_games_adjourned_again() -> None:
    stage = stage_of(12)
    open_game, *others = games_of(next_round(stage))
    for game in others:
        enter_result(stage_id=stage.pk, game_id=game.pk, outcome="1-0")
    second = publish_round(pair_next_round(stage.pk, actor=None, with_open_games=True).pk, actor=None)
    unpublish_round(second.pk, actor=None, reason="too early")
    discard_draft(second.pk, actor=None)
    assert adjourned(stage) == set()

    bring_back_round(stage.pk, actor=None)

    assert adjourned(stage) == {open_game.pk}


def test_a_game_finished_late_ends_the_stage_and_corrects_every_table_after_it() -> None:
    stage = stage_of(12)
    first = next_round(stage)
    open_game, *others = games_of(first)
    for game in others:
        enter_result(stage_id=stage.pk, game_id=game.pk, outcome="1-0")
    enter(publish_round(pair_next_round(stage.pk, actor=None, with_open_games=True).pk, actor=None), "1/2")
    for _ in range(5):
        enter(publish_round(pair_next_round(stage.pk, actor=None, with_open_games=True).pk, actor=None), "1/2")
    stage.refresh_from_db()
    assert stage.state == Stage.State.RUNNING  # seven rounds are paired and played but for one game of the first

    enter_result(stage_id=stage.pk, game_id=open_game.pk, outcome="0-1")

    stage.refresh_from_db()
    winner = {entry.pk: number for number, entry in numbered(stage).items()}[open_game.black_id]
    assert stage.state == Stage.State.FINISHED
    assert [{n: p for _, n, p in table(stage, after)}[winner] for after in (1, 7)] == [2, 8]


def test_a_finished_round_needs_no_question() -> None:
    stage = stage_of(12)
    play(stage, "1-0")

    round_ = pair_next_round(stage.pk, actor=None, with_open_games=True)

    assert round_.explanation == {}
