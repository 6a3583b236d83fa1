"""Long files of games: read in parts by several workers, also after a kill, stopped, resumed, told exactly."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from io import BytesIO
from typing import Any

import pytest
from django.conf import settings
from django.db import connection

from tourney import pgn_files, queue
from tourney.kernel.errors import TourneyError
from tourney.models import ActionLog, Game, GameImport, GameImportPart, Job, Stage
from tourney.services import game_imports
from tourney.tests.db.test_games import as_file, swiss

STRANGER = '[Event "Elsewhere"]\n[White "Stranger {n}"]\n[Black "Nobody"]\n\n1. e4 e5 2. Ke2 Ke7 *\n\n'


def strangers(number: int) -> bytes:
    return "".join(STRANGER.format(n=n) for n in range(number)).encode()


@pytest.fixture
def small_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pgn_files, "PART", 200)


@pytest.fixture
def no_worker(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody takes a job unless the test does."""
    monkeypatch.setattr(queue, "_send", lambda *_: None)


def take(stage: Stage, content: bytes) -> GameImport:
    return game_imports.request_import(stage.section.tournament, content, name="long.pgn")[0]


def shape(taken: GameImport) -> tuple[int, int, int]:
    """Return how many parts there are, how many are done, how many games are in those."""
    parts = list(taken.parts.all())
    return len(parts), sum(part.done_at is not None for part in parts), sum(part.games or 0 for part in parts)


@pytest.mark.django_db
@pytest.mark.usefixtures("small_parts")
def test_lines_and_numbers_of_a_report_are_those_of_the_whole_file() -> None:
    stage = swiss()
    taken = take(stage, strangers(9) + b'[Event "Cup"]\n[White "A"]\n[Black "B"]\n\n1. e4 e5 2. Ke3 *\n')
    assert shape(taken)[0] > 2
    game_imports.run_import(taken.pk)
    taken.refresh_from_db()
    assert taken.report["games"] == 10
    told = [(line["number"], line["line"], line["code"]) for line in taken.report["problems"]]
    assert told == [(n + 1, 6 * n + 1, "games.no_player") for n in range(10)] + [(10, 59, "pgn.wrong_move")]
    assert list(game_imports.report_lines(taken)) == taken.report["problems"]


@pytest.mark.django_db
@pytest.mark.usefixtures("small_parts")
def test_a_record_in_the_third_part_is_placed_by_hand_and_stays_there() -> None:
    stage = swiss()
    taken = take(stage, strangers(9))
    game_imports.run_import(taken.pk)
    game = Game.objects.filter(stage=stage).first()
    assert game is not None
    assert game_imports.place_record(taken, 8, game, actor=None) == "placed"
    game_imports.import_again(taken)
    game_imports.run_import(taken.pk)
    taken.refresh_from_db()
    assert (taken.report["same"], taken.report["left_out"]) == (1, 8)
    game.refresh_from_db()
    assert game.pgn == "1. e4 e5 2. Ke2 Ke7"


@pytest.mark.django_db
@pytest.mark.usefixtures("small_parts")
def test_the_worst_lines_are_told_first_when_there_are_too_many(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(game_imports, "MOST_LINES", 7)
    stage = swiss(results="1-0")
    taken = take(stage, strangers(9) + as_file(stage, Result="0-1"))
    game_imports.run_import(taken.pk)
    taken.refresh_from_db()
    assert [line["code"] for line in taken.report["problems"]] == ["games.no_player", *["games.result_differs"] * 6]
    assert taken.report["lines"] == 15


@pytest.mark.django_db
@pytest.mark.usefixtures("small_parts")
def test_a_slice_of_work_ends_in_time_and_the_next_one_goes_on() -> None:
    stage = swiss()
    taken = take(stage, as_file(stage))
    before = Job.objects.count()
    game_imports.run_import(taken.pk, seconds=-1)
    parts, done, _ = shape(taken)
    assert (done, Job.objects.count()) == (1, before + 1)
    taken.refresh_from_db()
    assert taken.finished_at is None
    assert taken.job == Job.objects.latest("pk")
    for _ in range(parts - 1):
        game_imports.run_import(taken.pk, seconds=-1)
    game_imports.run_import(taken.pk, seconds=-1)
    taken.refresh_from_db()
    assert taken.report == {"games": 6, "placed": 6, "problems": []}
    assert ActionLog.objects.filter(action="games.imported").count() == 1


@pytest.mark.django_db
@pytest.mark.usefixtures("small_parts")
def test_a_stopped_file_keeps_what_was_read_and_goes_on_from_there() -> None:
    stage = swiss()
    taken = take(stage, as_file(stage))
    game_imports.run_import(taken.pk, seconds=-1)
    game_imports.stop_import(taken, actor=None)
    placed = Game.objects.exclude(pgn="").count()
    game_imports.run_import(taken.pk)
    assert 0 < placed == Game.objects.exclude(pgn="").count() < 6
    with pytest.raises(TourneyError, match=r"games\.not_running"):
        game_imports.stop_import(taken, actor=None)
    game_imports.resume_import(taken, actor=None)
    game_imports.run_import(taken.pk)
    taken.refresh_from_db()
    assert (taken.report["games"], taken.report["placed"], taken.stopped_at) == (6, 6, None)
    with pytest.raises(TourneyError, match=r"games\.not_stopped"):
        game_imports.resume_import(taken, actor=None)


@pytest.mark.django_db
def test_a_file_is_kept_in_parts_that_fit_into_memory(tmp_path: Any, settings: Any) -> None:
    path = tmp_path / "large.pgn"
    path.write_bytes(strangers(30_000))
    with path.open("rb") as file:
        taken, _ = game_imports.request_import(swiss().section.tournament, file)
    sizes = list(taken.parts.values_list("size", flat=True))
    assert sum(sizes) == taken.size == path.stat().st_size
    assert len(sizes) > 10
    assert max(sizes) < pgn_files.PART + 1000
    settings.GAME_FILE_MB = 1
    with path.open("rb") as file, pytest.raises(TourneyError, match=r"pgn\.too_large"):
        game_imports.request_import(swiss().section.tournament, file)


@pytest.mark.django_db
@pytest.mark.parametrize("content", [b"", b"%\n", b"\n\n\n"])
def test_a_file_without_a_game_is_refused_before_anything_is_kept(content: bytes) -> None:
    stage = swiss()
    with pytest.raises(TourneyError, match=r"pgn\.no_games"):
        game_imports.request_import(stage.section.tournament, BytesIO(content))
    assert not GameImport.objects.exists()


# A worker of its own process that reads the file and says after each part how far it is, slowly.
WORKER = """
import sys, time, django
django.setup()
from django.db import connections
connections["default"].settings_dict["NAME"] = sys.argv[1]
from tourney import pgn
from tourney.services import game_imports
read = pgn.read_part
def slowly(part):
    for game in read(part):
        time.sleep(float(sys.argv[3]))
        yield game
game_imports.pgn.read_part = slowly
game_imports.run_import(int(sys.argv[2]), seconds=3600)
"""


def worker(taken: GameImport, pause: float) -> subprocess.Popen[bytes]:
    environment = {**os.environ, "DJANGO_SETTINGS_MODULE": "tourney.testing.settings"}
    name = connection.settings_dict["NAME"]
    return subprocess.Popen(
        [sys.executable, "-c", WORKER, name, str(taken.pk), str(pause)],
        cwd=settings.BASE_DIR,
        env=environment,
    )


@pytest.mark.slow
@pytest.mark.django_db(transaction=True)
@pytest.mark.usefixtures("small_parts", "no_worker")
def test_a_killed_worker_is_gone_on_from_where_it_stopped() -> None:
    stage = swiss(24)
    taken = take(stage, as_file(stage) + strangers(20))
    process = worker(taken, 0.15)
    deadline = time.monotonic() + 90
    try:
        while shape(taken)[1] < 2:
            assert process.poll() is None, "the worker ended by itself"
            assert time.monotonic() < deadline, "the worker does nothing"
            time.sleep(0.02)
    finally:
        process.kill()
        process.wait()
    done_before = dict(taken.parts.exclude(done_at=None).values_list("number", "done_at"))
    assert 0 < len(done_before) < taken.parts.count()

    game_imports.run_import(taken.pk)

    taken.refresh_from_db()
    assert (taken.report["games"], taken.report["placed"], taken.report["left_out"]) == (32, 12, 20)
    assert "same" not in taken.report  # nothing was read twice
    assert done_before.items() <= dict(taken.parts.values_list("number", "done_at")).items()


@pytest.mark.django_db(transaction=True)
@pytest.mark.usefixtures("small_parts", "no_worker")
def test_two_workers_share_the_parts_and_one_writes_the_report() -> None:
    stage = swiss()
    taken = take(stage, as_file(stage))
    other = connection.copy()
    try:
        other.set_autocommit(False)
        with other.cursor() as cursor:
            cursor.execute(
                "SELECT id FROM tourney_gameimportpart WHERE game_import_id = %s AND number = 0 FOR UPDATE", [taken.pk]
            )
        game_imports.run_import(taken.pk)
        parts, done, _ = shape(taken)
        taken.refresh_from_db()
        assert (done, taken.finished_at) == (parts - 1, None)
    finally:
        other.close()  # as a killed worker's connection does
    game_imports.run_import(taken.pk)
    taken.refresh_from_db()
    assert taken.report == {"games": 6, "placed": 6, "problems": []}
    assert not GameImportPart.objects.filter(done_at=None).exists()
