"""Which kind of file a statement is, and what is too large or too strange to be one."""

from __future__ import annotations

from datetime import tzinfo

from registration.engine.statements.movements import Statement
from registration.engine.statements.one_c import is_exchange, read_exchange
from registration.engine.statements.tables import read_table
from tourney.kernel.errors import TourneyError

LARGEST = 5_000_000  # bytes
MOST_ROWS = 50_000


def read(raw: bytes, *, currency: str, zone: tzinfo, own_accounts: frozenset[str] = frozenset()) -> Statement:
    """Return what a bank's file says; rows that can't be read are among its faults, with line and column.

    `currency` is that of a table without such a column. Raises TourneyError ``statement.too_large``,
    ``statement.empty``, ``statement.unknown_form``.
    """
    if len(raw) > LARGEST:
        raise TourneyError("statement.too_large", megabytes=LARGEST // 1_000_000)
    if not raw.strip():
        raise TourneyError("statement.empty")
    if is_exchange(raw):
        found: Statement | None = read_exchange(raw, currency, zone, own_accounts)
    else:
        # Spreadsheets, PDF files and photos begin with signs no table has.
        found = (
            None
            if b"\0" in raw[:1024] and not raw.startswith((b"\xff\xfe", b"\xfe\xff"))
            else read_table(raw, currency, zone)
        )
    if found is None:
        raise TourneyError("statement.unknown_form")
    if len(found.movements) > MOST_ROWS:
        raise TourneyError("statement.too_large", megabytes=LARGEST // 1_000_000)
    return found
