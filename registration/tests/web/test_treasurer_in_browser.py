"""The treasurer's pages and those of a forgotten password, in a browser: nothing is wider than the screen."""

from __future__ import annotations

import datetime as dt
import os
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth import get_user_model
from django.utils import timezone

from registration.models import BankRow, BankStatement
from registration.services import open_drawer, record_payment
from registration.tests.people import enter, section
from tourney.kernel.money import Money
from tourney.models import StaffRole
from tourney.testing import builders
from tourney.testing.pages import stays_inside

pytestmark = pytest.mark.django_db(transaction=True)

PASSWORD = "sicilian-hedgehog"


@pytest.mark.parametrize(("width", "look"), [(390, "dark"), (820, "light"), (1440, "light")])
def test_what_the_treasurer_sees_fits_the_screen(page: Any, width: int, look: str) -> None:
    event = builders.event("second-chance-32", starts_on=timezone.localdate() + dt.timedelta(days=20))
    vira = get_user_model().objects.create_user("vira", password=PASSWORD)
    StaffRole.objects.create(tournament=event, user=vira, role="treasurer")
    entries = [enter(section(event), name, timezone.now()).entry for name in ("Бондаренко-Заславська", "Ґалаґан")]
    open_drawer(event, actor=vira, change=Money.parse("50", event.currency))
    record_payment(entries[0], Money.parse("100", event.currency), actor=vira)
    statement = BankStatement.objects.create(
        tournament=event, name="privat.csv", digest="0" * 64, at=timezone.now(), read_at=timezone.now()
    )
    BankRow.objects.create(
        tournament=event,
        statement=statement,
        key="1" * 64,
        line=1,
        paid_at=timezone.now(),
        minor=40000,
        currency=event.currency,
        payer="ГАЛАҐАН ОЛЕНА",
        purpose="внесок",
        why="no_reference",
    )
    page.set_viewport_size({"width": width, "height": 900})
    page.emulate_media(color_scheme=look)
    wide = []
    slug = event.slug
    for name, path in (
        ("sign-in", "/manage/sign-in/"),
        ("forgotten", "/account/forgotten/"),
        ("home", f"/manage/{slug}/"),
        ("money", f"/manage/{slug}/money/"),
        ("cash", f"/manage/{slug}/cash/"),
        ("bank", f"/manage/{slug}/bank/"),
        ("entries", f"/manage/{slug}/entries/"),
        ("entry", f"/manage/{slug}/entries/{entries[0].pk}/"),
        ("fund", f"/manage/{slug}/fund/"),
        ("account", "/account/"),
        ("address", "/account/address/"),
    ):
        page.goto(path)
        if name == "home":
            page.goto("/manage/sign-in/")
            page.fill("#id_username", "vira")
            page.fill("#id_password", PASSWORD)
            page.click("form .btn-primary")
            page.goto(path)
        assert page.locator("h1").is_visible(), name
        if not stays_inside(page):
            wide.append(name)
        if folder := os.environ.get("TOURNEY_LOOKS"):
            page.screenshot(path=str(Path(folder) / f"treasurer-{name}-{width}-{look}.png"), full_page=True)
    assert wide == []
    page.fill("[name=password]", PASSWORD)  # whoever changes the way in proves once more who it is
    page.click("form .btn-primary")
    assert page.locator("#id_address").is_visible()
    assert stays_inside(page)
