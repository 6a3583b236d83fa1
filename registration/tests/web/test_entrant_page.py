"""The personal page: only by its link, with everything one may do; nobody else's, no leaks, no caches."""

from __future__ import annotations

import datetime as dt
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from registration.links import token_of
from registration.models import ReserveOffer
from registration.services import record_payment, revoke_link, withdraw_entry
from registration.tests.people import enter, section, states
from tourney.kernel.money import Money
from tourney.models import Entry, Tournament
from tourney.services.events import publish_spec
from tourney.services.stages import close_entries
from tourney.testing import builders

pytestmark = pytest.mark.django_db
DATA = ("entrant_data", "entrant_data_in_words")


@pytest.fixture
def event() -> Tournament:
    return builders.event(
        "second-chance-32",
        starts_on=timezone.localdate() + dt.timedelta(days=20),
        requisites={"name": "Клуб", "iban": "UA213223130000026007233566001"},
    )


def made(event: Tournament, surname: str = "Бондар", **fields: Any) -> tuple[Entry, str]:
    found = enter(section(event), surname, timezone.now(), **fields)
    return found.entry, found.token


def deposit(entry: Entry) -> None:
    record_payment(entry, Money(10_000, "UAH"), notify=False)


def words(response: Any) -> str:
    return response.content.decode().replace("\xa0", " ")


@pytest.mark.clause("K4.2", "K4.3", "K4.6")
def test_the_page_says_what_to_pay_by_when_and_where_to(client: Client, event: Tournament) -> None:
    entry, token = made(event)
    page = words(client.get(reverse("entrant", args=[token])))
    assert "100 ₴" in page
    assert "UA213223130000026007233566001" in page
    assert entry.application.reference in page
    deposit(entry)
    page = words(client.get(reverse("entrant", args=[token])))
    assert "400 ₴" in page
    assert "4.5" in page


def test_somebody_elses_old_or_invented_link_opens_nothing(client: Client, event: Tournament) -> None:
    entry, token = made(event)
    for wrong in ("x" * 22, token[:-1], token_of(entry.pk + 1), token + "="):
        for name in ("entrant", "entrant_edit", "entrant_withdraw", "entrant_papers", "entrant_erase", *DATA):
            assert client.get(reverse(name, args=[wrong])).status_code == 404
        assert client.post(reverse("entrant_answer", args=[wrong]), {"answer": "accept"}).status_code == 404
    revoke_link(entry, actor=None)
    assert client.get(reverse("entrant", args=[token])).status_code == 404
    Tournament.objects.filter(pk=event.pk).update(public=False)
    assert client.get(reverse("entrant", args=[token_of(entry.pk, 2)])).status_code == 404


def test_every_answer_of_the_page_is_kept_out_of_caches_and_search(client: Client, event: Tournament) -> None:
    _entry, token = made(event)
    for name in ("entrant", "entrant_edit", "entrant_withdraw", "entrant_papers", "entrant_erase", *DATA):
        response = client.get(reverse(name, args=[token]))
        assert response["Cache-Control"] == "no-store"
        assert response["X-Robots-Tag"] == "noindex, nofollow"
        assert response["Referrer-Policy"] == "same-origin"


def test_contacts_and_name_are_changed_and_the_name_stays_once_the_list_is_closed(
    client: Client, event: Tournament
) -> None:
    entry, token = made(event)
    other, _token = made(event, "Інший")
    url = reverse("entrant_edit", args=[token])
    data = {
        "surname": "Бондаренко",
        "given_name": "Іван",
        "email": "new@example.org",
        "club": "=2+2",
        "public_name": "on",
    }
    assert client.post(url, data).status_code == 302
    entry.refresh_from_db()
    assert (entry.player.surname, entry.application.email) == ("Бондаренко", "new@example.org")
    assert client.post(url, data | {"email": "nonsense"}).status_code == 422
    for one in (entry, other):
        deposit(one)
    close_entries(section(event), actor=None)
    assert client.post(url, data | {"surname": "Хтось", "club": "Слон"}).status_code == 302
    fresh = Entry.objects.get(pk=entry.pk)
    assert (fresh.player.surname, fresh.player.club) == ("Бондаренко", "Слон")


@pytest.mark.clause("K4.2", "K4.7")
def test_withdrawing_says_its_consequences_first(client: Client, event: Tournament) -> None:
    entry, token = made(event)
    deposit(entry)
    url = reverse("entrant_withdraw", args=[token])
    page = words(client.get(url))
    assert "100 ₴" in page
    assert "4.7" in page
    assert states(event) == {"Бондар": "confirmed"}
    assert client.post(url, {"reason": "ill"}).status_code == 302
    assert states(event) == {"Бондар": "withdrawn"}
    assert client.post(url).status_code == 302  # a replayed click changes nothing
    assert Entry.objects.get(pk=entry.pk).events.filter(kind="withdrawn").count() == 1
    assert "100 ₴" in words(client.get(reverse("entrant", args=[token])))


@pytest.mark.clause("K3.4")
@pytest.mark.parametrize(("answer", "state"), [("accept", "confirmed"), ("decline", "withdrawn")])
def test_an_offered_place_is_answered_on_the_page(client: Client, event: Tournament, answer: str, state: str) -> None:
    spec = event.regulations.get().spec
    spec["sections"][0]["capacity"] = 1
    spec["registration"] |= {"promotion": "offer", "offer_hours": 5}
    publish_spec(event, spec, author=None, reason="small hall")
    first, _token = made(event, "Перший")
    second, token = made(event, "Другий")
    for one in (first, second):
        deposit(one)
    withdraw_entry(first)
    offer = ReserveOffer.objects.get()
    page = words(client.get(reverse("entrant", args=[token])))
    assert offer.expires_at.astimezone(event.zone).strftime("%H:%M") in page
    client.post(reverse("entrant_answer", args=[token]), {"answer": answer})
    assert states(event)["Другий"] == state
    again = client.post(reverse("entrant_answer", args=[token]), {"answer": "accept"}, follow=True)
    assert again.status_code == 200
    assert states(event)["Другий"] == state


def test_the_reserve_sees_its_number(client: Client, event: Tournament) -> None:
    spec = event.regulations.get().spec
    spec["sections"][0]["capacity"] = 1
    publish_spec(event, spec, author=None, reason="small hall")
    tokens = []
    for name in ("Перший", "Другий", "Третій"):
        entry, token = made(event, name)
        deposit(entry)
        tokens.append(token)
    assert client.get(reverse("entrant", args=[tokens[2]])).context["reserve_number"] == 2


@pytest.mark.parametrize("state", ["applied", "rejected", "expired", "no_show", "disqualified", "withdrawn"])
def test_every_state_has_its_page(client: Client, event: Tournament, state: str) -> None:
    entry, token = made(event)
    Entry.objects.filter(pk=entry.pk).update(state=state)
    assert client.get(reverse("entrant", args=[token])).status_code == 200


def test_public_pages_never_show_private_things(client: Client) -> None:
    event = builders.event("youth-championship", starts_on=timezone.localdate() + dt.timedelta(days=20))
    group = section(event, "u11-boys")
    entry = enter(
        group,
        "Смирнов",
        timezone.now(),
        patronymic="Канареевич",
        email="canary@example.org",
        phone="+7canary",
        guardian_name="Канарейка Мария",
        claims=("orphanage",),
        note="canary note",
    ).entry
    record_payment(entry, Money(12_345, "RUB"), notify=False)
    private = ["Канаре", "canary", "123,45", entry.application.reference, f"{entry.player.birth_date:%d.%m}"]
    private += ["сирот", "дитячого", "детского"]
    urls = [
        reverse("event", args=[event.slug]),
        reverse("section", args=[event.slug, group.code]),
        reverse("player", args=[event.slug, group.code, entry.pk]),
        reverse("register", args=[event.slug]),
    ]
    for url in urls[:3]:
        page = client.get(url, headers={"accept-language": "ru"}).content.decode()
        assert [text for text in private if text in page] == []
