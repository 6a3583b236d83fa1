"""The machine's clock is put back by hours in the middle of an event: nothing is lost, hidden, or done late for that.

A laptop that was hours ahead gets the right time with the first network it meets.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from celery import current_app
from django.test import Client
from django.utils import timezone

from swiss.services import enter_result
from swiss.tests.builders import games_of, next_round, stage_of
from tourney import live_cache, queue
from tourney.backups import making, timer
from tourney.laptop.folder import DataFolder
from tourney.models import Game, Job, ResultRecord
from tourney.services.log import log
from tourney.testing import builders
from tourney.testing.pages import Clock
from tourney.ticking import Scheduler

HOURS = timedelta(hours=3)


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Iterator[Clock]:
    """The machine's clock, three hours ahead; `clock.forward(hours=-3)` puts it right."""
    moved = Clock()
    real = time.time
    monkeypatch.setattr(time, "time", lambda: real() + moved._ahead.total_seconds())
    moved.forward(hours=3)
    yield from moved.run()


@pytest.mark.django_db(transaction=True)
def test_results_after_the_jump_count_stand_on_pages_at_once_and_follow_in_the_log(
    clock: Clock, settings: Any, client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.KEEP_PAGES = True
    for pause in ("REST_SECONDS", "LATELY_SECONDS", "AGAIN_SECONDS"):
        monkeypatch.setattr(live_cache, pause, 0.0)
    stage = stage_of(4)
    first, second = games_of(next_round(stage))
    slug, code = stage.section.tournament.slug, stage.section.code
    address = f"/t/{slug}/{code}/pairings/_live/"

    def enter(game: Game, outcome: str, reason: str = "") -> str:
        enter_result(stage_id=stage.pk, game_id=game.pk, outcome=outcome, reason=reason)
        return client.get(address).content.decode()

    assert enter(first, "1-0").count("1–0") == 1
    clock.forward(hours=-3)
    assert enter(second, "1-0").count("1–0") == 2
    assert enter(first, "0-1", "slip of the pen").count("1–0") == 1

    assert list(Game.objects.order_by("pk").values_list("outcome", flat=True)) == ["0-1", "1-0"]
    assert list(ResultRecord.objects.order_by("pk").values_list("outcome", flat=True)) == ["1-0", "1-0", "0-1"]
    moments = list(stage.section.tournament.log.filter(action__startswith="swiss.result").order_by("pk"))
    assert [line.at > moments[0].at - HOURS / 2 for line in moments] == [True, False, False]


@pytest.mark.django_db(transaction=True)
def test_backups_go_on_and_the_newest_is_not_the_one_that_is_thrown_away(
    clock: Clock, settings: Any, tmp_path: Path
) -> None:
    settings.DATA_FOLDER = DataFolder(tmp_path / "data")
    settings.BACKUP_FOLDERS, settings.BACKUP_KEEP, settings.BACKUP_MINUTES = [tmp_path / "stick"], 2, 10
    tournament = builders.event("open-swiss")
    made = []
    for minutes in (0, 11, -180, -169, -158):
        log(tournament, "event.hidden")
        made += timer.back_up_if_due(timezone.now() + timedelta(minutes=minutes))

    assert len(made) == 5
    assert making.backups_in(tmp_path / "stick") == made[-2:]


def test_backups_of_one_second_are_in_the_order_they_were_made(tmp_path: Path) -> None:
    moment = datetime(2027, 1, 25, 12, tzinfo=UTC)
    made = []
    for _ in range(12):
        path = making._free_name(tmp_path, moment)
        path.write_bytes(b"")
        made.append(path)

    assert making.backups_in(tmp_path) == made


@pytest.mark.django_db
def test_job_whose_message_was_lost_is_sent_and_not_only_in_three_hours(
    clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = timezone.now()
    lost = Job.objects.create(name="tourney.back_up", args={}, due_at=now + timedelta(seconds=60))
    later = Job.objects.create(name="tourney.back_up", args={}, due_at=now - queue.LEAD, not_before=now)
    clock.forward(hours=-3)
    sent: list[int] = []
    monkeypatch.setattr(queue, "_send", lambda pk, moment=None: sent.append(pk))

    queue.sweep()

    assert (sent, later.pk in sent) == ([lost.pk], False)


def test_regular_work_goes_on(clock: Clock, monkeypatch: pytest.MonkeyPatch) -> None:
    done: list[str] = []
    monkeypatch.setattr(current_app, "now", timezone.now)
    monkeypatch.setattr(Scheduler, "apply_entry", lambda _self, entry, producer=None: done.append(entry.name))
    schedule = {name: {"task": "tourney.back_up", "schedule": 20.0} for name in ("a", "b")}
    scheduler = Scheduler(current_app._get_current_object(), lazy=True)
    scheduler.update_from_dict(schedule)
    monkeypatch.setattr(Scheduler, "producer", None)

    def ticks(number: int) -> list[str]:
        done.clear()
        for _ in range(number):
            scheduler.tick()
        return sorted(done)

    assert ticks(3) == []
    clock.forward(seconds=21)
    assert ticks(3) == ["a", "b"]
    clock.forward(hours=-3)
    assert ticks(3) == []
    clock.forward(seconds=21)
    assert ticks(3) == ["a", "b"]
