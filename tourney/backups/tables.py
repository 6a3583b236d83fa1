"""Every table as it was at one moment, and back again.

One transaction of the kind *repeatable read* sees the database at one moment however long it takes, and hinders nobody
who writes meanwhile. The rows travel as PostgreSQL's own COPY text, which every version reads, in the order of their
keys. Tables are found in the database's catalogue, so that none is forgotten.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from django.core.management import call_command
from django.db import connection, transaction
from django.db.migrations.executor import MigrationExecutor
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.recorder import MigrationRecorder
from psycopg import sql

from tourney.backups.box import Box, BoxWriter
from tourney.kernel.errors import TourneyError

_NOT_COPIED = {"django_migrations"}  # told in the manifest instead: a return begins with making those tables
_PIECE = 1 << 18


@contextmanager
def one_moment() -> Iterator[Any]:
    """Give a cursor that sees the database at one moment; a connection of its own, so any transaction may be open."""
    other = connection.copy()
    try:
        with transaction_of(other) as cursor:
            cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY")
            yield cursor
    finally:
        other.close()


@contextmanager
def transaction_of(other: Any) -> Iterator[Any]:
    """Give a cursor in a transaction of a connection that is not Django's own."""
    other.ensure_connection()
    other.set_autocommit(False)
    try:
        with other.cursor() as cursor:
            yield cursor
        other.commit()
    except BaseException:
        other.rollback()
        raise


def tables(cursor: Any) -> dict[str, list[str]]:
    """Return every table of ours with its columns, in order."""
    cursor.execute(
        "SELECT c.relname, a.attname FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace"
        " JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped AND a.attgenerated = ''"
        " WHERE n.nspname = current_schema() AND c.relkind IN ('r', 'p') AND NOT c.relispartition"
        " ORDER BY c.relname, a.attnum"
    )
    found: dict[str, list[str]] = {}
    for table, column in cursor.fetchall():
        if table not in _NOT_COPIED:
            found.setdefault(table, []).append(column)
    return found


def keys(cursor: Any) -> dict[str, list[str]]:
    """Return the columns of each table's primary key, in order."""
    cursor.execute(
        "SELECT c.relname, a.attname FROM pg_index i JOIN pg_class c ON c.oid = i.indrelid"
        " JOIN pg_namespace n ON n.oid = c.relnamespace"
        " CROSS JOIN LATERAL unnest(i.indkey) WITH ORDINALITY AS k(attnum, place)"
        " JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = k.attnum"
        " WHERE i.indisprimary AND n.nspname = current_schema() ORDER BY c.relname, k.place"
    )
    found: dict[str, list[str]] = {}
    for table, column in cursor.fetchall():
        found.setdefault(table, []).append(column)
    return found


def write_tables(cursor: Any, box: BoxWriter) -> dict[str, Any]:
    """Copy every row into the box; return what the manifest must say: columns, counters, migrations."""
    columns, primary = tables(cursor), keys(cursor)
    for table, names in columns.items():
        order = sql.SQL(" ORDER BY {}").format(_listed(primary[table])) if table in primary else sql.SQL("")
        query = sql.SQL("COPY (SELECT {} FROM {}{}) TO STDOUT").format(_listed(names), sql.Identifier(table), order)
        with box.member(f"tables/{table}.copy") as file, cursor.copy(query) as rows:
            for piece in rows:
                file.write(piece)
    cursor.execute("SELECT sequencename, last_value FROM pg_sequences WHERE schemaname = current_schema() ORDER BY 1")
    counters = {name: last for name, last in cursor.fetchall() if last is not None}
    cursor.execute("SELECT app, name FROM django_migrations ORDER BY app, name")
    return {"columns": columns, "counters": counters, "migrations": [list(row) for row in cursor.fetchall()]}


# -- the way back ------------------------------------------------------------------------------------------------------


def is_empty() -> bool:
    """Return whether nothing lies in the database that a return could destroy: no event, no account."""
    with connection.cursor() as cursor:
        there = set(tables(cursor))
        for table in ("tourney_tournament", "auth_user"):
            if table in there:
                cursor.execute(sql.SQL("SELECT EXISTS (SELECT FROM {})").format(sql.Identifier(table)))
                if cursor.fetchone()[0]:
                    return False
    return True


def check_known(migrations: Iterable[Sequence[str]]) -> None:
    """Refuse a copy made by a newer release (TourneyError ``backup.newer_release``)."""
    known = set(MigrationLoader(None, ignore_no_migrations=True).disk_migrations)
    for app, name in migrations:
        if (app, name) not in known:
            raise TourneyError("backup.newer_release", migration=f"{app}.{name}")


def read_tables(box: Box) -> int:
    """Make the tables of the box's release, put every row back, and bring them up to this release; return the rows.

    The database must be empty (`is_empty`). The rows come in one transaction: all or none.
    """
    about = box.about["tables"]
    check_known(about["migrations"])
    fresh = set(MigrationRecorder(connection).applied_migrations()) != {
        (app, name) for app, name in about["migrations"]
    }
    if fresh:
        _drop_all()
        _migrate(_last_of(about["migrations"]))
    rows = 0
    with transaction.atomic(), connection.cursor() as cursor:
        here = tables(cursor)
        cursor.execute("SELECT set_config('tourney.loading', 'yes', true)")  # triggers that guard acts let rows in
        cursor.execute(sql.SQL("TRUNCATE {} CASCADE").format(_listed(list(here))))
        cursor.execute("SET CONSTRAINTS ALL DEFERRED")
        for table, columns in about["columns"].items():
            if set(columns) - set(here.get(table, [])):
                raise TourneyError("backup.damaged", member=f"tables/{table}.copy")
            query = sql.SQL("COPY {} ({}) FROM STDIN").format(sql.Identifier(table), _listed(columns))
            with box.open(f"tables/{table}.copy") as file, cursor.copy(query) as into:
                while piece := file.read(_PIECE):
                    into.write(piece)
            rows += cursor.rowcount
        for name, last in about["counters"].items():
            cursor.execute("SELECT to_regclass(%s)", [f'"{name}"'])
            if cursor.fetchone()[0] is not None:
                cursor.execute(sql.SQL("SELECT setval({}, %s)").format(sql.Literal(f'"{name}"')), [last])
    if fresh:
        call_command("migrate", interactive=False, verbosity=0)
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE")
    return rows


def _drop_all() -> None:
    """Take away what migrations make: tables with all that hangs on them, and functions, which hang on none."""
    with transaction.atomic(), connection.cursor() as cursor:
        there = [*tables(cursor), *_NOT_COPIED]
        cursor.execute(sql.SQL("DROP TABLE IF EXISTS {} CASCADE").format(_listed(there)))
        cursor.execute(
            "SELECT p.oid::regprocedure::text FROM pg_proc p WHERE p.pronamespace = current_schema()::regnamespace"
            " AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.classid = 'pg_proc'::regclass AND d.objid = p.oid"
            " AND d.deptype = 'e')"  # an extension's function is the extension's
        )
        for (function,) in cursor.fetchall():
            cursor.execute(sql.SQL("DROP ROUTINE {} CASCADE").format(sql.SQL(function)))


def _last_of(migrations: Iterable[Sequence[str]]) -> list[tuple[str, str]]:
    """Return the migrations no other of the same app builds on: what to migrate to, to have exactly these."""
    done = {(app, name) for app, name in migrations}
    graph = MigrationLoader(None, ignore_no_migrations=True).graph
    wanted = done & set(graph.nodes)  # those replaced by a squashed one are inside it
    return sorted(
        node
        for node in wanted
        if not any(child.key[0] == node[0] and child.key in wanted for child in graph.node_map[node].children)
    )


def _migrate(targets: list[tuple[str, str]]) -> None:
    MigrationExecutor(connection).migrate(targets)


def _listed(names: Sequence[str]) -> sql.Composed:
    return sql.SQL(", ").join(sql.Identifier(name) for name in names)
