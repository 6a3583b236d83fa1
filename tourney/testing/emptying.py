"""Emptying the test database between tests that commit: only the tables that have rows, by DELETE.

Django truncates every table. With more than a hundred of them, each with its indexes, that is some thousand files made
anew, and takes longer than most tests. What a test leaves behind is a few rows in a few tables. Django then looks
whether every model still has its permissions, model by model; as their tables are not emptied here, nobody asks.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

# Django makes these again after every flush, one by one; they never differ.
KEPT = {"django_content_type", "auth_permission"}


def _statements(connection: Any, tables: Sequence[str]) -> list[str]:
    """Return what empties those of the tables that have rows, whatever refers to them and whatever forbids deleting."""
    quote = connection.ops.quote_name
    asked = " UNION ALL ".join(
        f"(SELECT {number} FROM {quote(table)} LIMIT 1)" for number, table in enumerate(tables) if table not in KEPT
    )
    if not asked:
        return []
    with connection.cursor() as cursor:
        cursor.execute(asked)
        filled = [tables[number] for (number,) in cursor.fetchall()]
    if not filled:
        return []
    # As a replica the server fires no triggers: neither those of foreign keys nor those that keep facts from deletion.
    return ["SET LOCAL session_replication_role = replica", *(f"DELETE FROM {quote(table)}" for table in filled)]


def quickly(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let Django's `flush` empty PostgreSQL databases this way for as long as the patch holds."""
    from django.core.management.sql import emit_post_migrate_signal  # noqa: PLC0415 -- settings are loaded
    from django.db.backends.postgresql.operations import DatabaseOperations  # noqa: PLC0415

    by_the_book = DatabaseOperations.sql_flush
    kept = True

    def sql_flush(self: Any, style: Any, tables: Sequence[str], *, reset_sequences: bool = False, **rest: Any) -> Any:
        nonlocal kept
        kept = not reset_sequences
        if reset_sequences or not tables:
            return by_the_book(self, style, tables, reset_sequences=reset_sequences, **rest)
        return _statements(self.connection, list(tables))

    def announce(*args: Any, **named: Any) -> None:
        if not kept:
            emit_post_migrate_signal(*args, **named)

    monkeypatch.setattr(DatabaseOperations, "sql_flush", sql_flush)
    monkeypatch.setattr("django.core.management.commands.flush.emit_post_migrate_signal", announce)
