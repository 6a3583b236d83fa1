"""A backup brings back every row and file; one of an older release comes up to date; a damaged one is refused."""

from __future__ import annotations

import hashlib
import io
import json
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth import get_user_model
from django.db import connection
from django.test import Client
from django.utils import timezone

from tourney.backups import box as boxes
from tourney.backups import making, sealing, tables, timer
from tourney.kernel.errors import TourneyError
from tourney.laptop.folder import DataFolder
from tourney.models import Entry, Game, Tournament
from tourney.services.log import log
from tourney.services.rebuilding import rebuild
from tourney.testing import builders
from tourney.testing.crawling import crawl

OLD_RELEASE = Path(__file__).parents[1] / "data" / "release-1.0.backup"


@contextmanager
def another_database(*, like_this: bool) -> Iterator[None]:
    """Work in a database of its own meanwhile: a copy of this one, or one without a table."""
    here = connection.settings_dict["NAME"]
    there = f"{here}_restored"
    with connection._nodb_cursor() as cursor:
        connection.close()
        cursor.execute(f'DROP DATABASE IF EXISTS "{there}" WITH (FORCE)')
        cursor.execute(f'CREATE DATABASE "{there}" TEMPLATE "{here if like_this else "template0"}"')
    connection.settings_dict["NAME"] = there
    try:
        yield
    finally:
        connection.close()
        connection.settings_dict["NAME"] = here
        with connection._nodb_cursor() as cursor:
            cursor.execute(f'DROP DATABASE "{there}" WITH (FORCE)')


def everything() -> dict[str, bytes]:
    """Return all rows of all tables, as PostgreSQL writes them."""
    written: dict[str, bytes] = {}
    with tables.one_moment() as cursor:
        for table, columns in tables.tables(cursor).items():
            names = ", ".join(f'"{name}"' for name in columns)
            cursor.execute(f"SELECT coalesce(string_agg(t::text, chr(1) ORDER BY t::text), '') FROM \"{table}\" t")
            written[f"{table} ({names})"] = cursor.fetchone()[0].encode()
    return written


def empty_here() -> None:
    with connection.cursor() as cursor:
        cursor.execute(f"TRUNCATE {', '.join(tables.tables(cursor))} CASCADE")


def played_event() -> Tournament:
    tournament = builders.event("open-swiss", slug="kept")
    builders.user("organizer", tournament, "organizer")
    builders.entries(tournament.sections.get(), 4)
    log(tournament, "event.published", reason="tab\t, newline\n and \\ stay")
    return tournament


@pytest.fixture
def data_folder(tmp_path: Path, settings: Any) -> DataFolder:
    folder = DataFolder(tmp_path / "data")
    settings.DATA_FOLDER = folder
    folder.make()
    (folder.root / "secret-key").write_text("the key that signs")
    folder.mail.mkdir()
    (folder.mail / "letter.log").write_bytes(b"a letter\x00\xff")
    return folder


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("passphrase", ["", "кінь на f6"])
def test_everything_comes_back_row_by_row_and_file_by_file(
    passphrase: str, data_folder: DataFolder, tmp_path: Path, settings: Any
) -> None:
    played_event()
    before = everything()
    made = making.make_backup(tmp_path / "stick", passphrase=passphrase)
    assert ("Гравець".encode() in made.path.read_bytes(), made.path.stat().st_mode & 0o777) == (False, 0o600)

    with another_database(like_this=True):
        with pytest.raises(TourneyError, match=r"backup\.not_empty"):
            making.restore(made.path, passphrase=passphrase)
        empty_here()
        settings.DATA_FOLDER = DataFolder(tmp_path / "new machine")
        back = making.restore(made.path, passphrase=passphrase)
        after = everything()
        builders.entry(Tournament.objects.get().sections.get())  # keys go on where they were

    assert after == before
    assert sum(rows.count(b"\1") + bool(rows) for rows in before.values()) == back.rows > 30
    assert {name: (tmp_path / "new machine" / name).read_bytes() for name in ("secret-key", "mail/letter.log")} == {
        "secret-key": b"the key that signs",
        "mail/letter.log": b"a letter\x00\xff",
    }
    assert back.files == 2


@pytest.mark.slow
@pytest.mark.django_db(transaction=True)
def test_database_of_the_release_before_comes_up_to_this_one(data_folder: DataFolder) -> None:
    with another_database(like_this=False):
        back = making.restore(OLD_RELEASE)
        assert (back.rows, Tournament.objects.count(), Entry.objects.count()) == (3676, 3, 142)
        with OLD_RELEASE.open("rb") as file, boxes.opened(file, making.KIND) as found, tables.one_moment() as cursor:
            here = tables.tables(cursor)
            then = found.about["tables"]["columns"]
            kept = {table: columns for table, columns in then.items() if set(columns) <= set(here[table])}
            changed = {
                table
                for table, columns in kept.items()
                if _copied(cursor, table, columns) != found.read(f"tables/{table}.copy")
            }
        assert changed <= {"auth_permission", "django_content_type"}  # of new tables
        assert len(kept) > len(then) - 3  # a table or two may have lost a column since
        for tournament in Tournament.objects.all():
            assert rebuild(tournament) == 0  # the rules of today read the facts of then
        assert Game.objects.exclude(outcome="").exists()
        assert pages_that_fail() == []


@pytest.mark.slow
@pytest.mark.django_db(transaction=True)
def test_database_of_the_release_before_comes_where_tables_of_this_one_are_made(data_folder: DataFolder) -> None:
    with another_database(like_this=True):
        empty_here()
        assert making.restore(OLD_RELEASE).rows == 3676


@pytest.mark.django_db(transaction=True)
def test_nothing_that_migrations_make_is_left_when_they_are_to_make_it_anew(data_folder: DataFolder) -> None:
    with another_database(like_this=True), connection.cursor() as cursor:
        here = "current_schema()::regnamespace"
        made = (
            f"SELECT proname FROM pg_proc WHERE pronamespace = {here} UNION ALL"
            f" SELECT relname FROM pg_class WHERE relnamespace = {here} UNION ALL"
            f" SELECT typname FROM pg_type WHERE typnamespace = {here}"
        )
        cursor.execute(made)
        before = len(cursor.fetchall())
        tables._drop_all()
        cursor.execute(made)
        assert (before > 100, cursor.fetchall()) == (True, [])


def pages_that_fail() -> list[str]:
    """Open a page of every kind of every event, as anybody and as who may see all; return those that do not open."""
    slugs = list(Tournament.objects.values_list("slug", flat=True))
    owner = Client()
    owner.force_login(get_user_model().objects.create_superuser("owner", password=None))
    found = [
        *crawl(Client(), "/", *(f"/t/{slug}/" for slug in slugs)),
        *crawl(owner, "/manage/", *(f"/manage/{slug}/" for slug in slugs)),
    ]
    assert len({pattern for pattern, *_ in found}) > 60  # it did look around
    return [f"{url} answers {status}" for _pattern, url, status, _html in found if status != 200]


def _copied(cursor: Any, table: str, columns: list[str]) -> bytes:
    key = tables.keys(cursor).get(table)
    order = f" ORDER BY {', '.join(key)}" if key else ""
    names = ", ".join(f'"{name}"' for name in columns)
    with cursor.copy(f'COPY (SELECT {names} FROM "{table}"{order}) TO STDOUT') as rows:
        return b"".join(map(bytes, rows))


# -- what is refused ---------------------------------------------------------------------------------------------------


def small_box(path: Path, passphrase: str = "") -> Path:
    with boxes.new_box(path, "installation", {"tables": {"migrations": []}}, passphrase) as box:
        box.add("tables/a.copy", b"1\tone\n" * 20_000)
    return path


def reopened(content: bytes, passphrase: str = "") -> str:
    """Return the code of the refusal, or "whole"."""
    try:
        with boxes.opened(io.BytesIO(content), "installation", passphrase) as found:
            assert found.read("tables/a.copy") == b"1\tone\n" * 20_000
    except TourneyError as refused:
        return refused.code
    return "whole"


@pytest.mark.parametrize("passphrase", ["", "open, please"])
def test_box_with_any_byte_changed_or_cut_is_refused(
    tmp_path: Path, passphrase: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sealing, "_key", lambda word, salt: hashlib.sha256(salt + word.encode()).digest())  # quick
    content = small_box(tmp_path / "box", passphrase).read_bytes()
    bad = {"backup.no_box", "backup.damaged", "backup.wrong_passphrase", "backup.needs_passphrase"}
    assert reopened(content, passphrase) == "whole"
    for place in range(0, len(content), max(1, len(content) // 200)):
        changed = bytearray(content)
        changed[place] ^= 0x5A
        # A byte of a zip's own bookkeeping that nobody reads may change; then what is in it is still what it was.
        assert reopened(bytes(changed), passphrase) in bad | {"whole"}
        assert reopened(content[:place], passphrase) in bad


def test_sealed_box_needs_its_passphrase(tmp_path: Path) -> None:
    content = small_box(tmp_path / "box", "right").read_bytes()

    assert [reopened(content, word) for word in ("", "wrong", "right")] == [
        "backup.needs_passphrase",
        "backup.wrong_passphrase",
        "whole",
    ]


def edited(content: bytes, change: Callable[[dict[str, Any]], None], more: dict[str, bytes] | None = None) -> bytes:
    """Return a box with its manifest changed, and members added that it does not name."""
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(content)) as old, zipfile.ZipFile(out, "w") as new:
        manifest = json.loads(old.read("manifest.json"))
        change(manifest)
        for name in old.namelist():
            new.writestr(name, json.dumps(manifest) if name == "manifest.json" else old.read(name))
        for name, added in (more or {}).items():
            new.writestr(name, added)
    return out.getvalue()


def test_manifest_that_lies_is_refused(tmp_path: Path) -> None:
    content = small_box(tmp_path / "box").read_bytes()

    assert reopened(edited(content, lambda m: m.update(format=99))) == "backup.newer_format"
    assert reopened(edited(content, lambda m: m.update(kind="event"))) == "backup.other_kind"
    assert reopened(edited(content, lambda m: m["members"].update(x={"size": 1, "sha256": ""}))) == "backup.damaged"
    assert reopened(edited(content, lambda m: m["members"].clear())) == "backup.damaged"
    assert reopened(edited(content, lambda m: None, {"files/../../evil": b""})) == "backup.damaged"
    assert reopened(edited(content, lambda m: m["members"]["tables/a.copy"].update(size=1))) == "backup.damaged"
    assert reopened(b"not a zip at all") == "backup.no_box"
    assert reopened(b"") == "backup.no_box"


def test_backup_of_a_newer_release_is_refused() -> None:
    with pytest.raises(TourneyError, match=r"backup\.newer_release.*tourney\.9999_from_the_future"):
        tables.check_known([["tourney", "0001_initial"], ["tourney", "9999_from_the_future"]])


def test_file_outside_the_data_folder_is_refused(tmp_path: Path) -> None:
    with boxes.new_box(tmp_path / "box", "installation", {}) as box:
        box.add("files/../outside", b"x")
    with (
        (tmp_path / "box").open("rb") as file,
        boxes.opened(file, "installation") as found,
        pytest.raises(TourneyError, match=r"backup\.damaged"),
    ):
        making._put_files(found, DataFolder(tmp_path / "data"))
    assert not (tmp_path / "outside").exists()


# -- by themselves -----------------------------------------------------------------------------------------------------


@pytest.mark.django_db(transaction=True)
def test_timer_waits_while_nothing_happens_and_does_not_wait_for_a_rounds_end(
    data_folder: DataFolder, settings: Any, caplog: pytest.LogCaptureFixture
) -> None:
    stick, gone = data_folder.root / "stick", data_folder.root / "secret-key" / "no folder"
    settings.BACKUP_FOLDERS, settings.BACKUP_KEEP, settings.BACKUP_MINUTES = [gone, stick], 2, 10
    tournament = builders.event("open-swiss")
    start = timezone.now()

    def due(minutes: float) -> int:
        return len(timer.back_up_if_due(start + timedelta(minutes=minutes)))

    assert [due(0), due(60)] == [1, 0]  # the first at once; then nothing has happened
    log(tournament, "event.hidden")
    assert [due(5), due(9), due(10.1)] == [0, 0, 1]
    log(tournament, "swiss.round_published", section="a", round=2, boards=2)
    assert [due(11), due(11.1)] == [1, 0]
    assert len(making.backups_in(stick)) == 2  # of three, the newest two
    assert "no folder" in caplog.text


@pytest.mark.django_db(transaction=True)
def test_disk_that_is_full_leaves_the_old_backup_and_no_half_one(
    data_folder: DataFolder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    old = making.make_backup(tmp_path, keep=1)

    def full(*_: Any) -> int:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(boxes.Counted, "write", full)
    with pytest.raises(OSError, match="No space left"):
        making.make_backup(tmp_path, keep=1)

    assert sorted(path.name for path in tmp_path.iterdir() if path.is_file()) == [old.path.name]
    assert replace(old, forgotten=()) == old
