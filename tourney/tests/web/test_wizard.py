"""The wizard: a preset, one page of questions, an event."""

from __future__ import annotations

from datetime import date, timedelta
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from tourney.models import Tournament
from tourney.presets import ORDER
from tourney.testing.builders import user

pytestmark = pytest.mark.django_db

K, M = "second-chance-32", "youth-championship"


@pytest.fixture
def organizer(client: Client) -> Client:
    client.force_login(user("organizer"))
    client.cookies["django_language"] = "en"
    return client


def address(code: str) -> str:
    return reverse("event_new_from", args=[code])


def answers(client: Client, code: str, **typed: Any) -> dict[str, Any]:
    """Return what a browser sends when nothing but these fields is touched."""
    form = client.get(address(code)).context["form"]
    sent = {name: form[name].value() for name in form.fields}
    sent["start_time"] = form.initial["start_time"]
    language = form.initial["language"]
    given = {f"title_{language}": "Кубок Лідера", "starts_on": first_day().isoformat(), **typed}
    return {name: value for name, value in {**sent, **given}.items() if value is not None}


def chosen(client: Client, code: str, rules: dict[str, Any]) -> dict[str, str]:
    """Return the answers that put these values at their paths, wherever the preset asks for them."""
    form = client.get(address(code)).context["form"]
    found = {}
    for path, value in rules.items():
        name = form.name_of(path)
        options = form.rules["readings"][form.names[name]]["options"]
        found[name] = str([option["value"] for option in options].index(value))
    return found


def first_day() -> date:
    return timezone.localdate() + timedelta(days=40)


def test_presets_are_offered_with_their_numbers(organizer: Client) -> None:
    page = organizer.get(reverse("event_new")).content.decode().replace("\xa0", " ")

    assert [address(code) in page for code in ORDER] == [True] * len(ORDER)
    for fact in ("32 players", "10 groups", "Fee: 600 ₴", "22 open questions", "knockout with a second chance"):
        assert fact in page


@pytest.mark.parametrize("path", [reverse("event_new"), reverse("event_new_from", args=[K])])
def test_wizard_needs_a_sign_in(client: Client, path: str) -> None:
    answer = client.get(path)

    assert (answer.status_code, answer["Location"]) == (302, f"{reverse('login')}?next={path}")


def test_unknown_preset_is_not_found(organizer: Client) -> None:
    assert organizer.get(address("nothing")).status_code == 404


@pytest.mark.parametrize("code", ORDER)
def test_defaults_make_an_event(organizer: Client, code: str) -> None:
    answer = organizer.post(address(code), answers(organizer, code))

    tournament = Tournament.objects.get()
    assert (answer.status_code, answer["Location"]) == (302, reverse("manage_event", args=[tournament.slug]))
    assert tournament.title_text == "Кубок Лідера"
    assert tournament.starts_on == first_day()
    assert tournament.staff.get().user == user("organizer")
    assert tournament.regulations.get().number == 1
    assert tournament.sections.count() == (10 if code == M else 1)
    assert tournament.public is False


@pytest.mark.parametrize("field", ["starts_on", "ends_on"])
@pytest.mark.parametrize("day", ["0001-01-01", "9999-12-31"])
def test_a_day_of_a_year_nobody_means_is_refused_at_its_field(organizer: Client, field: str, day: str) -> None:
    answer = organizer.post(address(K), answers(organizer, K, **{field: day}))

    assert answer.status_code == 422
    assert field in answer.context["form"].errors
    assert not Tournament.objects.exists()


@pytest.mark.parametrize(
    ("code", "title", "slug"),
    [(K, "Кубок Лідера Яни", "kubok-lidera-yany"), (M, "Первенство города Ёлкино", "pervenstvo-goroda-elkino")],
)
def test_address_is_made_of_the_name(organizer: Client, code: str, title: str, slug: str) -> None:
    language = {K: "uk", M: "ru"}[code]

    organizer.post(address(code), answers(organizer, code, **{f"title_{language}": title}))

    assert Tournament.objects.get().slug == f"{slug}-{first_day().year}"


def test_open_questions_become_rules(organizer: Client) -> None:
    rules = {"stages[0].options[0].return_at": 16, "stages[0].options[0].final_match": "final"}

    organizer.post(address(K), answers(organizer, K, **chosen(organizer, K, rules)))

    spec = Tournament.objects.get().regulations.get().spec
    option = spec["stages"][0]["options"][0]
    assert (option["return_at"], option["final_match"]) == (16, "final")
    assert spec["match_formats"]["final"]["phases"][0] == {"games": 4, "clock": "3+2"}


def test_capacity_too_small_for_the_prizes_is_refused_in_words(organizer: Client) -> None:
    page = organizer.post(address(K), answers(organizer, K, capacity_0="20"))

    assert page.status_code == 422
    assert page.context["form"].errors["capacity_0"][0] == (
        "Money prizes › List of prizes 1 › Places › Place 25: Place 25 is outside the field (20 players)."
    )
    assert page.context["form"]["capacity_0"].value() == "20"
    assert not Tournament.objects.exists()


def test_deadlines_count_from_the_first_day_unless_typed(organizer: Client) -> None:
    typed = first_day() - timedelta(days=3)
    form = organizer.get(address(K)).context["form"]
    early = next(name for name, path in form.deadlines.items() if path == "fees.rules[2].until")

    organizer.post(address(K), answers(organizer, K))
    organizer.post(address(K), answers(organizer, K, **{early: f"{typed:%d.%m.%Y}"}))

    untils = [event.regulations.get().spec["fees"]["rules"][2]["until"] for event in Tournament.objects.order_by("pk")]
    assert untils == [(first_day() - timedelta(days=5)).isoformat(), typed.isoformat()]


def test_errors_stand_at_their_fields_and_typed_values_stay(organizer: Client) -> None:
    sent = answers(
        organizer,
        K,
        title_uk="",
        starts_on="",
        venue_uk="Нова зала",
        contact_email="not an address",
        deadline_0="soon",
        payee_iban="UA213223130000026007233566002",
    )

    page = organizer.post(address(K), sent)

    form = page.context["form"]
    assert page.status_code == 422
    assert set(form.errors) == {"title_uk", "starts_on", "contact_email", "deadline_0"}
    assert form["venue_uk"].value() == "Нова зала"
    assert "Нова зала" in page.content.decode()


@pytest.mark.parametrize("language", ["", "xx", "q~Qу", "uk'"])
def test_language_that_is_none_is_refused_at_its_field(organizer: Client, language: str) -> None:
    response = organizer.post(address(M), answers(organizer, M, language=language))

    assert response.status_code == 422
    assert "language" in response.context["form"].errors
    assert 'name="title_' in response.content.decode()


def test_bank_details_are_checked_and_kept(organizer: Client) -> None:
    good, bad = "UA213223130000026007233566001", "UA213223130000026007233566002"

    refused = organizer.post(address(K), answers(organizer, K, payee_iban=bad))
    organizer.post(address(K), answers(organizer, K, payee_iban=good, payee_name="ГО Лідер"))

    tournament = Tournament.objects.get()
    assert list(refused.context["form"].errors) == ["payee_iban"]
    assert tournament.regulations.get().spec["payment"]["payee"] == {"name": "ГО Лідер", "iban": good}
    assert tournament.requisites == {}  # kept once: the event has none of its own until somebody gives it some


def test_requisites_of_the_preset_are_never_handed_on(organizer: Client) -> None:
    organizer.post(address(M), answers(organizer, M))

    assert "payee" not in Tournament.objects.get().regulations.get().spec["payment"]


def test_place_of_the_preset_goes_when_another_is_typed(organizer: Client) -> None:
    organizer.post(address(K), answers(organizer, K, venue_uk="Палац спорту"))

    tournament = Tournament.objects.get()
    assert tournament.venue == {"uk": "Палац спорту"}
    assert tournament.address["ru"] == "г. Киев, ул. Лобановского, 6Б"


def test_last_day_before_the_first_is_refused(organizer: Client) -> None:
    page = organizer.post(address(K), answers(organizer, K, ends_on=(first_day() - timedelta(days=1)).isoformat()))

    assert page.context["form"].errors == {"ends_on": ["The last day is before the first."]}


@pytest.mark.parametrize("language", ["uk", "ru"])
def test_questions_are_asked_in_the_users_language(organizer: Client, language: str) -> None:
    organizer.cookies["django_language"] = language

    page = organizer.get(address(K)).content.decode()

    question = {"uk": "Чи є повторний фінал?", "ru": "Есть ли повторный финал?"}[language]
    assert question in page
