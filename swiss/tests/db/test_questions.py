"""What the engine was asked is kept: a correction, a departure or a new rule changes no reason of a paired round."""

from __future__ import annotations

import pytest

from swiss.models import PairingQuestion
from swiss.questions import question_of
from swiss.services import enter_result, forbid_pair, pair_next_round, withdraw_player
from swiss.tests.builders import games_of, next_round, numbered, play, stage_of
from tourney.models import Entry, Game, Stage
from tourney.services.sections import change_rounds

pytestmark = pytest.mark.django_db


@pytest.fixture
def stage() -> Stage:
    return stage_of(13)


@pytest.mark.clause("M7.2")
def test_a_question_gives_the_round_again_whatever_happened_since(stage: Stage) -> None:
    first = play(stage, "1-0")
    second = next_round(stage)
    asked = question_of(second, stage)
    pairs = [(row.white_id, row.black_id) for row in second.pairings.filter(board__isnull=False)]
    assert [(pair.white, pair.black) for pair in asked.plan.pairings] == pairs

    game = games_of(first)[0]
    enter_result(stage_id=stage.pk, game_id=game.pk, outcome="0-1", reason="read wrongly")
    people = numbered(stage)
    forbid_pair(stage.pk, first_id=people[12].pk, second_id=people[13].pk, actor=None, reason="brothers")
    change_rounds(stage, 9, reason="more days", actor=None)
    Entry.objects.filter(pk=people[3].pk).update(start_number=99)

    again = question_of(second, Stage.objects.select_related("section__tournament").get(pk=stage.pk))
    assert (again.recorded, again.rounds, again.forbidden) == (True, 8, ())
    assert again.plan == asked.plan


def test_a_round_without_a_question_is_explained_by_the_tables(stage: Stage) -> None:
    play(stage, "1-0")
    withdraw_player(stage.pk, entry_id=numbered(stage)[5].pk, after_round=1, actor=None, reason="ill")
    second = next_round(stage)
    kept = question_of(second, stage)
    PairingQuestion.objects.all().delete()

    rebuilt = question_of(second, stage)

    assert (kept.recorded, rebuilt.recorded) == (True, False)
    assert (rebuilt.absent, rebuilt.plan) == (kept.absent, kept.plan)


def test_a_table_round_is_kept_too() -> None:
    stage = stage_of(6, system="round_robin")
    round_ = pair_next_round(stage.pk, actor=None)

    asked = question_of(round_, stage)

    assert [(pair.white, pair.black) for pair in asked.plan.pairings] == list(
        round_.pairings.values_list("white_id", "black_id")
    )


def test_a_discarded_draft_takes_its_question_with_it(stage: Stage) -> None:
    draft = pair_next_round(stage.pk, actor=None)
    assert PairingQuestion.objects.count() == 1

    draft.delete()

    assert (PairingQuestion.objects.count(), Game.objects.count()) == (0, 0)
