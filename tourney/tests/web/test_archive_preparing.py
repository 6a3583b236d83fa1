"""An archive that is prepared while the page shows how far it is, fetched from there, and thrown away in time."""

from __future__ import annotations

import io
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor, wait
from datetime import timedelta
from threading import Event
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.utils import timezone

from registration.privacy.erasing import erase
from registration.services import withdraw_entry
from registration.tests.db.test_bank import people
from registration.tests.people import kyiv
from tourney import queue
from tourney.archives import moving, preparing, writing
from tourney.archives.sending import Spool
from tourney.backups import box as boxes
from tourney.backups import sealing
from tourney.models import ArchiveFile, ArchivePiece, Job, Tournament
from tourney.services.log import log
from tourney.testing import builders

PAGE = "/manage/spring/archive/"
ENGLISH = {"accept-language": "en"}


@pytest.fixture
def event() -> Tournament:
    made = builders.event(slug="spring")
    builders.entries(made.sections.get(), 2)
    return made


@pytest.fixture
def organizer(event: Tournament) -> Client:
    client = Client(headers=ENGLISH)
    client.force_login(builders.user("organizer", event, "organizer"))
    return client


def page_of(client: Client) -> str:
    return client.get(PAGE).content.decode()


def ready(event: Tournament, client: Client) -> ArchiveFile:
    """Ask for an archive and let a worker write it."""
    client.post(PAGE, {"act": "prepare"})
    made = ArchiveFile.objects.get(tournament=event)
    preparing.prepare(made.pk)
    return ArchiveFile.objects.get(pk=made.pk)


@pytest.mark.django_db
def test_prepared_archive_has_the_bytes_of_one_sent_while_it_is_written_and_its_length_is_told(
    event: Tournament, organizer: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(preparing, "PIECE", 1000)
    now = timezone.now()
    monkeypatch.setattr(timezone, "now", lambda: now)
    spool = Spool()
    spool.fill(lambda file: moving.write_as_it_is(event, file))
    before = event.log.filter(action="archive.exported").count()

    asked = organizer.post(PAGE, {"act": "prepare"})
    waiting = page_of(organizer)
    again = organizer.post(PAGE, {"act": "prepare"})
    made = ArchiveFile.objects.get()
    preparing.prepare(made.pk)
    preparing.prepare(made.pk)  # a message that comes twice
    shown = page_of(organizer)
    answer = organizer.post(PAGE, {"act": "give", "passphrase": ""})
    content = answer.getvalue()

    assert (asked.status_code, again.status_code, asked["Location"]) == (302, 302, f"{PAGE}#prepared")
    assert ("is being prepared" in waiting, "waits its turn" in waiting, "Download" in waiting) == (
        True,
        True,
        False,
    )
    assert ("The archive is ready" in shown, "<progress" in shown) == (True, False)
    assert content == b"".join(spool.pieces())
    assert (answer["Content-Length"], ArchivePiece.objects.count() > 2) == (str(len(content)), True)
    assert event.log.filter(action="archive.exported").count() == before + 1


@pytest.mark.django_db
@pytest.mark.parametrize("size", [0, 1, sealing.PIECE - 1, sealing.PIECE, sealing.PIECE + 1, 3 * sealing.PIECE])
def test_archive_closed_by_a_passphrase_has_the_length_that_is_told(event: Tournament, size: int) -> None:
    made = ArchiveFile.objects.create(tournament=event, at=timezone.now(), size=size)
    for number in range(-(-size // preparing.PIECE)):
        ArchivePiece.objects.create(file=made, number=number, content=b"x" * min(size, preparing.PIECE))

    sent = b"".join(preparing.pieces_of(made, "two words"))
    opened = io.BytesIO()
    sealing.unseal(io.BytesIO(sent), opened, "two words")

    assert len(sent) == preparing.size_of(made, "two words")
    assert opened.getvalue() == b"x" * size


@pytest.mark.django_db
def test_passphrase_closes_what_is_sent_and_stands_nowhere(event: Tournament, organizer: Client) -> None:
    ready(event, organizer)

    content = organizer.post(PAGE, {"act": "give", "passphrase": "two words"}).getvalue()

    with boxes.opened(io.BytesIO(content), writing.KIND, "two words") as box:
        assert box.about["event"] == "spring"
    kept = b"".join(bytes(piece.content) for piece in ArchivePiece.objects.all())
    assert b"two words" not in kept + str(list(Job.objects.values())).encode()


@pytest.mark.django_db(transaction=True)
def test_page_is_told_how_far_it_is_and_a_killed_worker_leaves_nothing_half(
    event: Tournament, organizer: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Killed(BaseException):
        pass

    seen: list[tuple[int, int]] = []

    def killed(*_: Any) -> Any:
        other = connection.copy()  # the writer's own sees one moment only
        with other.cursor() as cursor:
            cursor.execute("SELECT progress_done, progress_total FROM tourney_job")
            seen.append(cursor.fetchone())
        other.close()
        raise Killed

    monkeypatch.setattr(queue, "_send", lambda *_: None)
    monkeypatch.setattr(preparing, "_TELL_EVERY", 0.0)
    organizer.post(PAGE, {"act": "prepare"})
    made = ArchiveFile.objects.get()
    assert made.job is not None
    with monkeypatch.context() as patched:
        patched.setattr(writing, "_jobs", killed)
        with pytest.raises(Killed):
            queue.run(made.job.pk)
    half = (ArchivePiece.objects.count(), page_of(organizer))

    queue.run(made.job.pk)  # as the sweep sends it

    ((done, total),) = seen
    assert (0 < done == total, half[0]) == (True, 0)
    assert (f'max="{total}"' in half[1], "so far" in half[1]) == (True, True)
    assert "The archive is ready" in page_of(organizer)


@pytest.mark.django_db
def test_archive_goes_when_its_day_is_over_the_event_moves_or_somebody_is_erased(
    event: Tournament, organizer: Client
) -> None:
    kept = ready(event, organizer)
    fresh = preparing.drop_old(kept.at + preparing.KEPT)
    old = preparing.drop_old(kept.at + preparing.KEPT + timedelta(seconds=1))
    refused = organizer.post(PAGE, {"act": "give"}, follow=True)
    before = ready(event, organizer)
    organizer.post(PAGE, {"act": "move", "to": "there"})
    after = ArchiveFile.objects.get()

    assert (fresh, old, "No archive is ready" in refused.content.decode()) == (0, 1, True)
    assert (after.pk != before.pk, after.finished_at) == (True, None)


@pytest.mark.django_db
def test_page_that_watches_an_archive_thrown_away_meanwhile_is_loaded_anew(
    event: Tournament, organizer: Client
) -> None:
    organizer.post(PAGE, {"act": "prepare"})
    watched = organizer.get(PAGE, headers={"HX-Request": "true"})
    preparing.drop(event)

    gone = organizer.get(PAGE, headers={"HX-Request": "true"})

    assert (b"<html" in watched.content, b'id="prepared"' in watched.content) == (False, True)
    assert (gone["HX-Refresh"], gone.content) == ("true", b"")


@pytest.mark.django_db
def test_archive_that_is_being_written_while_somebody_is_erased_is_not_kept(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    event = kyiv()
    (entry,) = people(event, "Адаменко")
    withdraw_entry(entry, by_entrant=True)
    file = preparing.request_archive(event, actor=None)
    real = writing._jobs

    def erased_meanwhile(*args: Any) -> Any:
        erase(entry, actor=None)
        return real(*args)

    monkeypatch.setattr(writing, "_jobs", erased_meanwhile)

    preparing.prepare(file.pk)

    assert (ArchiveFile.objects.count(), ArchivePiece.objects.count()) == (0, 0)


@pytest.mark.django_db(transaction=True)
def test_archive_asked_for_while_an_erasure_is_not_committed_does_not_hold_the_name(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    event = kyiv()
    (entry,) = people(event, "Адаменко")
    withdraw_entry(entry, by_entrant=True)
    blanked, asked = Event(), Event()

    def slowly(*args: Any, **words: Any) -> Any:
        blanked.set()
        asked.wait(10)
        return log(*args, **words)

    def own_connection(act: Callable[[], None]) -> None:
        try:
            act()
        finally:
            connection.close()

    monkeypatch.setattr("registration.privacy.erasing.log", slowly)
    monkeypatch.setattr(queue, "_send", lambda *_: None)
    with ThreadPoolExecutor(2) as pool:
        gone = pool.submit(own_connection, lambda: erase(entry, actor=None))
        blanked.wait(10)
        made = preparing.request_archive(event, actor=None)
        written = pool.submit(own_connection, lambda: preparing.prepare(made.pk))
        wait([written], timeout=2)
        asked.set()
        gone.result(10)
        written.result(10)

    content = b"".join(preparing.pieces_of(ArchiveFile.objects.get(), ""))
    with boxes.opened(io.BytesIO(content), writing.KIND) as box:
        rows = b"".join(box.read(name) for name in box.names("rows/"))
    assert ("Адаменко".encode() in rows, "Player" in str(box.names("rows/"))) == (False, True)


@pytest.mark.django_db
def test_preparing_that_failed_says_so_and_the_archive_is_taken_at_once_without_any_worker(
    event: Tournament, organizer: Client
) -> None:
    organizer.post(PAGE, {"act": "prepare"})
    Job.objects.update(state=Job.State.FAILED)

    shown = page_of(organizer)
    taken = organizer.post(PAGE, {"act": "take"}).getvalue()
    organizer.post(PAGE, {"act": "prepare"})

    assert ("could not be prepared" in shown, taken[:2]) == (True, b"PK")
    job = ArchiveFile.objects.get().job
    assert job is not None
    assert job.state == Job.State.QUEUED


@pytest.mark.django_db
def test_what_is_prepared_is_part_of_no_archive(event: Tournament, organizer: Client) -> None:
    ready(event, organizer)

    content = organizer.post(PAGE, {"act": "take"}).getvalue()

    with boxes.opened(io.BytesIO(content), writing.KIND) as box:
        assert [name for name in box.names("rows/") if "Archive" in name or "NameToForget" in name] == []
