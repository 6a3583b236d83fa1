"""How long a backup takes, the way back into an empty installation, and an event's archive: 300 players with files.

    python bench/restore.py [--players 300] [--rounds 5] [--documents 100]

Makes the event in a database of its own beside that of `DATABASE_URL`, with papers of 300 kB, letters and draws; writes
a backup closed by a passphrase; makes another database, empty, with a data folder of its own; brings everything back
there, and compares every row of every table and every file. Then the event itself is taken as an archive, deleted, and
brought again. Ends with status 1 when the way back takes longer than a minute or differs.
"""

# ruff: noqa: PLC0415, S608, T201 -- a script; the SQL is made of names of our own tables
from __future__ import annotations

import argparse
import hashlib
import os
import sys
import tempfile
import time
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit, urlunsplit

sys.path.insert(0, str(Path(__file__).resolve().parent))

from result_entry import connect, event_of

MUST = 60.0  # seconds
NAMES = ("tourney_restore_from", "tourney_restore_to")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--players", type=int, default=300)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--documents", type=int, default=100)
    asked = parser.parse_args()
    url = os.environ.get("DATABASE_URL", "")
    if not url:
        raise SystemExit("DATABASE_URL names a server on which two databases can be made")
    server(url, *(f"DROP DATABASE IF EXISTS {name} WITH (FORCE)" for name in NAMES))
    server(url, *(f"CREATE DATABASE {name}" for name in NAMES))
    os.environ["DATABASE_URL"] = urlunsplit(urlsplit(url)._replace(path=f"/{NAMES[0]}"))
    try:
        with tempfile.TemporaryDirectory(prefix="tourney-restore-") as folder:
            return run(asked, Path(folder))
    finally:
        server(url, *(f"DROP DATABASE IF EXISTS {name} WITH (FORCE)" for name in NAMES))


def server(url: str, *statements: str) -> None:
    import psycopg

    with psycopg.connect(url, autocommit=True) as connection:
        for statement in statements:
            connection.execute(statement)


def run(asked: argparse.Namespace, folder: Path) -> int:
    connect()
    from django.conf import settings
    from django.db import connection
    from django.test import override_settings

    from tourney.backups.making import make_backup, restore
    from tourney.laptop.folder import DataFolder

    first, second = DataFolder(folder / "first"), DataFolder(folder / "second")
    stage, _arbiter = event_of(asked.players, asked.rounds)
    people(stage, asked.documents)
    first.make()
    first.mail.mkdir()
    for number in range(200):
        (first.mail / f"{number}.log").write_bytes(os.urandom(4000))
    before = rows()
    with override_settings(DATA_FOLDER=first):
        begun = time.perf_counter()
        made = make_backup(folder / "stick", passphrase="a stick that may be lost")  # noqa: S106 -- measured, not kept
        written = time.perf_counter() - begun
    print(f"backup: {made.size / 1e6:.1f} MB in {written:.1f} s, {sum(one[0] for one in before.values())} rows")
    connection.close()
    settings.DATABASES["default"]["NAME"] = connection.settings_dict["NAME"] = NAMES[1]
    with override_settings(DATA_FOLDER=second):
        begun = time.perf_counter()
        back = restore(made.path, passphrase="a stick that may be lost")  # noqa: S106 -- measured, not kept
        seconds = time.perf_counter() - begun
    after = rows()
    different = sorted(table for table in before | after if before.get(table) != after.get(table))
    same_files = files(first.root) == files(second.root)
    print(f"restore: {seconds:.1f} s with making the tables (must stay under {MUST:.0f}): {back.rows} rows")
    print(f"different tables: {different or 'none'}; files: {back.files}, {'equal' if same_files else 'DIFFERENT'}")
    archive(folder / "event")
    connection.close()
    return 0 if not different and same_files and seconds < MUST else 1


def archive(path: Path) -> None:
    """Take the event as one file, closed by a passphrase, and bring it where it is not."""
    from django.db import transaction

    from tourney.archives import moving
    from tourney.archives.reading import read_event
    from tourney.models import Player, Tournament
    from tourney.services.rehearsal import delete_with_everything

    event = Tournament.objects.get()
    begun = time.perf_counter()
    moving.export(event, path, actor=None, passphrase="a stick that may be lost")  # noqa: S106 -- measured, not kept
    taken = time.perf_counter() - begun
    with transaction.atomic():
        delete_with_everything(event)
        Player.objects.all().delete()
    begun = time.perf_counter()
    with path.open("rb") as file:
        read_event(file, actor=None, passphrase="a stick that may be lost")  # noqa: S106 -- measured, not kept
    seconds = time.perf_counter() - begun
    print(
        f"archive of the event: {path.stat().st_size / 1e6:.1f} MB taken in {taken:.1f} s, brought in {seconds:.1f} s"
    )


def people(stage: Any, documents: int) -> None:
    """Give everybody a form, some a paper."""
    from django.utils import timezone

    from registration.models import Application, Claim, Document, Letter
    from tourney.models import Entry

    for number, entry in enumerate(Entry.objects.filter(tournament=stage.section.tournament)):
        Application.objects.create(entry=entry, email=f"p{number}@example.org", link_hash=f"{number:064d}")
        Letter.objects.create(entry=entry, kind="registered", state="sent", asked_at=timezone.now())
        if number < documents:
            claim = Claim.objects.create(entry=entry, code="large_family")
            content = os.urandom(300_000)
            size = {"size": len(content), "width": 1000, "height": 1000}
            Document.objects.create(claim=claim, kind="jpeg", content=content, at=timezone.now(), **size)


def rows() -> dict[str, tuple[int, str]]:
    """Return how many rows each table has and a sum of all of them."""
    from tourney.backups import tables

    found = {}
    with tables.one_moment() as cursor:
        for table in tables.tables(cursor):
            cursor.execute(
                "SELECT count(*), coalesce(md5(string_agg(md5(t::text), '' ORDER BY md5(t::text))), '')"
                f' FROM "{table}" t'
            )
            found[table] = cursor.fetchone()
    return found


def files(root: Path) -> dict[str, str]:
    return {
        path.relative_to(root).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(root.rglob("*"))
        if path.is_file()
    }


if __name__ == "__main__":
    sys.exit(main())
