"""Reports for the rating (M7.5): the file read back says what the tables say; newcomers; expected changes."""

from __future__ import annotations

import datetime as dt

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import translation

from swiss.reports import RatingChange, change_text, expected_change, newcomers, report_of
from swiss.selectors import stage_record
from swiss.tests import builders as rounds
from tourney.kernel.trf import dump, parse
from tourney.models import Entry, Player, Stage, StandingRow

pytestmark = pytest.mark.django_db


@pytest.fixture
def stage() -> Stage:
    found = rounds.stage_of(13, starts_on=dt.date(2026, 8, 26))
    for number, entry in rounds.numbered(found).items():
        Player.objects.filter(pk=entry.player_id).update(
            surname=f"Петров{'абвгдежзиклмн'[number - 1]}",
            given_name="Иван",
            national_id="" if number == 5 else str(100_000 + number),
            fide_id=str(500 + number),
            birth_date=dt.date(2015, 3, number),
            federation="RUS",
            sex="M",
        )
        Entry.objects.filter(pk=entry.pk).update(ratings={"national": entry.rating, "fide_standard": 1400 + number})
    rounds.play(found, "1-0 1/2 0-1 +- --")
    rounds.play(found, "1-0 0-1 1/2")
    return found


@pytest.mark.clause("M7.5")
def test_the_report_says_what_the_tables_say(stage: Stage) -> None:
    report = parse(dump(report_of(stage)).encode())
    assert report.remarks == ()
    assert (report.rounds_total, report.rounds_done, len(report.players)) == (8, 2, 13)
    assert (report.header["042"], report.header["122"], report.header["062"]) == ("2026/08/26", "90+30", "13")
    assert report.header["212"] == "PTS,DE,BH/C1,BH,WIN,BPG,ARO"
    own = stage_record(stage).history()
    number = {entry.pk: entry.start_number for entry in rounds.numbered(stage).values()}
    for player in own.players:
        theirs = report.history().by_entry[number[player.entry]]  # type: ignore[index]
        assert [(r.kind, r.points, r.color) for r in theirs.rounds] == [
            (r.kind, r.points, r.color) for r in player.rounds
        ]
    places = {
        row.entry.start_number: (row.rank, row.points) for row in StandingRow.objects.filter(stage=stage, after_round=2)
    }
    assert {player.number: (player.rank, player.points) for player in report.players} == places


@pytest.mark.clause("M7.5")
def test_national_lines_carry_number_rating_and_the_name_in_its_own_letters(stage: Stage) -> None:
    report = parse(dump(report_of(stage)).encode())
    first = report.by_number[1]
    assert (first.name, first.fide_id, first.birth, first.rating, first.federation) == (
        "Petrova, Ivan",
        "501",
        "2015/03/01",
        1401,
        "RUS",
    )
    (line,) = first.national
    assert (line.federation, line.rating, line.number, line.name) == ("RUS", 2200, "100001", "Петрова, Иван")


@pytest.mark.clause("M7.5")
def test_newcomers_are_those_without_a_national_number(stage: Stage) -> None:
    assert [entry.start_number for entry in newcomers(stage.section.tournament)] == [5]


def test_the_report_takes_the_same_number_of_queries_for_more_rounds(stage: Stage) -> None:
    with CaptureQueriesContext(connection) as two:
        report_of(Stage.objects.select_related("section__tournament").get(pk=stage.pk))
    rounds.play(stage, "1/2")
    with CaptureQueriesContext(connection) as three:
        report_of(Stage.objects.select_related("section__tournament").get(pk=stage.pk))
    assert len(two) == len(three)


@pytest.mark.clause("M7.5")
def test_the_expected_change_follows_the_table_of_the_rating_regulations() -> None:
    stage = rounds.stage_of(12)
    first, seventh = rounds.numbered(stage)[1], rounds.numbered(stage)[7]
    assert expected_change(stage, first) is None
    round_ = rounds.next_round(stage)
    rounds.enter(round_, "1-0")
    # 2200 against 2080, 120 points apart: 66 and 34 percent (8.1.2); the factor is 40.
    changes = {entry.pk: expected_change(stage, entry) for entry in (first, seventh)}
    won = RatingChange(136, 1, 40)
    lost = RatingChange(-136, 1, 40)
    upset = (RatingChange(-264, 1, 40), RatingChange(264, 1, 40))
    game = next(g for g in rounds.games_of(round_) if first.pk in (g.white_id, g.black_id))
    assert seventh.pk in (game.white_id, game.black_id)
    assert (changes[first.pk], changes[seventh.pk]) == ((won, lost) if game.white_id == first.pk else upset)


def test_forfeits_byes_and_unrated_opponents_change_nothing() -> None:
    stage = rounds.stage_of(11)
    Entry.objects.filter(section=stage.section, start_number__gte=6).update(rating=None)
    rounds.play(stage, "1-0 1-0 +-")
    changes = [expected_change(stage, entry) for entry in Entry.objects.filter(section=stage.section)]
    assert changes == [None] * 11


@pytest.mark.parametrize(("tenths", "text"), [(124, "+12.4"), (-30, "−3.0"), (0, "±0"), (5, "+0.5")])
def test_a_change_is_shown_with_its_sign(tenths: int, text: str) -> None:
    with translation.override("en"):
        assert change_text(RatingChange(tenths, 1, 20)) == text
