"""Public pages kept ready: nothing new costs no query, something new is seen at once, nobody sees what is another's."""

from __future__ import annotations

import gzip
from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any
from uuid import uuid4

import pytest
from django.core.cache import cache
from django.db import OperationalError, connection
from django.http import HttpRequest, HttpResponse
from django.test import Client, RequestFactory
from django.test.utils import CaptureQueriesContext

from swiss.services import enter_result
from swiss.tests.builders import games_of, next_round, stage_of
from swiss.tests.web.helpers import reader, signed_in, url
from tourney import live, live_cache
from tourney.models import Game, Stage, Tournament
from tourney.services.log import log
from tourney.services.stages import close_entries
from tourney.testing import builders

pytestmark = pytest.mark.django_db

Committed = Callable[..., AbstractContextManager[Any]]


@pytest.fixture(autouse=True)
def _keeping(settings: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    settings.KEEP_PAGES = True
    monkeypatch.setattr(live_cache, "REST_SECONDS", 0.0)
    monkeypatch.setattr(live_cache, "LATELY_SECONDS", 0.0)
    monkeypatch.setattr(live_cache, "AGAIN_SECONDS", 0.0)


@pytest.fixture
def committed(django_capture_on_commit_callbacks: Committed) -> Callable[[], AbstractContextManager[Any]]:
    """What is done inside is committed at the end: the pages are told."""
    return lambda: django_capture_on_commit_callbacks(execute=True)


@pytest.fixture
def stage() -> Stage:
    return stage_of(8)


@pytest.fixture
def games(stage: Stage) -> list[Game]:
    return games_of(next_round(stage))


def decide(stage: Stage, game: Game, outcome: str, reason: str = "") -> None:
    enter_result(stage_id=stage.pk, game_id=game.pk, outcome=outcome, operation=uuid4(), reason=reason)


def asked(client: Client, address: str, etag: str = "") -> tuple[Any, int]:
    """Return an answer and how many statements it took."""
    with CaptureQueriesContext(connection) as captured:
        answer = client.get(address, headers={"if-none-match": etag} if etag else {})
    return answer, len(captured)


LIVE = ("standings_live", "pairings_live", "crosstable_live")


@pytest.mark.parametrize("name", LIVE)
def test_nothing_new_costs_no_query(stage: Stage, games: list[Game], name: str) -> None:
    first = reader().get(url(name, stage))

    again, statements = asked(reader(), url(name, stage), first["ETag"])

    assert (again.status_code, again.content, statements) == (304, b"", 0)
    assert again["ETag"] == first["ETag"]


@pytest.mark.parametrize("name", ["standings", "pairings", "crosstable", *LIVE])
def test_a_page_is_built_once_for_everybody(stage: Stage, games: list[Game], name: str) -> None:
    built = reader().get(url(name, stage))

    kept, statements = asked(reader(), url(name, stage))

    assert (kept.status_code, statements) == (200, 0)
    assert kept.content == built.content
    assert kept["Content-Security-Policy"] == built["Content-Security-Policy"]


def test_a_result_is_seen_at_once(stage: Stage, games: list[Game], committed: Any) -> None:
    before = reader().get(url("pairings_live", stage))

    with committed():
        decide(stage, games[0], "1-0")
    after = reader().get(url("pairings_live", stage), headers={"if-none-match": before["ETag"]})

    assert after.status_code == 200
    assert after["ETag"] != before["ETag"]
    assert after.content.decode().count("1–0") == before.content.decode().count("1–0") + 1
    assert reader().get(url("pairings_live", stage), headers={"if-none-match": after["ETag"]}).status_code == 304


def test_a_corrected_result_is_gone_even_if_nobody_was_told(
    stage: Stage, games: list[Game], committed: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A process killed between its commit and its message leaves the cache behind; it is believed for seconds only."""
    with committed():
        decide(stage, games[0], "1-0")
    wrong = reader().get(url("standings_live", stage))
    decide(stage, games[0], "0-1", "slip of the pen")
    assert reader().get(url("standings_live", stage)).content == wrong.content

    cache.delete(f"live:read:{stage.pk}")  # its seconds are over
    right, statements = asked(reader(), url("standings_live", stage), wrong["ETag"])

    assert right.status_code == 200
    assert right.content != wrong.content
    assert statements > 0
    assert live_cache.VERSION_SECONDS <= 5


def test_results_that_pour_in_are_built_together(
    stage: Stage, games: list[Game], committed: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    address = url("pairings_live", stage)
    first = reader().get(address)
    for game in games[:3]:
        with committed():
            decide(stage, game, "1-0")
    monkeypatch.setattr(live_cache, "REST_SECONDS", 60.0)
    resting, statements = asked(reader(), address, first["ETag"])
    monkeypatch.setattr(live_cache, "REST_SECONDS", 0.0)  # its second is over

    assert (resting.status_code, statements) == (304, 0)
    assert reader().get(address).content.decode().count("1–0") == first.content.decode().count("1–0") + 3


def test_of_two_commits_the_later_version_stands(stage: Stage) -> None:
    live_cache.say_version(stage.pk, 8)
    live_cache.say_version(stage.pk, 7)

    assert cache.get(f"live:said:{stage.pk}") == 8


def test_a_look_from_before_a_commit_does_not_stand_against_its_word(
    stage: Stage, games: list[Game], committed: Any
) -> None:
    first = reader().get(url("standings_live", stage))
    stage.refresh_from_db(fields=["version"])
    with committed():
        decide(stage, games[0], "1-0")
    cache.set(f"live:read:{stage.pk}", stage.version, live_cache.VERSION_SECONDS)  # read before, written after

    assert reader().get(url("standings_live", stage), headers={"if-none-match": first["ETag"]}).status_code == 200


def test_one_builds_and_the_others_get_the_old_page(stage: Stage, games: list[Game], committed: Any) -> None:
    address = url("standings_live", stage)
    old = reader().get(address)
    with committed():
        decide(stage, games[0], "1-0")
    held: list[str] = []
    add = cache.add

    def taken(key: str, *rest: Any) -> bool:
        if key.startswith("live:build:"):
            held.append(key)
            return False  # somebody else is at it
        return bool(add(key, *rest))

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(cache, "add", taken, raising=False)
        other, statements = asked(reader(), address)
    mine = reader().get(address)

    assert len(held) == 1
    assert (other.content, statements) == (old.content, 0)
    assert mine.content != old.content


def test_of_an_event_that_was_hidden_nobody_gets_the_old_page(
    stage: Stage, games: list[Game], committed: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    address = url("standings", stage)
    reader().get(address)
    with committed():
        Tournament.objects.update(public=False)
        log(stage.section.tournament, "event.hidden", actor=None)
    assert reader().get(address).status_code == 404

    monkeypatch.setattr(live, "WAIT_SECONDS", 0.01)
    monkeypatch.setattr(cache, "add", lambda *_: False, raising=False)  # somebody else is at it
    assert reader().get(address).status_code == 404


def test_a_visitor_waits_for_the_first_build_and_no_longer(
    stage: Stage, games: list[Game], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(live, "WAIT_SECONDS", 0.01)
    monkeypatch.setattr(cache, "add", lambda *_: False, raising=False)
    monkeypatch.setattr(live, "is_building", lambda _: True)

    answer = reader().get(url("standings", stage))

    assert answer.status_code == 200
    assert "Standings" in answer.content.decode()


def test_while_the_database_is_away_the_old_page_is_shown(
    stage: Stage, games: list[Game], committed: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    old = reader().get(url("standings_live", stage))
    with committed():
        decide(stage, games[0], "1-0")

    def away(*_: Any, **__: Any) -> None:
        raise OperationalError("the server closed the connection")

    monkeypatch.setattr("swiss.views.public.live_stage", away)
    monkeypatch.setattr(Stage.objects.__class__, "filter", away)
    client = reader()
    client.raise_request_exception = False
    cache.delete(f"live:read:{stage.pk}")

    assert client.get(url("standings_live", stage)).content == old.content


def test_without_redis_pages_are_right_and_slower(stage: Stage, games: list[Game], settings: Any) -> None:
    settings.CACHES = {
        "default": {"BACKEND": "tourney.cache.ForgivingRedisCache", "LOCATION": "redis://127.0.0.1:1/0"},
    }
    first = reader().get(url("standings_live", stage))
    same, statements = asked(reader(), url("standings_live", stage), first["ETag"])
    decide(stage, games[0], "1-0")
    after = reader().get(url("standings_live", stage), headers={"if-none-match": first["ETag"]})

    assert (same.status_code, statements) == (304, 1)
    assert (after.status_code, after.content == first.content) == (200, False)


def test_an_act_of_the_staff_drops_the_pages_of_its_event(stage: Stage, games: list[Game], committed: Any) -> None:
    tournament = stage.section.tournament
    before = reader().get(url("standings", stage))
    Tournament.objects.filter(pk=tournament.pk).update(title={"en": "Renamed Cup"})
    assert reader().get(url("standings", stage)).content == before.content

    with committed():
        log(tournament, "event.settings_changed")

    assert "Renamed Cup" in reader().get(url("standings", stage)).content.decode()


def test_a_result_leaves_the_pages_of_other_groups_alone(stage: Stage, games: list[Game], committed: Any) -> None:
    sections = stage.section.tournament.sections.exclude(pk=stage.section_id)
    section = sections.select_related("tournament").order_by("pk")[0]
    builders.entries(section, 6)
    (closed, *_) = close_entries(section, actor=None)
    other = Stage.objects.select_related("section__tournament").get(pk=closed.pk)
    next_round(other)
    reader().get(url("standings", other))

    with committed():
        decide(stage, games[0], "1-0")
    _, statements = asked(reader(), url("standings", other))

    assert statements == 0


def test_languages_and_clients_get_their_own(stage: Stage, games: list[Game]) -> None:
    address = url("standings", stage)
    english, ukrainian = reader("en").get(address), reader("uk").get(address)
    packed = reader("uk").get(address, headers={"accept-encoding": "gzip"})

    assert "Standings" in english.content.decode()
    assert "Standings" not in ukrainian.content.decode()
    assert packed["Content-Encoding"] == "gzip"
    assert gzip.decompress(packed.content) == ukrainian.content


def test_who_is_signed_in_neither_gets_nor_leaves_a_kept_page(stage: Stage, games: list[Game]) -> None:
    address = url("standings", stage)
    staff = signed_in(stage, "organizer")
    mine = staff.get(address).content.decode()
    theirs = reader().get(address).content.decode()

    assert "/manage/" in mine
    assert f"/manage/{stage.section.tournament.slug}/" not in theirs
    assert f"/manage/{stage.section.tournament.slug}/" in staff.get(address).content.decode()


def test_a_private_event_is_never_kept(stage: Stage, games: list[Game]) -> None:
    Tournament.objects.update(public=False)

    assert reader().get(url("standings", stage)).status_code == 404
    assert signed_in(stage, "organizer").get(url("standings", stage)).status_code == 200
    assert reader().get(url("standings", stage)).status_code == 404


def test_a_page_with_a_form_is_nobody_elses(stage: Stage) -> None:
    """The token in a form belongs to one visitor: registration pages are built for each."""
    builders.user("organizer", stage.section.tournament, "organizer")
    address = f"/t/{stage.section.tournament.slug}/register/"

    reader().get(address)

    assert not [key for key in cache._cache if "live:page" in key]


def test_readers_are_asked_to_look_more_often_while_results_arrive(
    stage: Stage, games: list[Game], committed: Any
) -> None:
    address = url("standings_live", stage)
    calm = reader().get(address)
    with committed():
        decide(stage, games[0], "1-0")

    assert "Live-Pace" not in calm
    assert reader().get(address)["Live-Pace"] == live.QUICK_PACE


def test_behind_a_shared_cache_readers_look_more_often_still(
    stage: Stage, games: list[Game], committed: Any, settings: Any
) -> None:
    settings.SHARED_CACHE = True
    reader().get(url("standings_live", stage))
    with committed():
        decide(stage, games[0], "1-0")

    assert reader().get(url("standings_live", stage))["Live-Pace"] == live.SHARED_PACE
    assert float(live.SHARED_PACE) < float(live.QUICK_PACE)


def test_what_a_page_has_of_its_live_part_is_known_by_the_version_alone(stage: Stage, games: list[Game]) -> None:
    reader().get(url("standings_live", stage))
    opened = f'W/"{stage.pk}.{Stage.objects.get(pk=stage.pk).version}.en"'

    again = reader().get(url("standings_live", stage), headers={"if-none-match": opened})

    assert again.status_code == 304
    assert again["ETag"].startswith(opened[:-1] + ".")


def test_a_process_with_much_to_do_asks_for_patience() -> None:
    pace = live.Pace()
    from django.http import HttpResponse  # noqa: PLC0415 -- one test needs it

    said = []
    for _ in range(live.FULL_RATE + 1):
        pace.count()
        said.append(pace.said(HttpResponse(), {0: True}).headers.get("Live-Pace"))

    assert (said[0], said[live.CALM_RATE], said[-1]) == (live.QUICK_PACE, None, live.SLOW_PACE)


@pytest.mark.parametrize(
    "more", ["?fbclid=IwAR0x1", "?x=1&x=2", "?by=nobody", "?" + "&".join(f"a{n}" for n in range(60))]
)
def test_what_no_view_reads_of_an_address_makes_no_page_of_its_own(stage: Stage, games: list[Game], more: str) -> None:
    plain = reader().get(url("pairings_live", stage))

    shared, statements = asked(reader(), url("pairings_live", stage) + more)

    assert (shared.status_code, statements, shared.content) == (200, 0, plain.content)


def test_what_stands_only_in_one_visitors_address_is_on_no_page_of_others(stage: Stage, games: list[Game]) -> None:
    address = url("standings", stage)
    first = reader().get(f"{address}?secret-word=1&round=1")

    again, statements = asked(reader(), f"{address}?round=1&other=2")

    assert (again.content, statements) == (first.content, 0)
    assert b"secret-word" not in again.content


def test_an_opened_line_is_not_kept_for_others(stage: Stage, games: list[Game]) -> None:
    address = url("standings", stage)
    someone = games[0].white_id
    plain = reader().get(address)

    opened = [asked(reader(), f"{address}?why={someone}") for _ in range(2)]

    assert all(statements for _, statements in opened)
    assert b'id="why"' in opened[0][0].content
    assert b'id="why"' not in plain.content


def test_a_machine_builds_one_page_after_the_other(stage: Stage, games: list[Game], committed: Any) -> None:
    standings, pairings = url("standings_live", stage), url("pairings_live", stage)
    old = {address: reader().get(address).content for address in (standings, pairings)}
    with committed():
        decide(stage, games[0], "1-0")
    cache.set(live_cache._MACHINE, 1, 5)  # another process builds

    meanwhile, statements = asked(reader(), pairings)
    cache.delete(live_cache._MACHINE)
    after = [reader().get(address).content for address in (standings, pairings)]

    assert (meanwhile.content, statements) == (old[pairings], 0)
    assert after[0] != old[standings]
    assert after[1] != old[pairings]


def test_a_process_that_takes_an_entry_begins_no_page(stage: Stage, games: list[Game], committed: Any) -> None:
    address = url("pairings_live", stage)
    first = reader().get(address)
    with committed():
        decide(stage, games[0], "1-0")
    look = RequestFactory(headers={"accept-language": "en", "accept-encoding": "gzip"})
    seen = []

    def answers(request: HttpRequest) -> HttpResponse:
        if request.method == "POST":
            seen.append(middleware(look.get(address)))
        return HttpResponse("new")

    middleware = live.LiveMiddleware(answers)
    middleware(RequestFactory().post("/tablet/1/"))

    assert [answer["ETag"] for answer in seen] == [first["ETag"]]
    assert middleware(look.get(address)).content == b"new"
    assert not middleware.acting


def test_a_page_nobody_has_seen_anew_for_long_waits_for_no_other(
    stage: Stage, games: list[Game], committed: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    address = url("pairings_live", stage)
    old = reader().get(address).content
    with committed():
        decide(stage, games[0], "1-0")
    cache.set(live_cache._MACHINE, 1, 5)
    monkeypatch.setattr(live_cache, "PATIENCE_SECONDS", 0.0)

    assert reader().get(address).content != old
    assert cache.get(live_cache._MACHINE) == 1  # whose lock it is, takes it away


def test_a_process_asks_nobody_for_what_it_has_just_heard(
    stage: Stage, games: list[Game], committed: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(live_cache, "LATELY_SECONDS", 60.0)
    address = url("standings_live", stage)
    first = reader().get(address)
    reader().get(address)
    journeys: list[str] = []
    with monkeypatch.context() as watched:
        for name in ("get", "get_many", "add"):
            watched.setattr(cache, name, lambda *_, name=name: journeys.append(name), raising=False)
        same = reader().get(address, headers={"if-none-match": first["ETag"]})
        whole = reader().get(address)

    assert (same.status_code, whole.content, journeys) == (304, first.content, [])
    with committed():
        decide(stage, games[0], "1-0")
    assert reader().get(address, headers={"if-none-match": first["ETag"]}).status_code == 200
