"""Two people at once: the stage's row is the lock, and the second one is told what the first did."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from typing import Any
from uuid import uuid4

import pytest
from django.db import connection

from swiss.services import Claim, enter_result, open_conflicts, pair_next_round, publish_round, submit
from swiss.tests.builders import games_of, next_round, stage_of
from tourney.kernel.errors import TourneyError
from tourney.models import Game, ResultOperation, ResultRecord
from tourney.testing import builders

pytestmark = pytest.mark.django_db(transaction=True)


def at_once(*acts: Any) -> list[Any]:
    """Run acts in threads that begin together; return what each gave, a refusal as its code and values."""
    gate = Barrier(len(acts))

    def run(act: Any) -> Any:
        gate.wait()
        try:
            return act()
        except TourneyError as refused:
            return refused.code, refused.values
        finally:
            connection.close()

    with ThreadPoolExecutor(len(acts)) as pool:
        return list(pool.map(run, acts))


def test_of_two_results_at_once_one_wins_and_the_other_sees_who() -> None:
    stage = stage_of(12)
    game = games_of(next_round(stage))[0]
    people = {"1-0": builders.user("anna"), "0-1": builders.user("bohdan")}

    answers = at_once(
        *(
            lambda outcome=outcome, who=who: enter_result(
                stage_id=stage.pk, game_id=game.pk, outcome=outcome, actor=who, base_version=0, operation=uuid4()
            )
            for outcome, who in people.items()
        )
    )

    (record,) = ResultRecord.objects.all()
    (refusal,) = [answer for answer in answers if isinstance(answer, tuple)]
    assert Game.objects.get(pk=game.pk).outcome == record.outcome
    assert refusal[0] == "result.changed_meanwhile"
    assert (refusal[1]["result"], refusal[1]["by"]) == (record.outcome, people[record.outcome].username)


def test_results_of_different_boards_at_once_all_count() -> None:
    stage = stage_of(12)
    games = games_of(next_round(stage))

    at_once(
        *(
            lambda game=game: enter_result(stage_id=stage.pk, game_id=game.pk, outcome="1-0", base_version=0)
            for game in games
        )
    )

    assert ResultRecord.objects.count() == 6
    stage.refresh_from_db()
    assert stage.rounds.get().state == "done"
    assert sum(stage.standings.values_list("points", flat=True)) == 12


def test_a_round_is_paired_and_published_once() -> None:
    stage = stage_of(12)

    paired = at_once(*(lambda: pair_next_round(stage.pk, actor=None) for _ in range(2)))
    draft = stage.rounds.get()
    published = at_once(*(lambda: publish_round(draft.pk, actor=None) for _ in range(2)))

    assert sorted(answer[0] for answer in paired if isinstance(answer, tuple)) == ["round.draft_exists"]
    assert sorted(answer[0] for answer in published if isinstance(answer, tuple)) == ["round.not_draft"]
    assert stage.games.count() == 6


def test_one_entry_sent_by_four_impatient_requests_counts_once() -> None:
    stage = stage_of(12)
    game = games_of(next_round(stage))[0]
    claim = Claim(uuid4(), game.pk, "1-0", base_version=0, queued=True)

    answers = at_once(*(lambda: submit(stage.section.tournament, claim) for _ in range(4)))

    assert {answer.state for answer in answers} == {"applied"}
    assert ResultOperation.objects.count() == ResultRecord.objects.count() == 1


def test_four_tablets_that_disagree_at_once_make_one_conflict_with_every_claim() -> None:
    stage = stage_of(12)
    game = games_of(next_round(stage))[0]
    claims = [Claim(uuid4(), game.pk, outcome, base_version=0, queued=True) for outcome in ("1-0", "0-1", "1/2", "+-")]

    answers = at_once(*(lambda claim=claim: submit(stage.section.tournament, claim) for claim in claims))

    assert sorted(answer.state for answer in answers) == ["applied", "conflict", "conflict", "conflict"]
    (conflict,) = open_conflicts([stage])
    assert conflict.standing is not None
    said = {conflict.standing.outcome, *(operation.outcome for operation in conflict.operations.all())}
    assert said == {"1-0", "0-1", "1/2", "+-"}
    assert Game.objects.get(pk=game.pk).outcome == ""
