"""The pictures of the README: the demo as it is, made by `TOURNEY_SCREENSHOTS=tourney/docs/images make test`.

Without the variable nothing is drawn and the test is skipped; the pages themselves are tested elsewhere.
"""

from __future__ import annotations

import base64
import os
from pathlib import Path
from typing import Any

import pytest
from django.urls import reverse

from brackets.models import Match
from tourney.demo.loading import load
from tourney.models import StandingRow
from tourney.testing.pages import Cast

FOLDER = os.environ.get("TOURNEY_SCREENSHOTS", "")
pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.slow,
    pytest.mark.skipif(not FOLDER, reason="TOURNEY_SCREENSHOTS names no folder"),
]

LANGUAGE = "uk"
PASSWORD = "only for this test"
MOST_BYTES = 150_000
YOUTH, CUP, SPRING = "demo-mari-el", "demo-kyiv-cup", "demo-kyiv-spring"


def keep(page: Any, name: str) -> None:
    """Write what the screen shows as a WebP file, lighter until it is light enough."""
    page.evaluate("document.fonts.ready")
    page.wait_for_load_state("networkidle")
    for quality in (82, 70, 55, 40):
        shot = page.context.new_cdp_session(page).send("Page.captureScreenshot", {"format": "webp", "quality": quality})
        picture = base64.b64decode(shot["data"])
        if len(picture) <= MOST_BYTES:
            break
    assert len(picture) <= MOST_BYTES, name
    target = Path(FOLDER).resolve()
    target.mkdir(parents=True, exist_ok=True)
    (target / f"{name}.webp").write_bytes(picture)


def test_pictures_of_the_readme(cast: Cast, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DEMO_PASSWORD", PASSWORD)
    load()
    desktop = cast.page(width=1280, height=860)
    desktop.goto("/")
    keep(desktop, "home")
    desktop.goto(reverse("event", args=[YOUTH]))
    keep(desktop, "event")
    line = StandingRow.objects.filter(stage__section__code="u11-boys").order_by("-after_round", "rank")[2]
    desktop.goto(reverse("standings", args=[YOUTH, "u11-boys"]))
    desktop.click(f"#e{line.entry_id} .pts")
    desktop.wait_for_selector(".why-open table")
    keep(desktop, "standings")
    desktop.goto(reverse("bracket", args=[CUP, "main"]))
    keep(desktop, "bracket")
    desktop.emulate_media(color_scheme="dark")
    desktop.goto(reverse("matches", args=[CUP, "main"]))
    keep(desktop, "matches-dark")

    phone = cast.page(width=390, height=844)
    phone.goto(reverse("register", args=[SPRING]))
    keep(phone, "registration-phone")

    organizer = cast.staff("demo-organizer", PASSWORD, width=1280, height=860)
    organizer.goto(reverse("manage_event", args=[CUP]))
    keep(organizer, "staff-home")

    tablet = cast.staff("demo-arbiter", PASSWORD, width=820, height=1180)
    tablet.goto(reverse("manage_results", args=[YOUTH, "u11-boys", 4]) + "?show=all")
    keep(tablet, "results-tablet")
    playing = Match.objects.filter(state="playing").order_by("key").first()
    assert playing is not None
    tablet.goto(reverse("manage_match", args=[CUP, "main", playing.key]))
    keep(tablet, "match-tablet")

    places = cast.page(width=1280, height=860)
    places.goto(reverse("placings", args=[YOUTH, "u13-girls"]))
    keep(places, "places")
