"""Report files in and out: what comes in goes out again, plays on by the rules, and is refused whole if broken."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from swiss.engine.berger import berger_table
from swiss.engine.check import check
from swiss.engine.check_table import check_report
from swiss.engine.simulate import Habits, simulate
from swiss.exchange import OWN, exchange_report
from swiss.models import ByeRequest, ForbiddenPair, Pairing, Round
from swiss.questions import question_of
from swiss.services import pair_next_round
from swiss.services.import_job import ask_import, run_import, running_import
from swiss.services.importing import birth_of, import_report, split_name
from swiss.tests.builders import games_of, group, next_round, play, stage_of
from tourney.kernel.colors import Color
from tourney.kernel.errors import ImportFileError, TourneyError
from tourney.kernel.points import HALF, ONE
from tourney.kernel.trf import Trf, TrfCell, TrfPlayer, dump, parse
from tourney.models import ActionLog, Entry, Player, Section, Stage, StandingRow
from tourney.testing import builders

pytestmark = pytest.mark.django_db

DATA = Path(__file__).parent.parent / "engine" / "data" / "swiss"


@pytest.fixture
def section() -> Section:
    return group(0)


def what_was_played(trf: Trf) -> object:
    """Return what a file says beyond the cells that are mere absences at its end."""
    return [
        (
            player.number,
            player.name.replace(",", ""),
            player.rating,
            player.sex,
            player.fide_id,
            [trf.cell(player.number, n) for n in range(1, trf.rounds_done + 1)],
        )
        for player in trf.players
    ]


@pytest.mark.clause("M7.2")
@pytest.mark.parametrize("seed", [3, 4])
def test_what_is_brought_in_comes_out_again(section: Section, seed: int) -> None:
    trf = simulate(21, 5, seed, Habits(forbidden_groups=1, pairing_bye=HALF))

    stage = import_report(section, trf, actor=None, name="club.trf")

    assert (stage.state, stage.rounds_total, stage.kind) == ("finished", 5, "swiss")
    out = parse(dump(exchange_report(stage, letters=OWN, national=False)).encode())
    assert what_was_played(out) == what_was_played(trf)
    assert (out.rounds_total, out.first_color, out.scoring) == (5, trf.first_color, trf.scoring)
    assert out.forbidden_pairs(2) == trf.forbidden_pairs(2)
    points = {row.entry.start_number: row.points for row in StandingRow.objects.filter(stage=stage, after_round=5)}
    assert points == {player.number: player.points for player in trf.players}
    assert all(one.agrees for one in check(out))
    (line,) = ActionLog.objects.filter(action="swiss.report_imported")
    assert line.data == {"section": section.code, "file": "club.trf", "players": 21, "rounds": 5, "names_public": False}


@pytest.mark.clause("M7.2")
def test_a_running_stage_goes_on_by_the_rules(section: Section) -> None:
    whole = simulate(18, 6, 11)
    cut = parse(dump(Trf(**{**fields(whole), "players": tuple(shortened(one, 4) for one in whole.players)})).encode())

    stage = import_report(section, cut, actor=None)
    absent = whole.byes_of_round(5)
    pks = dict(Entry.objects.filter(section=section).values_list("start_number", "pk"))
    ByeRequest.objects.bulk_create(
        ByeRequest(stage=stage, entry_id=pks[number], round_number=5, kind=kind.value)
        for number, kind in absent.items()
    )
    draft = pair_next_round(stage.pk, actor=None)

    numbers = {pk: number for number, pk in pks.items()}
    made = {
        (numbers[w], numbers[b])
        for w, b in draft.pairings.filter(board__isnull=False).values_list("white_id", "black_id")
    }
    played = {
        (one.number, one.cells[4].opponent)
        for one in whole.players
        if one.cells[4].is_game and one.cells[4].color is Color.WHITE
    }
    assert made == played
    assert (stage.state, draft.number) == ("running", 5)


def fields(trf: Trf) -> dict[str, object]:
    return {name: getattr(trf, name) for name in ("header", "rounds_total", "first_color", "scoring", "forbidden")}


def shortened(player: TrfPlayer, rounds: int) -> TrfPlayer:
    return TrfPlayer(number=player.number, name=player.name, rating=player.rating, cells=player.cells[:rounds])


def test_a_real_file_keeps_accelerated_pairs_and_their_reasons(section: Section) -> None:
    trf = simulate(20, 5, 8, Habits(baku=True))

    stage = import_report(section, trf, actor=None)

    assert stage.rules["acceleration"] == "baku"
    out = exchange_report(stage)
    assert dict(out.accelerations) == dict(trf.accelerations)
    round_ = Round.objects.get(stage=stage, number=2)
    question = question_of(round_, stage)
    assert not question.recorded
    assert {(pair.white, pair.black) for pair in question.plan.pairings} == set(
        round_.pairings.filter(board__isnull=False).values_list("white_id", "black_id")
    )


def table_file(players: int, *, rounds: int | None = None) -> Trf:
    cells: dict[int, list[TrfCell]] = {number: [] for number in range(1, players + 1)}
    for row in berger_table(players)[:rounds]:
        if row.free:
            cells[row.free].append(TrfCell(result="Z"))
        for white, black in row.pairs:
            cells[white].append(TrfCell(black, Color.WHITE, "1"))
            cells[black].append(TrfCell(white, Color.BLACK, "0"))
    made = tuple(TrfPlayer(number, f"Player{number}, A", cells=tuple(row)) for number, row in cells.items())
    return Trf(players=made, header={"192": "FIDE_ROUNDROBIN"}, rounds_total=len(berger_table(players)))


@pytest.mark.clause("M7.2")
def test_a_round_robin_is_brought_in_with_its_table(section: Section) -> None:
    trf = table_file(7)

    stage = import_report(section, trf, actor=None)

    assert (stage.kind, stage.state, stage.rounds_total) == ("round_robin", "finished", 7)
    out = parse(dump(exchange_report(stage)).encode())
    assert out.header["192"] == "FIDE_ROUNDROBIN"
    assert [one.agrees for one in check_report(out)] == [True] * 7


def test_names_days_of_birth_and_national_lines_are_read(section: Section) -> None:
    text = (
        "001    1 m WM Petrova, Inna                     1801 RUS    24100001 2015/03/01  0.0    1\n"
        "RUS    1      Петрова, Инна                     1760          100001\n"
        "001    2 w    Without Comma                          UKR             2014        0.0    2\n"
    )
    text += "142 3\n"
    first_cells = "  " + "   2 w 1"
    lines = text.split("\n")
    lines[0] = f"{lines[0]:<89}{first_cells}".replace(" 0.0    1", " 1.0    1")
    lines[2] = f"{lines[2]:<89}" + "  " + "   1 b 0"

    import_report(section, parse("\n".join(lines).encode()), actor=None)

    one, two = Player.objects.filter(entries__section=section).order_by("entries__start_number")
    assert (one.surname, one.given_name, one.latin_name) == ("Петрова", "Инна", "Petrova, Inna")
    assert (one.sex, one.title, one.federation, one.fide_id) == ("M", "WIM", "RUS", "24100001")
    assert (str(one.birth_date), one.birth_year, one.national_id) == ("2015-03-01", 2015, "100001")
    assert (two.surname, two.given_name, two.birth_date, two.birth_year) == ("Without", "Comma", None, 2014)
    entry = Entry.objects.get(player=one)
    assert entry.ratings == {"fide_standard": 1801, "national": 1760}
    assert entry.rating == 1760  # the regulation of this event pairs by the national rating


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Мельник, Анна Марія", ("Мельник", "Анна Марія")),
        ("Doe", ("Doe", "")),
        ("", ("", "")),
        (" Le  Roy ,  Ann ", ("Le Roy", "Ann")),
    ],
)
def test_names_are_split(text: str, expected: tuple[str, str]) -> None:
    assert split_name(text) == expected


@pytest.mark.parametrize("text", ["", "2014/00/00", "2014/02/31", "0000/01/01", "x", "2014/1"])
def test_days_that_are_none_leave_at_most_the_year(text: str) -> None:
    born, year = birth_of(text)

    assert born is None
    assert year == (2014 if text.startswith("2014") else None)


# -- refused ---------------------------------------------------------------------------------------------------------


def nothing_written(section: Section) -> bool:
    return not (
        Entry.objects.filter(section=section).exists()
        or section.stages.exists()
        or Pairing.objects.exists()
        or Player.objects.exists()
    )


def test_a_file_with_an_impossible_game_is_refused_whole(section: Section) -> None:
    trf = simulate(8, 3, 2, Habits(forfeit=0, absent=0, half_bye=0, full_bye=0, late=0, withdraw=0))
    lines = dump(trf).splitlines()
    at = next(index for index, line in enumerate(lines) if line.startswith("001    1"))
    lines[at] = lines[at][:118] + "+" + lines[at][119:]  # round 3
    broken = parse("\n".join(lines).encode())

    with pytest.raises(ImportFileError) as refused:
        import_report(section, broken, actor=None)

    assert (refused.value.code, refused.value.line, refused.value.values["round"]) == (
        "trf.results_impossible",
        at + 1,
        3,
    )
    assert nothing_written(section)


def test_a_game_open_while_later_rounds_were_played_comes_in_as_adjourned(section: Section) -> None:
    trf = simulate(8, 3, 2, Habits(forfeit=0, absent=0, half_bye=0, full_bye=0, late=0, withdraw=0))
    opponent = trf.by_number[1].cells[0].opponent
    players = tuple(
        TrfPlayer(
            one.number,
            one.name,
            rating=one.rating,
            cells=(TrfCell(one.cells[0].opponent, one.cells[0].color, ""), *one.cells[1:]),
        )
        if one.number in (1, opponent)
        else one
        for one in trf.players
    )

    stage = import_report(section, Trf(players=players, rounds_total=3), actor=None)

    (board,) = Pairing.objects.filter(round__stage=stage, game__outcome="", game__isnull=False)
    assert (board.round.number, board.adjourned, stage.state) == (1, True, Stage.State.RUNNING)


def test_an_open_last_round_is_brought_in_as_one_that_is_played(section: Section) -> None:
    trf = table_file(4)
    players = tuple(
        TrfPlayer(one.number, one.name, cells=(*one.cells[:1], TrfCell(one.cells[1].opponent, one.cells[1].color, "")))
        for one in trf.players
    )

    stage = import_report(section, Trf(players=players, header=trf.header, rounds_total=3), actor=None)

    last = Round.objects.get(stage=stage, number=2)
    assert (stage.state, last.state) == ("running", "published")
    assert [game.outcome for game in games_of(last)] == ["", ""]


@pytest.mark.parametrize(
    ("trf", "code"),
    [
        (Trf(players=(TrfPlayer(1, "One"),)), "import.too_few"),
        (
            Trf(players=(TrfPlayer(1, "One"), TrfPlayer(3, "Three")), header={"192": "FIDE_ROUNDROBIN"}),
            "import.numbers_not_dense",
        ),
        (
            Trf(players=table_file(4).players, header={"192": "FIDE_ROUNDROBIN"}, rounds_total=4),
            "import.rounds_not_of_table",
        ),
    ],
)
def test_what_can_be_no_stage_is_refused(section: Section, trf: Trf, code: str) -> None:
    with pytest.raises(TourneyError) as refused:
        import_report(section, trf, actor=None)

    assert refused.value.code == code
    assert nothing_written(section)


def test_only_an_empty_group_takes_a_file() -> None:
    one = group(0)
    builders.entry(one, state="applied")
    with pytest.raises(TourneyError) as refused:
        import_report(one, table_file(4), actor=None)
    assert refused.value.code == "import.not_empty"

    stage = import_report(group(0), table_file(4), actor=None)
    with pytest.raises(TourneyError) as again:
        import_report(stage.section, table_file(4), actor=None)
    assert again.value.code == "import.not_empty"


# -- out -------------------------------------------------------------------------------------------------------------


@pytest.mark.clause("M7.2", "M7.5")
def test_own_rounds_taken_out_are_paired_the_same_by_a_check() -> None:
    stage = stage_of(15)
    for results in ("1-0", "0-1 1/2", "1-0 +- 1/2"):
        play(stage, results)
    next_round(stage)
    ForbiddenPair.objects.all().delete()

    out = parse(dump(exchange_report(stage)).encode())

    assert [(one.number, one.agrees) for one in check(out)] == [(n, True) for n in range(1, 5)]
    assert out.header["192"] == "FIDE_DUTCH"
    assert out.players[0].name.isascii()


def test_the_letters_of_names_are_a_choice() -> None:
    stage = stage_of(4, system="swiss", rounds=2)
    play(stage)

    latin, own = exchange_report(stage), exchange_report(stage, letters=OWN, national=False)

    assert all(player.name.isascii() and player.national for player in latin.players)
    assert all(player.name.startswith("Гравець") and not player.national for player in own.players)


def test_the_rating_of_a_rapid_event_goes_out_as_it_came_in() -> None:
    section = group(0, preset="open-swiss")

    stage = import_report(section, simulate(6, 3, 1), actor=None)

    assert stage.rules["rating"]["use"] == "fide_rapid"
    assert [one.rating for one in exchange_report(stage).players] == [one.rating for one in simulate(6, 3, 1).players]


def test_stage_state_is_kept_by_reading_it_back(section: Section) -> None:
    stage = import_report(section, parse((DATA / "gen_021_n028_r07.trf").read_bytes()), actor=None)

    again = group(0)
    second = import_report(again, parse(dump(exchange_report(stage)).encode()), actor=None)

    def rows(one: Stage) -> list[tuple[object, ...]]:
        found = Pairing.objects.filter(round__stage=one).order_by("round__number", "board", "white__start_number")
        return list(
            found.values_list(
                "round__number", "board", "white__start_number", "black__start_number", "bye", "game__outcome"
            )
        )

    assert rows(second) == rows(stage)


# -- by the worker ---------------------------------------------------------------------------------------------------


def test_the_worker_brings_a_file_in_once(section: Section) -> None:
    content = dump(simulate(10, 3, 5)).encode()
    asked = ask_import(section, content, actor=None, name="club.trf")
    with pytest.raises(TourneyError) as twice:
        ask_import(section, content, actor=None)

    run_import(asked.pk)
    run_import(asked.pk)

    asked.refresh_from_db()
    assert twice.value.code == "import.under_way"
    assert (asked.refusal, section.entries.count()) == ({}, 10)
    assert running_import(section) is None
    with pytest.raises(TourneyError) as taken:
        ask_import(section, content, actor=None)
    assert taken.value.code == "import.not_empty"


def test_the_worker_writes_down_why_a_file_can_not_be_brought_in(section: Section) -> None:
    asked = ask_import(section, b"001    1 m    One\n001    x m    Two\n", actor=None)

    run_import(asked.pk)

    asked.refresh_from_db()
    assert (asked.refusal["code"], asked.refusal["line"], asked.refusal["column"]) == ("trf.bad_number", 2, 5)
    assert nothing_written(section)


def test_a_method_named_without_points_is_paired_by(section: Section) -> None:
    trf = simulate(12, 7, 3, Habits(baku=True, absent=0, late=0, half_bye=0, full_bye=0, withdraw=0))
    named = replace(trf, accelerations={}, header={**trf.header, "192": "FIDE_DUTCH_2026_BAKU"})

    assert all(one.agrees for one in check(named))
    assert import_report(section, named, actor=None).rules["acceleration"] == "baku"


def test_other_virtual_points_come_in_by_number(section: Section) -> None:
    trf = replace(simulate(12, 3, 3), accelerations={1: (ONE, HALF), 2: (ONE, HALF)})

    stage = import_report(section, trf, actor=None)

    assert stage.rules["virtual_points"] == [
        {"points": "1", "rounds": [1, 1], "numbers": [1, 2]},
        {"points": "½", "rounds": [2, 2], "numbers": [1, 2]},
    ]


def test_the_event_is_locked_before_the_group_and_the_stage(section: Section) -> None:
    with CaptureQueriesContext(connection) as asked:
        import_report(section, simulate(8, 2, 5), actor=None)

    locks = [query["sql"].split(" FROM ")[1].split()[0] for query in asked if " FOR " in query["sql"]]
    first = [locks.index(f'"tourney_{table}"') for table in ("tournament", "section", "stage")]
    assert first == sorted(first)  # the event may be asked for again once it is locked


@pytest.mark.parametrize(
    ("consents", "answered_for", "public"),
    [
        (["regulation", "processing"], False, True),
        (["regulation", "publication"], False, False),
        (["regulation", "publication"], True, True),
    ],
)
def test_names_of_a_file_are_public_where_nobody_has_to_be_asked_or_somebody_answers_for_it(
    section: Section, consents: list[str], answered_for: bool, public: bool
) -> None:
    regulation = section.tournament.regulations.get()
    regulation.spec = {
        **regulation.spec,
        "registration": {**regulation.spec["registration"], "consents": consents},
    }
    regulation.save(update_fields=["spec"])
    section = Section.objects.select_related("tournament").get(pk=section.pk)

    import_report(section, simulate(8, 2, 5), actor=None, names_public=answered_for)

    assert set(section.entries.values_list("public_name", flat=True)) == {public}
