"""Long work as people see it: a bar that moves by itself, at every width, light and dark, and what it ends with."""

from __future__ import annotations

from typing import Any

import pytest
from django.conf import settings
from django.db import transaction
from django.urls import reverse
from django.utils import timezone
from playwright.sync_api import expect

from tourney import queue
from tourney.archives import preparing
from tourney.models import ArchiveFile, GameImport, GameImportPart, Job, NameToForget, Tournament
from tourney.services import demo, forgetting, forgetting_files, rehearsal_job
from tourney.services.forgetting import forget_name
from tourney.testing import builders
from tourney.testing.pages import follow, sign_in, stays_inside, unfit_for_all

pytestmark = pytest.mark.django_db(transaction=True)

WIDTHS = (390, 820, 1440)


@pytest.fixture
def event(monkeypatch: pytest.MonkeyPatch) -> Tournament:
    monkeypatch.setattr(queue, "_send", lambda *_: None)  # the worker is the test
    made = builders.event(slug="spring")
    builders.entries(made.sections.get(), 2)
    return made


def look(page: Any, wanted: str) -> None:
    """The page shows what is wanted, and is fit for everybody at every width, light and dark."""
    expect(page.locator("main")).to_contain_text(wanted)
    for width in WIDTHS:
        page.set_viewport_size({"width": width, "height": 900})
        for scheme in ("light", "dark"):
            page.emulate_media(color_scheme=scheme)
            assert stays_inside(page), (wanted, width)
            assert unfit_for_all(page) == [], (wanted, width, scheme)


def organizer(page: Any, event: Tournament, address: str) -> None:
    user = builders.user("organizer", event, "organizer")
    user.set_password("only for this test")
    user.save()
    page.context.add_cookies([{"name": settings.LANGUAGE_COOKIE_NAME, "value": "en", "url": address}])
    sign_in(page, "organizer", "only for this test")


def test_archive_is_prepared_while_the_page_says_how_far_it_is_and_then_offers_it(
    page: Any, event: Tournament, live_server: Any
) -> None:
    organizer(page, event, live_server.url)
    page.goto(reverse("manage_archive", args=["spring"]))
    look(page, "Take it at once")
    follow(page, "button[value='prepare']")
    look(page, "It waits its turn.")
    made = ArchiveFile.objects.get()
    Job.objects.update(state=Job.State.RUNNING, progress_done=300, progress_total=1000)
    ArchiveFile.objects.update(size=4_700_000)
    expect(page.locator("#prepared")).to_contain_text("so far")
    look(page, "so far")
    Job.objects.update(state=Job.State.FAILED)
    expect(page.locator("#prepared")).to_contain_text("could not be prepared")
    look(page, "could not be prepared")
    Job.objects.update(state=Job.State.RUNNING)
    page.reload()
    preparing.prepare(made.pk)
    expect(page.locator("#prepared")).to_contain_text("The archive is ready", timeout=15_000)
    look(page, "kept until")
    with page.expect_download() as arriving:
        page.click("button[value='give']")
    assert arriving.value.suggested_filename.startswith("spring-")


def test_names_leave_the_files_while_the_page_says_how_far_that_is(
    page: Any, event: Tournament, live_server: Any
) -> None:
    known = GameImport.objects.create(
        tournament=event, name="round-1.pgn", sha256="a" * 64, size=2000, at=timezone.now(), finished_at=timezone.now()
    )
    for number in range(2):
        GameImportPart.objects.create(
            game_import=known, number=number, line=1, size=1000, content=b'[White "x"]\n\n1. e4 *\n', games=1
        )
    entry = event.entries.select_related("player", "tournament").order_by("pk")[0]
    with transaction.atomic():
        forget_name(entry, instead="№ 1")
    organizer(page, event, live_server.url)
    page.goto(f"{reverse('manage_games', args=['spring'])}?import={known.pk}")
    look(page, "is being taken out of the files of games")
    NameToForget.objects.update(up_to=GameImportPart.objects.order_by("pk")[0].pk)
    expect(page.locator("#names-out progress")).to_have_attribute("value", "1000")
    Job.objects.filter(name=forgetting.TASK).update(state=Job.State.FAILED)
    expect(page.locator("#names-out")).to_contain_text("This has stopped.")
    look(page, "This has stopped.")
    follow(page, "#names-out button")
    forgetting_files.run_slice(event.pk)
    expect(page.locator("#names-out")).to_contain_text("hold no erased name any more")
    look(page, "hold no erased name any more")


def test_rehearsal_is_played_to_its_end_while_the_page_says_how_many_steps_were_played(
    page: Any, event: Tournament, live_server: Any
) -> None:
    organizer(page, event, live_server.url)
    page.goto(reverse("manage_rehearsal", args=["spring"]))
    follow(page, "button[value='copy']")
    follow(page, "button[value='end']")
    look(page, "is being played to its end")
    jobs = Job.objects.filter(name=rehearsal_job.TASK)
    jobs.update(args={"args": [event.rehearsals.get().pk, 1, 12], "kwargs": {}})
    expect(page.locator("#played")).to_contain_text("Played 12 steps.")
    jobs.update(state=Job.State.FAILED)
    expect(page.locator("#played")).to_contain_text("Playing stopped.")
    look(page, "Playing stopped.")


def test_demo_is_loaded_while_the_page_says_how_many_events_are_there(
    page: Any, event: Tournament, live_server: Any
) -> None:
    organizer(page, event, live_server.url)
    page.goto(reverse("manage_events"))
    follow(page, "form[action$='/demo/'] button")
    look(page, "The passwords are shown this once.")
    Job.objects.filter(name=demo.TASK).update(state=Job.State.RUNNING, progress_done=1, progress_total=3)
    expect(page.locator("#demo progress")).to_have_attribute("value", "1")
    look(page, "The demo events are being played.")
    Job.objects.filter(name=demo.TASK).update(state=Job.State.FAILED)
    expect(page.locator("#demo")).to_contain_text("Loading the demo stopped.")
    look(page, "The passwords are shown this once.")  # still there: only the bar is exchanged
