"""Taking a name out of large files: in pieces, whoever is killed meanwhile, and nothing is given out before."""

from __future__ import annotations

import itertools
from concurrent.futures import ThreadPoolExecutor
from datetime import date
from pathlib import Path
from threading import Event
from typing import Any

import pytest
from django.db import connection, transaction
from django.test import Client
from django.test.utils import CaptureQueriesContext

from registration.privacy import erasing
from swiss.tests import builders as rounds
from tourney import queue
from tourney.archives import moving
from tourney.models import Game, GameImport, GameImportPart, Job, NameToForget, Tournament
from tourney.services import forgetting, forgetting_files, forgetting_words, game_imports
from tourney.services.forgetting import forget_name
from tourney.testing import builders

RECORD = """[Event "Cup"]
[White "Смирнов, Іван"]
[Black "Ковач, Анна"]
[Round "{number}"]

1. e4 {{Смирнов думав}} e5 {{{padding}}} *

"""
PARTS = 4


def text_of(parts: int) -> bytes:
    padding = "x" * 140_000
    return "".join(RECORD.format(number=number, padding=padding) for number in range(1, parts + 1)).encode()


class Killed(BaseException):
    """What a worker's end looks like from inside."""


def event_with_files(parts: int = PARTS) -> tuple[Tournament, Game]:
    """Return an event with one file of several parts, read to its end, and the game they are all about."""
    stage = rounds.stage_of(4, starts_on=None)
    rounds.next_round(stage)
    event = stage.section.tournament
    game = rounds.games_of(stage.rounds.get())[0]
    for player, surname, given in ((game.white.player, "Смирнов", "Іван"), (game.black.player, "Ковач", "Анна")):
        player.surname, player.given_name, player.latin_name = surname, given, ""
        player.save()
    taken, _new = game_imports.request_import(event, text_of(parts))
    game_imports.run_import(taken.pk)
    assert GameImportPart.objects.count() == parts
    return event, Game.objects.select_related("white__player", "white__tournament").get(pk=game.pk)


def parts_with_name() -> int:
    return sum("Смирнов" in bytes(part.content).decode() + str(part.lines) for part in GameImportPart.objects.all())


def report() -> str:
    return str(GameImport.objects.get().report)


@pytest.mark.django_db
@pytest.mark.parametrize("step", ["part", "report", "mark"])
@pytest.mark.parametrize("after", [0, 2])
def test_who_is_killed_in_a_part_leaves_it_as_it_was_and_the_next_one_goes_on_there(
    step: str, after: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    event, game = event_with_files()
    forget_name(game.white, instead="№ 1")
    tries = itertools.count()

    def killed_in(real: Any) -> Any:
        def run(*args: Any, **values: Any) -> Any:
            if next(tries) == after:
                raise Killed
            return real(*args, **values)

        return run

    with monkeypatch.context() as patched:
        if step == "part":
            patched.setattr(forgetting_files, "records", killed_in(forgetting_files.records))
        elif step == "report":
            patched.setattr(forgetting_files, "_in_report", killed_in(forgetting_files._in_report))
        else:
            real = forgetting_files._Work.clean
            patched.setattr(
                forgetting_files._Work, "clean", lambda work, *args: (real(work, *args), killed_in(lambda: None)())
            )
        with pytest.raises(Killed):
            forgetting_files.run_slice(event.pk)
    left = parts_with_name()
    looked_at: list[int] = []
    real_clean = forgetting_files._Work.clean
    monkeypatch.setattr(
        forgetting_files._Work, "clean", lambda work, pk, names: (looked_at.append(pk), real_clean(work, pk, names))
    )

    forgetting_files.run_slice(event.pk)

    assert (left, len(looked_at)) == (PARTS - after, PARTS - after)
    assert (parts_with_name(), "Смирнов" in report(), NameToForget.objects.count()) == (0, False, 0)


@pytest.mark.django_db
def test_who_is_killed_before_the_name_is_let_go_finds_clean_files_and_lets_it_go(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    event, game = event_with_files()
    forget_name(game.white, instead="№ 1")

    def killed(*_: Any) -> None:
        raise Killed

    with monkeypatch.context() as patched:
        patched.setattr(forgetting_files._Work, "_in_reports", killed)
        with pytest.raises(Killed):
            forgetting_files.run_slice(event.pk)
    assert (parts_with_name(), NameToForget.objects.count()) == (0, 1)
    forgetting_files.run_slice(event.pk)

    assert NameToForget.objects.count() == 0


@pytest.mark.django_db(transaction=True)
def test_job_that_comes_twice_works_once_and_one_beside_another_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    event, game = event_with_files()
    monkeypatch.setattr(queue, "_send", lambda *_: None)  # no worker is there yet
    with transaction.atomic():
        forget_name(game.white, instead="№ 1")
    job = NameToForget.objects.get().job
    assert job is not None
    other = connection.copy()
    key = [forgetting_files._LOCK_CLASS, event.pk % 2**31]
    with other.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_lock(%s, %s)", key)
    queue.run(job.pk)
    job.refresh_from_db()
    waiting = (job.state, job.attempts, parts_with_name())
    other.close()

    queue.run(job.pk)
    cleaned = [bytes(part.content) for part in GameImportPart.objects.all()]
    queue.run(job.pk)

    assert waiting == (Job.State.QUEUED, 0, PARTS)
    assert parts_with_name() == 0
    assert [bytes(part.content) for part in GameImportPart.objects.all()] == cleaned
    job.refresh_from_db()
    assert (job.state, job.attempts) == (Job.State.DONE, 1)


@pytest.mark.django_db(transaction=True)
def test_file_that_is_sent_again_to_replace_moves_waits_for_the_part_in_hand(monkeypatch: pytest.MonkeyPatch) -> None:
    event, game = event_with_files()
    monkeypatch.setattr(queue, "_send", lambda *_: None)
    with transaction.atomic():
        forget_name(game.white, instead="№ 1")
    in_hand, sent = Event(), Event()

    def slowly(text: str) -> Any:
        in_hand.set()
        sent.wait(1)
        return forgetting_words.records(text)

    def take_out() -> bool:
        try:
            return forgetting_files.take_out(event)
        finally:
            connection.close()

    monkeypatch.setattr(forgetting_files, "records", slowly)
    with ThreadPoolExecutor(1) as pool:
        cleaned = pool.submit(take_out)
        in_hand.wait(10)
        taken, is_new = game_imports.request_import(event, text_of(PARTS), replace=True)
        sent.set()

        assert cleaned.result(20)
    taken.refresh_from_db()
    assert (is_new, taken.replace, taken.finished_at, parts_with_name()) == (False, True, None, 0)
    assert not taken.parts.exclude(done_at=None).exists()


@pytest.mark.django_db
def test_a_moving_event_takes_locks_in_the_order_of_who_puts_a_record_on_a_game(tmp_path: Path) -> None:
    event, game = event_with_files()
    forget_name(game.white, instead="№ 1")

    with CaptureQueriesContext(connection) as asked:
        moving.move_away(event, tmp_path / "event", actor=None, to="https://chess.example")

    locks = [one["sql"] for one in asked.captured_queries if "FOR UPDATE" in one["sql"]]
    parts = [place for place, sql in enumerate(locks) if 'FROM "tourney_gameimportpart"' in sql]
    groups = [place for place, sql in enumerate(locks) if 'FROM "tourney_section"' in sql]
    assert len(parts) == PARTS
    assert max(parts) < min(groups)
    assert parts_with_name() == 0


@pytest.mark.django_db
def test_large_files_cost_the_request_nothing_and_a_slice_asks_for_the_next_one() -> None:
    event, game = event_with_files(parts=12)
    with CaptureQueriesContext(connection) as asked:
        forget_name(game.white, instead="№ 1")
    read = [one["sql"] for one in asked.captured_queries if "gameimportpart" in one["sql"]]
    forgetting_files.run_slice(event.pk, seconds=0)
    after_one = parts_with_name()
    told = forgetting_files.progress(event)
    jobs = Job.objects.filter(name=forgetting.TASK)
    slices = 1
    while NameToForget.objects.exists():
        forgetting_files.run_slice(event.pk, seconds=0)
        slices += 1

    assert read == []
    assert (after_one, jobs.count() > 1, parts_with_name(), slices > 11) == (11, True, 0, True)
    assert told is not None
    assert (0 < told["done"] < told["total"], told["people"], told["failed"]) == (True, 1, False)


@pytest.mark.django_db
def test_name_in_a_file_that_is_not_clean_yet_is_never_given_out() -> None:
    event, game = event_with_files()
    taken = GameImport.objects.get()
    client = Client(headers={"accept-language": "en"})
    client.force_login(builders.user("organizer", event, "organizer"))
    page, table = f"/manage/{event.slug}/games/", f"/manage/{event.slug}/games/import-{taken.pk}.csv"
    assert "Смирнов" in client.get(f"{page}?import={taken.pk}").content.decode()
    assert "Смирнов" in client.get(table).getvalue().decode()
    game.refresh_from_db()
    assert "Смирнов" in game.pgn
    forget_name(game.white, instead="№ 1")
    player = game.white.player
    player.surname, player.given_name = "№ 1", ""
    player.save()
    said = [client.get(f"{page}?import={taken.pk}").content.decode(), client.get(page).content.decode()]
    refused = client.get(table)
    moves = Game.objects.get(pk=game.pk).pgn
    Game.objects.update(pgn="", ply_count=None)
    game_imports.place_record(taken, 2, Game.objects.get(pk=game.pk), actor=None)
    by_hand = Game.objects.get(pk=game.pk).pgn
    assert parts_with_name() == PARTS - 1  # only what was needed is clean

    Game.objects.update(pgn="", ply_count=None)
    taken.refresh_from_db()
    game_imports.import_again(taken)
    game_imports.run_import(taken.pk)

    assert [text for text in said if "Смирнов" in text] == []
    assert "is being taken out of the files" in said[0]
    assert (refused.status_code, refused["Location"]) == (302, f"{page}?names=1")
    assert ("Смирнов" in moves + by_hand, "думав" in by_hand) == (False, True)
    assert ("Смирнов" in Game.objects.get(pk=game.pk).pgn, parts_with_name()) == (False, 0)
    done = client.get(f"{page}?names=1", headers={"HX-Request": "true"}).content.decode()
    assert "hold no erased name any more" in done


@pytest.mark.django_db
def test_archive_takes_the_names_out_before_it_is_written(tmp_path: Path) -> None:
    event, game = event_with_files()
    forget_name(game.white, instead="№ 1")
    player = game.white.player
    player.surname, player.given_name = "№ 1", ""
    player.save()

    moving.export(event, tmp_path / "event", actor=None)

    assert (parts_with_name(), NameToForget.objects.count()) == (0, 0)


@pytest.mark.django_db
def test_two_people_and_one_of_them_renamed_twice_leave_the_files_together() -> None:
    event, game = event_with_files()
    forget_name(game.white, instead="С. І.")
    player = game.white.player
    player.surname, player.given_name = "С.", "І."
    player.save()
    forget_name(game.white, instead="№ 1")
    forget_name(game.black, instead="№ 2")

    forgetting_files.run_slice(event.pk)

    content = bytes(GameImportPart.objects.order_by("pk")[0].content).decode()
    assert '[White "С. І."]\n[Black "№ 2"]' in content  # initials are nobody's name: they stay
    assert ("Смирнов" in content, "Ковач" in content, NameToForget.objects.count()) == (False, False, 0)


@pytest.mark.django_db
def test_work_that_was_given_up_is_shown_asked_again_by_a_button_and_by_the_clock() -> None:
    event, game = event_with_files()
    client = Client(headers={"accept-language": "en"})
    client.force_login(builders.user("organizer", event, "organizer"))
    forget_name(game.white, instead="№ 1")
    Job.objects.filter(name=forgetting.TASK).update(state=Job.State.FAILED)
    shown = client.get(f"/manage/{event.slug}/games/?names=1").content.decode()
    client.post(f"/manage/{event.slug}/games/", {"act": "names"})
    by_button = Job.objects.filter(name=forgetting.TASK, state=Job.State.QUEUED).count()
    Job.objects.filter(name=forgetting.TASK).update(state=Job.State.FAILED)

    erasing.keep_no_longer()

    assert ("This has stopped." in shown, by_button) == (True, 1)
    job = NameToForget.objects.get().job
    assert job is not None
    assert job.state == Job.State.QUEUED


@pytest.mark.django_db(transaction=True)
def test_children_of_an_old_event_get_initials_by_the_clock_each_in_a_transaction_of_its_own() -> None:
    event, game = event_with_files()
    Tournament.objects.filter(pk=event.pk).update(starts_on=date(2019, 5, 1), ends_on=date(2019, 5, 2))
    player = game.white.player
    player.birth_year = 2010
    player.save()

    done = erasing.keep_no_longer()

    player.refresh_from_db()
    assert (done["initials"], player.surname, parts_with_name()) == (1, "С.", 0)
