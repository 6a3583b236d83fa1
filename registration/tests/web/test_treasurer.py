"""The treasurer: all the money of an event, and nothing else that changes anything."""

from __future__ import annotations

import datetime as dt
import uuid
from collections.abc import Iterator
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone, translation

from registration.models import Claim, Drawer, LedgerLine
from registration.services import open_drawer, record_payment
from registration.services.entering import application_of
from registration.tests.people import enter, section
from tourney.kernel.money import Money
from tourney.models import Entry, Tournament
from tourney.sign_in.models import Invitation
from tourney.testing import builders

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def english(client: Client) -> Iterator[None]:
    client.cookies["django_language"] = "en"
    with translation.override("en"):
        yield


@pytest.fixture
def event() -> Tournament:
    return builders.event("second-chance-32", starts_on=timezone.localdate() + dt.timedelta(days=20))


@pytest.fixture
def treasurer(client: Client, event: Tournament) -> Any:
    user = builders.user("vira", event, "treasurer")
    client.force_login(user)
    return user


def url(name: str, event: Tournament, *args: Any) -> str:
    return reverse(name, args=[event.slug, *args])


def made(event: Tournament, surname: str = "Бондар") -> Entry:
    entry = enter(section(event), surname, timezone.now()).entry
    application = application_of(entry)
    application.email, application.phone, application.note = "mother@home.example", "+380501112233", "алергія"
    application.save()
    return entry


def act(client: Client, entry: Entry, name: str, **fields: Any) -> Any:
    data = {f"{name}-{key}": value for key, value in fields.items()}
    return client.post(url("manage_entry", entry.tournament, entry.pk), {"act": name, **data})


def test_payments_and_refunds_are_booked_by_the_treasurer(client: Client, event: Tournament, treasurer: Any) -> None:
    entry = made(event)

    paid = act(client, entry, "payment", amount="300", channel="transfer", operation=uuid.uuid4())
    back = act(client, entry, "refund", amount="100", channel="cash", reason="переплата", operation=uuid.uuid4())

    assert (paid.status_code, back.status_code) == (302, 302)
    lines = LedgerLine.objects.filter(entry=entry).order_by("pk")
    assert [(line.minor, line.channel, line.by) for line in lines] == [
        (30000, "transfer", treasurer),
        (-10000, "cash", treasurer),
    ]


def test_an_entry_shows_its_money_to_the_treasurer_and_no_contacts_no_grounds_no_link(
    client: Client, event: Tournament, treasurer: Any
) -> None:
    entry = made(event)
    Claim.objects.create(
        entry=entry,
        code="large_family",
        state=Claim.State.VERIFIED,
        evidence="посвідчення 77",
        decided_by=treasurer,
        decided_at=timezone.now(),
    )
    private = ("mother@home.example", "+380501112233", "алергія", "посвідчення 77", "/e/")

    page = client.get(url("manage_entry", event, entry.pk)).content.decode()

    assert application_of(entry).reference in page
    assert 'value="payment"' in page
    assert [word for word in private if word in page] == []
    assert 'value="withdraw"' not in page
    client.force_login(builders.user("desk", event, "desk"))
    whole = client.get(url("manage_entry", event, entry.pk)).content.decode()
    assert [word for word in private if word not in whole] == []
    assert 'value="withdraw"' in whole


def test_the_treasurer_changes_no_entry(client: Client, event: Tournament, treasurer: Any) -> None:
    entry = made(event)

    assert act(client, entry, "withdraw", reason="x").status_code == 403
    assert act(client, entry, "price", amount="1", reason="x").status_code == 403
    for page in ("manage_desk", "manage_letters", "manage_claims", "manage_entry_new", "manage_entries_csv"):
        assert client.get(url(page, event)).status_code == 403
    assert client.get(url("manage_entry_edit", event, entry.pk)).status_code == 403


def test_the_treasurer_is_led_to_the_pages_of_money_only(client: Client, event: Tournament, treasurer: Any) -> None:
    home = client.get(url("manage_event", event)).content.decode()
    money = client.get(url("manage_treasury", event)).content.decode()
    listed = client.get(url("manage_entries", event)).content.decode()

    assert f'href="{url("manage_treasury", event)}"' in home
    assert f'href="{url("manage_desk", event)}"' not in home + money + listed
    assert f'href="{url("manage_cash", event)}"' in money
    assert f'href="{url("manage_entries_csv", event)}' not in listed


def test_a_receipt_leads_back_to_a_page_the_treasurer_may_open(
    client: Client, event: Tournament, treasurer: Any
) -> None:
    line = record_payment(made(event), Money.parse("100", event.currency), actor=treasurer)

    page = client.get(url("manage_receipt", event, line.receipt_number)).content.decode()

    assert f'href="{url("manage_cash", event)}"' in page
    assert f'href="{url("manage_desk", event)}"' not in page


def test_the_balance_with_the_prizes_is_the_treasurers_too_and_not_the_desks(
    client: Client, event: Tournament, treasurer: Any
) -> None:
    assert "Balance with the prizes" in client.get(url("manage_treasury", event)).content.decode()
    client.force_login(builders.user("desk", event, "desk"))
    assert "Balance with the prizes" not in client.get(url("manage_treasury", event)).content.decode()


def test_the_treasurer_counts_a_drawer_its_cashier_left_open(client: Client, event: Tournament, treasurer: Any) -> None:
    cashier, other = builders.user("desk", event, "desk"), builders.user("desk-2", event, "desk")
    drawer = open_drawer(event, actor=cashier, change=Money.parse("50", event.currency))
    counted = {"act": "close", "drawer": drawer.pk, "amount": "50"}

    client.force_login(other)
    assert client.post(url("manage_drawer", event), counted).status_code == 403
    client.force_login(treasurer)
    assert client.post(url("manage_drawer", event), counted).status_code == 302

    assert Drawer.objects.get().counted_minor == 5000


def test_the_organizer_invites_a_treasurer_and_reads_what_the_role_may(client: Client, event: Tournament) -> None:
    client.force_login(builders.user("boss", event, "organizer"))
    page = client.get(url("manage_staff", event)).content.decode()

    answer = client.post(
        url("manage_staff", event), {"act": "invite", "invite-role": "treasurer", "invite-label": "Віра"}
    )

    assert answer.status_code == 200
    assert page.count('<option value="treasurer">') == 2
    assert "money only" in page
    assert [(one.role, one.label) for one in Invitation.objects.all()] == [("treasurer", "Віра")]


def test_a_treasurer_of_a_server_sets_up_a_second_factor_first(
    client: Client, event: Tournament, treasurer: Any, settings: Any
) -> None:
    settings.SECOND_FACTOR = True

    sent = client.get(url("manage_treasury", event))

    assert sent.status_code == 302
    assert sent.url.startswith(reverse("account"))
