"""The clock of a round: its hour (M7.1), its real start, and who doesn't come (M7.4)."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from swiss.models import Pairing, Round
from swiss.services import (
    deadline_of,
    early_start,
    enter_result,
    forfeit_absent,
    note_absent,
    pair_next_round,
    publish_round,
    reschedule_round,
    start_round,
)
from swiss.tests.builders import at, enter, games_of, next_round, stage_of
from tourney.kernel.errors import TourneyError
from tourney.models import Game, ResultRecord, Stage
from tourney.services.stopping import resume_play, stop_play

pytestmark = pytest.mark.django_db


def refused(code: str) -> Any:
    return pytest.raises(TourneyError, match=rf"^{code.replace('.', '[.]')}\(")


def ended(stage: Stage, number: int, clock: str) -> None:
    """Let a round's last game have ended at that time of the event's first day."""
    Round.objects.filter(stage=stage, number=number).update(finished_at=at(stage.section.tournament, clock))


@pytest.mark.clause("M7.1")
def test_rounds_get_the_hours_of_the_schedule() -> None:
    stage = stage_of(12)

    hours = [enter(next_round(stage)).scheduled_at for _ in range(4)]

    t = stage.section.tournament
    assert hours == [at(t, "10:00"), at(t, "14:00"), at(t, "10:00", day=2), at(t, "14:00", day=2)]


@pytest.mark.clause("M7.1")
def test_an_even_round_may_begin_thirty_minutes_after_the_last_game() -> None:
    stage = stage_of(12)
    enter(next_round(stage))
    ended(stage, 1, "12:11")
    round_ = next_round(stage)

    early = early_start(round_, stage)
    assert early == at(stage.section.tournament, "12:41")
    version = Stage.objects.get(pk=stage.pk).version
    reschedule_round(round_.pk, scheduled_at=early, actor=None)

    round_.refresh_from_db()
    assert round_.scheduled_at == early
    assert {game.scheduled_at for game in games_of(round_)} == {early}
    assert Stage.objects.get(pk=stage.pk).version == version + 1  # the public sees the new hour


@pytest.mark.clause("M7.1")
def test_no_round_begins_earlier_than_the_schedule_allows() -> None:
    stage = stage_of(12)
    t = stage.section.tournament
    enter(next_round(stage))
    ended(stage, 1, "12:11")
    second = next_round(stage)

    with refused("schedule.too_early"):
        reschedule_round(second.pk, scheduled_at=at(t, "12:40"), actor=None)
    reschedule_round(second.pk, scheduled_at=at(t, "16:00"), actor=None)
    enter(second)
    third = next_round(stage)
    assert early_start(third, stage) is None
    with refused("schedule.odd_round_not_early"):
        reschedule_round(third.pk, scheduled_at=at(t, "09:00", day=2), actor=None)
    start_round(third.pk, actor=None)
    with refused("round.already_started"):
        reschedule_round(third.pk, scheduled_at=at(t, "11:00", day=2), actor=None)


@pytest.mark.clause("M7.1")
def test_a_long_odd_round_gains_nothing() -> None:
    stage = stage_of(12)
    enter(next_round(stage))
    ended(stage, 1, "13:45")

    assert early_start(next_round(stage), stage) is None


def test_the_hour_can_be_set_when_a_round_is_published() -> None:
    stage = stage_of(12)
    t = stage.section.tournament

    round_ = publish_round(pair_next_round(stage.pk, actor=None).pk, actor=None, scheduled_at=at(t, "11:30"))

    assert (round_.scheduled_at, games_of(round_)[0].scheduled_at) == (at(t, "11:30"), at(t, "11:30"))


def test_a_round_nobody_started_began_with_its_first_result() -> None:
    stage = stage_of(12)
    round_ = next_round(stage)

    record = enter_result(stage_id=stage.pk, game_id=games_of(round_)[0].pk, outcome="1-0")

    round_.refresh_from_db()
    assert (round_.state, round_.started_at) == ("running", record.at)


@pytest.fixture
def running() -> tuple[Stage, Round, Pairing]:
    """A round whose clocks run, and its third board."""
    stage = stage_of(12)
    round_ = start_round(next_round(stage).pk, actor=None)
    return stage, round_, round_.pairings.get(board=3)


@pytest.mark.clause("M7.4")
@pytest.mark.parametrize(("white", "black", "outcome"), [(True, False, "-+"), (False, True, "+-"), (True, True, "--")])
def test_more_than_thirty_minutes_late_loses(
    running: tuple[Stage, Round, Pairing], white: bool, black: bool, outcome: str
) -> None:
    stage, round_, board = running
    deadline = deadline_of(round_, stage)
    assert round_.started_at is not None
    assert deadline == round_.started_at + timedelta(minutes=30)
    note_absent(board.pk, white=white, black=black, actor=None)

    with refused("round.not_late_yet"):
        forfeit_absent(board.pk, actor=None, now=deadline)  # 30:00 is still in time
    assert ResultRecord.objects.count() == 0
    forfeit_absent(board.pk, actor=None, now=deadline + timedelta(seconds=1))

    assert Game.objects.get(pk=board.game_id).outcome == outcome


@pytest.mark.clause("M7.4")
def test_who_arrives_in_time_plays(running: tuple[Stage, Round, Pairing]) -> None:
    stage, round_, board = running
    note_absent(board.pk, white=False, black=True, actor=None)
    note_absent(board.pk, white=False, black=False, actor=None)
    deadline = deadline_of(round_, stage)
    assert deadline is not None

    with refused("round.nobody_absent"):
        forfeit_absent(board.pk, actor=None, now=deadline + timedelta(hours=1))


@pytest.mark.clause("M7.4")
def test_lateness_needs_running_clocks_and_an_open_board() -> None:
    stage = stage_of(12)
    round_ = next_round(stage)
    board = round_.pairings.get(board=1)
    note_absent(board.pk, white=True, black=False, actor=None)

    with refused("round.not_started"):
        forfeit_absent(board.pk, actor=None)
    enter_result(stage_id=stage.pk, game_id=board.game_id or 0, outcome="1-0")
    with refused("round.board_has_result"):
        note_absent(board.pk, white=True, black=False, actor=None)


@pytest.mark.clause("M7.4")
def test_both_absent_is_the_arbiters_word_where_the_regulation_says_so() -> None:
    stage = stage_of(12)
    stage.rules["lateness"]["both_absent"] = "arbiter"
    stage.save()
    round_ = start_round(next_round(stage).pk, actor=None)
    board = round_.pairings.get(board=1)
    note_absent(board.pk, white=True, black=True, actor=None)
    deadline = deadline_of(round_, stage)
    assert deadline is not None

    with refused("lateness.arbiter_decides"):
        forfeit_absent(board.pk, actor=None, now=deadline + timedelta(minutes=1))


@pytest.mark.clause("M7.4")
def test_lateness_may_count_from_the_schedule() -> None:
    stage = stage_of(12)
    stage.rules["lateness"]["base"] = "scheduled_start"
    stage.save()
    round_ = start_round(next_round(stage).pk, actor=None)

    assert deadline_of(round_, stage) == at(stage.section.tournament, "10:30")


@pytest.mark.clause("M7.4")
def test_a_stop_of_play_puts_off_lateness_by_its_length(monkeypatch: pytest.MonkeyPatch) -> None:
    stage = stage_of(12)
    tournament = stage.section.tournament
    round_ = next_round(stage)
    began = timezone.now()

    def at_minute(minutes: float) -> None:
        monkeypatch.setattr(timezone, "now", lambda: began + timedelta(minutes=minutes))

    at_minute(0)
    round_ = start_round(round_.pk, actor=None)
    stage.refresh_from_db()
    at_minute(20)
    assert stop_play(tournament, actor=None, reason="alarm") == 1
    with refused("pause.open"):
        stop_play(tournament, actor=None)
    at_minute(100)
    pairing = round_.pairings.get(board=1)
    note_absent(pairing.pk, white=True, black=True, actor=None)
    with refused("round.paused"):
        forfeit_absent(pairing.pk, actor=None)
    assert resume_play(tournament, actor=None) == 1
    stage = Stage.objects.get(pk=stage.pk)

    assert deadline_of(round_, stage) == began + timedelta(minutes=30 + 80)
    at_minute(109)
    with refused("round.not_late_yet"):
        forfeit_absent(pairing.pk, actor=None)
    at_minute(111)
    forfeit_absent(pairing.pk, actor=None)
    assert Game.objects.get(board=1).outcome == "--"
    with refused("pause.none"):
        resume_play(tournament, actor=None)
