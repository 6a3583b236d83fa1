"""Rules of rows that the database itself holds, whatever asks and however many ask at once; for migrations.

* **Facts are added, never rewritten.** A row may lose what names a person (`blank`: becomes empty) or be reworded when
  somebody is erased (`reword`: a list or object keeps its keys); everything else of it stays. It may be deleted only
  together with what it is a fact about: at the end of the transaction that row must be gone too (or the fact be back).
* **Numbers without gaps.** At the end of the transaction a number above 1 has the number before it beside it.

Loading an archive, and the demo that dates its rows, say so with the setting `tourney.loading` (`loading`).

The functions are made by `tourney.0017`; the triggers of each table by a migration of its app. They refuse nothing that
the release before them does, so they may be put on while it runs. Putting one on locks its table against writing: each
table has a transaction of its own (`atomic = False`), which waits a little only and then lets the acts behind it go
first. So no act, in whatever order it writes, can stand against a migration that holds another table. A migration that
was stopped in between is simply run again.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from django.db import OperationalError, connection, migrations, transaction
from psycopg.errors import LockNotAvailable

_WAITS = "500ms"  # for a table's lock, with its writers behind; shorter than PostgreSQL's deadlock_timeout
_REST = 0.5  # seconds between two tries
_TRIES = 600

FUNCTIONS = """
CREATE OR REPLACE FUNCTION tourney_keep_fact() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    name text; was jsonb; is_now jsonb; plain text;
BEGIN
    IF coalesce(current_setting('tourney.loading', true), '') = 'yes' THEN RETURN NEW; END IF;
    was := to_jsonb(OLD);
    is_now := to_jsonb(NEW);
    FOREACH name IN ARRAY TG_ARGV LOOP
        plain := ltrim(name, '~');
        IF name LIKE '~%' THEN
            IF jsonb_typeof(was -> plain) <> jsonb_typeof(is_now -> plain) OR (
                jsonb_typeof(was -> plain) = 'object'
                AND ARRAY(SELECT jsonb_object_keys(was -> plain) ORDER BY 1)
                    <> ARRAY(SELECT jsonb_object_keys(is_now -> plain) ORDER BY 1)
            ) THEN CONTINUE; END IF;
        ELSIF coalesce(is_now ->> plain, '') <> '' THEN
            CONTINUE;
        END IF;
        was := was - plain;
        is_now := is_now - plain;
    END LOOP;
    IF was <> is_now THEN
        RAISE EXCEPTION 'a fact is never rewritten: % %', TG_TABLE_NAME, OLD.id
            USING ERRCODE = 'restrict_violation', CONSTRAINT = TG_TABLE_NAME || '_is_kept', TABLE = TG_TABLE_NAME;
    END IF;
    RETURN NEW;
END $$;
CREATE OR REPLACE FUNCTION tourney_keep_while() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    stands boolean;
BEGIN
    IF coalesce(current_setting('tourney.loading', true), '') = 'yes' THEN RETURN NULL; END IF;
    EXECUTE format(
        'SELECT EXISTS (SELECT FROM %I WHERE id = ($1 ->> $2)::bigint) AND NOT EXISTS (SELECT FROM %I WHERE id = $3)',
        TG_ARGV[0], TG_TABLE_NAME
    ) INTO stands USING to_jsonb(OLD), TG_ARGV[1], OLD.id;
    IF stands THEN
        RAISE EXCEPTION 'a fact goes only with what it is about: % %', TG_TABLE_NAME, OLD.id
            USING ERRCODE = 'restrict_violation', CONSTRAINT = TG_TABLE_NAME || '_is_kept', TABLE = TG_TABLE_NAME;
    END IF;
    RETURN NULL;
END $$;
CREATE OR REPLACE FUNCTION tourney_no_gap() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    mine jsonb := to_jsonb(NEW); found boolean;
BEGIN
    IF (mine ->> TG_ARGV[1])::bigint > 1 THEN
        EXECUTE format(
            'SELECT EXISTS (SELECT FROM %1$I WHERE %2$I = $1 AND %3$I = $2)'
            ' OR NOT EXISTS (SELECT FROM %1$I WHERE id = $3)',
            TG_TABLE_NAME, TG_ARGV[0], TG_ARGV[1]
        ) INTO found USING (mine ->> TG_ARGV[0])::bigint, (mine ->> TG_ARGV[1])::bigint - 1, NEW.id;
        IF NOT found THEN
            RAISE EXCEPTION 'number % of % has none before it', mine ->> TG_ARGV[1], TG_TABLE_NAME
                USING ERRCODE = 'integrity_constraint_violation', CONSTRAINT = TG_TABLE_NAME || '_no_gap',
                TABLE = TG_TABLE_NAME;
        END IF;
    END IF;
    RETURN NULL;
END $$;
"""
NO_FUNCTIONS = "DROP FUNCTION tourney_keep_fact(); DROP FUNCTION tourney_keep_while(); DROP FUNCTION tourney_no_gap();"


class OneTable(migrations.RunSQL):
    """Statements that lock one table, in a transaction of their own; for migrations that say ``atomic = False``.

    OperationalError when the table can't be had for some minutes: an act on it has not ended.
    """

    def _run_sql(self, schema_editor: Any, sqls: Any) -> None:
        for tried in range(1, _TRIES + 1):
            try:
                with transaction.atomic(using=schema_editor.connection.alias):
                    schema_editor.execute(f"SET LOCAL lock_timeout = '{_WAITS}'")
                    super()._run_sql(schema_editor, sqls)  # type: ignore[misc]  # the stubs leave it out
                return
            except OperationalError as error:
                if tried == _TRIES or not isinstance(error.__cause__, LockNotAvailable):
                    raise
            time.sleep(_REST)


def _once(table: str, trigger: str, made: str) -> str:
    """Return the block that makes what belongs to a trigger unless the trigger is there."""
    there = f"SELECT FROM pg_trigger WHERE tgrelid = '{table}'::regclass AND tgname = '{trigger}'"
    return f"DO $do$ BEGIN IF NOT EXISTS ({there}) THEN {made} END IF; END $do$;"


def keep(table: str, *, about: str, by: str, blank: tuple[str, ...] = (), reword: tuple[str, ...] = ()) -> OneTable:
    """Let the rows of a table be added only; `by` is the column that refers to a row of `about`."""
    names = ", ".join(f"'{name}'" for name in (*blank, *(f"~{name}" for name in reword)))
    made = f"""
        CREATE TRIGGER {table}_is_kept BEFORE UPDATE ON {table}
            FOR EACH ROW EXECUTE FUNCTION tourney_keep_fact({names});
        CREATE CONSTRAINT TRIGGER {table}_is_kept_while AFTER DELETE ON {table} DEFERRABLE INITIALLY DEFERRED
            FOR EACH ROW EXECUTE FUNCTION tourney_keep_while('{about}', '{by}');
        """
    gone = (
        f"DROP TRIGGER IF EXISTS {table}_is_kept ON {table}; DROP TRIGGER IF EXISTS {table}_is_kept_while ON {table};"
    )
    return OneTable(_once(table, f"{table}_is_kept", made), gone)


def no_gap(table: str, *, within: str, number: str) -> OneTable:
    """Let the numbers of a table follow one another within what the column `within` refers to."""
    made = f"""
        CREATE CONSTRAINT TRIGGER {table}_no_gap AFTER INSERT ON {table} DEFERRABLE INITIALLY DEFERRED
            FOR EACH ROW WHEN (NEW.{number} IS NOT NULL) EXECUTE FUNCTION tourney_no_gap('{within}', '{number}');
        """
    return OneTable(_once(table, f"{table}_no_gap", made), f"DROP TRIGGER IF EXISTS {table}_no_gap ON {table};")


@contextmanager
def loading() -> Iterator[None]:
    """Let rows come as they were, or be dated anew: an archive, the demo, a test that plays a forger."""
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SELECT set_config('tourney.loading', 'yes', true)")
        yield
        cursor.execute("SELECT set_config('tourney.loading', '', true)")
