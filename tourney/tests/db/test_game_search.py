"""The index of games: what it says, that it follows every change, and what visitors find by it."""

from __future__ import annotations

import datetime as dt

import pytest

from swiss.tests import builders as rounds
from tourney import game_records
from tourney.archives.rows import keys_of
from tourney.game_index import End, end_of, findings_of, key_of, material_of, placement_of
from tourney.game_records import Wanted
from tourney.kernel.errors import TourneyError
from tourney.models import Game, GameIndex, IndexedStage, Stage
from tourney.services import game_imports, games, score_sheets
from tourney.tasks import index_games

NAJDORF = "1. e4 c5 2. Nf3 d6 3. d4 cxd4 4. Nxd4 Nf6 5. Nc3 a6"
TRANSPOSED = "1. Nf3 c5 2. e4 d6 3. d4 cxd4 4. Nxd4 a6 5. Nc3 Nf6 6. Be2"
FOOL = "1. f3 e5 2. g4 Qh4#"


@pytest.mark.parametrize(
    ("placement", "end", "material"),
    [
        ("8/8/4k3/8/3PK3/8/8/8", End.PAWNS, "KPvK"),
        ("8/r7/4k3/8/3PK3/8/8/R7", End.ROOKS, "KRPvKR"),
        ("8/q7/4k3/8/4K3/8/8/Q7", End.QUEENS, "KQvKQ"),
        ("8/b7/4k3/8/4K3/8/8/N7", End.MINORS, "KNvKB"),
        ("8/rb6/4k3/8/4K3/8/8/RN6", End.ROOKS_MINORS, "KRNvKRB"),
        ("8/rbn5/4k3/8/4K3/8/8/RN6", End.OTHER, "KRNvKRBN"),
        ("8/q7/4k3/8/4K3/8/8/R7", End.OTHER, "KRvKQ"),
    ],
)
def test_endings_are_told_by_their_pieces(placement: str, end: End, material: str) -> None:
    assert (end_of(placement), material_of(placement)) == (end, material)


def test_a_game_is_found_by_its_opening_end_and_positions() -> None:
    found = findings_of(FOOL)
    assert (found.eco, found.end, len(found.positions)) == ("A00", End.MATE, 4)
    assert found.positions[0] == key_of("rnbqkbnr/pppppppp/8/8/8/5P2/PPPPP1PP/RNBQKBNR")
    stalemate = findings_of('[FEN "7k/8/8/8/8/8/5Q2/K7 w - - 0 1"]\n\n1. Qf7')
    assert (stalemate.eco, stalemate.end, stalemate.material) == ("", End.STALEMATE, "KQvK")
    assert findings_of('[Variant "Atomic"]\n\n1. e4').positions == ()


def test_variations_are_no_positions_of_the_game() -> None:
    assert findings_of("1. e4 (1. d4 d5) e5").positions == findings_of("1. e4 e5").positions


def test_a_fen_is_read_whole_or_by_its_first_field() -> None:
    assert (
        placement_of("8/8/4k3/8/3PK3/8/8/8 w - - 0 1")
        == placement_of(" 8/8/4k3/8/3PK111/8/8/8")
        == "8/8/4k3/8/3PK3/8/8/8"
    )
    for text in ("", "x", "8/8/8/8/8/8/8/8", "8/8/4k3/8/3PK3/8/8", "9/8/4k3/8/3PK3/8/8/8", "8/8/4kk2/8/3PK3/8/8/8"):
        with pytest.raises(TourneyError) as refused:
            placement_of(text)
        assert refused.value.code == "games.bad_position"


# -- in the database ---------------------------------------------------------------------------------------------------


@pytest.fixture
def stage(db: None) -> Stage:
    found = rounds.stage_of(12, starts_on=None)
    rounds.play(found, "1-0 1/2 0-1 1-0")
    for game, moves in zip(boards(found), (NAJDORF, TRANSPOSED, FOOL), strict=False):
        games.set_moves(game, moves, actor=None)
    return found


def boards(stage: Stage) -> list[Game]:
    return list(Game.objects.filter(stage=stage).order_by("round_number", "board"))


def found(stage: Stage, **query: str) -> list[int | None]:
    wanted = Wanted.of(query)
    return [game.board for game in game_records.found_games(stage.section.tournament, wanted)]


def test_games_are_indexed_when_their_stage_has_changed_and_only_then(stage: Stage) -> None:
    assert index_games() == 3
    assert index_games() == 0
    assert IndexedStage.objects.count() == 1

    one, two, *_ = boards(stage)
    games.set_moves(one, FOOL, actor=None)
    games.remove_moves(two, actor=None, reason="another game")

    assert index_games() == 1
    assert dict(GameIndex.objects.values_list("game", "eco")) == {one.pk: "A00", boards(stage)[2].pk: "A00"}


def test_a_typed_game_is_found_at_once(stage: Stage) -> None:
    score_sheets.store_sheet(boards(stage)[3], "e4 e6", actor=None)
    assert found(stage, opening="french") == [4]
    assert index_games() == 3  # the others; this one is known


def test_the_index_stays_here_when_an_event_goes_to_another_installation(stage: Stage) -> None:
    index_games()
    keys = keys_of(stage.section.tournament)
    assert len(keys["tourney.Game"]) == Game.objects.count()
    assert not {"tourney.GameIndex", "tourney.IndexedStage"} & set(keys)


@pytest.mark.parametrize(
    ("query", "boards_found"),
    [
        ({}, [1, 2, 3]),
        ({"opening": "B90"}, [1]),
        ({"opening": "В9"}, [1, 2]),  # a Cyrillic В
        ({"opening": "najdorf sicilian"}, [1, 2]),
        ({"opening": "A"}, [3]),
        ({"opening": "Nothing"}, []),
        ({"result": "1-0"}, [1]),
        ({"result": "1/2", "opening": "b"}, [2]),
        ({"result": "odd"}, [1, 2, 3]),
        ({"end": "mate"}, [3]),
        ({"end": "pawns"}, []),
        ({"position": "rnbqkb1r/1p2pppp/p2p1n2/8/3NP3/2N5/PPP2PPP/R1BQKB1R w KQkq - 0 6"}, [1, 2]),
        ({"position": "rnbqkbnr/pppppppp/8/8/8/5N2/PPPPPPPP/RNBQKB1R"}, [2]),
        ({"position": "nonsense"}, []),
    ],
)
def test_games_are_found(stage: Stage, query: dict[str, str], boards_found: list[int]) -> None:
    index_games()
    assert found(stage, **query) == boards_found


def test_the_half_move_of_a_position_is_known(stage: Stage) -> None:
    index_games()
    wanted = Wanted.of({"position": "rnbqkb1r/1p2pppp/p2p1n2/8/3NP3/2N5/PPP2PPP/R1BQKB1R"})
    assert [game.reached_at for game in game_records.found_games(stage.section.tournament, wanted)] == [10, 10]


def test_games_are_found_by_their_day_in_the_events_zone(stage: Stage) -> None:
    tournament = stage.section.tournament
    night = dt.datetime.combine(dt.date(2027, 1, 25), dt.time(0, 30), tournament.zone)
    Game.objects.filter(stage=stage).update(scheduled_at=None, finished_at=night + dt.timedelta(days=1))
    Game.objects.filter(pk=boards(stage)[0].pk).update(finished_at=night)
    assert found(stage, day="2027-01-25") == [1]
    assert found(stage, day="2027-01-26") == [2, 3]
    assert found(stage, day="2027-02-31") == [1, 2, 3]
    assert game_records.rounds_and_days(tournament) == ([1], [dt.date(2027, 1, 25), dt.date(2027, 1, 26)])


def test_an_exported_game_has_its_opening_and_comes_back_unchanged(stage: Stage) -> None:
    index_games()
    tournament = stage.section.tournament
    text = "".join(game_records.pgn_file(game_records.found_games(tournament, Wanted()), tournament, several=True))
    assert '[ECO "B90"]\n' in text
    assert '[Opening "Sicilian Defense: Najdorf Variation"]\n' in text
    before = list(Game.objects.order_by("pk").values_list("pk", "pgn", "ply_count"))

    taken, _ = game_imports.request_import(tournament, text.encode())
    game_imports.run_import(taken.pk)

    taken.refresh_from_db()
    assert (taken.report["games"], taken.report["same"], taken.report["problems"]) == (3, 3, [])
    assert list(Game.objects.order_by("pk").values_list("pk", "pgn", "ply_count")) == before
