"""What was reported against programs like this one, tried on ours: `tourney/docs/reports.md` lists all of it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings as django_settings
from django.contrib.auth import get_user_model
from django.contrib.auth.hashers import MD5PasswordHasher
from django.db import transaction
from django.test import Client
from django.urls import reverse

from prizes.diploma_words import check_words
from tourney.kernel.errors import TourneyError
from tourney.tests import world as worlds
from tourney.tests.web.test_permissions import IN_EVENT, ask, client_of, listed, table, url_of
from tourney.tests.world import World

ROOT = Path(django_settings.BASE_DIR)
REPORTS = ROOT / "tourney" / "docs" / "reports.md"
EVIL = "<img src=x onerror=alert(1)>"
MARK = re.compile(r"<img src=x|<script>alert|javascript:alert")


@pytest.fixture(scope="module")
def world(django_db_setup: None, django_db_blocker: Any) -> Iterator[World]:
    with django_db_blocker.unblock(), transaction.atomic():
        yield worlds.build("reports")
        transaction.set_rollback(True)


@pytest.fixture
def own(world: World, db: None) -> World:
    return world


def test_every_report_of_the_list_names_tests_that_are_there_or_says_why_it_can_not_happen() -> None:
    rows = [line for line in REPORTS.read_text().splitlines() if re.match(r"\| \d+ \|", line)]
    assert [int(row.split("|")[1]) for row in rows] == list(range(1, 37))
    for row in rows:
        tests = re.findall(r"`([\w/]+\.py)::(\w+)`", row)
        assert tests or "can't" in row, row
        for file, name in tests:
            assert f"def {name}(" in (ROOT / file).read_text(), f"{file}::{name}"


@pytest.mark.slow
def test_text_of_people_is_text_on_every_page(own: World) -> None:
    """Names, titles, notes and reasons with markup in them: no page of anybody lets it through."""
    player = own.player.player
    player.surname = player.given_name = player.club = player.city = EVIL
    player.save()
    event = own.rounds
    event.title = dict.fromkeys(("uk", "ru", "en"), f"Cup {EVIL}")
    event.venue_note = event.organizer = dict.fromkeys(("uk", "ru", "en"), EVIL)
    event.save()
    application = own.player.application
    application.note = application.guardian_name = EVIL
    application.save()
    found, shown = [], 0
    for who in ("organizer", "nobody"):
        client = client_of(own.people.get(who))
        for address in listed():
            if table()[address.page][0] not in {*IN_EVENT, "public", "token"}:
                continue
            answer = client.get(url_of(own, address))
            if answer.status_code == 200 and "html" in answer.get("Content-Type", ""):
                text = answer.content.decode()
                shown += "&lt;img src=x" in text
                found += [f"{who}: {address.page}"] if MARK.search(text) else []
    assert found == []
    assert shown > 30


def test_every_page_forbids_inline_code(own: World) -> None:
    for url in ("/", reverse("event", args=[own.rounds.slug]), reverse("login"), "/no/such/page/"):
        policy = client_of().get(url)["Content-Security-Policy"]
        assert "'unsafe-inline'" not in policy
        assert "default-src 'none'" in policy
        assert "script-src 'self'" in policy


# What a policy without 'unsafe-inline' would not let run, and a reader would see undone.
_INLINE = {
    "script": re.compile(r"<script(?![^>]*\bsrc=)(?![^>]*type=\"(?:application/json|importmap)\")[^>]*>", re.I),
    "handler": re.compile(r"<[a-z][^<>]*\son[a-z]+\s*=", re.I),
    "style": re.compile(r"<style\b|<[a-z][^<>]*\sstyle\s*=", re.I),
    "address": re.compile(r"(?:href|src|action)\s*=\s*[\"']?\s*(?:javascript|vbscript|data:text)", re.I),
}
FRAMED_ELSEWHERE = {"game_embed"}
FOR_MACHINES = {"healthz", "readyz", "metrics"}


@pytest.mark.slow
def test_no_page_of_the_program_has_inline_code_and_every_answer_forbids_it(own: World) -> None:
    """Every address, as somebody who may read it: with the acts, the errors and the forms that stand there."""
    owner = client_of(get_user_model().objects.create_superuser("the-owner", password=None))
    faults, pages = [], 0
    for address in listed():
        url = url_of(own, address)
        for who, client in (("nobody", client_of()), ("owner", owner)):
            answer, _writes = ask(client, "get", url)
            told, kind = f"{who} {url} ({answer.status_code})", answer.get("Content-Type", "")
            if address.page in FOR_MACHINES or not kind.startswith(("text/html", "image/svg")):
                continue
            policy = answer.get("Content-Security-Policy", "")
            if "unsafe" in policy or "default-src 'none'" not in policy or "script-src 'self'" not in policy:
                faults.append(f"{told}: {policy or 'no policy'}")
            if answer.get("X-Content-Type-Options") != "nosniff" or not answer.get("Referrer-Policy"):
                faults.append(f"{told}: {answer.headers}")
            if ("frame-ancestors 'none'" in policy) == (address.page in FRAMED_ELSEWHERE and answer.status_code == 200):
                faults.append(f"{told}: {policy}")
            if kind.startswith("text/html"):
                pages += answer.status_code == 200
                text = answer.content.decode()
                for name, pattern in _INLINE.items():
                    faults += [f"{told}: {name} {found[0][:120]}" for found in [pattern.search(text)] if found]
    assert not faults, "\n".join(faults)
    assert pages > 150


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("<script>alert(1)</script>", "script"),
        ('<a href="/" onclick="x()">', "handler"),
        ('<p style="color:red">', "style"),
        ('<a href=" javascript:x()">', "address"),
    ],
)
def test_inline_code_would_be_found(text: str, name: str) -> None:
    assert [one for one, pattern in _INLINE.items() if pattern.search(text)] == [name]
    clean = '<script src="/a.js"></script><p class="on">1 = one</p>'
    assert not any(pattern.search(clean) for pattern in _INLINE.values())


@pytest.mark.parametrize("blank", ["{name.__class__}", "{name.__init__.__globals__}", "{x}", "{name[0]}"])
def test_blanks_of_diplomas_reach_no_insides(blank: str) -> None:
    """Only the listed blanks are filled in; another one is refused when the words are saved."""
    with pytest.raises(TourneyError, match=r"diploma\.unknown_blank"):
        check_words(f"for {blank}")


def test_a_foreign_host_is_refused_so_no_link_in_a_letter_can_lead_there(own: World) -> None:
    answer = client_of().get(reverse("event", args=[own.rounds.slug]), headers={"host": "evil.example"})

    assert answer.status_code == 400


@pytest.mark.parametrize("origin", ["null", "http://evil.example", "file://"])
def test_forms_of_other_sites_are_refused(own: World, origin: str) -> None:
    client = Client(enforce_csrf_checks=True, headers={"origin": origin})
    client.force_login(own.people["organizer"])
    page = reverse("manage_staff", args=[own.rounds.slug])
    client.get(page)
    token = client.cookies["csrftoken"].value if "csrftoken" in client.cookies else "x"

    assert client.post(page, {"act": "add", "csrfmiddlewaretoken": token}).status_code == 403


def test_a_page_of_the_staff_is_never_given_to_somebody_else(own: World, settings: Any) -> None:
    """With pages kept for everybody: what the staff sees of a hidden event is not what comes out of the cache."""
    settings.KEEP_PAGES = True
    event = own.rounds
    type(event).objects.filter(pk=event.pk).update(public=False)
    staff = client_of(own.people["organizer"])
    for name in ("event", "standings", "pairings", "regulation", "lots"):
        address = next(one for one in listed() if one.page == name)
        url = url_of(own, address)
        first = staff.get(url)
        assert first.status_code == 200
        assert "public" not in first.get("Cache-Control", "")
        assert client_of().get(url).status_code == 404, name


def test_an_unknown_name_costs_as_much_hashing_as_a_known_one(own: World, monkeypatch: pytest.MonkeyPatch) -> None:
    user = get_user_model().objects.create_user("known-name", password="sicilian-hedgehog")
    hashed: list[str] = []
    real = MD5PasswordHasher.encode

    def encode(self: Any, password: str, *more: Any, **options: Any) -> str:
        hashed.append(password)
        return real(self, password, *more, **options)

    monkeypatch.setattr(MD5PasswordHasher, "encode", encode)
    counts = []
    for name in (user.username, "nobody-of-this-name"):
        hashed.clear()
        client_of().post(reverse("login"), {"username": name, "password": "wrong"})
        counts.append(len(hashed))
    assert counts == [1, 1]


@pytest.mark.parametrize("order", ["rating) --", "player__application__email", "-pk", "?", "id;select 1", "\x00"])
def test_orders_come_from_a_list(own: World, order: str) -> None:
    code = own.objects[f"section of {own.rounds.pk}"]
    for name in ("section", "standings", "games"):
        args = [own.rounds.slug] if name == "games" else [own.rounds.slug, code]
        for field in ("order", "sort", "by"):
            answer = client_of().get(reverse(name, args=args), {field: order})
            assert answer.status_code == 200, (name, field)
    for name in ("manage_entries", "manage_log", "manage_bank"):
        answer = client_of(own.people["organizer"]).get(reverse(name, args=[own.rounds.slug]), {"order": order})
        assert answer.status_code == 200, name


def test_receipts_and_files_open_with_no_parameter_of_any_kind(own: World) -> None:
    for name in ("manage_receipt", "diploma_file", "manage_document", "manage_treasury_xlsx", "manage_entries_csv"):
        url = url_of(own, next(one for one in listed() if one.page == name))
        for question in ("", "?key=x", "?secure_key=1&token=1", "?user=1"):
            assert client_of().get(url + question).status_code == 302, url + question


def test_uploaded_pictures_come_back_as_pictures_and_nothing_else(own: World) -> None:
    answer = client_of(own.people["desk"]).get(url_of(own, next(a for a in listed() if a.page == "manage_document")))

    assert answer["Content-Type"] in ("image/png", "image/jpeg", "image/webp")
    assert answer["X-Content-Type-Options"] == "nosniff"
    assert "no-store" in answer["Cache-Control"] or "private" in answer["Cache-Control"]


@pytest.mark.parametrize(
    "package", ["weasyprint", "xhtml2pdf", "openpyxl", "xlrd", "lxml", "oauthlib", "channels", "pyyaml"]
)
def test_packages_of_these_reports_are_not_installed(package: str) -> None:
    pins = (ROOT / "requirements.txt").read_text().lower()

    assert f"\n{package}==" not in pins
