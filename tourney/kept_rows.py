"""Rules of rows that the database itself holds, whatever asks and however many ask at once; for migrations.

* **Facts are added, never rewritten.** A row may lose what names a person (`blank`: becomes empty) or be reworded when
  somebody is erased (`reword`: a list or object keeps its keys); everything else of it stays. It may be deleted only
  together with what it is a fact about: at the end of the transaction that row must be gone too (or the fact be back).
* **Numbers without gaps.** At the end of the transaction a number above 1 has the number before it beside it.

Loading an archive, and the demo that dates its rows, say so with the setting `tourney.loading` (`loading`).

The functions are made by `tourney.0017`; the triggers of each table by a migration of its app. They refuse nothing that
the release before them does, so they may be put on while it runs.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from django.db import connection, migrations, transaction

FUNCTIONS = """
CREATE FUNCTION tourney_keep_fact() RETURNS trigger LANGUAGE plpgsql AS $$
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
CREATE FUNCTION tourney_keep_while() RETURNS trigger LANGUAGE plpgsql AS $$
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
CREATE FUNCTION tourney_no_gap() RETURNS trigger LANGUAGE plpgsql AS $$
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


def keep(
    table: str, *, about: str, by: str, blank: tuple[str, ...] = (), reword: tuple[str, ...] = ()
) -> migrations.RunSQL:
    """Let the rows of a table be added only; `by` is the column that refers to a row of `about`."""
    names = ", ".join(f"'{name}'" for name in (*blank, *(f"~{name}" for name in reword)))
    return migrations.RunSQL(
        f"""
        CREATE TRIGGER {table}_is_kept BEFORE UPDATE ON {table}
            FOR EACH ROW EXECUTE FUNCTION tourney_keep_fact({names});
        CREATE CONSTRAINT TRIGGER {table}_is_kept_while AFTER DELETE ON {table} DEFERRABLE INITIALLY DEFERRED
            FOR EACH ROW EXECUTE FUNCTION tourney_keep_while('{about}', '{by}');
        """,
        f"DROP TRIGGER {table}_is_kept ON {table}; DROP TRIGGER {table}_is_kept_while ON {table};",
    )


def no_gap(table: str, *, within: str, number: str) -> migrations.RunSQL:
    """Let the numbers of a table follow one another within what the column `within` refers to."""
    return migrations.RunSQL(
        f"""
        CREATE CONSTRAINT TRIGGER {table}_no_gap AFTER INSERT ON {table} DEFERRABLE INITIALLY DEFERRED
            FOR EACH ROW WHEN (NEW.{number} IS NOT NULL) EXECUTE FUNCTION tourney_no_gap('{within}', '{number}');
        """,
        f"DROP TRIGGER {table}_no_gap ON {table};",
    )


@contextmanager
def loading() -> Iterator[None]:
    """Let rows come as they were, or be dated anew: an archive, the demo, a test that plays a forger."""
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SELECT set_config('tourney.loading', 'yes', true)")
        yield
        cursor.execute("SELECT set_config('tourney.loading', '', true)")
