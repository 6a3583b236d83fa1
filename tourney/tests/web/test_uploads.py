"""Every page that takes a file: how large it may be, what it must be, and what a bomb meets. The table is complete."""

from __future__ import annotations

import io
import json
import struct
import zipfile
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import pytest
from django.contrib.auth import get_user_model
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.files.uploadhandler import TemporaryFileUploadHandler
from django.db import transaction
from django.test import Client, RequestFactory
from django.urls import reverse

from registration.views import ratings
from tourney import queue, uploads
from tourney.archives.writing import KIND
from tourney.backups import box
from tourney.models import Job
from tourney.testing import builders
from tourney.tests import world as worlds
from tourney.tests.web.test_permissions import client_of
from tourney.tests.world import World

PNG = b"\x89PNG\r\n\x1a\n" + b"\0" * 100
PDF = b"%PDF-1.7\n" + b"\0" * 100
PROGRAM = b"\x7fELF" + b"\0" * 100


def png(width: int, height: int) -> bytes:
    """Return a PNG that is small and claims so many pixels."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    head = chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0))
    return b"\x89PNG\r\n\x1a\n" + head + chunk(b"IDAT", zlib.compress(b"\0" * 1000)) + chunk(b"IEND", b"")


def packed(name: str, size: int) -> bytes:
    """Return an archive with one member of so many equal bytes."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(name, b"0" * size)
    return file.getvalue()


def huge_archive() -> bytes:
    """Return an event's archive whose list of members promises terabytes."""
    file = io.BytesIO()
    manifest = {"kind": KIND, "format": box.FORMAT, "about": {}, "members": {"rows": {"size": 1 << 42, "sha256": ""}}}
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(box.MANIFEST, json.dumps(manifest))
        archive.writestr("rows", b"")
    return file.getvalue()


@dataclass(frozen=True)
class Case:
    """A page that takes files: who sends, beside what, and the words that what can't be taken is refused with."""

    who: str
    field: str
    large: str
    wrong: dict[str, tuple[bytes, str]]  # what it is -> (content, words)
    status: int = 422
    fields: tuple[tuple[str, str], ...] = ()


CASES = {
    "manage_bank": Case(
        "treasurer",
        "file",
        "The file is too large",
        {name: (content, "This is no statement we can read.") for name, content in (("png", PNG), ("pdf", PDF))},
    ),
    "manage_rating_lists": Case(
        "organizer",
        "file",
        "A file may have up to",
        {
            "png": (PNG, "This is no list of FIDE"),
            "bomb": (packed("players_list.txt", 30 << 20), "The archive is damaged, or holds"),
            "bomb in a workbook": (packed("[Content_Types].xml", 60 << 20), "unpacks to far more"),
        },
    ),
    "entrant_papers": Case(
        "nobody",
        "photo",
        "too large",
        {
            "pdf": (PDF, "This is a PDF"),
            "program": (PROGRAM, "This is no photograph"),
            "pixels": (png(100_000, 100_000), "a size no camera makes"),
        },
        fields=(("claim", "large_family"),),
    ),
    "register_group": Case(
        "nobody",
        "file",
        "too large",
        {
            "png": (PNG, "This is no table"),
            "pdf": (PDF, "This is no table"),
            "bomb": (packed("xl/worksheets/sheet1.xml", 60 << 20), "unpacks to far more"),
        },
        fields=(("step", "file"),),
    ),
    "manage_trf": Case(
        "organizer",
        "file",
        "A file may have up to",
        {
            name: (content, "is the beginning of no line a report can have")
            for name, content in (("png", PNG), ("zip", packed("report.trf", 5 << 20)))
        },
        fields=(("act", "look"),),
    ),
    "manage_diplomas": Case(
        "organizer",
        "picture",
        "too large",
        {"pdf": (PDF, "This file is no picture"), "pixels": (png(100_000, 100_000), "its pixels are too many")},
        fields=(("act", "design"), ("shape", "landscape")),
    ),
    "manage_games": Case(
        "organizer",
        "file",
        "A file may have up to",
        {"png": (PNG, "This is not a PGN file"), "zip": (packed("games.pgn", 5 << 20), "This is not a PGN file")},
    ),
    "event_bring": Case(
        "owner",
        "file",
        "at most",
        {"png": (PNG, "no backup and no archive"), "bomb": (huge_archive(), "holds more than 4 GB")},
    ),
}


@pytest.fixture(scope="module")
def world(django_db_setup: None, django_db_blocker: Any) -> Iterator[World]:
    with django_db_blocker.unblock(), transaction.atomic():
        yield worlds.build("own")
        transaction.set_rollback(True)


@pytest.fixture
def send(world: World, db: None, settings: Any, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Any]:
    """Return what sends a file to a page as the case says; large limits are small ones meanwhile."""
    settings.GAME_FILE_MB, settings.ARCHIVE_MB = 1, 1
    monkeypatch.setattr(ratings, "MOST_BYTES", 1 << 20)
    group = builders.event("youth-championship")

    def send(page: str, content: bytes) -> Any:
        case = CASES[page]
        if case.who == "owner":
            client = client_of(get_user_model().objects.create_superuser("owner", password=None))
        else:
            client = client_of(None if case.who == "nobody" else world.people[case.who])
        address = next(one for one in worlds.addresses() if one.page == page)
        url = reverse(page, kwargs=world.kwargs(page, address.wanted))
        if page == "register_group":
            url = reverse(page, args=[group.slug])
        file = SimpleUploadedFile("report.pgn", content, content_type="text/plain")
        return client.post(url, {**dict(case.fields), case.field: file})

    return send


def said(answer: Any) -> str:
    return " ".join(answer.content.decode().replace("\u00a0", " ").replace("&#x27;", "'").split())


def test_every_page_that_takes_files_has_a_limit_and_a_case() -> None:
    assert sorted(uploads.pages()) == sorted(CASES)
    assert all(0 < most <= 210 << 20 for most in uploads.pages().values())  # the proxy lets no more through


def limit_of(page: str) -> int:
    return {"manage_games": 1_000_000, "event_bring": 1 << 20, "manage_rating_lists": 1 << 20}.get(
        page, uploads.pages()[page]
    )


@pytest.mark.parametrize("page", CASES)
def test_what_is_a_little_too_large_is_refused_in_words_by_its_form(page: str, send: Callable[..., Any]) -> None:
    answer = send(page, b"0" * (limit_of(page) + 1))

    assert answer.status_code == CASES[page].status
    assert CASES[page].large in said(answer)


@pytest.mark.parametrize(("page", "what"), [(page, what) for page, case in CASES.items() for what in case.wrong])
def test_what_is_something_else_than_its_name_says_is_refused_in_words(
    page: str, what: str, send: Callable[..., Any]
) -> None:
    content, words = CASES[page].wrong[what]

    answer = send(page, content)

    if page in ("manage_bank", "manage_rating_lists") and answer.status_code == 302:
        # Read by the worker: its page says what the file was.
        for job in Job.objects.filter(state="queued"):
            queue.run(job.pk)
        answer = client_of(get_user_model().objects.get(username="own-organizer")).get(answer.url)
        assert words in said(answer)
        return
    assert answer.status_code == CASES[page].status
    assert words in said(answer)


def test_what_is_far_too_large_is_refused_before_its_body_is_read(
    db: None, client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    event = builders.event()
    read: list[int] = []
    monkeypatch.setattr(TemporaryFileUploadHandler, "receive_data_chunk", lambda *_: read.append(1))
    monkeypatch.setattr("django.core.files.uploadhandler.MemoryFileUploadHandler.receive_data_chunk", read.append)

    for url in (reverse("login"), reverse("register_group", args=[event.slug]), reverse("register", args=[event.slug])):
        answer = client.post(
            url, {"file": SimpleUploadedFile("a.bin", b"0" * (24 << 20))}, headers={"accept-language": "en"}
        )
        assert answer.status_code == 413
        assert "MB" in said(answer)
    assert read == []


def test_a_file_nobody_asked_for_is_not_kept_while_the_fields_beside_it_are(db: None, client: Client) -> None:
    kept: list[Any] = []

    def look(request: Any) -> Any:
        kept.append((dict(request.POST), dict(request.FILES)))

    for page in ("login", "manage_bank"):
        request = RequestFactory().post("/", {"a": "1", "file": SimpleUploadedFile("a.bin", b"0" * 4_000_000)})
        request.resolver_match = type("Match", (), {"url_name": page})()  # type: ignore[assignment]
        assert uploads.UploadMiddleware(look).process_view(request, None, None, None) is None
        look(request)

    assert kept[0] == ({"a": ["1"]}, {})
    assert [*kept[1][1]] == ["file"]
