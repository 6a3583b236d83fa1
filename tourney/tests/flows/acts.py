"""What people do in every flow: make an event by the wizard, give roles, take steps, send entries, enter results."""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import date
from typing import Any

from django.contrib.auth import get_user_model
from django.urls import reverse

from tourney.models import Tournament
from tourney.testing.pages import Visitor, follow

PASSWORD = "kings pawn two squares"  # typed by everybody of the cast
STAFF = {"chief": "chief_arbiter", "arbiter": "arbiter", "desk": "desk"}


def make_event(page: Any, preset: str, starts_on: date, *, language: str, **texts: str) -> Tournament:
    """Make an event by the wizard, as the organizer: read the questions, keep the usual answers, publish, open."""
    page.goto(reverse("event_new"))
    page.click(f"a[href='{reverse('event_new_from', args=[preset])}']")
    page.wait_for_selector("form.wizard")
    page.fill("[name=starts_on]", starts_on.isoformat())
    for name, text in texts.items():
        page.fill(f".wizard [name={name}]", text)
    assert page.input_value(".wizard [name=language]") == language
    page.click("form.wizard .rule-save button")
    page.wait_for_url(re.compile(r"/manage/(?!new/)[\w-]+/$"))
    return Tournament.objects.get(slug=page.url.rstrip("/").rpartition("/")[2])


def give_roles(page: Any, event: Tournament) -> None:
    """Give the cast its roles by the page: accounts that exist, and one made there, whose password is shown once."""
    for name in ("arbiter", "desk"):
        get_user_model().objects.create_user(name, password=PASSWORD)
    page.goto(reverse("manage_staff", args=[event.slug]))
    for name, role in STAFF.items():
        page.fill("section[aria-labelledby=add] [name=name]", name)
        page.select_option("select[name=role]", role)
        follow(page, "section[aria-labelledby=add] button.btn-primary")
        if name == "chief":
            shown = page.inner_text(".callout-done .copy")
            user = get_user_model().objects.get(username="chief")
            assert user.check_password(shown.strip())
            user.set_password(PASSWORD)
            user.save()
    roles = set(event.staff.values_list("user__username", "role"))
    assert roles == {("organizer", "organizer"), *STAFF.items()}


def take_step(page: Any, event: Tournament, step: str, reason: str = "") -> None:
    """Take a step of the event by its page, which says the consequences first."""
    page.goto(f"{reverse('manage_state', args=[event.slug])}?step={step}")
    assert page.locator("main .callout li").count() >= 1
    if reason:
        page.fill("[name=reason]", reason)
    page.click("main form .btn-lg")
    page.wait_for_url(f"**{reverse('manage_event', args=[event.slug])}")
    event.refresh_from_db()


def send_entry(visitor: Visitor, event: Tournament, *, family: str = "", **typed: Any) -> str:
    """Fill in the public form, look it over and send it; return the address of the personal page."""
    visitor.open(reverse("register", args=[event.slug]) + (f"?family={family}" if family else ""))
    visitor.send({"step": "check"}, **typed)
    assert visitor.status == 200, visitor.text[:1500]
    personal = visitor.post({"step": "send"})
    assert re.fullmatch(r"/e/[\w-]{22,}/", personal), personal
    return personal


def enter_results(arbiter: Visitor, event: Tournament, section: str, number: int, outcomes: Iterable[Any]) -> None:
    """Press the results of a round's open boards, top board first, as the page's own requests do."""
    url = reverse("manage_results", args=[event.slug, section, number])
    arbiter.open(url)
    forms = [form for form in arbiter.forms() if form.has({"outcome": "1-0", "game": None, "operation": None})]
    for form, outcome in zip(forms, outcomes, strict=True):
        arbiter.press(form, "outcome", outcome)
