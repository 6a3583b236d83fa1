"""Changing a draft by hand: the session in log and snapshot, the bent rules, the way back to the engine's round."""

from __future__ import annotations

import pytest

from swiss.models import Round
from swiss.services import change_pairing, pair_next_round, publish_round, restore_engine
from swiss.services.hand import HAND
from swiss.tests.builders import games_of, play, stage_of
from tourney.kernel.errors import TourneyError
from tourney.models import ActionLog, Stage
from tourney.testing import builders

pytestmark = pytest.mark.django_db


@pytest.fixture
def stage() -> Stage:
    return stage_of(12)


def rows(round_: Round) -> list[tuple[int | None, int, int | None, str]]:
    return list(round_.pairings.values_list("board", "white_id", "black_id", "bye"))


def lines(action: str) -> list[tuple[str, dict[str, object]]]:
    return [(line.reason, line.data) for line in ActionLog.objects.filter(action=action).order_by("pk")]


@pytest.mark.clause("M7.2")
def test_a_session_is_kept_from_the_first_exchange_to_the_publication(stage: Stage) -> None:
    first = play(stage, "1-0")
    met = games_of(first)[0]
    draft = pair_next_round(stage.pk, actor=None)
    arbiter = builders.user("arbiter")
    row = draft.pairings.filter(white_id=met.white_id).first() or draft.pairings.get(black_id=met.white_id)
    opponent = row.black_id if row.white_id == met.white_id else row.white_id
    change_pairing(draft.pk, first_id=met.black_id, second_id=opponent or 0, actor=arbiter, reason="asked by both")

    publish_round(draft.pk, actor=arbiter)

    kept = Round.objects.get(pk=draft.pk).explanation[HAND]
    assert [(one["by"], one["first"], one["second"], one["reason"]) for one in kept["exchanges"]] == [
        ("arbiter", met.black_id, opponent, "asked by both")
    ]
    assert kept["begun"] <= kept["ended"]
    rules = [rule for rule, _, _ in kept["bent"]]
    assert rules[0] == "C1"
    assert set(kept["bent"][0][1]) == {met.white_id, met.black_id}
    assert len(kept["by_engine"]["boards"]) == 6
    ((reason, data),) = lines("swiss.hand_ended")
    assert (reason, data["exchanges"], data["round"]) == ("asked by both", 1, 2)
    assert "C1" in str(data["rules"])
    assert len(lines("swiss.hand_begun")) == 1


def test_the_engines_round_comes_back_whole(stage: Stage) -> None:
    play(stage, "1-0 1/2")
    draft = pair_next_round(stage.pk, actor=None)
    before = rows(draft)
    one, two = draft.pairings.filter(board__in=[1, 2])
    change_pairing(draft.pk, first_id=one.white_id, second_id=two.black_id or 0, actor=None, reason="a trial")
    change_pairing(draft.pk, first_id=two.white_id, second_id=two.white_id, actor=None, reason="colours")
    assert rows(draft) != before

    restored = restore_engine(draft.pk, actor=None)

    assert rows(restored) == before
    assert HAND not in restored.explanation
    assert not restored.pairings.filter(by_hand=True).exists()
    publish_round(draft.pk, actor=None)
    assert (len(lines("swiss.hand_undone")), lines("swiss.hand_ended")) == (1, [])


def test_an_untouched_or_published_round_has_nothing_to_restore(stage: Stage) -> None:
    draft = pair_next_round(stage.pk, actor=None)
    with pytest.raises(TourneyError) as untouched:
        restore_engine(draft.pk, actor=None)
    publish_round(draft.pk, actor=None)
    with pytest.raises(TourneyError) as published:
        restore_engine(draft.pk, actor=None)

    assert (untouched.value.code, published.value.code) == ("hand.nothing_changed", "round.not_draft")


def test_a_round_published_as_the_engine_made_it_has_no_session(stage: Stage) -> None:
    draft = pair_next_round(stage.pk, actor=None)
    publish_round(draft.pk, actor=None)

    assert Round.objects.get(pk=draft.pk).explanation == {}
    assert lines("swiss.hand_ended") == []


def test_a_table_changed_by_hand_is_named_too() -> None:
    stage = stage_of(6, system="round_robin")
    draft = pair_next_round(stage.pk, actor=None)
    row = draft.pairings.get(board=1)
    change_pairing(draft.pk, first_id=row.white_id, second_id=row.white_id, actor=None, reason="agreed")

    publish_round(draft.pk, actor=None)

    kept = Round.objects.get(pk=draft.pk).explanation[HAND]
    assert kept["bent"] == [["table", [row.black_id, row.white_id], ""]]
