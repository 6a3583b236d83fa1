"""What the database itself refuses: facts that are rewritten or taken out, and numbers with gaps.

Nothing here goes through a service: the rules are broken with plain SQL, as a forgotten lock or a mistake would. Two
connections at once are in `test_kept_rows_at_once`.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator
from typing import Any

import pytest
from django.db import IntegrityError, connection, transaction
from django.utils import timezone

from brackets.models import MatchEvent
from brackets.tests import builders as bracket
from prizes.models import AwardEvent, DrawNumber, FundLine, PlayoffEvent
from prizes.services.draws import commit_draw
from prizes.services.placings import publish_placings
from prizes.services.playoffs import begin_playoff
from prizes.tests import played
from registration.models import LedgerLine
from registration.privacy.models import ConsentRecord
from registration.services import record_payment
from swiss.tests import builders as rounds
from tourney.kept_rows import loading
from tourney.kernel.money import Money
from tourney.models import ActionLog, Entry, EntryEvent, ResultRecord, Tournament
from tourney.services.lots import commit_lot, draw_now
from tourney.services.rehearsal import delete_with_everything
from tourney.testing import builders

# Table -> the columns that may become empty, and those that may be reworded (~).
KEPT = {
    "brackets_matchevent": {"by_id", "lot_id", "reason"},
    "prizes_awardevent": {"by_id", "signed_by", "note"},
    "prizes_drawnumber": {"by_id"},
    "prizes_fundline": {"by_id"},
    "prizes_playoffevent": {"by_id", "reason"},
    "registration_consentrecord": {"by_id", "address"},
    "registration_ledgerline": {"by_id", "note"},
    "tourney_actionlog": {"actor_id", "~actor_label", "~data", "~reason"},
    "tourney_entryevent": {"by_id", "reason"},
    "tourney_lot": {"committed_by_id"},
    "tourney_lotresult": {"by_id"},
    "tourney_resultrecord": {"entered_by_id"},
}
OTHER = {
    "integer": "12345",
    "bigint": "12345",
    "smallint": "77",
    "character varying": "'x1'",
    "text": "'another'",
    "jsonb": """'{{"another": 1}}'""",
    "boolean": "NOT {}",
    "uuid": "gen_random_uuid()",
    "timestamp with time zone": "now() - interval '1 year'",
    "inet": "'203.0.113.9'",
}


@pytest.fixture(scope="module")
def facts(django_db_setup: None, django_db_blocker: Any) -> Iterator[dict[str, Any]]:
    """One row of every kept table, by table."""
    with django_db_blocker.unblock(), transaction.atomic(), pytest.MonkeyPatch.context() as patched:
        yield _facts(patched)
        transaction.set_rollback(True)


def _facts(patched: pytest.MonkeyPatch) -> dict[str, Any]:
    now, user = timezone.now(), builders.user("vira")
    stage = rounds.stage_of(6)
    event = stage.section.tournament
    rounds.play(stage, "1-0 1/2")
    tree = bracket.drawn(8)
    bracket.play_all(tree, most=1)
    entry = Entry.objects.filter(section=stage.section).first()
    assert entry is not None
    line = record_payment(entry, Money(5000, event.currency), actor=user, note="готівка")
    cup = played.group(builders.event("second-chance-32"), players=32)
    played.finished_bracket(cup, patched)
    publish_placings(cup, actor=None)
    draw = commit_draw(cup, 0, actor=None)
    tie = played.group(event, "u13-boys", players=3)
    played.finished(tie, [1, 1, 3], ended=now - dt.timedelta(hours=1))
    playoff = begin_playoff(tie, actor=None)
    coin = {"kind": "coin", "entrants": ["Бондар", "Ґалаґан"]}
    outcome = draw_now(event, purpose="game_color", subject="U1.3", **coin)
    undecided = commit_lot(event, purpose="tie", subject="x", **coin)
    made: list[Any] = [
        line,
        ActionLog.objects.filter(tournament=event).exclude(data={}).first(),
        EntryEvent.objects.filter(entry=entry).first(),
        ResultRecord.objects.filter(game__stage=stage).first(),
        outcome,
        undecided,
        MatchEvent.objects.filter(bracket__stage=tree).first(),
        FundLine.objects.create(
            tournament=event, kind="expense", label="Зала", minor=-100, currency="UAH", by=user, at=now
        ),
        AwardEvent.objects.create(section=cup, entry=cup.entries.first(), source="place", kind="handed", at=now),
        DrawNumber.objects.create(draw=draw, who="Віра", number="17", by=user, at=now),
        PlayoffEvent.objects.create(match=playoff, step={"kind": "note"}, by=user, at=now),
        ConsentRecord.objects.create(
            entry=entry, code="media", given=True, words="так", how="web", address="203.0.113.7", by=user, at=now
        ),
    ]
    return {one._meta.db_table: one for one in made}


@pytest.fixture
def fact(facts: dict[str, Any], db: None) -> dict[str, Any]:
    return facts


def run(sql: str, *values: Any) -> None:
    with connection.cursor() as cursor:
        cursor.execute(sql, values or None)


def refused(sql: str, *values: Any) -> str:
    """Do something and end it as a commit would; return the constraint that refuses it, or nothing."""
    try:
        with transaction.atomic():
            run(sql, *values)
            run("SET CONSTRAINTS ALL IMMEDIATE")
            transaction.set_rollback(True)
    except IntegrityError as error:
        return str(error.__cause__.diag.constraint_name)  # type: ignore[union-attr]
    return ""


def columns(table: str) -> dict[str, str]:
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT column_name, data_type FROM information_schema.columns"
            " WHERE table_name = %s AND column_name <> 'id'",
            [table],
        )
        return dict(cursor.fetchall())


# -- facts -----------------------------------------------------------------------------------------------------------


def test_every_kept_table_is_in_this_list(db: None) -> None:
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT tgrelid::regclass::text, count(*) FROM pg_trigger WHERE tgname ~ '_is_kept(_while)?$' GROUP BY 1"
        )
        assert dict(cursor.fetchall()) == dict.fromkeys(KEPT, 2)


@pytest.mark.parametrize("table", KEPT)
def test_no_column_of_a_fact_is_rewritten(table: str, fact: dict[str, Any]) -> None:
    row, free = fact[table], {name.lstrip("~") for name in KEPT[table]}

    let_through = [
        name
        for name, kind in columns(table).items()
        if refused(f"UPDATE {table} SET {name} = {OTHER[kind].format(name)} WHERE id = {row.pk}") != f"{table}_is_kept"
    ]

    # Reworded may be words; the keys of what a line of the log holds stay.
    assert set(let_through) == {name.lstrip("~") for name in KEPT[table] if name[0] == "~"} - {"data"}
    for name, kind in columns(table).items():
        if name in free and kind in ("character varying", "text", "bigint", "integer", "inet"):
            empty = "''" if kind in ("character varying", "text") else "NULL"
            assert refused(f"UPDATE {table} SET {name} = {empty} WHERE id = {row.pk}") == ""
    assert refused(f"UPDATE {table} SET id = id WHERE id = {row.pk}") == ""


def test_a_line_of_the_log_is_reworded_under_its_keys(fact: dict[str, Any]) -> None:
    line = fact["tourney_actionlog"]
    renamed = (
        "UPDATE tourney_actionlog SET data = (SELECT jsonb_object_agg(key, 'x') FROM jsonb_each(data)) WHERE id = %s"
    )

    assert refused(renamed, line.pk) == ""
    assert refused("UPDATE tourney_actionlog SET data = data || '{\"more\": 1}' WHERE id = %s", line.pk) != ""


@pytest.mark.parametrize("table", KEPT)
def test_a_fact_goes_only_with_what_it_is_about(table: str, fact: dict[str, Any]) -> None:
    pk = fact[table].pk

    assert refused(f"DELETE FROM {table} WHERE id = {pk}") == f"{table}_is_kept"


def test_an_event_goes_with_all_its_facts(fact: dict[str, Any]) -> None:
    event = fact["registration_ledgerline"].tournament

    with transaction.atomic():
        delete_with_everything(Tournament.objects.get(pk=event.pk))
        run("SET CONSTRAINTS ALL IMMEDIATE")
        assert not ActionLog.objects.filter(tournament=event.pk).exists()
        transaction.set_rollback(True)


def test_what_is_loaded_comes_as_it_was(fact: dict[str, Any]) -> None:
    line = fact["registration_ledgerline"]
    with transaction.atomic():
        with loading():
            LedgerLine.objects.filter(pk=line.pk).update(minor=1)
        with pytest.raises(IntegrityError), transaction.atomic():
            LedgerLine.objects.filter(pk=line.pk).update(minor=2)
        assert LedgerLine.objects.get(pk=line.pk).minor == 1
        transaction.set_rollback(True)


# -- numbers ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("table", "number"),
    [("registration_ledgerline", "receipt_number"), ("tourney_lot", "number"), ("tourney_regulation", "number")],
)
def test_numbers_have_no_gap(table: str, number: str, fact: dict[str, Any]) -> None:
    event = fact["registration_ledgerline"].tournament_id
    names = ", ".join(name for name in columns(table) if name not in (number, "operation"))
    newest = f"(SELECT max(id) FROM {table} WHERE tournament_id = {event})"
    row = f"SELECT {names}, {number} + %s FROM {table} WHERE id = {newest}"
    copied = f"INSERT INTO {table} ({names}, {number}) {row}"

    assert refused(copied, 2) == f"{table}_no_gap"
    assert refused(copied, 1) == ""
    assert refused(copied, 0) != ""
