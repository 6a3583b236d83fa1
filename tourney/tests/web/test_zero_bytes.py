"""A zero byte, which the database takes in no text, reaches no view: every form of the staff is sent with some."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from html.parser import HTMLParser
from typing import Any
from urllib.parse import urljoin

import pytest
from django.db import transaction
from django.http import QueryDict
from django.test import Client
from django.urls import Resolver404, resolve, reverse

from brackets.tests import builders as bracket
from swiss.tests import builders as rounds
from tourney.middleware import without_zero_bytes
from tourney.models import ActionLog, Tournament
from tourney.testing import builders

pytestmark = pytest.mark.django_db

NUL = "\0"
NO_TEXT = ("checkbox", "radio", "file", "submit", "button", "image", "reset")


class Forms(HTMLParser):
    """The forms of a page that are sent by POST, each as its address, its fields and its buttons; and the links."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.forms: list[tuple[str, dict[str, str], list[tuple[str, str]]]] = []
        self.links: list[str] = []
        self._fields: dict[str, str] | None = None
        self._select = ""
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        name, value = given.get("name", ""), given.get("value", "")
        if tag == "a":
            self.links.append(given.get("href", ""))
        elif tag == "form":
            self._fields = {} if given.get("method", "").lower() == "post" else None
            if self._fields is not None:
                self.forms.append((given.get("action", ""), self._fields, []))
        elif self._fields is None:
            return
        elif tag == "button" or (tag == "input" and given.get("type") == "submit"):
            if name:
                self.forms[-1][2].append((name, value))
        elif tag == "input" and name and (given.get("type") not in NO_TEXT or "checked" in given):
            self._fields[name] = value or "1"
        elif tag == "textarea" and name:
            self._fields[name] = "some words"
        elif tag == "select":
            self._select = name
        elif tag == "option" and self._select and (not self._fields.get(self._select) or "selected" in given):
            self._fields[self._select] = value

    def handle_endtag(self, tag: str) -> None:
        if tag == "form":
            self._fields = None
        elif tag == "select":
            self._select = ""


def pages_of(client: Client, start: str) -> Iterator[tuple[str, Forms]]:
    """Follow the links of the staff's pages; give one page for each pattern of addresses."""
    waiting, known = deque([start]), set()
    while waiting:
        url = waiting.popleft()
        try:
            name = resolve(url.partition("?")[0]).url_name
        except Resolver404:
            continue
        if name in known or not url.startswith(start):
            continue
        known.add(name)
        answer = client.get(url)
        if answer.status_code != 200 or not answer["Content-Type"].startswith("text/html"):
            continue
        page = Forms(answer.content.decode())
        yield url, page
        waiting.extend(urljoin(url, link).partition("#")[0] for link in page.links)


def send_everything(event: Tournament) -> tuple[set[str], list[str]]:
    """Send every form with zero bytes in all it says, and take each act back; return views reached, and faults."""
    boss = builders.user("boss")
    boss.is_superuser = boss.is_staff = True
    boss.save()
    client = Client(headers={"accept-language": "en"}, raise_request_exception=False)
    client.force_login(boss)
    reached: set[str] = set()
    faults = []
    for url, page in pages_of(client, reverse("manage_event", args=[event.slug])):
        for action, fields, buttons in page.forms:
            target = urljoin(url, action).partition("#")[0]
            name = str(resolve(target.partition("?")[0]).url_name)
            if name in ("logout", "set_language"):
                continue
            for extra in [dict([button]) for button in buttons] or [{}]:
                with transaction.atomic():
                    status = post(client, target, fields | extra)
                    transaction.set_rollback(True)
                reached.add(name)
                if status >= 500:
                    faults.append(f"{status} {target} {fields | extra}")
    return reached, faults


def post(client: Client, target: str, said: dict[str, str]) -> int:
    answer = client.post(target, {name: value + NUL for name, value in said.items()})
    if answer.streaming:
        answer.getvalue()  # a file that is sent stays open until it was read
    return answer.status_code


def test_no_form_of_a_swiss_tournament_stumbles_over_a_zero_byte() -> None:
    stage = rounds.stage_of(8)
    rounds.play(stage, "1-0 1/2")
    rounds.next_round(stage)

    reached, faults = send_everything(stage.section.tournament)

    assert faults == []
    assert {"manage_results", "manage_lateness", "manage_devices", "manage_section"} <= reached, reached


def test_no_form_of_a_bracket_stumbles_over_a_zero_byte() -> None:
    stage = bracket.drawn(32)
    bracket.play_all(stage, most=2)

    reached, faults = send_everything(stage.section.tournament)

    assert faults == []
    assert {"manage_match", "manage_bracket"} <= reached, reached


def test_what_stands_around_a_zero_byte_is_taken_as_it_is() -> None:
    stage = rounds.stage_of(8)
    (round_, event) = (rounds.next_round(stage), stage.section.tournament)
    client = Client()
    client.force_login(builders.user("chief", event, "chief_arbiter"))

    client.post(
        reverse("manage_round", args=[event.slug, stage.section.code, round_.number]),
        {"act\0": "unpublish", "reason": "the hall\0 is closed"},
    )

    assert ActionLog.objects.filter(tournament=event, reason="the hall is closed").exists()


def test_addresses_with_a_zero_byte_lead_nowhere_and_questions_lose_theirs(client: Client) -> None:
    stage = bracket.drawn(32)
    event, code = stage.section.tournament.slug, stage.section.code

    assert client.get(f"/t/{event}/{code}/match/U1.1%00/").status_code == 404
    assert client.get(f"/e/{'x' * 20}%00/").status_code == 404
    assert client.get(f"/t/{event}/games/", {"q": "Пе\0тр"}).context["wanted"].search == "Петр"


def test_fields_without_a_zero_byte_stay_the_same_object() -> None:
    sent: Any = QueryDict("a=1&a=2&b=")
    damaged = QueryDict("a=1%00&a=2&%00b=")

    assert without_zero_bytes(sent) is sent
    assert list(without_zero_bytes(damaged).lists()) == [("a", ["1", "2"]), ("b", [""])]
