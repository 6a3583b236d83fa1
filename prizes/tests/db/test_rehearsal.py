"""Rehearsals go on after the last game: play-off, places, prize draws, each a step of its own."""

from __future__ import annotations

import pytest

from prizes.models import Award, PlayoffRecord, Ticket
from prizes.services.rehearsal import play_step
from prizes.tests import played
from tourney.kernel.chance import Chance
from tourney.models import PlacementList, Stage
from tourney.testing import builders

pytestmark = pytest.mark.django_db


def step(stage: Stage, number: int) -> bool:
    stage.refresh_from_db()
    return play_step(stage, Chance.labelled("test", f"step {number}"))


def test_rehearsal_plays_off_first_place_then_publishes() -> None:
    section = played.group(builders.event("youth-championship"), "u11-boys")
    played.finished(section, [1, 1, 1, 4])
    stage = played.last_stage(section)
    assert step(stage, 1)
    assert PlayoffRecord.objects.count() == 1
    assert step(stage, 2)
    assert PlacementList.objects.count() == 1
    assert not step(stage, 3)


def test_rehearsal_draws_every_lottery_once(monkeypatch: pytest.MonkeyPatch) -> None:
    section = played.group(builders.event("second-chance-32"), players=32)
    played.finished_bracket(section, monkeypatch)
    stage = played.last_stage(section)
    assert [step(stage, number) for number in range(6)] == [True, True, True, True, False, False]
    assert Ticket.objects.filter(won=True).count() == 3
    assert Award.objects.filter(source="lottery").count() == 3


def test_rehearsal_waits_for_the_games() -> None:
    section = played.group(builders.event("youth-championship"), "u11-boys")
    played.finished(section)
    played.stages_of(section).update(state=Stage.State.RUNNING)
    assert not step(played.last_stage(section), 1)
    assert not PlacementList.objects.exists()
