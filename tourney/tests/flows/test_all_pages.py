"""Every kind of page, with the demo in every state: opened by whoever may, in the language, on small screens, by axe.

Pages are found by following links: one page for each address pattern and event is enough. A link that a person sees
leads somewhere; a page is fit for people who can't see or can't use a mouse; it stays inside a telephone; nothing on
it is left in English.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import polib
import pytest
from django.conf import settings
from django.contrib.auth import get_user_model
from django.test import Client

from registration.links import path_of
from registration.models import Application
from tourney.demo.loading import load
from tourney.testing.crawling import crawl, read
from tourney.testing.pages import SIGN_IN, Cast, stays_inside, unfit_for_all

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.slow]

LANGUAGE = "uk"
PASSWORD = "only for this test"
ROLES = ("demo-organizer", "demo-chief", "demo-arbiter", "demo-desk")
DARK = {"event", "standings", "bracket", "register", "manage_event", "manage_results", "manage_bracket", "lot"}


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
