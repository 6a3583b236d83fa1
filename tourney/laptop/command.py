"""A database for one `manage.py` command in laptop mode."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from tourney.laptop.running import is_being_served

# These need no database, or look after it themselves.
WITHOUT_DATABASE = frozenset(
    {"check", "collectstatic", "compile_translations", "compilemessages", "diffsettings", "findstatic", "help"}
    | {"makemessages", "serve", "startapp", "test", "--help", "-h", "--version", "version"}
)


@contextmanager
def database_for(arguments: Sequence[str]) -> Iterator[None]:
    """Keep the embedded database running while the command works; stop it afterwards if nobody else uses it."""
    from django.conf import settings  # noqa: PLC0415 -- DJANGO_SETTINGS_MODULE is set by the caller

    needed = bool(arguments) and arguments[0] not in WITHOUT_DATABASE and "--help" not in arguments
    if not needed or not settings.LAPTOP_MODE:
        yield
        return

    from tourney.laptop.running import embedded_database  # noqa: PLC0415 -- psycopg is slow to import

    folder = settings.DATA_FOLDER
    server = embedded_database(folder, say=lambda line: print(line, file=sys.stderr))
    started = server.start("tourney")
    try:
        yield
    finally:
        if started and not is_being_served(folder):
            server.stop()
