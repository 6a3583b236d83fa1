"""Every kind of page, with the demo in every state: opened by whoever may, in the language, on small screens, by axe.

Pages are found by following links: one page for each address pattern and event is enough. A link that a person sees
leads somewhere; a page is fit for people who can't see or can't use a mouse; it stays inside a telephone; nothing on
it is left in English.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterable, Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from urllib.parse import urljoin, urlsplit

import polib
import pytest
from django.conf import settings
from django.contrib.auth import get_user_model
from django.test import Client
from django.urls import Resolver404, resolve

from registration.links import path_of
from registration.models import Application
from tourney.demo.loading import load
from tourney.testing.pages import SIGN_IN, Cast, stays_inside, unfit_for_all

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.slow]

LANGUAGE = "uk"
PASSWORD = "only for this test"
ROLES = ("demo-organizer", "demo-chief", "demo-arbiter", "demo-desk")
DARK = {"event", "standings", "bracket", "register", "manage_event", "manage_results", "manage_bracket", "lot"}
# Files and fragments are no pages; signing out and pages of the developer are not followed.
NO_PAGES = re.compile(r"\.(csv|pgn|ics|json|py|trf|zip|xml)$|/_live/|/standings/why/|/_design/|/sign-out/|/static/")
# How a file begins that is what its Content-Type says; a file met on the way is looked at no further.
BEGINNINGS = {
    "application/pdf": b"%PDF-",
    "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": b"PK",
    "image/jpeg": b"\xff\xd8\xff",
    "image/png": b"\x89PNG",
}


class _Reader(HTMLParser):
    """The links of a page, and its words: texts and what screen readers say."""

    def __init__(self) -> None:
        super().__init__()
        self.links: list[str] = []
        self.words: list[str] = []
        self._silent = 0
        self._foreign: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        if tag == "a" and given.get("href"):
            self.links.append(given["href"])
        if tag == "span":
            self._foreign.append(given.get("lang", ""))
        if tag in ("script", "style", "code", "pre", "textarea"):
            self._silent += 1
        for name in ("title", "placeholder", "aria-label", "alt"):
            if given.get(name) and given.get("lang") != "en":
                self.words.append(given[name])

    def handle_endtag(self, tag: str) -> None:
        if tag == "span" and self._foreign:
            self._foreign.pop()
        if tag in ("script", "style", "code", "pre", "textarea"):
            self._silent -= 1

    def handle_data(self, data: str) -> None:
        if not self._silent and "en" not in self._foreign and data.strip():  # names of openings are English, and say so
            self.words.append(" ".join(data.split()))


def read(html: str) -> _Reader:
    reader = _Reader()
    reader.feed(html)
    return reader


def crawl(client: Client, *starts: str) -> Iterator[tuple[str, str, int, str]]:
    """Follow links from page to page; give the pattern's name, the address, the status and the page.

    A link to a file that opens is no page; the file must be one of its kind.
    """
    seen: set[tuple[str, str]] = set()
    waiting = deque(starts)
    while waiting:
        url = waiting.popleft()
        path = urlsplit(url).path
        try:
            match = resolve(path)
        except Resolver404:
            yield "", url, 404, ""
            continue
        key = (match.url_name or path, str(match.kwargs.get("slug", "")))
        if key in seen or NO_PAGES.search(path):
            continue
        seen.add(key)
        answer = client.get(url, follow=True)
        kind = answer.headers.get("Content-Type", "").partition(";")[0]
        if answer.status_code == 200 and kind != "text/html":
            content = answer.getvalue()
            assert content, f"{url} is an empty file"
            assert content.startswith(BEGINNINGS.get(kind, b"")), f"{url} is no {kind}"
            continue
        html = answer.content.decode() if kind == "text/html" else ""
        yield str(match.url_name), url, answer.status_code, html
        for link in read(html).links:
            target = urljoin(url, link)
            if target.startswith("/"):
                waiting.append(target.partition("#")[0])


# -- words left in English -------------------------------------------------------------------------------------------

# What is written in Latin letters in every language: names of things, codes, and what people typed.
NAMES = """
    Tourney Eng English mail FIDE IBAN PGN TRF TRFx CSV JSON YouTube Chess Leader Space SHA Python HTML Elo Windows
    UTF WIN FEN Najdorf ARO BPG KMS WGM WIM WFM UKR RUS UAH RUB USD EUR UTC Del Esc Enter
    DGT LiveChess XLSX XLS XML TXT PDF JPEG PNG SVG WebP Chrome Linux monobank iBank Telegram Atom
"""
LATIN = set(NAMES.split())
DATA = re.compile(
    r"\{[a-z]+\}"  # the blanks of a diploma's words
    r"|https?://\S+|[\w.+-]+@[\w.-]+|demo-[\w.-]+"  # addresses, names of users
    r"|[0-9a-f]{8,}|SHA-256\(\S+|\b[A-Z0-9]{6}\b"  # sums, references of payments
    r"|\b[A-Z][a-z]+/[A-Z][A-Za-z_]+"  # time zones
    r"|\b[KQRBN]?[a-h]?[1-8]?x?[a-h][1-8](?:=[QRBN])?[+#]?|\bO-O(?:-O)?"  # moves
    r"|\b[A-Z]{1,4}\d[\w./]*|\b[a-z0-9]+(?:[_.-][a-z0-9_]+)+\b|BH/C1"  # matches, codes, files
)
LETTERS = re.compile(r"[A-Za-z]{3,}")


def english_left(words: Iterable[str], known: set[str]) -> set[str]:
    """Return what of a page's words is a sentence of the source, or has Latin words that are no names."""
    found = set()
    for text in words:
        if text in known or set(LETTERS.findall(DATA.sub(" ", text))) - LATIN:
            found.add(text)
    return found


def sentences(language: str) -> set[str]:
    """Return the sentences of the source that have another wording in a language."""
    catalogue = polib.pofile(str(Path(settings.BASE_DIR, "tourney/locale", language, "LC_MESSAGES/django.po")))
    return {
        entry.msgid
        for entry in catalogue
        if "%" not in entry.msgid and entry.msgid != entry.msgstr and set(LETTERS.findall(entry.msgid)) - LATIN
    }


# -- the test --------------------------------------------------------------------------------------------------------


def test_every_kind_of_page_is_fit_for_everybody(cast: Cast, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DEMO_PASSWORD", PASSWORD)
    load()
    slugs = ("demo-mari-el", "demo-kyiv-cup", "demo-kyiv-spring")
    application = Application.objects.filter(entry__tournament__slug="demo-kyiv-spring").earliest("pk")
    public = ["/", *(f"/t/{slug}/" for slug in slugs), path_of(application), SIGN_IN]
    staff = ["/manage/", "/manage/new/", *(f"/manage/{slug}/" for slug in slugs)]
    faults: list[str] = []
    pages: dict[str, tuple[str, str]] = {}
    for name in ("", *ROLES):
        client = Client(headers={"accept-language": "uk"})
        if name:
            client.force_login(get_user_model().objects.get(username=name))
        for pattern, url, status, html in crawl(client, *(staff if name else public)):
            if status != 200:
                faults.append(f"{name or 'anybody'}: {url} answers {status}")
                continue
            pages.setdefault(pattern, (url, name))
            if name in ("", "demo-organizer"):  # the others see parts of the same
                faults += [f"{url} is in English: {text}" for text in english_left(read(html).words, known("uk"))]
    assert len(pages) > 60
    browsers = {name: sign_in_as(cast, name) for name in {name for _url, name in pages.values()}}
    for pattern, (url, name) in sorted(pages.items()):
        faults += looked_at(browsers[name], pattern, url)
    russian = Client(headers={"accept-language": "ru"})
    russian.force_login(get_user_model().objects.get(username="demo-organizer"))
    for url, _name in pages.values():
        html = russian.get(url, follow=True).content.decode()
        faults += [f"{url} is in English (ru): {text}" for text in english_left(read(html).words, known("ru"))]
    assert not faults, "\n".join(sorted(set(faults)))


_known: dict[str, set[str]] = {}


def known(language: str) -> set[str]:
    if language not in _known:
        _known[language] = sentences(language)
    return _known[language]


def sign_in_as(cast: Cast, name: str) -> Any:
    return cast.staff(name, PASSWORD, width=390, height=844) if name else cast.page(width=390, height=844)


def looked_at(page: Any, pattern: str, url: str) -> list[str]:
    """Return what is wrong with a page: on a telephone and a tablet, for axe, in its language."""
    found = []
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto(url)
    if page.get_attribute("html", "lang") != ("ru" if pattern == "print_diplomas" else LANGUAGE):  # the event's own
        found.append(f"{url}: lang is {page.get_attribute('html', 'lang')}")
    if not stays_inside(page):
        found.append(f"{url}: wider than a telephone ({pattern})")
    found += unfit_for_all(page)
    page.set_viewport_size({"width": 820, "height": 1180})
    if not stays_inside(page):
        found.append(f"{url}: wider than a tablet ({pattern})")
    if pattern in DARK:
        page.emulate_media(color_scheme="dark")
        found += [f"dark: {fault}" for fault in unfit_for_all(page)]
        page.emulate_media(color_scheme="light")
    return found
