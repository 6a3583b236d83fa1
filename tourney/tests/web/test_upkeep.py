"""Is the program well, what does it do, and what it says when its database can't work."""

from __future__ import annotations

import json
import logging
import re
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import Any

import pytest
from django.conf import settings as project
from django.db import OperationalError, connection
from django.db.migrations.recorder import MigrationRecorder
from django.test import Client, RequestFactory
from django.utils import timezone
from pythonjsonlogger.json import JsonFormatter

from tourney import queue
from tourney.kept_rows import loading
from tourney.models import ActionLog, Tournament
from tourney.services.log import log
from tourney.testing import builders
from tourney.testing.pages import forms_of
from tourney.upkeep import health
from tourney.upkeep.numbers import WithNumber, current
from tourney.upkeep.outages import outage_page


@pytest.fixture(autouse=True)
def _ask_anew() -> None:
    health.forget()


# -- health ------------------------------------------------------------------------------------------------------------


def test_living_process_says_so_without_asking_the_database(client: Client) -> None:
    answer = client.get("/healthz/", headers={"host": "10.0.0.7"})  # this test may not reach the database at all

    assert (answer.status_code, answer.content) == (200, b"ok\n")
    assert "no-store" in answer["Cache-Control"]


@pytest.mark.django_db
def test_ready_process_says_what_works(client: Client) -> None:
    answer = client.get("/readyz/")

    found = answer.json()
    found.pop("disk")  # is this machine's own matter
    assert (answer.status_code, found) == (
        200,
        {"ready": True, "database": "ok", "tables": "ok", "clock": "ok", "broker": "ok"},
    )


@pytest.mark.django_db
def test_process_without_its_tables_is_not_ready(client: Client) -> None:
    MigrationRecorder.Migration.objects.filter(app="prizes").order_by("-id")[:1].get().delete()

    answer = client.get("/readyz/")

    assert (answer.status_code, answer.json()["tables"]) == (503, "1 migrations missing")


@pytest.mark.django_db
def test_clock_that_was_put_back_is_told(client: Client) -> None:
    line = log(builders.event(), "event.hidden")
    with loading():
        ActionLog.objects.filter(pk=line.pk).update(at=timezone.now() + timedelta(hours=3))

    answer = client.get("/readyz/")

    assert (answer.status_code, answer.json()["clock"]) == (200, "behind the log")


@pytest.mark.django_db
def test_broker_that_is_away_makes_nothing_unready(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    def away() -> str:
        raise ConnectionRefusedError("redis://user:secret@host")

    monkeypatch.setitem(health.QUESTIONS, "broker", away)

    answer = client.get("/readyz/")

    assert (answer.status_code, answer.json()["broker"]) == (200, "no: ConnectionRefusedError")
    assert b"secret" not in answer.content


# -- figures -----------------------------------------------------------------------------------------------------------


@pytest.mark.django_db
def test_figures_are_for_those_who_may_read_them(client: Client, settings: Any) -> None:
    asked = [client.get("/metrics/").status_code]
    settings.METRICS_TOKEN = "a long word"
    asked += [
        client.get("/metrics/", headers={"authorization": f"Bearer {word}"}).status_code for word in ("another", "")
    ]
    settings.METRICS_NETWORKS = ["10.0.0.0/8"]
    asked.append(client.get("/metrics/", REMOTE_ADDR="192.168.0.1").status_code)
    assert asked == [404] * 4

    assert client.get("/metrics/", headers={"authorization": "Bearer a long word"}).status_code == 200
    assert client.get("/metrics/", REMOTE_ADDR="10.1.2.3").status_code == 200


@pytest.mark.django_db
def test_figures_tell_what_was_done_and_how_long_pages_took(client: Client, settings: Any) -> None:
    settings.METRICS_NETWORKS = ["127.0.0.0/8"]
    tournament = builders.event()
    line = log(tournament, "event.hidden")
    queue.Job.objects.create(name="a", state="queued")
    client.get(f"/t/{tournament.slug}/")

    told = client.get("/metrics/").content.decode()

    figures = dict(re.findall(r"^(tourney_\S+) (\S+)$", told, re.MULTILINE))
    assert float(figures["tourney_acts_total"]) == line.pk
    assert float(figures['tourney_jobs_now{state="queued"}']) == 1
    assert float(figures['tourney_request_seconds_count{method="GET",route="event",status="200"}']) >= 1
    assert tournament.slug not in told


# -- the log -----------------------------------------------------------------------------------------------------------


class Kept(logging.Handler):
    """Keeps what would be written, one object a line."""

    def __init__(self) -> None:
        super().__init__()
        formatter = dict(project.LOGGING["formatters"]["json"])
        formatter.pop("()")
        self.setFormatter(JsonFormatter(formatter.pop("format"), **formatter))
        self.addFilter(WithNumber())
        self.lines: list[dict[str, Any]] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.lines.append(json.loads(self.format(record)))


@contextmanager
def kept_log(name: str) -> Iterator[list[dict[str, Any]]]:
    handler, logger = Kept(), logging.getLogger(name)
    before = logger.level
    logger.addHandler(handler)
    logger.setLevel(logging.INFO)
    yield handler.lines
    logger.removeHandler(handler)
    logger.setLevel(before)


@pytest.mark.django_db
def test_line_of_a_request_has_its_number_and_its_route_but_not_its_path(client: Client, settings: Any) -> None:
    settings.LOG_REQUESTS, settings.TRUSTED_PROXIES = True, 1
    with kept_log("tourney.requests") as lines:
        answer = client.get("/device/a-secret-token/", headers={"x-request-id": "proxy-0001"})
        other = client.get("/", headers={"x-request-id": "no numbers\nforged"})

    assert answer["X-Request-ID"] == "proxy-0001"
    assert re.fullmatch(r"[0-9a-f]{32}", other["X-Request-ID"])
    first, second = lines
    told = {name: first[name] for name in ("level", "request_id", "route", "method", "status")}
    assert told == {
        "level": "INFO",
        "request_id": "proxy-0001",
        "route": "device_join",
        "method": "GET",
        "status": answer.status_code,
    }
    assert "secret" not in json.dumps(first)
    assert second["request_id"] == other["X-Request-ID"]
    assert current.get() == ""


def test_visitor_gives_a_request_no_number_where_no_proxy_stands(client: Client) -> None:
    assert client.get("/healthz/", headers={"x-request-id": "mine-0001"})["X-Request-ID"] != "mine-0001"


# -- outages -----------------------------------------------------------------------------------------------------------


@pytest.fixture
def organizer(client: Client) -> Client:
    client.force_login(builders.user("organizer", builders.event(slug="spring"), "organizer"))
    return client


@contextmanager
def database_says(code: str) -> Iterator[None]:
    """Let PostgreSQL itself refuse each line of the event's log with one of its codes."""
    with connection.cursor() as cursor:
        cursor.execute(
            "CREATE FUNCTION refuse_line() RETURNS trigger LANGUAGE plpgsql AS"
            f" $$ BEGIN RAISE EXCEPTION 'no' USING ERRCODE = '{code}'; END $$;"
            " CREATE TRIGGER refuse BEFORE INSERT ON tourney_actionlog FOR EACH ROW EXECUTE FUNCTION refuse_line()"
        )
    try:
        yield
    finally:
        with connection.cursor() as cursor:
            cursor.execute("DROP TRIGGER refuse ON tourney_actionlog; DROP FUNCTION refuse_line()")


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("code", "words"),
    [("53100", "The disk of this machine is full"), ("57P01", "doesn&#x27;t answer"), ("08006", "doesn&#x27;t answer")],
)
def test_act_the_database_can_not_keep_is_told_kept_on_the_page_and_can_be_sent_again(
    organizer: Client, code: str, words: str
) -> None:
    sent = {"step": "hide", "reason": "<Зміна> дати"}
    english = {"accept-language": "en"}
    with database_says(code):
        refused = organizer.post("/manage/spring/state/", sent, headers=english)

    page = refused.content.decode()
    assert (refused.status_code, refused["Cache-Control"], words in page) == (503, "private, no-store", True)
    assert Tournament.objects.get().public  # nothing of the act was saved
    again = next(form for form in forms_of(page) if form.has(sent))
    assert organizer.post("/manage/spring/state/", again.data({})).status_code == 302
    assert not Tournament.objects.get().public


@pytest.mark.django_db
def test_archive_to_be_sealed_is_not_asked_for_again_without_its_passphrase() -> None:
    request = RequestFactory().post("/manage/spring/archive/", {"act": "take", "passphrase": "two words"})

    page = outage_page(request, "outage.database").content.decode()

    assert ("two words" in page, 'value="take"' in page) == (False, False)


@pytest.mark.django_db(transaction=True)
def test_database_that_can_only_be_read_shows_pages_and_keeps_what_was_sent(organizer: Client) -> None:
    with connection.cursor() as cursor:
        cursor.execute("SET SESSION CHARACTERISTICS AS TRANSACTION READ ONLY")

    shown = organizer.get("/t/spring/")
    refused = organizer.post(
        "/manage/spring/state/", {"step": "hide", "reason": "x"}, headers={"accept-language": "en"}
    )
    unready = organizer.get("/readyz/")

    connection.close()
    assert (shown.status_code, refused.status_code, refused["Retry-After"]) == (200, 503, "60")
    assert "can only be read" in refused.content.decode()
    assert (unready.status_code, unready.json()["database"]) == (503, "read only")
    assert Tournament.objects.get().public


@pytest.mark.django_db(transaction=True)
def test_database_that_is_away_makes_a_page_and_not_a_mistake(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    connection.close()
    monkeypatch.setitem(connection.settings_dict, "PORT", "1")
    monkeypatch.setitem(connection.settings_dict, "HOST", "127.0.0.1")

    answers = [client.get(path) for path in ("/", "/t/spring/", "/manage/")]
    unready = client.get("/readyz/")

    assert [answer.status_code for answer in answers] == [503, 503, 302]
    assert "База даних" in answers[0].content.decode() or "database" in answers[0].content.decode()
    assert (unready.status_code, unready.json()["database"]) == (503, "no: OperationalError")
    assert client.get("/healthz/").status_code == 200


def test_page_of_an_outage_keeps_no_password() -> None:
    request = RequestFactory().post("/x/", {"name": "a", "password": "secret", "again": "secret"})

    page = outage_page(request, "outage.database").content.decode()

    assert ('name="name" value="a"' in page, "secret" in page) == (True, False)


@pytest.mark.django_db
def test_mistake_of_the_program_is_no_outage(organizer: Client) -> None:
    with database_says("42P01"), pytest.raises(Exception, match="no") as raised:
        organizer.post("/manage/spring/state/", {"step": "hide", "reason": "x"})

    assert not isinstance(raised.value, OperationalError)
