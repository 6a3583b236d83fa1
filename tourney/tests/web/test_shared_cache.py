"""What caches in front of the server are told: every address of the program, and everybody who might ask for it.

`tests/data/shared_pages.txt` is the table of what may be shared.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache as once
from pathlib import Path
from typing import Any

import pytest
from django.db import transaction
from django.http import HttpRequest
from django.test import Client
from django.urls import resolve, reverse

from tourney.devices import COOKIE as DEVICE
from tourney.following import COOKIE as FOLLOW
from tourney.models import Player, Tournament
from tourney.shared_cache import BUILT, LIVE, OWN, PRIVATE, REFUSED, VARY, address_for_all, shared
from tourney.tests import world as worlds
from tourney.tests.web.test_permissions import FOR_ALL, ask, client_of
from tourney.tests.web.test_permissions import table as permissions
from tourney.tests.world import Address, World

DATA = Path(__file__).resolve().parent.parent / "data"
LIVES = {"live": LIVE, "built": BUILT}
# What says when it was made, to the second or (on paper) to the minute.
STAMPED = {"calendar", "news_feed", "round_print", "standings_print", "crosstable_print", "bracket_print"}


@pytest.fixture(scope="module")
def built(django_db_setup: None, django_db_blocker: Any) -> Iterator[World]:
    with django_db_blocker.unblock(), transaction.atomic():
        yield worlds.build("own")
        transaction.set_rollback(True)


@pytest.fixture
def world(built: World, db: None) -> World:
    return built


@once
def table() -> dict[str, str]:
    """Return "live", "built" or "own" by page."""
    lines = [line.split() for line in (DATA / "shared_pages.txt").read_text().splitlines() if line[:1] not in ("", "#")]
    return dict(lines)


def url_of(world: World, address: Address) -> str:
    return reverse(address.name, kwargs=world.kwargs(address.page, address.wanted))


def shared_addresses(world: World) -> list[tuple[str, str]]:
    """Return (page, address in English) of all that may be shared."""
    found = [one for one in worlds.addresses() if table().get(one.page) in LIVES]
    return [(one.page, address_for_all(url_of(world, one), "en")) for one in found]


def says(answer: Any) -> str:
    return str(answer.headers.get("Cache-Control", ""))


def is_private(answer: Any) -> bool:
    words = {word.strip() for word in says(answer).split(",")}
    return bool(words & {"private", "no-store"}) and not words & {"public"} and "s-maxage" not in says(answer)


def visitor(**cookies: str) -> Client:
    client = client_of()
    for name, text in cookies.items():
        client.cookies[name] = text
    return client


# -- every address ---------------------------------------------------------------------------------------------------


def test_the_table_lists_every_address_that_anybody_may_open_and_no_other() -> None:
    open_to_all = {page for page, (read, _send) in permissions().items() if read in FOR_ALL - {"off"}}

    assert sorted(open_to_all - set(table())) == [], "new addresses: say in shared_pages.txt whether they may be shared"
    assert sorted(set(table()) - open_to_all) == []
    assert set(table().values()) == {"live", "built", "own"}


@pytest.mark.slow
def test_every_address_says_who_may_keep_its_answer(world: World) -> None:
    wrong, seen = [], 0
    organizer = client_of(world.people["organizer"])
    for address in worlds.addresses():
        read = permissions().get(address.page, ("-", "-"))[0]
        if read == "-" or address.route.startswith(("healthz", "readyz")):
            continue
        word, url = table().get(address.page, "own"), url_of(world, address)
        life = LIVES.get(word)
        seen += 1
        for who, client in (("nobody", client_of()), ("organizer", organizer)):  # pages may give a visitor cookies
            answer, _writes = ask(client, "get", address_for_all(url, "en"))
            if life and who == "nobody":
                if (answer.status_code, says(answer), answer["Vary"]) != (200, life, VARY) or answer.cookies:
                    wrong.append(f"{address.page} ({word}): {answer.status_code} {says(answer)} {answer.cookies}")
            elif not is_private(answer):
                wrong.append(f"{address.page} for {who}: {answer.status_code} {says(answer)}")
        answer, _writes = ask(client_of(), "get", url)
        if not is_private(answer):
            wrong.append(f"{address.page} without a language: {answer.status_code} {says(answer)}")
    assert wrong == []
    assert seen > 150


@pytest.mark.parametrize("name", ["sessionid", "messages", DEVICE])
def test_who_is_known_by_a_cookie_gets_an_answer_of_his_own(world: World, name: str) -> None:
    answers = {page: says(visitor(**{name: "x"}).get(url)) for page, url in shared_addresses(world)}

    assert [page for page, said in answers.items() if "public" in said] == []
    assert len(answers) > 50


def test_who_follows_players_shares_only_pages_that_show_none(world: World) -> None:
    client = visitor(**{FOLLOW: "1:x"})

    sharing = {page for page, url in shared_addresses(world) if "public" in says(client.get(url))}

    kept = {page for page, url in shared_addresses(world) if hasattr(resolve(url.partition("?")[0]).func, "kept")}
    assert sharing == kept
    assert {"standings", "standings_live"} <= kept
    assert not {"section", "player", "event"} & kept


def test_no_cookie_reaches_the_view_of_a_shared_page(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    cookies: list[dict[str, str]] = []

    def noted(request: HttpRequest, **_: bool) -> None:
        cookies.append(dict(request.COOKIES))

    monkeypatch.setattr("tourney.views.public.note_shown", noted)
    client = visitor(csrftoken="a" * 32, other="1", django_language="uk")

    client.get("/?lang=en")
    client.get("/")

    assert cookies == [{}, {"csrftoken": "a" * 32, "other": "1", "django_language": "uk"}]


# -- hidden, refused, sent -------------------------------------------------------------------------------------------


def test_of_a_hidden_event_nothing_is_shared(world: World) -> None:
    Tournament.objects.update(public=False)
    organizer, wrong = client_of(world.people["organizer"]), []
    for page, url in shared_addresses(world):
        if page == "home":
            continue
        refused = visitor().get(url)
        if (refused.status_code, says(refused)) != (404, REFUSED):
            wrong.append(f"{page}: {refused.status_code} {says(refused)}")
        own = organizer.get(url)
        if own.status_code != 200 or not is_private(own):
            wrong.append(f"{page} for the organizer: {own.status_code} {says(own)}")
    assert wrong == []


def test_refusals_redirects_and_what_is_sent_are_nobody_elses(world: World) -> None:
    slug = world.rounds.slug
    answers = [
        visitor().get("/t/no-such-event/?lang=en"),
        visitor().get(f"/t/{slug}?lang=en"),  # to the address with its stroke
        visitor().get(f"/manage/{slug}/?lang=en"),  # to the sign-in page
        visitor().post("/?lang=en"),
        visitor().get(f"/t/{slug}/register/?lang=en"),  # a form with a token
        visitor().get(f"/t/{slug}/games.pgn?lang=en"),
    ]

    assert [(answer.status_code, is_private(answer)) for answer in answers] == [
        (404, True),
        (301, True),
        (302, True),
        (404, True),
        (200, True),
        (200, True),
    ]
    assert says(answers[0]) == REFUSED
    answers[-1].getvalue()


def test_a_page_that_asks_for_a_token_is_nobody_elses(world: World) -> None:
    """The first account of an empty installation is made on the page of all events."""
    from django.contrib.auth import get_user_model  # noqa: PLC0415 -- one test needs it

    Tournament.objects.update(public=False)
    get_user_model().objects.update(is_active=False)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("tourney.views.public.nobody_yet", lambda: True)
        answer = visitor().get("/?lang=en")

    assert b"csrfmiddlewaretoken" in answer.content
    assert says(answer) == PRIVATE


def test_a_view_is_shared_only_if_it_is_marked() -> None:
    marked = shared(LIVE)(lambda _request: None)  # type: ignore[arg-type, return-value]

    assert vars(marked)["shared"] == LIVE


# -- languages -------------------------------------------------------------------------------------------------------


def test_the_language_of_the_address_goes_before_cookie_and_browser(world: World) -> None:
    wrong = []
    for page, url in shared_addresses(world):
        plain = url.partition("?")[0]
        for language in ("uk", "ru", "en"):
            texts = set()
            for other in ("uk", "ru", "en"):
                client = Client(headers={"accept-language": other})
                client.cookies["django_language"] = other
                answer = client.get(address_for_all(plain, language))
                texts.add(answer.content)
                if answer["Content-Language"] != language:
                    wrong.append(f"{page}: {language} answered in {answer['Content-Language']}")
            if len(texts) != 1 and page not in STAMPED:
                wrong.append(f"{page}: {len(texts)} answers in {language}")
    assert wrong == []


def test_own_is_the_language_of_the_event(world: World) -> None:
    Tournament.objects.filter(pk=world.rounds.pk).update(language="ru")
    url = address_for_all(reverse("event", args=[world.rounds.slug]), OWN)

    answer = Client(headers={"accept-language": "uk"}).get(url)

    assert (says(answer), b'lang="ru"' in answer.content) == (BUILT, True)


@pytest.mark.parametrize("query", ["lang=", "lang=de", "lang=UK", "lang=uk%20", "xlang=uk", "lang", "a=lang=uk"])
def test_a_language_that_is_none_of_ours_is_not_shared(world: World, query: str) -> None:
    answer = visitor().get(f"/?{query}")

    assert (answer.status_code, says(answer)) == (200, PRIVATE)


def test_pages_ask_for_their_live_parts_in_their_own_language(world: World) -> None:
    stage = world.rounds.sections.get(code=world.kwargs("standings", frozenset({"section"}))["section"])
    page = Client(headers={"accept-language": "ru"}).get(reverse("standings", args=[world.rounds.slug, stage.code]))

    (live,) = re.findall(r'data-live="([^"]*)"', page.content.decode())

    assert live.endswith("lang=ru")
    assert says(visitor().get(live.replace("&amp;", "&"))) == LIVE


# -- nothing new -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("keeping", [True, False])
def test_nothing_new_is_said_with_the_same_words(world: World, settings: Any, keeping: bool) -> None:
    settings.KEEP_PAGES = keeping
    wrong = []
    for page, url in shared_addresses(world):
        if page in STAMPED:
            continue
        first = visitor().get(url)
        again = visitor().get(url, headers={"if-none-match": first["ETag"]})
        said = {name: (first[name], again[name]) for name in ("ETag", "Cache-Control", "Vary")}
        if again.status_code != 304 or again.content or any(one != other for one, other in said.values()):
            wrong.append(f"{page}: {again.status_code} {said}")
    assert wrong == []


def test_a_name_that_changes_no_version_makes_another_answer(world: World, settings: Any) -> None:
    """A cache that asks whether anything is new must not keep a name for good."""
    settings.KEEP_PAGES = True
    event = world.rounds
    code = world.kwargs("standings_live", frozenset({"section"}))["section"]
    url = address_for_all(reverse("standings_live", args=[event.slug, code]), "en")
    first = visitor().get(url)
    Player.objects.filter(pk=world.player.player_id).update(surname="Інакшенко")
    from tourney.live_cache import move_mark  # noqa: PLC0415 -- as the line in the log does, after its commit

    move_mark(event.slug)
    again = visitor().get(url, headers={"if-none-match": first["ETag"]})

    assert (again.status_code, "Інакшенко" in again.content.decode()) == (200, True)
    assert first["ETag"].split(".")[:2] == again["ETag"].split(".")[:2]
