"""Every address × everybody × own and foreign event: what the table says, and nothing that it does not list.

`tests/data/permissions.txt` is the table. The acts of a page are found by reading its forms as the organizer sees them,
and sent by everybody; an act that wants more than its page has a line of its own in `permission_acts.txt`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import urljoin

import pytest
from django.apps import apps
from django.db import connection, models, transaction
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import resolve, reverse

from tourney.devices import COOKIE
from tourney.models import Tournament
from tourney.permissions import NEEDS
from tourney.testing import builders
from tourney.testing.pages import Form, forms_of
from tourney.tests import world as worlds
from tourney.tests.world import Address, World

DATA = Path(__file__).resolve().parent.parent / "data"
IN_EVENT: dict[str, frozenset[str]] = {**NEEDS, "people": NEEDS["desk"] | NEEDS["arbitrate"]}
# Anybody may ask; what is answered hangs on the token, the tablet or nothing at all, never on who is signed in.
FOR_ALL = {"open", "public", "token", "device", "device_token", "off"}
STAFF = worlds.ROLES
OTHERS = ("nobody", "stranger", "elsewhere")  # `elsewhere` organizes another event
# Sign-out ends the session every other request of this test needs; the other sets the reader's language for all.
NOT_SENT = {"logout", "account_logout", "set_language"}
_WRITES = re.compile(r'^\s*(INSERT|UPDATE|DELETE)\b(?!.*"(django_session|usersessions_usersession)")', re.S)
# What a page holds that is new each time, or tells the address that was asked for.
_TOKENS = re.compile(rb'value="[A-Za-z0-9]{64}"|name="next" value="[^"]*"')


@pytest.fixture(scope="module")
def world(django_db_setup: None, django_db_blocker: Any) -> Iterator[tuple[World, World]]:
    """Two worlds, built once for this module and taken back as a whole."""
    with django_db_blocker.unblock(), transaction.atomic():
        yield worlds.build("own"), worlds.build("foreign")
        transaction.set_rollback(True)


@pytest.fixture
def own(world: tuple[World, World], db: None) -> World:
    return world[0]


@pytest.fixture
def foreign(world: tuple[World, World], db: None) -> World:
    return world[1]


# -- the table -------------------------------------------------------------------------------------------------------


@cache
def table() -> dict[str, tuple[str, str]]:
    """Return (who may read, who may send) by page."""
    lines = [line.split() for line in (DATA / "permissions.txt").read_text().splitlines() if line[:1] not in ("", "#")]
    return {page: (read, send) for page, read, send in lines}


def listed() -> list[Address]:
    """Return the addresses of the table; that there is no other is a test of its own."""
    return [address for address in worlds.addresses() if address.page in table()]


@cache
def acts() -> dict[tuple[str, frozenset[tuple[str, str]]], str]:
    """Return who may do what wants more than its page: by page and the fields that tell the act."""
    lines = [
        line.split() for line in (DATA / "permission_acts.txt").read_text().splitlines() if line[:1] not in ("", "#")
    ]
    return {(page, frozenset(tuple(field.split("=")) for field in said)): need for page, *said, need in lines}  # type: ignore[misc]


def need_of(page: str, data: dict[str, Any]) -> str:
    said = {(name, str(value[0] if isinstance(value, list) else value)) for name, value in data.items()}
    found = [need for (where, fields), need in acts().items() if where == page and fields <= said]
    return found[0] if found else table()[page][1]


def test_the_table_lists_every_address_and_no_other() -> None:
    pages = [address.page for address in worlds.addresses()]

    assert sorted(set(pages) - set(table())) == [], "new addresses: say in permissions.txt who may open them"
    assert sorted(set(table()) - set(pages)) == []
    assert len(pages) == len(set(pages)), sorted({page for page in pages if pages.count(page) > 1})
    words = FOR_ALL | set(IN_EVENT) | {"account", "installation", "owner", "-"}
    assert {word for row in table().values() for word in row} | set(acts().values()) <= words


# -- people ----------------------------------------------------------------------------------------------------------


def client_of(user: Any = None) -> Client:
    client = Client(headers={"accept-language": "en"}, raise_request_exception=False)
    if user is not None:
        client.force_login(user)
    return client


def everybody(own: World, foreign: World) -> dict[str, Client]:
    return {
        "nobody": client_of(),
        "stranger": client_of(builders.user("a-stranger")),
        "elsewhere": client_of(foreign.people["organizer"]),
        **{role: client_of(user) for role, user in own.people.items()},
    }


def url_of(world: World, address: Address, **other: Any) -> str:
    return reverse(address.name, kwargs=world.kwargs(address.page, address.wanted) | other)


def refusal(need: str, who: str) -> int:
    """Return what somebody is told who may not: 302 (to the sign-in page), 403 or 404; 0 for who may."""
    if need in FOR_ALL:
        return 0
    if who == "nobody":
        return 302
    if need == "account":
        return 0
    if need == "owner":
        return 404
    if need == "installation":
        return 0 if who in ("organizer", "elsewhere") else 403
    if who in OTHERS:
        return 404
    return 0 if who in IN_EVENT[need] else 403


def ask(client: Client, method: str, url: str, data: dict[str, Any] | None = None) -> tuple[Any, list[str]]:
    """Ask, take back what was done, and return the answer with what was written on the way."""
    writes: list[str] = []

    def noted(execute: Any, sql: str, *more: Any) -> Any:
        if _WRITES.match(sql):
            writes.append(sql[:200])
        return execute(sql, *more)

    with transaction.atomic(), connection.execute_wrapper(noted):
        answer = client.get(url) if method == "get" else client.post(url, data or {})
        transaction.set_rollback(True)
    if answer.streaming:
        answer.getvalue()  # a file that is sent stays open until it was read
    return answer, writes


def is_sign_in(answer: Any) -> bool:
    return answer.status_code == 302 and answer["Location"].startswith(reverse("login"))


def fault(who: str, method: str, url: str, need: str, answer: Any, writes: list[str]) -> str:
    """Return what is wrong with an answer, or nothing."""
    wanted, status = refusal(need, who), answer.status_code
    to_sign_in = is_sign_in(answer)
    told = f"{who}: {method} {url} ({need}) answers {status}"
    if status >= 500:
        return told
    if wanted and (status != wanted or (wanted == 302 and not to_sign_in)):
        return f"{told}, not {wanted}"
    if wanted and writes:
        return f"{told} and writes {writes[0]}"
    # The second step of signing in leads whoever has not done the first one back to it.
    if not wanted and ((to_sign_in and need != "open") or (status == 403 and need not in FOR_ALL)):
        return f"{told} and may"
    return ""


# -- the matrix ------------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_everybody_gets_the_answer_of_the_table_in_every_address(own: World, foreign: World) -> None:
    faults, asked = [], 0
    people = everybody(own, foreign)
    for address in listed():
        if address.name in NOT_SENT:
            continue
        url, (read, send) = url_of(own, address), table()[address.page]
        for method, need in (("get", read), ("post", send)):
            for who, client in people.items():
                if method == "post" and who in STAFF[1:] and not refusal(need, who):
                    continue  # one who may is enough for a form sent empty; acts have a test of their own
                answer, writes = ask(client, method, url)
                asked += 1
                if need in ("-", "off"):
                    # The library asks who it is before it asks what is wanted.
                    sent_in = read == "account" and is_sign_in(answer)
                    if answer.status_code not in ((405,) if need == "-" else (404, 405)) and not sent_in:
                        faults.append(f"{who}: {method} {url} answers {answer.status_code}, not 405")
                    break  # the same view for everybody, before it looks who asks
                faults.append(fault(who, method, url, need, answer, writes))
                if need in FOR_ALL and who == "stranger":
                    break  # nobody and somebody: more people get no other answer
    assert [one for one in faults if one] == []
    assert asked > 700


@pytest.mark.slow
def test_every_act_of_every_page_is_done_by_those_of_the_table_only(own: World, foreign: World) -> None:
    faults, sent = [], set()
    people = everybody(own, foreign)
    for page, url, data in acts_of(own):
        sent.add(page)
        for who, client in people.items():
            answer, writes = ask(client, "post", url, data)
            faults.append(fault(who, f"post {data.get('act', '')}", url, need_of(page, data), answer, writes))
    assert [one for one in faults if one] == []
    assert {"manage_entry", "manage_prizes", "manage_playoff", "manage_stop", "manage_bracket_player"} <= sent


def acts_of(world: World) -> list[tuple[str, str, dict[str, Any]]]:
    """Return every act the organizer's pages offer, once: page, address and what is sent; and those of the table."""
    client = client_of(world.people["organizer"])
    found: dict[tuple[str, str, str], tuple[str, str, dict[str, Any]]] = {}
    for address in listed():
        read, _send = table()[address.page]
        if read not in IN_EVENT:
            continue
        url = url_of(world, address)
        answer, _writes = ask(client, "get", url)
        if answer.status_code == 200 and answer["Content-Type"].startswith("text/html"):
            for form in forms_of(answer.content.decode()):
                for key, target, data in sendings(form, url):
                    if key[0] not in NOT_SENT and table()[key[0]][1] in IN_EVENT:
                        found.setdefault(key, (key[0], target, data))
    for (page, fields), _need in acts().items():
        address = next(one for one in worlds.addresses() if one.page == page)
        found[page, str(sorted(fields)), ""] = (page, url_of(world, address), dict(fields))
    return list(found.values())


def sendings(form: Form, url: str) -> Iterator[tuple[tuple[str, str, str], str, dict[str, Any]]]:
    """Yield what a form can send: (page, its act, its button), the address and the fields."""
    if form.method != "post":
        return
    target = urljoin(url, form.action).partition("#")[0]
    match = resolve(target.partition("?")[0])
    page = Address(str(match.url_name), "", frozenset(match.kwargs)).page
    for name, value in form.buttons or [("", "")]:
        data = form.data({}) | ({name: value} if name else {})
        act = "".join(str(data.get(key, "")) for key in ("act", "step", "decision"))
        yield (page, act, name), target, data


# -- objects of another event ----------------------------------------------------------------------------------------


def test_an_object_of_another_event_is_found_under_no_address_of_this_one(own: World, foreign: World) -> None:
    faults, asked = [], 0
    client = client_of(own.people["organizer"])
    for address in listed():
        read, send = table()[address.page]
        if read not in {*IN_EVENT, "public", "-"} or "slug" not in address.wanted:
            continue
        elsewhere = foreign.kwargs(address.page, address.wanted)
        others = {key: elsewhere[key] for key in ("pk",) if key in elsewhere}
        if address.page == "manage_receipt":
            others = {"number": 999}
        if not others:
            continue
        url = url_of(own, address, **others)
        for method, need in (("get", read), ("post", send)):
            if need != "-":
                answer, writes = ask(client, method, url)
                asked += 1
                if answer.status_code != 404 or writes:
                    faults.append(f"{method} {url} answers {answer.status_code} {writes[:1]}")
    assert faults == []
    assert asked > 15


@pytest.mark.slow
def test_forms_that_name_objects_of_another_event_change_nothing_there_and_show_nothing_of_it(
    own: World, foreign: World
) -> None:
    """What the organizer of the other event would send, sent to this one: by every form that both events have."""
    foreign.player.player.surname = "Чужинська"
    foreign.player.player.save()
    client = client_of(own.people["organizer"])
    here = {(page, str(data.get("act", data.get("step", "")))): url for page, url, data in acts_of(own)}
    there = [(page, data) for page, _url, data in acts_of(foreign)]
    before, told = everything_of(foreign.events), []
    with transaction.atomic():
        for page, data in there:
            url = here.get((page, str(data.get("act", data.get("step", "")))))
            if url is None:
                continue
            with transaction.atomic():
                answer = client.post(url, data)
            if answer.streaming:
                answer.getvalue()
                continue
            if "Чужинська" in answer.content.decode(errors="replace") and "Чужинська" not in str(data):
                told.append(url)
        after = everything_of(foreign.events)
        transaction.set_rollback(True)
    assert told == []
    assert [name for name in before if before[name] != after[name]] == []
    assert sum(map(len, before.values())) > 200


def everything_of(events: tuple[Tournament, ...]) -> dict[str, list[Any]]:
    """Return every row that belongs to the events, by table."""
    found = {}
    for model in apps.get_models():
        path = way_to_event(model)
        if path is not None:
            rows = model._default_manager.filter(**{f"{path}__in" if path else "pk__in": [one.pk for one in events]})
            found[model._meta.label] = sorted(map(repr, rows.values_list()))
    return found


def way_to_event(model: type[models.Model]) -> str | None:
    """Return the shortest way of foreign keys from a table to its event: `entry__tournament`; None without one."""
    waiting, known = [(model, "")], {model}
    while waiting:
        here, path = waiting.pop(0)
        if here is Tournament:
            return path
        for one in here._meta.get_fields():
            target = one.related_model if isinstance(one, models.ForeignKey) else None
            if isinstance(target, type) and target not in known and one.name != "rehearsal_of":
                known.add(target)
                waiting.append((target, f"{path}__{one.name}" if path else one.name))
    return None


# -- what is not there, and what is somebody else's --------------------------------------------------------------------


def test_a_foreign_event_answers_like_one_that_is_not_there(own: World, foreign: World) -> None:
    """The same status, the same words, as many questions to the database: nothing tells a stranger that it exists."""
    faults = []
    foreign_slug = foreign.rounds.slug
    for who, client in {"elsewhere": client_of(own.people["organizer"]), "nobody": client_of()}.items():
        for address in listed():
            read, _send = table()[address.page]
            if read not in IN_EVENT or "slug" not in address.wanted or (who == "nobody" and read != "staff"):
                continue
            kwargs = foreign.kwargs(address.page, address.wanted)
            pages = []
            for slug in (kwargs["slug"], "no-such-event"):
                with CaptureQueriesContext(connection) as queries:
                    answer = client.get(reverse(address.name, kwargs=kwargs | {"slug": slug}))
                location = answer.get("Location", "").replace(slug, "")
                body = _TOKENS.sub(b"", answer.content)
                pages.append((answer.status_code, location, body, len(queries)))
            if pages[0] != pages[1]:
                faults.append(f"{who}: {address.page} {[(one[0], one[1], one[3]) for one in pages]}")
    assert faults == []
    assert foreign_slug


def test_a_hidden_event_is_there_for_its_staff_only(own: World, foreign: World) -> None:
    faults = []
    people = everybody(own, foreign)
    asked = [
        (method, need, url_of(own, address))
        for address in listed()
        for method, need in zip(("get", "post"), table()[address.page], strict=True)
        if need in ("public", "token")
    ]
    shown = {(method, url): ask(people["arbiter"], method, url)[0].status_code for method, _need, url in asked}
    with transaction.atomic():
        Tournament.objects.filter(pk__in=[event.pk for event in own.events]).update(public=False)
        for method, need, url in asked:
            for who in ("nobody", "stranger", "elsewhere", "arbiter"):
                answer, writes = ask(people[who], method, url)
                hidden = need == "token" or who != "arbiter"
                # What is not there in an open event either (no picture of a bracket without one) is no secret.
                wanted = 404 if hidden else shown[method, url]
                if answer.status_code != wanted or (hidden and writes):
                    faults.append(f"{who}: {method} {url} answers {answer.status_code}, not {wanted}")
        transaction.set_rollback(True)
    assert faults == []
    assert sum(status == 200 for status in shown.values()) > 40


def test_a_token_opens_its_own_page_and_another_one_none(own: World, foreign: World) -> None:
    """Not even a letter of another case; and a wrong token answers like a page that was never there."""
    client = client_of()
    swapped = own.link_token.swapcase()
    for address in listed():
        if table()[address.page][0] != "token":
            continue
        wrong = [url_of(own, address, token=token) for token in (swapped, own.link_token[:-1], own.link_token + "A")]
        never = reverse("entrant", kwargs={"token": "x" * 22})
        bodies = {(client.get(url).status_code, _TOKENS.sub(b"", client.get(url).content)) for url in (*wrong, never)}
        assert len(bodies) == 1, address.page
        assert bodies.pop()[0] == 404


def test_a_tablet_reaches_its_own_link_and_nothing_of_the_staff(own: World, foreign: World) -> None:
    tablet = client_of()
    tablet.cookies[COOKIE] = worlds.DEVICE_SECRET
    other = client_of()
    other.cookies[COOKIE] = "another-secret"

    assert tablet.get(reverse("tablet", args=[own.device.pk])).status_code == 200
    assert other.get(reverse("tablet", args=[own.device.pk])).status_code == 409
    assert other.post(reverse("tablet", args=[own.device.pk])).status_code == 409
    for address in listed():
        read, send = table()[address.page]
        for method, need in (("get", read), ("post", send)):
            if need in IN_EVENT:
                answer, writes = ask(tablet, method, url_of(own, address))
                assert fault("nobody", method, address.page, need, answer, writes) == ""
