"""The first acts of a day at one moment, on real connections: everybody waits for the event, the group and the stage in
one order, so nobody waits for ever.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import pytest
from django.db import connection

from brackets.services import (
    call_match,
    choose_color,
    double_no_show,
    enter_game_result,
    walkover,
)
from brackets.tests.builders import drawn, fresh, table
from brackets.tests.web.helpers import seen
from tourney.kernel.errors import TourneyError
from tourney.models import Lot, Stage, Tournament
from tourney.testing import builders

pytestmark = pytest.mark.django_db(transaction=True)


def at_once(acts: list[Callable[[], Any]]) -> list[BaseException]:
    """Run acts in threads that start at one moment, each on its own connection; return what went wrong."""
    barrier, wrong = threading.Barrier(len(acts)), []

    def run(act: Callable[[], Any]) -> None:
        try:
            barrier.wait(timeout=60)
            act()
        except Exception as error:  # noqa: BLE001 -- handed to the test
            wrong.append(error)
        finally:
            connection.close()

    threads = [threading.Thread(target=run, args=[act]) for act in acts]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=120)
    assert not any(thread.is_alive() for thread in threads)
    return wrong


def test_the_first_results_calls_and_lots_of_a_day_never_wait_for_each_other_for_ever() -> None:
    stage = drawn(players=16, rules={"size": 16, "minimum_matches": 0})
    acts: list[Callable[[], Any]] = []
    for number in (1, 2, 3):
        acts.append(lambda n=number: call_match(stage.pk, f"U1.{n}"))
        acts.append(lambda n=number: double_no_show(stage.pk, f"U1.{n + 3}", reason="neither came", early=True))
    acts.append(lambda: walkover(stage.pk, "U1.7", absent="b", reason="did not come", early=True))
    acts.append(lambda: choose_color(stage.pk, "U1.8", color="w"))
    assert at_once(acts) == []
    assert fresh(stage).state == Stage.State.RUNNING
    assert Tournament.objects.get().state == Tournament.State.RUNNING
    assert sorted(Lot.objects.values_list("number", flat=True)) == [1, 2, 3]
    assert len({m.board for m in table(stage).matches.values() if m.state == "called"}) == 3


def test_the_same_match_by_two_arbiters_one_is_told_what_the_other_entered() -> None:
    stage = drawn(players=4, rules={"size": 4, "minimum_matches": 0})
    choose_color(stage.pk, "U1.1", color="w")
    shown = seen(stage, "U1.1")
    people = [builders.user(name, stage.section.tournament, "arbiter") for name in ("olena", "taras")]
    acts = [
        lambda p=person, o=outcome: enter_game_result(stage.pk, "U1.1", number=1, outcome=o, actor=p, seen=shown)
        for person, outcome in zip(people, ("1-0", "0-1"), strict=True)
    ]
    (lost,) = at_once(acts)
    assert isinstance(lost, TourneyError)
    assert lost.code == "match.changed_meanwhile"
    (game,) = table(stage).games_in_force(table(stage).view("U1.1").key)
    assert game.outcome in ("1-0", "0-1")
    winner = people[0 if game.outcome == "1-0" else 1]
    assert lost.values["by"] == winner.get_username()
    assert game.by == winner.pk
