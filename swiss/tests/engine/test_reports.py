"""Tournament report files: what real programs write, what must be refused, and reading back what was written."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from swiss.engine.report_games import rounds_of
from tourney.kernel.colors import Color
from tourney.kernel.errors import ImportFileError
from tourney.kernel.outcomes import ByeKind, Scoring
from tourney.kernel.points import HALF, ONE
from tourney.kernel.records import RoundKind
from tourney.kernel.trf import ForbiddenGroup, NationalData, Trf, TrfCell, TrfPlayer, dump, parse

REPORTS = Path(__file__).parent / "data" / "reports"
BASE = REPORTS / "01_plain_utf8_lf.trf"
SAME_AS_BASE = [
    "02_crlf",
    "03_cr_only",
    "04_utf8_bom",
    "05_cp1251",
    "06_byte_columns",
    "07_trailing_spaces_cut_and_long",
    "08_short_last_rounds",
    "09_blank_for_absent",
    "10_shuffled_players",
    "14_lower_case_codes",
    "15_comment_and_unknown_lines",
    "16_trf26_172_without_federation",
    "17_dates_text",
    "18_tabs",
    "19_decimal_comma",
]


def players(trf: Trf) -> list[tuple[int, str, str, int | None, int | None]]:
    return [(player.number, player.name, player.sex, player.rating, player.points) for player in trf.players]


def read(name: str) -> Trf:
    return parse((REPORTS / f"{name}.trf").read_bytes())


def player_line(number: int = 1, *, rating: str = "", points: str = "", cells: str = "") -> str:
    head = f"001 {number:>4} m    {'Name':<33} {rating:>4} {'':<27}{points:>4}".ljust(89)
    return f"{head}{cells}"


@pytest.mark.parametrize("name", SAME_AS_BASE)
def test_report_in_another_shape_says_the_same(name: str) -> None:
    base, other = parse(BASE.read_bytes()), read(name)

    assert players(other) == players(base)
    assert other.history() == base.history()
    assert other.remarks == ()


@pytest.mark.parametrize(
    ("name", "encoding"), [("01_plain_utf8_lf", "utf-8"), ("04_utf8_bom", "utf-8"), ("05_cp1251", "cp1251")]
)
def test_encoding_is_found(name: str, encoding: str) -> None:
    assert read(name).encoding == encoding


def test_western_names_in_windows_1252_are_read() -> None:
    text = player_line().replace("Name  ", "Böhm é")

    trf = parse(text.encode("cp1252"))

    assert (trf.encoding, trf.players[0].name) == ("cp1252", "Böhm é")


@pytest.mark.parametrize(
    ("name", "remarks"),
    [
        ("20_wrong_points", [("trf.points_differ", 12, 81)]),
        ("21_one_sided_result", [("trf.results_differ", 10, 109), ("trf.points_differ", 10, 81)]),
        ("22_opponent_with_Z", [("trf.bye_with_opponent", 22, 112), ("trf.one_sided_game", 13, 112)]),
    ],
)
def test_contradiction_is_reported_with_its_place(name: str, remarks: list[tuple[str, int, int]]) -> None:
    assert [(remark.code, remark.line, remark.column) for remark in read(name).remarks] == remarks


def test_missing_rating_and_zero_are_unrated() -> None:
    assert {player.rating for player in read("11_no_ratings").players} == {None}
    assert [player.number for player in read("12_rating_zero").players if player.rating is None] == [13, 14, 15, 16]


def test_forfeit_without_a_color_is_accepted() -> None:
    cell = read("13_forfeit_without_colour").cell(9, 4)

    assert cell == TrfCell(11, None, "-")


def test_history_holds_points_colors_and_byes() -> None:
    records = parse(BASE.read_bytes()).history().by_entry
    by_number = {player.number: player for player in records.values()}

    assert [record.kind for record in by_number[9].rounds] == [
        RoundKind.PLAYED,
        RoundKind.PLAYED,
        RoundKind.HALF_BYE,
        RoundKind.FORFEIT_LOSS,
        RoundKind.PAIRING_BYE,
    ]
    assert (by_number[9].score, by_number[9].rounds[0].color) == (3, Color.BLACK)


def test_round_written_in_advance_is_not_done() -> None:
    trf = parse(
        "\n".join(
            [
                "142 5",
                player_line(1, cells="     2 w 1  0000 - H"),
                player_line(2, cells="     1 b 0"),
                "XXZ 2",
            ]
        ).encode()
    )

    assert (trf.rounds_done, dict(trf.byes_of_round(2))) == (1, {1: ByeKind.HALF, 2: ByeKind.ZERO})


@pytest.mark.parametrize(
    ("lines", "code", "line", "column"),
    [
        (["012 Nothing"], "trf.no_players", 1, 0),
        (["001    x"], "trf.bad_number", 1, 5),
        ([player_line(rating="9999")], "trf.bad_rating", 1, 49),
        ([player_line(rating="215O")], "trf.bad_rating", 1, 49),
        ([player_line(), player_line()], "trf.number_twice", 2, 5),
        ([player_line(cells="     2 w 1")], "trf.unknown_opponent", 1, 92),
        ([player_line(cells="     1 w 1")], "trf.own_opponent", 1, 92),
        ([player_line(cells="     2 x 1"), player_line(2)], "trf.bad_color", 1, 97),
        ([player_line(cells="     2 w X"), player_line(2)], "trf.bad_result", 1, 99),
        ([player_line(cells="     2 - 1"), player_line(2)], "trf.color_missing", 1, 97),
        ([player_line(cells="      2 w 1"), player_line(2)], "trf.shifted_columns", 1, 96),
        (
            [player_line(cells="     2 w 1"), player_line(2, cells="     1 w 0")],
            "trf.same_color",
            1,
            97,
        ),
        (
            [player_line(cells="     2 w 1"), player_line(2, cells="     3 b 0"), player_line(3, cells="     2 w 1")],
            "trf.opponents_differ",
            1,
            92,
        ),
        ([player_line(points="6.3")], "trf.bad_points", 1, 81),
        ([player_line(), "142 many"], "trf.bad_rounds", 2, 5),
        ([player_line(), "152 red"], "trf.bad_first_color", 2, 5),
        ([player_line(), "XXP 1 7"], "trf.unknown_number", 2, 5),
        ([player_line(), "250       1.0   3   1    1    1"], "trf.bad_round", 2, 19),
        ([player_line(), "240 Q   1    1"], "trf.bad_bye", 2, 5),
        ([player_line(), "what is this"], "trf.unknown_record", 2, 1),
    ],
)
def test_unreadable_line_is_refused_with_line_and_column(lines: list[str], code: str, line: int, column: int) -> None:
    with pytest.raises(ImportFileError) as refused:
        parse("\n".join(lines).encode())

    assert (refused.value.code, refused.value.line, refused.value.column) == (code, line, column)


def test_everything_written_is_read_back() -> None:
    trf = Trf(
        players=(
            TrfPlayer(
                1,
                "Ковальчук, Олена",
                sex="w",
                title="WFM",
                rating=2010,
                federation="UKR",
                fide_id="14100001",
                birth="2008/02/29",
                points=ONE,
                rank=1,
                cells=(TrfCell(2, Color.WHITE, "1"), TrfCell(result="H")),
                national=(NationalData("UKR", 2050, "77", "Ковальчук Олена", ""),),
            ),
            TrfPlayer(2, "Другий", cells=(TrfCell(1, Color.BLACK, "0"), TrfCell(result="U"))),
            TrfPlayer(3, "Третій", cells=(TrfCell(result="Z"), TrfCell(result="F"))),
        ),
        header={"012": "Кубок", "022": "Київ", "202": "DE,BH/C1", "112": "One\nTwo"},
        rounds_total=9,
        first_color=Color.BLACK,
        scoring=Scoring(pairing_bye=HALF),
        accelerations={1: (ONE, ONE, HALF), 2: (ONE, ONE, HALF)},
        forbidden=(ForbiddenGroup((1, 2, 3)), ForbiddenGroup((1, 3), 2, 4)),
        byes={3: {2: ByeKind.HALF, 3: ByeKind.ZERO}},
        absent=frozenset({3}),
        round_dates=("26/01/25", "26/01/26"),
        comments=("made by hand",),
        other=("XYZ kept as it is",),
    )

    again = parse(dump(trf).encode())

    written = tuple(replace(player, line=0) for player in again.players)
    assert replace(again, players=written, remarks=()) == trf
    assert again.tie_breaks == ("DE", "BH/C1")


@settings(max_examples=150, deadline=None)
@given(st.binary(max_size=400))
def test_any_bytes_are_read_or_refused_by_name(data: bytes) -> None:
    with suppress(ImportFileError):
        parse(data)


@settings(max_examples=300, deadline=None)
@given(
    st.integers(0, 3000),
    st.text(alphabet="0123456789 -+=wbWBHFUZ.,\tяé\n", min_size=1, max_size=6),
)
def test_damaged_report_is_read_or_refused_by_name(position: int, patch: str) -> None:
    text = BASE.read_text(encoding="utf-8")
    damaged = text[:position] + patch + text[position + len(patch) :]
    try:
        trf = parse(damaged.encode())
    except ImportFileError:
        return
    assert len(trf.history().players) == len(trf.players)


# -- settings that can't be ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("line", "code", "column"),
    [
        ("162  W  1.0   D  1.0   L  0.0", "trf.absurd_points", 5),
        ("162  W  0.0", "trf.absurd_points", 5),
        ("162  W 9000   D  0.5", "trf.absurd_points", 5),
        ("162  P  3.0", "trf.absurd_points", 5),
        ("162  W  1.0   rubbish", "trf.bad_points", 15),
        ("BBD 5", "trf.absurd_points", 5),
        ("XXZ 1 7", "trf.unknown_number", 5),
        ("XXA    7  1.0", "trf.unknown_number", 5),
        ("240 H   3    7", "trf.unknown_number", 5),
        ("250       1.0   1   2   50   60", "trf.unknown_number", 23),
        ("250       1.0   3   2    1    2", "trf.bad_round", 19),
        ("260   5   2    1    2", "trf.bad_round", 9),
        ("240 H 999    1", "trf.bad_round", 7),
        ("142 one", "trf.bad_rounds", 5),
    ],
)
def test_a_setting_that_can_not_be_names_its_line_and_column(line: str, code: str, column: int) -> None:
    with pytest.raises(ImportFileError) as refused:
        parse(f"{player_line()}\n{player_line(2)}\n{line}\n".encode())

    assert (refused.value.code, refused.value.line, refused.value.column) == (code, 3, column)


def test_a_range_of_virtual_points_may_reach_past_the_last_player() -> None:
    trf = parse(f"{player_line()}\n{player_line(2)}\n250       1.0   1   2    2 9999\n".encode())

    assert dict(trf.accelerations) == {2: (ONE, ONE)}


def test_an_adjourned_game_has_no_result_and_is_a_draw_for_pairing() -> None:
    trf = parse(f"{player_line(cells='     2 w ?')}\n{player_line(2, cells='     1 b ?')}\n".encode())

    assert [player.cells for player in trf.players] == [(TrfCell(2, Color.WHITE, ""),), (TrfCell(1, Color.BLACK, ""),)]
    assert [one.score for one in trf.history().players] == [0, 0]
    assert [one.score for one in trf.history(1, open_as_draws=True).players] == [HALF, HALF]


# -- damage ----------------------------------------------------------------------------------------------------------

PIECES = (
    *("\x00", "\t", "   ", "9999", "-1", "²", "\u2028", "\r", "\n", "001", "П", "21500", "+", "?", "U", "½"),
    *("162 W 9 D 9\n", "XXZ 1 2\n", "240 H 3 1\n", "142 99\n", "250 1.0 1 3 1 9999\n", "192 FIDE_DUTCH_BAKU\n"),
)
CUTS = st.lists(st.tuples(st.integers(0, 6000), st.integers(0, 30), st.sampled_from(PIECES)), min_size=1, max_size=6)


@settings(max_examples=150, deadline=None)
@given(st.sampled_from(sorted(REPORTS.glob("*.trf"))), CUTS)
def test_whatever_happens_to_a_report_it_is_refused_by_name_or_comes_back_the_same(
    file: Path, cuts: list[tuple[int, int, str]]
) -> None:
    data = file.read_bytes()
    for position, length, piece in cuts:
        data = data[:position] + piece.encode() + data[position + length :]
    try:
        trf = parse(data)
    except ImportFileError:
        return
    again = parse(dump(trf).encode())

    assert [(one.number, one.cells) for one in again.players] == [(one.number, one.cells) for one in trf.players]
    with suppress(ImportFileError):
        rounds_of(trf)
