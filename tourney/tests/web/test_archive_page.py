"""The pages on which an event is taken as a file, moved away, let stay, and brought from elsewhere."""

from __future__ import annotations

import io
import threading
from collections import deque
from typing import Any

import pytest
from django.contrib.auth import get_user_model
from django.core.files.uploadedfile import SimpleUploadedFile
from django.http import StreamingHttpResponse
from django.test import Client

from tourney.archives import sending, writing
from tourney.backups import box as boxes
from tourney.kernel.errors import TourneyError
from tourney.models import Player, Tournament
from tourney.services.log import log
from tourney.services.rehearsal import delete_with_everything
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


@pytest.fixture
def owner() -> Client:
    client = Client(headers=ENGLISH)
    client.force_login(get_user_model().objects.create_superuser("owner", password=None))
    return client


def taken(client: Client, **more: Any) -> bytes:
    answer = client.post(PAGE, {"act": "take", **more})
    assert (answer.status_code, "attachment" in answer["Content-Disposition"]) == (200, True)
    return answer.getvalue()


@pytest.mark.django_db
def test_event_is_taken_on_one_installation_and_brought_on_another(
    event: Tournament, organizer: Client, owner: Client
) -> None:
    content = taken(organizer, passphrase="two words")
    delete_with_everything(event)
    Player.objects.all().delete()
    file = SimpleUploadedFile("spring.tourney", content)

    unread = owner.post("/manage/bring/", {"file": file, "passphrase": "another"})
    file.seek(0)
    brought = owner.post("/manage/bring/", {"file": file, "passphrase": "two words"})

    assert (unread.status_code, "passphrase doesn&#x27;t open" in unread.content.decode()) == (422, True)
    assert (brought.status_code, brought["Location"]) == (302, "/manage/spring/")
    assert Tournament.objects.get().entries.count() == 2
    again = owner.post("/manage/bring/", {"file": SimpleUploadedFile("x", taken(owner))})
    assert (again.status_code, "here already" in again.content.decode()) == (422, True)


@pytest.mark.django_db(transaction=True)
def test_large_archive_begins_to_arrive_before_it_is_written(
    event: Tournament, organizer: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    go_on, real = threading.Event(), writing._jobs  # of what is written the last

    def jobs_later(*args: Any) -> Any:
        assert go_on.wait(20)
        return real(*args)

    monkeypatch.setattr(writing, "_jobs", jobs_later)

    answer = organizer.post(PAGE, {"act": "take", "passphrase": ""})
    arriving = iter(answer.streaming_content)
    first = next(arriving)
    is_logged = event.log.filter(action="archive.exported").exists()
    go_on.set()
    content = first + b"".join(arriving)

    assert (first[:2], is_logged) == (b"PK", True)
    with boxes.opened(io.BytesIO(content), writing.KIND) as box:
        assert box.about["event"] == "spring"
    assert event.log.filter(action="archive.exported").count() == 1


@pytest.mark.django_db(transaction=True)
@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
def test_download_breaks_off_when_the_rest_can_not_be_written_and_what_has_come_is_refused(
    event: Tournament, organizer: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    def no_jobs(*_: Any) -> Any:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(writing, "_jobs", no_jobs)

    arriving, content = iter(organizer.post(PAGE, {"act": "take"}).streaming_content), bytearray()
    with pytest.raises(OSError, match="No space left"):
        deque(map(content.extend, arriving))

    assert content
    with (
        pytest.raises(TourneyError, match=r"backup\.(no_box|damaged)"),
        boxes.opened(io.BytesIO(content), writing.KIND),
    ):
        pass
    assert event.log.filter(action="archive.exported").count() == 1  # much of it has gone out


@pytest.mark.django_db(transaction=True)
def test_visitor_who_leaves_ends_the_writing() -> None:
    left, ended = threading.Event(), threading.Event()

    def write(spool: sending.Spool) -> None:
        spool.write(b"begin")
        assert left.wait(20)
        try:
            spool.write(b"end")
        finally:
            ended.set()

    answer = StreamingHttpResponse(sending.as_it_is_written(write))
    answer.close()  # as the server does when the connection is gone
    left.set()

    assert ended.wait(20)


@pytest.mark.django_db
def test_event_that_moves_shows_where_it_goes_on_and_stays_after_all_with_a_reason(
    event: Tournament, organizer: Client, client: Client
) -> None:
    assert organizer.post(PAGE, {"act": "move", "to": ""}).status_code == 422
    moved = organizer.post(PAGE, {"act": "move", "to": "https://chess.example/t/spring/"}, follow=True)
    seen = client.get("/t/spring/", headers=ENGLISH).content.decode()
    refused = organizer.post("/manage/spring/state/", {"step": "hide", "reason": "x"}, follow=True)

    assert "import_event spring.tourney" in moved.content.decode()
    assert '<a href="https://chess.example/t/spring/" rel="nofollow">' in seen
    assert "Here it can only be read." in refused.content.decode()
    assert taken(organizer)
    assert organizer.post(PAGE, {"act": "stay", "reason": ""}).status_code == 422
    organizer.post(PAGE, {"act": "stay", "reason": "the server did not take it"})
    event.refresh_from_db()
    assert event.moved_to == ""


@pytest.mark.django_db
def test_act_that_meets_the_move_is_told_so(
    event: Tournament, organizer: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    def just_now(*args: Any, **values: Any) -> Any:
        Tournament.objects.filter(pk=event.pk).update(moved_to="elsewhere")
        return log(*args, **values)

    monkeypatch.setattr("tourney.services.states.log", just_now)

    answer = organizer.post("/manage/spring/state/", {"step": "hide", "reason": "x"})

    assert (answer.status_code, "has just moved" in answer.content.decode()) == (409, True)


@pytest.mark.django_db
def test_pages_are_for_those_who_own_what_they_give_away(event: Tournament, organizer: Client, client: Client) -> None:
    arbiter = Client()
    arbiter.force_login(builders.user("arbiter", event, "arbiter"))

    assert [arbiter.get(PAGE).status_code, client.get(PAGE).status_code] == [403, 302]
    assert [organizer.get("/manage/bring/").status_code, client.get("/manage/bring/").status_code] == [404, 302]
    assert organizer.post(PAGE, {"act": "nonsense"}).status_code == 404
    assert io.BytesIO(taken(organizer)).read(2) == b"PK"


@pytest.mark.django_db
def test_owner_without_a_second_factor_brings_nothing_where_one_is_asked_for(owner: Client, settings: Any) -> None:
    settings.SECOND_FACTOR = True

    answer = owner.get("/manage/bring/")

    assert (answer.status_code, answer["Location"].split("?")[0]) == (302, "/account/")
