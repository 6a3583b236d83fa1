"""Following links from page to page: one page for each address pattern and event is enough."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterator
from html.parser import HTMLParser
from urllib.parse import urljoin, urlsplit

from django.test import Client
from django.urls import Resolver404, resolve

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
