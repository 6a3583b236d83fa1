"""People in front of the pages: with a browser, or with a client that fills in the very same forms; and their clock.

A flow of a whole event is played by several people over several weeks. `Cast` opens browsers for them and keeps what
went wrong in any; `Visitor` reads a page, takes one of its forms as it stands, changes some fields and sends it with
everything the page put in (token, versions, operation numbers), so that hundreds of results take seconds; `Clock` moves
the product's clock forward for both.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from html.parser import HTMLParser
from typing import Any
from urllib.parse import urljoin

from axe_playwright_python.sync_playwright import Axe
from django.test import Client
from django.utils import timezone

SIGN_IN = "/manage/sign-in/"
_UNSENT = ("submit", "image", "button", "reset", "file")
_SERIOUS = ("serious", "critical")


# -- forms as a page shows them --------------------------------------------------------------------------------------


@dataclass
class Form:
    """One form of a page: where it goes, what it would send untouched, and its buttons."""

    action: str
    method: str
    fields: list[tuple[str, str]] = field(default_factory=list)
    names: set[str] = field(default_factory=set)
    buttons: list[tuple[str, str]] = field(default_factory=list)

    def has(self, wanted: Mapping[str, Any]) -> bool:
        """Return whether the form holds these values, in a field or on a button; None asks for the name only."""
        held = [*self.fields, *self.buttons]
        return all(
            name in self.names if value is None else (name, str(value)) in held for name, value in wanted.items()
        )

    def data(self, changes: Mapping[str, Any]) -> dict[str, Any]:
        """Return what is sent; a change of a name the form hasn't got is a mistake of the test. None leaves out."""
        unknown = set(changes) - self.names
        assert not unknown, f"the form has no {sorted(unknown)}: {sorted(self.names)}"
        sent: dict[str, Any] = {}
        for name, value in self.fields:
            if name not in changes:
                sent[name] = [*sent.get(name, []), value]
        sent |= {name: value for name, value in changes.items() if value is not None}
        return sent


class _FormReader(HTMLParser):
    """Finds the forms of a page and what a browser would send."""

    def __init__(self) -> None:
        super().__init__()
        self.forms: list[Form] = []
        self._form: Form | None = None
        self._select: str = ""
        self._options: list[tuple[str, bool]] = []
        self._several = False
        self._area: str | None = None
        self._text = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        if tag == "form":
            self._form = Form(given.get("action", ""), given.get("method", "get").lower())
            self.forms.append(self._form)
        if self._form is None:
            return
        name = given.get("name", "")
        match tag:
            case "input" if name and "disabled" not in given:
                self._input(name, given)
            case "button" if given.get("type", "submit") == "submit":
                self._form.names.add(name)
                self._form.buttons.append((name, given.get("value", "")))
            case "select" if name:
                self._form.names.add(name)
                self._select, self._options = name, []
                self._several = "multiple" in given
            case "option" if self._select:
                self._options.append((given.get("value", ""), "selected" in given))
            case "textarea" if name:
                self._form.names.add(name)
                self._area, self._text = name, ""

    def _input(self, name: str, given: dict[str, str]) -> None:
        assert self._form is not None
        kind = given.get("type", "text")
        if kind in _UNSENT:
            self._form.buttons.append((name, given.get("value", "")))
        elif kind not in ("checkbox", "radio") or "checked" in given:
            self._form.fields.append((name, given.get("value", "on" if kind in ("checkbox", "radio") else "")))
        self._form.names.add(name)

    def handle_data(self, data: str) -> None:
        if self._area is not None:
            self._text += data

    def handle_endtag(self, tag: str) -> None:
        if self._form is None:
            return
        if tag == "form":
            self._form = None
        elif tag == "select" and self._select:
            chosen = [value for value, selected in self._options if selected]
            if not chosen and not self._several:
                chosen = [value for value, _selected in self._options[:1]]
            self._form.fields += [(self._select, value) for value in chosen]
            self._select = ""
        elif tag == "textarea" and self._area is not None:
            self._form.fields.append((self._area, self._text.removeprefix("\n")))
            self._area = None


def forms_of(html: str) -> list[Form]:
    """Return the forms of a page."""
    reader = _FormReader()
    reader.feed(html)
    return reader.forms


def text_of(html: str) -> str:
    """Return a page's words without its tags, narrow and hard blanks made plain."""
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", html)).replace("\xa0", " ").replace("\u202f", " ")


class Visitor:
    """Somebody whose browser is too slow for hundreds of forms: reads a page, fills in a form of it, sends it."""

    def __init__(self, language: str = "uk") -> None:
        self.client = Client(enforce_csrf_checks=True, headers={"accept-language": language})
        self.url = ""
        self.html = ""
        self.status = 0

    def sign_in(self, name: str, password: str) -> Visitor:
        """Sign in by the page."""
        self.open(SIGN_IN).send({"username": None, "password": None}, username=name, password=password)
        assert self.status == 200, self.status
        assert SIGN_IN not in self.url, text_of(self.html)
        return self

    def open(self, url: str) -> Visitor:
        """Open a page."""
        self._take(self.client.get(url, follow=True), url)
        return self

    def form(self, wanted: Mapping[str, Any]) -> Form:
        """Return the first form of the page that holds what is wanted."""
        found = [form for form in self.forms() if form.has(wanted)]
        assert found, f"{self.url} has no form with {dict(wanted)}: {text_of(self.html)[:1500]}"
        return found[0]

    def send(self, wanted: Mapping[str, Any], /, **changes: Any) -> Visitor:
        """Send a form of the page with some fields changed; what is wanted of a button is sent as its value."""
        form = self.form(wanted)
        pressed = {name: value for name, value in wanted.items() if (name, str(value)) in form.buttons}
        return self.submit(form, **pressed | changes)

    def post(self, wanted: Mapping[str, Any], /, **changes: Any) -> str:
        """Send a form like `send`, but stay on the page; return the address it leads to."""
        form = self.form(wanted)
        pressed = {name: value for name, value in wanted.items() if (name, str(value)) in form.buttons}
        return self.answer(form, **pressed | changes)

    def answer(self, form: Form, **changes: Any) -> str:
        """Send one of the page's forms, but stay on the page; return the address it leads to."""
        answer = self.client.post(self._address(form), form.data(changes))
        assert answer.status_code == 302, text_of(answer.content.decode())[:1500]
        return str(answer["Location"])

    def submit(self, form: Form, **changes: Any) -> Visitor:
        """Send one of the page's forms."""
        url = self._address(form)
        self._take(self.client.post(url, form.data(changes), follow=True), url)
        return self

    def _address(self, form: Form) -> str:
        return urljoin(self.url, form.action) if form.action else self.url

    def press(self, form: Form, name: str, value: str, **changes: Any) -> str:
        """Send a form by one of its buttons the way the page's script does; return the piece of the page it answers."""
        assert (name, value) in form.buttons, (name, value, form.buttons)
        sent = form.data({name: value, **changes})
        answer = self.client.post(self._address(form), sent, headers={"HX-Request": "true"})
        assert answer.status_code == 200, (answer.status_code, text_of(answer.content.decode())[:1000])
        return str(answer.content.decode())

    def forms(self) -> list[Form]:
        """Return the forms of the page that change something."""
        return [form for form in forms_of(self.html) if form.method == "post"]

    @property
    def text(self) -> str:
        return text_of(self.html)

    def _take(self, answer: Any, url: str) -> None:
        self.url = answer.redirect_chain[-1][0] if answer.redirect_chain else url
        self.status = answer.status_code
        self.html = b"".join(answer).decode() if answer.streaming else answer.content.decode()


# -- browsers --------------------------------------------------------------------------------------------------------


class Cast:
    """Browsers of the people of an event, each with cookies of its own; remembers every fault any of them shows."""

    def __init__(self, browser: Any, base_url: str, *, language: str) -> None:
        self.browser, self.base_url, self.language = browser, base_url, language
        self.faults: list[str] = []
        self._contexts: list[Any] = []

    def page(self, *, width: int = 1280, height: int = 900, **options: Any) -> Any:
        """Return a page of somebody new."""
        options.setdefault("locale", {"uk": "uk-UA", "ru": "ru-RU"}.get(self.language, "en-GB"))
        context = self.browser.new_context(
            base_url=self.base_url, viewport={"width": width, "height": height}, **options
        )
        context.set_default_timeout(20_000)
        self._contexts.append(context)
        page = context.new_page()
        watch(page, self.faults)
        return page

    def staff(self, name: str, password: str, **options: Any) -> Any:
        """Return a page of somebody who has signed in by the page."""
        page = self.page(**options)
        sign_in(page, name, password)
        return page

    def close(self) -> None:
        for context in self._contexts:
            context.close()


def watch(page: Any, faults: list[str]) -> None:
    """Note script errors, errors in the console (a refused policy is one) and answers with a server error."""
    page.on("pageerror", lambda error: faults.append(f"{page.url}: {error}"))
    page.on(
        "console",
        lambda message: faults.append(f"{page.url}: {message.text}") if _is_fault(message) else None,
    )
    page.on("response", lambda answer: faults.append(f"{answer.url}: {answer.status}") if answer.status > 499 else None)


def _is_fault(message: Any) -> bool:
    # A form that is refused answers 409 or 422, which the browser calls an error; the test of the form judges that.
    return message.type == "error" and "the server responded with a status of 4" not in message.text


def sign_in(page: Any, name: str, password: str) -> None:
    """Sign in by the page."""
    page.goto(SIGN_IN)
    page.fill("[name=username]", name)
    page.fill("[name=password]", password)
    page.click("main button")
    page.wait_for_url(lambda url: SIGN_IN not in url)


def follow(page: Any, selector: str) -> None:
    """Press what leads to another page, or sends a plain form, and wait for the page that comes."""
    with page.expect_navigation():
        page.click(selector)


def unfold(page: Any, selector: str) -> None:
    """Open a folded part of a page, unless it is open already."""
    if page.get_attribute(selector, "open") is None:
        page.click(f"{selector} > summary")


def stays_inside(page: Any) -> bool:
    """Return whether a page needs no sideways scrolling."""
    return bool(page.evaluate("document.documentElement.scrollWidth <= innerWidth"))


def unfit_for_all(page: Any) -> list[str]:
    """Return the serious faults of accessibility that axe finds on a page."""
    found = Axe().run(page).response["violations"]
    return [
        f"{page.url}: {one['id']}: {node['html'][:160]}"
        for one in found
        if one["impact"] in _SERIOUS
        for node in one["nodes"][:3]
    ]


# -- time ------------------------------------------------------------------------------------------------------------


class Clock:
    """The product's clock: real, but moved. It goes on running after it was moved."""

    def __init__(self) -> None:
        self._real: Callable[[], datetime] = timezone.now
        self._ahead = timedelta(0)

    def now(self) -> datetime:
        return self._real() + self._ahead

    def to(self, moment: datetime) -> None:
        """Let it be this moment now."""
        self._ahead = moment - self._real()

    def forward(self, **more: float) -> None:
        """Let some time pass, in words of `timedelta`."""
        self._ahead += timedelta(**more)

    def run(self) -> Iterator[Clock]:
        """Stand in for Django's clock until the iterator is closed: the body of a fixture."""
        timezone.now = self.now
        try:
            yield self
        finally:
            timezone.now = self._real
