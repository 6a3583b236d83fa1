"""The wall pack: which sheets there are, what stands on them, and which earlier sheet each replaces."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import translation

from brackets.services import call_match
from brackets.tests.builders import drawn, play_all
from swiss.models import Pairing
from swiss.tests.builders import enter, next_round, numbered, play, stage_of
from swiss.tests.web.helpers import signed_in, text_of
from tourney.kernel.errors import TourneyError
from tourney.models import ActionLog, PrintedSheet, Section, Stage
from tourney.paper import DARK, Sheet, Table, kinds_of, sheets_of
from tourney.services import printing
from tourney.services.printing import print_pack

pytestmark = pytest.mark.django_db


def sheet(section: Section, kind: str, language: str = "en") -> Sheet:
    with translation.override(language):
        (found,) = sheets_of(section, [kind])
    return found


def rows(section: Section, kind: str) -> tuple[tuple[str, ...], ...]:
    content = sheet(section, kind).content
    assert isinstance(content, Table)
    return content.rows


def stamps(stage: Stage, *kinds: str, language: str = "en", monkeypatch: Any) -> list[str]:
    """Print, and return what each sheet says of the one it replaces."""
    heard: list[str] = []
    monkeypatch.setattr(printing, "draw_pack", lambda pack: heard.extend(one.replaces for one in pack.sheets) or b"")
    print_pack(stage.section.tournament, {stage.section.code: kinds}, language=language, actor=None)
    return heard


def post(stage: Stage, client: Client, **sent: Any) -> Any:
    return client.post(reverse("manage_paper", args=[stage.section.tournament.slug]), sent)


def test_a_group_in_rounds_has_its_sheets_and_a_knockout_others() -> None:
    swiss, table, knockout = stage_of(12), stage_of(5), drawn(8, rules={"size": 8, "minimum_matches": 0})

    assert [kind.key for kind in kinds_of(swiss.section)] == [
        *("start_list", "pairings", "names", "standings", "crosstable", "slips", "cards")
    ]
    assert table.kind == Stage.Kind.ROUND_ROBIN
    assert "berger" in [kind.key for kind in kinds_of(table.section)]
    assert [kind.key for kind in kinds_of(knockout.section)] == [
        *("start_list", "trees", "boards", "decided", "slips", "cards")
    ]


def test_pairings_standings_and_crosstable_say_what_the_pages_say() -> None:
    stage = stage_of(12, system="swiss", rounds=5)
    play(stage, "1-0 0-1 1/2 +- 1-0 1-0")
    next_round(stage)
    people = numbered(stage)

    board = rows(stage.section, "pairings")[0]
    assert (board[0], board[5], len(board)) == ("1", "", 10)
    names = rows(stage.section, "names")
    assert [row[0] for row in names] == sorted((entry.name for entry in people.values()), key=str.casefold)
    standing = rows(stage.section, "standings")
    assert [row[0] for row in standing] == [str(number) for number in range(1, 13)]
    cross = {row[1]: row[3] for row in rows(stage.section, "crosstable")}
    for pairing in Pairing.objects.filter(round__stage=stage, round__number=1).select_related("game", "white", "black"):
        assert pairing.game is not None
        assert pairing.black is not None
        white, black = str(pairing.white.start_number), str(pairing.black.start_number)
        points = {"1-0": "10", "0-1": "01", "1/2": "½½", "+-": "+−"}[pairing.game.outcome]
        colors = ("", "") if "+" in points else ("w", "b")  # a forfeit has no colour
        assert cross[white] == f"{black}{colors[0]}{points[0]}"
        assert cross[black] == f"{white}{colors[1]}{points[1]}"


def test_a_table_has_a_dark_diagonal_and_its_rounds_in_advance() -> None:
    stage = stage_of(5)
    assert [row[0] for row in rows(stage.section, "berger")] == ["1", "2", "3", "4", "5"]
    play(stage, "1-0 1/2")

    grid = rows(stage.section, "crosstable")
    assert [row[2 + index] for index, row in enumerate(grid)] == [DARK] * 5


def test_slips_are_for_boards_without_a_result() -> None:
    stage = stage_of(12, system="swiss", rounds=5)
    round_ = next_round(stage)
    content = sheet(stage.section, "slips").content
    assert isinstance(content, tuple)
    assert len(content) == 6

    enter(round_, "1-0")
    assert sheets_of(stage.section, ["slips"]) == []


def test_a_knockout_prints_trees_boards_and_places() -> None:
    stage = drawn(8, rules={"size": 8, "minimum_matches": 0})
    call_match(stage.pk, "U1.1")
    with translation.override("en"):
        titles = [one.title for one in sheets_of(stage.section, ["trees", "boards", "decided"])]
    assert titles == ["Upper bracket", "Lower bracket", "Placement matches", "Boards and next calls"]
    play_all(stage)
    assert len(rows(stage.section, "decided")) == 8


def test_a_sheet_says_which_one_it_replaces(monkeypatch: pytest.MonkeyPatch) -> None:
    stage = stage_of(12, system="swiss", rounds=5)
    round_ = next_round(stage)

    assert stamps(stage, "pairings", "standings", monkeypatch=monkeypatch) == ["", ""]
    first = PrintedSheet.objects.get(key=f"{stage.section.code}:pairings:1")
    clock = f"{first.made_at.astimezone(stage.section.tournament.zone):%H:%M}"
    again = stamps(stage, "pairings", monkeypatch=monkeypatch)
    assert again == [f"Nothing new since the sheet of {clock}"]
    enter(round_, "1-0")
    assert stamps(stage, "pairings", monkeypatch=monkeypatch) == [f"Replaces the sheet of {clock}"]
    assert stamps(stage, "pairings", language="uk", monkeypatch=monkeypatch) == [""]  # another language hangs beside
    next_round(stage)
    assert stamps(stage, "pairings", monkeypatch=monkeypatch) == [""]  # another round
    assert PrintedSheet.objects.filter(language="en").count() == 5


@pytest.mark.parametrize("language", ["uk", "ru", "en"])
def test_the_whole_pack_is_one_pdf_in_any_language(language: str) -> None:
    stage = stage_of(12, system="swiss", rounds=5)
    play(stage, "1-0 1/2")
    next_round(stage)
    every = [kind.key for kind in kinds_of(stage.section)]

    content = print_pack(stage.section.tournament, {stage.section.code: every}, language=language, actor=None)

    assert content.startswith(b"%PDF-")
    assert content.count(b"/Type /Page\n") == 8  # start list, four tables, slips, two sheets of cards


def test_one_click_prints_what_usually_hangs_on_the_wall() -> None:
    stage = stage_of(12, system="swiss", rounds=5)
    next_round(stage)
    answer = post(stage, signed_in(stage, "arbiter"), usual=stage.section.code)

    assert (answer.status_code, answer["Content-Type"]) == (200, "application/pdf")
    code = stage.section.code
    assert set(PrintedSheet.objects.values_list("key", flat=True)) == {
        *(f"{code}:pairings:1", f"{code}:names:1", f"{code}:standings")
    }
    assert ActionLog.objects.filter(action="paper.printed").count() == 1


def test_nothing_chosen_or_nothing_there_is_said_in_words() -> None:
    stage = stage_of(12, system="swiss", rounds=5)
    chief = signed_in(stage, "chief_arbiter")

    assert "Choose at least one sheet." in text_of(post(stage, chief))
    answer = post(stage, chief, sheet=[f"{stage.section.code}:pairings", "nonsense", "a:b"])
    assert answer.status_code == 422
    assert f'value="{stage.section.code}:pairings" checked' in answer.content.decode()
    with pytest.raises(TourneyError, match=r"paper\.nothing_chosen"):
        print_pack(stage.section.tournament, {}, language="uk", actor=None)
    assert not PrintedSheet.objects.exists()


def test_only_staff_prints() -> None:
    stage = stage_of(12)
    address = reverse("manage_paper", args=[stage.section.tournament.slug])

    assert [signed_in(stage, role).get(address).status_code for role in ("arbiter", "desk", "")] == [200, 403, 404]
