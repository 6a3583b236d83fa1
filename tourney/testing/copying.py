"""One migrated database for a whole run, copied for every worker: migrating takes longer than hundreds of tests.

The first worker that needs a database makes its own as Django does and leaves a copy of it, untouched, on the server.
The others have theirs made from that copy. A file in the run's folder names it; a lock lets one worker at a time ask.
"""

from __future__ import annotations

import contextlib
import fcntl
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

_NOTE = "migrated-database"


def once(monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
    """Let Django make test databases this way for as long as the patch holds."""
    from django.conf import settings  # noqa: PLC0415 -- settings are loaded by now
    from django.db.backends.postgresql.creation import DatabaseCreation  # noqa: PLC0415

    by_the_book = DatabaseCreation.create_test_db
    note = folder / _NOTE

    def create_test_db(
        self: Any, verbosity: int = 1, autoclobber: bool = False, serialize: bool = True, keepdb: bool = False
    ) -> str:
        name = str(self._get_test_db_name())
        with _alone(note):
            if (keepdb and _exists(self, name)) or not note.exists():
                by_the_book(self, verbosity, autoclobber, serialize, keepdb)
                if not note.exists():
                    note.write_text(_copied(self, name), encoding="utf-8")
                return name
            self.connection.settings_dict["TEST"]["TEMPLATE"] = note.read_text(encoding="utf-8")
            self._create_test_db(verbosity, autoclobber, keepdb)
        self.connection.close()
        settings.DATABASES[self.connection.alias]["NAME"] = name
        self.connection.settings_dict["NAME"] = name
        if serialize:
            self.connection._test_serialized_contents = self.serialize_db_to_string()
        self.connection.ensure_connection()
        return name

    monkeypatch.setattr(DatabaseCreation, "create_test_db", create_test_db)


def forget(folder: Path) -> None:
    """Remove the copy this worker or another one left; who comes later migrates a database of its own again."""
    from django.db import connection  # noqa: PLC0415

    creation: Any = connection.creation
    note = folder / _NOTE
    with _alone(note):
        if note.exists():
            name = note.read_text(encoding="utf-8")
            note.unlink()
            with creation._nodb_cursor() as cursor:
                cursor.execute(f"DROP DATABASE IF EXISTS {connection.ops.quote_name(name)}")


def _copied(creation: Any, name: str) -> str:
    """Copy a database on its server; return the name of the copy. Nobody may be connected to it meanwhile."""
    copy = f"{name}_migrated"
    quote = creation.connection.ops.quote_name
    creation.connection.close()
    with creation._nodb_cursor() as cursor:
        cursor.execute(f"DROP DATABASE IF EXISTS {quote(copy)}")  # of a run that was killed
        cursor.execute(f"CREATE DATABASE {quote(copy)} TEMPLATE {quote(name)}")
    creation.connection.ensure_connection()
    return copy


def _exists(creation: Any, name: str) -> bool:
    with creation._nodb_cursor() as cursor:
        return bool(creation._database_exists(cursor, name))


@contextlib.contextmanager
def _alone(note: Path) -> Iterator[None]:
    with note.with_suffix(".lock").open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield
