"""Rating lists: every federation's file as published, what is wrong with lines, and a second list over the first."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path
from typing import Any

import pytest
from django.db import connection
from django.utils import timezone

from registration.ratings.loading import load_file, request_load, run_load
from registration.ratings.models import RatedPerson, RatingList, RatingListPiece
from registration.ratings.refreshing import compare, take, without_number
from registration.ratings.searching import search
from registration.ratings.suggesting import suggest
from registration.tests.people import enter, mari_el, moment, section
from tourney.kernel.errors import TourneyError
from tourney.models import ActionLog, Job

pytestmark = pytest.mark.django_db

HEAD = (
    "ID Number      Name                                                         Fed Sex Tit  WTit OTit           FOA "
    "SRtng SGm SK RRtng RGm Rk BRtng BGm BK B-day Flag"
)
FSR = "ID_No,Name,Sex,Fed,Clubnumber,ClubName,Birthday,Rtg_Nat,Fide_No,Rtg_Int\n"


def fide_line(number: Any, name: str, *, sex: str = "M", ratings: tuple[Any, ...] = (0, 0, 0), year: Any = 2012) -> str:
    standard, rapid, blitz = ratings
    return (
        f"{number:<15}{name:<61}{'RUS':<4}{sex:<4}{'':<5}{'':<5}{'':<15}{'':<4}{standard:<6}{0:<4}{20:<3}"
        f"{rapid:<6}{0:<4}{20:<3}{blitz:<6}{0:<4}{20:<3}{year:<6}{'':<4}\r\n"
    )


def load(folder: Path, content: bytes, name: str = "list.txt", **fields: Any) -> RatingList:
    path = folder / name
    path.write_bytes(content)
    return load_file(path, RatingList.objects.create(name=name, at=timezone.now(), **fields))


def told(found: RatingList) -> tuple[Any, ...]:
    return tuple(found.report.get(key) for key in ("rows", "fresh", "changed", "gone", "faults"))


def problems(found: RatingList) -> list[tuple[str, int, int]]:
    return [(one["code"], one["line"], one["column"]) for one in found.report["problems"]]


def packed(content: bytes, name: str = "players_list_foa.txt") -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(name, content)
    return file.getvalue()


def test_fide_columns_are_read_packed_and_plain_with_names_and_ratings(tmp_path: Path) -> None:
    text = HEAD + "\r\n" + fide_line(24100010, "Smirnov, Petr", ratings=(1650, 1600, 0))
    text += fide_line(24100011, "Müller, Anna", sex="F", ratings=(0, 0, 1711), year="0000")

    found = load(tmp_path, packed(text.encode()), "players.zip")

    assert (found.state, found.source, found.kind, told(found)) == ("loaded", "fide", "all", (2, 2, 0, 0, 0))
    first, second = RatedPerson.objects.order_by("number")
    assert (first.name, first.federation, first.sex, first.birth_year) == ("Smirnov, Petr", "RUS", "M", 2012)
    assert (first.standard, first.rapid, first.blitz) == (1650, 1600, None)
    assert (second.name, second.sex, second.birth_year, second.blitz) == ("Müller, Anna", "F", None, 1711)


def test_the_older_file_without_the_foa_column_is_read_by_its_own_heads(tmp_path: Path) -> None:
    head = HEAD.replace("FOA ", "")
    line = fide_line(24100010, "Smirnov, Petr", ratings=(1650, 0, 0))
    line = line[:109] + line[113:]

    assert told(load(tmp_path, f"{head}\r\n{line}".encode())) == (1, 1, 0, 0, 0)
    assert RatedPerson.objects.get().standard == 1650


def test_lines_that_can_not_be_read_are_told_with_line_and_column_and_the_rest_is_loaded(tmp_path: Path) -> None:
    good = "".join(
        fide_line(1000 + number, f"Petrov, Ivan{'abcdefghijklmnopqrstuvwxyz'[number]}") for number in range(24)
    )
    bad = fide_line("12x", "Wrong, Number") + fide_line(7, "Wrong, Rating", ratings=("16O0", 0, 0))
    bad += fide_line(1000, "Petrov, Again")

    found = load(tmp_path, f"{HEAD}\r\n{good}{bad}".encode())

    assert (found.state, told(found)) == ("loaded", (25, 24, 0, 0, 3))
    assert problems(found) == [
        ("ratings.bad_number", 26, 1),
        ("ratings.bad_rating", 27, 114),
        ("ratings.twice", 28, 0),
    ]
    assert RatedPerson.objects.get(number="1000").name == "Petrov, Again"


def test_xml_is_read_and_a_bomb_is_refused_before_it_grows(tmp_path: Path) -> None:
    player = "<player><fideid>24100010</fideid><name>Smirnov, Petr</name><country>RUS</country><sex>M</sex>"
    player += "<rating>1650</rating><rapid_rating>0</rapid_rating><blitz_rating></blitz_rating>"
    player += "<birthday>2012</birthday><flag>i</flag></player>"
    bomb = '<?xml version="1.0"?><!DOCTYPE a [<!ENTITY b "x"><!ENTITY c "&b;&b;">]><playerslist>&c;</playerslist>'

    found = load(tmp_path, f"<playerslist>{player}</playerslist>".encode(), "list.xml")
    refused = load(tmp_path, bomb.encode(), "bomb.xml")
    torn = load(tmp_path, f"<playerslist>\n{player}\n<player>".encode(), "torn.xml")

    assert (found.state, told(found)) == ("loaded", (1, 1, 0, 0, 0))
    assert RatedPerson.objects.get().inactive
    assert (refused.state, refused.report["refusal"]["code"]) == ("failed", "ratings.xml_declares")
    assert (torn.report["refusal"]["code"], torn.report["refusal"]["line"]) == ("ratings.bad_xml", 3)


def test_an_archive_that_inflates_beyond_measure_is_refused(tmp_path: Path) -> None:
    found = load(tmp_path, packed(b"ID Number" + b" " * (60 << 20)), "bomb.zip")

    assert (found.state, found.report["refusal"]["code"]) == ("failed", "ratings.archive")


def test_russian_files_of_three_kinds_make_one_person(tmp_path: Path) -> None:
    row = "110,Смирнов Пётр Ильич,,RUS,12,Марий Эл,2012,{own},24100010,{fide}\n"
    load(tmp_path, ("\ufeff" + FSR + row.format(own=1650, fide=1500)).encode(), "smanager_standard.csv")
    found = load(tmp_path, (FSR + row.format(own=1712, fide="")).encode(), "smanager_rapid.csv")

    person = RatedPerson.objects.get()
    assert (found.source, found.kind, told(found)) == ("fsr", "rapid", (1, 0, 1, 0, 0))
    assert (person.number, person.name, person.sex, person.fide_number) == (
        "110",
        "Смирнов Пётр Ильич",
        "M",
        "24100010",
    )
    assert (person.standard, person.rapid, person.blitz, person.fide_standard) == (1650, 1712, None, 1500)


def test_a_russian_file_that_does_not_say_its_kind_is_asked_about(tmp_path: Path) -> None:
    content = (FSR + "110,Смирнов Пётр,,RUS,12,Марий Эл,2012,1650,,\n").encode()

    assert load(tmp_path, content, "list.csv").report["refusal"]["code"] == "ratings.say_kind"
    assert load(tmp_path, content, "list.csv", kind="blitz").kind == "blitz"


def test_a_ukrainian_workbook_gives_names_without_the_title_behind_them(tmp_path: Path) -> None:
    rows = [["Fide_No", "Name", "Fed", "Sex", "Rtg_Nat", "Rtg_Int", "Birthday"]]
    rows += [
        ["14100010", "Бондар Олена кмс", "Київ", "w", "1801", "1712", "2009"],
        ["", "Без Номера", "", "", "", "", ""],
    ]
    rows += [
        [str(14100011 + number), f"Ткач Іван{'абвгдежзиклмн'[number]}", "", "", "1500", "", ""] for number in range(12)
    ]

    found = load(tmp_path, workbook(rows), "nat2611s.xlsx")

    person = RatedPerson.objects.get(number="14100010")
    assert (found.source, told(found)) == ("ucf", (13, 13, 0, 0, 1))
    assert problems(found) == [("ratings.bad_number", 3, 1)]
    assert (person.name, person.title, person.sex, person.standard, person.fide_standard, person.birth_year) == (
        *("Бондар Олена", "кмс", "F", 1801, 1712, 2009),
    )


def test_an_old_binary_workbook_with_numbers_as_numbers_is_read_as_well(tmp_path: Path) -> None:
    content = (Path(__file__).parents[1] / "data" / "ukrainian.xls").read_bytes()
    assert content.startswith(b"\xd0\xcf\x11\xe0")  # Excel 97–2003, as the federation's list was published for years

    found = load(tmp_path, content, "nat2611s.xls")

    assert (found.source, told(found)) == ("ucf", (12, 12, 0, 0, 0))
    olena, tkach, unrated = (RatedPerson.objects.get(number=n) for n in ("14100010", "14100028", "14100036"))
    assert (olena.name, olena.title, olena.sex, olena.standard, olena.fide_standard, olena.birth_year) == (
        *("Бондар Олена", "кмс", "F", 1801, 1712, 2009),
    )
    assert (tkach.title, tkach.sex) == ("мф", "M")
    assert (unrated.name, unrated.standard, unrated.fide_standard) == ("Сковорода-Ґудзь Їжак", 1540, None)
    again = load(tmp_path, content, "nat2612s.xls")
    assert told(again) == (12, 0, 0, 0, 0)


def workbook(rows: list[list[str]]) -> bytes:
    """A workbook as small as one can be, with its words in the cells."""
    cells = "".join(
        "<row>" + "".join(f'<c t="inlineStr"><is><t>{text}</t></is></c>' for text in row) + "</row>" for row in rows
    )
    office = "http://schemas.openxmlformats.org"
    parts = {
        "[Content_Types].xml": f'<Types xmlns="{office}/package/2006/content-types"><Default Extension="rels" '
        'ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Override PartName="/xl/workbook.xml" '
        'ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml"/></Types>',
        "_rels/.rels": f'<Relationships xmlns="{office}/package/2006/relationships"><Relationship Id="r1" '
        f'Type="{office}/officeDocument/2006/relationships/officeDocument" Target="xl/workbook.xml"/></Relationships>',
        "xl/workbook.xml": f'<workbook xmlns="{office}/spreadsheetml/2006/main" '
        f'xmlns:r="{office}/officeDocument/2006/relationships"><sheets><sheet name="A" sheetId="1" r:id="r1"/></sheets>'
        "</workbook>",
        "xl/_rels/workbook.xml.rels": f'<Relationships xmlns="{office}/package/2006/relationships"><Relationship '
        f'Id="r1" Type="{office}/officeDocument/2006/relationships/worksheet" Target="worksheets/a.xml"/>'
        "</Relationships>",
        "xl/worksheets/a.xml": f'<worksheet xmlns="{office}/spreadsheetml/2006/main"><sheetData>{cells}</sheetData>'
        "</worksheet>",
    }
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in parts.items():
            archive.writestr(name, text)
    return file.getvalue()


def test_a_second_list_touches_changed_rows_only(tmp_path: Path) -> None:
    people = [
        fide_line(1000 + number, f"Petrov, Ivan{'abcdefghij'[number]}", ratings=(1500, 0, 0)) for number in range(10)
    ]
    load(tmp_path, f"{HEAD}\r\n{''.join(people)}".encode())
    before = versions()
    people[3] = people[3].replace("1500", "1525")
    people[4] = fide_line(2000, "Novikov, Oleg")

    found = load(tmp_path, f"{HEAD}\r\n{''.join(people)}".encode())

    after = versions()
    assert told(found) == (10, 1, 1, 1, 0)
    assert {number for number, row in after.items() if before.get(number) != row} == {"1003", "2000"}
    assert set(before) - set(after) == {"1004"}


def versions() -> dict[str, Any]:
    """Where PostgreSQL keeps each person: a row that is written anew moves."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT number, ctid FROM registration_ratedperson")
        return dict(cursor.fetchall())


def test_a_list_that_lost_its_people_is_refused_unless_it_is_called_a_part(tmp_path: Path) -> None:
    people = "".join(fide_line(1000 + number, f"Petrov, Ivan{'abcdefghij'[number]}") for number in range(10))
    load(tmp_path, f"{HEAD}\r\n{people}".encode())
    short = f"{HEAD}\r\n{fide_line(3000, 'Novikov, Oleg')}".encode()

    refused = load(tmp_path, short)
    taken = load(tmp_path, short, partial=True)

    assert refused.report["refusal"] == {
        "code": "ratings.list_shrank",
        "line": 0,
        "values": {"gone": 10, "before": 10},
    }
    assert (taken.state, RatedPerson.objects.count()) == ("loaded", 11)


@pytest.mark.parametrize("content", [b"", b"\x89PNG\r\n\x1a\n....", b"surname,name\n", b"%PDF-1.7"])
def test_other_files_are_refused_in_words(tmp_path: Path, content: bytes) -> None:
    assert load(tmp_path, content).report["refusal"]["code"] == "ratings.unknown_file"


def test_a_file_is_kept_until_a_worker_has_loaded_it() -> None:
    content = f"{HEAD}\r\n{fide_line(24100010, 'Smirnov, Petr')}".encode()
    made = request_load([content[:100], content[100:]], name="players.txt")

    assert (Job.objects.get().args["args"], RatingListPiece.objects.count()) == ([made.pk], 1)
    run_load(made.pk)
    run_load(made.pk)  # a message that comes twice

    made.refresh_from_db()
    assert (made.state, told(made), RatingListPiece.objects.count()) == ("loaded", (1, 1, 0, 0, 0), 0)
    with pytest.raises(TourneyError, match=r"ratings\.empty"):
        request_load([], name="nothing.txt")


# -- finding -----------------------------------------------------------------------------------------------------------


@pytest.fixture
def lists(tmp_path: Path) -> None:
    fide = HEAD + "\r\n" + fide_line(24100010, "Smirnov, Petr", ratings=(1503, 1611, 0))
    fide += fide_line(24100011, "Smirnova, Petra", sex="F", year=2013) + fide_line(
        14100012, "Hryhoriev, Serhii", year=2001
    )
    fide += fide_line(24100013, "Shevchenko, Olena", sex="F", year=2010)
    load(tmp_path, fide.encode())
    russian = FSR + "110,Смирнов Пётр Ильич,,RUS,12,Марий Эл,2012,1650,24100010,1503\n"
    russian += "111,Кузнецов Илья Петрович,,RUS,12,Марий Эл,2011,1200,,\n"
    load(tmp_path, russian.encode(), "smanager_standard.csv")


@pytest.mark.usefixtures("lists")
@pytest.mark.parametrize(
    ("typed", "numbers"),
    [
        ("Smirnov Petr", ["110", "24100010", "24100011"]),
        ("смирнов", ["110", "24100010", "24100011"]),
        ("петр смирнов 2012", ["110", "24100010"]),
        ("Смиронв Пётр", ["110", "24100010"]),
        ("Григорьев Сергей", ["14100012"]),
        ("Григорьев", ["14100012"]),
        ("Hsevchenko Olena", ["24100013"]),
        ("Шевченк", ["24100013"]),
        ("Shvchenko Olena", ["24100013"]),
        ("Shevcenko Olena 2010", ["24100013"]),
        ("Sevchhenko", ["24100013"]),
        ("Шевченко Олна 2010", ["24100013"]),
        ("Hryoriev Serhii 2001", ["14100012"]),
        ("Shevchenko Olena 2011", []),
        ("24100013", ["24100013"]),
        ("111", ["111"]),
        ("Smirnov Petr Ilyich", ["110"]),
        ("xy", []),
        ("% _ ' \\ : & |", []),
        ("=HYPERLINK()", []),
        ("😀", []),
    ],
)
def test_people_are_found_in_either_script_by_number_year_and_with_a_slip(typed: str, numbers: list[str]) -> None:
    assert sorted(one.number for one in search(typed)) == sorted(numbers)


def test_a_slip_that_makes_another_name_hides_nobody_and_namesakes_hide_no_other_spelling(tmp_path: Path) -> None:
    people = fide_line(1, "Kolola, Ivan") + fide_line(2, "Kola, Ivan", ratings=(2100, 0, 0))
    people += "".join(fide_line(100 + one, "Koloda, Ivan", ratings=(1900, 0, 0)) for one in range(40))
    load(tmp_path, f"{HEAD}\r\n{people}".encode())

    assert [one.number for one in search("Kolla Ivan 2012")][:1] == ["2"]
    assert "1" in [one.number for one in search("Kolla Ivan 2012")]
    assert {"1", "100"} <= {one.number for one in search("Kolofa Ivan")}


@pytest.mark.usefixtures("lists")
def test_lists_are_brought_together_by_the_number_of_fide() -> None:
    found = suggest(mari_el(), "смирнов пётр 2012")

    assert [(one.key, one.surname, one.given_name, one.patronymic, one.latin_name) for one in found] == [
        ("fsr-110", "Смирнов", "Пётр", "Ильич", "Smirnov, Petr")
    ]
    assert (found[0].fide_id, found[0].national_id) == ("24100010", "110")
    assert found[0].ratings == {"national": 1650, "fide_standard": 1503}


@pytest.mark.usefixtures("lists")
@pytest.mark.clause("M7.5")
def test_differences_are_shown_first_and_only_what_is_chosen_is_taken() -> None:
    event = mari_el()
    at = moment(event, "2021-08-20T12:00")
    by_number = enter(section(event, "u11-boys"), "Смирнов", at, given_name="Петя", national_id="110").entry
    guessed = enter(
        section(event, "u13-boys"), "Кузнецов", at, given_name="Илья", birth_date=None, birth_year=2011
    ).entry
    stranger = enter(section(event, "u11-boys"), "Новый", at).entry

    found = compare(event)

    assert {(one.entry, one.guessed, tuple(one.rows)) for one in found.differences} == {
        (
            by_number,
            False,
            (("fide_id", "", "24100010"), ("national", "", "1650"), ("fide_standard", "", "1503")),
        ),
        (guessed, True, (("national_id", "", "111"), ("national", "", "1200"))),
    }
    assert (found.same, found.unknown) == (0, [stranger])

    assert take(event, {by_number.pk}, actor=None) == 1

    by_number.refresh_from_db()
    guessed.refresh_from_db()
    assert (by_number.rating, by_number.ratings) == (1650, {"national": 1650, "fide_standard": 1503})
    assert guessed.rating is None
    assert ActionLog.objects.filter(action="entry.ratings_taken").get().data == {"entries": 1}
    assert without_number(event) == [stranger, guessed]


@pytest.mark.usefixtures("lists")
def test_a_closed_start_list_keeps_its_ratings_without_a_reason() -> None:
    event = mari_el()
    entry = enter(section(event, "u11-boys"), "Смирнов", moment(event, "2021-08-20T12:00"), national_id="110").entry
    entry.start_number = 1
    entry.save()

    with pytest.raises(TourneyError, match=r"entry\.reason_needed"):
        take(event, {entry.pk}, actor=None)
    assert take(event, {entry.pk}, actor=None, reason="нова редакція списку") == 1
