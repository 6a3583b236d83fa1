"""Finding oneself in the lists, a trainer's table, the organizer's page of ratings, as a browser without scripts."""

from __future__ import annotations

import datetime as dt
import uuid
from pathlib import Path
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from registration.ratings.models import RatedPerson, RatingList
from registration.tests.db.test_rating_lists import FSR, HEAD, fide_line, load, workbook
from registration.tests.people import enter, section
from registration.tests.web.test_register_page import child, errors_of, send, text_of, youth
from tourney.models import ActionLog, Entry, Tournament
from tourney.testing import builders

pytestmark = pytest.mark.django_db


@pytest.fixture
def lists(tmp_path: Path) -> None:
    load(tmp_path, f"{HEAD}\r\n{fide_line(24100010, 'Smirnov, Petr', ratings=(1503, 0, 0))}".encode())
    row = "110,Смирнов Пётр Ильич,,RUS,12,Марий Эл,2012,1650,24100010,1503\n"
    load(tmp_path, (FSR + row).encode(), "smanager_standard.csv")


def find(client: Client, event: Tournament, typed: str, **more: str) -> Any:
    return client.post(reverse("register_find", args=[event.slug]), {"find": typed, **more})


@pytest.mark.usefixtures("lists")
def test_the_desk_finds_somebody_for_its_own_form_with_scripts_and_without(client: Client) -> None:
    event = youth()
    page, search = (reverse(name, args=[event.slug]) for name in ("manage_entry_new", "manage_entry_find"))
    assert client.post(search, {"find": "смирнов"}).status_code in (302, 403)
    client.force_login(builders.user("foreign", youth(), "desk"))
    assert client.post(search, {"find": "смирнов"}).status_code in (403, 404)
    client.force_login(builders.user("desk", event, "desk"))

    told = client.post(search, {"find": "смирнв пётр"}).json()["people"]
    assert [(one["key"], one["fill"]["national_id"]) for one in told] == [("fsr-110", "110")]
    assert f'data-find-url="{search}"' in client.get(page).content.decode()

    shown = client.post(page, {"step": "find", "find": "смирнв пётр", "phone": "+79021234567"})
    assert "Смирнов Пётр Ильич" in text_of(shown)
    picked = client.post(page, {"pick": "fsr-110", "phone": "+79021234567"}).context["form"]
    values = [picked[name].value() for name in ("surname", "national_id", "rating_national", "phone")]
    assert values == ["Смирнов", "110", "1650", "+79021234567"]
    assert not Entry.objects.filter(tournament=event).exists()


@pytest.mark.usefixtures("lists")
def test_nobody_is_looked_up_before_the_consent_and_only_published_data_come_back(client: Client) -> None:
    event = youth()
    enter(section(event, "u11-boys"), "Смирнов", timezone.now(), given_name="Пётр", email="secret@example.org")

    assert find(client, event, "смирнов").status_code == 403
    answer = find(client, event, "смирнов", consent_processing="on")

    assert answer.json() == {
        "people": [
            {
                "key": "fsr-110",
                "name": "Смирнов Пётр Ильич",
                "more": answer.json()["people"][0]["more"],
                "fill": {
                    "surname": "Смирнов",
                    "given_name": "Пётр",
                    "patronymic": "Ильич",
                    "latin_name": "Smirnov, Petr",
                    "sex": "M",
                    "fide_id": "24100010",
                    "national_id": "110",
                    "rating_national": "1650",
                    "rating_fide_standard": "1503",
                },
            }
        ]
    }
    assert "2012" in answer.json()["people"][0]["more"]
    assert find(client, event, "secret", consent_processing="on").json() == {"people": []}


@pytest.mark.usefixtures("lists")
def test_a_program_that_searches_on_and_on_is_told_to_wait(client: Client) -> None:
    event = youth()
    answers = [find(client, event, "см", consent_processing="on").status_code for _ in range(125)]

    assert answers[:120] == [200] * 120
    assert answers[120:] == [429] * 5


@pytest.mark.usefixtures("lists")
def test_without_scripts_a_button_finds_and_another_fills_in_and_nothing_typed_is_lost(client: Client) -> None:
    event = youth()
    typed = child(event, surname="Смірнов", given_name="", find="Smirnov Petr", city="Йошкар-Ола")

    found = send(client, event, typed, "find")
    picked = client.post(reverse("register", args=[event.slug]), typed | {"pick": "fsr-110"})

    assert 'name="pick" value="fsr-110"' in found.content.decode()
    form = picked.context["form"]
    assert [form[name].value() for name in ("surname", "given_name", "national_id", "rating_national", "city")] == [
        *("Смірнов", "Пётр", "110", "1650", "Йошкар-Ола"),
    ]
    assert errors_of(picked) == {}
    assert not Entry.objects.exists()


def test_a_form_without_lists_does_not_offer_to_search(client: Client) -> None:
    assert 'id="finder"' not in client.get(reverse("register", args=[youth().slug])).content.decode()


# -- many children -----------------------------------------------------------------------------------------------------


def table(event: Tournament, *rows: dict[str, str], **more: str) -> dict[str, Any]:
    """What a trainer sends: rows of the youngest boys' group unless they say otherwise."""
    sent: dict[str, Any] = {
        "rows": str(len(rows)),
        "operation": str(uuid.uuid4()),
        "all-email": "trainer@example.org",
        "all-consent_regulation": "on",
        "all-consent_processing": "on",
    }
    for index, row in enumerate(rows):
        usual = {
            "birth_date": f"{event.starts_on.year - 9}-05-17",
            "sex": "M",
            "guardian_name": "Олена",
            "lives_in_region": "on",
            "registered_in_region": "on",
        }
        sent |= {f"r{index}-{name}": value for name, value in (usual | row).items()}
    return sent | more


def post(client: Client, event: Tournament, data: dict[str, Any], step: str) -> Any:
    return client.post(reverse("register_group", args=[event.slug]), data | {"step": step})


def test_a_trainer_enters_his_children_at_once_and_sending_twice_changes_nothing(client: Client) -> None:
    event = youth()
    data = table(event, {"surname": "Бондар", "given_name": "Іван"}, {"surname": "Ткач", "given_name": "Олег"})

    looked = post(client, event, data, "check")
    first = post(client, event, data, "send")
    again = post(client, event, data, "send")

    assert looked.context["ready"]
    assert list(Entry.objects.order_by("pk").values_list("player__surname", "section__code")) == [
        ("Бондар", "u11-boys"),
        ("Ткач", "u11-boys"),
    ]
    links = [one["link"] for one in first.context["entered"]]
    assert links == [one["link"] for one in again.context["entered"]]
    assert client.get(links[0].removeprefix("http://testserver")).status_code == 200


def test_one_wrong_row_keeps_everybody_out_and_says_row_and_column(client: Client) -> None:
    event = youth()
    right = {"surname": "Бондар", "given_name": "Іван"}
    wrong = {"surname": "Ткач", "given_name": "Олег", "birth_date": "2999-01-01"}
    data = table(event, right, wrong, dict(right))

    answer = post(client, event, data, "send")

    faults = [(one["row"], str(one["column"])) for one in answer.context["faults"]]
    assert [row for row, _column in faults] == [2, 3]
    assert not Entry.objects.exists()
    assert 'value="Ткач"' in answer.content.decode()


def test_a_child_entered_before_is_refused_at_his_row_and_nobody_else_is_entered(client: Client) -> None:
    event = youth()
    enter(
        section(event, "u11-boys"),
        "Ткач",
        timezone.now(),
        given_name="Олег",
        birth_date=dt.date(event.starts_on.year - 9, 5, 17),
    )
    data = table(event, {"surname": "Бондар", "given_name": "Іван"}, {"surname": "Ткач", "given_name": "Олег"})

    answer = post(client, event, data, "send")

    assert [one["row"] for one in answer.context["faults"]] == [2]
    assert Entry.objects.count() == 1


def test_a_workbook_fills_the_rows_in_whatever_order_its_columns_are(client: Client) -> None:
    event = youth()
    year = event.starts_on.year - 9
    rows = [["Дата рождения", "Фамилия", "Имя", "Пол", "Родитель"]]
    rows += [[f"17.05.{year}", "Бондар", "Іван", "м", "Олена"], ["вчора", "Ткач", "Олег", "мальчик", "Анна"]]
    file = SimpleUploadedFile("children.xlsx", workbook(rows))

    answer = post(client, event, table(event, {"birth_date": "", "guardian_name": ""}) | {"file": file}, "file")

    form = answer.context["table"].rows
    assert [row.form["surname"].value() for row in form] == ["Бондар", "Ткач"]
    assert form[0].form["birth_date"].value() == f"{year}-05-17"
    assert form[1].form["birth_date"].value() == "вчора"
    wrong = [one for one in answer.context["faults"] if one["row"] == 2]
    assert [str(one["column"]) for one in wrong] == [str(form[1].form.fields["birth_date"].label)]
    assert not Entry.objects.exists()


@pytest.mark.parametrize("content", [b"%PDF-1.7 ...", b"PK\x03\x04 torn", b"a;b\n1;2\n", b"", b"\x00" * 100])
def test_a_file_that_is_no_table_is_refused_in_words_and_the_rows_stay(client: Client, content: bytes) -> None:
    event = youth()
    data = table(event, {"surname": "Бондар", "given_name": "Іван"})

    answer = post(client, event, data | {"file": SimpleUploadedFile("children.csv", content)}, "file")

    assert answer.status_code == 422
    assert answer.context["error"]
    assert 'value="Бондар"' in answer.content.decode()


def test_the_empty_file_has_the_heads_the_reader_knows_again(client: Client) -> None:
    event = youth()
    content = b"".join(client.get(reverse("register_group_file", args=[event.slug])).streaming_content)
    year = event.starts_on.year - 9
    heads = content.decode().strip("\ufeff\r\n").split(",")
    row = dict.fromkeys(heads, "")
    row |= {heads[0]: "Бондар", heads[1]: "Іван", heads[3]: f"{year}-05-17"}
    filled = content + ",".join(row.values()).encode()

    answer = post(client, event, table(event) | {"file": SimpleUploadedFile("x.csv", filled)}, "file")

    assert [one.form["surname"].value() for one in answer.context["table"].rows] == ["Бондар"]


# -- staff -------------------------------------------------------------------------------------------------------------


@pytest.mark.usefixtures("lists")
@pytest.mark.clause("M7.5")
def test_the_organizer_sees_differences_takes_some_and_gets_the_list_of_those_without_a_number(client: Client) -> None:
    event = youth()
    known = enter(section(event, "u11-boys"), "Смирнов", timezone.now(), national_id="110").entry
    enter(section(event, "u11-boys"), "=Новый", timezone.now(), given_name="Олег")
    client.force_login(builders.user("organizer", event, "organizer"))
    url = reverse("manage_ratings", args=[event.slug])

    shown = client.get(url)
    taken = client.post(url, {"entry": [known.pk]})
    asked = client.get(reverse("manage_number_request", args=[event.slug]))

    assert "1650" in text_of(shown)
    assert taken.status_code == 302
    known.refresh_from_db()
    assert known.rating == 1650
    assert "'=Новый,Олег," in b"".join(asked.streaming_content).decode()
    assert ActionLog.objects.filter(action="entry.numbers_asked").get().data == {"rows": 1}


def test_lists_are_loaded_by_organizers_and_nobody_else(client: Client) -> None:
    event = youth()
    url = reverse("manage_rating_lists")
    file = f"{HEAD}\r\n{fide_line(24100010, 'Smirnov, Petr')}".encode()

    assert client.get(url).status_code == 302
    client.force_login(builders.user("desk", event, "desk"))
    assert client.get(url).status_code == 403
    client.force_login(builders.user("organizer", event, "organizer"))
    sent = client.post(url, {"file": SimpleUploadedFile("players.txt", file)}, follow=True)

    made = RatingList.objects.get()
    assert sent.status_code == 200
    assert (made.name, made.by.get_username(), made.state) == ("players.txt", "organizer", "waiting")
    assert not RatedPerson.objects.exists()
