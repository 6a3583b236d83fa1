"""Planted personal data are on no public page, in no file, feed or log, and on no page of an arbiter who needs none.

Every address of the table that anybody may read is read, in three languages, and what it links to within the event. The
desk's page of the same player shows that the data are there to be found.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Iterator
from typing import Any
from urllib.parse import urljoin

import pytest
from django.db import transaction
from django.test import Client
from django.urls import Resolver404, resolve, reverse

from tourney.private_logs import WithoutPrivateData
from tourney.tests import world as worlds
from tourney.tests.web.test_permissions import client_of, listed, table, url_of
from tourney.tests.world import CANARIES, World

MOST_OF_A_PAGE = 4  # pages of one pattern that links lead to
# What also stands where it belongs: on the personal page behind the token, and on pages of those who work with it.
ON_PERSONAL_PAGE = {"mail", "telephone", "guardian", "relation"}


@pytest.fixture(scope="module")
def world(django_db_setup: None, django_db_blocker: Any) -> Iterator[World]:
    with django_db_blocker.unblock(), transaction.atomic():
        yield worlds.build("canary")
        transaction.set_rollback(True)


@pytest.fixture
def own(world: World, db: None) -> World:
    return world


def told(text: str, but: set[str] = frozenset()) -> set[str]:  # type: ignore[assignment]
    """Return the names of the canaries a text holds."""
    return {name for name, words in CANARIES.items() if name not in but and words in text}


def text_of(answer: Any) -> str:
    content = answer.getvalue() if answer.streaming else answer.content
    return f"{answer.headers}\n{content.decode(errors='replace')}"


def public_pages(own: World, client: Client) -> Iterator[tuple[str, str]]:
    """Yield (address, all that came back) of every public page, and of what they link to."""
    waiting = [url_of(own, one) for one in listed() if table()[one.page][0] in ("public", "open", "device_token")]
    known: set[str] = set()
    seen: dict[str, int] = {}
    while waiting:
        url = waiting.pop(0)
        try:
            match = resolve(url.partition("?")[0])
        except Resolver404:
            continue
        name = str(match.url_name)
        if url in known or seen.get(name, 0) >= MOST_OF_A_PAGE or name == "invitation":
            continue
        known.add(url)
        seen[name] = seen.get(name, 0) + 1
        text = text_of(client.get(url))
        yield url, text
        for link in re.findall(r'(?:href|data-live|src)="([^"]+)"', text):
            target = urljoin(url, link.replace("&amp;", "&")).partition("#")[0]
            if target.startswith(("/t/", "/lot/", "/h/")):
                waiting.append(target)


@pytest.mark.slow
@pytest.mark.parametrize("language", ["uk", "ru", "en"])
def test_no_public_page_file_or_feed_tells_anything_private(own: World, language: str) -> None:
    client = Client(headers={"accept-language": language}, raise_request_exception=False)
    pages = dict(public_pages(own, client))

    assert {url: found for url, text in pages.items() if (found := told(text))} == {}
    assert len(pages) > 60
    assert sum(own.player.player.surname in text for text in pages.values()) > 5


def test_the_desk_finds_what_was_planted(own: World) -> None:
    """So the test above looks for what is really there."""
    client = client_of(own.people["desk"])
    found: set[str] = set()
    for page in ("manage_entry", "manage_entry_edit", "manage_claims", "manage_bank", "manage_bank_row", "manage_cash"):
        address = next(one for one in listed() if one.page == page)
        found |= told(text_of(client.get(url_of(own, address))))
    assert {"mail", "telephone", "guardian", "reason of a discount", "payer", "purpose of a payment"} <= found


def test_no_page_of_the_treasurer_tells_contacts_or_why_somebody_pays_less(own: World) -> None:
    client = client_of(own.people["treasurer"])
    private = {"birth date", "birth date in words", "mail", "telephone", "guardian", "relation", "note", "address"}
    private |= {"reason of a discount"}
    found, money = {}, set()
    for address in listed():
        if "slug" in address.wanted:
            answer = client.get(url_of(own, address))
            text = text_of(answer) if answer.status_code == 200 else ""
            money |= told(text, private)
            # An appeal names who filed it: every member of the staff reads it. And money goes back to a guardian.
            named = "appeal" in address.page or address.page == "manage_treasury"
            here = told(text, set(CANARIES) - private) - ({"guardian"} if named else set())
            if here:
                found[address.page] = here
    assert found == {}
    assert {"payer", "purpose of a payment", "note of a payment"} <= money


@pytest.mark.parametrize("role", ["arbiter", "chief_arbiter"])
def test_no_page_of_an_arbiter_tells_why_somebody_pays_less_or_what_a_bank_says(own: World, role: str) -> None:
    client = client_of(own.people[role])
    private = {"reason of a discount", "payer", "account", "purpose of a payment", "note of a payment"}
    private |= {"mail", "telephone", "guardian", "relation", "note", "address"} if role == "arbiter" else set()
    found = {}
    for address in listed():
        if "slug" in address.wanted:
            answer = client.get(url_of(own, address))
            here = told(text_of(answer), set(CANARIES) - private) if answer.status_code == 200 else set()
            # An appeal names who filed it; arbiters and the committee judge it.
            here -= {"guardian"} if address.page.startswith("manage_appeal") else set()
            if here:
                found[address.page] = here
    assert found == {}


def test_the_personal_page_shows_its_own_contacts_and_is_kept_by_nobody(own: World) -> None:
    for page in ("entrant", "entrant_edit", "entrant_papers", "entrant_data"):
        answer = client_of().get(reverse(page, args=[own.link_token]))
        assert answer["Cache-Control"] == "no-store", page
        assert told(text_of(answer)) - ON_PERSONAL_PAGE - {
            "patronymic", "birth date", "birth date in words", "note", "address", "reason of a discount", "appeal",
            "note of a payment",
        } == set(), page  # fmt: skip


def test_no_log_line_tells_anything_private(own: World, caplog: pytest.LogCaptureFixture) -> None:
    """Pages, refusals and a failure with the data in its message, through the filter every handler has."""
    caplog.set_level(logging.DEBUG)
    caplog.handler.addFilter(WithoutPrivateData())
    client = client_of(own.people["organizer"])
    client.get(url_of(own, next(one for one in listed() if one.page == "manage_entry")))
    client.get(f"/e/{own.link_token}/no-such-page/")
    client.get(f"/no/{CANARIES['mail']}/")
    client_of().post(reverse("login"), {"username": CANARIES["mail"], "password": CANARIES["telephone"]})
    try:
        raise ValueError(CANARIES["mail"])
    except ValueError:
        logging.getLogger("tourney").exception("letter to %s: %s", CANARIES["mail"], CANARIES["telephone"])

    assert "letter to [mail]: [telephone]" in caplog.text
    assert told(caplog.text) == set()
    assert own.link_token not in caplog.text
