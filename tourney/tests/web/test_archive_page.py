"""The pages on which an event is taken as a file, moved away, let stay, and brought from elsewhere."""

from __future__ import annotations

import io
from typing import Any

import pytest
from django.contrib.auth import get_user_model
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

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
