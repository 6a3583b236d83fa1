"""The page of report files: who may, taking out, checking with differences, bringing in, and broken files."""

from __future__ import annotations

import base64
import re

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from swiss.engine.simulate import simulate
from swiss.models import ReportImport
from swiss.services.import_job import ask_import, run_import
from swiss.tests.builders import group, play, stage_of
from swiss.tests.web.helpers import queries, reader, signed_in, text_of
from tourney.kernel.trf import dump, parse
from tourney.models import ActionLog, Entry, Section, Stage
from tourney.testing import builders

pytestmark = pytest.mark.django_db


@pytest.fixture
def section() -> Section:
    return group(0)


def address(section: Section, more: str = "") -> str:
    return f"/manage/{section.tournament.slug}/{section.code}/trf/{more}"


def upload(client: Client, section: Section, content: bytes, name: str = "club.trf") -> object:
    return client.post(address(section), {"act": "look", "file": SimpleUploadedFile(name, content)})


def hidden(page: object) -> str:
    found = re.search(r'name="content" value="([^"]+)"', page.content.decode())  # type: ignore[attr-defined]
    return found[1] if found else ""


def report(players: int = 10, rounds: int = 3, seed: int = 5) -> bytes:
    return dump(simulate(players, rounds, seed)).encode()


# -- who -------------------------------------------------------------------------------------------------------------


def test_only_who_arbitrates_reaches_files() -> None:
    stage = stage_of(6, system="swiss", rounds=2)
    play(stage)
    for more in ("", "file/"):
        codes = {
            role: signed_in(stage, role).get(address(stage.section, more)).status_code
            for role in ("organizer", "chief_arbiter", "arbiter", "desk", "")
        }
        assert codes == {"organizer": 200, "chief_arbiter": 200, "arbiter": 403, "desk": 403, "": 404}
        assert reader().get(address(stage.section, more)).status_code == 302
    assert upload(signed_in(stage, "arbiter"), stage.section, report()).status_code == 403  # type: ignore[attr-defined]


# -- out -------------------------------------------------------------------------------------------------------------


@pytest.mark.clause("M7.5")
def test_a_group_is_taken_out_with_the_letters_of_choice() -> None:
    stage = stage_of(6, system="swiss", rounds=2)
    play(stage, "1-0")
    client = signed_in(stage, "organizer")

    latin = client.get(address(stage.section, "file/") + "?letters=latin&national=on")
    own = client.get(address(stage.section, "file/") + "?letters=own")

    assert latin["Content-Disposition"].endswith(f'-{stage.section.code}.trf"')
    read = parse(latin.content)
    assert (read.remarks, read.rounds_done, read.header["192"]) == ((), 1, "FIDE_DUTCH")
    assert all(player.name.isascii() and player.national for player in read.players)
    assert all("Гравець" in player.name and not player.national for player in parse(own.content).players)
    assert ActionLog.objects.filter(action="swiss.exchange_exported").count() == 2


def test_before_the_first_round_there_is_nothing_to_take_out(section: Section) -> None:
    client = signed_in(section, "organizer")

    assert client.get(address(section, "file/")).status_code == 404
    assert "When the first round is published" in text_of(client.get(address(section)))


# -- looking ---------------------------------------------------------------------------------------------------------


@pytest.mark.clause("M7.2")
def test_a_file_paired_by_the_rules_shows_no_difference(section: Section) -> None:
    page = upload(signed_in(section, "organizer"), section, report())

    text = text_of(page)
    assert "3 rounds checked: no difference." in text
    assert "Bring into" in text
    assert not Entry.objects.exists()


def test_rounds_the_rules_would_pair_otherwise_are_listed(section: Section) -> None:
    trf = simulate(8, 3, 2)
    rows = dump(trf).splitlines()
    # Exchange the numbers of the first and the last player: the pairs of round 1 are no longer those of the list.
    swapped = re.sub(
        r"(?m)^(001 +)(1|8)( )", lambda found: found[1] + {"1": "8", "8": "1"}[found[2]] + found[3], "\n".join(rows)
    )
    swapped = re.sub(
        r"(  +)(1|8)( [wb-] )", lambda found: found[1] + {"1": "8", "8": "1"}[found[2]] + found[3], swapped
    )

    text = text_of(upload(signed_in(section, "organizer"), section, swapped.encode()))

    assert "3 rounds checked, " in text
    assert "Only in the file" in text


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"not a report", "is the beginning of no line a report can have"),
        (b"012 An open\n", "There are no players in this file"),
        (
            report().replace(b"142 3", b"142 x"),
            "line 3, column 5 : A number of rounds from 0 to 99 is expected, not “x”.",
        ),
    ],
)
def test_a_file_that_is_none_is_refused_with_its_line(section: Section, content: bytes, words: str) -> None:
    page = upload(signed_in(section, "organizer"), section, content)

    assert page.status_code == 422  # type: ignore[attr-defined]
    assert words in text_of(page)
    assert "nothing was changed" in text_of(page)


def test_no_file_an_empty_and_a_huge_one_are_refused_at_the_field(section: Section) -> None:
    client = signed_in(section, "organizer")

    nothing = client.post(address(section), {"act": "look"})
    empty = upload(client, section, b"")
    huge = upload(client, section, b"x" * 2_000_001)

    assert [page.status_code for page in (nothing, empty, huge)] == [422, 422, 422]  # type: ignore[attr-defined]
    assert "Choose a file." in text_of(nothing)
    assert "The file is empty." in text_of(empty)
    assert "up to 2 MB" in text_of(huge)


def test_a_file_of_another_system_is_not_compared(section: Section) -> None:
    content = report().replace(b"192 FIDE_DUTCH", b"192 FIDE_DUBOV")

    text = text_of(upload(signed_in(section, "organizer"), section, content))

    assert "another system (FIDE_DUBOV)" in text
    assert "further rounds would be paired by the Dutch system" in text


def test_time_for_checking_has_an_end(section: Section, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("swiss.views.exchange.CHECK_SECONDS", -1)

    text = text_of(upload(signed_in(section, "organizer"), section, report()))

    assert "There was time for 1 of 3 rounds." in text


# -- in --------------------------------------------------------------------------------------------------------------


@pytest.mark.clause("M7.2")
def test_what_was_looked_at_is_brought_in(section: Section) -> None:
    client = signed_in(section, "chief_arbiter")
    page = upload(client, section, report(), "лютий.trf")
    assert "Places of the file: they are computed anew" in text_of(page)

    assert "The names may be published" in text_of(page)
    sent = {"act": "import", "name": "лютий.trf", "content": hidden(page), "names_public": "1"}
    done = client.post(address(section), sent, follow=True)

    assert "Brought in: 3 rounds with all players and results." in text_of(done)
    assert set(Entry.objects.filter(section=section).values_list("public_name", flat=True)) == {True}
    stage = Stage.objects.get(section=section, ordinal=1)
    assert (stage.state, stage.rounds.count(), Entry.objects.filter(section=section).count()) == ("finished", 3, 10)
    public = f"/t/{section.tournament.slug}/{section.code}/"
    for path in ("standings/", "crosstable/", "round/2/", "round/2/why/1/"):
        assert reader().get(public + path).status_code == 200
    again = client.post(address(section), {"act": "import", "name": "x", "content": hidden(page)})
    assert again.status_code == 409
    assert "only where nobody has entered" in text_of(again)


def test_a_group_with_people_is_not_offered_an_import(section: Section) -> None:
    builders.entry(section)

    page = upload(signed_in(section, "organizer"), section, report())

    assert hidden(page) == ""
    assert "only where nobody has entered" in text_of(page)


@pytest.mark.parametrize("content", ["", "!!!", base64.b64encode(b"012 nothing").decode()])
def test_a_file_lost_on_the_way_changes_nothing(section: Section, content: str) -> None:
    page = signed_in(section, "organizer").post(address(section), {"act": "import", "content": content})

    assert page.status_code == 422
    assert not Entry.objects.exists()


# -- languages, size -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("language", ["uk", "ru"])
def test_the_page_is_shown_in_every_language(section: Section, language: str) -> None:
    client = signed_in(section, "organizer", language)

    for page in (client.get(address(section)), upload(client, section, report()), upload(client, section, b"x")):
        assert page.status_code in (200, 422)  # type: ignore[attr-defined]
        assert "%(" not in page.content.decode()  # type: ignore[attr-defined]


def test_taking_out_takes_the_same_number_of_queries_for_few_and_for_many() -> None:
    counted = []
    for players in (6, 24):
        stage = stage_of(players, system="swiss", rounds=3)
        play(stage)
        counted.append(queries(signed_in(stage, "organizer"), address(stage.section, "file/")))

    assert counted[0] == counted[1]


# -- large files -----------------------------------------------------------------------------------------------------


def test_a_large_file_goes_to_the_worker_and_the_page_tells(section: Section) -> None:
    client = signed_in(section, "chief_arbiter")
    content = report(60, 9)
    looked = upload(client, section, content)

    asked = client.post(address(section), {"act": "import", "content": hidden(looked), "name": "open.trf"}, follow=True)

    assert "The file is being brought in; this page says when it is done." in text_of(asked)
    assert "A file is being brought in open.trf" in text_of(asked)
    assert not section.entries.exists()
    run_import(ReportImport.objects.get().pk)
    done = text_of(client.get(address(section)))
    assert "open.trf is brought in, with all players, rounds and results." in done
    assert Stage.objects.get(section=section).rounds.count() == 9


def test_what_the_worker_refused_is_told_with_its_place(section: Section) -> None:
    asked = ask_import(section, b"001    1 m    One\n001    x m    Two\n", actor=None, name="broken.trf")

    run_import(asked.pk)

    page = text_of(signed_in(section, "chief_arbiter").get(address(section)))
    assert "The file could not be brought in; nothing was changed." in page
    assert "broken.trf, line 2, column 5 : A number of a player from 1 to 9999 is expected, not “x”." in page


def test_ten_thousand_players_are_refused_before_they_are_read(section: Section) -> None:
    content = b"".join(f"001 {number:4} m    P\n".encode() for number in range(1, 10_001))

    answer = upload(signed_in(section, "chief_arbiter"), section, content)

    assert answer.status_code == 422  # type: ignore[attr-defined]
    assert "The file has 10000 players; a page looks at 2000 at most." in text_of(answer)
