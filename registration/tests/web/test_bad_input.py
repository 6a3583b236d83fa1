"""Whatever is thrown at the public doors is refused or taken in words: no fault, nothing lost, nobody hurt later."""

from __future__ import annotations

import io
import struct
import uuid
import zipfile
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from registration.privacy.models import Erasure
from registration.services import revoke_link
from registration.sheets import Limits, read_table
from registration.tests.db.test_rating_lists import workbook
from registration.tests.people import enter, section
from registration.tests.web.test_finding_and_groups import post, table
from registration.tests.web.test_register_page import child, errors_of, send, youth
from tourney.kernel.errors import TourneyError
from tourney.models import Entry
from tourney.testing import builders

pytestmark = pytest.mark.django_db

NAMES = {
    "formula": '=HYPERLINK("http://x","y")',
    "emoji": "Іван 😀",
    "two hundred letters": "Ї" * 200,
    "markup": "<script>alert(1)</script>",
    "nothing visible": "\u200b\u2063\t",
    "figures": "12345",
    "a zero byte": "Бон\x00дар?",
}


@pytest.mark.parametrize("name", NAMES.values(), ids=NAMES)
def test_what_is_no_name_is_refused_at_its_field_at_every_door_and_stays_in_it(client: Client, name: str) -> None:
    event = youth()
    made = enter(section(event, "u11-boys"), "Справжній", timezone.now())

    form = send(client, event, child(event, surname=name))
    rows = post(client, event, table(event, {"surname": name, "given_name": "Іван"}), "send")
    own = client.post(f"/e/{made.token}/edit/", {"surname": name, "given_name": "Іван", "email": "a@example.org"})

    assert [answer.status_code for answer in (form, rows, own)] == [422, 422, 422]
    assert "surname" in errors_of(form)
    assert rows.context["faults"][0]["row"] == 1
    assert "surname" in own.context["form"].errors
    assert form.context["form"]["surname"].value() == name.replace("\0", "")
    assert list(Entry.objects.values_list("player__surname", flat=True)) == ["Справжній"]
    assert "<script>alert(1)" not in form.content.decode() + rows.content.decode()


def test_signs_that_turn_the_writing_are_taken_out_and_real_names_of_right_to_left_scripts_stay(client: Client) -> None:
    event = youth()

    answer = post(client, event, table(event, {"surname": "\u202eربيع\u202c", "given_name": "Іван"}), "send")

    assert answer.status_code == 200
    assert Entry.objects.get().player.surname == "ربيع"


@pytest.mark.parametrize("day", ["2999-01-01", "0001-01-01", "2012-02-30", "вчора", "17.05", "9" * 400])
def test_a_birth_that_can_not_be_is_refused_at_its_field(client: Client, day: str) -> None:
    event = youth()
    typed = child(event) | {"birth_date": day}

    form = send(client, event, typed)
    rows = post(client, event, table(event, {"surname": "Бондар", "given_name": "Іван", "birth_date": day}), "send")

    assert list(errors_of(form)) == ["birth_date"]
    assert [one["row"] for one in rows.context["faults"]] == [1]
    assert not Entry.objects.exists()


def test_two_tabs_with_the_same_child_make_one_entry(client: Client) -> None:
    event = youth()
    first, second = child(event), child(event, operation=str(uuid.uuid4()))

    answers = [send(client, event, first), send(client, event, second), send(client, event, first)]

    assert [answer.status_code for answer in answers] == [302, 422, 302]
    assert answers[0]["Location"] == answers[2]["Location"]
    assert Entry.objects.count() == 1


def test_a_name_that_came_by_hand_is_no_formula_in_any_file(client: Client) -> None:
    event = youth()
    enter(section(event, "u11-boys"), "=1+1", timezone.now(), given_name="@SUM(A1)", online=False)
    client.force_login(builders.user("organizer", event, "organizer"))

    for name in ("manage_entries_csv", "manage_number_request"):
        text = b"".join(client.get(reverse(name, args=[event.slug])).streaming_content).decode()
        assert "'=1+1,'@SUM(A1)" in text


def test_a_revoked_link_replayed_changes_nothing(client: Client) -> None:
    event = youth()
    made = enter(section(event, "u11-boys"), "Смирнов", timezone.now())
    revoke_link(made.entry, actor=None)

    answers = [
        client.post(f"/e/{made.token}/edit/", {"surname": "Чужий", "given_name": "Чужий"}),
        client.post(f"/e/{made.token}/withdraw/", {"reason": "x"}),
        client.post(f"/e/{made.token}/erase/now/"),
        client.post(reverse("register", args=[event.slug]), child(event, family=made.token) | {"step": "send"}),
    ]

    assert [answer.status_code for answer in answers] == [404, 404, 404, 302]
    made.entry.refresh_from_db()
    assert (made.entry.state, made.entry.player.surname) == ("confirmed", "Смирнов")
    assert not Erasure.objects.exists()
    newest = Entry.objects.latest("pk")
    assert newest.application.family_key == ""


def test_hidden_values_that_were_tampered_with_are_no_fault(client: Client) -> None:
    event = youth()
    url = reverse("register_group", args=[event.slug])

    for changes in ({"rows": "9" * 30}, {"rows": "-1"}, {"rows": "١٢"}, {"operation": "x"}, {"step": "nonsense"}):
        assert client.post(url, table(event) | changes).status_code in (200, 422)
    for changes in (
        {"operation": "x"},
        {"regulation": "9" * 30},
        {"section": "nonsense"},
        {"pick": "fide-" + "9" * 99},
    ):
        assert client.post(reverse("register", args=[event.slug]), child(event) | changes).status_code in (200, 422)


# -- files -------------------------------------------------------------------------------------------------------------


def sparse() -> bytes:
    """A workbook of two cells, the second in the last row and the last column: sixteen thousand million cells."""
    source = io.BytesIO(workbook([["surname"]]))
    target = io.BytesIO()
    with zipfile.ZipFile(source) as old, zipfile.ZipFile(target, "w") as new:
        for name in old.namelist():
            text = old.read(name).decode()
            if name.endswith("a.xml"):
                cells = '<row r="1"><c r="A1"><v>1</v></c></row><row r="1048576"><c r="XFD1048576"><v>1</v></c></row>'
                text = text[: text.index("<sheetData>")] + f"<sheetData>{cells}</sheetData></worksheet>"
            new.writestr(name, text)
    return target.getvalue()


def inflating(megabytes: int) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("[Content_Types].xml", b" " * (megabytes << 20))
    return file.getvalue()


def lying(megabytes: int) -> bytes:
    """The same, but every header of the archive says that a thousand bytes are inside."""
    content = bytearray(inflating(megabytes))
    size = struct.pack("<I", megabytes << 20)
    while (at := content.find(size)) >= 0:
        content[at : at + 4] = struct.pack("<I", 1000)
    return bytes(content)


@pytest.mark.parametrize(
    ("content", "codes"),
    [
        (sparse(), {"sheet.bomb", "sheet.too_long", "sheet.unreadable"}),
        (inflating(60), {"sheet.bomb"}),
        (lying(60), {"sheet.bomb"}),
        (workbook([["a"]])[:-40], {"sheet.unreadable"}),
        (b"PK\x03\x04" + b"\0" * 200, {"sheet.unreadable"}),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\0" * 600, {"sheet.unreadable", "sheet.bomb"}),
        (b"x" * (3 << 20), {"sheet.too_large"}),
        (b"a;b\n" * 2000, {"sheet.too_long"}),
        (b"%PDF-1.7", {"sheet.not_a_table"}),
        (b"\x89PNG\r\n", {"sheet.not_a_table"}),
        (b"\0\1\2\3" * 20, {"sheet.not_a_table"}),
    ],
)
def test_a_table_that_is_none_or_a_bomb_is_refused_in_words(content: bytes, codes: set[str]) -> None:
    with pytest.raises(TourneyError) as refused:
        read_table(content, Limits())
    assert refused.value.code in codes


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "cp1251", "utf-16"])
def test_csv_is_read_in_the_encodings_of_spreadsheets(encoding: str) -> None:
    assert read_table("Прізвище;Ім'я\nБондар;Іван\n".encode(encoding)) == [["Прізвище", "Ім'я"], ["Бондар", "Іван"]]


def test_a_workbook_is_read_as_people_see_it() -> None:
    assert read_table(workbook([["Прізвище", "Дата"], ["Бондар", "17.05.2012"]])) == [
        ["Прізвище", "Дата"],
        ["Бондар", "17.05.2012"],
    ]


def test_a_file_of_ten_megabytes_is_refused_and_the_rows_stay(client: Client) -> None:
    event = youth()
    file = SimpleUploadedFile("children.csv", b"x" * (10 << 20))

    answer: Any = post(client, event, table(event, {"surname": "Бондар"}) | {"file": file}, "file")

    assert answer.status_code == 422
    assert 'value="Бондар"' in answer.content.decode()
