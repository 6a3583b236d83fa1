"""Two transactions that don't see each other: what the database refuses to the one that ends second."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from importlib import import_module
from typing import Any

import pytest
from django.db import IntegrityError, OperationalError, connection, transaction
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.state import ProjectState

from swiss.models import Pairing, Round
from swiss.tests import builders as rounds
from tourney.kept_rows import OneTable
from tourney.models import Entry, Game, ResultRecord
from tourney.testing import builders
from tourney.tests.db.test_kept_rows import refused, run


@pytest.fixture
def second(transactional_db: None) -> Iterator[Any]:
    """Another connection to the same database."""
    made = connection.copy("second")
    made.settings_dict = connection.settings_dict
    yield made
    made.close()


def both(second: Any, mine: str, theirs: str) -> str:
    """Do two things in transactions that don't see each other; return what refuses the later one, or nothing."""
    second.set_autocommit(False)
    try:
        with transaction.atomic():
            run(mine)
            with second.cursor() as cursor:
                cursor.execute("SET LOCAL lock_timeout = '500ms'")
                cursor.execute(theirs)
        second.commit()
    except IntegrityError as error:
        return str(error.__cause__.diag.constraint_name)  # type: ignore[union-attr]
    finally:
        second.rollback()
        second.set_autocommit(True)
    return ""


def boards() -> tuple[Round, list[int]]:
    stage = rounds.stage_of(6)
    rounds.next_round(stage)
    found = Round.objects.get(stage=stage)
    Pairing.objects.filter(round=found).delete()
    Game.objects.filter(stage=stage).delete()
    return found, list(Entry.objects.filter(section=stage.section).order_by("pk").values_list("pk", flat=True))


def board(round_: Round, number: int, white: int, black: int) -> str:
    return (
        "INSERT INTO swiss_pairing (round_id, board, white_id, black_id, bye, by_hand, absent_white, absent_black,"
        f" adjourned) VALUES ({round_.pk}, {number}, {white}, {black}, '', false, false, false, false)"
    )


def test_two_transactions_give_no_player_two_boards_of_a_round(second: Any) -> None:
    round_, (a, b, c, d, *_) = boards()

    assert both(second, board(round_, 1, a, b), board(round_, 2, c, a)) == "pairing_player_once"
    assert both(second, board(round_, 2, c, d), board(round_, 3, *_)) == ""
    assert refused(board(round_, 4, b, a)) == "pairing_player_once"
    assert sorted(Pairing.objects.filter(round=round_).values_list("white", "black")) == sorted([(a, b), (c, d), (*_,)])


def test_two_transactions_give_out_no_receipt_twice_and_none_after_a_gap(second: Any) -> None:
    event = builders.event("second-chance-32")
    entry = builders.entry(event.sections.get())

    def receipt(number: int) -> str:
        return (
            "INSERT INTO registration_ledgerline (tournament_id, entry_id, kind, channel, minor, currency, clause,"
            f" note, paid_at, at, receipt_number) VALUES ({event.pk}, {entry.pk}, 'payment', 'cash', 100, 'UAH', '',"
            f" '', now(), now(), {number})"
        )

    assert both(second, receipt(1), "SELECT 1") == ""
    assert both(second, "SELECT 1", receipt(3)) == "registration_ledgerline_no_gap"
    assert both(second, receipt(2), receipt(3)) == ""  # the first was there when the second ended
    assert list(event.ledger.order_by("pk").values_list("receipt_number", flat=True)) == [1, 2, 3]


def test_two_transactions_supersede_no_result_twice(second: Any) -> None:
    stage = rounds.stage_of(4)
    rounds.play(stage, "1-0 0-1")
    first = ResultRecord.objects.filter(game__stage=stage).earliest("pk")

    with pytest.raises(OperationalError, match="lock timeout"):
        both(second, _correction(first), _correction(first))  # the second waits for the first …
    run(_correction(first))
    assert refused(_correction(first)) != ""  # … and is refused once that is there
    assert ResultRecord.objects.filter(supersedes=first).count() == 1


def _correction(first: ResultRecord) -> str:
    return (
        "INSERT INTO tourney_resultrecord (game_id, outcome, at, supersedes_id, reason, device)"
        f" VALUES ({first.game_id}, '1/2', now(), {first.pk}, 'x', '')"
    )


# -- putting the triggers on while acts go on ------------------------------------------------------------------------


def test_an_act_that_writes_in_another_order_than_the_migration_goes_through(second: Any) -> None:
    """It holds events of entries and wants the log; a migration that held the log would wait for it for ever."""
    migration = import_module("tourney.migrations.0017_facts_are_kept").Migration("0017_facts_are_kept", "tourney")
    with connection.schema_editor(atomic=False) as editor:
        for operation in reversed(migration.operations[1:]):
            operation.database_backwards("tourney", editor, ProjectState(), ProjectState())
    second.set_autocommit(False)
    lock = "LOCK TABLE {} IN ROW EXCLUSIVE MODE"
    with ThreadPoolExecutor(1) as pool, second.cursor() as cursor:
        cursor.execute(lock.format("tourney_entryevent"))
        put_on = pool.submit(_apply, migration)
        try:
            deadline = time.monotonic() + 20
            while time.monotonic() < deadline and not put_on.done():
                cursor.execute("SELECT count(*) FROM pg_locks WHERE NOT granted AND relation = %s::regclass", [TABLE])
                if cursor.fetchone()[0]:
                    break
                time.sleep(0.02)
            cursor.execute("SET LOCAL lock_timeout = '3s'")
            cursor.execute(lock.format("tourney_actionlog"))
            second.commit()
        finally:
            second.rollback()
            put_on.result(60)

    with connection.cursor() as cursor:
        cursor.execute("SELECT count(*) FROM pg_trigger WHERE tgrelid = %s::regclass AND tgname ~ 'kept'", [TABLE])
        assert cursor.fetchone()[0] == 2
    _apply(migration)  # stopped in between, it is run again


TABLE = "tourney_entryevent"


def _apply(migration: Any) -> None:
    try:
        with connection.schema_editor(atomic=migration.atomic) as editor:
            migration.apply(ProjectState(), editor)
    finally:
        if threading.current_thread() is not threading.main_thread():
            connection.close()


def test_no_migration_holds_one_kept_table_while_it_waits_for_another() -> None:
    plain = {
        f"{app}.{name}"
        for (app, name), migration in MigrationLoader(None, ignore_no_migrations=True).disk_migrations.items()
        if migration.atomic and any(isinstance(one, OneTable) for one in migration.operations)
    }

    assert plain == set()
