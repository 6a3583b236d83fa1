"""The public form in the browser's words: what it asks, says, refuses, and what it makes when it is sent."""

from __future__ import annotations

import datetime as dt
import re
import uuid
from typing import Any

import pytest
from django.core import mail
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from registration.models import Application, Claim
from registration.tests.people import enter, section
from tourney.csv_files import safe_cell
from tourney.models import Entry, EntryEvent, Job, Tournament
from tourney.services.events import publish_spec
from tourney.testing import builders

pytestmark = pytest.mark.django_db


def soon(preset: str = "second-chance-32", **fields: Any) -> Tournament:
    return builders.event(preset, starts_on=timezone.localdate() + dt.timedelta(days=20), **fields)


def youth(**fields: Any) -> Tournament:
    return soon("youth-championship", **fields)


def adult(event: Tournament, **changes: Any) -> dict[str, Any]:
    """What a grown-up player types into the knockout's form."""
    given = {
        "surname": "Бондар",
        "given_name": "Іван",
        "birth_date": "1990-04-03",
        "level": "1",
        "email": "ivan@example.org",
        "consent_regulation": "on",
        "consent_processing": "on",
        "consent_publication": "on",
        "operation": str(uuid.uuid4()),
        "regulation": str(event.regulations.latest("number").pk),
    }
    return {key: value for key, value in (given | changes).items() if value is not None}


def child(event: Tournament, **changes: Any) -> dict[str, Any]:
    """What a parent types into the championship's form for a boy of the youngest group."""
    year = event.starts_on.year - 9
    given = {
        "birth_date": f"{year}-05-17",
        "sex": "M",
        "level": None,
        "lives_in_region": "on",
        "registered_in_region": "on",
        "guardian_name": "Бондар Олена",
        "guardian_relation": "мати",
    }
    return adult(event, **(given | changes))


def send(client: Client, event: Tournament, data: dict[str, Any], step: str = "send") -> Any:
    return client.post(reverse("register", args=[event.slug]), data | {"step": step})


def text_of(response: Any) -> str:
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", response.content.decode()))


def errors_of(response: Any) -> dict[str, list[str]]:
    return {name: [str(e) for e in found] for name, found in response.context["form"].errors.items()}


@pytest.mark.clause("K4.1", "K4.2", "K11.1")
def test_the_form_is_looked_over_sent_and_opens_the_personal_page(client: Client) -> None:
    event = soon()
    page = client.get(reverse("register", args=[event.slug]))
    assert page.status_code == 200
    assert page["Cache-Control"].startswith("max-age=0")
    assert not re.search(r'name="consent_\w+"[^>]*checked', page.content.decode())

    checked = send(client, event, adult(event), step="check")
    assert checked.status_code == 200
    words = text_of(checked)
    assert "500 ₴" in words.replace("\xa0", " ")
    assert "4.5" in words
    assert not Entry.objects.filter(tournament=event).exists()

    sent = send(client, event, adult(event))
    entry = Entry.objects.get(tournament=event)
    assert entry.state == "awaiting_deposit"
    assert entry.application.consent_regulation == event.regulations.get()
    assert sent.status_code == 302
    personal = client.get(sent["Location"])
    assert personal["Cache-Control"] == "no-store"
    assert "noindex" in personal["X-Robots-Tag"]
    assert "Бондар Іван" in text_of(personal)
    assert Job.objects.filter(name="registration.send_notice").count() == 1


def test_without_scripts_the_page_says_the_places_and_the_fee(client: Client) -> None:
    event = soon()
    words = text_of(client.get(reverse("register", args=[event.slug]))).replace("\xa0", " ")
    assert "500 ₴" in words
    assert "32" in words


def test_who_comes_too_late_for_a_place_is_told_the_number_on_the_reserve_list_before_sending(client: Client) -> None:
    event = soon()
    spec = event.regulations.get().spec
    spec["sections"][0]["capacity"] = 1
    spec["registration"]["seat_taken_by"] = "registration"
    publish_spec(event, spec, author=None, reason="small hall")
    now = timezone.now()
    for number in range(3):
        enter(section(event), f"Гравець{number}", now)
    checked = send(client, event, adult(event), step="check")
    assert checked.context["preview"].reserve == 3
    send(client, event, adult(event))
    assert Entry.objects.get(player__surname="Бондар").state == "reserve"


def test_a_form_sent_twice_makes_one_entry(client: Client) -> None:
    event = soon()
    data = adult(event)
    first, second = send(client, event, data), send(client, event, data)
    assert first["Location"] == second["Location"]
    assert Entry.objects.filter(tournament=event).count() == 1


def test_the_same_person_is_refused_without_a_word_about_whom_and_gets_the_link_by_mail(
    client: Client, django_capture_on_commit_callbacks: Any
) -> None:
    event = soon()
    with django_capture_on_commit_callbacks(execute=True):
        first = send(client, event, adult(event))
    mail.outbox.clear()
    with django_capture_on_commit_callbacks(execute=True):
        again = send(client, event, adult(event, email="stranger@example.org"))
        send(client, event, adult(event, email="stranger@example.org"))
    assert again.status_code == 422
    assert first["Location"] not in again.content.decode()
    assert [letter.to for letter in mail.outbox] == [["ivan@example.org"]]  # once, to the address given first
    assert first["Location"] in mail.outbox[0].body
    assert Entry.objects.filter(tournament=event).count() == 1


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("surname", ""),
        ("surname", "Б" * 200),
        ("surname", "🙂🙂"),
        ("surname", "=HYPERLINK(1)"),
        ("surname", "12345"),
        ("birth_date", "2999-01-01"),
        ("birth_date", "1800-01-01"),
        ("birth_date", "yesterday"),
        ("email", "not an address"),
        ("email", ""),
        ("level", ""),
        ("level", "grandmaster"),
        ("rating_fide_blitz", "-5"),
        ("rating_fide_blitz", "99999"),
        ("fide_id", "14x"),
        ("consent_regulation", None),
        ("consent_processing", None),
    ],
)
def test_what_cannot_be_right_is_refused_at_its_field_and_kept(client: Client, field: str, value: Any) -> None:
    event = soon()
    response = send(client, event, adult(event, **{field: value}))
    assert response.status_code == 422
    assert list(errors_of(response)) == [field]
    assert 'value="Іван"' in response.content.decode()
    assert not Entry.objects.filter(tournament=event).exists()


def test_signs_that_turn_the_writing_around_are_taken_out_of_a_name(client: Client) -> None:
    event = soon()
    send(client, event, adult(event, surname="\u202eБон\u200fдар", club="\u202eклуб"))
    player = Entry.objects.get(tournament=event).player
    assert (player.surname, player.club) == ("Бондар", "клуб")


def test_a_regulation_that_changed_meanwhile_is_agreed_to_again(client: Client) -> None:
    event = soon()
    data = adult(event)
    spec = event.regulations.get().spec
    publish_spec(event, spec | {"summary": {"uk": "Нове"}}, author=None, reason="changed")
    response = send(client, event, data)
    assert list(errors_of(response)) == ["consent_regulation"]
    assert not Entry.objects.filter(tournament=event).exists()
    assert send(client, event, adult(event)).status_code == 302


def test_a_program_that_fills_in_every_field_enters_nobody_and_learns_nothing(client: Client) -> None:
    event = soon()
    response = send(client, event, adult(event, website="http://spam.example"))
    assert response.status_code == 200
    assert not Entry.objects.filter(tournament=event).exists()


@pytest.mark.clause("M7.8")
@pytest.mark.parametrize(
    ("years", "sex", "group"),
    [(9, "M", "u11-boys"), (8, "F", "u11-girls"), (13, "F", "u15-girls"), (17, "M", "u19-boys")],
)
def test_the_group_follows_from_birth_and_sex(client: Client, years: int, sex: str, group: str) -> None:
    event = youth()
    data = child(event, birth_date=f"{event.starts_on.year - years}-02-03", sex=sex)
    assert send(client, event, data).status_code == 302
    assert Entry.objects.get(tournament=event).section.code == group


@pytest.mark.clause("M7.8")
def test_playing_up_is_chosen_and_waits_for_a_decision(client: Client) -> None:
    event = youth()
    checked = send(client, event, child(event, section="u13-boys", grounds=["national_right"]), step="check")
    assert checked.context["preview"].waits
    send(client, event, child(event, section="u13-boys", grounds=["national_right"]))
    entry = Entry.objects.get(tournament=event)
    assert (entry.state, entry.section.code) == ("applied", "u13-boys")
    assert list(Claim.objects.values_list("code", "state")) == [("national_right", "claimed")]


@pytest.mark.clause("M7.8")
@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"birth_date": "1999-05-05"}, "birth_date"),
        ({"section": "u11-girls"}, "section"),
        ({"lives_in_region": None}, "lives_in_region"),
        ({"sex": None}, "sex"),
    ],
)
def test_why_nobody_can_enter_stands_at_the_field(client: Client, changes: dict[str, Any], field: str) -> None:
    event = youth()
    response = send(client, event, child(event, **changes))
    assert response.status_code == 422
    assert list(errors_of(response)) == [field]


def test_a_minor_comes_with_a_guardian_and_a_way_to_reach_him(client: Client) -> None:
    event = youth()
    response = send(client, event, child(event, guardian_name="", email="", phone=""))
    assert sorted(errors_of(response)) == ["guardian_name", "phone"]
    assert send(client, event, child(event, email="", phone="+7 900 000-00-00")).status_code == 302


@pytest.mark.clause("M10.3.2")
def test_claimed_grounds_change_the_fee_only_after_the_document_was_seen(client: Client) -> None:
    event = youth()
    checked = send(client, event, child(event, claims=["large_family"]), step="check")
    found = checked.context["preview"]
    assert (str(found.quote.fee), str(found.proven_fee)) == ("500.00 RUB", "250.00 RUB")
    send(client, event, child(event, claims=["large_family", "nobility"]))
    assert not Entry.objects.filter(tournament=event).exists()  # an unknown ground is refused, not ignored
    send(client, event, child(event, claims=["large_family"]))
    assert Claim.objects.get().state == "claimed"


@pytest.mark.clause("M10.3.3")
def test_a_sister_is_added_by_the_link_and_both_pay_the_family_price(client: Client) -> None:
    event = youth()
    sent = send(client, event, child(event))
    token = sent["Location"].split("/")[-2]
    page = client.get(reverse("register", args=[event.slug]), {"family": token})
    assert 'value="ivan@example.org"' in page.content.decode()
    sister = child(event, family=token, given_name="Марія", sex="F")
    assert str(send(client, event, sister, step="check").context["preview"].quote.fee) == "300.00 RUB"
    send(client, event, sister)
    assert len(set(Application.objects.values_list("family_key", flat=True))) == 1
    assert "300" in text_of(client.get(sent["Location"]))
    foreign = client.get(reverse("register", args=[soon().slug]), {"family": token})
    assert "ivan@example.org" not in foreign.content.decode()


def test_the_fragment_answers_for_a_half_filled_form(client: Client) -> None:
    event = youth()
    url = reverse("register_fee", args=[event.slug])
    nothing = client.post(url, {})
    assert nothing.context["preview"] is None
    data = child(event, surname="", consent_regulation=None, claims=["orphanage"])
    some = client.post(url, data)
    assert some.context["preview"].section.code == "u11-boys"
    assert str(some.context["preview"].proven_fee) == "0.00 RUB"
    assert client.get(url).status_code == 405


@pytest.mark.parametrize("state", ["draft", "closed", "running", "finished", "cancelled"])
def test_a_closed_form_says_so_and_takes_nothing(client: Client, state: str) -> None:
    event = soon(state=state)
    assert client.get(reverse("register", args=[event.slug])).status_code == 200
    send(client, event, adult(event))
    assert not Entry.objects.filter(tournament=event).exists()


def test_a_hidden_event_has_no_form(client: Client) -> None:
    event = soon(public=False)
    assert client.get(reverse("register", args=[event.slug])).status_code == 404
    assert send(client, event, adult(event)).status_code == 404


def test_the_event_page_has_the_fee_the_places_and_one_button(client: Client) -> None:
    event = soon()
    page = client.get(reverse("event", args=[event.slug]))
    assert reverse("register", args=[event.slug]) in page.content.decode()
    words = text_of(page).replace("\xa0", " ")
    assert all(text in words for text in ("500 ₴", "600 ₴", "100 ₴", "32"))


def test_the_form_takes_the_same_number_of_queries_for_few_and_many_entries(client: Client) -> None:
    counts = []
    for size in (1, 30):
        event = soon()
        for number in range(size):
            builders.entry(section(event), f"Гравець{number}")
        client.get(reverse("register", args=[event.slug]))
        with CaptureQueriesContext(connection) as queries:
            client.get(reverse("register", args=[event.slug]))
        counts.append(len(queries))
    assert counts[0] == counts[1]


@pytest.mark.parametrize("language", ["uk", "ru", "en"])
def test_the_form_opens_in_every_language(client: Client, language: str) -> None:
    event = youth()
    response = client.get(reverse("register", args=[event.slug]), headers={"accept-language": language})
    assert response.status_code == 200
    assert f'lang="{language}"' in response.content.decode()


@pytest.mark.parametrize(
    ("value", "cell"),
    [
        ("=1+1", "'=1+1"),
        ("+380 50", "'+380 50"),
        ("-5", "'-5"),
        ("@x", "'@x"),
        ("\t=1", "'=1"),
        (-12, "-12"),
        (None, ""),
        ("Бондар", "Бондар"),
    ],
)
def test_a_cell_of_the_export_is_never_a_formula(value: Any, cell: str) -> None:
    assert safe_cell(value) == cell


def test_an_entry_leaves_its_history(client: Client) -> None:
    event = soon()
    send(client, event, adult(event, level="other", level_text="3"))
    entry = Entry.objects.get(tournament=event)
    assert (entry.state, entry.level) == ("applied", "3")
    assert list(EntryEvent.objects.filter(entry=entry).values_list("kind", "state")) == [("registered", "applied")]
